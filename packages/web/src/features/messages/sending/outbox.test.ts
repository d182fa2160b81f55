import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ApiError } from "../../../api/client.ts";
import { givenUnsent } from "../testing/given-unsent.ts";
import type { Outbox } from "./outbox.ts";
import { createOutbox, exclusively, QUEUED_MAX_MS } from "./outbox.ts";
import type { UnsentMessage, UnsentMessages } from "./unsent-messages.ts";
import { createUnsentMessages } from "./unsent-messages.ts";

const owner = { companyId: 3, userId: 7 };
const written = "2026-11-20T10:00:00.000Z";
const noReply = new ApiError({ status: 0, code: "ERR_NETWORK" });

/** The server's answers to posts in the order of their arrival; without one a post hangs. */
type Post = { message: UnsentMessage; signal: AbortSignal; answer: (error?: Error) => void };
let posts: Post[];
let nowMs: number;
let isOver: boolean;
const opened: Outbox[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  localStorage.clear();
  posts = [];
  nowMs = Date.parse(written);
  isOver = false;
});

afterEach(() => {
  for (const outbox of opened.splice(0)) outbox.stop();
  vi.useRealTimers();
});

/** A tab of this browser. */
function tab(): { messages: UnsentMessages; outbox: Outbox } {
  const messages = createUnsentMessages(localStorage, owner, nowMs);
  const outbox = createOutbox({
    messages,
    name: "queue",
    isOver: () => isOver,
    reload: () => void messages.reload(),
    post: (message, { signal }) =>
      new Promise((resolve, reject) => {
        signal.addEventListener("abort", () => reject(new DOMException("", "AbortError")));
        posts.push({
          message,
          signal,
          answer: (error) => (error === undefined ? resolve() : reject(error)),
        });
      }),
    settle: (message) => messages.remove(message),
    exclusively,
    nowMs: () => nowMs,
  });
  opened.push(outbox);
  return { messages, outbox };
}

const settle = () => vi.advanceTimersByTimeAsync(0);
const sent = (): string[] => posts.map(({ message }) => message.clientId);
const statesOf = (messages: UnsentMessages): (readonly [string, string])[] =>
  messages.all().map(({ clientId, state }) => [clientId, state] as const);

/** Writes messages into the queue of a ticket. */
async function write(
  { messages, outbox }: ReturnType<typeof tab>,
  clientIds: readonly string[],
  ticketId = 1,
): Promise<void> {
  for (const clientId of clientIds) {
    const createdAt = messages.nextPlace(ticketId, written);
    messages.put(givenUnsent({ clientId, ticketId, createdAt, askedAt: written }));
    outbox.send(ticketId);
  }
  await settle();
}

async function answer(index: number, error?: Error): Promise<void> {
  posts[index]?.answer(error);
  await settle();
}

test("messages of a ticket go one by one in their order; another ticket does not wait for them", async () => {
  const page = tab();
  await write(page, ["a", "b"]);
  await write(page, ["x"], 2);
  expect(sent()).toEqual(["a", "x"]);
  await answer(0);
  expect(sent()).toEqual(["a", "x", "b"]);
});

test("without a line they wait, and go in their order when it is back, once each", async () => {
  const page = tab();
  await write(page, ["a", "b"]);
  await answer(0, noReply);
  expect(statesOf(page.messages)).toEqual([
    ["a", "waiting"],
    ["b", "waiting"],
  ]);
  page.outbox.lineIsBack();
  await settle();
  await answer(1);
  await answer(2);
  expect(sent()).toEqual(["a", "a", "b"]);
  expect(page.messages.all()).toEqual([]);
  page.outbox.lineIsBack();
  await settle();
  expect(sent()).toHaveLength(3);
});

