import type { SessionUser, Ticket, TicketStatus } from "@balcao/contract";
import { seesTicketsWithoutQueue } from "@balcao/contract/permissions";

/** Who looks at a list, as far as its rules ask. */
export type Viewer = Readonly<{
  userId: number;
  /** Admins see every ticket of the company. */
  isAdmin: boolean;
  queueIds: readonly number[];
  seesTicketsWithoutQueue: boolean;
}>;

/** What is searched for, over all states. */
export type SearchWish = Readonly<{
  /** Lower-cased, as the server is asked. */
  text: string;
  tagIds: readonly number[];
  /** Admins only. */
  userIds: readonly number[];
}>;

/** Searches for nothing. */
export const noSearch: SearchWish = { text: "", tagIds: [], userIds: [] };

/** What a list shows: one status, of everybody or not, of some queues or (null) of all that the viewer may see. */
export type TicketFilter = Readonly<{
  /** Null: all of them, as a search has it. */
  status: TicketStatus | null;
  showAll: boolean;
  queueIds: readonly number[] | null;
  search: SearchWish | null;
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
 * Whether the server lists the ticket in this view (wire-contract 5.6.1 and 4.4). A resolved ticket has lost the user and
 * the queue that decide it, so where they matter only the server knows: "unknown".
 */
export function belongsTo(view: TicketView, ticket: Ticket): boolean | "unknown" {
  // Whether the words still stand in it, and who may read them, only the server knows.
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

/** The part of a view that the server is asked with, beside the status. */
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

/** Whether there is something to search for. */
export function isSearching({ text, tagIds, userIds }: SearchWish): boolean {
  return text !== "" || tagIds.length > 0 || userIds.length > 0;
}

function idList(ids: readonly number[] | null): string | undefined {
  return ids === null || ids.length === 0 ? undefined : JSON.stringify(ids);
}

/** Of the selected queues or of none; agents only ever of their own. */
function isInListedQueues(view: TicketView, ticket: Ticket): boolean {
  const { queueId } = ticket;
  if (queueId === null) return true;
  if (view.queueIds !== null && !view.queueIds.includes(queueId)) return false;
  return view.viewer.isAdmin || view.viewer.queueIds.includes(queueId);
}
