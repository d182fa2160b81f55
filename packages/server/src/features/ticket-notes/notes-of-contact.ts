import type { ContactId, ReplyOf } from "@balcao/contract";
import { pageSizes } from "@balcao/contract";
import type { UserCtx } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import { findRecord, readPage } from "../../platform/db/records.ts";
import { contacts } from "../../platform/db/schema/index.ts";
import { readableCondition, readerOf, visibleToCaller } from "../tickets/index.ts";
import type { NoteRow } from "./note-row.ts";
import { noteColumns, noteJoins, toNote } from "./note-row.ts";

/** One page of the notes of all tickets of a contact that the caller may see and read, newest first. */
export function listNotesOfContact(
  { db }: { db: Database },
  ctx: UserCtx,
  contactId: ContactId,
  pageNumber: number,
): Promise<ReplyOf<"GET /contacts/:contactId/notes">> {
  return db.transaction(ctx, async (tx) => {
    await findRecord(ctx, tx, contacts, contactId, "ERR_NO_CONTACT_FOUND");
    const { rows, ...totals } = await readNotes(ctx, tx, contactId, pageNumber);
    return { notes: rows.map((row) => toNote(row, ctx)), ...totals };
  });
}

export function readNotes(ctx: UserCtx, tx: Tx, contactId: ContactId, pageNumber: number) {
  const values: unknown[] = [ctx.companyId, contactId];
  const placeholder = (value: unknown): string => `$${values.push(value)}`;
  const visible = visibleToCaller(ctx, placeholder);
  const text = pageText(readableNotes(ctx, placeholder), visible, values.length);
  return readPage(pageNumber, pageSizes.contactNotes, (limit, offset) =>
    tx.query<NoteRow & { total: number }>({ name: "", text }, [...values, limit, offset]),
  );
}

/** Whether the caller may read a note `n` of a visible ticket `t`. */
function readableNotes(ctx: UserCtx, placeholder: (value: unknown) => string): string {
  const reader = readerOf(ctx);
  if (reader === null) return "true";
  const user = placeholder(reader.userId);
  const given = { ticketUser: "t.user_id", ticketQueue: "t.queue_id" };
  const queues = placeholder(reader.queueIds);
  return `(n.user_id = ${user} or ${readableCondition("n", { ...given, queues, user })})`;
}

/** Limit and offset follow the `given` values. */
const pageText = (readable: string, visible: string, given: number): string => `
select ${noteColumns}, count(*) over ()::int as total
from tickets t
join ticket_notes n on n.company_id = $1 and n.ticket_id = t.id ${noteJoins}
where t.company_id = $1 and t.contact_id = $2 and n.deleted_at is null and ${visible} and ${readable}
order by n.id desc limit $${given + 1} offset $${given + 2}`;
