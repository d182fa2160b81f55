import type { BulkResult, Ticket } from "@balcao/contract";
import { limits } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenCompany, GivenTicket, GivenUser, TicketWish } from "../../testing/given.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ environment: { ROLES: "http" } });
});

async function office(wish: { company?: GivenCompany } = {}) {
  const { given } = app;
  const company = wish.company ?? (await given.company());
  const [sales, support] = [await given.queue({ company }), await given.queue({ company })];
  const ana = await given.agent({ company, name: "Ana", queueIds: [sales] });
  const connectionId = await given.connection({ company, linked: false });
  const ticket = (fields: TicketWish = {}): Promise<GivenTicket> =>
    given.ticket({ company, connectionId, queueId: sales, ...fields });
  return {
    ...{ company, sales, support, ana, ticket },
    admin: await given.admin({ company }),
    bia: await given.agent({ company, name: "Bia", queueIds: [sales, support] }),
    mine: () => ticket({ status: "open", userId: ana.id }),
  };
}

type Bulk = { results: BulkResult[] };

async function bulk(
  user: GivenUser,
  tickets: readonly GivenTicket[],
  change: object,
  undoSeconds = 0,
): Promise<BulkResult[]> {
  const ticketIds = tickets.map(({ id }) => id);
  const reply = await app.as(user).post<Bulk>("/tickets/bulk", { ticketIds, change, undoSeconds });
  expect(reply.status).toBe(200);
  return reply.body.results;
}

const stateOf = async (user: GivenUser, { id }: GivenTicket) => {
  const { status, userId, queueId } = (await app.as(user).get<Ticket>(`/tickets/${id}`)).body;
  return { status, userId, queueId };
};

describe("the same change of several tickets", () => {
  test("resolves, and can be undone for all of them", async () => {
    const { ana, admin, sales, mine } = await office();
    const tickets = [await mine(), await mine()];
    const results = await bulk(ana, tickets, { action: "resolve" }, 5);
    expect(results).toMatchObject(
      tickets.map(({ id }) => ({ ticketId: id, error: null, ticket: { status: "closed" } })),
    );
    const undos = results.map(({ ticketId, undo }) => ({ ticketId, undoId: undo?.id }));
    const undone = await app.as(ana).post<Bulk>("/tickets/bulk/undo", { undos });
    expect(undone.body.results).toMatchObject([{ error: null }, { error: null }]);
    for (const ticket of tickets) {
      const before = { status: "open", userId: ana.id, queueId: sales };
      expect(await stateOf(admin, ticket)).toEqual(before);
    }
    const again = await app.as(admin).post<Bulk>("/tickets/bulk/undo", { undos });
    expect(again.body.results.map(({ error }) => error)).toEqual([
      "ERR_UNDO_OVER",
      "ERR_UNDO_OVER",
    ]);
  });

  test("transfers to a queue, where they wait, or to a user", async () => {
    const { ana, bia, admin, support, mine } = await office();
    const [waits, served] = [await mine(), await mine()];
    await bulk(ana, [waits], { action: "transfer", queueId: support, userId: null });
    await bulk(ana, [served], { action: "transfer", queueId: support, userId: bia.id });
    const there = { queueId: support };
    expect(await stateOf(admin, waits)).toEqual({ ...there, status: "pending", userId: null });
    expect(await stateOf(admin, served)).toEqual({ ...there, status: "open", userId: bia.id });
  });

  test("assigns waiting and served tickets to a user in their queues", async () => {
    const { admin, bia, sales, ticket, mine } = await office();
    const tickets = [await ticket(), await mine()];
    await bulk(admin, tickets, { action: "assign", userId: bia.id });
    for (const one of tickets) {
      expect(await stateOf(admin, one)).toEqual({ status: "open", userId: bia.id, queueId: sales });
    }
  });

  test("adds tags to those that they have", async () => {
    const { ana, company, mine } = await office();
    const one = await mine();
    const tag = async (name: string): Promise<number> =>
      (await app.as(ana).post<{ id: number }>("/tags", { name, color: "#123456" })).body.id;
    const [vip, troca] = [await tag("Cliente VIP"), await tag("Troca")];
    await app.as(ana).post("/tags/sync", { ticketId: one.id, tags: [{ id: vip }] });
    const [result] = await bulk(ana, [one], { action: "tag", tagIds: [troca, vip] });
    expect(result?.ticket?.tags.map(({ id }) => id)).toEqual([vip, troca]);
    expect(company.id).toBe(result?.ticket?.companyId);
  });

  test("is refused for each ticket as the single change is, and made of the others", async () => {
    const { ana, bia, mine, ticket, support } = await office();
    const there = await office();
    const colleagues = await ticket({ status: "open", userId: bia.id, queueId: support });
    const own = await mine();
    const results = await bulk(ana, [colleagues, await there.mine(), own, own], {
      action: "resolve",
    });
    expect(results.map(({ ticketId, error }) => [ticketId, error])).toEqual([
      [colleagues.id, "ERR_TICKET_FORBIDDEN"],
      [expect.any(Number), "ERR_NO_TICKET_FOUND"],
      [own.id, null],
    ]);
    expect(await stateOf(bia, colleagues)).toMatchObject({ status: "open" });
  });

  test("a reason that the company requires is required for each", async () => {
    const company = await app.given.company({ settings: { resolveReasonRequired: "enabled" } });
    const { ana, mine } = await office({ company });
    const [reason] = await app.database.db.acrossCompanies((tx) =>
      tx.query<{ id: number }>(sql`
        insert into resolve_reasons (company_id, name) values (${company.id}, 'Vendido') returning id`),
    );
    const tickets = [await mine(), await mine()];
    const refused = await bulk(ana, tickets, { action: "resolve" });
    expect(refused.map(({ error }) => error)).toEqual([
      "ERR_REASON_REQUIRED",
      "ERR_REASON_REQUIRED",
    ]);
    const made = await bulk(ana, tickets, { action: "resolve", reasonId: reason?.id });
    expect(made.map(({ error }) => error)).toEqual([null, null]);
  });

  test("changes nothing when it names what is not there, or too many tickets", async () => {
    const { ana, admin, mine } = await office();
    const one = await mine();
    const send = async (ticketIds: number[], change: object) => {
      const reply = await app
        .as(ana)
        .post<{ code: string }>("/tickets/bulk", { ticketIds, change });
      return [reply.status, reply.body.code];
    };
    expect(await send([one.id], { action: "assign", userId: 2_147_483_647 })).toEqual([
      404,
      "ERR_NO_USER_FOUND",
    ]);
    const many = Array.from({ length: limits.bulkMax + 1 }, (_, n) => n + 1);
    expect(await send(many, { action: "resolve" })).toEqual([400, "ERR_INVALID_REQUEST"]);
    expect(await stateOf(admin, one)).toMatchObject({ status: "open" });
  });
});

