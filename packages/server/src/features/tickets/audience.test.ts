import { describe, expect, test } from "vitest";
import type { CompanyId, QueueId, TicketId, UserId } from "@balcao/contract";
import { rooms } from "../../platform/realtime/hub.ts";
import type { TicketInRooms } from "./audience.ts";
import { changeAudience, readerRooms, roomsOfRemoved, ticketRooms } from "./audience.ts";

const company = 1 as CompanyId;
const id = 9 as TicketId;
const ana = 7 as UserId;
const bia = 8 as UserId;
const sales = 1 as QueueId;
const support = 2 as QueueId;

function ticket(fields: Partial<TicketInRooms> = {}): TicketInRooms {
  return {
    id,
    companyId: company,
    status: "pending",
    userId: null,
    queueId: sales,
    servedByUserId: null,
    servedByQueueId: null,
    ...fields,
  };
}

const open = (userId: UserId | null, queueId: QueueId | null = sales): TicketInRooms =>
  ticket({ status: "open", userId, queueId });
const closed = ticket({
  status: "closed",
  queueId: null,
  servedByUserId: ana,
  servedByQueueId: sales,
});

const own = rooms.ticket(company, id);
const notification = rooms.notification(company);
const admins = (status: string) => [rooms.status(company, status), notification];
const waiting = (queueId: QueueId | null) => [
  rooms.queuePending(company, queueId),
  rooms.queueNotification(company, queueId),
];

describe("the rooms of a ticket", () => {
  test.each<[why: string, ticket: TicketInRooms, told: string[]]>([
    ["waiting in a queue: its agents", ticket(), [...admins("pending"), ...waiting(sales)]],
    [
      "waiting without a queue: who sees those",
      ticket({ queueId: null }),
      [...admins("pending"), ...waiting(null)],
    ],
    ["served: its agent, not the queue", open(ana), [...admins("open"), rooms.user(company, ana)]],
    [
      "open and nobody's: the queue",
      open(null),
      [...admins("open"), rooms.queueNotification(company, sales)],
    ],
    ["open, nobody's, without a queue: admins only", open(null, null), admins("open")],
    [
      "closed: who served it",
      closed,
      [...admins("closed"), rooms.user(company, ana), rooms.queueNotification(company, sales)],
    ],
  ])("%s", (_why, of, told) => {
    expect(ticketRooms(of)).toEqual([own, ...told]);
  });
});

describe("the readers of a queue's messages", () => {
  const readers = (queueId: QueueId) => [
    rooms.holders(company, "tickets:see-all"),
    rooms.queueReaders(company, queueId),
  ];
  test.each<
    [why: string, ticket: TicketInRooms, queueId: QueueId | null, readers: string[] | null]
  >([
    ["without queue: all", ticket(), null, null],
    ["in the queue where it waits: all", ticket(), sales, null],
    ["in the queue where it is served: its agent too", open(ana), sales, null],
    ["in an earlier queue: that one's agents", ticket(), support, readers(support)],
    ["in an earlier queue of a served one: the same", open(ana), support, readers(support)],
    ["in the last queue of a closed one: its agents", closed, sales, readers(sales)],
  ])("%s", (_why, of, queueId, expected) => {
    expect(readerRooms(of, queueId)).toEqual(expected);
  });
});

describe("the old and the new audience of a change (wire-contract 7.5)", () => {
  const status = (name: string) => rooms.status(company, name);
  test.each<[why: string, before: TicketInRooms, after: TicketInRooms, lose: string[]]>([
    ["accepted: the waiting lists", ticket(), open(ana), [status("pending"), ...waiting(sales)]],
    [
      "returned: the agent's own list",
      open(ana),
      ticket(),
      [status("open"), ...waiting(sales), rooms.user(company, ana)],
    ],
    [
      "given to a colleague: the old agent",
      open(ana),
      open(bia),
      [status("open"), ...waiting(sales), rooms.user(company, ana)],
    ],
    [
      "moved while waiting: only the old queue",
      ticket(),
      ticket({ queueId: support }),
      waiting(sales),
    ],
    ["moved while served: only the old queue", open(ana), open(ana, support), waiting(sales)],
    [
      "given to another queue: agent and old queue",
      open(ana),
      ticket({ queueId: support }),
      [status("open"), ...waiting(sales), rooms.user(company, ana)],
    ],
    [
      "resolved: the agent's open list",
      open(ana),
      closed,
      [status("open"), ...waiting(sales), rooms.user(company, ana)],
    ],
    [
      "reopened by the user who served it: not that user",
      closed,
      open(ana),
      [status("closed"), ...waiting(sales)],
    ],
    [
      "reopened by a colleague: who served it",
      closed,
      open(bia),
      [status("closed"), ...waiting(sales), rooms.user(company, ana)],
    ],
    [
      "waits again: the closed lists",
      closed,
      ticket({ queueId: support }),
      [status("closed"), ...waiting(sales), rooms.user(company, ana)],
    ],
    ["nothing of it changed", open(ana), open(ana), []],
  ])("%s", (_why, before, after, lose) => {
    const audience = changeAudience(before, after);
    expect(audience.lose).toEqual(lose);
    expect(audience.lose).not.toContain(own);
    expect([own, ...audience.told]).toEqual(ticketRooms(after));
  });

  test("a socket with the ticket open is told once, and not if its user may have lost it", () => {
    const { told, viewers } = changeAudience(open(ana), ticket({ queueId: support }));
    expect(viewers.to).toBe(own);
    expect(viewers.except).toEqual([...told, ...waiting(sales), rooms.user(company, ana)]);
    expect(viewers.except).not.toContain(rooms.status(company, "open"));
  });

  test("a deleted ticket leaves every list and its own room", () => {
    expect(roomsOfRemoved(open(ana))).toEqual([
      own,
      ...admins("open"),
      rooms.user(company, ana),
      ...waiting(sales),
    ]);
  });
});
