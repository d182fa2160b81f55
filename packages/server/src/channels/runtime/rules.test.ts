import { expect, test } from "vitest";
import { systemSources } from "../../platform/sources.ts";
import type { ProviderErrorKind, SendOutcome } from "../port.ts";
import { allCapabilities } from "../testing/provider.ts";
import { decodeEvent, encodeEvent } from "./journal.ts";
import { afterSend } from "./outbound-attempt.ts";
import { afterClose, withJitter } from "./session.ts";
import { defaultSettings } from "./deps.ts";

const settings = defaultSettings;

function after(outcome: SendOutcome, number = 1, clientMessageId = true) {
  const capabilities = { ...allCapabilities, clientMessageId };
  const attempt = { command: "message", number, capabilities, settings } as const;
  return afterSend(outcome, attempt);
}
const refused = (kind: ProviderErrorKind): SendOutcome => ({
  result: "refused",
  failure: { kind },
});
const unknown: SendOutcome = { result: "unknown", failure: { kind: "temporary" } };

test("a message that the network has counts as sent, however it reports that", () => {
  expect(after({ result: "written" })).toEqual({ state: "sent", result: "written" });
  expect(after({ result: "accepted" })).toEqual({ state: "sent", result: "accepted" });
});

test.each(["not-connected", "logged-out", "lease-lost"] as const)(
  "a message refused for %s waits for the next session without using up a try",
  (kind) => {
    expect(after(refused(kind), 99)).toMatchObject({ state: "queued", isCounted: false });
  },
);

test.each(["temporary", "rate-limited", "recipient-unchecked"] as const)(
  "a message refused as %s is tried again, a limited number of times",
  (kind) => {
    expect(after(refused(kind), 1)).toMatchObject({
      state: "queued",
      isCounted: true,
      waitMs: settings.outboundRetriesMs[0],
    });
    const last = settings.outboundRetriesMs.length + 1;
    expect(after(refused(kind), last)).toMatchObject({ state: "failed", failure: { kind } });
  },
);

test("the network's own wait counts", () => {
  const outcome: SendOutcome = {
    result: "refused",
    failure: { kind: "rate-limited", retryAfterMs: 7_000 },
  };
  expect(after(outcome)).toMatchObject({ state: "queued", waitMs: 7_000 });
});

test.each(["recipient-unknown", "bad-request"] as const)("%s is final at once", (kind) => {
  expect(after(refused(kind))).toEqual({ state: "failed", failure: { kind } });
});

test("an unknown outcome is sent again under its id as often as the channel allows, then a person decides", () => {
  expect(after(unknown, 1)).toMatchObject({ state: "queued", isCounted: true });
  expect(after(unknown, 2)).toEqual({ state: "unconfirmed", failure: { kind: "unconfirmed" } });
});

test("where an id does not make a message one, an unknown outcome is never sent again", () => {
  expect(after(unknown, 1, false)).toMatchObject({ state: "unconfirmed" });
});

const once = { failures: 1, replaced: 0, restarts: 0 };

test.each([
  ["network", 1, 1_000],
  ["network", 2, 2_000],
  ["network", 3, 5_000],
  ["network", 4, 10_000],
  ["network", 5, 30_000],
  ["network", 6, 60_000],
  ["network", 50, 60_000],
  ["service", 1, 5_000],
  ["service", 2, 10_000],
  ["service", 4, 60_000],
  ["service", 50, 60_000],
  ["unreadable", 1, 5_000],
  ["unreadable", 4, 60_000],
] as const)(
  "after %s failure %i in a row it is tried again in %i ms",
  (reason, failures, waitMs) => {
    const ending = afterClose(reason, { ...once, failures }, settings);
    expect(ending).toEqual({ action: "retry", waitMs });
  },
);

test("a restart that is asked for happens at once, and with a wait when it is asked for again and again", () => {
  const after = (restarts: number) => afterClose("restart", { ...once, restarts }, settings);
  for (const restarts of [1, 2, 3]) {
    expect(after(restarts)).toEqual({ action: "retry", waitMs: 0 });
  }
  expect(after(4)).toEqual({ action: "retry", waitMs: 5_000 });
  expect(after(40)).toEqual({ action: "retry", waitMs: 60_000 });
});

test("another client that uses the link is given way to at the second time", () => {
  const history = { ...once, replaced: 1 };
  expect(afterClose("replaced", history, settings)).toEqual({ action: "retry", waitMs: 30_000 });
  expect(afterClose("replaced", { ...history, replaced: 2 }, settings)).toEqual({ action: "stop" });
});

test.each([
  "logged-out",
  "qr-expired",
  "link-refused",
  "banned",
  "outdated",
  "untrusted",
  "auth",
  "stopped",
] as const)("%s waits for people", (reason) => {
  expect(afterClose(reason, once, settings)).toEqual({ action: "stop" });
});

test("jitter makes a wait longer by a quarter at most, never shorter", () => {
  const waits = Array.from({ length: 200 }, () => withJitter(1_000, systemSources.random));
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(1_000);
  expect(Math.max(...waits)).toBeLessThanOrEqual(1_250);
  expect(new Set(waits).size).toBeGreaterThan(1);
});

const chat = { kind: "pn", value: "5511900000001" } as const;
const message = {
  type: "message",
  ref: { chat, id: "A1", fromMe: false },
  from: { addresses: [chat], displayName: "Lia" },
  at: new Date(Date.UTC(2026, 10, 20)),
  origin: "live",
  content: { kind: "text", text: 'Oi "tudo" \\u0000 bem?' },
} as const;

test("an event comes back from the journal as it went in", () => {
  const { event, text } = encodeEvent(message);
  expect(event).toEqual(message);
  expect(decodeEvent(text)).toEqual(message);
  const failed = {
    type: "send-failed",
    providerId: "X",
    chat,
    failure: { kind: "rate-limited", retryAfterMs: 5 },
  } as const;
  expect(decodeEvent(encodeEvent(failed).text)).toEqual(failed);
});

test("NUL characters, which the database cannot store, are taken out of an event and nothing else is", () => {
  const { event, text } = encodeEvent({
    ...message,
    content: { kind: "text", text: `a\u0000b${message.content.text}` },
  });
  const clean = { ...message, content: { kind: "text", text: `ab${message.content.text}` } };
  expect(event).toEqual(clean);
  expect(decodeEvent(text)).toEqual(clean);
});

test("a text that is no event is refused", () => {
  expect(() => decodeEvent('{"type":"unheard-of"}')).toThrow("type");
  expect(() => decodeEvent("a customer's text")).toThrow(/^a stored value is not JSON$/);
});
