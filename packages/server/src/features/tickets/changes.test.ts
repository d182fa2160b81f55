import type { ConnectionId, QueueId, Ticket, TicketId, UserId } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import type { Reply, TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenTicket, GivenUser, TicketWish } from "../../testing/given.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ environment: { ROLES: "http", BALCAO_DATABASE_POOL: "20" } });
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
    connectionId: await given.connection({ company, linked: false }),
    admin: await given.admin({ company, name: "Chefe" }),
    ana: await given.agent({ company, name: "Ana", queueIds: [sales] }),
    bia: await given.agent({ company, name: "Bia", queueIds: [sales] }),
    caio: await given.agent({ company, name: "Caio", queueIds: [support] }),
  };
}

type Office = Awaited<ReturnType<typeof office>>;

const ticketOf = ({ company, connectionId }: Office, wish: TicketWish = {}): Promise<GivenTicket> =>
  app.given.ticket({ company, connectionId, ...wish });

const put = (user: GivenUser, { id }: { id: number }, body: object): Promise<Reply<Ticket>> =>
  app.as(user).put<Ticket>(`/tickets/${id}`, body);

/** The change's reply, which must be a success. */
async function change(user: GivenUser, ticket: { id: number }, body: object): Promise<Ticket> {
  const reply = await put(user, ticket, body);
  expect([reply.status, reply.body]).toEqual([200, expect.objectContaining({ tags: [] })]);
  return reply.body;
}

type AttendanceState = {
  userId: UserId | null;
  queueId: QueueId | null;
  connectionId: ConnectionId | null;
  isStarted: boolean;
  isFinished: boolean;
  closedBy: UserId | null;
};

async function attendancesOf({ id }: { id: TicketId }): Promise<AttendanceState[]> {
  return app.database.db.acrossCompanies((tx) =>
    tx.query<AttendanceState>(sql`
      select user_id as "userId", queue_id as "queueId", connection_id as "connectionId",
        started_at is not null as "isStarted", finished_at is not null as "isFinished", closed_by as "closedBy"
      from attendances where ticket_id = ${id} order by id`),
  );
}

const refusal = (code: string, status: number) => [status, expect.objectContaining({ code })];
const answer = ({ status, body }: Reply): unknown[] => [status, body];

describe("concurrent accepts", () => {
  test("have one winner; the others are told who has the ticket", async () => {
    const place = await office();
    const ticket = await ticketOf(place, { queueId: place.sales });
    const agents: GivenUser[] = [place.admin];
    for (let n = 0; n < 24; n += 1) {
      agents.push(await app.given.agent({ company: place.company, queueIds: [place.sales] }));
    }
    // Each request twice: the second one of the winner succeeds too.
    const calls = [...agents, ...agents];
    const replies = await Promise.all(
      calls.map((agent) => put(agent, ticket, { status: "open", userId: agent.id })),
    );
    const winners = new Set(
      replies.flatMap((reply) => (reply.status === 200 ? [reply.body.userId] : [])),
    );
    expect(winners.size).toBe(1);
    const winner = agents.find((agent) => winners.has(agent.id));
    for (const [n, reply] of replies.entries()) {
      if (calls[n] === winner) expect(reply.status).toBe(200);
      else {
        expect(answer(reply)).toEqual([
          400,
          {
            error: "ERR_OTHER_OPEN_TICKET",
            code: "ERR_OTHER_OPEN_TICKET",
            requestId: expect.any(String),
            data: {
              ticketId: ticket.id,
              user: { id: winner?.id, name: winner?.name },
              queue: { id: place.sales, name: "Vendas" },
            },
          },
        ]);
      }
    }
    expect(await attendancesOf(ticket)).toMatchObject([{ userId: winner?.id, isStarted: true }]);
  });

  test("fifty different agents at once: one success, forty-nine refusals", async () => {
    const place = await office();
    const ticket = await ticketOf(place, { queueId: place.sales });
    const agents = await Promise.all(
      Array.from({ length: 50 }, () =>
        app.given.agent({ company: place.company, queueIds: [place.sales] }),
      ),
    );
    const replies = await Promise.all(
      agents.map((agent) => put(agent, ticket, { status: "open", userId: agent.id })),
    );
    const statuses = replies.map((reply) => reply.status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 400)).toHaveLength(49);
  });

  test("tell nothing to an agent who could not see the ticket", async () => {
    const place = await office();
    const ticket = await ticketOf(place, {
      status: "open",
      userId: place.ana.id,
      queueId: place.sales,
    });
    const reply = await put(place.caio, ticket, { status: "open", userId: place.caio.id });
    expect(answer(reply)).toEqual(refusal("ERR_TICKET_FORBIDDEN", 403));
    expect(reply.body).not.toHaveProperty("data");
  });
});

