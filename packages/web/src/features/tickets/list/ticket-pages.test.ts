import type { QueueId, Ticket } from "@balcao/contract";
import { describe, expect, test } from "vitest";
import { givenHit } from "../testing/given-choices.ts";
import { givenTicket } from "../testing/given-ticket.ts";
import { noFilter } from "./list-filter.ts";
import type { TicketPages } from "./ticket-pages.ts";
import { addPage, applyTicketEvent, nextPageNumber, pagesOf, withCount } from "./ticket-pages.ts";
import type { TicketView } from "./ticket-view.ts";

const viewer = { userId: 1, isAdmin: false, queueIds: [1], seesTicketsWithoutQueue: false };
const common = {
  status: "open",
  showAll: false,
  filter: noFilter,
  search: null,
  order: "activity",
} as const;
const mine: TicketView = { ...common, viewer };
const waiting: TicketView = { ...mine, status: "pending" };
const resolved: TicketView = { ...mine, status: "closed" };

const LATER = "2026-11-20T11:00:00.000Z";

function list(numbers: number[], more?: { count: number }): TicketPages {
  const tickets = numbers.map((n) => givenTicket(n));
  return pagesOf([{ tickets, count: more?.count ?? tickets.length, hasMore: more !== undefined }]);
}

function idsOf(pages: TicketPages): number[] {
  return pages.tickets.map((ticket) => ticket.id);
}

function updated(ticket: Ticket) {
  return { action: "update", ticket } as const;
}

describe("an update", () => {
  test.each([
    ["of a new ticket puts it on top", updated(givenTicket(9)), [9, 3, 2, 1], 4],
    ["moves the ticket to the top", updated(givenTicket(1, { updatedAt: LATER })), [1, 3, 2], 3],
    [
      "that came late takes its place by time",
      updated(givenTicket(7, { updatedAt: "2026-11-20T09:00:00.000Z" })),
      [3, 2, 1, 7],
      4,
    ],
    [
      "of the same instant stands by id",
      updated(givenTicket(8, { updatedAt: givenTicket(2).updatedAt })),
      [3, 8, 2, 1],
      4,
    ],
    [
      "that takes the ticket out of the view removes it",
      updated(givenTicket(2, { status: "pending", updatedAt: LATER })),
      [3, 1],
      2,
    ],
    [
      "that gives the ticket to a colleague removes it",
      updated(givenTicket(2, { userId: 5, updatedAt: LATER })),
      [3, 1],
      2,
    ],
    ["of a foreign ticket changes nothing", updated(givenTicket(9, { userId: 5 })), [3, 2, 1], 3],
  ])("%s", (_, event, ids, count) => {
    const once = applyTicketEvent(list([3, 2, 1]), event, mine);
    expect(idsOf(once)).toEqual(ids);
    expect(once.count).toBe(count);
    expect(applyTicketEvent(once, event, mine)).toEqual(once);
  });

  test("older than the known ticket is dropped", () => {
    const pages = applyTicketEvent(
      list([2, 1]),
      updated(givenTicket(1, { updatedAt: LATER, unreadMessages: 3 })),
      mine,
    );
    const late = updated(givenTicket(1, { unreadMessages: 1 }));
    expect(applyTicketEvent(pages, late, mine)).toBe(pages);
  });

  test("never lowers the acknowledgement of the same last message", () => {
    const at = givenTicket(1).updatedAt;
    const own = { lastMessageFromMe: true, lastMessageAt: at };
    const read = applyTicketEvent(
      list([1]),
      updated(givenTicket(1, { ...own, lastMessageAck: 4 })),
      mine,
    );
    const late = updated(givenTicket(1, { ...own, lastMessageAck: 2 }));
    expect(applyTicketEvent(read, late, mine).tickets[0]?.lastMessageAck).toBe(4);
    const newMessage = { ...own, lastMessageAt: LATER, updatedAt: LATER, lastMessageAck: 0 };
    const next = applyTicketEvent(read, updated(givenTicket(1, newMessage)), mine);
    expect(next.tickets[0]?.lastMessageAck).toBe(0);
  });
});

