import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createFakeSocket } from "../testing/fake-socket.ts";
import type { FakeSocket } from "../testing/fake-socket.ts";
import {
  ANSWER_MS,
  BACK_ONLINE_NOTICE_MS,
  createLiveConnection,
  QUIET_MS,
  retryDelayMs,
} from "./live-connection.ts";
import type { LiveConnection } from "./live-connection.ts";

const sockets: FakeSocket[] = [];
const renewToken = vi.fn<() => Promise<void>>();
const onReady = vi.fn<() => void>();
let secondsLeft = 900;
let isVisible = true;
let live: LiveConnection;

beforeEach(() => {
  vi.useFakeTimers();
  sockets.length = 0;
  secondsLeft = 900;
  isVisible = true;
  renewToken.mockReset().mockResolvedValue();
  onReady.mockReset();
  live = createLiveConnection({
    openSocket: () => {
      const socket = createFakeSocket();
      sockets.push(socket);
      return Promise.resolve(socket);
    },
    token: () => "t",
    tokenSecondsLeft: () => secondsLeft,
    renewToken,
    onReady,
    isVisible: () => isVisible,
    random: () => 0.5, // no spread: the delays are 1, 2, 4 … s
  });
});

afterEach(() => {
  live.stop();
  vi.useRealTimers();
});

/** Lets started promises go on. */
const settle = () => vi.advanceTimersByTimeAsync(0);

async function started(): Promise<FakeSocket> {
  live.start(3);
  await settle();
  return newest();
}

function newest(): FakeSocket {
  const socket = sockets.at(-1);
  if (!socket) throw new Error("no socket was opened");
  return socket;
}

test("is online once the server is ready, not before", async () => {
  const socket = await started();
  socket.receive("connect");
  expect(live.status.get().state).toBe("connecting");
  socket.receive("ready");
  expect(live.status.get()).toEqual({ state: "online", secondsToRetry: null, wasOffline: false });
});

test("sends the user's presence at each ready and every five minutes", async () => {
  const socket = await started();
  socket.receive("ready");
  expect(socket.sent).toEqual([["userStatus"]]);
  await vi.advanceTimersByTimeAsync(300_000);
  expect(socket.sent).toEqual([["userStatus"], ["userStatus"]]);
});

test("passes the company's events to handlers until they are removed", async () => {
  const seen = vi.fn();
  const stop = live.handle("simulator", seen);
  const socket = await started();
  socket.receive("company-3-simulator", { connectionId: 1, phone: null });
  stop();
  socket.receive("company-3-simulator", { connectionId: 2, phone: null });
  expect(seen.mock.calls).toEqual([[{ connectionId: 1, phone: null }]]);
});

test("passes events to handlers added after connecting", async () => {
  const socket = await started();
  const seen = vi.fn();
  live.handle("simulator", seen);
  socket.receive("company-3-simulator", { connectionId: 1, phone: null });
  expect(seen).toHaveBeenCalledOnce();
});

describe("a lost connection", () => {
  test("counts down to the next try and then tries", async () => {
    const socket = await started();
    socket.receive("ready");
    socket.receive("disconnect", "transport close");
    expect(live.status.get()).toEqual({ state: "offline", secondsToRetry: 1, wasOffline: true });
    await vi.advanceTimersByTimeAsync(1_200);
    expect(sockets).toHaveLength(2);
    expect(live.status.get().state).toBe("connecting");
  });

  test("is retried without end, with a delay that doubles up to 30 s", async () => {
    await started();
    const shown: (number | null)[] = [];
    for (let attempt = 0; attempt < 8; attempt += 1) {
      newest().receive("connect_error", new Error("websocket error"));
      shown.push(live.status.get().secondsToRetry);
      await vi.advanceTimersByTimeAsync((live.status.get().secondsToRetry ?? 0) * 1_000 + 200);
    }
    expect(shown).toEqual([1, 2, 4, 8, 16, 30, 30, 30]);
  });

  test("that is back joins the rooms, refetches, and shows for a while that it was lost", async () => {
    live.rooms.enter({ kind: "chatBox", ticketId: 12 });
    const socket = await started();
    socket.receive("ready");
    socket.receive("disconnect", "ping timeout");
    await vi.advanceTimersByTimeAsync(1_200);
    newest().receive("ready");
    expect(newest().sent).toContainEqual(["joinChatBox", "12"]);
    expect(onReady).toHaveBeenCalledTimes(2);
    expect(live.status.get()).toMatchObject({ state: "online", wasOffline: true });
    await vi.advanceTimersByTimeAsync(BACK_ONLINE_NOTICE_MS);
    expect(live.status.get().wasOffline).toBe(false);
  });

  test("starts with a short delay again after it was back", async () => {
    await started();
    newest().receive("connect_error", new Error("websocket error"));
    await vi.advanceTimersByTimeAsync(1_200);
    newest().receive("connect_error", new Error("websocket error"));
    await vi.advanceTimersByTimeAsync(2_200);
    newest().receive("ready");
    newest().receive("disconnect", "transport close");
    expect(live.status.get().secondsToRetry).toBe(1);
  });

  test("is retried at once when the browser reports the network", async () => {
    await started();
    newest().receive("connect_error", new Error("websocket error"));
    live.retryNow();
    await settle();
    expect(sockets).toHaveLength(2);
  });

  test("that never becomes ready is retried", async () => {
    const socket = await started();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(live.status.get().state).toBe("offline");
    expect(socket.isOpen).toBe(false);
  });

  test("never has a second socket", async () => {
    const first = await started();
    first.receive("ready");
    first.receive("disconnect", "transport close");
    await vi.advanceTimersByTimeAsync(1_200);
    newest().receive("ready");
    expect(sockets.map(({ isOpen }) => isOpen)).toEqual([false, true]);
    first.receive("disconnect", "transport close");
    expect(live.status.get().state).toBe("online");
  });
});

