import type { AgentState, ConnectionId, TicketId } from "@balcao/contract";
import type { Address, TransientEvent } from "../../channels/port.ts";
import type { ConnectionRef } from "../../channels/runtime/index.ts";
import type { Ctx } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import { keyedAddresses } from "../contacts/index.ts";
import { ticketRooms } from "../tickets/index.ts";
import type { MessagesDeps } from "./deps.ts";
import { contactAddress } from "./outgoing.ts";
import type { TicketOfMessage } from "./stored-messages.ts";

type PresenceEvent = Extract<TransientEvent, { type: "presence" }>;

/** Publishes a customer's presence to the users who see its ticket (wire-contract 7.4). */
export async function tellPresence(
  { realtime }: Pick<MessagesDeps, "realtime">,
  tx: Tx,
  { companyId, connectionId }: ConnectionRef,
  event: PresenceEvent,
): Promise<void> {
  const addresses = keyedAddresses([event.chat, ...event.peer.addresses]);
  const [ticket] = await tx.query<TicketOfMessage>(ticketStatement, [
    companyId,
    connectionId,
    addresses.map((address) => address.kind),
    addresses.map((address) => address.key),
  ]);
  if (!ticket) return;
  tx.onCommit(() => {
    const payload = { ticketId: ticket.id, presence: event.state };
    realtime.publish(companyId, "presence", payload, ticketRooms(ticket));
  });
}

const ticketStatement = {
  name: "messages.ticket-of-chat",
  text: `
select t.id, t.company_id as "companyId", t.status, t.user_id as "userId", t.queue_id as "queueId",
  t.served_user_id as "servedByUserId", t.served_queue_id as "servedByQueueId"
from unnest($3::text[], $4::text[]) as wanted(kind, key)
join contact_addresses a on a.company_id = $1 and a.kind = wanted.kind and a.key = wanted.key
join tickets t on t.company_id = $1 and t.contact_id = a.contact_id and t.connection_id = $2
limit 1`,
};

type TypingDeps = {
  db: Database;
  log: Logger;
  /** Tells the chat network. */
  tell: (typing: { connectionId: ConnectionId; chat: Address; isTyping: boolean }) => void;
};

type Chat = { connectionId: ConnectionId; chat: Address };
type Typists = { windowIds: Set<string>; chat: Promise<Chat | null> };

/**
 * Shows customers that a user types, while at least one window types in the ticket. Repeated with each report of a
 * window, because the network forgets it; nothing is stored.
 */
export function createTyping({ db, log, tell }: TypingDeps) {
  /** Tickets in which windows connected to this process type. */
  const typing = new Map<TicketId, Typists>();

  function send({ chat }: Typists, ticketId: TicketId, isTyping: boolean): void {
    chat.then(
      (found) => found && tell({ ...found, isTyping }),
      (error: unknown) => log.warn({ err: error, ticketId }, "typing was not told"),
    );
  }

  async function findChat(ctx: Ctx, ticketId: TicketId): Promise<Chat | null> {
    const [row] = await db.read<Chat | { chat: null }>(ctx, chatStatement, [
      ctx.companyId,
      ticketId,
    ]);
    return row && row.chat !== null ? row : null;
  }

  /** Handles the state of an agent's window in a ticket that it may see. */
  return (ctx: Ctx, viewing: { ticketId: TicketId; windowId: string; state: AgentState }): void => {
    const { ticketId, windowId, state } = viewing;
    const present = typing.get(ticketId);
    if (state === "typing" || state === "recording") {
      const typists = present ?? { windowIds: new Set(), chat: findChat(ctx, ticketId) };
      typists.windowIds.add(windowId);
      typing.set(ticketId, typists);
      send(typists, ticketId, true);
      return;
    }
    if (!present?.windowIds.delete(windowId) || present.windowIds.size > 0) return;
    typing.delete(ticketId);
    send(present, ticketId, false);
  };
}

const chatStatement = {
  name: "messages.typing-chat",
  text: `
select t.connection_id as "connectionId", ${contactAddress("t")} as chat
from tickets t where t.company_id = $1 and t.id = $2 and t.connection_id is not null`,
};
