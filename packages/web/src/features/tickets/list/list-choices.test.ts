import { beforeEach, expect, test } from "vitest";
import { keepListChoices, readListChoices } from "./ticket-view.ts";

beforeEach(() => localStorage.clear());

const first = {
  showAll: false,
  queueIds: [],
  orders: { open: "activity", pending: "wait" },
} as const;

test("the default is own tickets of all queues, the longest wait first where customers wait", () => {
  expect(readListChoices(localStorage, 1)).toEqual(first);
});

test("choices are stored per user", () => {
  const chosen = {
    showAll: true,
    queueIds: [3, 4],
    orders: { open: "wait", pending: "activity" },
  } as const;
  keepListChoices(localStorage, 1, chosen);
  expect(readListChoices(localStorage, 1)).toEqual(chosen);
  expect(readListChoices(localStorage, 2)).toEqual(first);
});

test.each([
  ...["{", "7", "[]", '{"queueIds":[]}', '{"queueIds":["a"]}', '{"showAll":"yes"}'],
  ...['{"orders":{"open":"size","closed":"wait"}}', '{"orders":7}'],
])("%s in the storage is as good as nothing", (stored) => {
  localStorage.setItem("balcao.list.1", stored);
  expect(readListChoices(localStorage, 1)).toEqual(first);
});
