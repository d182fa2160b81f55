import type { SessionUser, Ticket, TicketOrder, TicketStatus } from "@balcao/contract";
import { seesTicketsWithoutQueue } from "@balcao/contract/permissions";
import { useMemo, useState } from "react";
import { seesAllTickets } from "../../auth/index.ts";
import type { TextStorage } from "../../messages/index.ts";
import type { ListFilter } from "./list-filter.ts";
import { passesFilter, wireParts } from "./list-filter.ts";

/** The fields of the viewer that decide the contents of lists. */
export type Viewer = Readonly<{
  userId: number;
  /** Sees every ticket of the company. */
  isAdmin: boolean;
  queueIds: readonly number[];
  seesTicketsWithoutQueue: boolean;
}>;

/** What a list shows: a status, own or all tickets, and what the user has narrowed it to. */
export type TicketView = Readonly<{
  /** Null: all statuses, for a search. */
  status: TicketStatus | null;
  showAll: boolean;
  filter: ListFilter;
  /** The words of a search over all states, in lower case, as the server expects; null for a list of one status. */
  search: string | null;
  /** By newest activity, or by longest wait. */
  order: TicketOrder;
  viewer: Viewer;
}>;

/** The lists of the screen. */
export type ListTab = TicketStatus | "search";

/** The signed-in user as the viewer of lists. */
export function viewerOf(user: SessionUser): Viewer {
  return {
    userId: user.id,
    isAdmin: seesAllTickets(user),
    queueIds: user.queues.map((queue) => queue.id),
    seesTicketsWithoutQueue: seesTicketsWithoutQueue(user.allTicket),
  };
}

/**
 * True if the server lists the ticket in this view (wire-contract 5.6.1 and 4.4). A resolved ticket has lost its user
 * and queue; where they decide, only the server knows: "unknown".
 */
export function belongsTo(view: TicketView, ticket: Ticket): boolean | "unknown" {
  // Only the server knows if the words still match and who may read them.
  if (view.search !== null) return "unknown";
  if (ticket.status !== view.status || !passesFilter(view.filter, ticket)) return false;
  if (ticket.status === "closed") {
    const { queueIds, userIds } = view.filter;
    const isWhole = queueIds.length === 0 && userIds.length === 0;
    return view.viewer.isAdmin && isWhole ? true : "unknown";
  }
  if (!isInListedQueues(view, ticket)) return false;
  const { userId, queueId } = ticket;
  const { viewer } = view;
  const isServed = ticket.status === "open" && userId !== null;
  if (isServed) return userId === viewer.userId || (viewer.isAdmin && view.showAll);
  if (viewer.isAdmin || queueId !== null) return true;
  return ticket.status === "pending" && viewer.seesTicketsWithoutQueue;
}

/** The query of a view without the status. */
export function wireFilter(view: TicketView) {
  // A search finds tickets that are put off, too.
  const isLiving = view.status === "open" || view.status === "pending";
  return {
    snoozed: view.filter.isSnoozed || isLiving ? (`${view.filter.isSnoozed}` as const) : undefined,
    searchParam: view.search || undefined,
    showAll: view.showAll ? ("true" as const) : ("false" as const),
    ...wireParts(view.filter),
  };
}

/**
 * Tickets of the selected queues or without a queue. Agents see only their own queues, and their own tickets of the
 * others, which no selection hides.
 */
function isInListedQueues(view: TicketView, ticket: Ticket): boolean {
  const { queueId } = ticket;
  const { queueIds } = view.filter;
  if (queueId === null) return true;
  const { isAdmin, userId } = view.viewer;
  const isElsewhere = !isAdmin && !view.viewer.queueIds.includes(queueId);
  if (isElsewhere) return ticket.userId === userId;
  return queueIds.length === 0 || queueIds.includes(queueId);
}

/** The user's last choices for the lists on this device. */
export type ListChoices = Readonly<{
  showAll: boolean;
  /** Empty: all queues. */
  queueIds: readonly number[];
  /** Of the lists in which customers wait. */
  orders: Readonly<Record<WaitingTab, TicketOrder>>;
}>;

/** The lists whose order the user chooses. */
export type WaitingTab = "open" | "pending";

/** Those who wait are asked for by their wait. */
const defaultOrders: ListChoices["orders"] = { open: "activity", pending: "wait" };

const keyOf = (userId: number): string => `balcao.list.${userId}`;

export function readListChoices(storage: TextStorage, userId: number): ListChoices {
  let stored: unknown;
  try {
    stored = JSON.parse(storage.getItem(keyOf(userId)) ?? "null");
  } catch {
    stored = null; // written by something else
  }
  const known: Record<string, unknown> = { ...(typeof stored === "object" ? stored : null) };
  const orders = { ...defaultOrders };
  for (const [tab, order] of Object.entries({ ...(known["orders"] ?? null) })) {
    if (isWaitingTab(tab) && (order === "wait" || order === "activity")) orders[tab] = order;
  }
  return { showAll: known["showAll"] === true, queueIds: storedIds(known["queueIds"]), orders };
}

export function keepListChoices(storage: TextStorage, userId: number, choices: ListChoices): void {
  storage.setItem(keyOf(userId), JSON.stringify(choices));
}

export const isWaitingTab = (tab: string): tab is WaitingTab => tab === "open" || tab === "pending";

const viewsKey = (userId: number): string => `balcao.views.${userId}`;

/** Whether the strip of saved views stood there at the last visit, so that its place is kept from the start. */
export const readHasViews = (userId: number): boolean =>
  localStorage.getItem(viewsKey(userId)) === "true";

export function keepHasViews(userId: number, hasViews: boolean): void {
  localStorage.setItem(viewsKey(userId), String(hasViews));
}

/** The choices of the signed-in user, stored on this device. */
export function useListChoices(userId: number): [ListChoices, (next: ListChoices) => void] {
  const [choices, setChoices] = useState(() => readListChoices(localStorage, userId));
  function choose(next: ListChoices): void {
    setChoices(next);
    keepListChoices(localStorage, userId, next);
  }
  return [choices, choose];
}

function storedIds(value: unknown): readonly number[] {
  return Array.isArray(value) ? value.filter((id): id is number => Number.isInteger(id)) : [];
}

/** The view of each list of the screen, by the user's choices. */
export function useTicketViews(
  user: SessionUser,
  { choices, mayShowAll }: { choices: Omit<ListChoices, "queueIds">; mayShowAll: boolean },
  filter: ListFilter,
  search: string,
): Readonly<Record<ListTab, TicketView>> {
  const { showAll, orders } = choices;
  return useMemo(() => {
    const common = { filter, viewer: viewerOf(user), search: null, order: "activity" } as const;
    const view = (status: "open" | "pending" | "closed"): TicketView => ({
      ...common,
      status,
      ...(status === "closed" ? {} : { order: orders[status] }),
      showAll: mayShowAll && showAll,
    });
    return {
      open: view("open"),
      pending: view("pending"),
      closed: view("closed"),
      // A search covers everything that the user may see.
      search: { ...common, status: null, showAll: mayShowAll, search },
    };
  }, [user, showAll, orders, mayShowAll, filter, search]);
}
