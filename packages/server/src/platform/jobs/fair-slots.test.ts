import { expect, test } from "vitest";
import { FairSlots } from "./fair-slots.ts";

/** Takes slots for tasks that end only when told. */
function tasks(slots: FairSlots) {
  const begun: string[] = [];
  const add = (group: number, name: string): void =>
    slots.acquire(group, () => void begun.push(name));
  return { begun, add };
}

test("no more tasks run at once than there are slots, and the next begins when one ends", () => {
  const slots = new FairSlots(2);
  const { begun, add } = tasks(slots);
  for (const name of ["a", "b", "c", "d"]) add(1, name);
  expect(begun).toEqual(["a", "b"]);
  slots.release();
  expect(begun).toEqual(["a", "b", "c"]);
});

test("a company with many waiting tasks delays another one's task by one, not by all", () => {
  const slots = new FairSlots(1);
  const { begun, add } = tasks(slots);
  for (const name of ["a1", "a2", "a3", "a4"]) add(1, name);
  add(2, "b1");
  add(3, "c1");
  add(2, "b2");
  for (let ended = 0; ended < 6; ended += 1) slots.release();
  expect(begun).toEqual(["a1", "a2", "b1", "c1", "a3", "b2", "a4"]);
});

test("a released slot without waiting tasks is free", () => {
  const slots = new FairSlots(1);
  const { begun, add } = tasks(slots);
  add(1, "a");
  slots.release();
  add(1, "b");
  expect(begun).toEqual(["a", "b"]);
});

test("a task that fails gives its slot back", async () => {
  const slots = new FairSlots(1);
  await expect(slots.run(1, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  await expect(slots.run(1, () => Promise.resolve("done"))).resolves.toBe("done");
});
