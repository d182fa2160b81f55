import type { QueueId, ReplyOf, Ticket } from "@balcao/contract";
import { companyEvent } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test, vi } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenTicket, GivenUser } from "../../testing/given.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ assignmentLookMs: 60_000 });
});

/** Sign-in and heartbeats set it; here nobody has a socket. */
const setOnline = (user: GivenUser, online: boolean) =>
  app.database.db.acrossCompanies((tx) =>
    tx.query(
      sql`update users set online = ${online}, last_seen_at = now() + interval '1 day' where id = ${user.id}`,
    ),
  );

const change = (user: GivenUser, body: Record<string, unknown>) =>
  app.as(user).put("/users/availability", body);

/** A company whose queue assigns; Ana, Bia and Caio are in it and online. */
async function office(assignment: "manual" | "turns" | "load" = "turns") {
  const { given } = app;
  const company = await given.company();
  const queueId = await given.queue({ company, name: "Vendas" });
  const admin = await given.admin({ company });
  const person = async (name: string) => {
    const user = await given.agent({ company, name, queueIds: [queueId] });
    await setOnline(user, true);
    return user;
  };
  const people = [await person("Ana"), await person("Bia"), await person("Caio")] as const;
  const connectionId = await given.connection({ company, linked: false });
  const set = (body: Record<string, unknown>, id: QueueId = queueId) =>
    app.as(admin).put(`/queue/${id}`, body);
  expect((await set({ assignment })).status).toBe(201);
  const ticket = () => given.ticket({ company, connectionId });
  return {
    ...{ company, queueId, admin, people, connectionId, set, ticket },
    /** A new ticket that begins to wait in the queue; the ticket of the reply. */
    async arrives(one?: GivenTicket): Promise<Ticket> {
      const { id } = one ?? (await ticket());
      const reply = await app.as(admin).put<Ticket>(`/tickets/${id}`, { queueId });
      expect(reply.status).toBe(200);
      return reply.body;
    },
    limit: (user: GivenUser, ticketLimit: number) =>
      app.as(admin).put(`/users/${user.id}`, { ticketLimit }),
    read: async (id: number) => (await app.as(admin).get<Ticket>(`/tickets/${id}`)).body,
  };
}

type Office = Awaited<ReturnType<typeof office>>;
const holder = ({ user }: Ticket): string | null => user?.name ?? null;

/** Waits until the worker has given the ticket to somebody. */
const becomes = (place: Office, { id }: { id: number }, name: string): Promise<void> =>
  vi.waitFor(async () => expect(holder(await place.read(id))).toBe(name), { interval: 20 });

