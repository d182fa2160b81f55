import { expect, test } from "vitest";
import { createEventJournal } from "./event-journal.ts";

test("each load gets the events of its own time, in their order", async () => {
  const journal = createEventJournal<number>();
  const first = Promise.withResolvers<string>();
  const second = Promise.withResolvers<string>();

  journal.record(0);
  const one = journal.during(() => first.promise);
  journal.record(1);
  const two = journal.during(() => second.promise);
  journal.record(2);
  first.resolve("a");
  expect(await one).toEqual({ reply: "a", missed: [1, 2] });
  journal.record(3);
  second.resolve("b");
  expect(await two).toEqual({ reply: "b", missed: [2, 3] });
});

test("a failed load is forgotten", async () => {
  const journal = createEventJournal<number>();
  await expect(journal.during(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await journal.during(() => Promise.resolve(1))).toEqual({ reply: 1, missed: [] });
});
