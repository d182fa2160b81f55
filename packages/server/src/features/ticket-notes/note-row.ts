import type {
  CompanyId,
  ContactId,
  NoteId,
  TicketId,
  TicketNote,
  TicketStatus,
  UserId,
} from "@balcao/contract";
import { toIso } from "../../platform/db/row-dates.ts";

/** A note with the names that stand beside its ids. */
export type NoteRow = {
  noteId: NoteId;
  companyId: CompanyId;
  ticketId: TicketId;
  contactId: ContactId;
  /** Null once its author was deleted. */
  authorId: UserId | null;
  note: string;
  notedAt: Date;
  changedAt: Date;
  authorName: string | null;
  authorEmail: string | null;
  contactName: string;
  ticketStatus: TicketStatus;
  ticketCreatedAt: Date;
};

/** Select list of `NoteRow` for a note `n` of the ticket `t`, joined by `noteJoins`. */
export const noteColumns = `
  n.id as "noteId", n.company_id as "companyId", n.ticket_id as "ticketId", n.contact_id as "contactId",
  n.user_id as "authorId", n.note, n.created_at as "notedAt", n.updated_at as "changedAt",
  u.name as "authorName", u.email as "authorEmail", c.name as "contactName",
  t.status as "ticketStatus", t.created_at as "ticketCreatedAt"`;

/** What `noteColumns` reads beside `n` and `t`; for an `n` that may be missing too. */
export const noteJoins = `
  left join contacts c on c.company_id = n.company_id and c.id = n.contact_id
  left join users u on u.company_id = n.company_id and u.id = n.user_id`;

/** The author's address is for readers who may know it (`users:read-emails`); "" for others. */
export function toNoteDto(row: NoteRow, { knowsEmails }: { knowsEmails: boolean }): TicketNote {
  return {
    id: row.noteId,
    note: row.note,
    companyId: row.companyId,
    ticketId: row.ticketId,
    contactId: row.contactId,
    userId: row.authorId,
    user: {
      id: row.authorId,
      name: row.authorName ?? "",
      email: knowsEmails ? (row.authorEmail ?? "") : "",
    },
    contact: { id: row.contactId, name: row.contactName },
    ticket: { id: row.ticketId, status: row.ticketStatus, createdAt: toIso(row.ticketCreatedAt) },
    createdAt: toIso(row.notedAt),
    updatedAt: toIso(row.changedAt),
  };
}
