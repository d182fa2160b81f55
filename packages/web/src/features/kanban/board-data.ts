import type { BoardCard, Lane, Tag, Ticket } from "@balcao/contract";
import type { Viewer } from "../tickets/index.ts";
import { belongsTo } from "../tickets/index.ts";
import { noFilter } from "../tickets/index.ts";

/** What the board is narrowed to; all of it stands in the address. */
export type BoardFilter = Readonly<{
  words: string;
  queueIds: readonly number[];
  userIds: readonly number[];
  connectionIds: readonly number[];
}>;

/** A lane with its exact count and its loaded cards. */
export type BoardLane = Readonly<
  Omit<Lane, "id" | "cards"> & { id: number | null; cards: readonly BoardCard[] }
>;

export type Board = Readonly<{
  /** In their order; the first one is of tickets without a tag of the board. */
  lanes: readonly BoardLane[];
  /** A change concerned cards that are not loaded: the counts have to be asked for. */
  mustCount: boolean;
  /** Cards that left the board since it was read; a change of status is a leaving and a return. */
  left?: readonly number[];
}>;

/** A change of a ticket as the board sees it. */
export type CardEvent =
  | Readonly<{ action: "update"; ticket: Ticket }>
  /** Our own move, before the server has answered it. */
  | Readonly<{ action: "move"; ticketId: number; to: number | null; at: string }>
  | Readonly<{ action: "delete"; ticketId: number }>
  | Readonly<{ action: "updateUnread"; ticketId: number }>
  | Readonly<{ action: "lane"; tag: Tag }>
  | Readonly<{ action: "laneGone"; tagId: number }>
  | Readonly<{ action: "order"; tagIds: readonly number[] }>;

export const hasMore = (lane: BoardLane): boolean => lane.count > lane.cards.length;

/** The lane of a card: the last one whose tag it has, else the first one. */
export function laneOf(
  lanes: readonly BoardLane[],
  card: Pick<BoardCard, "tags">,
): BoardLane | undefined {
  return (
    lanes.findLast(({ id }) => id !== null && card.tags.some((tag) => tag.id === id)) ?? lanes[0]
  );
}

/** The lane that shows this card, with the card. */
export function findCard(
  board: Board | undefined,
  ticketId: number,
): { lane: BoardLane; card: BoardCard; index: number } | undefined {
  for (const lane of board?.lanes ?? []) {
    const index = lane.cards.findIndex(({ id }) => id === ticketId);
    const card = lane.cards[index];
    if (card) return { lane, card, index };
  }
  return undefined;
}

/** The board after an event. Twice is harmless; a late one does not undo a newer one. */
export function applyCardEvent(
  board: Board,
  event: CardEvent,
  { filter, viewer }: { filter: BoardFilter; viewer: Viewer },
): Board {
  switch (event.action) {
    case "update": {
      const { ticket } = event;
      const known = findCard(board, ticket.id);
      if (known && ticket.updatedAt < known.card.updatedAt) return board;
      if (!isOnBoard(ticket, filter, viewer)) return withLeft(board, ticket.id);
      // Only the server knows whether the words find it.
      const isFound = known !== undefined || board.left?.includes(ticket.id) === true;
      if (filter.words !== "" && !isFound) return { ...board, mustCount: true };
      return withCard(withoutCard(board, ticket.id, { isBack: true }), ticket, known !== undefined);
    }
    case "move": {
      const known = findCard(board, event.ticketId);
      if (!known) return board;
      return withCard(
        withoutCard(board, event.ticketId, { isBack: true }),
        movedCard(board, known.card, event),
        true,
      );
    }
    case "delete":
      return withLeft(board, event.ticketId);
    case "updateUnread":
      return withEachCard(board, (card) =>
        card.id === event.ticketId ? { ...card, unreadMessages: 0 } : card,
      );
    case "lane":
      return withLane(board, event.tag);
    case "laneGone":
      return withoutLane(board, event.tagId);
    case "order":
      return inOrder(board, event.tagIds);
  }
}

/** The card with the tag of one lane only, and as the newest activity. */
function movedCard(
  { lanes }: Board,
  card: BoardCard,
  { to, at }: { to: number | null; at: string },
): BoardCard {
  const others = card.tags.filter(({ id }) => lanes.every((lane) => lane.id !== id));
  const lane = lanes.find(({ id }) => id === to);
  const added =
    lane === undefined || lane.id === null
      ? []
      : [{ ...lane, id: lane.id as BoardCard["tags"][number]["id"] }];
  const tags = [...others, ...added.map(({ id, name, color }) => ({ id, name, color }))];
  return { ...card, tags, updatedAt: at > card.updatedAt ? at : card.updatedAt };
}

/** Whether the ticket has a card on the board of this viewer. Tickets that are put off have one. */
function isOnBoard(ticket: Ticket, filter: BoardFilter, viewer: Viewer): boolean {
  if (ticket.status === "closed") return false;
  const { queueIds, userIds, connectionIds } = filter;
  const view = {
    ...{ status: ticket.status, showAll: true, search: null, order: "activity" as const, viewer },
    filter: { ...noFilter, queueIds, userIds, connectionIds },
  };
  return belongsTo(view, { ...ticket, snooze: null }) === true;
}

