import { describe, expect, test } from "vitest";
import type { ConnectionId, QueueId, UserId } from "@balcao/contract";
import { integrationId, promptId } from "@balcao/contract";
import { DomainError } from "../../platform/context.ts";
import type { Changer, Outcome, TicketState, WantedChange } from "./ticket.ts";
import {
  awaitRating,
  changeTicket,
  continueOn,
  customerWroteAgain,
  expires,
  openAnew,
  waitsInQueue,
} from "./ticket.ts";

const me = 7 as UserId;
const colleague = 8 as UserId;
const sales = 1 as QueueId;
const support = 2 as QueueId;
const line = 1 as ConnectionId;
const otherLine = 2 as ConnectionId;

const agent: Changer = { userId: me, mayAssignOthers: false };
const admin: Changer = { userId: me, mayAssignOthers: true };

function ticket(fields: Partial<TicketState> = {}): TicketState {
  return {
    status: "pending",
    userId: null,
    queueId: sales,
    connectionId: line,
    chatbot: false,
    queueOptionId: null,
    useIntegration: false,
    promptId: null,
    integrationId: null,
    ...fields,
  };
}

const pending = ticket();
const mine = ticket({ status: "open", userId: me });
const colleagues = ticket({ status: "open", userId: colleague });
const nobodys = ticket({ status: "open" });
const closed = ticket({ status: "closed", queueId: null });

const change = (
  from: TicketState,
  wanted: WantedChange,
  by: Changer = agent,
  lastQueueId: QueueId | null = support,
): Outcome => changeTicket(from, wanted, by, lastQueueId);

/** The changed fields of the ticket; fails the test when nothing was changed. */
function after(outcome: Outcome): TicketState {
  if (outcome.result !== "changed") throw new Error(`the ticket is ${outcome.result}`);
  return outcome.transition.state;
}

function attendanceOf(outcome: Outcome) {
  return outcome.result === "changed" ? outcome.transition.attendance : "none";
}

function refusal(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof DomainError) return error.code;
  }
  return "not refused";
}

describe("the states of wire-contract 6.1", () => {
  test.each<[why: string, from: TicketState, wanted: WantedChange, expected: Partial<TicketState>]>(
    [
      ["accept", pending, { status: "open", userId: me }, { status: "open", userId: me }],
      ["accept without a user is for oneself", pending, { status: "open" }, { userId: me }],
      [
        "accept into another queue",
        pending,
        { status: "open", queueId: support },
        { queueId: support },
      ],
      ["accept of nobody's open ticket", nobodys, { status: "open", userId: me }, { userId: me }],
      [
        "return",
        mine,
        { status: "pending", userId: null },
        { status: "pending", userId: null, queueId: sales },
      ],
      ["return ignores a user", mine, { status: "pending", userId: colleague }, { userId: null }],
      [
        "resolve",
        mine,
        { status: "closed", userId: me },
        { status: "closed", userId: null, queueId: null },
      ],
      [
        "resolve on the card",
        pending,
        { status: "closed", userId: me, queueId: sales },
        { userId: null, queueId: null },
      ],
      [
        "reopen with the last queue",
        closed,
        { status: "open", userId: me },
        { userId: me, queueId: support },
      ],
      [
        "reopen with a queue",
        closed,
        { status: "open", userId: me, queueId: sales },
        { queueId: sales },
      ],
      [
        "reopen without any queue",
        closed,
        { status: "open", userId: me, queueId: null },
        { queueId: null },
      ],
      [
        "transfer to a user",
        mine,
        { userId: colleague },
        { status: "open", userId: colleague, queueId: sales },
      ],
      [
        "transfer to a user and queue",
        mine,
        { userId: colleague, queueId: support },
        { status: "open", queueId: support },
      ],
      [
        "transfer with the status said",
        mine,
        { status: "open", userId: colleague },
        { userId: colleague },
      ],
      [
        "transfer to a queue",
        mine,
        { status: "pending", userId: null, queueId: support },
        { status: "pending", userId: null, queueId: support },
      ],
      [
        "transfer to a queue in short",
        mine,
        { queueId: support },
        { status: "pending", userId: null },
      ],
      [
        "a waiting ticket to a queue",
        pending,
        { queueId: support },
        { status: "pending", queueId: support },
      ],
      [
        "a waiting ticket to a user",
        pending,
        { userId: colleague },
        { status: "open", userId: colleague },
      ],
      [
        "a closed ticket to a queue",
        closed,
        { status: "pending", queueId: sales },
        { status: "pending", queueId: sales },
      ],
      [
        "a closed ticket to a user",
        closed,
        { userId: colleague },
        { status: "open", userId: colleague, queueId: support },
      ],
      ["give away to nobody", mine, { userId: null }, { status: "open", userId: null }],
      [
        "another connection",
        mine,
        { whatsappId: otherLine },
        { status: "open", userId: me, connectionId: otherLine },
      ],
    ],
  )("%s", (_why, from, wanted, expected) => {
    expect(after(change(from, wanted))).toMatchObject(expected);
  });

  test.each<[why: string, from: TicketState, wanted: WantedChange]>([
    ["accept again", mine, { status: "open", userId: me }],
    ["return again", pending, { status: "pending", userId: null }],
    ["resolve again", closed, { status: "closed", userId: me, queueId: sales }],
    ["an empty change", mine, {}],
    ["the queue it has", mine, { queueId: sales }],
    ["a user for a closed ticket that stays closed", closed, { userId: null }],
  ])("%s changes nothing", (_why, from, wanted) => {
    expect(change(from, wanted)).toEqual({ result: "unchanged" });
  });

  test.each<[why: string, wanted: WantedChange, by: Changer]>([
    ["accept", { status: "open", userId: me }, agent],
    ["accept without a user", { status: "open" }, agent],
    ["reopen with a queue", { status: "open", userId: me, queueId: support }, agent],
    ["accept by an admin", { status: "open", userId: me }, admin],
    ["giving it to a third one", { status: "open", userId: 9 as UserId }, admin],
  ])("a colleague's ticket is taken: %s", (_why, wanted, by) => {
    expect(change(colleagues, wanted, by)).toEqual({ result: "taken" });
  });

  test("a transfer takes a colleague's ticket over", () => {
    expect(after(change(colleagues, { userId: me }, admin))).toMatchObject({ userId: me });
  });
});

