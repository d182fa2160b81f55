import type { CompanyId, UserId } from "@balcao/contract";
import { companyEvent } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import type { UserCtx } from "../../platform/context.ts";
import { createDomainEvents } from "../../platform/events.ts";
import type { PresenceListener } from "../../platform/realtime/hub.ts";
import { quietLog } from "../../testing/app.ts";
import type { SignInApp } from "../auth/testing/sign-in-app.ts";
import { AWAY_DELAY_MS, signInApp } from "../auth/testing/sign-in-app.ts";
import { createUserPresence } from "./presence.ts";

let app: SignInApp;
let companyId: CompanyId;
beforeAll(async () => {
  app = await signInApp();
  companyId = await app.given.company();
});

async function stored(userId: UserId) {
  const [row] = await app.db.acrossCompanies((tx) =>
    tx.query<{ online: boolean; lastSeenAt: Date | null }>(
      sql`select online, last_seen_at as "lastSeenAt" from users where id = ${userId}`,
    ),
  );
  return row;
}
const isOnline = async (userId: UserId) => (await stored(userId))?.online;

async function watcher() {
  const { token } = await app.signIn((await app.given.user(companyId)).email);
  return app.live(token);
}

test("a user is online from the first socket until a moment after the last one, and both are published", async () => {
  const client = await watcher();
  const queueId = await app.given.queue(companyId);
  const user = await app.given.user(companyId, { queueIds: [queueId] });
  const { token } = await app.signIn(user.email);
  expect(await isOnline(user.id)).toBe(false);

  const heardOf = () =>
    client.heard.filter(({ payload }) =>
      JSON.stringify(payload)?.includes(`"user":{"id":${user.id},`),
    );
  const first = await app.live(token);
  await expect.poll(() => isOnline(user.id)).toBe(true);
  await expect.poll(heardOf).toHaveLength(1);
  expect(heardOf()[0]).toEqual({
    name: companyEvent(companyId, "user"),
    payload: {
      action: "update",
      user: expect.objectContaining({
        id: user.id,
        super: false,
        allTicket: "desabled",
        queues: [expect.objectContaining({ UserQueue: { userId: user.id, queueId } })],
        company: expect.not.objectContaining({ settings: expect.anything() }),
      }),
    },
  });

  const second = await app.live(token);
  first.socket.disconnect();
  await expect.poll(() => first.ending()).not.toBeNull();
  await app.users.markSilentUsersOffline();
  expect(await isOnline(user.id)).toBe(true);
  expect(heardOf()).toHaveLength(1);
  second.socket.disconnect();
  await expect.poll(() => isOnline(user.id)).toBe(false);
  await expect.poll(heardOf).toHaveLength(2);
});

/** A user whose page has just reloaded. A reload that takes longer than the absence limit is not tested. */
async function reloaded(): Promise<{ id: UserId }> {
  const user = await app.given.user(companyId);
  const { token } = await app.signIn(user.email);
  const first = await app.live(token);
  await expect.poll(() => isOnline(user.id)).toBe(true);
  const beganMs = performance.now();
  first.socket.disconnect();
  await app.live(token);
  return performance.now() - beganMs < AWAY_DELAY_MS ? user : reloaded();
}

test("a page that reloads does not make its user offline", async () => {
  const client = await watcher();
  const user = await reloaded();
  const other = await app.given.user(companyId);
  const passing = await app.live((await app.signIn(other.email)).token);
  await expect.poll(() => isOnline(other.id)).toBe(true);
  passing.socket.disconnect();
  // The other one left later and is told to be away; by then the reload would have been told as well.
  await expect.poll(() => isOnline(other.id)).toBe(false);
  expect(await isOnline(user.id)).toBe(true);
  const told = client.heard.filter(({ payload }) =>
    JSON.stringify(payload)?.includes(`"user":{"id":${user.id},`),
  );
  expect(told).toHaveLength(1);
});

test("a user is offline five minutes after the last socket", async () => {
  const user = await app.given.user(companyId);
  const listeners: PresenceListener[] = [];
  const presence = createUserPresence({
    ...{ db: app.db, clock: app.clock, log: quietLog(), domainEvents: createDomainEvents() },
    realtime: {
      publish: () => undefined,
      onPresence: (listener) => listeners.push(listener),
      isConnected: async () => false,
    },
  });
  onTestFinished(() => presence.close());
  onTestFinished(() => void vi.useRealTimers());
  const ctx = { companyId, actor: { userId: user.id } } as UserCtx;
  await listeners[0]?.connected(ctx);
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  await listeners[0]?.left(ctx);
  vi.advanceTimersByTime(299_000);
  vi.useRealTimers();
  expect(await isOnline(user.id)).toBe(true);
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  await listeners[0]?.left(ctx);
  vi.advanceTimersByTime(300_000);
  vi.useRealTimers();
  await expect.poll(() => isOnline(user.id)).toBe(false);
});

test("a client's heartbeat is stored, but not every time", async () => {
  const user = await app.given.user(companyId);
  const { socket } = await app.live((await app.signIn(user.email)).token);
  await expect.poll(() => isOnline(user.id)).toBe(true);
  const atFirst = (await stored(user.id))?.lastSeenAt?.getTime() ?? 0;
  app.clock.advance(30_000);
  socket.emit("userStatus");
  app.clock.advance(40_000);
  socket.emit("userStatus");
  await expect
    .poll(async () => (await stored(user.id))?.lastSeenAt?.getTime())
    .toBeGreaterThanOrEqual(atFirst + 70_000);
});

test("a user is offline after ten minutes without a heartbeat, until the next one", async () => {
  const client = await watcher();
  const user = await app.given.user(companyId);
  const { socket } = await app.live((await app.signIn(user.email)).token);
  await expect.poll(() => isOnline(user.id)).toBe(true);
  app.clock.advance(599_000);
  await app.users.markSilentUsersOffline();
  expect(await isOnline(user.id)).toBe(true);
  app.clock.advance(2_000);
  await app.users.markSilentUsersOffline();
  expect(await isOnline(user.id)).toBe(false);
  await vi.waitFor(() => {
    const told = client.heard.filter(({ payload }) =>
      JSON.stringify(payload)?.includes(`"user":{"id":${user.id},`),
    );
    expect(told).toHaveLength(2);
  });
  socket.emit("userStatus");
  await expect.poll(() => isOnline(user.id)).toBe(true);
});
