import { beforeEach, expect, test } from "vitest";
import { givenMessage } from "../testing/given-message.ts";
import { givenUnsent } from "../testing/given-unsent.ts";
import { createUnsentMessages } from "./unsent-messages.ts";

beforeEach(() => localStorage.clear());

const hello = givenUnsent({ ticketId: 10 });

test("what was under way when the page went comes back as failed", () => {
  createUnsentMessages(localStorage, 1).put(hello);
  expect(createUnsentMessages(localStorage, 1).of(10)).toEqual([
    { ...hello, state: "failed", errorCode: "ERR_NETWORK" },
  ]);
});

test("another user of this browser does not see it", () => {
  createUnsentMessages(localStorage, 1).put(hello);
  expect(createUnsentMessages(localStorage, 2).of(10)).toEqual([]);
});

test("they stand in the order of writing, whatever happened to them since", () => {
  const unsent = createUnsentMessages(localStorage, 1);
  const second = { ...hello, clientId: "b", createdAt: "2026-11-20T10:01:00.000Z" };
  unsent.put(hello);
  unsent.put(second);
  unsent.put({ ...hello, state: "failed", errorCode: "ERR_NETWORK" });
  expect(unsent.of(10).map((message) => message.clientId)).toEqual(["a", "b"]);
  expect(createUnsentMessages(localStorage, 1).of(10)).toHaveLength(2);
});

test("a removed one leaves nothing behind, and listeners hear of it", () => {
  const unsent = createUnsentMessages(localStorage, 1);
  let heard = 0;
  const stop = unsent.subscribe(() => {
    heard += 1;
  });
  unsent.put(hello);
  unsent.remove(hello);
  stop();
  unsent.remove(hello);
  expect(heard).toBe(2);
  expect(unsent.of(10)).toEqual([]);
  expect(localStorage).toHaveLength(0);
});

test("the list of a ticket is the same object until something changes", () => {
  const unsent = createUnsentMessages(localStorage, 1);
  unsent.put(hello);
  expect(unsent.of(10)).toBe(unsent.of(10));
  expect(unsent.of(99)).toBe(unsent.of(98));
});

test("something strange in the storage is passed over", () => {
  localStorage.setItem("balcao.unsent.1.10.x", "{");
  localStorage.setItem("balcao.unsent.1.10.y", '{"clientId":1}');
  expect(createUnsentMessages(localStorage, 1).of(10)).toEqual([]);
});

test("a full storage does not stop the sending", () => {
  const storage = {
    length: 0,
    key: () => null,
    getItem: () => null,
    removeItem: () => undefined,
    setItem: () => {
      throw new DOMException("full", "QuotaExceededError");
    },
  };
  const unsent = createUnsentMessages(storage, 1);
  unsent.put(hello);
  expect(unsent.of(10)).toEqual([hello]);
});

test("files chosen in the same moment keep their order while they change", () => {
  const unsent = createUnsentMessages(localStorage, 1);
  const file = { name: "a.pdf", mime: "application/pdf", bytes: 3, previewUrl: null };
  const chosen = ["a", "b", "c"].map((clientId) =>
    givenUnsent({ clientId, file: { ...file, kind: "document" } }),
  );
  for (const one of chosen) unsent.put(one);
  for (const one of chosen) unsent.put({ ...one, state: "uploading", progress: 0.5 });
  expect(unsent.of(1).map((message) => message.clientId)).toEqual(["a", "b", "c"]);
});

test("a file does not outlive the page, a reply does", () => {
  const unsent = createUnsentMessages(localStorage, 1);
  const file = { name: "a.pdf", mime: "application/pdf", bytes: 3, previewUrl: null };
  unsent.put(givenUnsent({ clientId: "file", file: { ...file, kind: "document" } }));
  const quotedMsg = givenMessage(3);
  unsent.put(givenUnsent({ clientId: "reply", quotedMsgId: quotedMsg.id, quotedMsg }));
  const afterReload = createUnsentMessages(localStorage, 1).of(1);
  expect(afterReload).toEqual([
    givenUnsent({
      clientId: "reply",
      state: "failed",
      errorCode: "ERR_NETWORK",
      quotedMsgId: quotedMsg.id,
    }),
  ]);
});