describe("the states of a ticket", () => {
  test("waiting, accepted, returned, accepted, resolved, reopened, resolved", async () => {
    const place = await office();
    const { ana, bia, sales, connectionId } = place;
    const ticket = await ticketOf(place, { queueId: sales });
    await app.given.message(ticket, { queueId: sales });

    expect(await change(ana, ticket, { status: "open", userId: ana.id })).toMatchObject({
      status: "open",
      user: { id: ana.id, name: "Ana" },
      queue: { id: sales, name: "Vendas" },
      unreadMessages: 0,
      contact: { extraInfo: [] },
    });
    const accepted = {
      userId: ana.id,
      queueId: sales,
      connectionId,
      isFinished: false,
      closedBy: null,
    };
    expect(await attendancesOf(ticket)).toEqual([{ ...accepted, isStarted: true }]);

    const echo = { useIntegration: false, promptId: null, integrationId: null };
    expect(await change(ana, ticket, { status: "pending", userId: null, ...echo })).toMatchObject({
      status: "pending",
      user: null,
      queueId: sales,
    });
    expect(await attendancesOf(ticket)).toEqual([{ ...accepted, userId: null, isStarted: false }]);

    await change(bia, ticket, { status: "open", userId: bia.id });
    const closing = {
      status: "closed",
      userId: bia.id,
      queueId: sales,
      useIntegration: false,
      promptId: false,
      integrationId: false,
    };
    expect(await change(bia, ticket, closing)).toMatchObject({
      status: "closed",
      userId: null,
      user: null,
      queueId: null,
      queue: null,
      unreadMessages: 0,
    });
    const finished = {
      ...accepted,
      userId: bia.id,
      isStarted: true,
      isFinished: true,
      closedBy: bia.id,
    };
    expect(await attendancesOf(ticket)).toEqual([finished]);

    // Without a queue in the request it returns to the queue of its last attendance.
    expect(await change(ana, ticket, { status: "open", userId: ana.id })).toMatchObject({
      status: "open",
      userId: ana.id,
      queue: { id: sales },
    });
    expect(await attendancesOf(ticket)).toEqual([finished, { ...accepted, isStarted: true }]);

    await change(ana, ticket, { status: "closed" });
    expect(await attendancesOf(ticket)).toEqual([
      finished,
      { ...finished, userId: ana.id, closedBy: ana.id },
    ]);
  });

  test("a repeated request changes the ticket once", async () => {
    const place = await office();
    const ticket = await ticketOf(place, { queueId: place.sales });
    for (const body of [{ status: "open" }, { status: "closed" }, { status: "open" }]) {
      const first = await change(place.ana, ticket, body);
      expect(await change(place.ana, ticket, body)).toEqual(first);
    }
    expect(await attendancesOf(ticket)).toHaveLength(2);
  });

  test("only the assignee's changes clear the unread count", async () => {
    const place = await office();
    const ticket = await ticketOf(place, { queueId: place.sales });
    await app.given.message(ticket);
    expect(await change(place.admin, ticket, { queueId: place.support })).toMatchObject({
      unreadMessages: 1,
    });
    expect(await change(place.caio, ticket, { status: "open" })).toMatchObject({
      unreadMessages: 0,
    });
  });

  test("a ticket without any attendance can be resolved and reopened", async () => {
    const place = await office();
    const ticket = await ticketOf(place, {
      status: "open",
      userId: place.ana.id,
      queueId: place.sales,
    });
    await app.database.db.acrossCompanies((tx) =>
      tx.query(sql`delete from attendances where ticket_id = ${ticket.id}`),
    );
    await change(place.ana, ticket, { status: "closed" });
    expect(await attendancesOf(ticket)).toMatchObject([
      { isFinished: true, queueId: place.sales, userId: place.ana.id },
    ]);
    expect(await change(place.ana, ticket, { status: "open" })).toMatchObject({
      queueId: place.sales,
    });
  });
});

