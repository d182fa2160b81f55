import type { Message, Ticket } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenTicket, GivenUser } from "../../testing/given.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});

async function office(sendMsgTransfTicket: "enabled" | "disabled" = "enabled") {
  const { given } = app;
  const company = await given.company({ settings: { sendMsgTransfTicket } });
  const sales = await given.queue({ company, name: "Vendas" });
  const support = await given.queue({ company, name: "{{name}}" });
  const ana = await given.agent({ company, name: "Ana", queueIds: [sales] });
  const bia = await given.agent({ company, name: "Bia", queueIds: [sales, support] });
  const connectionId = await given.connection({ company, linked: false });
  const ticket = await given.ticket({
    ...{ company, connectionId, queueId: sales, status: "open", userId: ana.id },
  });
  return { company, sales, support, ana, bia, ticket, admin: await given.admin({ company }) };
}

async function transfer(user: GivenUser, { id }: GivenTicket, body: object): Promise<Ticket> {
  const reply = await app.as(user).put<Ticket>(`/tickets/${id}`, body);
  expect([reply.status, reply.body]).toEqual([200, expect.anything()]);
  return reply.body;
}

async function told(admin: GivenUser, { id }: GivenTicket): Promise<Message[]> {
  const reply = await app.as(admin).get<{ messages: Message[] }>(`/messages/${id}`);
  return reply.body.messages;
}

const run = <Row>(statement: ReturnType<typeof sql>): Promise<Row[]> =>
  app.database.db.acrossCompanies((tx) => tx.query<Row>(statement));

test("the customer gets the exact text about the new queue and user, and the text is stored", async () => {
  const { ana, bia, admin, support, sales, ticket } = await office();
  await transfer(ana, ticket, { userId: bia.id });
  await transfer(bia, ticket, { userId: ana.id, queueId: support });
  await transfer(admin, ticket, { queueId: sales, status: "pending", userId: null });
  expect(await told(admin, ticket)).toMatchObject([
    {
      body: "*Mensagem automática*:\nFoi transferido para o atendente *Bia*\naguarde, já vamos te atender!",
      fromMe: true,
    },
    {
      // A queue may be called like a variable; nothing is replaced.
      body: "*Mensagem automática*:\nVocê foi transferido para o departamento *{{name}}* e contará com a presença de *Ana*\naguarde, já vamos te atender!",
    },
    {
      body: "*Mensagem automática*:\nVocê foi transferido para o departamento *Vendas*\naguarde, já vamos te atender!",
    },
  ]);
  const queued = await run(sql`
    select o.id from outbound o join messages m on m.company_id = o.company_id and m.id = o.message_id
    where m.ticket_id = ${ticket.id}`);
  expect(queued).toHaveLength(3);
});

test("no text is sent without a transfer, in groups, or without the setting", async () => {
  const { ana, bia, admin, support, ticket } = await office();
  await transfer(ana, ticket, { status: "pending", userId: null });
  await transfer(ana, ticket, { status: "open" });
  await transfer(ana, ticket, { status: "closed" });
  await transfer(ana, ticket, { status: "open" });
  expect(await told(admin, ticket)).toEqual([]);
  await run(sql`update tickets set is_group = true where id = ${ticket.id}`);
  await transfer(ana, ticket, { queueId: support, userId: bia.id });
  expect(await told(admin, ticket)).toEqual([]);

  const unsaid = await office();
  const silently = { queueId: unsaid.support, userId: unsaid.bia.id, tellCustomer: false };
  await transfer(unsaid.ana, unsaid.ticket, silently);
  expect(await told(unsaid.admin, unsaid.ticket)).toEqual([]);

  const quiet = await office("disabled");
  await transfer(quiet.ana, quiet.ticket, { queueId: quiet.support, userId: quiet.bia.id });
  expect(await told(quiet.admin, quiet.ticket)).toEqual([]);
});

test("a customer who cannot be written to is transferred all the same", async () => {
  const { ana, bia, admin, ticket } = await office();
  await run(sql`delete from contact_addresses where contact_id = ${ticket.contactId}`);
  await run(sql`update contacts set number = null where id = ${ticket.contactId}`);
  expect(await transfer(ana, ticket, { userId: bia.id })).toMatchObject({ userId: bia.id });
  await run(sql`update tickets set connection_id = null where id = ${ticket.id}`);
  expect(await transfer(bia, ticket, { userId: ana.id })).toMatchObject({ userId: ana.id });
  expect(await told(admin, ticket)).toEqual([]);
});

test("the company's own text is sent with the names of queue and user and the customer's", async () => {
  const { ana, bia, admin, support, ticket } = await office();
  const write = (key: string, text: string) =>
    app.as(admin).put(`/automatic-texts/${key}`, { text });
  await write("transferToUser", "{{firstName}}, agora é com {{user}}. {{queue}}");
  await write("transferToBoth", "{{user}} e {{queue}}");
  await transfer(ana, ticket, { userId: bia.id });
  await transfer(bia, ticket, { userId: ana.id, queueId: support });
  const bodies = (await told(admin, ticket)).map(({ body }) => body);
  // The text about a user alone knows no queue.
  expect(bodies).toEqual([
    expect.stringMatching(/^\S+, agora é com Bia\. \{\{queue\}\}$/),
    "Ana e {{name}}",
  ]);
});
