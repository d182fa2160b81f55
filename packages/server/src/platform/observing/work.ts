import { AsyncLocalStorage } from "node:async_hooks";

/** One piece of work: a request, a message on its way, or a run of a job. */
export type Work = {
  kind: "request" | "message" | "job";
  /** A constant of the program: a route, an event's type, a job's name. */
  name: string;
  requestId?: string;
  companyId?: number;
};

/** A place in a trace, for work that goes on elsewhere. */
export type Origin = object;

/** A work that is open until `end`. */
export type OpenWork = {
  /** Runs a part of it; what it calls, also later, belongs to it. */
  within<T>(run: () => T): T;
  end(outcome?: { error?: unknown; status?: number; companyId?: number }): void;
};

/** Records works and statements as spans (tracing.ts). */
export type Spans = {
  begin(work: Work, origin?: Origin): OpenWork;
  /** Returns the function that ends it. */
  beginStatement(name: string): (error: unknown) => void;
  /** A moment in the present work. */
  mark(name: string): void;
  /** Undefined outside of a work. */
  here(): Origin | undefined;
};

const storage = new AsyncLocalStorage<Work>();
let spans: Spans | null = null;

/** Switches the spans of this process on, or with null off. */
export function recordSpans(wanted: Spans | null): void {
  spans = wanted;
}

/** The work that the present code belongs to. Only for logs and traces: rules take their context as an argument. */
export function currentWork(): Work | undefined {
  return storage.getStore();
}

/** Begins a work that ends in another function. */
export function beginWork(work: Work, origin?: Origin): OpenWork {
  const span = spans?.begin(work, origin);
  return {
    within: (run) => {
      const part = () => storage.run(work, run);
      return span ? span.within(part) : part();
    },
    end: (outcome) => span?.end(outcome),
  };
}

/** Runs a whole work. */
export async function inWork<T>(work: Work, run: () => Promise<T>, origin?: Origin): Promise<T> {
  if (spans === null) return storage.run(work, run);
  const open = beginWork(work, origin);
  try {
    const result = await open.within(run);
    open.end();
    return result;
  } catch (error) {
    open.end({ error });
    throw error;
  }
}

/** Begins the span of a statement; null while no spans are recorded. */
export function beginStatement(name: string): ((error: unknown) => void) | null {
  return spans === null ? null : spans.beginStatement(name);
}

/** Marks a moment in the present work's span. */
export function markMoment(name: string): void {
  spans?.mark(name);
}

/** The present place in a trace; undefined while no spans are recorded. */
export function originHere(): Origin | undefined {
  return spans?.here();
}
