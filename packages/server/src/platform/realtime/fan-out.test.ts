import type { CompanyEvents, CompanyId, TicketId } from "@balcao/contract";
import { companyEvent } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test, vi } from "vitest";
import type { SignInApp } from "../../features/auth/testing/sign-in-app.ts";
import { signInApp } from "../../features/auth/testing/sign-in-app.ts";
import { testDatabase } from "../../testing/database.ts";
import { rooms } from "./hub.ts";

let one: SignInApp;
let other: SignInApp;
let companyId: CompanyId;
beforeAll(async () => {
  const database = await testDatabase();
  const canSeeTicket = async () => true;
  one = await signInApp({ database, distributed: true, canSeeTicket });
  other = await signInApp({ database, distributed: true, canSeeTicket });
  companyId = await one.given.company();
});

const typing = (ticketId: number): CompanyEvents["presence"] => ({
  ticketId: ticketId as TicketId,
  presence: "composing",
});
const event = () => companyEvent(companyId, "presence");

async function connectedToOther(values: Parameters<SignInApp["given"]["user"]>[1] = {}) {
  const user = await one.given.user(companyId, values);
  const { token } = await one.signIn(user.email);
  return { user, token, client: await other.live(token) };
}

test("events reach the clients of the other process, in order, however large", async () => {
  const { client } = await connectedToOther();
  const apart = await connectedToOther();
  for (let n = 1; n <= 50; n += 1) {
    one.realtime.publish(
      companyId,
      "presence",
      typing(n),
      [rooms.main(companyId)],
      [rooms.user(companyId, apart.user.id)],
    );
  }
  const heard = () => client.heard.filter(({ name }) => name === event());
  await vi.waitFor(() => expect(heard()).toHaveLength(50));
  expect(heard().map(({ payload }) => payload)).toEqual(
    Array.from({ length: 50 }, (_, n) => typing(n + 1)),
  );
  expect(apart.client.heard.map(({ name }) => name)).not.toContain(event());

  const setting = { id: 1, key: "text", value: "é".repeat(20_000), companyId };
  one.realtime.publish(companyId, "settings", { action: "update", setting }, [
    rooms.main(companyId),
  ]);
  expect(await client.next(companyEvent(companyId, "settings"))).toEqual({
    action: "update",
    setting,
  });
});

test("in each process only sockets that are also in the inner rooms hear an event, whatever rooms they share", async () => {
  const [inside, outside] = [
    await connectedToOther({ profile: "admin" }),
    await connectedToOther(),
  ];
  const here = await one.live(inside.token);
  const main = rooms.main(companyId);
  const both = [main, rooms.user(companyId, inside.user.id)];
  one.realtime.publish(
    companyId,
    "presence",
    typing(1),
    both,
    [],
    [[rooms.holders(companyId, "connections:manage")]],
  );
  one.realtime.publish(
    companyId,
    "presence",
    typing(2),
    [main],
    [],
    [[rooms.queueReaders(companyId, 1)]],
  );
  one.realtime.publish(companyId, "presence", typing(3), [main]);
  const heard = ({ heard: events }: typeof here) =>
    events.flatMap(({ name, payload }) => (name === event() ? [payload] : []));
  await vi.waitFor(() => {
    for (const client of [here, inside.client])
      expect(heard(client)).toEqual([typing(1), typing(3)]);
    expect(heard(outside.client)).toEqual([typing(3)]);
  });
});

test("changed rights, ended sessions and reviewed tickets count in the other process too", async () => {
  const { user, client } = await connectedToOther({ profile: "admin" });
  await one.db.acrossCompanies((tx) =>
    tx.query(sql`update users set profile = 'user' where id = ${user.id}`),
  );
  one.realtime.refreshUser(companyId, user.id);
  one.realtime.refreshTicket(companyId, 1 as TicketId, []);
  await vi.waitFor(async () => {
    const before = client.heard.length;
    other.realtime.publish(companyId, "presence", typing(1), [
      rooms.holders(companyId, "connections:manage"),
    ]);
    other.realtime.publish(companyId, "presence", typing(2), [rooms.main(companyId)]);
    await vi.waitFor(() => expect(client.heard.length).toBeGreaterThan(before));
    expect(client.heard.at(before)?.payload).toEqual(typing(2));
  });
  one.realtime.disconnectUser(companyId, user.id);
  await vi.waitFor(() => expect(client.ending()).toBe("io server disconnect"));
});

test("a sign-in at one process tells and ends the older session at the other", async () => {
  const { user, client } = await connectedToOther();
  const fresh = await one.signIn(user.email);
  expect(await client.next(companyEvent(companyId, "auth"))).toMatchObject({
    user: { id: user.id },
  });
  const freshClient = await other.live(fresh.token);
  await vi.waitFor(() => expect(client.ending()).toBe("io server disconnect"));
  expect(freshClient.ending()).toBeNull();
});

test("a user stays online while any process has one of the user's sockets", async () => {
  const { user, token, client } = await connectedToOther();
  const second = await one.live(token);
  const online = async () => {
    const rows = await one.db.acrossCompanies((tx) =>
      tx.query<{ online: boolean }>(sql`select online from users where id = ${user.id}`),
    );
    return rows[0]?.online;
  };
  await expect.poll(online).toBe(true);
  expect(await one.realtime.isConnected(companyId, user.id)).toBe(true);
  second.socket.disconnect();
  await expect.poll(() => second.ending()).not.toBeNull();
  // Long after the time for a reconnection, the user is still connected to the other process.
  await vi.waitFor(async () =>
    expect(await one.realtime.isConnected(companyId, user.id)).toBe(true),
  );
  expect(await online()).toBe(true);
  client.socket.disconnect();
  await expect.poll(online).toBe(false);
});

test("when the listening session breaks, the process survives and its clients connect anew", async () => {
  const { client, token } = await connectedToOther();
  const broken = await one.db.acrossCompanies((tx) =>
    tx.query(sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'balcao-realtime'`),
  );
  expect(broken.length).toBeGreaterThanOrEqual(2);
  // Only the transport is dropped, so a client of the family comes back by itself.
  await vi.waitFor(() => expect(client.ending()).toBe("transport close"));
  const again = await other.live(token);
  await vi.waitFor(async () => {
    one.realtime.publish(companyId, "presence", typing(9), [rooms.main(companyId)]);
    await vi.waitFor(() => expect(again.heard.map(({ name }) => name)).toContain(event()), 500);
  });
});