describe("assignment", () => {
  test("by hand, as every queue at first, leaves the ticket waiting", async () => {
    const place = await office("manual");
    expect(await place.arrives()).toMatchObject({ status: "pending", userId: null });
  });

  test("in turns goes around the users who are online and available", async () => {
    const place = await office();
    const [ana, bia, caio] = place.people;
    const names = [];
    for (let n = 0; n < 4; n += 1) names.push(holder(await place.arrives()));
    expect(names).toEqual(["Ana", "Bia", "Caio", "Ana"]);
    await change(bia, { availability: "paused", pauseReason: "Almoço" });
    await setOnline(caio, false);
    expect(holder(await place.arrives())).toBe("Ana");
    await change(ana, { availability: "away" });
    expect(holder(await place.arrives())).toBeNull();
  });

  test("by load gives the ticket to the user with the fewest open ones of any queue", async () => {
    const place = await office("load");
    const [ana, bia] = place.people;
    for (const userId of [ana.id, ana.id, bia.id]) {
      await app.given.ticket({ ...place, status: "open", userId });
    }
    const names = [];
    for (let n = 0; n < 3; n += 1) names.push(holder(await place.arrives()));
    expect(names).toEqual(["Caio", "Bia", "Caio"]);
  });

  test("gives nobody more than the limit, and goes on when the limit grows or a ticket is resolved", async () => {
    const place = await office();
    const [ana, bia, caio] = place.people;
    for (const user of place.people) await place.limit(user, 1);
    const [first, second, third] = [
      await place.arrives(),
      await place.arrives(),
      await place.arrives(),
    ];
    expect([first, second, third].map(holder)).toEqual(["Ana", "Bia", "Caio"]);
    const [fourth, fifth] = [await place.arrives(), await place.arrives()];
    expect([fourth, fifth].map(holder)).toEqual([null, null]);
    await app.as(caio).put(`/tickets/${third.id}`, { status: "closed", userId: caio.id });
    await becomes(place, fourth, "Caio");
    await place.limit(bia, 2);
    await becomes(place, fifth, "Bia");
    // Limits are for assignment: users accept as many as they want.
    const sixth = await place.arrives();
    const accepted = await app.as(ana).put<Ticket>(`/tickets/${sixth.id}`, { status: "open" });
    expect([accepted.status, accepted.body.userId]).toEqual([200, ana.id]);
  });

  test("waits for somebody who comes back, the longest wait first", async () => {
    const place = await office();
    for (const user of place.people) await change(user, { availability: "away" });
    const early = await place.arrives();
    const late = await place.arrives();
    const [, , caio] = place.people;
    await place.limit(caio, 1);
    await change(caio, { availability: "available" });
    await becomes(place, early, "Caio");
    expect(holder(await place.read(late.id))).toBeNull();
    // A ticket that comes now does not overtake the one that waits.
    await place.limit(caio, 2);
    await becomes(place, late, "Caio");
  });

  test("goes on when somebody comes online", async () => {
    const place = await office();
    for (const user of place.people) await setOnline(user, false);
    const waiting = await place.arrives();
    expect(holder(waiting)).toBeNull();
    await app.live(place.people[1]);
    await becomes(place, waiting, "Bia");
  });

  test("does not give a returned ticket back to the user who returned it", async () => {
    const place = await office();
    const [ana, bia, caio] = place.people;
    await change(caio, { availability: "away" });
    const { id } = await place.arrives();
    const back = await app
      .as(ana)
      .put<Ticket>(`/tickets/${id}`, { status: "pending", userId: null });
    expect(holder(back.body)).toBe("Bia");
    await change(ana, { availability: "away" });
    await app.as(bia).put(`/tickets/${id}`, { status: "pending", userId: null });
    expect(holder(await place.read(id))).toBeNull();
    await change(ana, { availability: "available" });
    await becomes(place, { id }, "Ana");
  });

  test("can be undone with the return that it followed", async () => {
    const place = await office();
    const [ana] = place.people;
    const { id } = await place.arrives();
    const body = { status: "pending", userId: null, undoSeconds: 5 };
    const back = await app.as(ana).put<Ticket & { undo: { id: string } }>(`/tickets/${id}`, body);
    expect(holder(back.body)).toBe("Bia");
    const undone = await app
      .as(ana)
      .post<Ticket>(`/tickets/${id}/undo`, { undoId: back.body.undo.id });
    expect([undone.status, holder(undone.body)]).toEqual([200, "Ana"]);
  });

  test("begins with the tickets that wait when a queue is switched to it", async () => {
    const place = await office("manual");
    const waiting = await place.arrives();
    await place.set({ assignment: "load" });
    await becomes(place, waiting, "Ana");
  });

  test("leaves tickets of the chatbot, and those without connection, where they are", async () => {
    const place = await office();
    const [held, lost] = [await place.ticket(), await place.ticket()];
    await app.database.db.acrossCompanies(async (tx) => {
      await tx.query(sql`update tickets set chatbot = true where id = ${held.id}`);
      await tx.query(sql`update tickets set connection_id = null where id = ${lost.id}`);
    });
    expect(holder(await place.arrives(held))).toBeNull();
    expect(holder(await place.arrives(lost))).toBeNull();
    expect(holder(await place.arrives())).toBe("Ana");
  });

  test("keeps the messages unread, and tells both lists", async () => {
    const place = await office();
    const one = await place.ticket();
    await app.given.message(one, { body: "Oi" });
    const page = await app.live(place.people[0]);
    page.socket.emit("joinTickets", "open");
    const assigned = await place.arrives(one);
    expect(assigned).toMatchObject({ status: "open", unreadMessages: 1 });
    await vi.waitFor(() =>
      expect(page.heard.map(({ payload }) => payload)).toContainEqual({
        action: "update",
        ticket: expect.objectContaining({ id: one.id, userId: place.people[0].id, status: "open" }),
      }),
    );
  });
});

test("a new customer's ticket is assigned after the attendant has spoken", async () => {
  const quick = { firstMs: 1, answerMs: 1, longestMs: 5 };
  const talking = await testApp({
    attendantSettings: { quiet: quick },
    database: app.database,
    distributed: true,
  });
  const { given } = talking;
  const company = await given.company();
  const queueId = await given.queue({ company });
  const admin = await given.admin({ company });
  const agent = await given.agent({ company, queueIds: [queueId] });
  await setOnline(agent, true);
  const greeting = { greetingMessage: "Boas-vindas!", assignment: "turns" };
  await talking.as(admin).put(`/queue/${queueId}`, greeting);
  await talking.as(admin).put("/settings/sendGreetingMessageOneQueues", { value: "enabled" });
  const connectionId = await given.connection({ company, queueIds: [queueId] });
  await talking.as(admin).put(`/whatsapp/${connectionId}`, { greetingMessage: "Bom dia!" });
  const chat = `/simulator/connections/${connectionId}/chats/5511944440009/messages`;
  await talking.as(admin).post(chat, { body: "Oi" });
  await vi.waitFor(
    async () => {
      const reply = await talking.as(agent).get<ReplyOf<"GET /tickets">>("/tickets?status=open");
      const [ticket] = reply.body.tickets;
      expect(ticket).toMatchObject({ userId: agent.id });
      const path = `/messages/${ticket?.id}?markRead=false`;
      const page = await talking.as(agent).get<ReplyOf<"GET /messages/:ticketId">>(path);
      expect(page.body.messages).toContainEqual(
        expect.objectContaining({ body: "Bom dia!", isAutomatic: true }),
      );
    },
    { interval: 50 },
  );
});

