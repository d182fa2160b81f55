import type {
  CompanyId,
  ContactId,
  InputOf,
  NoteId,
  QueueId,
  TicketId,
  TicketNote,
  UserId,
} from "@balcao/contract";
import { limits } from "@balcao/contract";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError, hasPermission, requirePermission } from "../../platform/context.ts";
import type { Database } from "../../platform/db/database.ts";
import { hasId, requireRow, toIso, wireDates } from "../../platform/db/records.ts";
import { ticketNotes } from "../../platform/db/schema/index.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { Realtime, Room } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { Clock } from "../../platform/sources.ts";
import type { TicketVisibility } from "../tickets/index.ts";
import {
  canRead,
  readableCondition,
  readerOf,
  readerRooms,
  requireVisible,
  visibilityColumns,
} from "../tickets/index.ts";

export type TicketNotesDeps = { db: Database; clock: Clock; realtime: Realtime };

/** The team's notes about tickets (wire-contract 5.9, behaviour 8.5). */
export function createTicketNotesFeature(deps: TicketNotesDeps) {
  return {
    register(routes: Routes): void {
      routes.handle("POST /ticket-notes", ({ ctx, body }) => createNote(deps, ctx, body));
      routes.handle("GET /ticket-notes/list", ({ ctx, query }) => listNotes(deps, ctx, query));
      routes.handle("DELETE /ticket-notes/:noteId", async ({ ctx, params }) => {
        await removeNote(deps, ctx, params.noteId);
        return { message: "Observação removida" };
      });
    },
  };
}

/** A note with the names of its ids, and the columns that decide who may see its ticket. */
type NoteRow = TicketVisibility & {
  noteId: NoteId;
  companyId: CompanyId;
  ticketId: TicketId;
  contactId: ContactId;
  /** Null once its author was deleted. */
  authorId: UserId | null;
  /** The queue whose agents read the note. For a deleted queue it is the successor, or null. */
  noteQueueId: QueueId | null;
  note: string;
  createdAt: Date;
  updatedAt: Date;
  authorName: string | null;
  authorEmail: string | null;
  contactName: string;
  ticketCreatedAt: Date;
};

const NOTES_LISTED_MAX = 500;

/** Adds a note to a ticket that the caller may see, for the readers of the ticket's queue. */
async function createNote(
  { db, clock, realtime }: TicketNotesDeps,
  ctx: UserCtx,
  { ticketId, note }: InputOf<"POST /ticket-notes">["body"],
): Promise<TicketNote> {
  if (note.length < limits.noteMin) throw new DomainError("ERR_TICKETNOTE_INVALID_NAME");
  return db.transaction(ctx, async (tx) => {
    const values = [ctx.companyId, ticketId, ctx.actor.userId, note, clock.now()];
    const [added] = await tx.query<NoteRow>(insertStatement, values);
    // The note is added before this check: one round trip. A refusal rolls it back.
    const row = requireVisible(ctx, added);
    tx.onCommit(() => tellCreated(realtime, row));
    return toNote(row, ctx);
  });
}

/** The newest notes of a ticket that the caller may read, newest first. */
async function listNotes(
  { db }: TicketNotesDeps,
  ctx: UserCtx,
  { ticketId, contactId }: InputOf<"GET /ticket-notes/list">["query"],
): Promise<TicketNote[]> {
  const values: unknown[] = [ctx.companyId, ticketId, contactId ?? null, NOTES_LISTED_MAX];
  const reader = readerOf(ctx);
  const rows = await db.transaction(ctx, (tx) =>
    reader === null
      ? tx.query<ListedRow>(listAllStatement, values)
      : tx.query<ListedRow>(listOwnStatement, [...values, reader.queueIds, reader.userId]),
  );
  requireVisible(ctx, rows[0]);
  return rows.flatMap((row) => (row.noteId === null ? [] : [toNote(row, ctx)]));
}

/** Removes a note; allowed for its author and with the permission to remove any. */
async function removeNote(
  { db, realtime }: TicketNotesDeps,
  ctx: UserCtx,
  id: NoteId,
): Promise<void> {
  await db.transaction(ctx, async (tx) => {
    const rows = await tx.query<NoteRow>(findStatement, [ctx.companyId, id]);
    const row = requireVisible(ctx, requireRow(rows, "ERR_NO_TICKETNOTE_FOUND"));
    if (!canReadNote(ctx, row)) throw new DomainError("ERR_NO_TICKETNOTE_FOUND");
    if (row.authorId !== ctx.actor.userId) requirePermission(ctx, "notes:delete-any");
    const gone = tx.orm.delete(ticketNotes).where(hasId(ctx, ticketNotes, id));
    requireRow(await gone.returning({ id: ticketNotes.id }), "ERR_NO_TICKETNOTE_FOUND");
    tx.onCommit(() => tellDeleted(realtime, row));
  });
}