describe("refusals", () => {
  test.each<[why: string, from: TicketState, wanted: WantedChange, by: Changer, code: string]>([
    [
      "accept for others",
      pending,
      { status: "open", userId: colleague },
      agent,
      "ERR_NO_PERMISSION",
    ],
    [
      "reopen for others",
      closed,
      { status: "open", userId: colleague },
      agent,
      "ERR_NO_PERMISSION",
    ],
    [
      "accept for others by an admin",
      pending,
      { status: "open", userId: colleague },
      admin,
      "not refused",
    ],
    [
      "only a customer makes a closed ticket wait",
      closed,
      { status: "pending" },
      admin,
      "ERR_TICKET_TRANSITION",
    ],
  ])("%s", (_why, from, wanted, by, code) => {
    expect(refusal(() => change(from, wanted, by))).toBe(code);
  });
});

describe("fields beside the state", () => {
  const withBot = ticket({
    status: "open",
    userId: me,
    chatbot: true,
    queueOptionId: 3,
    useIntegration: true,
    promptId: promptId.parse(4),
    integrationId: integrationId.parse(5),
  });
  const noBot = {
    chatbot: false,
    queueOptionId: null,
    useIntegration: false,
    promptId: null,
    integrationId: null,
  };

  test("resolving ends the bot and the integrations", () => {
    expect(after(change(withBot, { status: "closed" }))).toMatchObject(noBot);
  });

  test("returning keeps them, as the client echoes them", () => {
    const state = after(change(withBot, { status: "pending", userId: null, useIntegration: true }));
    expect(state).toMatchObject({ useIntegration: true, promptId: 4, integrationId: 5 });
  });

  test("a change can set them", () => {
    const wanted = { useIntegration: true, promptId: promptId.parse(6), integrationId: null };
    expect(after(change(withBot, wanted))).toMatchObject(wanted);
  });

  test("a change can clear them", () => {
    const wanted: WantedChange = {
      useIntegration: null,
      promptId: null,
      integrationId: null,
      chatbot: false,
    };
    expect(after(change(withBot, wanted))).toMatchObject({
      useIntegration: false,
      promptId: null,
      integrationId: null,
      chatbot: false,
    });
  });

  test("accepting takes over from the bot", () => {
    const waiting = ticket({ chatbot: true, queueOptionId: 3 });
    expect(after(change(waiting, { status: "open" }))).toMatchObject({
      chatbot: false,
      queueOptionId: null,
    });
  });

  test("a customer who writes again waits without agent, in the connection's only queue or in none", () => {
    expect(customerWroteAgain({ ...withBot, status: "closed" }, sales)).toEqual({
      state: { ...pending, ...noBot },
      attendance: {
        kind: "begin",
        userId: null,
        queueId: sales,
        connectionId: line,
        isQueuedNow: true,
        started: "reset",
        closedBy: null,
        reasonId: null,
        isReopened: false,
      },
    });
    expect(customerWroteAgain(closed, null).state).toMatchObject({
      status: "pending",
      queueId: null,
    });
  });

  test("a closed ticket that the company opens anew is its opener's, without the bot it had", () => {
    const opener = { userId: me, queueId: support, connectionId: line };
    expect(openAnew({ ...withBot, status: "closed" }, opener)).toEqual({
      state: { ...mine, ...noBot, queueId: support },
      attendance: {
        ...opener,
        kind: "begin",
        isQueuedNow: true,
        started: "now",
        closedBy: null,
        reasonId: null,
        isReopened: false,
      },
    });
  });

  test("the ticket on the other connection goes on where the moved one was", () => {
    const there = { ...closed, connectionId: otherLine, chatbot: true };
    expect(continueOn(there, mine)).toMatchObject({
      state: { ...mine, connectionId: otherLine, chatbot: false },
      attendance: {
        kind: "begin",
        started: "now",
        userId: me,
        queueId: sales,
        connectionId: otherLine,
      },
    });
  });
});

