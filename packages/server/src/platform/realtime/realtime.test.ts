import type { CompanyEvents, CompanyId, QueueId, TicketId, UserId } from "@balcao/contract";
import { companyEvent, defineAddressedEvent } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { io } from "socket.io-client";
import { beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import type { LiveClient } from "../../features/auth/testing/live-client.ts";
import type { GivenUser, SignInApp } from "../../features/auth/testing/sign-in-app.ts";
import { signInApp } from "../../features/auth/testing/sign-in-app.ts";
import type { Room } from "./hub.ts";
import { rooms } from "./hub.ts";

let app: SignInApp;
let companyId: CompanyId;
let queueId: QueueId;
/** Tickets as the ticket feature would judge them: visible to the users named here. */
let visible: Map<number, Set<number>>;
let look: () => Promise<void>;

beforeAll(async () => {
  app = await signInApp({
    canSeeTicket: async (ctx, ticketId) => {
      await look();
      return visible.get(ticketId)?.has(ctx.actor.userId) ?? false;
    },
  });
});
beforeEach(async () => {
  visible = new Map();
  look = async () => undefined;
  companyId = await app.given.company();
  queueId = await app.given.queue(companyId);
});

const presence: CompanyEvents["presence"] = { ticketId: 1 as TicketId, presence: "composing" };
const publish = (...to: Room[]) => app.realtime.publish(companyId, "presence", presence, to);
const event = () => companyEvent(companyId, "presence");

async function connected(user: GivenUser, how?: { namespace?: string; inQuery?: boolean }) {
  const { token } = await app.signIn(user.email);
  return app.live(token, how);
}

/** Everything the client was sent so far has arrived: messages to one client keep their order. */
async function settled(...clients: LiveClient[]): Promise<void> {
  const setting = { id: 1, key: "fence", value: "", companyId };
  app.realtime.publish(companyId, "settings", { action: "update", setting }, [
    rooms.main(companyId),
  ]);
  await Promise.all(clients.map((client) => client.next(companyEvent(companyId, "settings"))));
}

const timesHeard = (client: LiveClient) =>
  client.heard.filter(({ name }) => name === event()).length;

/** Asks for something and waits until the server has dealt with it and all that was asked before. */
async function ask(client: LiveClient, name: string, ...args: unknown[]): Promise<void> {
  client.socket.emit(name, ...args);
  // Steps of one socket are taken in order, so a ticket that is looked at last comes after all of them.
  const marker = Math.floor(Math.random() * 1e6) + 1_000;
  let hasLooked = false;
  const before = look;
  visible.set(marker, new Set());
  look = async () => {
    await before();
    hasLooked = true;
  };
  client.socket.emit("joinChatBox", String(marker));
  client.socket.emit("leaveChatBox", String(marker));
  await vi.waitFor(() => expect(hasLooked).toBe(true), { interval: 5 });
  look = before;
}

describe("connecting", () => {
  test("is ready once, by query or by auth, in both namespaces alike", async () => {
    const user = await app.given.user(companyId);
    for (const how of [{ inQuery: true }, {}, { namespace: "/api", inQuery: true }]) {
      const client = await connected(user, how);
      publish(rooms.main(companyId), rooms.user(companyId, user.id));
      expect(await client.next(event())).toEqual(presence);
      await settled(client);
      expect(timesHeard(client)).toBe(1);
      expect(client.heard.filter(({ name }) => name === "ready")).toHaveLength(1);
    }
  });

  test("is refused with a code that says what to do", async () => {
    const user = await app.given.user(companyId);
    const { token } = await app.signIn(user.email);
    expect((await app.live("")).ending()).toBe("ERR_SESSION_EXPIRED");
    expect((await app.live("rubbish")).ending()).toBe("ERR_TOKEN_EXPIRED");
    await app.signIn(user.email);
    expect((await app.live(token)).ending()).toBe("ERR_TOKEN_EXPIRED");
    const fresh = await app.signIn(user.email);
    await app.db.acrossCompanies((tx) =>
      tx.query(sql`update companies set status = false where id = ${companyId}`),
    );
    expect((await app.live(fresh.token)).ending()).toBe("ERR_SESSION_EXPIRED");
    await app.db.acrossCompanies((tx) => tx.query(sql`delete from users where id = ${user.id}`));
    expect((await app.live(fresh.token)).ending()).toBe("ERR_SESSION_EXPIRED");
  });

  test("the refusal carries its code as data", async () => {
    const socket = io(app.url, { transports: ["websocket"], reconnection: false, forceNew: true });
    const error = await new Promise<Error>((resolve) => socket.on("connect_error", resolve));
    expect(error).toMatchObject({ data: { code: "ERR_SESSION_EXPIRED" } });
    socket.disconnect();
  });

  test("a client that asks for a sign of life gets it, and no other does", async () => {
    const [asking, other] = await Promise.all([
      connected(await app.given.user(companyId)),
      connected(await app.given.user(companyId)),
    ]);
    asking.socket.emit("heartbeat");
    await asking.next("heartbeat");
    await settled(asking, other);
    expect(other.heard.map(({ name }) => name)).not.toContain("heartbeat");
  });

  test("works by websocket only", async () => {
    const reply = await app.call("GET", "/socket.io/?EIO=4&transport=polling");
    expect(reply.status).toBe(400);
  });
});

describe("the audience of an event", () => {
  test("another company's clients hear nothing, whatever they ask for", async () => {
    const other = await app.given.company();
    const spy = await connected(await app.given.user(other, { profile: "admin" }));
    const own = await connected(await app.given.user(companyId, { profile: "admin" }));
    for (const client of [spy, own]) {
      await ask(client, "joinTickets", "pending");
      await ask(client, "joinNotification");
      await ask(client, "joinChatBox", "1");
    }
    publish(
      rooms.main(companyId),
      rooms.holders(companyId, "connections:manage"),
      rooms.status(companyId, "pending"),
      rooms.notification(companyId),
      rooms.queuePending(companyId, null),
      rooms.ticket(companyId, 1),
    );
    await own.next(event());
    const setting = { id: 1, key: "fence", value: "", companyId: other };
    app.realtime.publish(other, "settings", { action: "update", setting }, [rooms.main(other)]);
    await spy.next(companyEvent(other, "settings"));
    expect(spy.heard.filter(({ name }) => name.startsWith(`company-${companyId}-`))).toEqual([]);
  });

  test("an event without a room reaches nobody", async () => {
    const client = await connected(await app.given.user(companyId));
    publish();
    await settled(client);
    expect(timesHeard(client)).toBe(0);
  });

  test("except leaves a room out", async () => {
    const [ana, bia] = [await app.given.user(companyId), await app.given.user(companyId)];
    const [anasClient, biasClient] = [await connected(ana), await connected(bia)];
    app.realtime.publish(
      companyId,
      "presence",
      presence,
      [rooms.main(companyId)],
      [rooms.user(companyId, ana.id)],
    );
    await settled(anasClient, biasClient);
    expect([timesHeard(anasClient), timesHeard(biasClient)]).toEqual([0, 1]);
  });

  test("pending tickets of a queue reach its agents, not those of another queue", async () => {
    const otherQueue = await app.given.queue(companyId);
    const inside = await connected(await app.given.user(companyId, { queueIds: [queueId] }));
    const outside = await connected(await app.given.user(companyId, { queueIds: [otherQueue] }));
    for (const client of [inside, outside]) {
      await ask(client, "joinTickets", "pending");
      await ask(client, "joinNotification");
    }
    publish(rooms.queuePending(companyId, queueId), rooms.queueNotification(companyId, queueId));
    await settled(inside, outside);
    expect([timesHeard(inside), timesHeard(outside)]).toEqual([1, 0]);
  });

  test("tickets without a queue reach those who may see them", async () => {
    const may = await connected(await app.given.user(companyId, { allTicket: "enabled" }));
    const mayNot = await connected(await app.given.user(companyId, { allTicket: "desabled" }));
    for (const client of [may, mayNot]) await ask(client, "joinTickets", "pending");
    publish(rooms.queuePending(companyId, null));
    await settled(may, mayNot);
    expect([timesHeard(may), timesHeard(mayNot)]).toEqual([1, 0]);
  });

  test("admins' secrets reach admins only", async () => {
    const admin = await connected(await app.given.user(companyId, { profile: "admin" }));
    const agent = await connected(await app.given.user(companyId, { profile: "user" }));
    publish(rooms.holders(companyId, "connections:manage"));
    await settled(admin, agent);
    expect([timesHeard(admin), timesHeard(agent)]).toEqual([1, 0]);
  });
});

describe("addressed events", () => {
  const payload = z.object({ id: z.number() });
  const announcement = defineAddressedEvent({
    ...{ subject: "announcement", payload },
    to: "installation",
  });
  const chatOfUser = defineAddressedEvent({ subject: "chat", to: "user", payload });
  const chat = defineAddressedEvent({ subject: "chat", to: "chat", payload });
  const imported = defineAddressedEvent({ subject: "ContactListItem", to: "list", payload });

  test("reach their address and no other, in this company and in others", async () => {
    const other = await app.given.company();
    const [ana, bia, carla] = [
      await app.given.user(companyId),
      await app.given.user(companyId, { profile: "admin" }),
      await app.given.user(companyId),
    ];
    const ears = {
      ana: await connected(ana),
      bia: await connected(bia),
      carla: await connected(carla),
      stranger: await connected(await app.given.user(other, { profile: "admin" })),
      provider: await connected(await app.given.user(other, { super: true })),
    };
    const { realtime } = app;
    const everybody = { to: "installation", audience: "everybody" } as const;
    realtime.send(announcement, { to: "installation", audience: "supers" }, { id: 1 });
    realtime.send(announcement, { to: "installation", audience: "all but supers" }, { id: 2 });
    realtime.send(chatOfUser, { to: "user", companyId, userId: ana.id }, { id: 3 });
    // The id of a user of another company finds nobody.
    realtime.send(chatOfUser, { to: "user", companyId: other, userId: ana.id }, { id: 4 });
    const memberIds = [ana.id, bia.id];
    realtime.send(chat, { to: "chat", companyId, chatId: 9, memberIds }, { id: 5 });
    realtime.send(chat, { to: "chat", companyId, chatId: 9, memberIds: [] }, { id: 6 });
    realtime.send(imported, { to: "list", companyId, listId: 4 }, { id: 7 });
    realtime.send(announcement, everybody, { id: 8 });

    const ownEvents = new Set([
      "company-announcement",
      `company-${companyId}-chat-user-${ana.id}`,
      `company-${companyId}-chat-9`,
      `company-${companyId}-ContactListItem-4`,
    ]);
    const heardBy = async ({ heard }: LiveClient) => {
      const events = () => heard.filter(({ name }) => ownEvents.has(name));
      await vi.waitFor(() => expect(events().at(-1)?.payload).toEqual({ id: 8 }));
      return events().map(({ payload: sent }) => payload.parse(sent).id);
    };
    expect(await heardBy(ears.ana)).toEqual([2, 3, 5, 7, 8]);
    expect(await heardBy(ears.bia)).toEqual([2, 5, 7, 8]);
    expect(await heardBy(ears.carla)).toEqual([2, 7, 8]);
    expect(await heardBy(ears.stranger)).toEqual([2, 8]);
    expect(await heardBy(ears.provider)).toEqual([1, 8]);
    const names = new Set(ears.ana.heard.map(({ name }) => name));
    for (const name of ownEvents) expect(names).toContain(name);
  });

  test("carry only what they declare", () => {
    const undeclared = { id: 1, secret: "x" };
    const destination = { to: "list", companyId, listId: 1 } as const;
    expect(() => app.realtime.send(imported, destination, undeclared)).toThrow(/does not declare/);
  });
});

describe("joining a ticket", () => {
  test("is for those who may see it", async () => {
    const [ana, bia] = [await app.given.user(companyId), await app.given.user(companyId)];
    visible.set(5, new Set([ana.id]));
    const [anasClient, biasClient] = [await connected(ana), await connected(bia)];
    for (const client of [anasClient, biasClient]) await ask(client, "joinChatBox", "5");
    publish(rooms.ticket(companyId, 5));
    await settled(anasClient, biasClient);
    expect([timesHeard(anasClient), timesHeard(biasClient)]).toEqual([1, 0]);
  });

  test("is counted: it ends when the last part of the page has left", async () => {
    const user = await app.given.user(companyId);
    visible.set(5, new Set([user.id]));
    const client = await connected(user);
    await ask(client, "joinChatBox", "5");
    await ask(client, "joinChatBox", "5");
    await ask(client, "leaveChatBox", "5");
    publish(rooms.ticket(companyId, 5));
    await settled(client);
    expect(timesHeard(client)).toBe(1);
    await ask(client, "leaveChatBox", "5");
    publish(rooms.ticket(companyId, 5));
    await settled(client);
    expect(timesHeard(client)).toBe(1);
  });

  test("a leave that overtakes the look at the ticket still counts", async () => {
    const user = await app.given.user(companyId);
    visible.set(5, new Set([user.id]));
    const client = await connected(user);
    let goOn: () => void = () => undefined;
    const wait = new Promise<void>((resolve) => (goOn = resolve));
    look = () => wait;
    client.socket.emit("joinChatBox", "5");
    client.socket.emit("leaveChatBox", "5");
    goOn();
    look = async () => undefined;
    await ask(client, "joinNotification");
    publish(rooms.ticket(companyId, 5));
    await settled(client);
    expect(timesHeard(client)).toBe(0);
  });

  test("rubbish is ignored and does not end the connection", async () => {
    const user = await app.given.user(companyId);
    visible.set(5, new Set([user.id]));
    const client = await connected(user);
    for (const argument of ["undefined", null, {}, [], "5; drop", -5, "x".repeat(5_000)]) {
      client.socket.emit("joinChatBox", argument);
      client.socket.emit("joinTickets", argument);
      client.socket.emit("noSuchEvent", argument);
    }
    client.socket.emit("joinChatBox");
    await ask(client, "joinChatBox", "5");
    publish(rooms.ticket(companyId, 5));
    expect(await client.next(event())).toEqual(presence);
    expect(client.ending()).toBeNull();
  });

  test("a ticket that changed hands falls silent for who may no longer see it, and speaks to who now may", async () => {
    const [ana, bia] = [await app.given.user(companyId), await app.given.user(companyId)];
    visible.set(5, new Set([ana.id]));
    const [anasClient, biasClient] = [await connected(ana), await connected(bia)];
    for (const client of [anasClient, biasClient]) await ask(client, "joinChatBox", "5");
    visible.set(5, new Set([bia.id]));
    app.realtime.refreshTicket(companyId, 5 as TicketId, [rooms.user(companyId, bia.id)]);
    // In the same moment already it is not for Ana.
    publish(rooms.ticket(companyId, 5));
    await settled(anasClient, biasClient);
    expect(timesHeard(anasClient)).toBe(0);
    for (const client of [anasClient, biasClient]) await ask(client, "joinNotification");
    publish(rooms.ticket(companyId, 5));
    await settled(anasClient, biasClient);
    expect([timesHeard(anasClient), timesHeard(biasClient)]).toEqual([0, 1]);
  });
});

describe("rights that change", () => {
  const untilHeard = (client: LiveClient, room: Room) =>
    vi.waitFor(async () => {
      publish(room);
      await settled(client);
      expect(timesHeard(client)).toBeGreaterThan(0);
    });
  const change = (user: GivenUser, statement: ReturnType<typeof sql>) =>
    app.db.acrossCompanies(async (tx) => {
      await tx.query(statement);
      tx.onCommit(() => app.realtime.refreshUser(companyId, user.id));
    });

  test("a user who leaves a queue hears it no more, one who joins hears it without asking again", async () => {
    const user = await app.given.user(companyId, { queueIds: [queueId] });
    const other = await app.given.queue(companyId);
    const client = await connected(user);
    await ask(client, "joinTickets", "pending");
    await change(
      user,
      sql`update user_queues set queue_id = ${other} where company_id = ${companyId} and user_id = ${user.id}`,
    );
    await untilHeard(client, rooms.queuePending(companyId, other));
    const before = timesHeard(client);
    publish(rooms.queuePending(companyId, queueId));
    await settled(client);
    expect(timesHeard(client)).toBe(before);
  });

  test("an admin who becomes an agent leaves the admins' rooms", async () => {
    const user = await app.given.user(companyId, { profile: "admin", queueIds: [queueId] });
    const client = await connected(user);
    await ask(client, "joinTickets", "pending");
    await change(user, sql`update users set profile = 'user' where id = ${user.id}`);
    await untilHeard(client, rooms.queuePending(companyId, queueId));
    const before = timesHeard(client);
    publish(rooms.holders(companyId, "connections:manage"), rooms.status(companyId, "pending"));
    await settled(client);
    expect(timesHeard(client)).toBe(before);
  });

  test("a user who is deleted is disconnected", async () => {
    const user = await app.given.user(companyId);
    const client = await connected(user);
    await change(user, sql`delete from users where id = ${user.id}`);
    await vi.waitFor(() => expect(client.ending()).toBe("io server disconnect"));
  });

  test("a socket outlives its token", async () => {
    const user = await app.given.user(companyId);
    const client = await connected(user);
    app.clock.advance(3_600_001);
    await change(user, sql`update users set name = 'Outra' where id = ${user.id}`);
    publish(rooms.user(companyId, user.id));
    expect(await client.next(event())).toEqual(presence);
    expect(client.ending()).toBeNull();
  });
});

test("a client that floods is not heard for a while, and stays connected", async () => {
  const user = await app.given.user(companyId);
  const client = await connected(user);
  visible.set(5, new Set([user.id]));
  let looks = 0;
  look = async () => {
    looks += 1;
  };
  for (let n = 0; n < 1_000; n += 1) client.socket.emit("joinChatBox", "5");
  await settled(client);
  await vi.waitFor(() => expect(looks).toBeGreaterThan(50));
  expect(looks).toBeLessThan(200);
  expect(client.ending()).toBeNull();
});

test("the number of connected clients is a metric", async () => {
  await connected(await app.given.user(companyId));
  const { body } = await app.call("GET", "/metrics");
  const count = Number(/^balcao_sockets (\d+)$/m.exec(String(body))?.[1]);
  expect(count).toBeGreaterThan(0);
});

test("an unknown user id has no sockets", async () => {
  expect(await app.realtime.isConnected(companyId, 2_000_000 as UserId)).toBe(false);
});
