import { describe, expect, test } from "vitest";
import { givenTicket } from "../testing/given-ticket.ts";
import type { TicketView } from "./ticket-view.ts";
import { belongsTo } from "./ticket-view.ts";

const agent = { userId: 1, isAdmin: false, queueIds: [1, 2], seesTicketsWithoutQueue: false };
const admin = { userId: 9, isAdmin: true, queueIds: [], seesTicketsWithoutQueue: false };

function view(fields: Partial<TicketView> = {}): TicketView {
  return {
    ...{ status: "open", showAll: false, queueIds: null, search: null, viewer: agent },
    order: "activity",
    ...fields,
  };
}

describe("Atendendo", () => {
  test.each([
    ["my ticket", {}, true],
    ["my ticket of a queue that is not mine", { queueId: 5 }, true],
    ["my ticket without queue", { queueId: null }, true],
    ["a ticket of my queue that nobody serves", { userId: null }, true],
    ["a ticket without queue that nobody serves", { userId: null, queueId: null }, false],
    ["a colleague's ticket of my queue", { userId: 2 }, false],
    ["a ticket in another state", { status: "pending", userId: null }, false],
  ] as const)("%s: an agent", (_, fields, expected) => {
    expect(belongsTo(view(), givenTicket(1, fields))).toBe(expected);
  });

  test("an admin sees own tickets, and all on request", () => {
    const ticket = givenTicket(1, { userId: 2 });
    expect(belongsTo(view({ viewer: admin }), ticket)).toBe(false);
    expect(belongsTo(view({ viewer: admin, showAll: true }), ticket)).toBe(true);
  });
});

describe("Aguardando", () => {
  const pending = (queueId: number | null) => givenTicket(1, { status: "pending", queueId });

  test.each([
    ["of my queue", 2, true],
    ["of another queue", 5, false],
    ["without queue", null, false],
  ])("a waiting ticket %s: an agent", (_, queueId, expected) => {
    expect(belongsTo(view({ status: "pending" }), pending(queueId))).toBe(expected);
  });

  test("a waiting ticket without a queue is for agents who may see those", () => {
    const viewer = { ...agent, seesTicketsWithoutQueue: true };
    expect(belongsTo(view({ status: "pending", viewer }), pending(null))).toBe(true);
  });

  test("admins see every waiting ticket", () => {
    expect(belongsTo(view({ status: "pending", viewer: admin }), pending(5))).toBe(true);
  });
});

test("selected queues leave out the others, but never tickets without queue", () => {
  const selected = view({ viewer: admin, showAll: true, queueIds: [2] });
  expect(belongsTo(selected, givenTicket(1, { queueId: 1 }))).toBe(false);
  expect(belongsTo(selected, givenTicket(1, { queueId: 2 }))).toBe(true);
  expect(belongsTo(selected, givenTicket(1, { queueId: null }))).toBe(true);
});

test("selected queues leave out no own ticket of a queue that the agent is not in", () => {
  const selected = view({ queueIds: [2] });
  expect(belongsTo(selected, givenTicket(1, { queueId: 5 }))).toBe(true);
  expect(belongsTo(selected, givenTicket(1, { queueId: 1 }))).toBe(false);
  expect(belongsTo(selected, givenTicket(1, { queueId: 5, userId: 2 }))).toBe(false);
});

describe("Resolvidos", () => {
  const closed = givenTicket(1, { status: "closed", queueId: null });

  test("an admin sees all resolved tickets", () => {
    expect(belongsTo(view({ status: "closed", viewer: admin }), closed)).toBe(true);
    expect(belongsTo(view({ status: "open", viewer: admin }), closed)).toBe(false);
  });

  test("only the server knows the last queue of a resolved ticket", () => {
    expect(belongsTo(view({ status: "closed" }), closed)).toBe("unknown");
    const selected = view({ status: "closed", viewer: admin, queueIds: [1] });
    expect(belongsTo(selected, closed)).toBe("unknown");
  });
});
