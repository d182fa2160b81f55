import type {
  ChangedTicket,
  ConnectionId,
  MessageId,
  QueueId,
  TagId,
  Ticket,
  TicketId,
  UserId,
} from "@balcao/contract";
import { addSeconds } from "date-fns/addSeconds";
import { sql } from "drizzle-orm";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { holdReferences, refuseDuplicates, requireRow, toIso } from "../../platform/db/records.ts";
import { connections, queues, users } from "../../platform/db/schema/index.ts";
import { readerOf } from "./audience.ts";
import type { TicketDeps } from "./deps.ts";
import { findTicket } from "./read-tickets.ts";
import type { ShownTicketRow } from "./ticket-row.ts";

// A change counts at once, for everybody. Its row in `ticket_undos` keeps ticket and attendance as they were and as the
// change left them, so that it can be undone exactly while they still are so. A message of the change waits in the
// connection's queue meanwhile: after a crash it is sent once, unless the change was undone.

export type Undo = NonNullable<ChangedTicket["undo"]>;

/** Keeps a locked ticket as it is before a change; `completeUndo` follows the change. */
export async function beginUndo(
  { sources }: Pick<TicketDeps, "sources">,
  ctx: UserCtx,
  tx: Tx,
  ticketId: TicketId,
  seconds: number,
): Promise<Undo> {
  const id = sources.ids.uuid();
  const until = addSeconds(sources.clock.now(), seconds);
  await tx.query(beginStatement, [ctx.companyId, ticketId, id, ctx.actor.userId, until]);
  return { id, until: toIso(until) };
}

/** What a macro has done beside the change of the ticket. */
export type MacroSteps = { messageId: MessageId | null; tagId: TagId | null };

/** Keeps the ticket as the change has left it, and which messages it sends. */
export async function completeUndo(
  ctx: UserCtx,
  tx: Tx,
  ticketId: TicketId,
  { messageId, tagId }: MacroSteps,
): Promise<void> {
  await tx.query(completeStatement, [ctx.companyId, ticketId, messageId, tagId]);
}

/**
 * Undoes the caller's change of a ticket: status, user, queue, connection, chatbot, unread count and attendance are as
 * before it, its messages are removed, and so is the tag that a macro added. What the customer wrote since stays and counts as unread. Throws ERR_UNDO_OVER
 * when there is nothing to undo any more, and ERR_UNDO_CHANGED when the ticket has changed again, its message was sent, or
 * user, queue or connection are gone. A repeated request changes nothing.
 */
export async function undoChange(
  deps: TicketDeps,
  ctx: UserCtx,
  ticketId: TicketId,
  undoId: string,
): Promise<Ticket> {
  const work = deps.db.transaction(ctx, async (tx) => {
    await tx.query(lockStatement, [ctx.companyId, ticketId]);
    const changed = await findTicket(ctx, tx, ticketId);
    if (!changed) throw new DomainError("ERR_NO_TICKET_FOUND");
    const asked = [ctx.companyId, ticketId, undoId, ctx.actor.userId];
    const kept = requireRow(await tx.query<KeptRow>(keptStatement, asked), "ERR_UNDO_OVER");
    if (kept.undoneAt !== null) return changed;
    if (kept.until <= deps.sources.clock.now()) throw new DomainError("ERR_UNDO_OVER");
    if (!kept.isUnchanged) throw new DomainError("ERR_UNDO_CHANGED");
    await holdHolders(ctx, tx, kept);
    if (kept.macroTagId !== null) {
      await tx.query(removeTagStatement, [ctx.companyId, ticketId, kept.macroTagId]);
    }
    return restore(deps, ctx, tx, changed, kept);
  });
  const row = await work.catch(refuseDuplicates({ tickets_one_per_contact: "ERR_UNDO_CHANGED" }));
  return deps.dto.shown(row, readerOf(ctx));
}

