import type { ReplyOf } from "@balcao/contract";
import { clientEvents, companyEvent } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { createApi, testApp } from "../../testing/app.ts";
import { createPeople, renew, signIn } from "./testing/people.ts";

const product = await testApp({ environment: { ROLES: "http" } });
const { database, given, as, live, url } = product;

const notFound = { status: 404, body: { code: "ERR_NO_USER_FOUND" } };

/** An agent with one open ticket in the agent's queue, one without queue, and one resolved. */
async function office() {
  const people = await createPeople(product);
  const { company, queueId, ana } = people;
  const made = { company, userId: ana.id };
  const open = await given.ticket({ ...made, status: "open", queueId });
  const free = await given.ticket({ ...made, status: "open" });
  const served = { company, status: "closed", servedBy: { userId: ana.id, queueId } } as const;
  const closed = await given.ticket(served);
  return { ...people, open, free, closed };
}

test("the question before a deletion counts the user's open tickets", async () => {
  const { admin, ana, bia } = await office();
  const use = (id: number) => as(admin).get<ReplyOf<"GET /users/:userId/use">>(`/users/${id}/use`);
  expect((await use(ana.id)).body).toEqual({ openTickets: 2 });
  expect((await use(bia.id)).body).toEqual({ openTickets: 0 });
  expect(await as(bia).get(`/users/${ana.id}/use`)).toMatchObject({
    status: 403,
    body: { code: "ERR_NO_PERMISSION" },
  });
  const stranger = await createPeople(product);
  expect(await as(stranger.admin).get(`/users/${ana.id}/use`)).toMatchObject(notFound);
});

test("a deleted user's open tickets wait again in their queues; the attendances stay in the figures", async () => {
  const { company, queueId, admin, ana, open, free, closed, remove } = await office();
  await given.message(open, { body: "Onde está o pedido?" });
  const reply = await remove(ana.id);
  expect([reply.status, reply.body]).toEqual([200, { message: "User deleted" }]);
  for (const [ticket, expected] of [
    [open, { status: "pending", userId: null, queueId }],
    [free, { status: "pending", userId: null, queueId: null }],
    [closed, { status: "closed", userId: null }],
  ] as const) {
    expect((await as(admin).get(`/tickets/${ticket.id}`)).body).toMatchObject(expected);
  }
  const messages = await as(admin).get(`/messages/${open.id}?markRead=false`);
  expect(JSON.stringify(messages.body)).toContain("Onde está o pedido?");
  const finished = await database.db.acrossCompanies((tx) =>
    tx.query(sql`
      select ticket_id as "ticketId", queue_id as "queueId" from attendances
      where company_id = ${company.id} and finished_at is not null`),
  );
  expect(finished).toEqual([{ ticketId: closed.id, queueId }]);
});

test("the queue's agents get the tickets' events, the company the deletion, and the user's sockets close", async () => {
  const { company, queueId, ana, bia, change, open, remove } = await office();
  await change(bia.id, { queueIds: [queueId] });
  const session = await signIn(product, ana.email);
  const [his, queue] = [await live({ ...ana, token: session.token }), await live(bia)];
  queue.socket.emit(clientEvents.joinTickets, "pending");
  await remove(ana.id);
  await expect
    .poll(() => queue.heard)
    .toContainEqual({
      name: companyEvent(company.id, "ticket"),
      payload: expect.objectContaining({
        action: "update",
        ticket: expect.objectContaining({ id: open.id, status: "pending", userId: null }),
      }),
    });
  const deletion = {
    name: companyEvent(company.id, "user"),
    payload: { action: "delete", userId: ana.id },
  };
  await expect.poll(() => queue.heard).toContainEqual(deletion);
  await expect.poll(() => his.ending()).not.toBeNull();
  expect(his.heard).toContainEqual(deletion);
  expect((await createApi(url, session.token).get("/auth/me")).status).toBe(401);
  expect((await renew(product, session.cookie)).status).toBe(401);
  expect((await signIn(product, ana.email)).status).toBe(401);
});