describe("attendances (behaviour 2.13)", () => {
  const common = {
    ...{ queueId: sales, connectionId: line, closedBy: null, reasonId: null },
    isReopened: false,
  };
  test.each<[why: string, from: TicketState, wanted: WantedChange, expected: object]>([
    [
      "accept starts the service",
      pending,
      { status: "open" },
      { ...common, kind: "continue", userId: me, isQueuedNow: false, started: "now" },
    ],
    [
      "accept of nobody's ticket starts it too",
      nobodys,
      { status: "open" },
      { ...common, kind: "continue", userId: me, isQueuedNow: false, started: "now" },
    ],
    [
      "return queues again and forgets the start",
      mine,
      { status: "pending" },
      { ...common, kind: "continue", userId: null, isQueuedNow: true, started: "reset" },
    ],
    [
      "resolve keeps who served it and where",
      mine,
      { status: "closed" },
      { ...common, kind: "finish", userId: me, isQueuedNow: false, started: "keep", closedBy: me },
    ],
    [
      "resolve of a waiting ticket has nobody who served it",
      pending,
      { status: "closed" },
      {
        ...common,
        kind: "finish",
        userId: null,
        isQueuedNow: false,
        started: "keep",
        closedBy: me,
        reasonId: null,
      },
    ],
    [
      "reopen begins a new one in the same queue",
      closed,
      { status: "open" },
      {
        ...common,
        ...{ kind: "begin", userId: me, queueId: support, isQueuedNow: true, started: "now" },
        isReopened: true,
      },
    ],
    [
      "transfer to a user continues with that user",
      mine,
      { userId: colleague },
      { ...common, kind: "continue", userId: colleague, isQueuedNow: false, started: "keep" },
    ],
    [
      "transfer to another queue queues again",
      mine,
      { queueId: support },
      {
        ...common,
        kind: "continue",
        userId: null,
        queueId: support,
        isQueuedNow: true,
        started: "reset",
      },
    ],
    [
      "a waiting ticket in another queue waits from now",
      pending,
      { queueId: support },
      {
        ...common,
        kind: "continue",
        userId: null,
        queueId: support,
        isQueuedNow: true,
        started: "keep",
      },
    ],
  ])("%s", (_why, from, wanted, expected) => {
    expect(attendanceOf(change(from, wanted))).toEqual(expected);
  });

  test("a closed ticket that only changes its connection keeps its attendances", () => {
    const outcome = change(closed, { whatsappId: otherLine });
    expect(after(outcome)).toMatchObject({ status: "closed", connectionId: otherLine });
    expect(attendanceOf(outcome)).toBeNull();
  });
});

describe("automatic transitions (behaviour 2.8, 2.10, 2.11)", () => {
  test("a resolved ticket whose customer is asked for a rating is closed, and its attendance is not finished", () => {
    const resolved = change(mine, { status: "closed" });
    if (resolved.result !== "changed") throw new Error("it stays open");
    expect(awaitRating(resolved.transition)).toEqual({
      state: resolved.transition.state,
      attendance: { ...resolved.transition.attendance, kind: "await-rating" },
    });
  });

  test("a ticket that expires is resolved by no user; its attendance keeps its agent", () => {
    expect(expires(mine)).toEqual({
      state: closed,
      attendance: {
        ...{ kind: "finish", userId: me, queueId: sales, connectionId: line },
        ...{ isQueuedNow: false, started: "keep", closedBy: null, reasonId: null },
        isReopened: false,
      },
    });
  });

  test("a ticket that waited too long without a queue waits in one from now on, out of the chatbot", () => {
    const waiting = ticket({ queueId: null, chatbot: true, queueOptionId: 3 });
    expect(waitsInQueue(waiting, support)).toEqual({
      state: { ...pending, queueId: support },
      attendance: {
        ...{ kind: "continue", userId: null, queueId: support, connectionId: line },
        ...{ isQueuedNow: true, started: "keep", closedBy: null, reasonId: null },
        isReopened: false,
      },
    });
  });
});