test("availability is kept, told to the company, and needs a reason for a pause", async () => {
  const { company, people, admin } = await office("manual");
  const [ana] = people;
  const page = await app.live(admin);
  const body = { availability: "paused", pauseReason: "Almoço" };
  const reply = await change(ana, body);
  expect([reply.status, reply.body]).toEqual([200, expect.objectContaining(body)]);
  // Besides the admin's own arrival.
  await vi.waitFor(() =>
    expect(page.heard).toContainEqual({
      name: companyEvent(company.id, "user"),
      payload: {
        action: "update",
        user: expect.objectContaining({
          ...{ id: ana.id, availability: "paused", pauseReason: "Almoço" },
          availabilitySince: expect.any(String),
        }),
      },
    }),
  );
  await change(ana, { availability: "available", pauseReason: "Almoço" });
  const [shown] = (await app.as(admin).get<ReplyOf<"GET /team">>("/team")).body.people;
  expect(shown).toMatchObject({ id: ana.id, availability: "available", pauseReason: null });
  for (const wrong of [{ availability: "paused" }, { availability: "busy" }, {}]) {
    expect((await change(ana, wrong)).status).toBe(400);
  }
});

test("the team has everybody's load and limit and what waits in each queue, in one statement", async () => {
  const place = await office("manual");
  const { company, connectionId, queueId, people } = place;
  const [ana, bia] = people;
  const other = await app.given.queue({ company, name: "Suporte" });
  await place.limit(bia, 3);
  const at = new Date(Date.now() - 3_600_000);
  const make = (wish: object) => app.given.ticket({ company, connectionId, ...wish });
  await make({ status: "open", userId: ana.id, queueId: other });
  await make({ status: "closed", servedBy: { userId: ana.id } });
  await make({ queueId, at });
  await make({ queueId });
  await make({});
  app.statements.take();
  const reply = await app.as(ana).get<ReplyOf<"GET /team">>("/team");
  expect(app.statements.take().filter((text) => text.includes("with served as"))).toHaveLength(1);
  const { people: shown, queues } = reply.body;
  expect(
    shown.map(({ name, online, openTickets, ticketLimit }) => [
      name,
      online,
      openTickets,
      ticketLimit,
    ]),
  ).toEqual([
    ["Ana", true, 1, 6],
    ["Bia", true, 0, 3],
    ["Caio", true, 0, 6],
    [place.admin.name, false, 0, 6],
  ]);
  expect(shown[0]?.queueIds).toEqual([queueId]);
  expect(queues).toEqual([
    { id: queueId, waiting: 2, oldestSince: at.toISOString(), withinTarget: null },
    { id: other, waiting: 0, oldestSince: null, withinTarget: null },
  ]);
});

test("the share of today's first answers within the queue's target counts the answered and the missed ones", async () => {
  const { company, queueId, admin, connectionId, set } = await office("manual");
  const { given, database } = app;
  const share = async () =>
    (await app.as(admin).get<ReplyOf<"GET /team">>("/team")).body.queues[0]?.withinTarget;
  const comes = async (answered: boolean, missed: boolean, days = 0) => {
    const { id } = await given.ticket({ company, connectionId, queueId });
    const [ago, attended] = [`${days} days`, answered ? sql`now()` : sql`null`];
    await database.db.acrossCompanies(async (tx) => {
      await tx.query(sql`update attendances set queued_at = now() - ${ago}::interval,
        queue_id = ${queueId}, attended_at = ${attended} where ticket_id = ${id}`);
      if (!missed) return;
      await tx.query(sql`insert into target_misses
        (company_id, ticket_id, queue_id, kind, minutes, started_at, created_at)
        values (${company.id}, ${id}, ${queueId}, 'first', 5, now(), now())`);
    });
  };
  await comes(true, false);
  expect(await share()).toBeNull();
  await set({ firstAnswerMinutes: 5 });
  expect(await share()).toBe(100);
  await comes(true, true);
  await comes(false, true);
  await comes(false, false);
  await comes(true, true, 2);
  expect(await share()).toBe(33);
});