describe("transfers", () => {
  test("an agent transfers a ticket to a user and a queue of others", async () => {
    const place = await office();
    const { ana, caio, support } = place;
    const ticket = await ticketOf(place, { status: "open", userId: ana.id, queueId: place.sales });
    expect(await change(ana, ticket, { userId: caio.id, queueId: support })).toMatchObject({
      status: "open",
      user: { id: caio.id, name: "Caio" },
      queue: { id: support, name: "Suporte" },
    });
    expect(answer(await put(ana, ticket, { status: "closed" }))).toEqual(
      refusal("ERR_TICKET_FORBIDDEN", 403),
    );
    await change(caio, ticket, { status: "closed" });
  });

  test("a note of the transfer is read by those who have the ticket then, and by its author", async () => {
    const place = await office();
    const { ana, bia, caio, support } = place;
    const ticket = await ticketOf(place, { status: "open", userId: ana.id, queueId: place.sales });
    const to = { userId: caio.id, queueId: support };
    expect((await put(ana, ticket, { ...to, note: "x" })).body).toMatchObject({
      code: "ERR_TICKETNOTE_INVALID_NAME",
    });
    await change(ana, ticket, { ...to, note: " Falta agendar a coleta. " });
    const notes = await app.as(caio).get(`/ticket-notes/list?ticketId=${ticket.id}`);
    expect(notes.body).toMatchObject([{ note: "Falta agendar a coleta.", userId: ana.id }]);
    // Back in the first queue its agents do not read it.
    await change(caio, ticket, { userId: bia.id, queueId: place.sales });
    expect((await app.as(bia).get(`/ticket-notes/list?ticketId=${ticket.id}`)).body).toEqual([]);
  });

  test("to a queue without a user it waits there", async () => {
    const place = await office();
    const { ana, support } = place;
    const ticket = await ticketOf(place, { status: "open", userId: ana.id, queueId: place.sales });
    const body = { queueId: support, status: "pending", userId: null, whatsappId: "" };
    expect(await change(ana, ticket, body)).toMatchObject({
      status: "pending",
      userId: null,
      queueId: support,
    });
    expect(await attendancesOf(ticket)).toMatchObject([
      { queueId: support, userId: null, isStarted: false },
    ]);
  });

  test("a waiting ticket that is assigned to a user opens for that user", async () => {
    const place = await office();
    const ticket = await ticketOf(place, { queueId: place.sales });
    expect(await change(place.ana, ticket, { userId: place.bia.id })).toMatchObject({
      status: "open",
      userId: place.bia.id,
    });
  });

  test("to another connection moves the ticket", async () => {
    const place = await office();
    const other = await app.given.connection({ company: place.company, linked: false });
    const ticket = await ticketOf(place, {
      status: "open",
      userId: place.ana.id,
      queueId: place.sales,
    });
    expect(await change(place.ana, ticket, { whatsappId: other })).toMatchObject({
      id: ticket.id,
      whatsappId: other,
      userId: place.ana.id,
    });
    expect(await attendancesOf(ticket)).toMatchObject([{ connectionId: other }]);
  });

  test("where the contact has a closed ticket there, that one goes on and this one is closed", async () => {
    const place = await office();
    const { ana, caio, support, company } = place;
    const other = await app.given.connection({ company, linked: false });
    const ticket = await ticketOf(place, { status: "open", userId: ana.id, queueId: place.sales });
    const there = await otherTicket(ticket, other, "closed");
    const moved = await change(ana, ticket, {
      whatsappId: other,
      userId: caio.id,
      queueId: support,
    });
    expect(moved).toMatchObject({
      id: there,
      status: "open",
      whatsappId: other,
      user: { id: caio.id },
      queue: { id: support },
    });
    const left = await app.as(place.admin).get<Ticket>(`/tickets/${ticket.id}`);
    expect(left.body).toMatchObject({ status: "closed", userId: null, queueId: null });
    expect(await attendancesOf({ id: there })).toMatchObject([
      { userId: caio.id, queueId: support, isFinished: false },
    ]);
    expect(await attendancesOf(ticket)).toMatchObject([{ userId: ana.id, isFinished: true }]);
  });

  test("where the contact has a waiting ticket there, nothing is moved", async () => {
    const place = await office();
    const other = await app.given.connection({ company: place.company, linked: false });
    const ticket = await ticketOf(place, {
      status: "open",
      userId: place.ana.id,
      queueId: place.sales,
    });
    const there = await otherTicket(ticket, other, "pending");
    const reply = await put(place.ana, ticket, { whatsappId: other });
    expect(answer(reply)).toEqual(refusal("ERR_OTHER_OPEN_TICKET", 400));
    expect(reply.body).toMatchObject({ data: { ticketId: there, user: null, queue: null } });
    const left = await app.as(place.ana).get<Ticket>(`/tickets/${ticket.id}`);
    expect(left.body).toMatchObject({ status: "open", whatsappId: place.connectionId });
  });

  async function otherTicket(
    of: GivenTicket,
    connectionId: ConnectionId,
    status: string,
  ): Promise<TicketId> {
    const rows = await app.database.db.acrossCompanies((tx) =>
      tx.query<{ id: TicketId }>(sql`
        insert into tickets (company_id, uuid, contact_id, connection_id, status)
        values (${of.companyId}, gen_random_uuid(), ${of.contactId}, ${connectionId}, ${status}) returning id`),
    );
    const [row] = rows;
    if (!row) throw new Error("no ticket");
    return row.id;
  }
});

