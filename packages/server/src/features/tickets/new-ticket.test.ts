import type { ConnectionId, ContactId, QueueId, Ticket } from "@balcao/contract";
import { companyEvent } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test, vi } from "vitest";
import type { Reply, TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenCompany, GivenUser } from "../../testing/given.ts";
import { unique } from "../../testing/given.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ environment: { BALCAO_DATABASE_POOL: "20" } });
});

async function office() {
  const { given } = app;
  const company = await given.company();
  const sales = await given.queue({ company, name: "Vendas" });
  const support = await given.queue({ company, name: "Suporte" });
  return {
    company,
    sales,
    support,
    connectionId: await connection(company),
    contactId: await contact(company),
    admin: await given.admin({ company, name: "Chefe" }),
    ana: await given.agent({ company, name: "Ana", queueIds: [sales] }),
    caio: await given.agent({ company, name: "Caio", queueIds: [support] }),
  };
}

/** A line that says it is connected, or not, whatever its channel does. */
async function connection(company: GivenCompany, status = "CONNECTED"): Promise<ConnectionId> {
  const id = await app.given.connection({ company, linked: false });
  await run(sql`update connections set status = ${status} where id = ${id}`);
  return id;
}

async function contact(company: GivenCompany, isGroup = false): Promise<ContactId> {
  const [row] = await run<{ id: ContactId }>(sql`
    insert into contacts (company_id, name, number, is_group)
    values (${company.id}, 'Maria', ${`55118${10_000_000 + unique()}`}, ${isGroup}) returning id`);
  if (!row) throw new Error("no contact");
  return row.id;
}

const run = <Row>(statement: ReturnType<typeof sql>): Promise<Row[]> =>
  app.database.db.acrossCompanies((tx) => tx.query<Row>(statement));

const open = (user: GivenUser, body: object): Promise<Reply<Ticket>> =>
  app.as(user).post<Ticket>("/tickets", body);

async function opened(user: GivenUser, body: object): Promise<Ticket> {
  const reply = await open(user, body);
  expect([reply.status, reply.body]).toEqual([200, expect.objectContaining({ status: "open" })]);
  return reply.body;
}

test("a ticket that the database does not keep is refused as one", async () => {
  const { admin, company, connectionId } = await office();
  const contactId = await contact(company);
  await run(
    sql`create function drop_row() returns trigger language plpgsql as $$ begin return null; end $$`,
  );
  await run(
    sql.raw(`create trigger lost before insert on tickets for each row
    when (new.contact_id = ${contactId}) execute function drop_row()`),
  );
  const reply = await open(admin, { contactId, queueId: null, whatsappId: connectionId });
  expect(answer(reply)).toEqual(refusal("ERR_CREATING_TICKET", 400));
});

const refusal = (code: string, status: number) => [status, expect.objectContaining({ code })];
const answer = ({ status, body }: Reply): unknown[] => [status, body];

