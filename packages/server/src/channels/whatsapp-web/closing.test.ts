import { expect, it } from "vitest";
import type { CloseReason } from "../port.ts";
import { closeReason, socketEnd } from "./closing.ts";

type Case = {
  code?: number;
  message?: string;
  conflict?: string;
  isLinked?: boolean;
  reason: CloseReason;
};

/** As Baileys reports it. */
function ended({ code, message = "", conflict }: Case): Error {
  const error = new Error(message);
  return Object.assign(error, {
    ...(code === undefined ? {} : { output: { statusCode: code } }),
    ...(conflict === undefined ? {} : { data: { tag: "conflict", attrs: { type: conflict } } }),
  });
}

const cases: Case[] = [
  { code: 515, message: "Stream Errored (restart required)", reason: "restart" },
  { code: 428, message: "Connection Terminated", reason: "network" },
  { code: 408, message: "Connection was lost", reason: "network" },
  { code: 408, message: "QR refs attempts ended", isLinked: false, reason: "qr-expired" },
  { code: 503, message: "Stream Errored (unknown)", reason: "service" },
  { code: 500, message: "Connection Failure", reason: "service" },
  { code: 440, message: "Stream Errored (conflict)", conflict: "replaced", reason: "replaced" },
  { code: 440, conflict: "device_removed", reason: "logged-out" },
  { code: 401, message: "Connection Failure", reason: "logged-out" },
  { code: 401, conflict: "device_removed", reason: "logged-out" },
  { code: 403, message: "Connection Failure", reason: "banned" },
  { code: 419, message: "Connection Failure", reason: "banned" },
  { code: 405, message: "Connection Failure", reason: "outdated" },
  { code: 411, message: "Multi-device beta not joined", reason: "logged-out" },
  { code: 400, message: "noise certificate signature invalid", reason: "untrusted" },
  { code: 400, message: "certification match failed", reason: "untrusted" },
  { code: 400, message: "Connection Failure", reason: "service" },
  // An unknown code is a failure of the service.
  { code: 499, message: "Connection Failure", reason: "service" },
  { message: "Unsupported state or unable to authenticate data", reason: "service" },
  // A proxy's answer never unlinks.
  { code: 401, message: "WebSocket Error (Unexpected server response: 401)", reason: "network" },
  { code: 403, message: "WebSocket Error (Unexpected server response: 403)", reason: "network" },
  { code: 503, message: "WebSocket Error (Unexpected server response: 503)", reason: "service" },
  { code: 408, message: "WebSocket Error (getaddrinfo ENOTFOUND)", reason: "network" },
  // A client that is not linked cannot be unlinked.
  { code: 401, message: "Connection Failure", isLinked: false, reason: "link-refused" },
  { code: 403, message: "Connection Failure", isLinked: false, reason: "link-refused" },
  {
    code: 500,
    message: "Failed to verify account signature",
    isLinked: false,
    reason: "link-refused",
  },
];

it.each(cases)("$code $message $conflict (linked: $isLinked) means $reason", (given) => {
  const { isLinked = true, reason } = given;
  expect(closeReason(socketEnd(ended(given)), { isLinked })).toBe(reason);
});

it("an end without an error is the service's", () => {
  expect(closeReason(socketEnd(undefined), { isLinked: true })).toBe("service");
});
