import type { ContactId, TicketId } from "@balcao/contract";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { MediaKey } from "../../platform/media/media-store.ts";
import type { Clock } from "../../platform/sources.ts";
import type { MediaFiles } from "../media/index.ts";
import type { TicketEvents } from "./events.ts";
import { lockTicket } from "./repository.ts";
import type { TicketRow } from "./ticket-row.ts";

/** Messages that one statement deletes: with what hangs on them they stay far below the time a statement may take. */
const MESSAGES_AT_ONCE = 2_000;

export type DeletionDeps = {
  db: Database;
  clock: Clock;
  events: TicketEvents;
  files: Pick<MediaFiles, "removeUnused">;
};

export function createDeletion({ db, clock, events, files }: DeletionDeps) {
  /**
   * Removes a locked ticket with its messages, what of them was still to be sent, notes, drafts and tags. Its attendances
   * stay, finished, without it: they are the company's figures. Its files follow after the commit; what is not removed then,
   * the sweep finds.
   */
  async function removeLocked(ctx: Ctx, tx: Tx, ticket: TicketRow): Promise<void> {
    const given = [ctx.companyId, ticket.id];
    await tx.query(finishStatement, [...given, clock.now()]);
    for (let deleted = MESSAGES_AT_ONCE; deleted === MESSAGES_AT_ONCE;) {
      const rows = await tx.query<{ keys: MediaKey[] | null }>(messagesStatement, given);
      deleted = rows.length;
      const keys = rows.flatMap((row) => row.keys ?? []);
      if (keys.length > 0) tx.onCommit(() => void files.removeUnused(ctx.companyId, keys));
    }
    await tx.query(ticketStatement, given);
    events.removed(tx, ticket);
  }

  return {
    async remove(ctx: UserCtx, id: TicketId): Promise<{ message: string }> {
      await db.transaction(ctx, async (tx) => {
        const ticket = await lockTicket(ctx, tx, id);
        if (!ticket) throw new DomainError("ERR_NO_TICKET_FOUND");
        await removeLocked(ctx, tx, ticket);
      });
      return { message: "ticket deleted" };
    },

    /** Removes every ticket of a contact that is about to be deleted. */
    async removeOfContact(ctx: Ctx, tx: Tx, contactId: ContactId): Promise<void> {
      const rows = await tx.query<{ id: TicketId }>(ofContactStatement, [ctx.companyId, contactId]);
      for (const { id } of rows) {
        const ticket = await lockTicket(ctx, tx, id);
        if (ticket) await removeLocked(ctx, tx, ticket);
      }
    },
  };
}

export type Deletion = ReturnType<typeof createDeletion>;

const finishStatement = {
  name: "tickets.finish-attendance",
  text: `
update attendances set finished_at = $3 where company_id = $1 and ticket_id = $2 and finished_at is null`,
};

const messagesStatement = {
  name: "tickets.delete-messages",
  text: `
delete from messages m where company_id = $1 and id in (
  select id from messages where company_id = $1 and ticket_id = $2 limit ${MESSAGES_AT_ONCE})
returning (
  select array_remove(array[f.file_key, f.thumbnail_key], null) from message_media f
  where f.company_id = m.company_id and f.message_id = m.id) as keys`,
};

const ticketStatement = {
  name: "tickets.delete",
  text: "delete from tickets where company_id = $1 and id = $2",
};

const ofContactStatement = {
  name: "tickets.ids-of-contact",
  text: "select id from tickets where company_id = $1 and contact_id = $2 order by id",
};
