import type { Ticket } from "@balcao/contract";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { ApiError, call, hasCode } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { batchPerFrame, useCompanyEvent } from "../../realtime/index.ts";
import { createEventJournal, readAgain } from "../../realtime/live.ts";
import { writeTicketEvent } from "../tickets/index.ts";
import type { Viewer } from "../tickets/index.ts";
import type { Board, BoardFilter, CardEvent } from "./board-data.ts";
import { applyCardEvent, isBehind, withCounts, withMoreCards } from "./board-data.ts";

const boardsKey = ["kanban", "board"] as const;
const journal = createEventJournal<CardEvent>();
/** A burst of changes asks for the counts once. */
const SETTLE_MS = 1_000;

/** Whose board it is, and what it is narrowed to. */
export type BoardOf = Readonly<{ filter: BoardFilter; viewer: Viewer }>;

const keyOf = ({ filter }: BoardOf) => [...boardsKey, filter] as const;

function wireFilter({ words, queueIds, userIds, connectionIds }: BoardFilter) {
  const list = (ids: readonly number[]) => (ids.length === 0 ? undefined : JSON.stringify(ids));
  return {
    searchParam: words === "" ? undefined : words,
    queueIds: list(queueIds),
    users: list(userIds),
    whatsappIds: list(connectionIds),
  };
}

/** The board, kept current by live events while it is shown; `onLaneGone` is told the name of a lane that was deleted. */
export function useBoard(of: BoardOf, onLaneGone: (name: string) => void) {
  const query = useQuery({
    queryKey: keyOf(of),
    // Events of boards that are not shown are missed.
    staleTime: 0,
    gcTime: 60_000,
    structuralSharing: false,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }): Promise<Board> => {
      const { reply, missed } = await journal.during(() =>
        call("GET /kanban", { query: wireFilter(of.filter) }, { signal }),
      );
      const read: Board = { lanes: reply.lanes, mustCount: false };
      return missed.reduce((board, event) => applyCardEvent(board, event, of), read);
    },
  });
  const newest = useRef({ of, onLaneGone });
  useEffect(() => {
    newest.current = { of, onLaneGone };
  });

  function write(event: CardEvent): void {
    batchPerFrame(() => applyToBoard(newest.current.of, event));
  }
  useCompanyEvent("ticket", (event) => {
    // How far a message came is told by the ticket's next event.
    if (event.action !== "ack") write(event);
  });
  useCompanyEvent("appMessage", (event) => {
    if (event.action !== "delete" && event.ticket)
      write({ action: "update", ticket: event.ticket });
  });
  useCompanyEvent("kanban", ({ tagIds }) => {
    write({ action: "order", tagIds });
    // Cards with tags of several lanes may stand in another one now.
    void readAgain({ queryKey: boardsKey });
  });
  useCompanyEvent("tag", (event) => {
    const board = queryClient.getQueryData<Board>(keyOf(newest.current.of));
    const tagId = event.tagId;
    const lane = board?.lanes.find(({ id }) => id === tagId);
    const isGone = event.action === "delete" || event.tag.kanban === 0;
    if (isGone && lane) {
      write({ action: "laneGone", tagId });
      newest.current.onLaneGone(lane.name);
    }
    if (!isGone && lane) write({ action: "lane", tag: event.tag });
    if (isGone ? lane : !lane) void readAgain({ queryKey: boardsKey });
  });
  return query;
}

/** Writes an event, or our own change, into the board. */
function applyToBoard(of: BoardOf, event: CardEvent): void {
  journal.record(event);
  queryClient.setQueryData<Board>(keyOf(of), (board) => board && applyCardEvent(board, event, of));
  countSoon(of);
}

let counting: ReturnType<typeof setTimeout> | undefined;

/** Asks for the counts when an event has left them open. */
function countSoon(of: BoardOf): void {
  const mustCount = queryClient.getQueryData<Board>(keyOf(of))?.mustCount === true;
  if (counting !== undefined || !mustCount) return;
  counting = setTimeout(() => {
    counting = undefined;
    void count(of);
  }, SETTLE_MS);
}

