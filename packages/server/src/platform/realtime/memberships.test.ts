import type { CompanyId, QueueId, TicketId, UserId } from "@balcao/contract";
import { describe, expect, test } from "vitest";
import type { UserActor, UserCtx } from "../context.ts";
import type { Interest } from "./hub.ts";
import { createInterests, listInterest, listRooms, ownRooms, ticketInterest } from "./hub.ts";

const plan = {
  useCampaigns: true,
  useKanban: true,
  useOpenAi: true,
  useIntegrations: true,
  useSchedules: true,
  useInternalChat: true,
  useExternalApi: true,
};

function ctx(actor: Partial<UserActor>): UserCtx {
  return {
    companyId: 7 as CompanyId,
    requestId: "request-1",
    actor: {
      kind: "user",
      userId: 3 as UserId,
      name: "Ana",
      profile: "user",
      super: false,
      seesNoQueue: false,
      queueIds: [],
      ownerlessQueueIds: [],
      plan,
      ...actor,
    },
  };
}

const queueIds = [11 as QueueId, 12 as QueueId];
const notification: Interest = { kind: "notification" };
const list = (status: "open" | "pending" | "closed"): Exclude<Interest, { kind: "ticket" }> => ({
  kind: "list",
  status,
});

describe("rooms by rights", () => {
  const everybodys = ["c7:main", "c7:user:3", "installation"];

  test("everybody is in the company's, the own and the installation's room, and in those of what the user may do", () => {
    expect(ownRooms(ctx({}))).toEqual(everybodys);
    expect(ownRooms(ctx({ profile: "supervisor" }))).toEqual(everybodys);
    const own = ownRooms(ctx({ profile: "admin" }));
    expect(own.slice(0, 3)).toEqual(everybodys);
    expect(own).toContain("c7:may:connections:manage");
    expect(own).toContain("c7:may:tickets:see-all");
    // A role gives and takes rooms of its own.
    const permissions = ["dashboard:view"] as const;
    const role = [...everybodys, "c7:may:dashboard:view"];
    expect(ownRooms(ctx({ profile: "user", permissions }))).toEqual(role);
    expect(ownRooms(ctx({ profile: "admin", permissions }))).toEqual(role);
    expect(ownRooms(ctx({ super: true }))).toEqual([...everybodys, "installation:supers"]);
  });

  test("a user with queues is in the rooms of the queues' readers", () => {
    expect(ownRooms(ctx({ queueIds }))).toEqual([
      ...everybodys,
      ...["c7:queue:11:readers", "c7:queue:12:readers"],
    ]);
    expect(ownRooms(ctx({ ownerlessQueueIds: queueIds.slice(0, 1) }))).toEqual([
      ...everybodys,
      "c7:queue:11:readers",
    ]);
  });

  test("an admin hears the company's lists and notifications", () => {
    const admin = ctx({ profile: "admin", queueIds });
    expect(listRooms(admin, list("open"))).toEqual(["c7:status:open"]);
    expect(listRooms(admin, list("closed"))).toEqual(["c7:status:closed"]);
    expect(listRooms(admin, notification)).toEqual(["c7:notification"]);
  });

  test("an agent gets the pending tickets and notifications of the agent's queues only", () => {
    const agent = ctx({ queueIds });
    expect(listRooms(agent, list("pending"))).toEqual([
      "c7:queue:11:pending",
      "c7:queue:12:pending",
    ]);
    expect(listRooms(agent, notification)).toEqual([
      "c7:queue:11:notification",
      "c7:queue:12:notification",
    ]);
    expect(listRooms(agent, list("open"))).toEqual([]);
    expect(listRooms(agent, list("closed"))).toEqual([]);
    expect(listRooms(ctx({}), list("pending"))).toEqual([]);
  });

  test("a user who sees tickets without a queue also gets those", () => {
    const agent = ctx({ queueIds: [11 as QueueId], seesNoQueue: true });
    expect(listRooms(agent, list("pending"))).toEqual([
      "c7:queue:11:pending",
      "c7:queue:none:pending",
    ]);
    expect(listRooms(agent, notification)).toEqual([
      "c7:queue:11:notification",
      "c7:queue:none:notification",
    ]);
  });
});

describe("the arguments of client events", () => {
  test.each([["12"], [12]])("%j is a ticket", (argument) => {
    expect(ticketInterest(argument)).toEqual({ kind: "ticket", ticketId: 12 });
  });

  test.each([
    ["undefined"],
    [undefined],
    [null],
    [""],
    ["-1"],
    ["1e3"],
    [{ id: 1 }],
    [["1"]],
    [1.5],
    [0],
  ])("%j is ignored as a ticket", (argument) => {
    expect(ticketInterest(argument)).toBeNull();
  });

  test("only the three statuses are lists", () => {
    expect(listInterest("pending")).toEqual({ kind: "list", status: "pending" });
    for (const argument of ["PENDING", "group", "", null, 1, {}])
      expect(listInterest(argument)).toBeNull();
  });
});

test("an interest ends when it was left as often as it was joined", () => {
  const interests = createInterests();
  const chat: Interest = { kind: "ticket", ticketId: 5 as TicketId };
  const other: Interest = { kind: "ticket", ticketId: 6 as TicketId };
  for (const interest of [chat, chat, other]) interests.add(interest);
  interests.remove(chat);
  expect(interests.has(chat)).toBe(true);
  interests.remove(chat);
  expect(interests.has(chat)).toBe(false);
  interests.remove(chat);
  interests.add(chat);
  interests.remove(other);
  expect(interests.all()).toEqual([chat]);
});
