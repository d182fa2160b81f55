import type { QueueId, ReplyOf, Ticket } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenCompany, GivenTicket, GivenUser } from "../../testing/given.ts";
import { createOffice, heardDuring } from "../../testing/guarantees/office.ts";

let app: TestApp;
let company: GivenCompany;
let admin: GivenUser;

beforeAll(async () => {
  app = await testApp({ environment: { ROLES: "http" } });
  company = await app.given.company({ plan: { queues: 100 } });
  admin = await app.given.admin({ company });
});

const notFound = { status: 404, body: { code: "ERR_QUEUE_NOT_FOUND" } };

const query = <Row>(statement: ReturnType<typeof sql>) =>
  app.database.db.acrossCompanies((tx) => tx.query<Row>(statement));

const queueOf = async ({ id }: GivenTicket) =>
  (await app.as(admin).get<Ticket>(`/tickets/${id}`)).body.queueId;

/** The unfinished attendance. */
async function attendanceOf({ id }: GivenTicket) {
  const [row] = await query<{
    queueId: QueueId | null;
    queuedAt: Date;
    attendedAt: Date | null;
  }>(sql`
    select queue_id as "queueId", queued_at as "queuedAt", attended_at as "attendedAt"
      from attendances where ticket_id = ${id} and finished_at is null`);
  if (!row) throw new Error("the ticket has no attendance");
  return row;
}

test("the question before a deletion counts what uses the queue", async () => {
  const id = await app.given.queue({ company });
  const other = await app.given.queue({ company });
  await app.given.agent({ company, queueIds: [id] });
  const connectionId = await app.given.connection({
    ...{ company, name: "Loja", queueIds: [id], linked: false },
  });
  const redirecting = await app.given.connection({ company, name: "Matriz", linked: false });
  await app.as(admin).put(`/whatsapp/${redirecting}`, { transferQueueId: id });
  await app.given.ticket({ company, connectionId, queueId: id });
  await app.given.ticket({ company, connectionId, queueId: id, status: "open", userId: admin.id });
  await app.given.ticket({ company, connectionId, status: "closed", servedBy: { queueId: id } });
  await app.given.ticket({ company, connectionId, queueId: other });
  const body = { queueId: id, title: "Preços", option: 1 };
  await app.as(admin).post("/queue-options", body);
  expect(await app.as(admin).get(`/queue/${id}/use`)).toMatchObject({
    status: 200,
    body: {
      ...{ tickets: 2, users: 1, options: 1 },
      connections: [{ name: "Loja" }, { name: "Matriz" }],
    },
  });
  expect(await app.as(admin).get("/queue/2000000000/use")).toMatchObject(notFound);
});

test("waiting and open tickets go to the target queue, with the messages of the deleted one", async () => {
  const id = await app.given.queue({ company, name: "Encomendas" });
  const target = await app.given.queue({ company });
  const from = new Date("2026-01-02T03:04:05.000Z");
  const waiting = await app.given.ticket({ company, queueId: id, at: from });
  const open = await app.given.ticket({
    ...{ company, queueId: id, status: "open", userId: admin.id, at: from },
  });
  const closed = await app.given.ticket({
    ...{ company, status: "closed", servedBy: { queueId: id, userId: admin.id } },
  });
  await app.given.message(closed, { body: "Quero saber do pix", queueId: id });
  const said = await app.given.message(waiting, { body: "E a entrega?", queueId: id });
  await query(sql`
    insert into queue_options (company_id, queue_id, number, title) values (${company.id}, ${id}, 1, 'Preços')`);
  await query(sql`
    update tickets set chatbot = true,
           queue_option_id = (select id from queue_options where queue_id = ${id})
     where id = ${waiting.id}`);
  const reader = await app.given.agent({ company, queueIds: [target] });

  expect(await app.as(admin).delete(`/queue/${id}?targetQueueId=${target}`)).toMatchObject({
    status: 200,
    body: undefined,
  });

  expect((await app.as(admin).get<Ticket>(`/tickets/${waiting.id}`)).body).toMatchObject({
    ...{ status: "pending", userId: null, queueId: target, chatbot: false, queueOptionId: null },
  });
  expect((await app.as(admin).get<Ticket>(`/tickets/${open.id}`)).body).toMatchObject({
    ...{ status: "open", userId: admin.id, queueId: target, queue: { id: target } },
  });
  for (const ticket of [waiting, open]) {
    const { queueId, queuedAt, attendedAt } = await attendanceOf(ticket);
    expect([queueId, attendedAt]).toEqual([target, null]);
    // The waiting time counts anew, as after a transfer.
    expect(queuedAt.getTime()).toBeGreaterThan(from.getTime());
  }
  const read = await app.as(reader).get(`/messages/${waiting.id}`);
  expect(read.body).toMatchObject({
    messages: [{ id: said, queueId: target, queue: { id, name: "Encomendas" } }],
  });
  // Agents of the target queue read what the queue's agents have served.
  const history = await app.as(reader).get(`/messages/${closed.id}`);
  expect([history.status, JSON.stringify(history.body)]).toEqual([
    200,
    expect.stringContaining("Quero saber do pix"),
  ]);
  expect(await app.as(admin).get(`/queue/${id}`)).toMatchObject(notFound);
});