describe("a new ticket", () => {
  test("is open and its opener's, in the chosen queue and connection, with an attendance that has begun", async () => {
    const { ana, contactId, sales, connectionId } = await office();
    await run(sql`
      insert into contact_extra_info (company_id, contact_id, name, value)
      values (${ana.companyId}, ${contactId}, 'Cidade', 'Recife')`);
    const whatsappId = connectionId;
    const body = { contactId, queueId: sales, whatsappId, userId: ana.id, status: "open" };
    const ticket = await opened(ana, body);
    expect(ticket).toMatchObject({
      user: { id: ana.id, name: "Ana" },
      queue: { id: sales, name: "Vendas" },
      whatsapp: { id: connectionId },
      contact: { id: contactId, name: "Maria", extraInfo: [{ name: "Cidade", value: "Recife" }] },
      tags: [],
      unreadMessages: 0,
      isGroup: false,
    });
    const attendances = await run(sql`
      select user_id as "userId", queue_id as "queueId", connection_id as "connectionId",
        queued_at is not null as "isQueued", started_at is not null as "isStarted", finished_at as "finishedAt"
      from attendances where ticket_id = ${ticket.id}`);
    expect(attendances).toEqual([
      {
        ...{ userId: ana.id, queueId: sales, connectionId },
        ...{ isQueued: true, isStarted: true, finishedAt: null },
      },
    ]);
    expect((await app.as(ana).get<Ticket>(`/tickets/u/${ticket.uuid}`)).body).toEqual(ticket);
  });

  test("needs a queue, except for admins", async () => {
    const { ana, admin, contactId } = await office();
    for (const queueId of [undefined, null, ""]) {
      const reply = await open(ana, { contactId, queueId });
      expect(answer(reply)).toEqual(refusal("ERR_QUEUE_REQUIRED", 400));
      expect(reply.body).toMatchObject({ error: "Selecione uma fila" });
    }
    expect(await opened(admin, { contactId, queueId: null })).toMatchObject({ queue: null });
  });

  test("may be in any queue of the company, and is for somebody else only by an admin", async () => {
    const { ana, admin, caio, company, support } = await office();
    const body = { queueId: support, userId: caio.id };
    expect(await opened(ana, { ...body, contactId: await contact(company) })).toMatchObject({
      userId: ana.id,
      queueId: support,
    });
    expect(await opened(admin, { ...body, contactId: await contact(company) })).toMatchObject({
      userId: caio.id,
    });
  });

  test("with a group is a group's", async () => {
    const { admin, company } = await office();
    const contactId = await contact(company, true);
    expect(await opened(admin, { contactId })).toMatchObject({ isGroup: true });
  });

  test("cannot refer to another company's rows", async () => {
    const here = await office();
    const there = await office();
    const { contactId, sales, connectionId } = here;
    const wrong: [body: object, code: string][] = [
      [{ contactId: there.contactId, queueId: sales }, "ERR_NO_CONTACT_FOUND"],
      [{ contactId: 2_147_483_647, queueId: sales }, "ERR_NO_CONTACT_FOUND"],
      [{ contactId, queueId: there.sales }, "ERR_QUEUE_NOT_FOUND"],
      [{ contactId, queueId: sales, whatsappId: there.connectionId }, "ERR_NO_WAPP_FOUND"],
      [{ contactId, queueId: sales, userId: there.ana.id }, "ERR_NO_USER_FOUND"],
    ];
    for (const [body, code] of wrong) {
      for (const user of [here.admin, here.ana]) {
        expect(answer(await open(user, body))).toEqual(refusal(code, 404));
      }
    }
    await opened(here.admin, { contactId, queueId: sales, whatsappId: connectionId });
  });
});

describe("the connection, where none is chosen,", () => {
  test("is the user's own, else the default, else any, of those that are connected", async () => {
    const { admin, company, connectionId: first } = await office();
    const standard = await connection(company);
    const own = await connection(company);
    await run(sql`update connections set is_default = true where id = ${standard}`);
    await run(sql`update users set connection_id = ${own} where id = ${admin.id}`);
    const next = async () =>
      (await opened(admin, { contactId: await contact(company) })).whatsappId;
    const disconnect = (id: ConnectionId) =>
      run(sql`update connections set status = 'DISCONNECTED' where id = ${id}`);

    expect(await next()).toBe(own);
    await disconnect(own);
    expect(await next()).toBe(standard);
    await disconnect(standard);
    expect(await next()).toBe(first);
    await disconnect(first);
    expect(answer(await open(admin, { contactId: await contact(company) }))).toEqual(
      refusal("ERR_NO_DEF_WAPP_FOUND", 400),
    );
    // A chosen one may be connected later.
    await opened(admin, { contactId: await contact(company), whatsappId: first });
  });
});

