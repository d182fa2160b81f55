import type { ReplyOf, Ticket } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ environment: { ROLES: "http" } });
});

test("a row of the list has contact, queue, user, tags and connection, as the ticket itself shows them", async () => {
  const { given } = app;
  const company = await given.company();
  const queueId = await given.queue({ company, name: "Vendas" });
  const ana = await given.agent({ company, name: "Ana", queueIds: [queueId] });
  const connectionId = await given.connection({ company, name: "Loja", linked: false });
  const { id } = await given.ticket({
    ...{ company, connectionId, queueId, contactName: "Bia Souza" },
    ...{ status: "open", userId: ana.id },
  });
  await app.database.db.acrossCompanies((tx) =>
    tx.query(sql`
      with made as (insert into tags (company_id, name, color) values (${company.id}, 'VIP', '#123456') returning id)
      insert into ticket_tags (company_id, ticket_id, tag_id) select ${company.id}, ${id}, id from made`),
  );

  const list = await app.as(ana).get<ReplyOf<"GET /tickets">>("/tickets?status=open");
  const [row, ...more] = list.body.tickets;
  expect(more).toEqual([]);
  expect(row).toMatchObject({
    contact: { name: "Bia Souza" },
    queue: { id: queueId, name: "Vendas", color: expect.stringMatching(/^#/) },
    user: { id: ana.id, name: "Ana" },
    tags: [{ name: "VIP", color: "#123456" }],
    whatsapp: { id: connectionId, name: "Loja" },
  });
  const shown = (await app.as(ana).get<Ticket>(`/tickets/${id}`)).body;
  const { extraInfo: _only, ...contact } = shown.contact;
  expect(row).toEqual({ ...shown, contact, hit: null, isPinned: false });
});

test("a resolved ticket names who served it, and in which queue", async () => {
  const { given } = app;
  const company = await given.company();
  const queueId = await given.queue({ company, name: "Vendas" });
  const ana = await given.agent({ company, name: "Ana", queueIds: [queueId] });
  const { id } = await given.ticket({
    ...{ company, status: "closed" },
    servedBy: { userId: ana.id, queueId },
  });
  const list = await app.as(ana).get<ReplyOf<"GET /tickets">>("/tickets?status=closed");
  const served = {
    ...{ userId: null, user: null, queueId: null, queue: null },
    servedUser: { id: ana.id, name: "Ana" },
    servedQueue: { id: queueId, name: "Vendas", color: expect.stringMatching(/^#/) },
  };
  expect(list.body.tickets).toMatchObject([{ id, ...served }]);
  const reopened = await app.as(ana).put<Ticket>(`/tickets/${id}`, { status: "open" });
  expect(reopened.body).toMatchObject({
    servedUser: null,
    servedQueue: null,
    user: { name: "Ana" },
  });
});
