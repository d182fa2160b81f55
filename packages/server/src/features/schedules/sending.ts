import type { CompanyId, ErrorCode, ScheduleId, TicketId, UserId } from "@balcao/contract";
import { acks } from "@balcao/contract";
import { subMinutes } from "date-fns/subMinutes";
import type { Ctx } from "../../platform/context.ts";
import { DomainError, systemCtx } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import { isUnavailable } from "../../platform/db/database.ts";
import { DueWorker } from "../../platform/jobs/due-worker.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import type { Clock, IdSource } from "../../platform/sources.ts";
import type { MediaFiles, StoredFile } from "../media/index.ts";
import type { Outgoing } from "../messages/index.ts";
import type { TicketRow, TicketsFeature } from "../tickets/index.ts";
import { lockTicket, pickConnection } from "../tickets/index.ts";
import type { ScheduleRow } from "./schedule.ts";
import {
  afterFailure,
  changedSchedules,
  saveSchedule,
  scheduleColumns,
  scheduleJoins,
  tellSaved,
} from "./schedule.ts";

export type SendingDeps = {
  db: Database;
  sources: { clock: Clock; ids: IdSource };
  realtime: Realtime;
  log: Logger;
  media: Pick<MediaFiles, "describeFile" | "removeUnused">;
  tickets: Pick<TicketsFeature, "findOrCreateClosedTicket">;
  outgoing: Outgoing;
};

/** A schedule that one process has claimed; `lockedAt` identifies the claim. */
type Claim = {
  companyId: CompanyId;
  id: ScheduleId;
  lockedAt: Date;
  fileKey: string | null;
  fileName: string | null;
};

/** A claim that is older than this was lost with its process (behaviour 4). */
const LOST_AFTER_MINUTES = 5;
/** In one look: few enough that one company does not take all of it. */
const CLAIMS_PER_COMPANY = 20;
const CLAIMS_HELD = 100;
const AT_ONCE = 4;

/**
 * Sends what is due (behaviour 4), in any number of processes. A look settles what ended, returns lost claims, and claims
 * (AGENDADA). A claimed schedule becomes a message in a transaction of its own, which stores the message, the outbound row
 * and the message's id in the schedule: it is sent exactly once, even if a process crashes at any step. The channel's queue
 * has its own tries; a message that it gives up is given up here too.
 */
export function createSender(deps: SendingDeps, lookEveryMs: number): DueWorker<Claim> {
  return new DueWorker<Claim>({
    name: "schedules",
    log: deps.log,
    lookEveryMs,
    look: async (limit) => ({ due: (await claim(deps, limit)).flatMap(toClaims) }),
    work: {
      atOnce: AT_ONCE,
      batch: CLAIMS_HELD,
      // A claim that was taken over sends nothing, because the row has another `locked_at`. So the new claim does not wait for it.
      idOf: ({ id, lockedAt }) => `${id} ${lockedAt.getTime()}`,
      companyOf: ({ companyId }) => companyId,
      run: (claimed) =>
        send(deps, systemCtx(claimed.companyId, "schedules", deps.sources.ids.uuid()), claimed),
      giveBack: (claims) => giveBack(deps, claims),
    },
  });
}

async function claim(deps: SendingDeps, limit: number): Promise<ScheduleRow[]> {
  const { db, sources } = deps;
  const now = sources.clock.now();
  const since = subMinutes(now, LOST_AFTER_MINUTES);
  return db.acrossCompanies(async (tx) => {
    tellAll(deps, tx, await tx.query<ScheduleRow>(settleStatement, [now, since]));
    tellAll(deps, tx, await tx.query<ScheduleRow>(returnStatement, [now, since]));
    const rows = await claimDueAcrossCompanies(tx, now, { perCompany: CLAIMS_PER_COMPANY, limit });
    tellAll(deps, tx, rows);
    return rows;
  });
}

/**
 * Claims schedules that are due, the longest waiting ones of each company first: a company with very many does not hold
 * up the others. Several processes get different rows.
 */
export function claimDueAcrossCompanies(
  tx: Tx,
  now: Date,
  { perCompany, limit }: { perCompany: number; limit: number },
): Promise<ScheduleRow[]> {
  return tx.query<ScheduleRow>(claimStatement, [now, perCompany, limit]);
}