test.each([
  ["no reply", noReply],
  ["a proxy without server", new ApiError({ status: 502, code: "ERR_UNAVAILABLE" })],
  ["too many requests", new ApiError({ status: 429, code: "ERR_TOO_MANY_REQUESTS" })],
])("after %s it is tried again by itself, at most every 30 s", async (_, error) => {
  const page = tab();
  await write(page, ["a"]);
  for (const afterMs of [2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
    await answer(posts.length - 1, error);
    const before = posts.length;
    await vi.advanceTimersByTimeAsync(afterMs - 1);
    expect(posts).toHaveLength(before);
    await vi.advanceTimersByTimeAsync(1);
    expect(posts).toHaveLength(before + 1);
  }
});

test("a request that hangs on the lost line is repeated on the new one; one that moved since goes on", async () => {
  const page = tab();
  await write(page, ["a"]);
  nowMs += 1_000;
  page.outbox.lineIsLost();
  nowMs += 1_000;
  await write(page, ["x"], 2);
  page.outbox.lineIsBack();
  await settle();
  expect(posts.map(({ message, signal }) => [message.clientId, signal.aborted])).toEqual([
    ["a", true],
    ["x", false],
    ["a", false],
  ]);
});

test("a refused one says why, and those behind it and of other tickets go on", async () => {
  const page = tab();
  await write(page, ["a", "b"]);
  await write(page, ["x"], 2);
  await answer(0, new ApiError({ status: 403, code: "ERR_TICKET_FORBIDDEN" }));
  await answer(1);
  await answer(2);
  expect(sent()).toEqual(["a", "x", "b"]);
  expect(page.messages.all()).toMatchObject([
    { clientId: "a", state: "failed", errorCode: "ERR_TICKET_FORBIDDEN" },
  ]);
});

test("one that waited for more than 12 hours is not sent by itself, but after being asked for again", async () => {
  const page = tab();
  await write(page, ["a"]);
  await answer(0, noReply);
  nowMs += QUEUED_MAX_MS + 1;
  page.outbox.lineIsBack();
  await settle();
  expect(page.messages.find("a")).toMatchObject({ errorCode: "ERR_QUEUED_TOO_LONG" });
  const askedAt = new Date(nowMs).toISOString();
  page.messages.change("a", { state: "sending", errorCode: null, askedAt });
  page.outbox.send(1);
  await settle();
  expect(sent()).toEqual(["a", "a"]);
});

test("after a reload the rest is sent in its order", async () => {
  const before = tab();
  await write(before, ["a", "b", "c"]);
  await answer(0, noReply);
  before.outbox.stop();
  const after = tab();
  after.outbox.sendAll();
  for (const index of [1, 2, 3]) {
    await settle();
    await answer(index);
  }
  expect(sent().slice(1)).toEqual(["a", "b", "c"]);
  expect(after.messages.all()).toEqual([]);
});

test("one tab sends at a time, and another tab does not send its messages again", async () => {
  const [one, two] = [tab(), tab()];
  await write(one, ["a", "b"]);
  await answer(0, noReply);
  two.messages.reload();
  one.outbox.lineIsBack();
  two.outbox.lineIsBack();
  await settle();
  expect(sent()).toEqual(["a", "a"]);
  await answer(1);
  await answer(2);
  expect(sent()).toEqual(["a", "a", "b"]);
  expect(two.messages.all()).toEqual([]);
});

test("one that was cancelled in any tab is not sent", async () => {
  const [one, two] = [tab(), tab()];
  await write(one, ["a", "b", "c"]);
  two.messages.reload();
  const cancelled = two.messages.find("b");
  if (cancelled) two.messages.remove(cancelled);
  await answer(0);
  expect(sent()).toEqual(["a", "c"]);
});

test("after the session has ended nothing goes, and nothing is marked as failed", async () => {
  const page = tab();
  await write(page, ["a", "b"]);
  isOver = true;
  await answer(0, new ApiError({ status: 401, code: "ERR_SESSION_EXPIRED" }));
  expect(sent()).toEqual(["a"]);
  expect(statesOf(page.messages)).toEqual([
    ["a", "sending"],
    ["b", "sending"],
  ]);
});
