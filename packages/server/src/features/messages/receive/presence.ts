import type { TicketId } from "@balcao/contract";
import type { TransientEvent } from "../../../channels/port.ts";
import type { ConnectionRef } from "../../../channels/runtime/handlers.ts";
import type { Tx } from "../../../platform/db/database.ts";
import type { Realtime } from "../../../platform/realtime/hub.ts";
import { keyedAddresses } from "../../contacts/index.ts";
import type { TicketOfMessage } from "../message-repository.ts";
import { ticketRooms } from "../../tickets/index.ts";

export type PresenceEvent = Extract<TransientEvent, { type: "presence" }>;

/** Tells those who see the ticket that its customer types or is there (wire-contract 7.4); nobody, if it has none. */
export function createPresenceTeller(realtime: Realtime) {
  return async (tx: Tx, connection: ConnectionRef, event: PresenceEvent): Promise<void> => {
    const { companyId, connectionId } = connection;
    const addresses = keyedAddresses([event.chat, ...event.peer.addresses]);
    const [ticket] = await tx.query<TicketOfMessage & { id: TicketId }>(ticketStatement, [
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
  };
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