describe("a line that goes dead without a word", () => {
  /** A line that was quiet until now and gives no more answers. */
  async function silent(): Promise<FakeSocket> {
    const socket = await started();
    socket.receive("ready");
    socket.isAlive = false;
    return socket;
  }

  test("is known within 3 s on a page that somebody sees", async () => {
    await silent();
    await vi.advanceTimersByTimeAsync(3_000);
    expect(live.status.get()).toEqual({ state: "offline", secondsToRetry: 1, wasOffline: true });
  });

  test("is known a check later when a request had no reply, or the page was asleep", async () => {
    await silent();
    live.check();
    live.check();
    await vi.advanceTimersByTimeAsync(ANSWER_MS + 100);
    expect(live.status.get().state).toBe("offline");
  });

  test("is known at once when the browser says so, and tried again", async () => {
    const socket = await silent();
    live.lose();
    expect(live.status.get().state).toBe("offline");
    expect(socket.isOpen).toBe(false);
    await vi.advanceTimersByTimeAsync(1_200);
    expect(sockets).toHaveLength(2);
  });

  test("is not asked about while nobody sees the page; the pings of the server go on", async () => {
    isVisible = false;
    await silent();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(live.status.get().state).toBe("online");
  });

  test("is given up a second later, and another one is opened", async () => {
    const socket = await silent();
    await vi.advanceTimersByTimeAsync(QUIET_MS + ANSWER_MS + 50 + 1_200);
    expect(sockets).toHaveLength(2);
    expect(socket.isOpen).toBe(false);
  });

  test("and is only slow, goes on: nothing was missed, nothing is read again", async () => {
    const socket = await silent();
    await vi.advanceTimersByTimeAsync(3_000);
    socket.receive("heard");
    expect(live.status.get()).toEqual({ state: "online", secondsToRetry: null, wasOffline: false });
    socket.isAlive = true;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(sockets).toHaveLength(1);
    expect(onReady).toHaveBeenCalledOnce();
  });

  test("a line on which packets come is not asked", async () => {
    const socket = await silent();
    for (let packet = 0; packet < 20; packet += 1) {
      socket.receive("heard");
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(live.status.get().state).toBe("online");
  });
});

describe("the token", () => {
  test("is renewed before connecting if it expired", async () => {
    secondsLeft = 0;
    await started();
    expect(renewToken).toHaveBeenCalledOnce();
    expect(newest().isOpen).toBe(true);
  });

  test("is not renewed while it is valid", async () => {
    await started();
    expect(renewToken).not.toHaveBeenCalled();
  });

  test("is renewed after the server refused it", async () => {
    await started();
    newest().receive("connect_error", new Error("ERR_TOKEN_EXPIRED"));
    await vi.advanceTimersByTimeAsync(1_200);
    expect(renewToken).toHaveBeenCalledOnce();
    expect(newest().isOpen).toBe(true);
  });

  test("that cannot be renewed now is retried later", async () => {
    secondsLeft = 0;
    renewToken.mockRejectedValueOnce(new Error("no network"));
    live.start(3);
    await settle();
    expect([sockets.length, live.status.get().state]).toEqual([0, "offline"]);
    await vi.advanceTimersByTimeAsync(1_200);
    expect(newest().isOpen).toBe(true);
  });
});

test("after a stop there are no retries, and late replies are ignored", async () => {
  const socket = await started();
  socket.receive("ready");
  live.stop();
  socket.receive("disconnect", "io client disconnect");
  await vi.advanceTimersByTimeAsync(60_000);
  expect(sockets).toHaveLength(1);
  expect(socket.isOpen).toBe(false);
});

test("a stop while the token is renewed opens no socket", async () => {
  secondsLeft = 0;
  live.start(3);
  live.stop();
  await settle();
  expect(sockets).toHaveLength(0);
});

test.each([
  [0, 0, 750],
  [0, 1, 1_250],
  [3, 0.5, 8_000],
  [40, 0.5, 30_000],
])("attempt %i with random %f waits %i ms", (attempt, random, delayMs) => {
  expect(retryDelayMs(attempt, random)).toBe(delayMs);
});
