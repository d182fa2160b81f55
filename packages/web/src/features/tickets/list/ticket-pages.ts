import type { ListedTicket, Ticket, TicketOrder } from "@balcao/contract";
import { pageSizes } from "@balcao/contract/limits";
import { skipToken, useQuery } from "@tanstack/react-query";
import { call } from "../../../api/client.ts";
import { queryClient } from "../../../api/query-client.ts";
import { batchPerFrame, useCompanyEvent, useRoom } from "../../../realtime/index.ts";
import { createEventJournal } from "../../../realtime/live.ts";
import { queueOf } from "./card-texts.ts";
import type { TicketView } from "./ticket-view.ts";
import { belongsTo, wireFilter } from "./ticket-view.ts";

/** The loaded beginning of a list of tickets. */
export type TicketPages = Readonly<{
  /** In the view's order (`isBefore`). */
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
  /** The user has pinned it in another window, or removed the pin. */
  | Readonly<{ action: "pin"; ticketId: number; isPinned: boolean }>
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
  if (event.action === "pin") return applyPin(pages, event, view);
  if (event.action === "queue") {
    const { queue } = event;
    if (!pages.tickets.some((ticket) => queueOf(ticket)?.id === queue.id)) return pages;
    const tickets = pages.tickets.map((ticket) => ({
      ...ticket,
      ...withQueue(ticket, queue),
    }));
    return { ...pages, tickets };
  }
  const isReadNow = event.action === "updateUnread";
  if (isReadNow && view.search === null && view.filter.isUnread) {
    return remove(pages, event.ticketId);
  }
  return change(pages, event.ticketId, (ticket) =>
    event.action === "ack" ? withAck(ticket, event) : { ...ticket, unreadMessages: 0 },
  );
}

/** The ticket as an acknowledgement of one of its messages leaves it: only its last message stands on the card. */
function withAck(
  ticket: Ticket,
  event: { messageAt: string; ack: number; isFailed: boolean; isUnconfirmed: boolean },
): Ticket {
  if (!ticket.lastMessageFromMe || ticket.lastMessageAt !== event.messageAt) return ticket;
  const lastMessageAck = Math.max(ticket.lastMessageAck, event.ack);
  const { isFailed: lastMessageFailed, isUnconfirmed: lastMessageUnconfirmed } = event;
  return { ...ticket, lastMessageAck, lastMessageFailed, lastMessageUnconfirmed };
}

/** The ticket with its queue as it is called now. */
function withQueue(ticket: Ticket, queue: NonNullable<Ticket["queue"]>): Ticket {
  if (ticket.servedQueue?.id === queue.id) return { ...ticket, servedQueue: queue };
  return ticket.queueId === queue.id ? { ...ticket, queue } : ticket;
}

/** The newer version of a ticket; null when `incoming` is older than what is known. */
function newerTicket(known: Ticket, incoming: Ticket): Ticket | null {
  if (incoming.updatedAt < known.updatedAt) return null;
  const isSameMessage = known.lastMessageAt === incoming.lastMessageAt;
  if (!isSameMessage || incoming.lastMessageAck >= known.lastMessageAck) return incoming;
  return { ...incoming, lastMessageAck: known.lastMessageAck };
}