/** User, queue and connection to which the ticket goes back must be there, and stay until the commit. */
async function holdHolders(ctx: UserCtx, tx: Tx, kept: KeptRow): Promise<void> {
  const given = (id: number | null): number[] => (id === null ? [] : [id]);
  await holdReferences(ctx, tx, users, given(kept.userId), "ERR_UNDO_CHANGED");
  await holdReferences(ctx, tx, queues, given(kept.queueId), "ERR_UNDO_CHANGED");
  await holdReferences(ctx, tx, connections, given(kept.connectionId), "ERR_UNDO_CHANGED");
}

async function restore(
  { sources, domainEvents, withdrawMessage }: TicketDeps,
  ctx: UserCtx,
  tx: Tx,
  changed: ShownTicketRow,
  { messageId, macroMessageId }: KeptRow,
): Promise<ShownTicketRow> {
  const of = [ctx.companyId, changed.id];
  // In this order: only one attendance of a ticket may be unfinished.
  await tx.query(removeBegunStatement, of);
  await tx.query(restoreAttendanceStatement, of);
  await tx.query(restoreTicketStatement, [...of, sources.clock.now()]);
  // Whether the customer waits again decides which message stands on the card.
  for (const sent of [messageId, macroMessageId]) {
    if (sent !== null && !(await withdrawMessage(ctx, tx, sent))) {
      throw new DomainError("ERR_UNDO_CHANGED");
    }
  }
  const after = await findTicket(ctx, tx, changed.id);
  if (!after) throw new Error("the locked ticket is gone");
  if (changed.snoozeId !== after.snoozeId) {
    await tx.query(restoreSnoozeStatement, [ctx.companyId, changed.snoozeId, after.snoozeId]);
  }
  await domainEvents.publish(tx, ctx, "ticket.changed", { before: changed, after });
  return after;
}

/** Removes what can no longer be undone, in all companies. */
export async function sweepUndosAcrossCompanies(tx: Tx): Promise<void> {
  await tx.query(sql`delete from ticket_undos where until < now() - interval '1 hour'`);
}

type KeptRow = {
  until: Date;
  undoneAt: Date | null;
  messageId: MessageId | null;
  macroMessageId: MessageId | null;
  macroTagId: TagId | null;
  userId: UserId | null;
  queueId: QueueId | null;
  connectionId: ConnectionId | null;
  /** Ticket and attendances are as the change has left them. */
  isUnchanged: boolean;
};

/** The columns that changes of a ticket's state write. Its messages and unread count may change meanwhile. */
const ticketColumns = [
  ...["status", "user_id", "queue_id", "connection_id", "chatbot", "queue_option_id"],
  ...["use_integration", "prompt_id", "integration_id", "last_attendance_id"],
  ...["served_user_id", "served_queue_id", "returned_by", "queued_at"],
  ...["snooze_id", "snoozed_until"],
];

const attendanceColumns = [
  ...[
    "connection_id",
    "user_id",
    "queue_id",
    "queued_at",
    "chatbot_at",
    "started_at",
    "attended_at",
  ],
  ...["asked_at", "answered_at", "rating_at", "rated", "finished_at", "closed_by", "reason_id"],
];

const ticketState = `jsonb_build_object(${ticketColumns.map((name) => `'${name}', t.${name}`).join(", ")})`;

/** The first attendance that the change of a row `u` may have written: the unfinished one, or one that it began. */
const firstWritten = `coalesce((u.before -> 'attendance' ->> 'id')::int,
    (u.before -> 'ticket' ->> 'last_attendance_id')::int + 1, 0)`;

const writtenAttendances = `(
    select coalesce(jsonb_agg(to_jsonb(a) order by a.id), '[]') from attendances a
    where a.company_id = u.company_id and a.ticket_id = u.ticket_id and a.id >= ${firstWritten})`;

/** Not the one on the card, where automatic messages do not stand while the customer waits. */
const newestMessage = `(
    select m.id from messages m where m.company_id = t.company_id and m.ticket_id = t.id
    order by m.created_at desc, m.seq desc limit 1)`;

