import type { Ticket } from "@balcao/contract";
import { call } from "../../../api/client.ts";
import { queryClient } from "../../../api/query-client.ts";
import { createEventJournal } from "../../../realtime/live.ts";
import { batchPerFrame, useCompanyEvent, useRoom } from "../../../realtime/index.ts";
import type { TicketEvent, TicketPages } from "./ticket-pages.ts";
import { applyTicketEvent, newerTicket, withAck, withCount, withQueue } from "./ticket-pages.ts";
import type { TicketView } from "./ticket-view.ts";
import { wireFilter } from "./ticket-view.ts";

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
  return missed.reduce(
    (pages, event) => applyTicketEvent(pages, event, view),
    reply(loadedList(view)),
  );
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
    if (view.search !== null || view.status === "closed" || asked.has(filter)) continue;
    asked.add(filter);
    void count(view);
  }
}

async function count(view: TicketView): Promise<void> {
  const { showAll, queueIds } = wireFilter(view);
  const query = { showAll, queueIds };
  const { missed, reply } = await journal
    .during(() => call("GET /tickets/counts", { query }))
    // Without an answer the number stays as near as it is; the next change or reconnection asks again.
    .catch(() => ({ missed: [], reply: null }));
  if (reply === null) return;
  for (const status of ["open", "pending"] as const) {
    queryClient.setQueryData<TicketPages>(listKey({ ...view, status }), (pages) =>
      pages ? withCount(pages, reply[status]) : pages,
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
