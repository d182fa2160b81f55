import type { ListedTicket, Ticket } from "@balcao/contract";
import { pageSizes } from "@balcao/contract/limits";
import type { TicketView } from "./ticket-view.ts";
import { belongsTo } from "./ticket-view.ts";

/** The loaded beginning of a list of tickets. */
export type TicketPages = Readonly<{
  /** Newest change first, then the higher id. */
  tickets: readonly ListedTicket[];
  /** The server has more below. */
  hasMore: boolean;
  /** All tickets of the view. Exact while everything is loaded; else as the server last said, and `mustCount`. */
  count: number;
  /** A change may have concerned tickets that are not loaded: `count` has to be asked for. */
  mustCount: boolean;
  /** Only the server knows whether a changed ticket belongs here: the list has to be read anew. */
  mustReload: boolean;
}>;

/** One page as the server sends it. */
export type TicketPage = Readonly<{
  tickets: readonly ListedTicket[];
  count: number;
  hasMore: boolean;
}>;

/** A change of a ticket: its live event, or the reply to our own change. */
export type TicketEvent =
  | Readonly<{ action: "update"; ticket: Ticket }>
  | Readonly<{ action: "delete"; ticketId: number }>
  | Readonly<{ action: "updateUnread"; ticketId: number }>
  | Readonly<{
      action: "ack";
      ticketId: number;
      messageAt: string;
      ack: number;
      isFailed: boolean;
      isUnconfirmed: boolean;
    }>
  /** A queue has another name or colour. */
  | Readonly<{ action: "queue"; queue: NonNullable<Ticket["queue"]> }>;

/** Writes one event into one list. Twice is harmless; a late one does not undo a newer one. */
export function applyTicketEvent(
  pages: TicketPages,
  event: TicketEvent,
  view: TicketView,
): TicketPages {
  if (event.action === "update") return applyUpdate(pages, event.ticket, view);
  if (event.action === "delete") return remove(pages, event.ticketId);
  if (event.action === "queue") {
    const { queue } = event;
    if (!pages.tickets.some(({ queueId }) => queueId === queue.id)) return pages;
    const tickets = pages.tickets.map((ticket) => ({
      ...withQueue(ticket, queue),
      hit: ticket.hit,
    }));
    return { ...pages, tickets };
  }
  return change(pages, event.ticketId, (ticket) =>
    event.action === "ack" ? withAck(ticket, event) : { ...ticket, unreadMessages: 0 },
  );
}

/** The ticket as an acknowledgement of one of its messages leaves it: only its last message stands on the card. */
export function withAck(
  ticket: Ticket,
  event: { messageAt: string; ack: number; isFailed: boolean; isUnconfirmed: boolean },
): Ticket {
  if (!ticket.lastMessageFromMe || ticket.lastMessageAt !== event.messageAt) return ticket;
  const lastMessageAck = Math.max(ticket.lastMessageAck, event.ack);
  const { isFailed: lastMessageFailed, isUnconfirmed: lastMessageUnconfirmed } = event;
  return { ...ticket, lastMessageAck, lastMessageFailed, lastMessageUnconfirmed };
}

/** The ticket with its queue as it is called now. */
export function withQueue(ticket: Ticket, queue: NonNullable<Ticket["queue"]>): Ticket {
  return ticket.queueId === queue.id ? { ...ticket, queue } : ticket;
}

/** The newer version of a ticket; null when `incoming` is older than what is known. */
export function newerTicket(known: Ticket, incoming: Ticket): Ticket | null {
  if (incoming.updatedAt < known.updatedAt) return null;
  const isSameMessage = known.lastMessageAt === incoming.lastMessageAt;
  if (!isSameMessage || incoming.lastMessageAck >= known.lastMessageAck) return incoming;
  return { ...incoming, lastMessageAck: known.lastMessageAck };
}

/** The list after its first pages were read from the server, in order. */
export function pagesOf(read: readonly TicketPage[]): TicketPages {
  const last = read.at(-1);
  const tickets = sorted(read.flatMap((page) => page.tickets));
  const hasMore = last?.hasMore ?? false;
  return {
    tickets,
    hasMore,
    count: hasMore ? (last?.count ?? 0) : tickets.length,
    mustCount: false,
    mustReload: false,
  };
}