/** Returns the claims that this process has not begun. */
async function giveBack(deps: SendingDeps, claims: readonly Claim[]): Promise<void> {
  const ids = claims.map(({ id }) => id);
  const times = claims.map(({ lockedAt }) => lockedAt);
  const values = [deps.sources.clock.now(), ids, times];
  await deps.db.acrossCompanies(async (tx) =>
    tellAll(deps, tx, await tx.query<ScheduleRow>(giveBackStatement, values)),
  );
}

function tellAll({ realtime }: SendingDeps, tx: Tx, rows: readonly ScheduleRow[]): void {
  for (const row of rows) tellSaved(realtime, tx, row);
}

/** After an error the claim stays as it is: a later look, in any process, finds it lost. */
async function send(deps: SendingDeps, ctx: Ctx, claim: Claim): Promise<void> {
  let file: StoredFile | null = null;
  try {
    file = await fileOf(deps, claim);
    await handOver(deps, ctx, claim, file);
  } catch (error) {
    if (isUnavailable(error)) throw error;
    await recordFailure(deps, ctx, claim, codeOf(deps, claim, error));
  } finally {
    // The thumbnail was made for the message; there may be none.
    if (file?.thumbnailKey) await deps.media.removeUnused(claim.companyId, [file.thumbnailKey]);
  }
}

async function fileOf(
  { media }: SendingDeps,
  { companyId, fileKey, fileName }: Claim,
): Promise<StoredFile | null> {
  if (fileKey === null) return null;
  const file = await media.describeFile(companyId, fileKey, fileName ?? fileKey);
  if (!file) throw new DomainError("ERR_FILE_MISSING");
  return file;
}

async function handOver(
  deps: SendingDeps,
  ctx: Ctx,
  claim: Claim,
  file: StoredFile | null,
): Promise<void> {
  await deps.db.transaction(ctx, async (tx) => {
    const schedule = await lockClaim(ctx, tx, claim);
    if (!schedule) return;
    if (schedule.isOptedOut) throw new DomainError("ERR_CONTACT_OPTED_OUT");
    const ticket = await ticketFor(deps, ctx, tx, schedule);
    const sent = await deps.outgoing.send(ctx, tx, ticket, {
      text: schedule.body,
      ...(file ? { file } : {}),
      ...writerOf(schedule),
      priority: "schedule",
    });
    if (!sent) throw new Error("a message without client id cannot be a repetition");
    const { messageId, ticketId } = sent.message;
    const values = { messageId, ticketId, errorCode: null, attempts: 0, lockedAt: null };
    await saveSchedule(deps, ctx, tx, schedule, values);
  });
}

async function recordFailure(
  deps: SendingDeps,
  ctx: Ctx,
  claim: Claim,
  code: ErrorCode,
): Promise<void> {
  await deps.db.transaction(ctx, async (tx) => {
    const schedule = await lockClaim(ctx, tx, claim);
    if (!schedule) return;
    const failed = afterFailure(schedule, code, deps.sources.clock.now());
    await saveSchedule(deps, ctx, tx, schedule, { ...failed, lockedAt: null });
  });
}

/** The claimed schedule, locked; undefined when users have changed or removed it since. */
async function lockClaim(ctx: Ctx, tx: Tx, claim: Claim): Promise<ScheduleRow | undefined> {
  const values = [ctx.companyId, claim.id, claim.lockedAt];
  const [row] = await tx.query<ScheduleRow>(lockClaimStatement, values);
  return row;
}

/** The contact's newest ticket while its connection is connected, else the one on the connection that sends then. */
async function ticketFor(
  { tickets }: SendingDeps,
  ctx: Ctx,
  tx: Tx,
  { contactId, userId }: ScheduleRow,
): Promise<TicketRow> {
  type Newest = { id: TicketId; isConnected: boolean };
  const [newest] = await tx.query<Newest>(newestTicketStatement, [ctx.companyId, contactId]);
  const ticket = newest?.isConnected ? await lockTicket(ctx, tx, newest.id) : undefined;
  if (ticket) return ticket;
  const connectionId = await pickConnection(ctx, tx, userId);
  return (await tickets.findOrCreateClosedTicket(ctx, tx, contactId, connectionId)).ticket;
}

