import type { TicketId } from "@balcao/contract";
import { addMilliseconds } from "date-fns/addMilliseconds";
import { differenceInMilliseconds } from "date-fns/differenceInMilliseconds";
import type { Ctx } from "../../platform/context.ts";
import { systemCtx } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import { isUnavailable } from "../../platform/db/database.ts";
import type { Wake } from "../../platform/db/wake.ts";
import { DueWorker } from "../../platform/jobs/due-worker.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Clock, IdSource } from "../../platform/sources.ts";
import type { QuietTimes } from "../messages/index.ts";
import type { OutsideSettings } from "./outside.ts";
import type { DueTicket, Turns } from "./turn.ts";

/** Times and limits of the automatic attendant; tests shorten them. */
export type AttendantSettings = OutsideSettings & {
  quiet: QuietTimes;
  /** It looks for due turns at least this often. */
  lookEveryMs: number;
  /** Minimum time between two looks, so that one look finds many due turns. */
  betweenLooksMs: number;
  /** Turns that this process takes concurrently, of all companies. */
  atOnce: number;
  /** Waits after failed turns. One more failure, and the turn is given up until the customer writes again. */
  retriesMs: readonly number[];
};

export const defaultAttendantSettings: AttendantSettings = {
  quiet: { firstMs: 1_000, answerMs: 400, longestMs: 5_000 },
  lookEveryMs: 2_000,
  betweenLooksMs: 10,
  atOnce: 6,
  agentQuiet: { afterMs: 4_000, longestMs: 12_000 },
  askLimitMs: 30_000,
  asksAtOnce: 50,
  retriesMs: [500, 2_000, 10_000, 60_000],
};

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
    const outcome = await turns.take(ticket, sources.clock.now());
    if (outcome === "absent" || outcome === "waits") return "again";
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

type DueTickets = {
  /** The longest due first, in turns by company. */
  due: DueTicket[];
  /** When the next one after these comes due; null: there is none. */
  nextAt: Date | null;
};

/** The due tickets, whichever process takes their turns. */
async function findDueAcrossCompanies(db: Database, now: Date, limit: number): Promise<DueTickets> {
  type Row = { nextAt: Date | null } & (DueTicket | { ticketId: null });
  const rows = await db.readAcrossCompanies<Row>(dueStatement, [now, limit]);
  const due = rows.flatMap((row) => (row.ticketId === null ? [] : [row]));
  return { due, nextAt: rows[0]?.nextAt ?? null };
}

/** Whether any ticket is due, or will be. */
async function isAnyoneWaitingAcrossCompanies(db: Database): Promise<boolean> {
  const [row] = await db.readAcrossCompanies<{ isAny: boolean }>(anyStatement, []);
  return row?.isAny ?? false;
}

/** Stores that a turn failed: it is due again after a wait, or given up. Null: the turn is over already. */
async function noteFailure(
  ctx: Ctx,
  tx: Tx,
  ticketId: TicketId,
  { now, retriesMs }: { now: Date; retriesMs: readonly number[] },
): Promise<{ attempts: number; isGivenUp: boolean } | null> {
  const [row] = await tx.query<{ attempts: number }>(failureStatement, [ctx.companyId, ticketId]);
  if (!row) return null;
  const waitMs = retriesMs[row.attempts - 1];
  const dueAt = waitMs === undefined ? null : addMilliseconds(now, waitMs);
  await tx.query(waitStatement, [ctx.companyId, ticketId, dueAt]);
  return { attempts: row.attempts, isGivenUp: dueAt === null };
}

const dueStatement = {
  name: "attendant.due",
  text: `
select next.at as "nextAt", due.company_id as "companyId", due.ticket_id as "ticketId"
from (select min(due_at) as at from attendant_turns where due_at > $1) next
left join (
  select company_id, ticket_id, due_at, row_number() over (partition by company_id order by due_at) as place
  from attendant_turns where due_at <= $1
  order by place, due_at limit $2
) due on true
order by due.place, due.due_at`,
};

const anyStatement = {
  name: "attendant.any-waiting",
  text: `select exists (select from attendant_turns where due_at is not null) as "isAny"`,
};

const failureStatement = {
  name: "attendant.count-failure",
  text: `
update attendant_turns set attempts = attempts + 1
where company_id = $1 and ticket_id = $2 and due_at is not null
returning attempts`,
};

const waitStatement = {
  name: "attendant.wait",
  text: `
update attendant_turns set due_at = $3::timestamptz,
  waiting_since = case when $3::timestamptz is null then null else waiting_since end
where company_id = $1 and ticket_id = $2`,
};
