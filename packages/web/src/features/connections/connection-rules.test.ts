import { expect, test } from "vitest";
import { reasonKey, sessionActions } from "./connection-state.tsx";

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

test("a reason that this version does not know is said to be unknown", () => {
  expect(reasonKey("logged-out")).toBe("connections.reasons.logged-out");
  expect(reasonKey("gremlins")).toBe("connections.reasons.unknown");
});
