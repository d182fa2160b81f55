import { beforeEach, describe, expect, test } from "vitest";
import { queryClient } from "../../api/query-client.ts";
import { isDeletable, isEditable, lastEditableMessage } from "./editable.ts";
import { historyKey } from "./history-cache.ts";
import type { MessageHistory } from "./message-history.ts";
import { givenMedia } from "./testing/given-media.ts";
import { givenMessage, messageIdOf } from "./testing/given-message.ts";

const sentAt = givenMessage(1).createdAt;
const soonMs = Date.parse(sentAt) + 15 * 60_000 - 1;
const own = (fields: Parameters<typeof givenMessage>[1] = {}) =>
  givenMessage(1, { fromMe: true, ...fields });

describe("an edit", () => {
  test("is for own texts within 15 minutes", () => {
    expect(isEditable(own(), soonMs)).toBe(true);
    expect(isEditable(own(), soonMs + 1)).toBe(false);
  });

  test.each([
    ["what the customer wrote", givenMessage(1)],
    ["a deleted message", own({ isDeleted: true })],
    ["a file", own({ media: givenMedia() })],
    ["a contact card", own({ details: { kind: "contacts", contacts: [] } })],
    ["a message that never left", own({ failedCode: "ERR_SENDING_WAPP_MSG" })],
  ])("is not for %s", (_, message) => {
    expect(isEditable(message, soonMs)).toBe(false);
  });
});

test.each([
  ["an own message, a file as well", own({ media: givenMedia() }), true],
  ["what the customer wrote", givenMessage(1), false],
  ["what is deleted already", own({ isDeleted: true }), false],
  ["what never left", own({ failedCode: "ERR_SENDING_WAPP_MSG" }), false],
])("deleting: %s", (_, message, expected) => {
  expect(isDeletable(message)).toBe(expected);
});

describe("the last message that may be edited", () => {
  beforeEach(() => queryClient.clear());

  test("is an own one, whatever the customer wrote after it", () => {
    const messages = [own(), givenMessage(2, { fromMe: true }), givenMessage(3)];
    const history = { messages, hasMore: false, hasNewer: false, anchorId: null, count: 3 };
    queryClient.setQueryData<MessageHistory>(historyKey(1), history);
    expect(lastEditableMessage(1, soonMs)?.id).toBe(messageIdOf(2));
    expect(lastEditableMessage(1, soonMs + 60 * 60_000)).toBeNull();
  });

  test("is none while nothing is loaded", () => {
    expect(lastEditableMessage(1, soonMs)).toBeNull();
  });
});
