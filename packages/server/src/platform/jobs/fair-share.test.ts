import { describe, expect, test } from "vitest";
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

describe("companies", () => {
  const limits = { connections: 2, least: 1, waiting: 10, searches: 1 };

  test("calls are refused with the time to wait while too much of the company waits, and only its own", async () => {
    const shares = createCompanyShares(limits);
    const [one, two] = [1, 2] as Parameters<typeof shares.admitCall>[0][];
    if (one === undefined || two === undefined) throw new Error("no companies");
    const gate = Promise.withResolvers<void>();
    const work = Array.from({ length: 12 }, () => shares.inTransaction(one, () => gate.promise));
    expect(() => shares.admitCall(one)).toThrow(
      expect.objectContaining({ code: "ERR_COMPANY_BUSY", data: { retryAfterSeconds: 1 } }),
    );
    expect(() => shares.admitCall(two)).not.toThrow();
    await expect(shares.inTransaction(two, async () => "done")).resolves.toBe("done");
    expect(shares.present()).toMatchObject([{ companyId: 1, running: 1, waiting: 11 }]);
    gate.resolve();
    await Promise.all(work);
    expect(() => shares.admitCall(one)).not.toThrow();
    expect(shares.takeUse().get(one)).toMatchObject({ calls: 2, refused: 1 });
    expect(shares.takeUse().size).toBe(0);
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
    await expect(shares.inTransaction(one, () => Promise.reject(new Error("no")))).rejects.toThrow(
      "no",
    );
    await expect(shares.inTransaction(one, async () => 1)).resolves.toBe(1);
  });
});
