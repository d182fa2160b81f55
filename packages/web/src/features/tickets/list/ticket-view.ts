import type { SessionUser, Ticket, TicketOrder, TicketStatus } from "@balcao/contract";
import { seesTicketsWithoutQueue } from "@balcao/contract/permissions";
import { useMemo, useState } from "react";
import type { TextStorage } from "../../messages/index.ts";

/** The fields of the viewer that decide the contents of lists. */
export type Viewer = Readonly<{
  userId: number;
  /** Admins see every ticket of the company. */
  isAdmin: boolean;
  queueIds: readonly number[];
  seesTicketsWithoutQueue: boolean;
}>;

/** A search over all states. */
export type SearchWish = Readonly<{
  /** In lower case, as the server expects. */
  text: string;
  tagIds: readonly number[];
  /** Admins only. */
  userIds: readonly number[];
}>;

/** An empty search. */
export const noSearch: SearchWish = { text: "", tagIds: [], userIds: [] };

/** The filter of a list: a status, own or all tickets, and some queues or (null) all visible ones. */
type TicketFilter = Readonly<{
  /** Null: all statuses, for a search. */
  status: TicketStatus | null;
  showAll: boolean;
  queueIds: readonly number[] | null;
  search: SearchWish | null;
  /** By newest activity, or by longest wait. */
  order: TicketOrder;
}>;

/** The lists of the screen. */
export type ListTab = TicketStatus | "search";

export type TicketView = TicketFilter & { viewer: Viewer };

/** The signed-in user as the viewer of lists. */
export function viewerOf(user: SessionUser): Viewer {
  return {
    userId: user.id,
    isAdmin: user.profile === "admin",
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
  if (ticket.status !== view.status) return false;
  if (ticket.status === "closed") {
    return view.viewer.isAdmin && view.queueIds === null ? true : "unknown";
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
  const { search } = view;
  return {
    searchParam: search === null || search.text === "" ? undefined : search.text,
    showAll: view.showAll ? ("true" as const) : ("false" as const),
    queueIds: idList(view.queueIds),
    tags: idList(search?.tagIds ?? null),
    users: idList(search?.userIds ?? null),
  };
}

/** True if there is something to search for. */
export function isSearching({ text, tagIds, userIds }: SearchWish): boolean {
  return text !== "" || tagIds.length > 0 || userIds.length > 0;
}

function idList(ids: readonly number[] | null): string | undefined {
  return ids === null || ids.length === 0 ? undefined : JSON.stringify(ids);
}

/**
 * Tickets of the selected queues or without a queue. Agents see only their own queues, and their own tickets of the
 * others, which no selection hides.
 */
function isInListedQueues(view: TicketView, ticket: Ticket): boolean {
  const { queueId } = ticket;
  if (queueId === null) return true;
  const { isAdmin, queueIds, userId } = view.viewer;
  const isElsewhere = !isAdmin && !queueIds.includes(queueId);
  if (isElsewhere) return ticket.userId === userId;
  return view.queueIds === null || view.queueIds.includes(queueId);
}

/** The user's last choices for the lists on this device. */
export type ListChoices = Readonly<{
  showAll: boolean;
  /** Null: all queues. */
  queueIds: readonly number[] | null;
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

/** The choices of the signed-in user, stored on this device. */
export function useListChoices(userId: number): [ListChoices, (next: ListChoices) => void] {
  const [choices, setChoices] = useState(() => readListChoices(localStorage, userId));
  function choose(next: ListChoices): void {
    setChoices(next);
    keepListChoices(localStorage, userId, next);
  }
  return [choices, choose];
}

function storedIds(value: unknown): readonly number[] | null {
  if (!Array.isArray(value)) return null;
  const ids = value.filter((id): id is number => Number.isInteger(id));
  return ids.length > 0 ? ids : null;
}

/** The view of each list of the screen, by the user's choices. */
export function useTicketViews(
  user: SessionUser,
  { choices, mayShowAll }: { choices: ListChoices; mayShowAll: boolean },
  search: SearchWish,
): Readonly<Record<ListTab, TicketView>> {
  return useMemo(() => {
    const { queueIds, orders } = choices;
    const common = { queueIds, viewer: viewerOf(user), search: null, order: "activity" } as const;
    const view = (status: "open" | "pending" | "closed"): TicketView => ({
      ...common,
      status,
      ...(status === "closed" ? {} : { order: orders[status] }),
      showAll: mayShowAll && choices.showAll,
    });
    return {
      open: view("open"),
      pending: view("pending"),
      closed: view("closed"),
      // A search covers everything that the user may see.
      search: { ...common, status: null, showAll: mayShowAll, search },
    };
  }, [user, choices, mayShowAll, search]);
}
