import { describe, expect, test } from "vitest";
import { givenUser } from "../../testing/given.ts";
import { givenTicket } from "../tickets/testing/given-ticket.ts";
import { applyUnreadEvent, isNotifiedOf, unreadTicketsOf } from "./unread-tickets.ts";

const agent = givenUser({
  id: 1,
  profile: "user",
  allTicket: "desabled",
  queues: [
    { id: 1, name: "Suporte", color: "#3b82c4", UserQueue: { userId: 1, queueId: 1 } },
  ] as never,
});
const seesAll = { ...agent, allTicket: "enable" };
const admin = givenUser({ id: 2 });

const unread = (n: number, fields: Parameters<typeof givenTicket>[1] = {}) =>
  givenTicket(n, { unreadMessages: 2, ...fields });

describe("the audience of unread messages", () => {
  test.each([
    ["an agent of his own ticket", agent, unread(1), true],
    ["an agent of his own ticket of another queue", agent, unread(1, { queueId: 8 }), true],
    ["nobody of what is read", agent, givenTicket(1), false],
    ["no agent of a colleague's ticket", agent, unread(1, { userId: 9 }), false],
    ["no admin of a colleague's ticket either", admin, unread(1, { userId: 9 }), false],
    ["an agent of a waiting ticket of his queue", agent, unread(1, { status: "pending" }), true],
    ["no agent of another queue's", agent, unread(1, { status: "pending", queueId: 8 }), false],
    ["no agent of a waiting one without queue", agent, waitingWithoutQueue(), false],
    ["an agent of it who may see those", seesAll, waitingWithoutQueue(), true],
    ["an admin of every waiting ticket", admin, waitingWithoutQueue(), true],
    ["nobody of a resolved ticket", admin, unread(1, { status: "closed" }), false],
  ] as const)("%s", (_, user, ticket, isTold) => {
    expect(isNotifiedOf(user, ticket)).toBe(isTold);
  });
});

function waitingWithoutQueue() {
  return unread(1, { status: "pending", queueId: null, queue: null });
}

describe("the list of unread tickets", () => {
  const start = unreadTicketsOf({ tickets: [unread(2), unread(1)], count: 2 });
  const apply = (event: Parameters<typeof applyUnreadEvent>[1], known = start) =>
    applyUnreadEvent(known, event, agent);
  const idsOf = ({ tickets }: typeof start) => tickets.map(({ id }) => id);

  test("a new message moves its ticket up and counts a ticket once", () => {
    const moved = apply({ action: "update", ticket: unread(1, { updatedAt: laterThan(3) }) });
    expect([idsOf(moved), moved.count]).toEqual([[1, 2], 2]);
    const added = apply({ action: "update", ticket: unread(3) }, moved);
    expect([idsOf(added), added.count]).toEqual([[1, 3, 2], 3]);
    expect(apply({ action: "update", ticket: unread(3) }, added)).toEqual(added);
  });

  test("a ticket that is read, resolved or lost leaves the list", () => {
    expect(idsOf(apply({ action: "updateUnread", ticketId: 2 }))).toEqual([1]);
    expect(idsOf(apply({ action: "delete", ticketId: 1 }))).toEqual([2]);
    const read = { ...unread(2), unreadMessages: 0 };
    const after = apply({ action: "update", ticket: read });
    expect([idsOf(after), after.count]).toEqual([[1], 1]);
  });

  test("an older version of a ticket does not undo a newer one", () => {
    const before = apply({ action: "update", ticket: unread(1, { updatedAt: laterThan(5) }) });
    expect(apply({ action: "update", ticket: unread(1) }, before)).toEqual(before);
  });

  test("with more tickets than are loaded the server counts after a change", () => {
    const long = { ...start, count: 90 };
    expect(apply({ action: "update", ticket: unread(3) }, long)).toMatchObject({
      count: 91,
      mustCount: true,
    });
    expect(apply({ action: "delete", ticketId: 55 }, long).mustCount).toBe(true);
    expect(apply({ action: "delete", ticketId: 55 }).mustCount).toBe(false);
  });
});

function laterThan(n: number): string {
  return new Date(Date.UTC(2026, 10, 20, 10, n, 30)).toISOString();
}