function withCard(board: Board, card: BoardCard, wasKnown: boolean): Board {
  const target = laneOf(board.lanes, card);
  // A card that was not loaded may have stood in any lane that has more than is loaded.
  const mayHaveStood = !wasKnown && board.lanes.some(hasMore);
  const lanes = board.lanes.map((lane) => {
    if (lane !== target) return lane;
    const at = lane.cards.findIndex((other) => isBefore(card, other));
    const isBelow = at === -1 && hasMore(lane);
    const cards = isBelow
      ? lane.cards
      : lane.cards.toSpliced(at === -1 ? lane.cards.length : at, 0, card);
    return { ...lane, cards, count: lane.count + 1 };
  });
  return { ...board, lanes, mustCount: board.mustCount || mayHaveStood };
}

/** `isBack`: it is put back in the same step. */
function withoutCard(board: Board, ticketId: number, { isBack = false } = {}): Board {
  const known = findCard(board, ticketId);
  if (!known) return isBack || !board.lanes.some(hasMore) ? board : { ...board, mustCount: true };
  const lanes = board.lanes.map((lane) =>
    lane === known.lane
      ? { ...lane, cards: lane.cards.toSpliced(known.index, 1), count: Math.max(lane.count - 1, 0) }
      : lane,
  );
  return { ...board, lanes };
}

/** The card leaves the board, and may come back: words that found it once find it again. */
function withLeft(board: Board, ticketId: number): Board {
  const left = findCard(board, ticketId) ? [ticketId] : [];
  return withoutCard({ ...board, left: [...(board.left ?? []), ...left] }, ticketId);
}

function withEachCard(board: Board, change: (card: BoardCard) => BoardCard): Board {
  const lanes = board.lanes.map((lane) => ({ ...lane, cards: lane.cards.map(change) }));
  return { ...board, lanes };
}

/** A lane has another name or colour; a new one has to be read. */
function withLane(board: Board, { id, name, color }: Tag): Board {
  const lanes = board.lanes.map((lane) => (lane.id === id ? { ...lane, name, color } : lane));
  return withEachCard({ ...board, lanes }, (card) => ({
    ...card,
    tags: card.tags.map((tag) => (tag.id === id ? { ...tag, name, color } : tag)),
  }));
}

/** Its cards stand in the lane of another tag of theirs, or in the first one; how many that are is asked for. */
function withoutLane(board: Board, tagId: number): Board {
  const gone = board.lanes.find(({ id }) => id === tagId);
  if (!gone) return board;
  const lanes = board.lanes.filter((lane) => lane !== gone);
  return gone.cards.reduce(
    (next, card) =>
      withCard(next, { ...card, tags: card.tags.filter(({ id }) => id !== tagId) }, true),
    { ...board, lanes, mustCount: true } as Board,
  );
}

function inOrder(board: Board, tagIds: readonly number[]): Board {
  const placeOf = ({ id }: BoardLane): number => {
    if (id === null) return -1;
    const place = tagIds.indexOf(id);
    return place === -1 ? tagIds.length : place;
  };
  return { ...board, lanes: board.lanes.toSorted((a, b) => placeOf(a) - placeOf(b)) };
}

/** The lanes after more cards of one were read; what is loaded already is kept as it is. */
export function withMoreCards(
  board: Board,
  laneId: number | null,
  cards: readonly BoardCard[],
): Board {
  const lanes = board.lanes.map((lane) => {
    if (lane.id !== laneId) return lane;
    const known = new Set(board.lanes.flatMap((one) => one.cards.map(({ id }) => id)));
    const added = cards.filter(({ id }) => !known.has(id));
    const all = [...lane.cards, ...added].toSorted((a, b) => (isBefore(a, b) ? -1 : 1));
    return { ...lane, cards: all, count: Math.max(lane.count, all.length) };
  });
  return { ...board, lanes };
}

/** Takes over the counts that the server gave; a fully loaded lane has at least its cards. */
export function withCounts(
  board: Board,
  counts: readonly { id: number | null; count: number }[],
): Board {
  const lanes = board.lanes.map((lane) => {
    const count = counts.find(({ id }) => id === lane.id)?.count ?? lane.count;
    return { ...lane, count: Math.max(count, lane.cards.length) };
  });
  return { ...board, lanes, mustCount: false };
}

/** Whether the server counts cards that no further page of a lane would bring: words find a ticket that they did not. */
export function isBehind(
  board: Board,
  counts: readonly { id: number | null; count: number }[],
): boolean {
  return board.lanes.some(
    (lane) => !hasMore(lane) && (counts.find(({ id }) => id === lane.id)?.count ?? 0) > lane.count,
  );
}

export function totalOf({ lanes }: Board): number {
  return lanes.reduce((sum, { count }) => sum + count, 0);
}

/** Newest activity first, then the higher id. */
function isBefore(a: BoardCard, b: BoardCard): boolean {
  return a.updatedAt === b.updatedAt ? a.id > b.id : a.updatedAt > b.updatedAt;
}