describe("refused changes", () => {
  test("agents accept and reopen for themselves only; admins for others too", async () => {
    const place = await office();
    const { ana, bia, admin, sales } = place;
    const waiting = await ticketOf(place, { queueId: sales });
    const closed = await ticketOf(place, {
      status: "closed",
      servedBy: { userId: ana.id, queueId: sales },
    });
    for (const ticket of [waiting, closed]) {
      const body = { status: "open", userId: bia.id };
      expect(answer(await put(ana, ticket, body))).toEqual(refusal("ERR_NO_PERMISSION", 403));
      expect(await change(admin, ticket, body)).toMatchObject({ userId: bia.id });
    }
  });

  test("an agent cannot change a ticket that the agent does not see", async () => {
    const place = await office();
    const ticket = await ticketOf(place, { queueId: place.support });
    for (const body of [{ status: "open" }, { status: "closed" }, { queueId: place.sales }, {}]) {
      expect(answer(await put(place.ana, ticket, body))).toEqual(
        refusal("ERR_TICKET_FORBIDDEN", 403),
      );
    }
  });

  test("users, queues and connections of another company are not found, nor its tickets", async () => {
    const here = await office();
    const there = await office();
    const ticket = await ticketOf(here, {
      status: "open",
      userId: here.ana.id,
      queueId: here.sales,
    });
    const wrong: [body: object, code: string][] = [
      [{ userId: there.ana.id }, "ERR_NO_USER_FOUND"],
      [{ queueId: there.sales }, "ERR_QUEUE_NOT_FOUND"],
      [{ whatsappId: there.connectionId }, "ERR_NO_WAPP_FOUND"],
      [{ userId: 2_147_483_647 }, "ERR_NO_USER_FOUND"],
    ];
    for (const [body, code] of wrong) {
      for (const user of [here.ana, here.admin]) {
        expect(answer(await put(user, ticket, body))).toEqual(refusal(code, 404));
      }
    }
    expect(answer(await put(there.admin, ticket, {}))).toEqual(refusal("ERR_NO_TICKET_FOUND", 404));
    const right = { userId: here.bia.id, queueId: here.support, whatsappId: here.connectionId };
    await change(here.ana, ticket, right);
  });

  test("unknown states and ids that are none are malformed; fields that a change does not have are ignored", async () => {
    const place = await office();
    const ticket = await ticketOf(place, { queueId: place.sales });
    for (const body of [
      { status: "done" },
      { userId: -1 },
      { queueId: "x" },
      { whatsappId: 1.5 },
    ]) {
      expect((await put(place.ana, ticket, body)).status).toBe(400);
    }
    const echo = {
      ...(await change(place.ana, ticket, {})),
      companyId: 999,
      uuid: "x",
      unreadMessages: 99,
    };
    expect(
      await change(place.ana, ticket, { ...echo, userId: undefined, status: undefined }),
    ).toMatchObject({
      companyId: place.company.id,
      uuid: ticket.uuid,
      unreadMessages: 0,
    });
  });

  test("a closed ticket is not put back to wait without a queue", async () => {
    const place = await office();
    const ticket = await ticketOf(place, { status: "closed", servedBy: { queueId: place.sales } });
    expect(answer(await put(place.ana, ticket, { status: "pending", userId: null }))).toEqual(
      refusal("ERR_TICKET_TRANSITION", 400),
    );
    const body = { status: "pending", userId: null, queueId: place.support };
    expect(await change(place.ana, ticket, body)).toMatchObject({
      status: "pending",
      queueId: place.support,
    });
  });
});

describe("statements (architecture 5)", () => {
  async function statementsOf(run: () => Promise<unknown>): Promise<string[]> {
    app.statements.take();
    await run();
    return app.statements.take();
  }

  test("an accept takes at most six, a page of tickets two, the caller's rights included", async () => {
    const place = await office();
    const ticket = await ticketOf(place, { queueId: place.sales });
    await app.given.message(ticket);
    const accept = await statementsOf(() =>
      change(place.ana, ticket, { status: "open", userId: place.ana.id }),
    );
    expect(accept.length).toBeLessThanOrEqual(3);
    const page = await statementsOf(() => app.as(place.ana).get("/tickets?status=open"));
    expect(page).toHaveLength(2);
    const search = await statementsOf(() =>
      app.as(place.ana).get("/tickets?searchParam=ana&tags=[1]"),
    );
    expect(search).toHaveLength(2);
  });
});