/** The list after its first pages were read from the server, in order. */
export function pagesOf(read: readonly TicketPage[], order: TicketOrder = "activity"): TicketPages {
  const last = read.at(-1);
  const tickets = sorted(
    read.flatMap((page) => page.tickets),
    order,
  );
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
export function addPage(
  pages: TicketPages,
  page: TicketPage,
  order: TicketOrder = "activity",
): TicketPages {
  const tickets = sorted([...pages.tickets, ...page.tickets], order);
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
  // Events know nothing of a search and of the user's pins; these stand as they were.
  const isPinned = known?.isPinned ?? (hasPins(view) && knownPins().has(newer.id));
  const ticket = { ...newer, hit: known?.hit ?? null, isPinned };
  const belongs = belongsTo(view, ticket);
  // A ticket that leaves a view is announced by `delete` first, so this one was not counted here.
  if (belongs === false) return known ? remove(pages, ticket.id) : pages;
  if (belongs === "unknown" && !known) {
    // A search is as the server answered it: nobody reads results that run away.
    return view.search === null ? { ...pages, mustReload: true } : pages;
  }

  const others = known ? pages.tickets.filter((other) => other.id !== ticket.id) : pages.tickets;
  const at = others.findIndex((other) => isBefore(ticket, other, view.order));
  const isBelowLoaded = at === -1;
  // It fell behind tickets that are not loaded, like one whose customer waits no longer.
  const isLost = known !== undefined && isBefore(known, ticket, view.order);
  if (isBelowLoaded && isLost && pages.hasMore) {
    return { ...pages, tickets: others, mustReload: pages.mustReload || others.length === 0 };
  }
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
  return { ...pages, tickets: pages.tickets.with(index, { ...known, ...make(known) }) };
}

/** Only lists of tickets that wait or are served have the pinned ones first. */
const hasPins = ({ status }: TicketView): boolean => status === "open" || status === "pending";

function applyPin(
  pages: TicketPages,
  { ticketId, isPinned }: { ticketId: number; isPinned: boolean },
  view: TicketView,
): TicketPages {
  if (!hasPins(view)) return pages;
  const known = pages.tickets.find(({ id }) => id === ticketId);
  // One that is not loaded may be below.
  if (!known) return isPinned && pages.hasMore ? { ...pages, mustReload: true } : pages;
  if (known.isPinned === isPinned) return pages;
  const others = pages.tickets.filter(({ id }) => id !== ticketId);
  return { ...pages, tickets: sorted([...others, { ...known, isPinned }], view.order) };
}

function sorted(tickets: readonly ListedTicket[], order: TicketOrder): readonly ListedTicket[] {
  const byId = new Map<number, ListedTicket>();
  for (const ticket of tickets) {
    const known = byId.get(ticket.id);
    if (!known || ticket.updatedAt > known.updatedAt) byId.set(ticket.id, ticket);
  }
  return [...byId.values()].sort((a, b) => (isBefore(a, b, order) ? -1 : 1));
}

/** Pinned ones first. By wait: the longest first, then those of whom nobody waits. Then newest change first, then the higher id. */
function isBefore(a: ListedTicket, b: ListedTicket, order: TicketOrder): boolean {
  if (a.isPinned !== b.isPinned) return a.isPinned;
  if (order === "wait" && a.waitingSince !== b.waitingSince) {
    if (a.waitingSince === null) return false;
    return b.waitingSince === null || a.waitingSince < b.waitingSince;
  }
  return a.updatedAt === b.updatedAt ? a.id > b.id : a.updatedAt > b.updatedAt;
}

const pinsKey = ["tickets", "pins"] as const;
queryClient.setQueryDefaults(pinsKey, { gcTime: Number.POSITIVE_INFINITY });

const noPins: ReadonlySet<number> = new Set();

/** The user's pinned tickets, as far as lists and events have told. */
function knownPins(): ReadonlySet<number> {
  return queryClient.getQueryData<ReadonlySet<number>>(pinsKey) ?? noPins;
}

function rememberPins(ids: readonly number[]): void {
  const known = knownPins();
  if (ids.some((id) => !known.has(id))) {
    queryClient.setQueryData(pinsKey, new Set([...known, ...ids]));
  }
}

/** Whether the user has pinned the ticket. */
export function useIsPinned(ticketId: number | undefined): boolean {
  const { data = noPins } = useQuery<ReadonlySet<number>>({
    queryKey: pinsKey,
    queryFn: skipToken,
  });
  return ticketId !== undefined && data.has(ticketId);
}

const listsKey = ["tickets", "list"] as const;
const singlesKey = ["tickets", "one"] as const;

export const listKey = (view: TicketView) => [...listsKey, view] as const;
export const singleKey = (ticketUuid: string) => [...singlesKey, ticketUuid] as const;

/** A burst of changes asks the server once. */
const SETTLE_MS = 1_000;

/** The `update` of a change follows its `delete` directly. */
const ANNOUNCED_AGAIN_MS = 300;

const gone = new Set<number>();
const journal = createEventJournal<TicketEvent>();
let settling: ReturnType<typeof setTimeout> | undefined;

export function loadedList(view: TicketView): TicketPages | undefined {
  return queryClient.getQueryData<TicketPages>(listKey(view));
}

/** A ticket that some list shows already. */
export function listedTicket(ticketUuid: string): Ticket | undefined {
  for (const [, pages] of queryClient.getQueriesData<TicketPages>({ queryKey: listsKey })) {
    const ticket = pages?.tickets.find((one) => one.uuid === ticketUuid);
    if (ticket) return ticket;
  }
  return undefined;
}

/** Writes a live event, or the reply of a change, into every list and opened ticket. */
export function writeTicketEvent(event: TicketEvent): void {
  journal.record(event);
  if (event.action === "pin") {
    const others = [...knownPins()].filter((id) => id !== event.ticketId);
    queryClient.setQueryData(
      pinsKey,
      new Set(event.isPinned ? [...others, event.ticketId] : others),
    );
  }
  for (const view of cachedViews()) {
    // A search finds tickets of all states, and a change of state is a `delete` and an `update`.
    if (event.action === "delete" && view.search !== null) continue;
    writeInto(view, event);
  }
  queryClient.setQueriesData<Ticket>({ queryKey: singlesKey }, (ticket) =>
    ticket ? changedSingle(ticket, event) : ticket,
  );
  if (event.action === "delete") checkSoon(event.ticketId);
  if (event.action === "update") gone.delete(event.ticket.id);
  settleSoon();
}

function writeInto(view: TicketView, event: TicketEvent): void {
  queryClient.setQueryData<TicketPages>(listKey(view), (pages) =>
    pages ? applyTicketEvent(pages, event, view) : pages,
  );
}

/** Runs `load` and applies to what it gives the events that arrived meanwhile. */
export async function withLiveEvents(
  view: TicketView,
  load: () => Promise<(before: TicketPages | undefined) => TicketPages>,
): Promise<TicketPages> {
  const { reply, missed } = await journal.during(load);
  const read = reply(loadedList(view));
  rememberPins(read.tickets.filter(({ isPinned }) => isPinned).map(({ id }) => id));
  return missed.reduce((pages, event) => applyTicketEvent(pages, event, view), read);
}

/** The same for one ticket. */
export async function singleWithLiveEvents(load: () => Promise<Ticket>): Promise<Ticket> {
  const { reply, missed } = await journal.during(load);
  return missed.reduce(changedSingle, reply);
}

function changedSingle(ticket: Ticket, event: TicketEvent): Ticket {
  if (event.action === "delete") return ticket; // whether it may still be seen is asked separately
  if (event.action === "update") {
    return event.ticket.id === ticket.id ? (newerTicket(ticket, event.ticket) ?? ticket) : ticket;
  }
  if (event.action === "queue") return withQueue(ticket, event.queue);
  if (event.action === "pin") return ticket;
  if (event.ticketId !== ticket.id) return ticket;
  return event.action === "ack" ? withAck(ticket, event) : { ...ticket, unreadMessages: 0 };
}

/**
 * A ticket that left our lists is announced again at once where we may still see it. When it is not, the server says
 * whether an opened one has to be left.
 */
function checkSoon(ticketId: number): void {
  gone.add(ticketId);
  setTimeout(() => {
    if (!gone.delete(ticketId)) return;
    for (const view of cachedViews()) {
      if (view.search !== null) writeInto(view, { action: "delete", ticketId });
    }
    void queryClient.invalidateQueries({
      queryKey: singlesKey,
      predicate: (query) => queryClient.getQueryData<Ticket>(query.queryKey)?.id === ticketId,
    });
  }, ANNOUNCED_AGAIN_MS);
}

function cachedViews(): readonly TicketView[] {
  return queryClient
    .getQueriesData<TicketPages>({ queryKey: listsKey })
    .map(([key]) => key[2] as TicketView); // `listKey` is the only writer of these keys
}

function settleSoon(): void {
  if (settling !== undefined) return;
  const mustSettle = cachedViews().some((view) => {
    const pages = loadedList(view);
    return pages !== undefined && (pages.mustCount || pages.mustReload);
  });
  if (mustSettle) settling = setTimeout(settle, SETTLE_MS);
}

/** Asks for what the events left open: the counts of long lists, and the lists that only the server can fill. */
function settle(): void {
  settling = undefined;
  const asked = new Set<string>();
  for (const view of cachedViews()) {
    const pages = loadedList(view);
    // Lists that are not on screen are read again when they are shown.
    const isShown =
      queryClient
        .getQueryCache()
        .find({ queryKey: listKey(view) })
        ?.isActive() ?? false;
    if (!isShown) continue;
    if (pages?.mustReload)
      void queryClient.invalidateQueries({ queryKey: listKey(view), exact: true });
    if (!pages?.mustCount) continue;
    const filter = JSON.stringify(wireFilter(view));
    if (!isCounted(view) || asked.has(filter)) continue;
    asked.add(filter);
    void count(view);
  }
}

/** Lists of tickets that wait or are served, in either order. */
function isCounted(view: TicketView): view is TicketView & { status: "open" | "pending" } {
  return view.search === null && (view.status === "open" || view.status === "pending");
}

async function count(view: TicketView): Promise<void> {
  const { searchParam: _none, ...query } = wireFilter(view);
  const { missed, reply } = await journal
    .during(() => call("GET /tickets/counts", { query }))
    // Without an answer the number stays as near as it is; the next change or reconnection asks again.
    .catch(() => ({ missed: [], reply: null }));
  if (reply === null) return;
  const filter = JSON.stringify(wireFilter(view));
  for (const other of cachedViews()) {
    if (!isCounted(other) || JSON.stringify(wireFilter(other)) !== filter) continue;
    queryClient.setQueryData<TicketPages>(listKey(other), (pages) =>
      pages ? withCount(pages, reply[other.status]) : pages,
    );
  }
  if (missed.length > 0) settleSoon();
}

/** Joins the rooms of the lists and keeps every list and opened ticket current. */
export function useTicketEvents(options: { showsResolved: boolean }): void {
  useRoom({ kind: "notification" });
  useRoom({ kind: "tickets", status: "open" });
  useRoom({ kind: "tickets", status: "pending" });
  useRoom(options.showsResolved ? { kind: "tickets", status: "closed" } : null);

  useCompanyEvent("ticket", (event) => batchPerFrame(() => writeTicketEvent(event)));
  useCompanyEvent("ticketPin", (event) =>
    batchPerFrame(() => writeTicketEvent({ action: "pin", ...event })),
  );
  useCompanyEvent("queue", (event) => {
    if (event.action === "delete") return; // its tickets are told by their own events
    const { id, name, color } = event.queue;
    batchPerFrame(() => writeTicketEvent({ action: "queue", queue: { id, name, color } }));
  });
  useCompanyEvent("appMessage", (event) => {
    batchPerFrame(() => {
      if (event.action === "delete") return; // the ticket's own event tells what stands on the card now
      if (event.ticket) writeTicketEvent({ action: "update", ticket: event.ticket });
      const { message } = event;
      if (!message.fromMe) return;
      writeTicketEvent({
        action: "ack",
        ticketId: message.ticketId,
        messageAt: message.createdAt,
        ack: message.ack,
        isFailed: message.failedCode !== null,
        isUnconfirmed: message.isUnconfirmed,
      });
    });
  });
}
