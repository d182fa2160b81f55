import { AsyncLocalStorage } from "node:async_hooks";
import { afterEach, describe, expect, test, vi } from "vitest";
import { seededRandom, sized } from "../../testing/soak.ts";
import { createCompanyShares } from "./company-shares.ts";
import type { FairShareOptions } from "./fair-share.ts";
import { FairShare } from "./fair-share.ts";

/** A share with a clock of its own, whose tasks end only when told. */
function given(options: Pick<FairShareOptions, "slots" | "least">) {
  let now = 1_000;
  const share = new FairShare({ ...options, now: () => now });
  const begun: number[] = [];
  const running: { group: number; sinceMs: number; end: () => void }[] = [];
  return {
    ...{ share, begun, running },
    pass: (ms: number) => {
      now += ms;
    },
    now: () => now,
    add(group: number, count = 1): void {
      for (let n = 0; n < count; n += 1) {
        share.acquire(group, (release) => {
          begun.push(group);
          running.push({ group, sinceMs: now, end: release });
        });
      }
    },
    endNext(group?: number): void {
      const place = running.findIndex((one) => group === undefined || one.group === group);
      running.splice(place, 1)[0]?.end();
    },
    runningOf: (group: number) => running.filter((one) => one.group === group).length,
  };
}

/** A group that has used far more than a light one. */
function busy(options: Pick<FairShareOptions, "slots" | "least">) {
  const all = given(options);
  all.add(1);
  all.pass(2_000);
  all.endNext();
  return all;
}

test("the only group that works uses all slots but one, which the next group finds free", () => {
  const { add, begun, runningOf } = given({ slots: 8, least: 2 });
  add(1, 100);
  expect(runningOf(1)).toBe(7);
  add(2);
  expect(begun.at(-1)).toBe(2);
});

test("a light group uses at most half of the slots while others work", () => {
  const { add, runningOf } = given({ slots: 8, least: 2 });
  add(2);
  add(1, 100);
  expect(runningOf(1)).toBe(4);
});

test.each([
  { others: 1, atOnce: 8 },
  { others: 3, atOnce: 4 },
  { others: 20, atOnce: 2 },
])("of $others others at work, a busy group keeps $atOnce slots of 16", ({ others, atOnce }) => {
  const { add, endNext, runningOf } = busy({ slots: 16, least: 2 });
  for (let other = 2; other < 2 + others; other += 1) {
    add(other);
    endNext(other);
  }
  add(1, 300);
  expect(runningOf(1)).toBe(atOnce);
});

test("a second company's task is next, not behind the first one's 200", () => {
  const { add, begun, endNext, pass } = busy({ slots: 3, least: 3 });
  add(1, 203);
  add(2, 3);
  const before = begun.length;
  pass(5);
  endNext(1);
  endNext(1);
  expect(begun.slice(before)).toEqual([2, 2]);
});

test.each([
  { callMs: 0, turns: ["message 1", "call 1", "message 2", "call 2", "call 3", "call 4"] },
  { callMs: 25, turns: ["call 1", "message 1", "message 2", "call 2", "message 3", "message 4"] },
])(
  "a group's two lines take turns by the time they use (calls of $callMs ms)",
  ({ callMs, turns }) => {
    let now = 0;
    const share = new FairShare({ slots: 1, least: 1, now: () => now });
    const order: string[] = [];
    let end = (): void => undefined;
    const add = (name: string, line: 0 | 1) =>
      share.acquire(
        1,
        (release) => {
          order.push(name);
          end = release;
        },
        undefined,
        line,
      );
    add("first", 0);
    for (const n of [1, 2, 3, 4]) add(`call ${n}`, 1);
    for (let n = 1; n <= (callMs === 0 ? 2 : 6); n += 1) add(`message ${n}`, 0);
    for (let n = 0; n < 6; n += 1) {
      now += order.at(-1)?.startsWith("call") === true ? callMs : callMs / 2.5;
      end();
    }
    expect(order.slice(1)).toEqual(turns);
  },
);

test("slots are shared by time: a group with long tasks runs fewer of them", () => {
  const { add, running, pass, now, endNext, begun } = given({ slots: 3, least: 2 });
  const lasts = (group: number) => (group === 1 ? 30 : 10);
  add(1, 400);
  add(2, 400);
  for (let step = 0; step < 200; step += 1) {
    const [next] = running.toSorted(
      (a, b) => a.sinceMs + lasts(a.group) - b.sinceMs - lasts(b.group),
    );
    if (!next) throw new Error("nothing runs");
    pass(next.sinceMs + lasts(next.group) - now());
    endNext(next.group);
  }
  const count = (group: number) => begun.filter((one) => one === group).length;
  expect(count(2) / count(1)).toBeGreaterThan(2);
});

