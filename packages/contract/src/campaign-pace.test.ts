import { expect, test } from "vitest";
import type { ForecastWish, SendingRules } from "./campaign-pace.ts";
import { forecast, gapBefore, isSendingTime, limitOn, localDay, maySend } from "./campaign-pace.ts";

const rules: SendingRules = {
  ...{ messageInterval: 20, longerIntervalAfter: 20, greaterInterval: 60, varies: false },
  ...{ hours: null, holidays: null, timeZone: "America/Sao_Paulo" },
};
const unlimited = () => ({ new: null, known: null });
const wish = (people: number, more: Partial<ForecastWish> = {}): ForecastWish => ({
  ...{ from: new Date("2026-11-20T12:00:00Z"), people: { new: people, known: 0 }, place: 0 },
  ...{ sentToday: { new: 0, known: 0 }, limitOn: unlimited },
  ...more,
});

test("a gap is the interval, the greater one from its message on, and never under a second", () => {
  expect(gapBefore(19, rules, 0)).toBe(20_000);
  expect(gapBefore(20, rules, 0)).toBe(60_000);
  expect(gapBefore(20, { ...rules, longerIntervalAfter: 0 }, 0)).toBe(20_000);
  expect(gapBefore(1, { ...rules, messageInterval: 0 }, 0)).toBe(1_000);
  expect(gapBefore(1, { ...rules, varies: true }, 0)).toBe(14_000);
  expect(gapBefore(1, { ...rules, varies: true }, 0.999_999)).toBeCloseTo(30_000, -2);
});

test("the limit of a number grows with the days of its use", () => {
  const inUseSince = "2026-11-01";
  const perDay = (day: string) => limitOn(day, { inUseSince, fixedLimit: null }).new;
  expect(perDay("2026-11-01")).toBe(20);
  expect(perDay("2026-11-04")).toBe(20);
  expect(perDay("2026-11-05")).toBe(50);
  expect(perDay("2026-11-09")).toBe(100);
  expect(perDay("2026-11-16")).toBe(200);
  expect(perDay("2026-12-02")).toBe(500);
  expect(limitOn("2026-11-01", { inUseSince, fixedLimit: 70 })).toEqual({ new: 70, known: 350 });
});

test("outside of the hours, on a holiday and over the limit it says why and until when", () => {
  const hours = { weekdays: [1, 2, 3, 4, 5], from: "08:00", to: "20:00" };
  const limited = { ...rules, hours };
  const at = (text: string) => new Date(`2026-11-${text}:00-03:00`);
  const open = { limit: { new: 2, known: 10 }, sent: { new: 2, known: 3 } };

  expect(isSendingTime(at("20T08:00"), limited)).toEqual({ isOpen: true });
  expect(isSendingTime(at("20T20:00"), limited)).toEqual({
    ...{ isOpen: false, reason: "hours", until: at("23T08:00") },
  });
  expect(maySend(at("20T09:00"), limited, { ...open, kind: "known" })).toEqual({ isOpen: true });
  expect(maySend(at("20T09:00"), limited, { ...open, kind: "new" })).toEqual({
    ...{ isOpen: false, reason: "limit", until: at("23T08:00") },
  });
  const holidays = { national: {}, own: [{ day: "2026-11-20", name: "Zumbi", yearly: false }] };
  const closed = isSendingTime(at("20T09:00"), { ...limited, holidays: holidays as never });
  expect(closed).toMatchObject({ isOpen: false });
});

test("a forecast adds the gaps of one day, and goes on after the limit of each", () => {
  const { days, endsAt } = forecast(rules, wish(22));
  expect(days).toEqual([{ day: "2026-11-20", count: 22, closed: null }]);
  // 19 gaps of 20 s, then two of 60 s.
  expect(endsAt?.toISOString()).toBe("2026-11-20T12:08:20.000Z");

  const limited = forecast(rules, wish(50, { limitOn: () => ({ new: 20, known: 100 }) }));
  expect(limited.days.map(({ count }) => count)).toEqual([20, 20, 10]);
  expect(forecast(rules, wish(1_000_000)).endsAt).toBeNull();
  expect(forecast(rules, wish(0)).days).toEqual([]);
});

/** A small generator, the same for each run of a seed. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

test.each(Array.from({ length: 60 }, (_, seed) => seed + 1))(
  "no message is foreseen outside the hours, over a limit or too soon (seed %i)",
  (seed) => {
    const random = seeded(seed);
    const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
    const given: SendingRules = {
      messageInterval: pick([0, 5, 20]),
      longerIntervalAfter: pick([0, 1, 20]),
      greaterInterval: pick([0, 60, 120]),
      varies: pick([true, false]),
      hours: pick([
        null,
        { weekdays: [1, 2, 3], from: "08:00", to: "20:00" },
        { weekdays: [0, 5, 6], from: "22:30", to: "02:15" },
      ]),
      holidays: null,
      timeZone: pick(["America/Sao_Paulo", "America/Santiago", "Europe/Lisbon", "Asia/Kolkata"]),
    };
    const limit = pick([
      { new: 7, known: 35 },
      { new: null, known: null },
    ]);
    const people = { new: Math.floor(random() * 60), known: Math.floor(random() * 60) };
    const from = new Date(Date.UTC(2026, pick([2, 3, 8, 9]), 1 + Math.floor(random() * 27), 13, 7));
    const times: number[] = [];
    const { days, endsAt } = forecast(given, {
      ...{ from, people, place: 0, sentToday: { new: 0, known: 0 }, limitOn: () => limit },
      onSend: (at) => times.push(at),
    });

    const ends = times.at(-1);
    expect(times).toHaveLength(people.new + people.known);
    if (ends !== undefined) expect(endsAt?.getTime()).toBe(ends);
    for (const [place, at] of times.entries()) {
      expect(isSendingTime(new Date(at), given)).toEqual({ isOpen: true });
      const before = times[place - 1];
      const least = given.varies ? 0.7 : 1;
      const gap = gapBefore(place, { ...given, varies: false }, 0) * least;
      if (before !== undefined) expect(at - before).toBeGreaterThanOrEqual(Math.max(1_000, gap));
    }
    const perDay = Map.groupBy(times, (at) => localDay(new Date(at), given.timeZone));
    const most = limit.new === null ? Number.POSITIVE_INFINITY : 42;
    for (const [day, sent] of perDay) {
      expect(sent.length).toBeLessThanOrEqual(most);
      expect(days.find((one) => one.day === day)?.count).toBe(sent.length);
    }
  },
);
