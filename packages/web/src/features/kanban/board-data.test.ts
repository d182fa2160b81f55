import type { ListedTicket } from "@balcao/contract";
import { tag as tagShape } from "@balcao/contract";
import { describe, expect, test } from "vitest";
import { givenTicket } from "../tickets/testing/given-ticket.ts";
import type { Board, BoardFilter, CardEvent } from "./board-data.ts";
import { applyCardEvent, isBehind, withCounts, withMoreCards } from "./board-data.ts";

const viewer = { userId: 1, isAdmin: true, queueIds: [1], seesTicketsWithoutQueue: true };
const filter: BoardFilter = { words: "", queueIds: [], userIds: [], connectionIds: [] };
const tags = {
  5: { id: 5, name: "Orçamento", color: "#112233" },
  6: { id: 6, name: "Separação", color: "#445566" },
};
const withTags = (...ids: (5 | 6)[]) => ids.map((id) => tags[id]) as ListedTicket["tags"];

/** Lanes "Em aberto", 5 and 6; `counts` where more is on the server than is loaded. */
function given(cards: Record<number, ListedTicket[]>, counts: Record<number, number> = {}): Board {
  const lanes = [0, 5, 6].map((id) => {
    const own = cards[id] ?? [];
    const name = id === 0 ? "" : tags[id as 5 | 6].name;
    return { id: id || null, name, color: "#000000", count: counts[id] ?? own.length, cards: own };
  });
  return { lanes, mustCount: false };
}

const apply = (board: Board, event: CardEvent, of = { filter, viewer }) =>
  applyCardEvent(board, event, of);
const ids = (board: Board) => board.lanes.map(({ cards }) => cards.map(({ id }) => id as number));
const counts = (board: Board) => board.lanes.map(({ count }) => count);
const update = (ticket: ListedTicket): CardEvent => ({ action: "update", ticket });