test("a group that was idle gets no credit for it", () => {
  const { add, begun, pass, endNext } = busy({ slots: 3, least: 3 });
  add(1, 50);
  for (let n = 0; n < 20; n += 1) {
    pass(10);
    endNext();
  }
  add(2, 50);
  const before = begun.length;
  for (let n = 0; n < 20; n += 1) {
    pass(10);
    endNext();
  }
  expect(begun.slice(before).filter((group) => group === 1).length).toBeGreaterThan(4);
});

const SEED = Number(process.env["SEED"] ?? 17);
const RUNS = sized({ test: 30, soak: 2_000 });

test(`any order of tasks: all end, none runs beyond the slots, no free slot waits in vain (seed ${SEED})`, () => {
  const random = seededRandom(SEED);
  const pick = (count: number) => Math.floor(random() * count);
  for (let run = 0; run < RUNS; run += 1) {
    const [slots, least] = [1 + pick(8), 1 + pick(3)];
    const { share, add, running, begun, pass, endNext, runningOf } = given({ slots, least });
    let added = 0;
    for (let step = 0; step < 150; step += 1) {
      if (random() < 0.6) {
        const count = 1 + pick(6);
        add(pick(5), count);
        added += count;
      } else if (running.length > 0) {
        pass(pick(200));
        endNext(running[pick(running.length)]?.group);
      } else pass(pick(4_000));
      expect(running.length).toBeLessThanOrEqual(slots);
      for (const { group, waiting } of share.present()) {
        if (waiting === 0 || running.length === slots) continue;
        // A slot is free: the group waits only because it runs at least what it may always run.
        expect(runningOf(group)).toBeGreaterThanOrEqual(Math.min(least, Math.max(1, slots - 1)));
      }
    }
    while (running.length > 0) {
      pass(pick(50));
      endNext();
    }
    expect([begun.length, share.present()]).toEqual([added, []]);
  }
});

