import { beforeEach, expect, test } from "vitest";
import { givenMessage } from "../testing/given-message.ts";
import { givenUnsent } from "../testing/given-unsent.ts";
import { createUnsentMessages } from "./unsent-messages.ts";
import type { UnsentMessages } from "./unsent-messages.ts";

beforeEach(() => localStorage.clear());

const own = { companyId: 3, userId: 1 };
const nowMs = Date.parse("2026-11-20T12:00:00.000Z");
const hello = givenUnsent({ ticketId: 10 });
const file = {
  name: "a.png",
  mime: "image/png",
  bytes: 3,
  kind: "image" as const,
  previewUrl: "blob:a",
};

/** The unsent messages as a new tab reads them. */
const tab = (owner = own, storage: Storage = localStorage): UnsentMessages =>
  createUnsentMessages(storage, owner, nowMs);
const idsOf = (messages: UnsentMessages, ticketId: number): string[] =>
  messages.of(ticketId).map(({ clientId }) => clientId);

test("messages that were sending or waiting when the page closed are sent later, refused ones stay refused", () => {
  const before = tab();
  before.put(givenUnsent({ clientId: "a", state: "sending" }));
  before.put(givenUnsent({ clientId: "b", state: "waiting" }));
  before.put(givenUnsent({ clientId: "c", state: "failed", errorCode: "ERR_WAPP_WINDOW_CLOSED" }));
  expect(
    tab()
      .of(1)
      .map(({ clientId, state, errorCode }) => [clientId, state, errorCode]),
  ).toEqual([
    ["a", "sending", null],
    ["b", "waiting", null],
    ["c", "failed", "ERR_WAPP_WINDOW_CLOSED"],
  ]);
});

test.each([
  ["user", { companyId: 3, userId: 2 }],
  ["company", { companyId: 4, userId: 1 }],
  ["user whose number begins like it", { companyId: 3, userId: 11 }],
])("another %s of this browser does not see it", (_, other) => {
  tab().put(hello);
  expect(tab(other).all()).toEqual([]);
  expect(idsOf(tab(), 10)).toEqual(["a"]);
});

test("messages of another user are removed after a week", () => {
  tab({ companyId: 3, userId: 2 }).put({ ...hello, createdAt: "2026-11-13T13:00:00.000Z" });
  const old = { ...hello, clientId: "old", createdAt: "2026-11-13T11:00:00.000Z" };
  tab({ companyId: 3, userId: 2 }).put(old);
  tab();
  expect(idsOf(tab({ companyId: 3, userId: 2 }), 10)).toEqual(["a"]);
});

test("messages keep the order of writing through all changes", () => {
  const unsent = tab();
  const second = { ...hello, clientId: "b", createdAt: "2026-11-20T10:01:00.000Z" };
  unsent.put(hello);
  unsent.put(second);
  unsent.change("a", { state: "failed", errorCode: "ERR_NETWORK" });
  expect(idsOf(unsent, 10)).toEqual(["a", "b"]);
  expect(idsOf(tab(), 10)).toEqual(["a", "b"]);
});

test("messages of the same moment keep their order, also after a reload", () => {
  const unsent = tab();
  const now = "2026-11-20T10:00:00.000Z";
  for (const clientId of ["c", "a", "b"]) {
    const createdAt = unsent.nextPlace(1, now);
    unsent.put(givenUnsent({ clientId, createdAt, file, isKept: true }));
  }
  expect(idsOf(unsent, 1)).toEqual(["c", "a", "b"]);
  expect(idsOf(tab(), 1)).toEqual(["c", "a", "b"]);
  expect(unsent.nextPlace(2, now)).toBe(now);
});

test("a removed message leaves no data, and listeners are called", () => {
  const unsent = tab();
  let heard = 0;
  const stop = unsent.subscribe(() => {
    heard += 1;
  });
  unsent.put(hello);
  unsent.remove(hello);
  stop();
  expect(heard).toBe(2);
  expect(unsent.of(10)).toEqual([]);
  expect(localStorage).toHaveLength(0);
  unsent.change("a", { state: "waiting" });
  expect(localStorage).toHaveLength(0);
});

test("the list of a ticket is the same object until something changes", () => {
  const unsent = tab();
  unsent.put(hello);
  expect(unsent.of(10)).toBe(unsent.of(10));
  expect(unsent.of(99)).toBe(unsent.of(98));
});

test.each(["{", '{"clientId":1}', "null", '{"clientId":"a","ticketId":"1","body":""}'])(
  "invalid data in the storage (%s) is ignored",
  (text) => {
    localStorage.setItem("balcao.unsent.3.1.10.x", text);
    expect(tab().all()).toEqual([]);
  },
);

test("with a full storage the message is kept in this page", () => {
  const unsent = createUnsentMessages(
    {
      length: 0,
      key: () => null,
      getItem: () => null,
      removeItem: () => undefined,
      setItem: () => {
        throw new DOMException("full", "QuotaExceededError");
      },
    },
    own,
    nowMs,
  );
  unsent.put(hello);
  expect(unsent.of(10)).toEqual([{ ...hello, isKept: false }]);
  expect(unsent.reload()).toEqual([]);
  expect(idsOf(unsent, 10)).toEqual(["a"]);
});

test("a file is stored once its content is, without data of the page", () => {
  const unsent = tab();
  const quotedMsg = givenMessage(3);
  const message = givenUnsent({ file, isKept: null, quotedMsgId: quotedMsg.id, quotedMsg });
  unsent.put(message);
  expect(tab().all()).toEqual([]);
  unsent.change("a", { isKept: true, state: "uploading", progress: 0.5 });
  expect(tab().all()).toEqual([
    { ...message, isKept: true, quotedMsg: null, file: { ...file, previewUrl: null } },
  ]);
});

test("tabs apply changes of the other tabs", () => {
  const [one, two] = [tab(), tab()];
  one.put(hello);
  one.put({ ...hello, clientId: "b", createdAt: "2026-11-20T10:01:00.000Z" });
  expect(two.reload()).toEqual([]);
  expect(idsOf(two, 10)).toEqual(["a", "b"]);
  one.change("a", { state: "failed", errorCode: "ERR_MESSAGE_EMPTY" });
  two.reload();
  expect(two.find("a")).toMatchObject({ state: "failed", errorCode: "ERR_MESSAGE_EMPTY" });
  one.remove(hello);
  expect(two.reload().map(({ clientId }) => clientId)).toEqual(["a"]);
  expect(idsOf(two, 10)).toEqual(["b"]);
});
