import type { Message } from "@balcao/contract";
import { describe, expect, test } from "vitest";
import type { MessageHistory } from "./message-history.ts";
import {
  addNewerPage,
  addOlderPage,
  applyMessageEvent,
  putMessage,
  takeNewest,
} from "./message-history.ts";
import { givenMessage } from "../testing/given-message.ts";

const LATER = "2026-11-20T11:00:00.000Z";

function historyOf(numbers: number[], hasMore = false): MessageHistory {
  return {
    messages: numbers.map((n) => givenMessage(n)),
    hasMore,
    hasNewer: false,
    anchorId: null,
    count: numbers.length + (hasMore ? 100 : 0),
  };
}

function historyWith(...messages: Message[]): MessageHistory {
  return { ...historyOf([]), messages, count: messages.length };
}

function pageOf(numbers: number[], more: { hasMore?: boolean; hasNewer?: boolean } = {}) {
  const messages = numbers.map((n) => givenMessage(n));
  return { messages, hasMore: false, hasNewer: false, count: 50, ...more };
}

function numbersOf(history: MessageHistory): number[] {
  return history.messages.map((message) => Number(message.body.replace("mensagem ", "")));
}

function created(n: number) {
  return { action: "create", message: givenMessage(n) } as const;
}

describe("a live event", () => {
  test("adds a new message at the end", () => {
    const next = applyMessageEvent(historyOf([1, 2]), created(3));
    expect(numbersOf(next)).toEqual([1, 2, 3]);
    expect(next.count).toBe(3);
  });

  test("applied twice changes nothing the second time", () => {
    const event = created(3);
    const once = applyMessageEvent(historyOf([1, 2]), event);
    expect(applyMessageEvent(once, event)).toEqual(once);
  });

  test("that arrives late is inserted by time", () => {
    expect(numbersOf(putMessage(historyOf([1, 2, 4]), givenMessage(3)))).toEqual([1, 2, 3, 4]);
  });

  test("with an equal time is placed after earlier ones", () => {
    const { createdAt } = givenMessage(1);
    const history = putMessage(historyOf([1]), givenMessage(5, { createdAt }));
    expect(numbersOf(putMessage(history, givenMessage(3, { createdAt })))).toEqual([1, 5, 3]);
  });

  test("older than the loaded part waits for its page", () => {
    expect(numbersOf(putMessage(historyOf([5, 6], true), givenMessage(2)))).toEqual([5, 6]);
    expect(numbersOf(putMessage(historyOf([5, 6], false), givenMessage(2)))).toEqual([2, 5, 6]);
  });

  test("delete removes the message, also if applied twice", () => {
    const event = { action: "delete", message: givenMessage(1) } as const;
    const once = applyMessageEvent(historyOf([1, 2]), event);
    expect(numbersOf(once)).toEqual([2]);
    expect(applyMessageEvent(once, event)).toBe(once);
  });

  test("update replaces the stored message", () => {
    const edited = givenMessage(1, { body: "mensagem 9", isEdited: true, updatedAt: LATER });
    const next = applyMessageEvent(historyOf([1]), { action: "update", message: edited });
    expect(next.messages).toEqual([edited]);
  });
});

describe("acknowledgements", () => {
  test.each([
    ["a higher one counts", 2, 3, 3],
    ["a lower one that comes late does not", 4, 2, 4],
    ["the same one changes nothing", 3, 3, 3],
  ])("%s", (_, known, incoming, expected) => {
    const history = historyWith(givenMessage(1, { ack: known }));
    const next = putMessage(history, givenMessage(1, { ack: incoming }));
    expect(next.messages[0]?.ack).toBe(expected);
  });

  test("a higher one in an older version is kept without its older content", () => {
    const edited = givenMessage(1, { ack: 2, body: "mensagem 9", updatedAt: LATER });
    const history = historyWith(edited);
    const next = putMessage(history, givenMessage(1, { ack: 3 }));
    expect(next.messages[0]).toMatchObject({ ack: 3, body: "mensagem 9" });
  });

  test("a repeated sending clears the failure and keeps the acknowledgement", () => {
    const failed = givenMessage(1, { fromMe: true, failedCode: "ERR_SENDING_WAPP_MSG", ack: 1 });
    const history = historyWith(failed);
    const sent = givenMessage(1, { fromMe: true, failedCode: null, ack: 0, updatedAt: LATER });
    expect(putMessage(history, sent).messages[0]).toMatchObject({ failedCode: null, ack: 1 });
  });
});