test("users cannot delete themselves, agents cannot delete users, and another company's user is not found", async () => {
  const { admin, ana, bia, names, remove } = await office();
  const before = await names();
  expect(await remove(admin.id)).toMatchObject({ status: 400, body: { code: "ERR_USER_IS_SELF" } });
  for (const id of [ana.id, bia.id]) {
    const refused = await remove(id, bia);
    expect(refused).toMatchObject({ status: 403, body: { code: "ERR_NO_PERMISSION" } });
  }
  const stranger = await createPeople(product);
  expect(await remove(ana.id, stranger.admin)).toMatchObject(notFound);
  expect(await names()).toEqual(before);
});

test("when two admins delete each other concurrently, one stays", async () => {
  const { admin, second, remove } = await createPeople(product);
  const replies = await Promise.all([remove(admin.id, second), remove(second.id, admin)]);
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(1);
  const survivor = replies[0]?.status === 200 ? second : admin;
  const left = await as(survivor).get<ReplyOf<"GET /users/list">>("/users/list");
  expect(left.body.map(({ name }) => name)).toContain(survivor.name);
});

test("an admin cannot delete a super user", async () => {
  const { company, admin, remove } = await createPeople(product);
  const boss = await given.admin({ company, super: true });
  expect(await remove(boss.id)).toMatchObject({ status: 403, body: { code: "ERR_NO_SUPER" } });
  expect((await remove(admin.id, boss)).status).toBe(200);
});

test("a deleted user's place in the plan and e-mail can be used again", async () => {
  const { ana, create, remove } = await createPeople(product, { users: 4 });
  const again = { name: "Ana", email: ana.email, password: "segredo-456" };
  expect((await create(again)).status).toBe(400);
  await remove(ana.id);
  expect((await create(again)).status).toBe(200);
});

test("tickets assigned to a user during the deletion wait again; none is lost", async () => {
  const { company, queueId, admin, ana, remove } = await createPeople(product);
  const waiting = await Promise.all(
    Array.from({ length: 12 }, () => given.ticket({ company, queueId })),
  );
  const give = ({ id }: { id: number }) =>
    as(admin).put(`/tickets/${id}`, { userId: ana.id, queueId });
  const [removed, ...gifts] = await Promise.all([remove(ana.id), ...waiting.map(give)]);
  expect(removed.status).toBe(200);
  for (const gift of gifts) expect([200, 404]).toContain(gift.status);
  for (const { id } of waiting) {
    const ticket = await as(admin).get(`/tickets/${id}`);
    expect(ticket.body).toMatchObject({ status: "pending", userId: null, queueId });
  }
});

test("a deleted user's messages and attendances keep the name", async () => {
  const { company, admin, queueId, ana, remove } = await createPeople(product);
  const ticket = await given.ticket({ company, userId: ana.id, status: "open", queueId });
  expect((await as(ana).post(`/messages/${ticket.id}`, { body: "Já vejo" })).status).toBe(200);
  expect((await as(ana).put(`/tickets/${ticket.id}`, { status: "closed" })).status).toBe(200);
  expect((await remove(ana.id)).status).toBe(200);
  const messages = await as(admin).get(`/messages/${ticket.id}?markRead=false`);
  expect(messages.body).toMatchObject({ messages: [{ user: { id: ana.id, name: "Ana" } }] });
  const history = await as(admin).get(`/contacts/${ticket.contactId}/attendances?pageNumber=1`);
  expect(history.body).toMatchObject({ attendances: [{ user: { id: ana.id, name: "Ana" } }] });
});

test("many open tickets are returned by as many statements as one", async () => {
  const cost = async (tickets: number): Promise<number> => {
    const { company, queueId, ana, remove } = await createPeople(product);
    for (let n = 1; n <= tickets; n += 1) {
      await given.ticket({ company, userId: ana.id, status: "open", queueId });
    }
    product.statements.take();
    expect((await remove(ana.id)).status).toBe(200);
    return product.statements.take().filter((text) => /\b(tickets|attendances)\b/.test(text))
      .length;
  };
  expect(await cost(7)).toBe(await cost(1));
});