describe("a list that is not fully loaded", () => {
  const long = list([5, 4, 3], { count: 50 });

  test("requests its count after a new ticket, which may have been below before", () => {
    const next = applyTicketEvent(long, updated(givenTicket(9)), mine);
    expect(idsOf(next)).toEqual([9, 5, 4, 3]);
    expect(next).toMatchObject({ count: 50, mustCount: true });
    expect(withCount(next, 51)).toMatchObject({ count: 51, mustCount: false });
  });

  test("ignores older tickets, which come with their page", () => {
    const next = applyTicketEvent(long, updated(givenTicket(1)), mine);
    expect(idsOf(next)).toEqual([5, 4, 3]);
    expect(next.mustCount).toBe(true);
  });

  test("counts down at once, and requests the count", () => {
    const next = applyTicketEvent(long, { action: "delete", ticketId: 4 }, mine);
    expect(next).toMatchObject({ count: 49, mustCount: true });
  });

  test("requests its count when an unknown ticket leaves", () => {
    const next = applyTicketEvent(long, { action: "delete", ticketId: 77 }, mine);
    expect(next).toMatchObject({ count: 50, mustCount: true });
  });

  test("is refetched when it becomes empty", () => {
    const short = list([5], { count: 50 });
    const next = applyTicketEvent(short, { action: "delete", ticketId: 5 }, mine);
    expect(next).toMatchObject({ tickets: [], mustReload: true });
  });

  test("keeps its count when a known ticket changes", () => {
    const event = updated(givenTicket(3, { updatedAt: LATER }));
    expect(applyTicketEvent(long, event, mine)).toMatchObject({ count: 50, mustCount: false });
  });
});

test("a fully loaded list counts its own tickets and ignores older replies", () => {
  expect(withCount(list([2, 1]), 7).count).toBe(2);
});

test("delete and update of a status change move the ticket to its new list", () => {
  const accepted = updated(givenTicket(2, { updatedAt: LATER }));
  const events = [{ action: "delete", ticketId: 2 } as const, accepted];
  const apply = (pages: TicketPages, view: TicketView) =>
    events.reduce((before, event) => applyTicketEvent(before, event, view), pages);
  const pending = pagesOf([
    { tickets: [givenTicket(2, { status: "pending" })], count: 1, hasMore: false },
  ]);
  expect(idsOf(apply(pending, waiting))).toEqual([]);
  expect(idsOf(apply(list([3, 1]), mine))).toEqual([2, 3, 1]);
});

test("updateUnread clears the badge and keeps the position", () => {
  const pages = pagesOf([
    {
      tickets: [givenTicket(2), givenTicket(1, { unreadMessages: 4 })],
      count: 2,
      hasMore: false,
    },
  ]);
  const next = applyTicketEvent(pages, { action: "updateUnread", ticketId: 1 }, mine);
  expect(idsOf(next)).toEqual([2, 1]);
  expect(next.tickets[1]?.unreadMessages).toBe(0);
});

test("updateUnread takes the ticket out of a list of unread ones", () => {
  const tickets = [givenTicket(2, { unreadMessages: 1 }), givenTicket(1, { unreadMessages: 4 })];
  const pages = pagesOf([{ tickets, count: 2, hasMore: false }]);
  const unread = { ...mine, filter: { ...noFilter, isUnread: true } };
  const next = applyTicketEvent(pages, { action: "updateUnread", ticketId: 1 }, unread);
  expect(idsOf(next)).toEqual([2]);
  expect(next.count).toBe(1);
});

describe("an acknowledgement", () => {
  const at = givenTicket(1).updatedAt;
  const pages = pagesOf([
    {
      tickets: [givenTicket(1, { lastMessageFromMe: true, lastMessageAck: 3 })],
      count: 1,
      hasMore: false,
    },
  ]);
  const ack = (messageAt: string, level: number, fate = {}) => {
    const event = { ticketId: 1, messageAt, ack: level, isFailed: false, isUnconfirmed: false };
    return applyTicketEvent(pages, { action: "ack", ...event, ...fate }, mine).tickets[0];
  };

  test("for the last message raises the card's", () => {
    expect(ack(at, 4)?.lastMessageAck).toBe(4);
    expect(ack(at, 2)?.lastMessageAck).toBe(3);
  });

  test("for an earlier message is ignored", () => {
    expect(ack("2026-11-20T09:00:00.000Z", 4)?.lastMessageAck).toBe(3);
  });

  test("a failure marks the card", () => {
    expect(ack(at, 3, { isFailed: true })?.lastMessageFailed).toBe(true);
  });

  test("an unknown delivery marks the card until it is known", () => {
    expect(ack(at, 3, { isUnconfirmed: true })?.lastMessageUnconfirmed).toBe(true);
    expect(ack(at, 3)?.lastMessageUnconfirmed).toBe(false);
  });
});

describe("the list of resolved tickets", () => {
  const closed = (n: number, fields: Parameters<typeof givenTicket>[1] = {}) =>
    givenTicket(n, { status: "closed", userId: null, queueId: null, ...fields });
  const pages = pagesOf([{ tickets: [closed(1)], count: 1, hasMore: false }]);

  test("asks the server about an unknown ticket", () => {
    const next = applyTicketEvent(pages, updated(closed(2)), resolved);
    expect(next).toMatchObject({ mustReload: true, tickets: [{ id: 1 }] });
  });

  test("applies changes of its tickets, and drops reopened ones", () => {
    const renamed = applyTicketEvent(pages, updated(closed(1, { unreadMessages: 2 })), resolved);
    expect(renamed.tickets[0]?.unreadMessages).toBe(2);
    expect(renamed.mustReload).toBe(false);
    const reopened = applyTicketEvent(pages, updated(givenTicket(1)), resolved);
    expect(idsOf(reopened)).toEqual([]);
  });
});

