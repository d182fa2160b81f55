import type { SessionUser, Ticket } from "@balcao/contract";
import { pageSizes } from "@balcao/contract/limits";
import { seesTicketsWithoutQueue } from "@balcao/contract/permissions";

/** Tickets with unread messages that are mine or wait, newest first, and how many there are in all. */
export type UnreadTickets = Readonly<{
  tickets: readonly Ticket[];
  count: number;
  /** The count may have drifted: more tickets than are loaded here, and one of those changed. */
  mustCount: boolean;
}>;

export type UnreadEvent =
  | Readonly<{ action: "update"; ticket: Ticket }>
  | Readonly<{ action: "delete" | "updateUnread"; ticketId: number }>;

/** Whether a ticket belongs into the notifications of this user (behaviour 2.15, `withUnreadMessages`). */
export function isNotifiedOf(user: SessionUser, ticket: Ticket): boolean {
  if (ticket.unreadMessages === 0 || ticket.status === "closed") return false;
  if (ticket.status === "open" && ticket.userId !== user.id) return false;
  if (user.profile === "admin") return true;
  if (ticket.queueId === null) {
    return ticket.status === "open" || seesTicketsWithoutQueue(user.allTicket);
  }
  return user.queues.some(({ id }) => id === ticket.queueId);
}

/** What the server sent, as a list that live events can change. */
export function unreadTicketsOf(reply: {
  tickets: readonly Ticket[];
  count: number;
}): UnreadTickets {
  return { tickets: reply.tickets, count: reply.count, mustCount: false };
}

/** Writes one event into the list. Twice is harmless; an older version of a ticket changes nothing. */
export function applyUnreadEvent(
  known: UnreadTickets,
  event: UnreadEvent,
  user: SessionUser,
): UnreadTickets {
  if (event.action !== "update") return without(known, event.ticketId);
  const { ticket } = event;
  const before = known.tickets.find(({ id }) => id === ticket.id);
  if (before && ticket.updatedAt < before.updatedAt) return known;
  if (!isNotifiedOf(user, ticket)) return without(known, ticket.id);
  const others = known.tickets.filter(({ id }) => id !== ticket.id);
  const at = others.findIndex((other) => other.updatedAt < ticket.updatedAt);
  const tickets = others
    .toSpliced(at === -1 ? others.length : at, 0, ticket)
    .slice(0, pageSizes.tickets);
  if (before) return { ...known, tickets };
  // Beyond the loaded ones nobody knows whether it was counted already.
  const isAllLoaded = known.count <= known.tickets.length;
  return { tickets, count: known.count + 1, mustCount: known.mustCount || !isAllLoaded };
}

function without(known: UnreadTickets, ticketId: number): UnreadTickets {
  const tickets = known.tickets.filter(({ id }) => id !== ticketId);
  const isAllLoaded = known.count <= known.tickets.length;
  if (tickets.length < known.tickets.length) {
    return { tickets, count: known.count - 1, mustCount: known.mustCount || !isAllLoaded };
  }
  return isAllLoaded || known.mustCount ? known : { ...known, mustCount: true };
}