describe("at a pace of 25 ms in 100, with 250 ms at once", () => {
  const options = { slots: 8, least: 2, pace: { part: 0.25, burstMs: 250 } };
  afterEach(() => void vi.useRealTimers());

  /** Groups that always have so many tasks of some duration, or one from time to time. */
  function play(
    share: FairShare,
    groups: { id: number; ms: number; atOnce?: number; everyMs?: number }[],
  ) {
    vi.useFakeTimers();
    const done = new Map(
      groups.map(({ id }) => [id, { usedMs: 0, longestWaitMs: 0, mostAtOnce: 0 }]),
    );
    for (const { id, ms, atOnce = 1, everyMs } of groups) {
      const result = done.get(id);
      if (!result) continue;
      let running = 0;
      const begin = (): void => {
        share.acquire(id, (release, { waitedMs }) => {
          running += 1;
          result.mostAtOnce = Math.max(result.mostAtOnce, running);
          result.longestWaitMs = Math.max(result.longestWaitMs, waitedMs);
          setTimeout(() => {
            running -= 1;
            result.usedMs += ms;
            release();
            if (everyMs === undefined) begin();
          }, ms);
        });
      };
      if (everyMs !== undefined) setInterval(begin, everyMs);
      else for (let n = 0; n < atOnce; n += 1) begin();
    }
    return {
      /** Plays the next ten seconds, and returns the tasks and times of each group. */
      next(): { usedMs: number; longestWaitMs: number; mostAtOnce: number }[] {
        for (const result of done.values())
          Object.assign(result, { usedMs: 0, longestWaitMs: 0, mostAtOnce: 0 });
        vi.advanceTimersByTime(10_000);
        return [...done.values()].map((result) => ({ ...result }));
      },
    };
  }

  test("a flooding group has a quarter of the time and one task at once, and the others do not wait", () => {
    const world = play(new FairShare(options), [
      { id: 1, ms: 9, atOnce: 50 },
      { id: 2, ms: 5, everyMs: 100 },
      { id: 3, ms: 20, everyMs: 150 },
    ]);
    world.next();
    const [busy, ...others] = world.next();
    expect(busy?.usedMs).toBeGreaterThan(2_000);
    expect(busy?.usedMs).toBeLessThan(2_700);
    expect(busy?.mostAtOnce).toBe(1);
    expect(others).toMatchObject([{ longestWaitMs: 0 }, { longestWaitMs: 0 }]);
  });

  test("a group that works alone has no pace, and starts without a debt when others come", () => {
    const share = new FairShare(options);
    const [alone] = play(share, [{ id: 1, ms: 9, atOnce: 50 }]).next();
    expect(alone).toMatchObject({ mostAtOnce: 7 });
    expect(alone?.usedMs).toBeGreaterThan(60_000);
    const [, beside] = play(share, [
      { id: 2, ms: 9, everyMs: 500 },
      { id: 1, ms: 0, everyMs: 400 },
    ]).next();
    expect(beside?.longestWaitMs).toBeLessThan(200);
  });

  test("a light group is never paced, however much another one wants", () => {
    const [, light] = play(new FairShare(options), [
      { id: 1, ms: 30, atOnce: 50 },
      { id: 2, ms: 20, everyMs: 100 },
    ]).next();
    expect(light).toMatchObject({ longestWaitMs: 0, usedMs: 1_980 });
  });

  test("a long task is paid off before the next one, and two flooding groups have the same", () => {
    const world = play(new FairShare(options), [
      { id: 1, ms: 400, atOnce: 30 },
      { id: 2, ms: 10, atOnce: 30 },
      { id: 3, ms: 2, everyMs: 500 },
    ]);
    world.next();
    const [long, short] = world.next();
    for (const used of [long?.usedMs ?? 0, short?.usedMs ?? 0]) {
      expect(used).toBeGreaterThan(1_900);
      expect(used).toBeLessThan(2_900);
    }
  });

  test("with few groups at work, a flooding one has an equal part of the processors", () => {
    const pace = { ...options.pace, processors: 2 };
    const world = play(new FairShare({ ...options, pace }), [
      { id: 1, ms: 10, atOnce: 50 },
      { id: 2, ms: 5, everyMs: 400 },
      { id: 3, ms: 5, everyMs: 400 },
    ]);
    world.next();
    const [busy] = world.next();
    expect(busy?.usedMs).toBeGreaterThan(6_000);
    expect(busy?.usedMs).toBeLessThan(7_000);
  });

  test("a group whose few tasks take long is not held back", () => {
    const world = play(new FairShare({ ...options, slots: 16 }), [
      { id: 1, ms: 600, everyMs: 300 },
      { id: 2, ms: 10, everyMs: 60 },
    ]);
    world.next();
    for (const { longestWaitMs } of world.next()) expect(longestWaitMs).toBe(0);
  });

  test("a group is held back as long as it asks for far more than others", () => {
    let asks = false;
    const told: boolean[] = [];
    const asksTooMuch = (id: number, isFlooding: boolean): boolean => {
      told.push(isFlooding);
      return id === 1 && asks;
    };
    const pace = { ...options.pace, asksTooMuch };
    const world = play(new FairShare({ ...options, pace }), [
      { id: 1, ms: 10, atOnce: 50 },
      { id: 2, ms: 5, everyMs: 100 },
    ]);
    const usedMs = () => {
      world.next();
      return world.next()[0]?.usedMs ?? 0;
    };
    expect(usedMs()).toBeGreaterThan(10_000);
    asks = true;
    expect(told).not.toContain(true);
    expect(usedMs()).toBeLessThan(2_700);
    expect(told).toContain(true);
    asks = false;
    expect(usedMs()).toBeGreaterThan(10_000);
  });

  test("a large backlog is held back before anything of it has ended", () => {
    const waitingElsewhere = (id: number) => (id === 1 ? 200 : 0);
    const share = new FairShare({ ...options, pace: { ...options.pace, waitingElsewhere } });
    const begun: number[] = [];
    for (const id of [2, 1, 1, 1]) share.acquire(id, () => void begun.push(id));
    expect(begun).toEqual([2]);
    expect(share.waitingOf(1)).toBe(3);
  });

  test("flooding groups without a light one beside them have no pace", () => {
    const world = play(new FairShare(options), [
      { id: 1, ms: 10, atOnce: 30 },
      { id: 2, ms: 10, atOnce: 30 },
    ]);
    world.next();
    for (const { usedMs } of world.next()) expect(usedMs).toBeGreaterThan(6_000);
  });

  test("a paced task lets the others' tasks end first, but not longer than 40 ms", () => {
    const others = Array.from({ length: 100 }, (_, n) => ({
      ...{ id: n + 2, ms: 100, everyMs: 900 + 17 * n },
    }));
    const share = new FairShare({ ...options, slots: 20 });
    const world = play(share, [{ id: 1, ms: 5, atOnce: 20 }, ...others]);
    world.next();
    const [busy] = world.next();
    expect(busy?.usedMs).toBeGreaterThan(1_000);
    expect(busy?.usedMs).toBeLessThan(1_800);
  });
});

