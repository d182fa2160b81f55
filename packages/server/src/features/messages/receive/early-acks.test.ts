import { expect, test } from "vitest";
import type { ConnectionId } from "@balcao/contract";
import { createEarlyAcks } from "./early-acks.ts";

const line = 1 as ConnectionId;
const at = (second: number): Date => new Date(second * 1_000);

test("an early acknowledgement is kept for a minute, the highest one", () => {
  const early = createEarlyAcks();
  early.keep(line, "A", 3, at(0));
  early.keep(line, "A", 2, at(1));
  expect(early.levelOf(line, "A", at(60))).toBe(3);
  expect(early.levelOf(line, "A", at(61))).toBe(0);
});

test("another message and another connection are not meant", () => {
  const early = createEarlyAcks();
  early.keep(line, "A", 3, at(0));
  expect(early.levelOf(line, "B", at(0))).toBe(0);
  expect(early.levelOf(2 as ConnectionId, "A", at(0))).toBe(0);
});

test("a flood pushes out the oldest", () => {
  const early = createEarlyAcks();
  for (let n = 0; n <= 10_000; n += 1) early.keep(line, `M${n}`, 2, at(0));
  expect(early.levelOf(line, "M0", at(0))).toBe(0);
  expect(early.levelOf(line, "M1", at(0))).toBe(2);
});