describe("a contact's ticket that waits or is served", () => {
  test.each<[who: string, holder: "ana" | "caio" | null, queue: boolean]>([
    ["a colleague serves", "caio", true],
    ["the caller serves", "ana", true],
    ["nobody serves", null, false],
  ])(
    "and that %s is in the way: 409 says who has it, and nothing else",
    async (_who, holder, inQueue) => {
      const place = await office();
      const { company, ana, sales, connectionId } = place;
      const user = holder && place[holder];
      const queueId: QueueId | null = inQueue ? place.support : null;
      const there = await app.given.ticket({
        ...{ company, connectionId, contactName: "Maria Segredo", queueId },
        ...(user ? { status: "open", userId: user.id } : { status: "pending" }),
      });
      await app.given.message(there, { body: "conteúdo secreto" });
      for (const whatsappId of [connectionId, null]) {
        const reply = await open(ana, { contactId: there.contactId, queueId: sales, whatsappId });
        expect(reply.status).toBe(409);
        const { error, code } = reply.body as unknown as { error: string; code: string };
        expect(code).toBe("ERR_TICKET_EXISTS");
        expect(JSON.parse(error)).toEqual({
          id: there.id,
          uuid: there.uuid,
          status: user ? "open" : "pending",
          userId: user?.id ?? null,
          queueId,
          contactId: there.contactId,
          whatsappId: connectionId,
          user: { id: user?.id ?? null, name: user?.name ?? "" },
          queue: inQueue
            ? { id: queueId, name: "Suporte", color: expect.stringMatching(/^#/) }
            : { id: null, name: "Sem fila", color: "" },
        });
        expect(JSON.stringify(reply.body)).not.toMatch(/segredo|secreto/i);
      }
    },
  );

  test("does not prevent one on another connection", async () => {
    const { company, ana, sales, connectionId } = await office();
    const there = await app.given.ticket({ company, connectionId, queueId: sales });
    const other = await connection(company);
    const ticket = await opened(ana, {
      contactId: there.contactId,
      queueId: sales,
      whatsappId: other,
    });
    expect(ticket.id).not.toBe(there.id);
  });
});

test("a closed ticket of the contact on the connection goes on, with its id, in a new attendance", async () => {
  const { company, ana, caio, sales, support, connectionId } = await office();
  const closed = await app.given.ticket({
    ...{ company, connectionId, status: "closed" },
    servedBy: { userId: caio.id, queueId: support },
  });
  const body = { contactId: closed.contactId, queueId: sales, whatsappId: connectionId };
  expect(await opened(ana, body)).toMatchObject({
    id: closed.id,
    uuid: closed.uuid,
    userId: ana.id,
    queueId: sales,
  });
  const attendances = await run(sql`
    select user_id as "userId", finished_at is not null as "isFinished" from attendances
    where ticket_id = ${closed.id} order by id`);
  expect(attendances).toEqual([
    { userId: caio.id, isFinished: true },
    { userId: ana.id, isFinished: false },
  ]);
});

test("one of many concurrent creations with one contact succeeds, and the others are told who has it", async () => {
  const { company, contactId, sales, connectionId } = await office();
  const agents: GivenUser[] = [];
  for (let n = 0; n < 20; n += 1) {
    agents.push(await app.given.agent({ company, queueIds: [sales] }));
  }
  const replies = await Promise.all(
    agents.map((agent, n) => {
      const whatsappId = n % 2 === 0 ? connectionId : null;
      return open(agent, { contactId, queueId: sales, whatsappId });
    }),
  );
  const won = replies.filter(({ status }) => status === 200);
  expect(won).toHaveLength(1);
  const winner = won[0]?.body;
  for (const reply of replies.filter(({ status }) => status !== 200)) {
    expect(answer(reply)).toEqual(refusal("ERR_TICKET_EXISTS", 409));
    expect(reply.body).toMatchObject({ data: { id: winner?.id, userId: winner?.userId } });
  }
  expect(await run(sql`select id from tickets where contact_id = ${contactId}`)).toHaveLength(1);
});

test("its lists hear of it: a reopened one leaves the closed list first", async () => {
  const { company, admin, ana, contactId, sales, connectionId } = await office();
  const name = companyEvent(company.id, "ticket");
  const ears = await app.live(admin);
  for (const status of ["open", "closed"]) ears.socket.emit("joinTickets", status);
  const heard = () =>
    ears.heard.filter((one) => one.name === name).map((one) => one.payload as { action: string });
  const first = await opened(ana, { contactId, queueId: sales, whatsappId: connectionId });
  await vi.waitFor(() =>
    expect(heard()).toMatchObject([{ action: "update", ticket: { id: first.id, status: "open" } }]),
  );
  await app.as(ana).put(`/tickets/${first.id}`, { status: "closed" });
  await opened(ana, { contactId, queueId: sales, whatsappId: connectionId });
  await vi.waitFor(() =>
    expect(heard().map((one) => one.action)).toEqual([
      "update",
      "delete",
      "update",
      "delete",
      "update",
    ]),
  );
});
