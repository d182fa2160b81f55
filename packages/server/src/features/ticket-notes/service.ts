import type { ContactId, NoteId, TicketId, TicketNote } from "@balcao/contract";
import { limits } from "@balcao/contract";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError, hasPermission, requirePermission } from "../../platform/context.ts";
import type { Database } from "../../platform/db/database.ts";
import type { Clock } from "../../platform/sources.ts";
import { requireVisible } from "../tickets/index.ts";
import type { NoteEvents } from "./events.ts";
import { toNoteDto } from "./note-row.ts";
import { deleteNote, findNote, insertNote, listNotes } from "./repository.ts";

export type NoteServiceDeps = { db: Database; clock: Clock; events: NoteEvents };

export function createNoteService({ db, clock, events }: NoteServiceDeps) {
  /** Adds a note to a ticket that the caller may see. */
  async function create(ctx: UserCtx, ticketId: TicketId, note: string): Promise<TicketNote> {
    if (note.length < limits.noteMin) throw new DomainError("ERR_TICKETNOTE_INVALID_NAME");
    return db.transaction(ctx, async (tx) => {
      const added = { ticketId, userId: ctx.actor.userId, note, now: clock.now() };
      const row = requireVisible(ctx, await insertNote(ctx, tx, added));
      events.created(tx, row);
      return toNoteDto(row, shownTo(ctx));
    });
  }

  async function list(
    ctx: UserCtx,
    ticketId: TicketId,
    contactId: ContactId | null,
  ): Promise<TicketNote[]> {
    const rows = await db.transaction(ctx, (tx) => listNotes(ctx, tx, ticketId, contactId));
    requireVisible(ctx, rows[0]);
    return rows.flatMap((row) => (row.noteId === null ? [] : [toNoteDto(row, shownTo(ctx))]));
  }

  /** Removes a note: its author, or who may remove any. */
  async function remove(ctx: UserCtx, id: NoteId): Promise<void> {
    await db.transaction(ctx, async (tx) => {
      const row = await findNote(ctx, tx, id);
      if (!row) throw new DomainError("ERR_NO_TICKETNOTE_FOUND");
      requireVisible(ctx, row);
      if (row.authorId !== ctx.actor.userId) requirePermission(ctx, "notes:delete-any");
      if (!(await deleteNote(ctx, tx, id))) throw new DomainError("ERR_NO_TICKETNOTE_FOUND");
      events.deleted(tx, row);
    });
  }

  return { create, list, remove };
}

const shownTo = (ctx: UserCtx) => ({ knowsEmails: hasPermission(ctx, "users:read-emails") });
