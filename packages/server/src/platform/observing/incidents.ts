import type { Logger } from "../logging/logger.ts";
import { errorCodeOf } from "./tracing.ts";

/** An error or a slow statement: places of the program and codes, no values. */
export type Incident = {
  kind: "call" | "job" | "work" | "log" | "statement";
  place: string;
  code: string;
  /** Of a slow statement. */
  ms?: number;
  requestId: string | null;
};

/** Incidents of the same place and code that were counted together. */
export type CountedIncident = Omit<Incident, "ms"> & {
  /** The ten minutes in which they happened. */
  bucketAt: Date;
  count: number;
  totalMs: number;
  longestMs: number;
  lastAt: Date;
};

export type Incidents = {
  note(incident: Incident): void;
  /** Takes what was counted since the last call. */
  take(): CountedIncident[];
  /** Puts back what could not be stored. */
  restore(taken: readonly CountedIncident[]): void;
};

const BUCKET_MS = 10 * 60_000;
/** Different ones between two reports; further ones of the kind are one. */
const DIFFERENT = 200;
const PLACE_MAX = 160;

/** Counts incidents in memory, a bounded number of different ones. */
export function createIncidents(now: () => Date): Incidents {
  let counted = new Map<string, CountedIncident>();

  function add(incident: CountedIncident): void {
    const keyOf = ({ place, code }: Pick<CountedIncident, "place" | "code">): string =>
      [incident.bucketAt.getTime(), incident.kind, place, code].join("\n");
    let one = incident;
    if (!counted.has(keyOf(one)) && counted.size >= DIFFERENT)
      one = { ...one, place: "(other)", code: "(other)" };
    const known = counted.get(keyOf(one));
    if (!known) {
      counted.set(keyOf(one), { ...one });
      return;
    }
    known.count += one.count;
    known.totalMs += one.totalMs;
    known.longestMs = Math.max(known.longestMs, one.longestMs);
    if (one.lastAt >= known.lastAt) {
      known.lastAt = one.lastAt;
      known.requestId = one.requestId ?? known.requestId;
    }
  }

  return {
    note({ ms = 0, ...incident }) {
      const lastAt = now();
      const bucketAt = new Date(Math.floor(lastAt.getTime() / BUCKET_MS) * BUCKET_MS);
      const place = incident.place.slice(0, PLACE_MAX);
      add({ ...incident, place, bucketAt, count: 1, totalMs: ms, longestMs: ms, lastAt });
    },
    take() {
      const taken = [...counted.values()];
      counted = new Map();
      return taken;
    },
    restore(taken) {
      for (const one of taken) add(one);
    },
  };
}

/** The log with a second reader: what is logged as an error, or as a call that was not available, is noted. */
export function noteErrors(log: Logger, incidents: Incidents, subsystem = ""): Logger {
  const watched = Object.create(log) as Logger;
  const noting =
    (level: "error" | "fatal" | "warn") =>
    (...args: unknown[]): void => {
      const incident = incidentOf(args, level === "warn", subsystem);
      if (incident) incidents.note(incident);
      Reflect.apply(log[level], log, args);
    };
  return Object.assign(watched, {
    error: noting("error"),
    fatal: noting("fatal"),
    warn: noting("warn"),
    child: (...args: Parameters<Logger["child"]>) => {
      // The framework's, one for each request: nothing is logged by it.
      if ("reqId" in args[0]) return log.child(...args);
      const { subsystem: name = subsystem } = args[0] as { subsystem?: string };
      return noteErrors(log.child(...args), incidents, name);
    },
  });
}

/** A log call as an incident. Messages are constants of the program; of the error only its code is taken. */
function incidentOf(args: unknown[], isWarning: boolean, subsystem: string): Incident | null {
  const [fields, message] = args;
  if (typeof fields !== "object" || fields === null) {
    return isWarning ? null : ofLog(subsystem, fields, "Error", null);
  }
  const { err, route, method, job, worker, requestId } = fields as Record<string, unknown>;
  const code = err === undefined ? "Error" : errorCodeOf(err);
  const id = typeof requestId === "string" ? requestId : null;
  if (typeof route === "string")
    return { kind: "call", place: `${String(method)} ${route}`, code, requestId: id };
  if (isWarning) return null;
  if (typeof job === "string") return { kind: "job", place: job, code, requestId: id };
  if (typeof worker === "string") return { kind: "work", place: worker, code, requestId: id };
  return ofLog(subsystem, message, code, id);
}

function ofLog(
  subsystem: string,
  message: unknown,
  code: string,
  requestId: string | null,
): Incident {
  const text = typeof message === "string" ? message : "";
  return { kind: "log", place: [subsystem, text].filter(Boolean).join(": "), code, requestId };
}