test("an older page is prepended without duplicates", () => {
  const next = addOlderPage(historyOf([3, 4, 5], true), pageOf([1, 2, 3]));
  expect(numbersOf(next)).toEqual([1, 2, 3, 4, 5]);
  expect(next.hasMore).toBe(false);
});

describe("a refetch of the newest part", () => {
  const newest = (numbers: number[], hasMore = true) => ({
    messages: numbers.map((n) => givenMessage(n, { ack: 3 })),
    hasMore,
    hasNewer: false,
    count: 50,
  });

  test("keeps the part loaded before if both touch", () => {
    const next = takeNewest(historyOf([1, 2, 3, 4], true), newest([3, 4, 5, 6]));
    expect(numbersOf(next)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(next.messages.map((message) => message.ack)).toEqual([0, 0, 3, 3, 3, 3]);
    expect(next.hasMore).toBe(true);
  });

  test("drops the part loaded before if there would be a gap", () => {
    const next = takeNewest(historyOf([1, 2], true), newest([8, 9]));
    expect(numbersOf(next)).toEqual([8, 9]);
    expect(next.hasMore).toBe(true);
  });

  test("drops a message that the server no longer has", () => {
    const next = takeNewest(historyOf([1, 2, 3, 4], true), newest([2, 4, 5]));
    expect(numbersOf(next)).toEqual([1, 2, 4, 5]);
  });

  test("replaces everything if it is the whole conversation", () => {
    expect(numbersOf(takeNewest(historyOf([1, 2, 3]), newest([2, 3], false)))).toEqual([2, 3]);
  });
});

describe("a part that is not the end", () => {
  const part: MessageHistory = { ...historyOf([5, 6], true), hasNewer: true, anchorId: "x" };

  test("ignores new messages at the end", () => {
    expect(putMessage(part, givenMessage(9))).toBe(part);
  });

  test("applies changes in it, and late messages in its middle", () => {
    const edited = givenMessage(5, { body: "mensagem 55", updatedAt: LATER });
    expect(numbersOf(putMessage(part, edited))).toEqual([55, 6]);
    const late = givenMessage(7, { createdAt: givenMessage(5).createdAt });
    expect(numbersOf(putMessage(part, late))).toEqual([5, 7, 6]);
  });

  test("grows by newer pages until it is the end, and then adds new messages", () => {
    const grown = addNewerPage(part, pageOf([6, 7, 8], { hasNewer: true }));
    expect(numbersOf(grown)).toEqual([5, 6, 7, 8]);
    expect(grown.hasNewer).toBe(true);
    const whole = addNewerPage(grown, pageOf([9]));
    expect(numbersOf(putMessage(whole, givenMessage(10)))).toEqual([5, 6, 7, 8, 9, 10]);
    expect(whole.anchorId).toBe("x");
  });

  test("is replaced by the end when that is read", () => {
    const next = takeNewest(part, pageOf([5, 6, 7], { hasMore: true }));
    expect(next).toMatchObject({ hasNewer: false, anchorId: null });
    expect(numbersOf(next)).toEqual([5, 6, 7]);
  });
});

test("a quote shows the current state of the quoted message", () => {
  const original = givenMessage(1);
  const answer = givenMessage(2, { quotedMsg: original, quotedMsgId: original.id });
  const history = historyWith(original, answer);
  const edited = putMessage(history, { ...original, body: "novo", updatedAt: LATER });
  expect(edited.messages[1]?.quotedMsg?.body).toBe("novo");
  const deleted = putMessage(history, { ...original, isDeleted: true, updatedAt: LATER });
  expect(deleted.messages[1]?.quotedMsg?.isDeleted).toBe(true);
});