/** Notes are visible like messages; authors always see their own. */
function canReadNote(ctx: UserCtx, note: NoteRow): boolean {
  return note.authorId === ctx.actor.userId || canRead(readerOf(ctx), note, note.noteQueueId);
}

function toNote(row: NoteRow, ctx: UserCtx): TicketNote {
  return toNoteDto(row, hasPermission(ctx, "users:read-emails") ? (row.authorEmail ?? "") : "");
}

/** The author's e-mail, only for readers with `users:read-emails`; "" for others. */
function toNoteDto(row: NoteRow, email: string): TicketNote {
  const { noteId, note, companyId, ticketId, contactId, authorId, authorName } = row;
  return {
    ...{ id: noteId, note, companyId, ticketId, contactId, userId: authorId },
    user: { id: authorId, name: authorName ?? "", email },
    contact: { id: contactId, name: row.contactName },
    ticket: { id: ticketId, status: row.status, createdAt: toIso(row.ticketCreatedAt) },
    ...wireDates(row),
  };
}

/** Sends to users who have the ticket open and may read the note, and to admins. */
function tellCreated(realtime: Realtime, row: NoteRow): void {
  const { companyId, ticketId } = row;
  const admins = rooms.admins(companyId);
  const tell = (email: string, to: Room, except: Room[], within: Room[][]): void => {
    const note = toNoteDto(row, email);
    realtime.publish(companyId, "ticketNote", { action: "create", note }, [to], except, within);
  };
  tell(row.authorEmail ?? "", admins, [], []);
  tell("", rooms.ticket(companyId, ticketId), [admins], withinReaders(row));
}

function tellDeleted(realtime: Realtime, row: NoteRow): void {
  const { companyId, noteId, ticketId } = row;
  const payload = { action: "delete", noteId, ticketId } as const;
  const to = [rooms.ticket(companyId, ticketId), rooms.admins(companyId)];
  realtime.publish(companyId, "ticketNote", payload, to, [], withinReaders(row));
}

/** The rooms of those who may read the note, besides admins; no limit when everybody who has the ticket open may. */
function withinReaders({ noteQueueId, authorId, ...row }: NoteRow): Room[][] {
  const readers = readerRooms({ ...row, id: row.ticketId }, noteQueueId);
  if (readers === null) return [];
  return [authorId === null ? readers : [...readers, rooms.user(row.companyId, authorId)]];
}

/** Select list of `NoteRow` for a note `n` of the ticket `t`, joined by `noteJoins`. */
const noteColumns = `
  n.id as "noteId", n.company_id as "companyId", n.ticket_id as "ticketId", n.contact_id as "contactId",
  n.user_id as "authorId", n.note, n.created_at as "createdAt", n.updated_at as "updatedAt",
  case when nq.deleted_at is null then n.queue_id else nq.successor_id end as "noteQueueId",
  u.name as "authorName", u.email as "authorEmail", c.name as "contactName",
  t.created_at as "ticketCreatedAt", ${visibilityColumns}`;

const noteJoins = `
  left join contacts c on c.company_id = n.company_id and c.id = n.contact_id
  left join queues nq on nq.company_id = n.company_id and nq.id = n.queue_id
  left join users u on u.company_id = n.company_id and u.id = n.user_id`;

/** Returns no row if the ticket does not exist. */
const insertStatement = {
  name: "ticket-notes.insert",
  text: `
with t as (
  select * from tickets where company_id = $1 and id = $2
), n as (
  insert into ticket_notes (company_id, ticket_id, contact_id, user_id, queue_id, note, created_at, updated_at)
  select t.company_id, t.id, t.contact_id, $3, coalesce(t.queue_id, t.served_queue_id), $4, $5, $5 from t
  returning *
)
select ${noteColumns}
from n join t on t.id = n.ticket_id ${noteJoins}`,
};

/** Returns one row without note for a ticket without notes, and no row if the ticket does not exist. */
type ListedRow = NoteRow | (TicketVisibility & { noteId: null });

const listText = (readable: string): string => `
select ${noteColumns}
from tickets t
left join lateral (
  select n.* from ticket_notes n
  where n.company_id = t.company_id and n.ticket_id = t.id and ($3::int is null or n.contact_id = $3) and ${readable}
  order by n.id desc limit $4
) n on true ${noteJoins}
where t.company_id = $1 and t.id = $2
order by n.id desc`;

const listAllStatement = { name: "ticket-notes.list", text: listText("true") };

const isReadable = readableCondition("n", {
  ...{ ticketUser: "t.user_id", ticketQueue: "t.queue_id" },
  ...{ queues: "$5::int[]", user: "$6::int" },
});
const listOwnStatement = {
  name: "ticket-notes.list-own",
  text: listText(`(n.user_id = $6::int or ${isReadable})`),
};

const findStatement = {
  name: "ticket-notes.find",
  text: `
select ${noteColumns}
from ticket_notes n
join tickets t on t.company_id = n.company_id and t.id = n.ticket_id ${noteJoins}
where n.company_id = $1 and n.id = $2`,
};
