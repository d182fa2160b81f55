import { pino } from "pino";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Wake, WakeListener } from "../db/wake.ts";
import type { DueWorkerOptions } from "./due-worker.ts";
import { DueWorker } from "./due-worker.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Lets promises settle; no time passes. */
const settle = () => vi.advanceTimersByTimeAsync(0);

type Item = { id: string; companyId: number };
type LogLine = { level: number; worker: string; item?: string; companyId?: number };

const items = (companyId: number, ...ids: string[]): Item[] => ids.map((id) => ({ id, companyId }));

/** Rows that are due, a worker that claims them, and runs that end when the test says so. */
function newWork({ atOnce = 1, batch = atOnce, ...change }: Partial<Change> = {}) {
  const due: Item[] = [];
  const looks: number[] = [];
  const begun: string[] = [];
  const returned: string[] = [];
  const logged: LogLine[] = [];
  const ends = new Map<string, (error?: Error) => void>();
  const startMs = performance.now();
  const worker = new DueWorker<Item>({
    name: "test",
    log: pino({ level: "warn" }, { write: (line: string) => void logged.push(JSON.parse(line)) }),
    lookEveryMs: 5_000,
    look: async (limit) => {
      looks.push(Math.round(performance.now() - startMs));
      return { due: due.splice(0, limit) };
    },
    work: {
      atOnce,
      batch,
      idOf: ({ id }) => id,
      companyOf: ({ companyId }) => companyId,
      run: ({ id }) =>
        new Promise((resolve, reject) => {
          begun.push(id);
          ends.set(id, (error) => (error ? reject(error) : resolve()));
        }),
      giveBack: async (claims) => void returned.push(...claims.map(({ id }) => id)),
    },
    ...change,
  });
  const end = async (id: string, error?: Error): Promise<void> => {
    ends.get(id)?.(error);
    await settle();
  };
  return { worker, due, looks, begun, returned, logged, end };
}
type Change = DueWorkerOptions<Item> & { atOnce: number; batch: number };

test("an idle worker looks at its pace and no more", async () => {
  const { worker, looks } = newWork();
  worker.start();
  await vi.advanceTimersByTimeAsync(20_000);
  expect(looks).toEqual([0, 5_000, 10_000, 15_000, 20_000]);
  await worker.stop();
});

test("as many items run at once as may, in turns by company", async () => {
  const { worker, due, begun, end } = newWork({ atOnce: 2, batch: 10 });
  due.push(...items(1, "a1", "a2", "a3", "a4"), ...items(2, "b1"));
  worker.start();
  await settle();
  expect(begun).toEqual(["a1", "a2"]);
  await end("a1");
  await end("a2");
  expect(begun).toEqual(["a1", "a2", "a3", "b1"]);
  await end("a3");
  await end("b1");
  expect(begun.at(-1)).toBe("a4");
  await end("a4");
  await worker.stop();
});

test("claims no more items than it may hold, and the next ones when half of them are done", async () => {
  const { worker, due, looks, begun, end } = newWork({ atOnce: 4, batch: 4 });
  due.push(...items(1, "a", "b", "c", "d", "e", "f"));
  worker.start();
  await settle();
  expect(begun).toEqual(["a", "b", "c", "d"]);
  await end("a");
  await vi.advanceTimersByTimeAsync(100);
  expect(looks).toHaveLength(1);
  await end("b");
  await vi.advanceTimersByTimeAsync(100);
  expect(begun).toEqual(["a", "b", "c", "d", "e", "f"]);
  for (const id of ["c", "d", "e", "f"]) await end(id);
  await worker.stop();
});

test("an item that a look reads again while it runs is not begun a second time", async () => {
  const asked: [limit: number, held: number][] = [];
  const [item] = items(1, "a");
  const { worker, begun, end } = newWork({
    batch: 3,
    look: async (limit, held) => {
      asked.push([limit, held]);
      return { due: item ? [item] : [] };
    },
  });
  worker.start();
  await vi.advanceTimersByTimeAsync(5_000);
  expect([begun, asked]).toEqual([
    ["a"],
    [
      [3, 0],
      [2, 1],
    ],
  ]);
  await end("a");
  await vi.advanceTimersByTimeAsync(5_000);
  expect(begun).toEqual(["a", "a"]);
  await end("a");
  await worker.stop();
});

test("looks when the next item comes due, when a topic wakes it, and not without a pause between two looks", async () => {
  const listeners: WakeListener[] = [];
  const wake = {
    on: (_: string, listener: WakeListener) => (listeners.push(listener), () => listeners.pop()),
  };
  const looks: number[] = [];
  const startMs = performance.now();
  const { worker } = newWork({
    betweenLooksMs: 100,
    wokenBy: { wake: wake as unknown as Wake, topic: "test", inMs: 30 },
    look: async () => {
      looks.push(Math.round(performance.now() - startMs));
      return { due: [], nextInMs: looks.length === 1 ? 1_200 : null };
    },
  });
  worker.start();
  await vi.advanceTimersByTimeAsync(1_300);
  expect(looks).toEqual([0, 1_200]);
  for (const listener of listeners) listener("test");
  await vi.advanceTimersByTimeAsync(30);
  for (let n = 0; n < 5; n += 1) for (const listener of listeners) listener("test");
  await vi.advanceTimersByTimeAsync(1_000);
  expect(looks).toEqual([0, 1_200, 1_330, 1_430]);
  await worker.stop();
  expect(listeners).toEqual([]);
});

