import type {
  CompanyEvents,
  CompanyId,
  ContactId,
  MentionNotice,
  NoteId,
  NoteMention,
  QueueId,
  TicketId,
  TicketNote,
  UserId,
} from "@balcao/contract";
import type { UserCtx } from "../../platform/context.ts";
import { hasPermission } from "../../platform/context.ts";
import { toIso, wireDates } from "../../platform/db/records.ts";
import type { Realtime, Room } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { TicketVisibility } from "../tickets/index.ts";
import { canRead, readerOf, readerRooms, visibilityColumns } from "../tickets/index.ts";

/** A note with the names of its ids, and the columns that decide who may see its ticket. */
export type NoteRow = TicketVisibility & {
  noteId: NoteId;
  companyId: CompanyId;
  ticketId: TicketId;
  contactId: ContactId;
  /** Null once its author was deleted. */
  authorId: UserId | null;
  /** The queue whose agents read the note. For a deleted queue it is the successor, or null. */
  noteQueueId: QueueId | null;
  note: string;
  mentions: NoteMention[];
  createdAt: Date;
  updatedAt: Date;
  authorName: string | null;
  authorEmail: string | null;
  contactName: string;
  ticketCreatedAt: Date;
  ticketUuid: string;
};

/** Notes are visible like messages; authors always see their own. */
export function canReadNote(ctx: UserCtx, note: NoteRow): boolean {
  return note.authorId === ctx.actor.userId || canRead(readerOf(ctx), note, note.noteQueueId);
}

export function toNote(row: NoteRow, ctx: UserCtx): TicketNote {
  return toNoteDto(row, hasPermission(ctx, "users:read-emails") ? (row.authorEmail ?? "") : "");
}

/** The author's e-mail, only for readers with `users:read-emails`; "" for others. */
function toNoteDto(row: NoteRow, email: string): TicketNote {
  const { noteId, note, companyId, ticketId, contactId, authorId, authorName, mentions } = row;
  return {
    ...{ id: noteId, note, companyId, ticketId, contactId, userId: authorId, mentions },
    user: { id: authorId, name: authorName ?? "", email },
    contact: { id: contactId, name: row.contactName },
    ticket: { id: ticketId, status: row.status, createdAt: toIso(row.ticketCreatedAt) },
    ...wireDates(row),
  };
}

export const toMention = (row: NoteRow): MentionNotice => ({
  note: toNoteDto(row, ""),
  ticketUuid: row.ticketUuid,
});

/** Sends to users who have the ticket open and may read the note, and to those who see all tickets. */
export function tellSaved(realtime: Realtime, row: NoteRow, action: "create" | "update"): void {
  const { companyId } = row;
  const knowing = [rooms.holders(companyId, "users:read-emails")];
  const tell = (email: string, except: Room[], within: Room[][]): void => {
    const note = toNoteDto(row, email);
    const to = watchersOf(row);
    realtime.publish(companyId, "ticketNote", { action, note }, to, except, within);
  };
  tell(row.authorEmail ?? "", [], [...withinReaders(row), knowing]);
  tell("", knowing, withinReaders(row));
}

export function tellDeleted(realtime: Realtime, row: NoteRow): void {
  const { companyId, noteId, ticketId } = row;
  const payload = { action: "delete", noteId, ticketId } as const;
  realtime.publish(companyId, "ticketNote", payload, watchersOf(row), [], withinReaders(row));
}

const watchersOf = ({ companyId, ticketId }: NoteRow): Room[] => [
  rooms.ticket(companyId, ticketId),
  rooms.holders(companyId, "tickets:see-all"),
];

/** The rooms of those who may read the note; no limit when everybody who has the ticket open may. */
function withinReaders({ noteQueueId, authorId, ...row }: NoteRow): Room[][] {
  const readers = readerRooms({ ...row, id: row.ticketId }, noteQueueId);
  if (readers === null) return [];
  return [authorId === null ? readers : [...readers, rooms.user(row.companyId, authorId)]];
}

/** Select list of `NoteRow` for a note `n` of the ticket `t`, joined by `noteJoins`. */
export const noteColumns = `
  n.id as "noteId", n.company_id as "companyId", n.ticket_id as "ticketId", n.contact_id as "contactId",
  n.user_id as "authorId", n.note, n.mentions, n.created_at as "createdAt", n.updated_at as "updatedAt",
  case when nq.deleted_at is null then n.queue_id else nq.successor_id end as "noteQueueId",
  coalesce(u.name, n.author_name) as "authorName", u.email as "authorEmail", c.name as "contactName",
  t.created_at as "ticketCreatedAt", t.uuid as "ticketUuid", ${visibilityColumns}`;

export const noteJoins = `
  left join contacts c on c.company_id = n.company_id and c.id = n.contact_id
  left join queues nq on nq.company_id = n.company_id and nq.id = n.queue_id
  left join users u on u.company_id = n.company_id and u.id = n.user_id`;

/** To windows of users with a notice. */
export function publishMention(
  realtime: Realtime,
  companyId: CompanyId,
  userIds: readonly UserId[],
  event: CompanyEvents["mention"],
): void {
  if (userIds.length === 0) return;
  const to = userIds.map((userId) => rooms.user(companyId, userId));
  realtime.publish(companyId, "mention", event, to);
}