describe("companies", () => {
  const limits = {
    ...{ connections: 2, least: 1, waiting: 10, searches: 1, part: 25, processors: 0 },
    floodPerSecond: 70,
  };

  test("calls are refused with the time to wait while too much of the company waits, and only its own", async () => {
    const shares = createCompanyShares(limits);
    const [one, two] = [1, 2] as Parameters<typeof shares.admitCall>[0][];
    if (one === undefined || two === undefined) throw new Error("no companies");
    const gate = Promise.withResolvers<void>();
    const work = Array.from({ length: 12 }, () =>
      shares.inTransaction({ companyId: one }, () => gate.promise),
    );
    await expect(shares.admitCall(one)).rejects.toMatchObject({
      ...{ code: "ERR_COMPANY_BUSY", data: { retryAfterSeconds: 1 } },
    });
    await shares.admitCall(two);
    await expect(shares.inTransaction({ companyId: two }, async () => "done")).resolves.toBe(
      "done",
    );
    expect(shares.present()).toMatchObject([{ companyId: 1, running: 1, waiting: 11 }]);
    gate.resolve();
    await Promise.all(work);
    await shares.admitCall(one);
    expect(shares.takeUse().get(one)).toMatchObject({ calls: 2, refused: 1 });
    expect(shares.takeUse().size).toBe(0);
  });

  test("calls cost the thread's time: a flood of them is let in at the company's pace, before its sessions are read", async () => {
    vi.useFakeTimers();
    try {
      let activeMs = 0;
      const shares = createCompanyShares({
        ...limits,
        floodPerSecond: 0,
        activeMs: () => activeMs,
      });
      const [one, two] = [1, 2] as Parameters<typeof shares.admitCall>[0][];
      if (one === undefined || two === undefined) throw new Error("no companies");
      const admitted = { flooding: 0, refused: 0, other: 0 };
      const call = (companyId: typeof one, whose: "flooding" | "other") =>
        shares.admitCall(companyId).then(
          () => {
            activeMs += 4.5;
            admitted[whose] += 1;
          },
          () => void (admitted.refused += 1),
        );
      for (let ms = 0; ms < 10_000; ms += 5) {
        void call(one, "flooding");
        if (ms % 500 === 0) void call(two, "other");
        await vi.advanceTimersByTimeAsync(5);
      }
      expect(admitted.other).toBe(20);
      // Half of ten seconds, since two work, in calls of 4 ms at most: refusals cost a part of it.
      expect(admitted.flooding).toBeGreaterThan(700);
      expect(admitted.flooding).toBeLessThan(1_700);
      expect(admitted.refused).toBeGreaterThan(200);
      expect(shares.takeUse().get(one)).toMatchObject({ calls: 2_000, refused: admitted.refused });
    } finally {
      vi.useRealTimers();
    }
  });

  describe("one that uses much", () => {
    afterEach(() => void vi.useRealTimers());

    /** Transactions of 10 ms that a company has done in ten seconds: 1,000 for one at a time, 250 at its pace. */
    async function doneOf(given: {
      /** So many at once, so many more elsewhere, and so many events. */
      atOnce: number;
      elsewhere?: number;
      events: number;
      /** Events in each tenth of a second, of the company and of each other one. */
      own?: number;
      others?: number;
      threadPart?: number;
    }): Promise<number> {
      vi.useFakeTimers();
      const { atOnce, elsewhere = 0, events, own = 0, others = 1, threadPart = 0.5 } = given;
      const activeMs = () => performance.now() * threadPart;
      const shares = createCompanyShares({ ...limits, connections: 8, activeMs });
      const [one, ...light] = [1, 2, 3, 4] as Parameters<typeof shares.admitCall>[0][];
      if (one === undefined) throw new Error("no companies");
      shares.countLine((companyId) => (companyId === one ? elsewhere : 0));
      shares.noteEvents(one, events);
      let done = 0;
      const work = (companyId: typeof one, ms: number) =>
        shares.inTransaction({ companyId }, async () => {
          await new Promise((resolve) => setTimeout(resolve, ms));
        });
      const again = async (): Promise<void> => {
        await work(one, 10);
        done += 1;
        void again();
      };
      for (let n = 0; n < atOnce; n += 1) void again();
      for (let ms = 0; ms < 10_000; ms += 100) {
        shares.noteEvents(one, own);
        for (const other of light) {
          shares.noteEvents(other, others);
          void work(other, 2);
        }
        await vi.advanceTimersByTimeAsync(100);
      }
      return done;
    }

    test.each([
      { atOnce: 40, events: 3_000 },
      { atOnce: 2, elsewhere: 40, events: 3_000 },
      { atOnce: 2, events: 3_000, threadPart: 0.9 },
      { atOnce: 40, events: 1_000, own: 20, others: 1 },
    ])(
      "is paced when its work piles up and it asks for far more than others: %o",
      async (given) => {
        expect(await doneOf(given)).toBeLessThan(350);
      },
    );

    test.each([
      { atOnce: 1, events: 3_000 },
      { atOnce: 40, events: 3_000, own: 3, others: 100 },
      { atOnce: 40, events: 500, own: 5, others: 0.6 },
      { atOnce: 40, events: 0 },
    ])("is not paced without one of them: %o", async (given) => {
      expect(await doneOf(given)).toBeGreaterThan(800);
    });
  });

  test("what arrives is stored while the company is held back: at once, one after another, and not urgent", async () => {
    vi.useFakeTimers();
    try {
      const shares = createCompanyShares({ ...limits, connections: 8, activeMs: () => 0 });
      const [one, two] = [1, 2] as Parameters<typeof shares.admitCall>[0][];
      if (one === undefined || two === undefined) throw new Error("no companies");
      const sleep = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));
      shares.noteEvents(one, 3_000);
      shares.noteEvents(two, 1);
      void shares.inTransaction({ companyId: two }, () => sleep(1));
      for (let n = 0; n < 100; n += 1) {
        void shares.inTransaction({ companyId: one }, () => sleep(10));
      }
      await vi.advanceTimersByTimeAsync(100);
      const stored: { isUrgent: boolean; running: number }[] = [];
      let running = 0;
      for (let n = 0; n < 10; n += 1) {
        void shares.inTransaction({ companyId: one, isFirst: true }, async ({ isUrgent }) => {
          running += 1;
          await sleep(10);
          stored.push({ isUrgent, running });
          running -= 1;
        });
      }
      await vi.advanceTimersByTimeAsync(105);
      expect(stored).toEqual(Array.from({ length: 10 }, () => ({ isUrgent: false, running: 1 })));
      expect(shares.useOf(one).databaseMs).toBeGreaterThan(100);
    } finally {
      vi.useRealTimers();
    }
  });

  test("a company's second search waits for its first", async () => {
    const shares = createCompanyShares(limits);
    const [one, two] = [1, 2] as Parameters<typeof shares.admitCall>[0][];
    if (one === undefined || two === undefined) throw new Error("no companies");
    const end = await shares.beginSearch(one);
    let isSearching = false;
    const second = shares.beginSearch(one).then((done) => {
      isSearching = true;
      return done;
    });
    (await shares.beginSearch(two))();
    expect(isSearching).toBe(false);
    end();
    (await second)();
  });

  test("work that fails gives its turn back", async () => {
    const shares = createCompanyShares({ ...limits, connections: 1 });
    const [one] = [1] as Parameters<typeof shares.admitCall>[0][];
    if (one === undefined) throw new Error("no company");
    await expect(
      shares.inTransaction({ companyId: one }, () => Promise.reject(new Error("no"))),
    ).rejects.toThrow("no");
    await expect(shares.inTransaction({ companyId: one }, async () => 1)).resolves.toBe(1);
  });

  test("a transaction inside another of the company has its turn already", async () => {
    const shares = createCompanyShares({ ...limits, connections: 1 });
    const [one] = [1] as Parameters<typeof shares.admitCall>[0][];
    if (one === undefined) throw new Error("no company");
    const inner = () => shares.inTransaction({ companyId: one }, async () => "inner");
    await expect(shares.inTransaction({ companyId: one }, inner)).resolves.toBe("inner");
    // Code that began inside of it and goes on after its end takes a turn of its own.
    let later: (() => Promise<string>) | undefined;
    const first = await shares.inTransaction({ companyId: one }, async () => {
      later = AsyncLocalStorage.bind(inner);
      return "first";
    });
    expect([first, await later?.()]).toEqual(["first", "inner"]);
  });
});