const beginStatement = {
  name: "tickets.begin-undo",
  text: `
insert into ticket_undos (company_id, ticket_id, id, user_id, until, before)
select $1, t.id, $3, $4, $5, jsonb_build_object(
  'ticket', ${ticketState}, 'unread', t.unread_messages, 'lastMessageId', ${newestMessage},
  'waitingSince', t.waiting_since,
  'attendance', (select to_jsonb(a) from attendances a
    where a.company_id = $1 and a.ticket_id = t.id and a.finished_at is null))
from tickets t where t.company_id = $1 and t.id = $2
on conflict (company_id, ticket_id) do update set
  id = excluded.id, user_id = excluded.user_id, until = excluded.until, before = excluded.before,
  after = null, message_id = null, macro_message_id = null, macro_tag_id = null, undone_at = null`,
};

const completeStatement = {
  name: "tickets.complete-undo",
  text: `
update ticket_undos u set
  after = jsonb_build_object(
    'ticket', ${ticketState}, 'unread', t.unread_messages, 'attendances', ${writtenAttendances}),
  message_id = nullif(${newestMessage}::text, u.before ->> 'lastMessageId')::uuid,
  macro_message_id = $3, macro_tag_id = $4
from tickets t
where t.company_id = $1 and t.id = $2 and u.company_id = $1 and u.ticket_id = t.id`,
};

const lockStatement = {
  name: "tickets.lock-to-undo",
  text: "select from tickets where company_id = $1 and id = $2 for no key update",
};

const keptStatement = {
  name: "tickets.kept-undo",
  text: `
select u.until, u.undone_at as "undoneAt", u.message_id as "messageId",
  u.macro_message_id as "macroMessageId", u.macro_tag_id as "macroTagId",
  (u.before -> 'ticket' ->> 'user_id')::int as "userId", (u.before -> 'ticket' ->> 'queue_id')::int as "queueId",
  (u.before -> 'ticket' ->> 'connection_id')::int as "connectionId",
  coalesce(u.after -> 'ticket' = ${ticketState} and u.after -> 'attendances' = ${writtenAttendances}, false)
    as "isUnchanged"
from ticket_undos u join tickets t on t.company_id = u.company_id and t.id = u.ticket_id
where u.company_id = $1 and u.ticket_id = $2 and u.id = $3 and u.user_id = $4`,
};

const removeBegunStatement = {
  name: "tickets.undo-begun-attendance",
  text: `
delete from attendances a using ticket_undos u
where u.company_id = $1 and u.ticket_id = $2 and a.company_id = $1 and a.ticket_id = $2
  and a.id >= ${firstWritten} and a.id is distinct from (u.before -> 'attendance' ->> 'id')::int`,
};

const removeTagStatement = {
  name: "tickets.undo-tag",
  text: "delete from ticket_tags where company_id = $1 and ticket_id = $2 and tag_id = $3",
};

/** `$2` was undone and leaves no line in the timeline; `$3` counts again. */
const restoreSnoozeStatement = {
  name: "tickets.undo-snooze",
  text: `
with gone as (
  delete from ticket_snoozes where company_id = $1 and id = $2::int
)
update ticket_snoozes set ended_at = null, ended = null where company_id = $1 and id = $3::int`,
};

const copied = (names: readonly string[]): string =>
  names.map((name) => `${name} = b.${name}`).join(", ");

const restoreAttendanceStatement = {
  name: "tickets.undo-attendance",
  text: `
update attendances a set ${copied(attendanceColumns)}
from ticket_undos u, jsonb_populate_record(null::attendances, nullif(u.before -> 'attendance', 'null')) b
where u.company_id = $1 and u.ticket_id = $2 and a.company_id = $1 and a.id = b.id`,
};

const restoreTicketStatement = {
  name: "tickets.undo",
  text: `
with kept as (
  update ticket_undos set undone_at = $3 where company_id = $1 and ticket_id = $2
  returning before, after
)
update tickets t set ${copied(ticketColumns)},
  waiting_since = case when t.status = 'closed' then (kept.before ->> 'waitingSince')::timestamptz
    else t.waiting_since end,
  unread_messages = greatest(0,
    (kept.before ->> 'unread')::int + t.unread_messages - (kept.after ->> 'unread')::int),
  updated_at = greatest(t.updated_at, $3)
from kept, jsonb_populate_record(null::tickets, kept.before -> 'ticket') b
where t.company_id = $1 and t.id = $2`,
};