describe("events of tickets on the board", () => {
  test("a ticket with another tag moves to the last lane whose tag it has, and both counts follow", () => {
    const board = given({
      0: [givenTicket(2), givenTicket(1)],
      6: [givenTicket(3, { tags: withTags(6) })],
    });
    const moved = apply(board, update(givenTicket(1, { tags: withTags(5, 6) })));
    expect(ids(moved)).toEqual([[2], [], [3, 1]]);
    expect([counts(moved), moved.mustCount]).toEqual([[1, 0, 2], false]);
    expect(apply(moved, update(givenTicket(1, { tags: withTags(5, 6) })))).toEqual(moved);
  });

  test("a new one comes, a resolved or deleted one goes, an older event changes nothing", () => {
    const board = given({ 0: [givenTicket(1)] });
    const more = apply(board, update(givenTicket(9, { status: "pending", unreadMessages: 2 })));
    expect([ids(more)[0], counts(more)[0]]).toEqual([[9, 1], 2]);
    const read = apply(more, { action: "updateUnread", ticketId: 9 });
    expect(read.lanes[0]?.cards[0]?.unreadMessages).toBe(0);
    const resolved = apply(more, update(givenTicket(9, { status: "closed" })));
    expect([ids(resolved)[0], counts(resolved)[0]]).toEqual([[1], 1]);
    expect(ids(apply(resolved, { action: "delete", ticketId: 1 }))[0]).toEqual([]);
    const late = givenTicket(9, { tags: withTags(5), updatedAt: "2020-01-01T00:00:00.000Z" });
    expect(apply(more, update(late))).toBe(more);
  });

  test("only tickets that pass the filter have a card; one that is put off has one", () => {
    const board = given({ 0: [givenTicket(1)] });
    const ofQueue = { viewer, filter: { ...filter, queueIds: [2] } };
    expect(counts(apply(board, update(givenTicket(1)), ofQueue))[0]).toBe(0);
    const ofUser = { viewer, filter: { ...filter, userIds: [4] } };
    expect(counts(apply(board, update(givenTicket(1)), ofUser))[0]).toBe(0);
    const asleep = givenTicket(2, { snooze: { until: null } });
    expect(ids(apply(board, update(asleep)))[0]).toEqual([2, 1]);
    const found = { viewer, filter: { ...filter, words: "ana" } };
    const searched = apply(board, update(givenTicket(7)), found);
    expect([ids(searched)[0], searched.mustCount]).toEqual([[1], true]);
  });

  test("a found ticket that was resolved is back with its reopening, whatever was heard and counted meanwhile", () => {
    const found = { viewer, filter: { ...filter, words: "ana" } };
    const board = { ...given({ 0: [givenTicket(1)], 5: [] }), mustCount: true };
    const closed = apply(board, update(givenTicket(1, { status: "closed" })), found);
    const gone = apply(closed, { action: "delete", ticketId: 1 }, found);
    const laneGone = apply(gone, { action: "laneGone", tagId: 5 }, found);
    const counted = withCounts(laneGone, [{ id: null, count: 0 }]);
    expect(ids(counted)[0]).toEqual([]);
    expect(ids(apply(counted, update(givenTicket(1)), found))[0]).toEqual([1]);
  });

  test("a lane that counts more than it can load is behind", () => {
    const board = given({ 0: [givenTicket(5)], 5: [] }, { 0: 3 });
    expect(isBehind(board, [{ id: null, count: 4 }])).toBe(false);
    expect(isBehind(board, [{ id: 5, count: 1 }])).toBe(true);
  });

  test("where more is on the server than is loaded, the counts are asked for", () => {
    const board = given({ 0: [givenTicket(5), givenTicket(4)] }, { 0: 60 });
    // It may have stood below, or in another lane.
    const came = apply(board, update(givenTicket(8, { tags: withTags(5) })));
    expect([ids(came), came.mustCount]).toEqual([[[5, 4], [8], []], true]);
    const below = apply(board, update(givenTicket(1)));
    expect([ids(below)[0], below.mustCount]).toEqual([[5, 4], true]);
    expect(apply(board, { action: "delete", ticketId: 77 }).mustCount).toBe(true);
    const counted = withCounts(came, [
      { id: null, count: 59 },
      { id: 5, count: 1 },
    ]);
    expect([counts(counted), counted.mustCount]).toEqual([[59, 1, 0], false]);
  });

  test("further cards are added below, each once", () => {
    const board = given({ 0: [givenTicket(5), givenTicket(4)], 5: [givenTicket(3)] }, { 0: 4 });
    const more = withMoreCards(board, null, [givenTicket(4), givenTicket(3), givenTicket(2)]);
    expect(ids(more)).toEqual([[5, 4, 2], [3], []]);
  });

  test("our own move takes only the tags of lanes away, and puts the card first", () => {
    const vip = { id: 9, name: "VIP", color: "#000000" } as ListedTicket["tags"][number];
    const card = givenTicket(1, { tags: [...withTags(5), vip] });
    const board = given({ 5: [card], 6: [givenTicket(8, { tags: withTags(6) })] });
    const first = board.lanes[2]?.cards[0]?.updatedAt ?? "";
    const moved = apply(board, { action: "move", ticketId: 1, to: 6, at: `${first}z` });
    expect(ids(moved)).toEqual([[], [], [1, 8]]);
    expect(moved.lanes[2]?.cards[0]?.tags.map(({ id }) => id as number)).toEqual([9, 6]);
    const back = apply(moved, { action: "move", ticketId: 1, to: null, at: first });
    expect(back.lanes[0]?.cards[0]?.tags.map(({ id }) => id as number)).toEqual([9]);
  });
});

describe("lanes", () => {
  const at = "2026-11-20T10:00:00.000Z";
  const lane = (id: 5 | 6, name: string) =>
    tagShape.parse({ ...tags[id], name, kanban: 1, companyId: 3, createdAt: at, updatedAt: at });

  test("a renamed one keeps its place, a deleted one leaves its cards to the other tag's lane or to the first one", () => {
    const board = given({
      6: [givenTicket(2, { tags: withTags(5, 6) }), givenTicket(1, { tags: withTags(6) })],
    });
    const renamed = apply(board, { action: "lane", tag: lane(6, "Expedição") });
    expect(renamed.lanes[2]?.name).toBe("Expedição");
    expect(renamed.lanes[2]?.cards[1]?.tags[0]?.name).toBe("Expedição");
    const gone = apply(board, { action: "laneGone", tagId: 6 });
    expect([ids(gone), gone.mustCount]).toEqual([[[1], [2]], true]);
  });

  test("they follow the company's order; the first one stays first, unnamed ones come last", () => {
    const ordered = apply(given({}), { action: "order", tagIds: [6] });
    expect(ordered.lanes.map(({ id }) => id)).toEqual([null, 6, 5]);
  });
});