async function count(of: BoardOf): Promise<void> {
  const { reply, missed } = await journal
    .during(() => call("GET /kanban/counts", { query: wireFilter(of.filter) }))
    // Without an answer the numbers stay as near as they are; the next change or reconnection asks again.
    .catch(() => ({ reply: null, missed: [] }));
  if (reply === null) return;
  const board = queryClient.getQueryData<Board>(keyOf(of));
  if (!board) return;
  queryClient.setQueryData<Board>(keyOf(of), withCounts(board, reply.lanes));
  if (missed.length === 0) {
    if (isBehind(board, reply.lanes)) await readAgain({ queryKey: boardsKey });
    return;
  }
  queryClient.setQueryData<Board>(keyOf(of), (board) => board && { ...board, mustCount: true });
  countSoon(of);
}

const loading = new Set<string>();

/** Reads the next cards of a lane. One page at a time. */
export async function loadMoreCards(of: BoardOf, laneId: number | null): Promise<void> {
  const key = JSON.stringify([of.filter, laneId]);
  const board = queryClient.getQueryData<Board>(keyOf(of));
  const last = board?.lanes.find(({ id }) => id === laneId)?.cards.at(-1);
  if (last === undefined || loading.has(key)) return;
  loading.add(key);
  try {
    const place = { laneId: String(laneId ?? 0), before: last.updatedAt, beforeId: last.id };
    const { reply, missed } = await journal.during(() =>
      call("GET /kanban/cards", { query: { ...wireFilter(of.filter), ...place } }),
    );
    queryClient.setQueryData<Board>(keyOf(of), (known) => {
      if (!known) return known;
      const read = withMoreCards(known, laneId, reply.cards);
      const next = missed.reduce((all, event) => applyCardEvent(all, event, of), read);
      // Without a further page the count is what is loaded.
      const isWhole = !reply.hasMore && reply.cards.length === 0;
      return isWhole ? { ...next, mustCount: true } : next;
    });
    countSoon(of);
  } finally {
    loading.delete(key);
  }
}

/** Who moved a card before us, and where it is. */
export type MovedBefore = { by: string | null; lane: { id: number | null; name: string } };

/**
 * Moves a card: at once on the screen, then on the server. Null is success; a refused card is back where it is. Other errors
 * are thrown.
 */
export async function moveCard(
  of: BoardOf,
  move: { ticketId: number; from: number | null; to: number | null },
): Promise<MovedBefore | null> {
  const { ticketId, from, to } = move;
  const board = queryClient.getQueryData<Board>(keyOf(of));
  // On top of its new lane, by the server's clock: the reply is newer.
  const first = board?.lanes.find(({ id }) => id === to)?.cards[0];
  applyToBoard(of, { action: "move", ticketId, to, at: first?.updatedAt ?? "" });
  try {
    const body = { from, to };
    const ticket = await call("PUT /kanban/cards/:ticketId", { params: { ticketId }, body });
    applyToBoard(of, { action: "update", ticket });
    writeTicketEvent({ action: "update", ticket });
    return null;
  } catch (error) {
    // Only the server knows where it is now.
    await readAgain({ queryKey: boardsKey });
    const moved = movedBefore(error);
    if (moved === null) throw error;
    return moved;
  }
}

function movedBefore(error: unknown): MovedBefore | null {
  if (!hasCode(error, "ERR_CARD_MOVED") || !(error instanceof ApiError)) return null;
  const data = error.data as {
    by?: { name?: unknown } | null;
    lane?: { id?: unknown; name?: unknown };
  };
  const { id, name } = data.lane ?? {};
  return {
    by: typeof data.by?.name === "string" ? data.by.name : null,
    lane: { id: typeof id === "number" ? id : null, name: typeof name === "string" ? name : "" },
  };
}

/** Orders the lanes for the whole company. */
export async function orderLanes(of: BoardOf, tagIds: readonly number[]): Promise<void> {
  const { tags } = await call("PUT /kanban/lanes", { body: { tagIds: [...tagIds] } });
  applyToBoard(of, { action: "order", tagIds: tags.map(({ id }) => id) });
}

/** Writes a ticket that was changed here into the board, before its event comes. */
export function showOnBoard(of: BoardOf, ticket: Ticket): void {
  applyToBoard(of, { action: "update", ticket });
}