/** Adds a page below; what is loaded already is kept as it is. */
export function addPage(pages: TicketPages, page: TicketPage): TicketPages {
  const tickets = sorted([...pages.tickets, ...page.tickets]);
  const count = page.hasMore ? page.count : tickets.length;
  return { ...pages, tickets, hasMore: page.hasMore, count };
}

/**
 * The page to ask for next. Live changes move tickets between pages, so it follows from how many are loaded, not from
 * how many pages were: rows that moved up are not missed, rows that come twice are dropped by `addPage`.
 */
export function nextPageNumber(pages: TicketPages): number {
  return Math.floor(pages.tickets.length / pageSizes.tickets) + 1;
}

/** Takes over a count that the server gave; a fully loaded list knows better. */
export function withCount(pages: TicketPages, count: number): TicketPages {
  if (!pages.hasMore) return pages.mustCount ? { ...pages, mustCount: false } : pages;
  return { ...pages, count: Math.max(count, pages.tickets.length), mustCount: false };
}

function applyUpdate(pages: TicketPages, incoming: Ticket, view: TicketView): TicketPages {
  const known = pages.tickets.find((ticket) => ticket.id === incoming.id);
  const newer = known ? newerTicket(known, incoming) : incoming;
  if (newer === null) return pages;
  // Events know nothing of a search; what it found stands as it was.
  const ticket = { ...newer, hit: known?.hit ?? null };
  const belongs = belongsTo(view, ticket);
  // A ticket that leaves a view is announced by `delete` first, so this one was not counted here.
  if (belongs === false) return known ? remove(pages, ticket.id) : pages;
  if (belongs === "unknown" && !known) {
    // A search is as the server answered it: nobody reads results that run away.
    return view.search === null ? { ...pages, mustReload: true } : pages;
  }

  const others = known ? pages.tickets.filter((other) => other.id !== ticket.id) : pages.tickets;
  const at = others.findIndex((other) => isBefore(ticket, other));
  const isBelowLoaded = at === -1;
  if (isBelowLoaded && !known && pages.hasMore) return { ...pages, mustCount: true };
  const tickets = others.toSpliced(isBelowLoaded ? others.length : at, 0, ticket);
  if (pages.hasMore) return { ...pages, tickets, mustCount: pages.mustCount || !known };
  return { ...pages, tickets, count: tickets.length };
}

function remove(pages: TicketPages, ticketId: number): TicketPages {
  const tickets = pages.tickets.filter((ticket) => ticket.id !== ticketId);
  const isKnown = tickets.length < pages.tickets.length;
  if (!pages.hasMore) return isKnown ? { ...pages, tickets, count: tickets.length } : pages;
  const count = isKnown ? Math.max(pages.count - 1, tickets.length) : pages.count;
  // An emptied list has no end to scroll to, which would load what is left.
  const mustReload = pages.mustReload || tickets.length === 0;
  return { ...pages, tickets, count, mustCount: true, mustReload };
}

function change(
  pages: TicketPages,
  ticketId: number,
  make: (ticket: Ticket) => Ticket,
): TicketPages {
  const index = pages.tickets.findIndex((ticket) => ticket.id === ticketId);
  const known = pages.tickets[index];
  if (!known) return pages;
  return { ...pages, tickets: pages.tickets.with(index, { ...make(known), hit: known.hit }) };
}

function sorted(tickets: readonly ListedTicket[]): readonly ListedTicket[] {
  const byId = new Map<number, ListedTicket>();
  for (const ticket of tickets) {
    const known = byId.get(ticket.id);
    if (!known || ticket.updatedAt > known.updatedAt) byId.set(ticket.id, ticket);
  }
  return [...byId.values()].sort((a, b) => (isBefore(a, b) ? -1 : 1));
}

function isBefore(a: Ticket, b: Ticket): boolean {
  return a.updatedAt === b.updatedAt ? a.id > b.id : a.updatedAt > b.updatedAt;
}
