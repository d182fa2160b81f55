import type { ErrorCode } from "@balcao/contract";
import { expect, test } from "vitest";
import type { AfterFailure } from "./schedule.ts";
import { afterFailure } from "./schedule.ts";

const sendAt = new Date("2026-07-01T12:00:00Z");
const minutes = (from: Date, to: Date): number => (to.getTime() - from.getTime()) / 60_000;
const late = (ms: number): Date => new Date(sendAt.getTime() + ms);
const HOUR_MS = 3_600_000;

/** One failure after the other, each at the moment it was due; `from` is when the first try was. */
function failures(codes: readonly ErrorCode[], from = sendAt) {
  let now = from;
  let state: Pick<AfterFailure, "attempts" | "errorCode"> = { attempts: 0, errorCode: null };
  return codes.map((code) => {
    const next = afterFailure({ sendAt, ...state }, code, now);
    const waited = minutes(now, next.dueAt);
    state = next;
    now = next.dueAt;
    return { status: next.status, waited };
  });
}

const noSession = (times: number): ErrorCode[] => Array(times).fill("ERR_NO_DEF_WAPP_FOUND");

test("without a session the retries wait 1, 2, 4, 8 and then 15 minutes", () => {
  const waits = failures(noSession(7));
  expect(waits.map(({ waited }) => waited)).toEqual([1, 2, 4, 8, 15, 15, 15]);
  expect(new Set(waits.map(({ status }) => status))).toEqual(new Set(["PENDENTE"]));
});

test("a schedule waits for a session until it is a day late, and not longer", () => {
  const steps = failures(noSession(150));
  const end = steps.findIndex(({ status }) => status === "ERRO");
  const waitedMinutes = steps.slice(0, end).reduce((sum, { waited }) => sum + waited, 0);
  expect(waitedMinutes).toBeGreaterThanOrEqual(24 * 60);
  expect(waitedMinutes).toBeLessThan(24 * 60 + 15);
});

test("a server that was off for days waits a while for its sessions before it gives up", () => {
  const steps = failures(noSession(6), late(100 * HOUR_MS));
  expect(steps.map(({ status }) => status)).toEqual([...Array(5).fill("PENDENTE"), "ERRO"]);
});

test("after any other failure it is tried three times", () => {
  const steps = failures(Array<ErrorCode>(3).fill("ERR_WAPP_INVALID_CONTACT"));
  expect(steps).toMatchObject([
    { status: "PENDENTE", waited: 1 },
    { status: "PENDENTE", waited: 2 },
    { status: "ERRO" },
  ]);
});

test("waits for a session and other tries are counted separately", () => {
  const codes: ErrorCode[] = [
    ...noSession(4),
    "ERR_SENDING_WAPP_MSG",
    "ERR_FILE_MISSING",
    "ERR_WAPP_NOT_INITIALIZED",
    "ERR_SENDING_WAPP_MSG",
    "ERR_SENDING_WAPP_MSG",
    "ERR_SENDING_WAPP_MSG",
  ];
  const steps = failures(codes);
  expect(steps.map(({ status }) => status).at(-1)).toBe("ERRO");
  expect(steps.slice(0, -1).every(({ status }) => status === "PENDENTE")).toBe(true);
  expect(steps.map(({ waited }) => waited)).toEqual([1, 2, 4, 8, 1, 2, 1, 1, 2, 0]);
});

test("the last reason is stored and shown", () => {
  const next = afterFailure({ sendAt, attempts: 0, errorCode: null }, "ERR_FILE_MISSING", sendAt);
  expect(next).toMatchObject({ errorCode: "ERR_FILE_MISSING", attempts: 1 });
});