/** The reason for users. An error that is no refusal is a fault of the product, and logged. */
function codeOf({ log }: SendingDeps, { companyId, id }: Claim, error: unknown): ErrorCode {
  if (error instanceof DomainError) return error.code;
  log.error({ err: error, companyId, scheduleId: id }, "a scheduled message was not handed over");
  return "ERR_SENDING_WAPP_MSG";
}

function toClaims({ companyId, id, lockedAt, fileKey, fileName }: ScheduleRow): Claim[] {
  return lockedAt === null ? [] : [{ companyId, id, lockedAt, fileKey, fileName }];
}

function writerOf({ userId, userName }: ScheduleRow): { writer?: { id: UserId; name: string } } {
  return userId === null ? {} : { writer: { id: userId, name: userName ?? "" } };
}

// By hand: claims lock with `skip locked`, rows change over all companies, and each statement is one round trip.
const claimStatement = {
  name: "schedules.claim",
  text: changedSchedules(
    `
update schedules set status = 'AGENDADA', locked_at = $1, updated_at = $1
from due where schedules.id = due.id`,
    `
due as materialized (
  select picked.id from (
    select distinct company_id from schedules where status = 'PENDENTE' and due_at <= $1
  ) company
  cross join lateral (
    select id from schedules waiting
    where waiting.company_id = company.company_id and waiting.status = 'PENDENTE' and waiting.due_at <= $1
    order by waiting.due_at, waiting.id limit $2
    for update skip locked
  ) picked
  limit $3
),`,
  ),
};

const returnStatement = {
  name: "schedules.return-lost",
  text: changedSchedules(`
update schedules set status = 'PENDENTE', locked_at = null, updated_at = $1
where status = 'AGENDADA' and due_at <= $1 and message_id is null and locked_at < $2`),
};

const giveBackStatement = {
  name: "schedules.give-back",
  text: changedSchedules(`
update schedules set status = 'PENDENTE', locked_at = null, updated_at = $1
from unnest($2::int[], $3::timestamptz[]) as claim (claimed_id, claimed_at)
where schedules.id = claimed_id and schedules.status = 'AGENDADA' and message_id is null
  and locked_at = claimed_at`),
};

const lockClaimStatement = {
  name: "schedules.lock-claim",
  text: `
with s as materialized (
  select * from schedules
  where company_id = $1 and id = $2 and status = 'AGENDADA' and locked_at = $3 and message_id is null
  for update
)
select ${scheduleColumns} from s ${scheduleJoins}`,
};

const newestTicketStatement = {
  name: "schedules.newest-ticket",
  text: `
select t.id, w.status = 'CONNECTED' as "isConnected"
from tickets t
left join connections w on w.company_id = t.company_id and w.id = t.connection_id
  and w.deleted_at is null
where t.company_id = $1 and t.contact_id = $2
order by coalesce(t.last_message_at, t.created_at) desc, t.id desc
limit 1`,
};

const settleStatement = {
  name: "schedules.settle",
  // Only unlocked ones: a claim has its lock. The due time bounds what the index reads.
  text: changedSchedules(`
update schedules set
  status = case when ended.code is null then 'ENVIADA' else 'ERRO' end,
  sent_at = case when ended.code is null then $1::timestamptz end,
  error_code = ended.code, updated_at = $1
from (
  select o.id, case
      when m.id is null then 'ERR_NO_MESSAGE_FOUND'
      when m.ack < ${acks.server} then m.failed_code
    end as code
  from schedules o
  left join messages m on m.company_id = o.company_id and m.id = o.message_id
  where o.status = 'AGENDADA' and o.due_at <= $1 and o.locked_at is null and (
    m.id is null or m.failed_code is not null or m.ack >= ${acks.server}
    or (m.ack >= ${acks.written} and o.updated_at < $2))
) ended
where schedules.id = ended.id and schedules.status = 'AGENDADA' and schedules.locked_at is null`),
};
