import { describe, expect, test } from "vitest";
import { givenTicket } from "../testing/given-ticket.ts";
import type { ListFilter } from "./list-filter.ts";
import { filterIn, filterText, noFilter } from "./list-filter.ts";
import type { TicketView } from "./ticket-view.ts";
import { belongsTo } from "./ticket-view.ts";

const agent = { userId: 1, isAdmin: false, queueIds: [1, 2], seesTicketsWithoutQueue: false };
const admin = { userId: 9, isAdmin: true, queueIds: [], seesTicketsWithoutQueue: false };

function view(fields: Partial<TicketView> = {}): TicketView {
  const common = {
    status: "open",
    showAll: false,
    filter: noFilter,
    search: null,
    order: "activity",
  } as const;
  return { ...common, viewer: agent, ...fields };
}

const filtered = (parts: Partial<ListFilter>): ListFilter => ({ ...noFilter, ...parts });

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
  const selected = view({ viewer: admin, showAll: true, filter: filtered({ queueIds: [2] }) });
  expect(belongsTo(selected, givenTicket(1, { queueId: 1 }))).toBe(false);
  expect(belongsTo(selected, givenTicket(1, { queueId: 2 }))).toBe(true);
  expect(belongsTo(selected, givenTicket(1, { queueId: null }))).toBe(true);
});

test("selected queues leave out no own ticket of a queue that the agent is not in", () => {
  const selected = view({ filter: filtered({ queueIds: [2] }) });
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
    for (const parts of [{ queueIds: [1] }, { userIds: [1] }]) {
      const selected = view({ status: "closed", viewer: admin, filter: filtered(parts) });
      expect(belongsTo(selected, closed)).toBe("unknown");
    }
  });
});

describe("a filter leaves out a ticket", () => {
  const vip = { id: 5, name: "VIP", color: "#a4cccc" };
  const troca = { id: 6, name: "Troca", color: "#a4cccc" };

  test.each<
    [
      string,
      Partial<ListFilter>,
      Parameters<typeof givenTicket>[1],
      Parameters<typeof givenTicket>[1],
    ]
  >([
    ["without unread messages", { isUnread: true }, { unreadMessages: 1 }, {}],
    ["that lacks one of the tags", { tagIds: [5, 6] }, { tags: [vip, troca] }, { tags: [vip] }],
    ["of another connection", { connectionIds: [1, 3] }, { whatsappId: 3 }, { whatsappId: 2 }],
    [
      "whose customer has not waited for so long",
      { waitMinutes: 30 },
      { waitingSince: new Date(Date.now() - 31 * 60_000).toISOString() },
      { waitingSince: new Date(Date.now() - 29 * 60_000).toISOString() },
    ],
    ["of another agent", { userIds: [2] }, { userId: 2 }, { userId: 1 }],
  ])("%s", (_, parts, kept, leftOut) => {
    const shown = view({ viewer: admin, showAll: true, filter: filtered(parts) });
    expect(belongsTo(shown, givenTicket(1, kept))).toBe(true);
    expect(belongsTo(shown, givenTicket(1, leftOut))).toBe(false);
  });
});

describe("the address", () => {
  test("names each part of a filter, and gives it back", () => {
    const whole = filtered({
      queueIds: [1, 2],
      tagIds: [5],
      userIds: [7],
      connectionIds: [3],
      isUnread: true,
      waitMinutes: 30,
    });
    const text = filterText(whole);
    expect(text).toBe("queues=1,2&tags=5&agents=7&connections=3&wait=30&unread");
    expect(filterIn(`?${text}&message=x`)).toEqual(whole);
    expect(filterText(noFilter)).toBe("");
  });

  test.each(["?queues=a,0,-1,2147483648", "?tags=", "?unreadable", ""])(
    "%j names none",
    (search) => {
      expect(filterIn(search)).toEqual(noFilter);
    },
  );
});
