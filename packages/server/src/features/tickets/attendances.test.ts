import type { Attendance } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenTicket, GivenUser } from "../../testing/given.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});

type Page = { attendances: Attendance[]; count: number; hasMore: boolean };

async function office() {
  const { given } = app;
  const company = await given.company();
  const sales = await given.queue({ company, name: "Vendas" });
  const support = await given.queue({ company, name: "Suporte" });
  const ana = await given.agent({ company, name: "Ana", queueIds: [sales] });
  const caio = await given.agent({ company, name: "Caio", queueIds: [support] });
  const connectionId = await given.connection({ company, linked: false, name: "Loja" });
  const ticket = await given.ticket({ company, connectionId, queueId: sales });
  return { company, sales, support, ana, caio, ticket, admin: await given.admin({ company }) };
}

const put = async (user: GivenUser, { id }: { id: number }, body: object): Promise<void> =>
  expect((await app.as(user).put(`/tickets/${id}`, body)).status).toBe(200);

async function pageOf(user: GivenUser, path: string): Promise<Page> {
  const reply = await app.as(user).get<Page>(path);
  expect([reply.status, reply.body]).toEqual([200, expect.anything()]);
  return reply.body;
}

const pathsOf = ({ id, contactId }: GivenTicket): string[] => [
  `/tickets/${id}/attendances`,
  `/contacts/${contactId}/attendances`,
];

test("the cycles of a ticket and of its contact, newest first, with who served and ended them", async () => {
  const { ana, ticket, sales } = await office();
  await put(ana, ticket, { status: "open" });
  await put(ana, ticket, { status: "closed" });
  await put(ana, ticket, { status: "open" });
  for (const path of pathsOf(ticket)) {
    const { attendances, count, hasMore } = await pageOf(ana, path);
    expect([count, hasMore]).toEqual([2, false]);
    const common = {
      ticketId: ticket.id,
      ticketUuid: ticket.uuid,
      whatsapp: { id: ticket.connectionId, name: "Loja" },
      queue: { id: sales, name: "Vendas", color: expect.stringMatching(/^#/) },
      user: { id: ana.id, name: "Ana" },
      queuedAt: expect.stringMatching(/Z$/),
      startedAt: expect.stringMatching(/Z$/),
      rated: false,
    };
    expect(attendances).toMatchObject([
      { ...common, finishedAt: null, closedBy: null },
      { ...common, finishedAt: expect.stringMatching(/Z$/), closedBy: { id: ana.id, name: "Ana" } },
    ]);
  }
});

test("twenty on a page", async () => {
  const { admin, company, ticket } = await office();
  await app.database.db.acrossCompanies((tx) =>
    tx.query(sql`
      insert into attendances (company_id, ticket_id, finished_at)
      select ${company.id}, ${ticket.id}, now() from generate_series(1, 21)`),
  );
  for (const path of pathsOf(ticket)) {
    const pages = [await pageOf(admin, path), await pageOf(admin, `${path}?pageNumber=2`)];
    expect(pages.map((page) => [page.attendances.length, page.count, page.hasMore])).toEqual([
      [20, 22, true],
      [2, 22, false],
    ]);
    expect(await pageOf(admin, `${path}?pageNumber=9`)).toEqual({
      attendances: [],
      count: 22,
      hasMore: false,
    });
  }
});

test("a user who does not see the ticket sees only the contact's attendances in the user's queues", async () => {
  const { ana, caio, ticket, support } = await office();
  const [ofTicket, ofContact] = pathsOf(ticket);
  expect((await app.as(caio).get(`${ofTicket}`)).status).toBe(403);
  expect(await pageOf(caio, `${ofContact}`)).toMatchObject({ attendances: [], count: 0 });
  await put(ana, ticket, { status: "open" });
  await put(ana, ticket, { status: "closed" });
  await put(ana, ticket, { status: "open", queueId: support });
  // The ticket is Ana's; the second cycle is of the queue of Caio.
  expect((await app.as(caio).get(`${ofTicket}`)).status).toBe(403);
  expect(await pageOf(caio, `${ofContact}`)).toMatchObject({
    attendances: [{ queue: { id: support } }],
    count: 1,
  });
  expect(await pageOf(ana, `${ofContact}`)).toMatchObject({ count: 2 });
});

test("another company's attendances are not found", async () => {
  const { ticket } = await office();
  const { admin } = await office();
  const replies = await Promise.all(pathsOf(ticket).map((path) => app.as(admin).get(path)));
  expect(replies.map(({ status, body }) => [status, body])).toEqual([
    [404, expect.objectContaining({ code: "ERR_NO_TICKET_FOUND" })],
    [404, expect.objectContaining({ code: "ERR_NO_CONTACT_FOUND" })],
  ]);
});

test("each cycle names its first message that the reader may read", async () => {
  const { ana, admin, company, ticket, sales, support } = await office();
  await put(ana, ticket, { status: "open" });
  await put(ana, ticket, { status: "closed" });
  await app.database.db.acrossCompanies((tx) =>
    tx.query(sql`
      update attendances set created_at = created_at - interval '1 hour' where company_id = ${company.id}`),
  );
  await put(ana, ticket, { status: "open" });
  const now = Date.now();
  const write = (queueId: typeof sales, minutes: number) =>
    app.given.message(ticket, { queueId, at: new Date(now + minutes * 60_000) });
  const first = await write(sales, -59);
  await write(sales, -50);
  const hidden = await write(support, 0);
  const second = await write(sales, 1);
  for (const path of pathsOf(ticket)) {
    const beginnings = async (user: GivenUser) =>
      (await pageOf(user, path)).attendances.map(({ firstMessageId }) => firstMessageId);
    expect(await beginnings(ana)).toEqual([second, first]);
    expect(await beginnings(admin)).toEqual([hidden, first]);
  }
});
