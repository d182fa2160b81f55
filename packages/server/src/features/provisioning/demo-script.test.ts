import { addDays } from "date-fns/addDays";
import { addMinutes } from "date-fns/addMinutes";
import { expect, test } from "vitest";
import { demoConversations } from "./demo-conversations.ts";
import {
  closed,
  conversation,
  customer,
  dateConversation,
  from,
  later,
  marina,
  open,
  readScript,
  until,
} from "./demo-script.ts";

const zone = "America/Sao_Paulo";

function timesOf(script: Parameters<typeof readScript>[0], now: string): string[] {
  return readScript(script)
    .flatMap((each) => dateConversation(each, new Date(now), zone))
    .flatMap(({ lines }) => lines.map((line) => line.at.toISOString()));
}

test("a block begins at its wall-clock time of the company's day, or ends so many minutes ago", () => {
  const script = [
    conversation("Helena", "5511900000000"),
    open("Marina Prado", "Suporte", 0),
    ...[from(1, "09:30"), customer("Oi"), later(12, marina("Bom dia!"))],
    ...[until(4), customer("Oi"), later(2, customer("Voltei"))],
  ];
  // 01:10 of the 18th in UTC is still the 17th in São Paulo.
  expect(timesOf(script, "2026-11-18T01:10:00.500Z")).toEqual([
    "2026-11-16T12:30:00.000Z",
    "2026-11-16T12:42:00.000Z",
    "2026-11-18T01:04:00.000Z",
    "2026-11-18T01:06:00.000Z",
  ]);
});

test("an older block gives way when it would reach into the next one", () => {
  const script = [
    conversation("Helena", "5511900000000"),
    closed("Marina Prado", "Suporte"),
    ...[from(1, "23:50"), customer("Oi"), later(5, marina("Oi!"))],
    open("Marina Prado", "Suporte", 0),
    ...[until(10), customer("Oi"), later(10, marina("Oi!"))],
  ];
  // Ten past midnight: the second block begins at 23:50 of the day before.
  expect(timesOf(script, "2026-11-18T03:10:00.000Z")).toEqual([
    "2026-11-18T02:15:00.000Z",
    "2026-11-18T02:20:00.000Z",
    "2026-11-18T02:50:00.000Z",
    "2026-11-18T03:00:00.000Z",
  ]);
});

test("at every hour of the day the demo's conversations lie in the past, in order, within five days", () => {
  const midnight = new Date("2026-11-18T03:00:00.000Z");
  for (let minutes = 0; minutes < 24 * 60; minutes += 47) {
    const now = addMinutes(midnight, minutes);
    for (const each of demoConversations) {
      const times = dateConversation(each, now, zone).flatMap(({ lines }) =>
        lines.map((line) => line.at.getTime()),
      );
      const [first = 0, last = 0] = [times[0], times.at(-1)];
      expect(first, each.customer).toBeGreaterThan(addDays(now, -5).getTime());
      expect(last, each.customer).toBeLessThan(now.getTime());
      for (const [index, time] of times.slice(1).entries()) {
        expect(time, `${each.customer}, line ${index + 1}`).toBeGreaterThan(times[index] ?? 0);
      }
    }
  }
});

test("unread messages of an open conversation in the script are the customer's", () => {
  const unread = demoConversations.flatMap(({ cycles }) =>
    cycles.flatMap((cycle) => {
      if (cycle.status !== "open" || cycle.unread === 0) return [];
      return cycle.blocks.flatMap((block) => block.lines).slice(-cycle.unread);
    }),
  );
  expect(unread.length).toBeGreaterThan(0);
  expect(unread.filter((line) => line.agent !== null)).toEqual([]);
});

test("the demo has the promised number of conversations of six to twenty messages, each of another customer", () => {
  const last = demoConversations.map(({ cycles }) => cycles.at(-1)?.status);
  const count = (status: string) => last.filter((each) => each === status).length;
  expect({ open: count("open"), pending: count("pending"), closed: count("closed") }).toEqual({
    open: 9,
    pending: 7,
    closed: 10,
  });
  const lengths = demoConversations.map(
    ({ cycles }) => cycles.flatMap((cycle) => cycle.blocks.flatMap((block) => block.lines)).length,
  );
  expect(Math.min(...lengths)).toBeGreaterThanOrEqual(6);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(20);
  expect(new Set(demoConversations.map(({ phone }) => phone)).size).toBe(demoConversations.length);
  // All but the last cycle of a ticket are over.
  const earlier = demoConversations.flatMap(({ cycles }) => cycles.slice(0, -1));
  expect(new Set(earlier.map((cycle) => cycle.status))).toEqual(new Set(["closed"]));
});