describe("paging", () => {
  const page = (from: number, to: number, hasMore: boolean) => ({
    tickets: Array.from({ length: from - to + 1 }, (_, i) => givenTicket(from - i)),
    count: 100,
    hasMore,
  });

  test("the number of the next page follows from the loaded tickets", () => {
    const first = pagesOf([page(100, 61, true)]);
    expect(nextPageNumber(first)).toBe(2);
    const shrunk = applyTicketEvent(first, { action: "delete", ticketId: 80 }, mine);
    expect(nextPageNumber(shrunk)).toBe(1);
    const grown = applyTicketEvent(first, updated(givenTicket(150)), mine);
    expect(nextPageNumber(grown)).toBe(2);
  });

  test("duplicate rows are shown once, in the newer version", () => {
    const first = applyTicketEvent(
      pagesOf([page(100, 61, true)]),
      updated(givenTicket(61, { updatedAt: "2026-11-20T23:00:00.000Z", unreadMessages: 2 })),
      mine,
    );
    const next = addPage(first, page(61, 41, false));
    expect(next.tickets).toHaveLength(60);
    expect(next.tickets.find((ticket) => ticket.id === 61)?.unreadMessages).toBe(2);
    expect(next).toMatchObject({ hasMore: false, count: 60 });
  });
});

describe("a search", () => {
  const found: TicketView = { ...mine, status: null, search: "vestido" };
  const hit = givenHit(1, ["o ", "vestido", " verde"]);
  const result = pagesOf([
    { tickets: [givenTicket(2, { hit }), givenTicket(1)], count: 2, hasMore: false },
  ]);

  test("keeps its tickets and found words when their status changes", () => {
    const closed = updated(givenTicket(2, { status: "closed", updatedAt: LATER }));
    const after = applyTicketEvent(result, closed, found);
    expect(after.tickets[0]).toMatchObject({ id: 2, status: "closed", hit });
    expect(after.count).toBe(2);
  });

  test("adds no other tickets and does not request them", () => {
    expect(applyTicketEvent(result, updated(givenTicket(9)), found)).toBe(result);
  });
});

test("a renamed queue changes only the cards of its tickets", () => {
  const before = pagesOf([
    {
      tickets: [givenTicket(1, { queueId: 1 }), givenTicket(2, { queueId: 2 })],
      count: 2,
      hasMore: false,
    },
  ]);
  const queue = { id: 1 as QueueId, name: "Loja", color: "#123456" };
  const after = applyTicketEvent(before, { action: "queue", queue }, mine);
  const queueOf = (number: number) => after.tickets.find(({ id }) => id === number)?.queue;
  expect(queueOf(1)).toEqual(queue);
  expect(queueOf(2)).toEqual(before.tickets.find(({ id }) => id === 2)?.queue);
});

describe("by wait", () => {
  const byWait: TicketView = { ...waiting, order: "wait" };
  /** Waits since n minutes past 9; later changes have a later `updatedAt`. */
  const waits = (id: number, sinceMinute: number | null, changed = id) =>
    givenTicket(id, {
      status: "pending",
      waitingSince:
        sinceMinute === null
          ? null
          : new Date(Date.UTC(2026, 10, 20, 9, sinceMinute)).toISOString(),
      updatedAt: givenTicket(changed).updatedAt,
    });
  const long = waits(1, 1);
  const short = waits(2, 30);
  const answered = waits(3, null);
  const page = (hasMore: boolean) =>
    pagesOf([{ ...{ tickets: [answered, short, long] }, count: 9, hasMore }], "wait");

  test("the longest wait is first, those of whom nobody waits are last", () => {
    expect(idsOf(page(false))).toEqual([1, 2, 3]);
    const more = { tickets: [waits(4, 15)], count: 4, hasMore: false };
    expect(idsOf(addPage(page(true), more, "wait"))).toEqual([1, 4, 2, 3]);
  });

  test("a new message of a customer who waits already moves nothing", () => {
    const pages = applyTicketEvent(page(false), updated(waits(2, 30, 9)), byWait);
    expect(idsOf(pages)).toEqual([1, 2, 3]);
  });

  test("an answered ticket falls behind those who wait; out of a list with more pages it falls out", () => {
    const now = updated(waits(1, null, 9));
    expect(idsOf(applyTicketEvent(page(false), now, byWait))).toEqual([2, 1, 3]);
    const waitingOnly = pagesOf([{ tickets: [short, long], count: 9, hasMore: true }], "wait");
    const pages = applyTicketEvent(waitingOnly, now, byWait);
    expect([idsOf(pages), pages.count]).toEqual([[2], 9]);
    expect(nextPageNumber(pages)).toBe(1);
  });
});
