import type { ContactId, NoteId, TicketId, UserId } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { TicketSight } from "../tickets/index.ts";
import { sightColumns } from "../tickets/index.ts";
import type { NoteRow } from "./note-row.ts";
import { noteColumns, noteJoins } from "./note-row.ts";

/** A note with what decides who may see its ticket. */
export type SeenNote = NoteRow & TicketSight;

const NOTES_LISTED_MAX = 500;

/**
 * Adds a note to a ticket; undefined when there is no such ticket. It is added before anybody has looked who asks: the
 * caller judges by the row, and rolls back when the actor may not see the ticket.
 */
export async function insertNote(
  ctx: Ctx,
  tx: Tx,
  note: { ticketId: TicketId; userId: UserId; note: string; now: Date },
): Promise<SeenNote | undefined> {
  const values = [ctx.companyId, note.ticketId, note.userId, note.note, note.now];
  const [row] = await tx.query<SeenNote>(insertStatement, values);
  return row;
}

/**
 * The newest notes of a ticket, newest first; one row without note for a ticket that has none, and no row for one that is
 * not there.
 */
export async function listNotes(
  ctx: Ctx,
  tx: Tx,
  ticketId: TicketId,
  contactId: ContactId | null,
): Promise<(SeenNote | (TicketSight & { noteId: null }))[]> {
  return tx.query(listStatement, [ctx.companyId, ticketId, contactId, NOTES_LISTED_MAX]);
}

export async function findNote(ctx: Ctx, tx: Tx, id: NoteId): Promise<SeenNote | undefined> {
  const [row] = await tx.query<SeenNote>(findStatement, [ctx.companyId, id]);
  return row;
}

/** False when somebody else has just removed it. */
export async function deleteNote(ctx: Ctx, tx: Tx, id: NoteId): Promise<boolean> {
  const rows = await tx.query(deleteStatement, [ctx.companyId, id]);
  return rows.length === 1;
}

const insertStatement = {
  name: "ticket-notes.insert",
  text: `
with t as (
  select * from tickets where company_id = $1 and id = $2
), n as (
  insert into ticket_notes (company_id, ticket_id, contact_id, user_id, note, created_at, updated_at)
  select t.company_id, t.id, t.contact_id, $3, $4, $5, $5 from t
  returning *
)
select ${noteColumns}, ${sightColumns}
from n join t on t.id = n.ticket_id ${noteJoins}`,
};

const listStatement = {
  name: "ticket-notes.list",
  text: `
select ${noteColumns}, ${sightColumns}
from tickets t
left join lateral (
  select * from ticket_notes
  where company_id = t.company_id and ticket_id = t.id and ($3::int is null or contact_id = $3)
  order by id desc limit $4
) n on true ${noteJoins}
where t.company_id = $1 and t.id = $2
order by n.id desc`,
};

const findStatement = {
  name: "ticket-notes.find",
  text: `
select ${noteColumns}, ${sightColumns}
from ticket_notes n
join tickets t on t.company_id = n.company_id and t.id = n.ticket_id ${noteJoins}
where n.company_id = $1 and n.id = $2`,
};

const deleteStatement = {
  name: "ticket-notes.delete",
  text: "delete from ticket_notes where company_id = $1 and id = $2 returning id",
};
