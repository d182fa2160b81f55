import { beforeEach, expect, test } from "vitest";
import { keepListChoices, readListChoices } from "./ticket-view.ts";

beforeEach(() => localStorage.clear());

test("the default is own tickets of all queues", () => {
  expect(readListChoices(localStorage, 1)).toEqual({ showAll: false, queueIds: null });
});

test("choices are stored per user", () => {
  keepListChoices(localStorage, 1, { showAll: true, queueIds: [3, 4] });
  expect(readListChoices(localStorage, 1)).toEqual({ showAll: true, queueIds: [3, 4] });
  expect(readListChoices(localStorage, 2)).toEqual({ showAll: false, queueIds: null });
});

test.each(["{", "7", '{"queueIds":[]}', '{"queueIds":["a"]}', '{"showAll":"yes"}'])(
  "%s in the storage is as good as nothing",
  (stored) => {
    localStorage.setItem("balcao.list.1", stored);
    expect(readListChoices(localStorage, 1)).toEqual({ showAll: false, queueIds: null });
  },
);
