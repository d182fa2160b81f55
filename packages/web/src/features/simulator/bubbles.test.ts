import { expect, test } from "vitest";
import { edgesOf } from "./bubbles.tsx";

const at = (time: string) => `2026-11-12T${time}:00.000Z`;

test("messages of one side within five minutes are one group, and a day opens once", () => {
  const edges = edgesOf([
    { at: "2026-11-11T13:00:00.000Z", fromCustomer: true },
    { at: at("13:00"), fromCustomer: true },
    { at: at("13:04"), fromCustomer: true },
    { at: at("13:05"), fromCustomer: false },
    { at: at("13:11"), fromCustomer: false },
  ]);
  expect(edges.map(({ opensDay }) => opensDay)).toEqual([true, true, false, false, false]);
  expect(edges.map(({ starts }) => starts)).toEqual([true, true, false, true, true]);
  expect(edges.map(({ ends }) => ends)).toEqual([true, false, true, true, true]);
});

test("no messages have no edges", () => {
  expect(edgesOf([])).toEqual([]);
});