describe("POST /tickets/closeAll", () => {
  test("closes all tickets of a status in the chosen queues and without queue, and says nothing to customers", async () => {
    const company = await app.given.company({ settings: { userRating: "enabled" } });
    const { admin, sales, support, ticket, mine } = await office({ company });
    const tickets = {
      served: await mine(),
      nowhere: await ticket({ status: "open", queueId: null }),
      elsewhere: await ticket({ status: "open", queueId: support }),
      waiting: await ticket(),
    };
    const path = "/tickets/closeAll";
    const reply = await app.as(admin).post(path, { status: "open", selectedQueueIds: [sales] });
    expect([reply.status, reply.body]).toEqual([200, undefined]);
    const statusOf = async (one: GivenTicket) => (await stateOf(admin, one)).status;
    expect(await statusOf(tickets.served)).toBe("closed");
    expect(await statusOf(tickets.nowhere)).toBe("closed");
    expect(await statusOf(tickets.elsewhere)).toBe("open");
    expect(await statusOf(tickets.waiting)).toBe("pending");
    await app.as(admin).post(path, { status: "open" });
    expect(await statusOf(tickets.elsewhere)).toBe("closed");
    const [said] = await app.database.db.acrossCompanies((tx) =>
      tx.query<{ count: number }>(
        sql`select count(*)::int as count from messages where company_id = ${company.id}`,
      ),
    );
    expect(said?.count).toBe(0);
  });

  test("is for admins only", async () => {
    const { ana, mine } = await office();
    const one = await mine();
    const reply = await app.as(ana).post("/tickets/closeAll", { status: "open" });
    expect(reply.status).toBe(403);
    expect(await stateOf(ana, one)).toMatchObject({ status: "open" });
  });
});
