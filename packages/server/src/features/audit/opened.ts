import type { TicketId, UserId } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { Clock } from "../../platform/sources.ts";
import { note } from "./note.ts";

const HOUR_MS = 3_600_000;
/** Marks that a process remembers; one that is forgotten costs a statement, not a second entry. */
const REMEMBERED = 20_000;

type OpenedTicket = {
  id: TicketId;
  userId: UserId | null;
  /** The last user of a closed one. */
  servedByUserId: UserId | null;
  contactId: number;
  contactName: string;
};

export type OpenedNotes = (tx: Tx, ctx: Ctx, ticket: OpenedTicket) => Promise<void>;

/**
 * Notes that a user reads a conversation that is not the user's own: once for user, ticket and hour. Own conversations and
 * repeated looks cost no statement; another process's look finds the first one's mark in the database.
 */
export function createOpenedNotes({ now }: Clock): OpenedNotes {
  const seen = new Set<string>();
  return async (tx, ctx, { id, userId, servedByUserId, contactId, contactName }) => {
    const { actor, companyId } = ctx;
    if (actor.kind !== "user" || (userId ?? servedByUserId) === actor.userId) return;
    const hour = Math.floor(now().getTime() / HOUR_MS);
    const reader = actor.visitId === undefined ? `${actor.userId}` : `visit-${actor.visitId}`;
    const once = `opened:${reader}:${id}:${hour}`;
    const mark = `${companyId}:${once}`;
    if (seen.has(mark)) return;
    const after = { user_id: userId ?? servedByUserId, contact_id: contactId };
    await note(tx, ctx, { action: "opened", kind: "ticket", id, label: contactName, after, once });
    tx.onCommit(() => {
      if (seen.size >= REMEMBERED) seen.clear();
      seen.add(mark);
    });
  };
}