test("a wake-up during a look has another look follow", async () => {
  const answers: (() => void)[] = [];
  const { worker } = newWork({
    look: () => new Promise((resolve) => void answers.push(() => resolve({ due: [] }))),
  });
  worker.start();
  await settle();
  worker.wake(0);
  await vi.advanceTimersByTimeAsync(100);
  answers[0]?.();
  await vi.advanceTimersByTimeAsync(100);
  expect(answers).toHaveLength(2);
  answers[1]?.();
  await vi.advanceTimersByTimeAsync(100);
  expect(answers).toHaveLength(2);
  await worker.stop();
});

test("a failing look is logged and repeated with growing waits, and the pace returns", async () => {
  const looks: number[] = [];
  let error: Error | null = new Error("wrong");
  const { worker, logged } = newWork({
    look: async () => {
      looks.push(Math.round(performance.now()));
      if (error) throw error;
      return { due: [] };
    },
  });
  worker.start();
  await vi.advanceTimersByTimeAsync(13_000);
  const waits = looks.slice(1).map((atMs, index) => atMs - (looks[index] ?? 0));
  expect(waits).toEqual([500, 1_000, 2_000, 4_000, 5_000]);
  expect(logged).toMatchObject(looks.map(() => ({ level: 50, worker: "test" })));
  error = Object.assign(new Error("away"), { code: "ECONNREFUSED" });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(logged.at(-1)).toMatchObject({ level: 40 });
  error = null;
  await vi.advanceTimersByTimeAsync(5_000);
  const count = logged.length;
  await vi.advanceTimersByTimeAsync(5_000);
  expect(logged).toHaveLength(count);
  await worker.stop();
});

test("a failing item is logged with its company, does not stop the others, and is not tried without a pause", async () => {
  const { worker, due, begun, looks, logged, end } = newWork();
  due.push(...items(7, "a"));
  worker.start();
  await settle();
  due.push(...items(8, "b"));
  await end("a", new Error("wrong"));
  expect(logged).toMatchObject([{ level: 50, worker: "test", item: "a", companyId: 7 }]);
  await vi.advanceTimersByTimeAsync(499);
  expect(looks).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(begun).toEqual(["a", "b"]);
  await end("b");
  await worker.stop();
});

test("an item that may still be due is looked for again soon", async () => {
  const { worker, looks } = newWork({
    look: async () => {
      looks.push(Math.round(performance.now()));
      return { due: looks.length === 1 ? items(1, "a") : [] };
    },
    work: { atOnce: 1, batch: 2, idOf: ({ id }) => id, run: async () => "again" },
  });
  worker.start();
  await vi.advanceTimersByTimeAsync(100);
  expect(looks).toHaveLength(2);
  await worker.stop();
});

test("a stop waits for what runs, begins nothing more, and returns the other claims", async () => {
  const { worker, due, begun, returned, end } = newWork({ atOnce: 1, batch: 3 });
  due.push(...items(1, "a", "b"), ...items(2, "c"));
  worker.start();
  await settle();
  let isStopped = false;
  const stopping = worker.stop().then(() => (isStopped = true));
  await vi.advanceTimersByTimeAsync(60_000);
  expect([isStopped, begun]).toEqual([false, ["a"]]);
  await end("a");
  await stopping;
  expect([begun, returned.toSorted()]).toEqual([["a"], ["b", "c"]]);
  worker.wake(0);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(begun).toEqual(["a"]);
});

test("a stop during a look returns what the look claims", async () => {
  let answer: () => void = () => undefined;
  const { worker, begun, returned } = newWork({
    look: () => new Promise((resolve) => (answer = () => resolve({ due: items(1, "late") }))),
  });
  worker.start();
  await settle();
  const stopping = worker.stop();
  answer();
  await stopping;
  expect([begun, returned]).toEqual([[], ["late"]]);
});

test("idle resolves when nothing runs and nothing waits", async () => {
  let isAnyWaiting = true;
  const { worker, due, end } = newWork({ isAnyWaiting: async () => isAnyWaiting });
  await worker.idle(); // not started
  due.push(...items(1, "a"));
  worker.start();
  let isIdle = false;
  const waiting = worker.idle().then(() => (isIdle = true));
  await vi.advanceTimersByTimeAsync(50);
  isAnyWaiting = false;
  await vi.advanceTimersByTimeAsync(50);
  expect(isIdle).toBe(false);
  await end("a");
  await vi.advanceTimersByTimeAsync(50);
  await waiting;
  await worker.stop();
});
