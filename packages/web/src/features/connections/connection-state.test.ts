import { act, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { useIsDown } from "./api.ts";
import { givenConnection } from "../tickets/testing/given-choices.ts";
import { reasonKey, sessionActions } from "./connection-state.tsx";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const up = givenConnection(1, "Loja Paulista");
const down = givenConnection(1, "Loja Paulista", { status: "DISCONNECTED" });

const wait = (ms: number): void => act(() => void vi.advanceTimersByTime(ms));

test("a lost connection is shown after 2 seconds, not sooner", () => {
  const { result, rerender } = renderHook((connection) => useIsDown(connection), {
    initialProps: up,
  });
  wait(10_000);
  rerender(down);
  wait(1_999);
  expect(result.current).toBe(false);
  wait(1);
  expect(result.current).toBe(true);
  rerender(up);
  expect(result.current).toBe(false);
});

test("a connection that is back within 2 seconds is not shown as lost", () => {
  const { result, rerender } = renderHook((connection) => useIsDown(connection), {
    initialProps: down,
  });
  wait(1_500);
  rerender(up);
  wait(5_000);
  expect(result.current).toBe(false);
});

test.each([
  ["qrcode", ["qr"]],
  ["DISCONNECTED", ["tryAgain", "newQr"]],
  ["CONNECTED", ["disconnect"]],
  ["PAIRING", ["disconnect"]],
  ["TIMEOUT", ["disconnect"]],
  ["OPENING", ["connecting"]],
] as const)("a connection that is %s has the buttons %j", (status, actions) => {
  expect(sessionActions(status, "whatsapp-web")).toEqual(actions);
});

test("the official API has no code to scan", () => {
  expect(sessionActions("DISCONNECTED", "cloud-api")).toEqual(["tryAgain"]);
});

test("an unknown reason has a text of its own", () => {
  expect(reasonKey("logged-out")).toBe("connections.reasons.logged-out");
  expect(reasonKey("gremlins")).toBe("connections.reasons.unknown");
});
