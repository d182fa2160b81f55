import { differenceInMilliseconds } from "date-fns/differenceInMilliseconds";
import { systemCtx } from "../../platform/context.ts";
import type { Database } from "../../platform/db/database.ts";
import { isUnavailable } from "../../platform/db/database.ts";
import type { Wake } from "../../platform/db/wake.ts";
import { DueWorker } from "../../platform/jobs/due-worker.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Clock, IdSource } from "../../platform/sources.ts";
import type { AttendantSettings } from "./settings.ts";
import type { DueTicket } from "./turn-rows.ts";
import {
  findDueAcrossCompanies,
  isAnyoneWaitingAcrossCompanies,
  noteFailure,
} from "./turn-rows.ts";
import type { Turns } from "./turn.ts";

export type PumpDeps = {
  db: Database;
  wake: Wake;
  sources: { clock: Clock; ids: IdSource };
  log: Logger;
  turns: Turns;
  settings: AttendantSettings;
};

/** Wakes the processes that run the attendant. */
export const ATTENDANT_TOPIC = "attendant";

const LOCKED_WAIT_MS = 5;

/** Takes due turns. A look claims none of them: the process that locks the ticket takes its turn. */
export function createTurnWorker(deps: PumpDeps): DueWorker<DueTicket> {
  const { db, wake, sources, log, settings } = deps;
  const { firstMs, answerMs, longestMs } = settings.quiet;
  return new DueWorker<DueTicket>({
    name: "attendant",
    log,
    lookEveryMs: settings.lookEveryMs,
    betweenLooksMs: settings.betweenLooksMs,
    wokenBy: { wake, topic: ATTENDANT_TOPIC, inMs: Math.min(firstMs, answerMs, longestMs) },
    async look(limit, held) {
      const now = sources.clock.now();
      const { due, nextAt } = await findDueAcrossCompanies(db, now, limit + held);
      return { due, nextInMs: nextAt === null ? null : differenceInMilliseconds(nextAt, now) };
    },
    work: {
      atOnce: settings.atOnce,
      batch: 2 * settings.atOnce,
      idOf: ({ ticketId }) => ticketId,
      companyOf: ({ companyId }) => companyId,
      run: (ticket) => takeTurn(deps, ticket),
    },
    isAnyWaiting: () => isAnyoneWaitingAcrossCompanies(db),
  });
}

/** Takes every due turn, one after the other; returns their number. */
export async function takeDueTurns(
  { db, settings, turns }: Pick<PumpDeps, "db" | "settings" | "turns">,
  now: Date,
): Promise<number> {
  let taken = 0;
  for (;;) {
    const { due } = await findDueAcrossCompanies(db, now, settings.atOnce);
    if (due.length === 0) return taken;
    let done = 0;
    for (const ticket of due) if ((await turns.take(ticket, now)) === "done") done += 1;
    taken += done;
    // Another transaction holds the tickets.
    if (done === 0) await new Promise((resolve) => setTimeout(resolve, LOCKED_WAIT_MS));
  }
}

async function takeTurn(
  { turns, sources, ...deps }: PumpDeps,
  ticket: DueTicket,
): Promise<"again" | void> {
  try {
    // `absent`: another transaction holds the ticket, and may leave its turn due.
    if ((await turns.take(ticket, sources.clock.now())) === "absent") return "again";
  } catch (error) {
    turns.forgetFiles();
    // An unavailable database says nothing about the turn: that is not counted.
    if (isUnavailable(error)) throw error;
    await countFailure({ sources, ...deps }, ticket, error);
    return "again";
  }
}

async function countFailure(
  { db, sources, settings, log }: Omit<PumpDeps, "turns">,
  { companyId, ticketId }: DueTicket,
  error: unknown,
): Promise<void> {
  const ctx = systemCtx(companyId, "attendant", sources.ids.uuid());
  const { retriesMs } = settings;
  const failure = await db.transaction(ctx, (tx) =>
    noteFailure(ctx, tx, ticketId, { now: sources.clock.now(), retriesMs }),
  );
  const subject = { err: error, companyId, ticketId };
  if (failure?.isGivenUp) log.error(subject, "a turn was given up");
  else log.warn(subject, "a turn will be taken again");
}
