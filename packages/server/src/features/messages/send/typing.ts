import type { AgentState, ConnectionId, TicketId } from "@balcao/contract";
import type { Address } from "../../../channels/port.ts";
import type { Ctx } from "../../../platform/context.ts";
import type { Database } from "../../../platform/db/database.ts";
import type { Logger } from "../../../platform/logging/logger.ts";
import { contactAddress } from "./send-repository.ts";

export type TypingDeps = {
  db: Database;
  log: Logger;
  /** Tells the chat network. */
  tell: (typing: { connectionId: ConnectionId; chat: Address; isTyping: boolean }) => void;
};

type Chat = { connectionId: ConnectionId; chat: Address };
type Writers = { windowIds: Set<string>; chat: Promise<Chat | null> };

/**
 * Tells customers that somebody of the company writes to them: while at least one window writes in the ticket. Repeated
 * as often as the windows say so, because the network forgets it by itself; nothing is stored.
 */
export function createTyping({ db, log, tell }: TypingDeps) {
  /** Tickets in which windows connected to this process write. */
  const writing = new Map<TicketId, Writers>();

  function say({ chat }: Writers, ticketId: TicketId, isTyping: boolean): void {
    chat.then(
      (found) => found && tell({ ...found, isTyping }),
      (error: unknown) => log.warn({ err: error, ticketId }, "typing was not told"),
    );
  }

  async function findChat(ctx: Ctx, ticketId: TicketId): Promise<Chat | null> {
    const [row] = await db.transaction(ctx, (tx) =>
      tx.query<Chat | { chat: null }>(chatStatement, [ctx.companyId, ticketId]),
    );
    return row && row.chat !== null ? row : null;
  }

  /** What a window of an agent does with a ticket that it may see. */
  return (ctx: Ctx, viewing: { ticketId: TicketId; windowId: string; state: AgentState }): void => {
    const { ticketId, windowId, state } = viewing;
    const present = writing.get(ticketId);
    if (state === "typing" || state === "recording") {
      const writers = present ?? { windowIds: new Set(), chat: findChat(ctx, ticketId) };
      writers.windowIds.add(windowId);
      writing.set(ticketId, writers);
      say(writers, ticketId, true);
      return;
    }
    if (!present?.windowIds.delete(windowId) || present.windowIds.size > 0) return;
    writing.delete(ticketId);
    say(present, ticketId, false);
  };
}

const chatStatement = {
  name: "messages.typing-chat",
  text: `
select t.connection_id as "connectionId", ${contactAddress("t")} as chat
from tickets t where t.company_id = $1 and t.id = $2 and t.connection_id is not null`,
};
