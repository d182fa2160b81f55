import { EventEmitter } from "node:events";
import { pino } from "pino";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Closing, EndingProcess } from "./process-stop.ts";
import { stopInOrder } from "./process-stop.ts";

/** Stands for Node's `process`, which it does not end. */
class StandIn extends EventEmitter {
  readonly exit = vi.fn();
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A process that has opened a database and then an application, in which something is closed as given. */
function running(closeLast: Closing = async () => undefined, drainMs = 0) {
  const steps: string[] = [];
  const lines: { level: number; msg: string; event?: string; err?: { message: string } }[] = [];
  const process = new StandIn();
  stopInOrder(process as unknown as EndingProcess, {
    opened: [
      async () => void steps.push("database"),
      async () => {
        steps.push("application");
        await closeLast();
      },
    ],
    serving: { leave: () => void steps.push("leave"), drainMs },
    log: pino({ level: "info" }, { write: (line: string) => lines.push(JSON.parse(line)) }),
  });
  return { process, steps, lines };
}

test.each(["uncaughtException", "unhandledRejection"])(
  "an %s is logged, and the process closes what it opened, last first, and ends with 70, once",
  async (event) => {
    const { process, steps, lines } = running();
    process.emit(event, new Error("nobody caught me"));
    process.emit(event, new Error("nor me"));
    process.emit("SIGTERM", "SIGTERM");
    await vi.advanceTimersByTimeAsync(0);
    expect(steps.filter((step) => step !== "leave")).toEqual(["application", "database"]);
    expect(process.exit.mock.calls).toEqual([[70]]);
    expect(lines.slice(0, 2)).toMatchObject([
      { level: 60, event, err: { message: "nobody caught me" } },
      { level: 60, event, err: { message: "nor me" } },
    ]);
  },
);

test.each<[how: string, closeLast: Closing, endsAtMs: number]>([
  ["fails", () => Promise.reject(new Error("stuck")), 0],
  ["hangs", () => new Promise(() => undefined), 8_000],
])("it ends with 70 although the closing %s", async (_how, closeLast, endsAtMs) => {
  const { process, steps } = running(closeLast);
  process.emit("uncaughtException", new Error("nobody caught me"));
  await vi.advanceTimersByTimeAsync(Math.max(0, endsAtMs - 1));
  expect(process.exit).toHaveBeenCalledTimes(endsAtMs === 0 ? 1 : 0);
  await vi.advanceTimersByTimeAsync(1);
  expect(process.exit.mock.calls).toEqual([[70]]);
  expect(steps).toEqual(["application"]);
});

test.each(["SIGINT", "SIGTERM", "SIGHUP"])(
  "%s closes all and ends with 0, behind a balancer after it was told",
  async (signal) => {
    const alone = running();
    alone.process.emit(signal, signal);
    await vi.advanceTimersByTimeAsync(0);
    expect([alone.steps, alone.process.exit.mock.calls]).toEqual([
      ["application", "database"],
      [[0]],
    ]);
    const balanced = running(undefined, 5_000);
    balanced.process.emit(signal, signal);
    await vi.advanceTimersByTimeAsync(4_999);
    expect(balanced.steps).toEqual(["leave"]);
    await vi.advanceTimersByTimeAsync(1);
    expect(balanced.steps).toEqual(["leave", "application", "database"]);
    expect(balanced.process.exit.mock.calls).toEqual([[0]]);
  },
);