test("a queue's closed list has the tickets of the queues it replaced; tickets of a queue without target are in each list", async () => {
  const [id, target, other, gone] = await Promise.all(
    [1, 2, 3, 4].map(() => app.given.queue({ company })),
  );
  const servedIn = async (queueId: QueueId | undefined) => {
    const servedBy = { queueId: queueId ?? null, userId: admin.id };
    return (await app.given.ticket({ company, status: "closed", servedBy })).id;
  };
  const [moved, own, lost] = [await servedIn(id), await servedIn(target), await servedIn(gone)];
  expect((await app.as(admin).delete(`/queue/${id}?targetQueueId=${target}`)).status).toBe(200);
  expect((await app.as(admin).delete(`/queue/${gone}`)).status).toBe(200);
  const agent = await app.given.agent({
    company,
    queueIds: [target, other].flatMap((queueId) => queueId ?? []),
  });
  const closedIn = async (user: GivenUser, queueId: QueueId | undefined) => {
    const path = `/tickets?status=closed&showAll=true&queueIds=[${queueId}]`;
    const { body } = await app.as(user).get<ReplyOf<"GET /tickets">>(path);
    return [moved, own, lost].filter((ticketId) => body.tickets.some((row) => row.id === ticketId));
  };
  expect(await closedIn(admin, target)).toEqual([moved, own, lost]);
  expect(await closedIn(admin, other)).toEqual([lost]);
  expect(await closedIn(agent, target)).toEqual([moved, own]);
  expect(await closedIn(agent, other)).toEqual([]);
});

test("without a target tickets wait in no queue and keep their waiting time", async () => {
  const id = await app.given.queue({ company });
  const from = new Date("2026-01-02T03:04:05.000Z");
  const waiting = await app.given.ticket({ company, queueId: id, at: from });
  await app.given.message(waiting, { body: "Sem fila", queueId: id });
  await app.as(admin).delete(`/queue/${id}`);
  expect(await queueOf(waiting)).toBeNull();
  expect(await attendanceOf(waiting)).toMatchObject({ queueId: null, queuedAt: from });
  // Every user who sees the ticket reads its messages.
  const agent = await app.given.agent({ company, allTicket: "enabled" });
  const read = await app.as(agent).get(`/messages/${waiting.id}`);
  expect(read.body).toMatchObject({ messages: [{ body: "Sem fila", queueId: null }] });
});

test("all tickets move, also more than one statement takes", async () => {
  const [id, target] = [await app.given.queue({ company }), await app.given.queue({ company })];
  const connectionId = await app.given.connection({ company, linked: false });
  await query(sql`
    with people as (
      insert into contacts (company_id, name, number)
      select ${company.id}, 'Cliente ' || n, '5521' || (70000000 + n) from generate_series(1, 450) n returning id
    )
    insert into tickets (company_id, uuid, contact_id, connection_id, status, queue_id)
    select ${company.id}, gen_random_uuid(), id, ${connectionId}, 'pending', ${id} from people`);
  await app.as(admin).delete(`/queue/${id}?targetQueueId=${target}`);
  const moved = await query(sql`select count(*)::int as n from tickets where queue_id = ${target}`);
  expect(moved).toEqual([{ n: 450 }]);
});

test("users who lose a ticket get its deletion, users who gain it get an update", async () => {
  const office = await createOffice(app);
  const { queueA, queueB, users } = office;
  await app.given.ticket({ company: office.company, queueId: queueA });
  const remove = (path: string) => () => app.as(users.admin).delete(path);
  const toB = remove(`/queue/${queueA}?targetQueueId=${queueB}`);
  expect(await heardDuring(app, office, toB)).toEqual({
    ...{ anaOfA: ["ticket delete"], alexOfA: ["ticket delete"] },
    inBoth: ["ticket delete", "ticket update"],
    ...{ biaOfB: ["ticket update"], beniOfB: ["ticket update"], admin: ["ticket update"] },
  });
  expect(await heardDuring(app, office, remove(`/queue/${queueB}`))).toEqual({
    ...{ biaOfB: ["ticket delete"], beniOfB: ["ticket delete"], inBoth: ["ticket delete"] },
    ...{ allTicket: ["ticket update"], admin: ["ticket update"] },
  });
});

test("the target must be another queue of the company", async () => {
  const id = await app.given.queue({ company });
  const waiting = await app.given.ticket({ company, queueId: id });
  const foreign = await app.given.queue({ company: await app.given.company() });
  for (const target of [foreign, id, 2_000_000_000]) {
    const reply = await app.as(admin).delete(`/queue/${id}?targetQueueId=${target}`);
    expect(reply).toMatchObject(notFound);
  }
  expect(await queueOf(waiting)).toBe(id);
});

test("one of concurrent deletions succeeds; tickets that enter the queue meanwhile are moved too", async () => {
  const [id, target] = [await app.given.queue({ company }), await app.given.queue({ company })];
  const tickets = await Promise.all(
    Array.from({ length: 8 }, () => app.given.ticket({ company, queueId: target })),
  );
  const moves = tickets.map((ticket) =>
    app.as(admin).put(`/tickets/${ticket.id}`, { queueId: id }),
  );
  const removals = [1, 2, 3].map(() =>
    app.as(admin).delete(`/queue/${id}?targetQueueId=${target}`),
  );
  const statuses = (await Promise.all(removals)).map(({ status }) => status);
  expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 404, 404]);
  for (const { status } of await Promise.all(moves)) expect([200, 404]).toContain(status);
  for (const ticket of tickets) expect(await queueOf(ticket)).toBe(target);
});
