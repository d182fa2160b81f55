import type { ContactEvent } from "../../../channels/port.ts";
import type { ConnectionRef } from "../../../channels/runtime/index.ts";
import type { Ctx } from "../../../platform/context.ts";
import { systemCtx } from "../../../platform/context.ts";
import type { Tx } from "../../../platform/db/database.ts";
import type { Clock } from "../../../platform/sources.ts";
import type { ContactService, Person, TicketsOfPeople } from "../../contacts/index.ts";
import { keyedAddresses } from "../../contacts/index.ts";
import type { MovedMessages, TicketEvents, TicketRow } from "../../tickets/index.ts";
import { joinTickets, tellTicketsOf } from "../../tickets/index.ts";
import type { MessageEvents } from "../events.ts";
import { findMessages } from "../message-repository.ts";
import type { ShowNumberChange } from "../number-changes.ts";

export type TicketsOfPeopleDeps = {
  clock: Clock;
  ticketEvents: TicketEvents;
  events: MessageEvents;
  showNumberChange: ShowNumberChange;
};

/**
 * The tickets of people who turn out to be one, for a transaction. Whoever has the ticket that stays open sees the newest
 * messages of the other come to it, as history, as far as they are of its queue.
 */
export function createTicketsOfPeople(deps: TicketsOfPeopleDeps) {
  const { clock, ticketEvents, events, showNumberChange } = deps;
  return (ctx: Ctx, tx: Tx): TicketsOfPeople => {
    let moved: readonly MovedMessages[] = [];

    async function tellMoved(tickets: readonly TicketRow[]): Promise<void> {
      const rows = await findMessages(
        ctx,
        tx,
        moved.flatMap(({ messageIds }) => messageIds),
      );
      for (const message of rows) {
        const ticket = tickets.find(({ id }) => id === message.ticketId);
        const { messageQueueId } = message;
        if (!ticket || (messageQueueId !== null && messageQueueId !== ticket.queueId)) continue;
        events.created(tx, { message, ticket, isHistory: true });
      }
    }

    return {
      async join(keep, drop) {
        moved = await joinTickets(ctx, tx, ticketEvents, { keep, drop }, clock.now());
      },
      numberChanged: (keep, change) => showNumberChange(ctx, tx, keep, change),
      async tell(keep) {
        const tickets = await tellTicketsOf(ctx, tx, ticketEvents, keep);
        if (moved.length > 0) await tellMoved(tickets);
        moved = [];
      },
    };
  };
}

export type TicketsOf = ReturnType<typeof createTicketsOfPeople>;

/**
 * What the network tells about people without a message: that addresses are one person's, and what he calls himself.
 * Somebody whom nobody has written with gets no contact by it. The same event twice changes nothing.
 */
export function createPeople({
  contacts,
  ticketsOf,
}: {
  contacts: ContactService;
  ticketsOf: TicketsOf;
}) {
  return async (tx: Tx, { companyId }: ConnectionRef, event: ContactEvent): Promise<void> => {
    const ctx = systemCtx(companyId, "channel", "contact");
    const person = personOf(event);
    if (person.addresses.length === 0) return;
    const tickets = ticketsOf(ctx, tx);
    const contact = await contacts.learn(ctx, tx, person, tickets);
    const [to] = event.peer.addresses;
    if (contact && to && event.isNewNumber) {
      await contacts.move(ctx, tx, contact, { person, number: to.value, tickets });
    }
  };
}

/** A group has the one address and its subject; a person has no group's. */
function personOf({ chat, peer }: ContactEvent): Person {
  const isGroup = chat.kind === "group";
  const addresses = isGroup
    ? [chat]
    : [chat, ...peer.addresses].filter(({ kind }) => kind !== "group");
  return { addresses: keyedAddresses(addresses), isGroup, pushName: peer.displayName };
}
