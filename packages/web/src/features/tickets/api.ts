import type { ChangedTicket, Queue, RequestOf, Ticket } from "@balcao/contract";
import { limits, pageSizes } from "@balcao/contract/limits";
import { keepPreviousData, queryOptions, useMutation, useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { oncePainted } from "../../realtime/index.ts";
import { UNDO_ASKED_SECONDS } from "../../ui/undo.tsx";
import { useQueues } from "../queues/index.ts";
import {
  addPage,
  listedTicket,
  listKey,
  loadedList,
  nextPageNumber,
  pagesOf,
  singleKey,
  singleWithLiveEvents,
  withLiveEvents,
  writeTicketEvent,
} from "./list/ticket-pages.ts";
import type { TicketPage, TicketPages } from "./list/ticket-pages.ts";
import type { TicketView, Viewer } from "./list/ticket-view.ts";
import { wireFilter } from "./list/ticket-view.ts";

/** The largest number of pages that are refetched; further ones load by scrolling. */
const REREAD_PAGES_MAX = 10;
/** A search stays in the cache this long after it left the screen, for a step back. */
const FOUND_KEPT_MS = 15_000;

function listQuery(view: TicketView) {
  return queryOptions({
    queryKey: listKey(view),
    queryFn: ({ signal }) => readLoadedPages(view, signal),
    // An unmounted list misses events, so it is refetched at each mount.
    staleTime: 0,
    // Tickets come into a list of long waits by the clock, without an event.
    refetchInterval: view.filter.waitMinutes === null ? false : limits.timeLabelRefreshMs,
    // A ticket that moves up shifts all others, so structural sharing would compare different tickets.
    structuralSharing: false,
    // Each typed word is its own view; live events are applied to all cached views.
    ...(view.search === null ? {} : { gcTime: FOUND_KEPT_MS, placeholderData: keepPreviousData }),
  });
}

/** The tickets of a view, kept current by live events. */
export function useTicketList(view: TicketView, options: { enabled: boolean }) {
  return useQuery({ ...listQuery(view), enabled: options.enabled });
}

/** The number of tickets of a view with unread messages. They come first in both orders, so the loaded ones suffice. */
export function useUnreadTickets(view: TicketView): number {
  const { data } = useQuery({ ...listQuery(view), select: countUnread });
  return data ?? 0;
}

function countUnread(pages: TicketPages): number {
  return pages.tickets.filter((ticket) => ticket.unreadMessages > 0).length;
}

/** Loads the next page of a view. One at a time. */
export function useMoreTickets(view: TicketView) {
  return useMutation({
    scope: { id: `more tickets ${view.status ?? "found"}` },
    mutationFn: async () => {
      const known = loadedList(view);
      if (!known?.hasMore) return;
      // Live changes may have moved all rows of the page up; then the page after it is read.
      for (let number = nextPageNumber(known); ; number += 1) {
        const pages = await withLiveEvents(view, async () => {
          const page = await readPage(view, number);
          return (before) =>
            before ? addPage(before, page, view.order) : pagesOf([page], view.order);
        });
        queryClient.setQueryData<TicketPages>(listKey(view), pages);
        if (!pages.hasMore || pages.tickets.length > known.tickets.length) return;
      }
    },
  });
}

/** One ticket by its public id; available at once if a list has it. */
export function useTicket(ticketUuid: string | undefined) {
  return useQuery({
    queryKey: singleKey(ticketUuid ?? ""),
    queryFn: ({ queryKey, signal }): Promise<Ticket> =>
      oncePainted(queryKey, () =>
        singleWithLiveEvents(() =>
          call(
            "GET /tickets/u/:ticketUuid",
            { params: { ticketUuid: ticketUuid ?? "" } },
            { signal },
          ),
        ),
      ),
    initialData: () => (ticketUuid === undefined ? undefined : listedTicket(ticketUuid)),
    initialDataUpdatedAt: 0,
    staleTime: 0,
    enabled: ticketUuid !== undefined,
  });
}

/** The queues that the viewer can choose: the own ones, for admins all; undefined while unknown. */
export function useChoosableQueues(viewer: Viewer): readonly Queue[] | undefined {
  const queues = useQueues();
  return viewer.isAdmin ? queues : queues?.filter((queue) => viewer.queueIds.includes(queue.id));
}

type TicketChangeBody = RequestOf<"PUT /tickets/:ticketId">["body"];

/** A ticket that was changed, and how to undo that, if it was asked for. */
export type Changed = { ticket: Ticket; undo: ChangedTicket["undo"] };

/** Changes a ticket on the server and, applies the reply on the screen. */
export async function changeTicket(ticketId: number, change: TicketChangeBody): Promise<Changed> {
  return applied(await call("PUT /tickets/:ticketId", { params: { ticketId }, body: change }));
}

function applied({ undo, ...ticket }: ChangedTicket): Changed {
  writeTicketEvent({ action: "update", ticket });
  return { ticket, undo };
}

/** Undoes a change of a ticket. */
export async function undoTicketChange(ticketId: number, undoId: string): Promise<Ticket> {
  const request = { params: { ticketId }, body: { undoId } };
  const ticket = await call("POST /tickets/:ticketId/undo", request);
  writeTicketEvent({ action: "update", ticket });
  return ticket;
}

/** Puts a ticket off until a time, or (null) until its customer writes. */
export async function snoozeTicket(ticketId: number, until: Date | null): Promise<Changed> {
  const body = { until: until?.toISOString() ?? null, undoSeconds: UNDO_ASKED_SECONDS };
  const reply = await call("PUT /tickets/:ticketId/snooze", { params: { ticketId }, body });
  return applied(reply);
}

/** Brings a ticket back that was put off. */
export async function unsnoozeTicket(ticketId: number): Promise<void> {
  const ticket = await call("DELETE /tickets/:ticketId/snooze", { params: { ticketId } });
  writeTicketEvent({ action: "update", ticket });
}

/** Keeps a ticket at the top of the user's own lists, or no longer. */
export async function pinTicket(ticketId: number, isPinned: boolean): Promise<void> {
  const key = isPinned ? "PUT /tickets/:ticketId/pin" : "DELETE /tickets/:ticketId/pin";
  const pin = await call(key, { params: { ticketId } });
  writeTicketEvent({ action: "pin", ...pin });
}

export async function deleteTicket(ticketId: number): Promise<void> {
  await call("DELETE /tickets/:ticketId", { params: { ticketId } });
}

async function readLoadedPages(view: TicketView, signal: AbortSignal): Promise<TicketPages> {
  return withLiveEvents(view, async () => {
    const loaded = loadedList(view)?.tickets.length ?? 0;
    const wanted = Math.ceil(loaded / pageSizes.tickets);
    const length = Math.min(Math.max(wanted, 1), REREAD_PAGES_MAX);
    const pages = await Promise.all(
      Array.from({ length }, (_, index) => readPage(view, index + 1, signal)),
    );
    return () => pagesOf(pages, view.order);
  });
}

function readPage(view: TicketView, number: number, signal?: AbortSignal): Promise<TicketPage> {
  const query = {
    status: view.status ?? undefined,
    pageNumber: String(number),
    order: view.order === "wait" ? view.order : undefined,
    pinnedFirst: "true" as const,
    ...wireFilter(view),
  };
  return call("GET /tickets", { query }, { signal });
}
