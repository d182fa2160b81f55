import type { Message, Schedule, Ticket } from "@balcao/contract";
import { companyEvent } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test, vi } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import {
  arrived,
  connectionStatus,
  createLine,
  MINUTE_MS,
  newCustomer,
  patience,
  schedule,
  schedulingApp,
  setNetwork,
  show,
  untilStatus,
} from "./testing/line.ts";

let app: TestApp;
beforeAll(async () => {
  app = await schedulingApp();
});

const messagesOf = async (user: Parameters<TestApp["as"]>[0], ticketId: number) =>
  (
    await app
      .as(user)
      .get<{ messages: Message[]; ticket: Ticket }>(`/messages/${ticketId}?markRead=false`)
  ).body;

test("a message is sent at its time and not before, in the customer's ticket, which stays closed", async () => {
  const line = await createLine(app);
  const { agent, admin, company } = line;
  const customer = await newCustomer(app, line, "Bia Souza");
  const body = "Olá {{firstName}}, {{naoExiste}} & <até>";
  const now = await schedule(app, agent, { contactId: customer.contactId, minutes: 2, body });
  const later = await schedule(app, agent, { contactId: customer.contactId, minutes: 9 });
  const client = await app.live(agent);
  app.clock.advance(3 * MINUTE_MS);

  const sent = await untilStatus(app, agent, now.id, "ENVIADA");
  expect(sent).toMatchObject({ errorCode: null, ticketId: customer.id });
  expect(Date.parse(sent.sentAt ?? "")).toBeGreaterThanOrEqual(Date.parse(sent.sendAt));
  const text = "Olá Bia, {{naoExiste}} & <até>";
  expect((await arrived(app, line, customer.phone)).map((message) => message.body)).toEqual([text]);
  const { messages, ticket } = await messagesOf(admin, customer.id);
  expect(messages).toMatchObject([
    { body: text, fromMe: true, user: { id: agent.id, name: "Ana" } },
  ]);
  expect(ticket).toMatchObject({ status: "closed", lastMessage: text, unreadMessages: 0 });
  // Each step was told.
  const told = client.heard.flatMap(({ name, payload }) => {
    if (name !== companyEvent(company.id, "schedule")) return [];
    const { schedule: row } = payload as { schedule: Schedule };
    return row.id === now.id ? [row.status] : [];
  });
  expect([...new Set(told)]).toEqual(["AGENDADA", "ENVIADA"]);

  expect(await show(app, agent, later.id)).toMatchObject({ status: "PENDENTE", sentAt: null });
  app.clock.advance(7 * MINUTE_MS);
  await untilStatus(app, agent, later.id, "ENVIADA");
  expect(await arrived(app, line, customer.phone)).toHaveLength(2);
});

test("a contact without a ticket gets one that is closed; an open one stays open and with its agent", async () => {
  const line = await createLine(app);
  const { agent, admin, company, connectionId } = line;
  const phone = "5511980001234";
  const reply = await app.database.db.acrossCompanies((tx) =>
    tx.query<{ id: number }>(sql`
      insert into contacts (company_id, name, number) values (${company.id}, 'Sem atendimento', ${phone})
      returning id`),
  );
  const contactId = reply[0]?.id ?? 0;
  const open = await app.given.ticket({
    company,
    connectionId,
    status: "open",
    userId: admin.id,
    phone: "5511980001235",
  });
  const first = await schedule(app, agent, { contactId, minutes: 1 });
  const second = await schedule(app, agent, { contactId: open.contactId, minutes: 1 });
  app.clock.advance(2 * MINUTE_MS);
  const { ticketId } = await untilStatus(app, agent, first.id, "ENVIADA");
  expect((await messagesOf(admin, ticketId ?? 0)).ticket).toMatchObject({
    status: "closed",
    contactId,
    whatsappId: connectionId,
  });
  expect(await untilStatus(app, agent, second.id, "ENVIADA")).toMatchObject({ ticketId: open.id });
  expect((await messagesOf(admin, open.id)).ticket).toMatchObject({
    status: "open",
    userId: admin.id,
  });
});

test("the connection is that of the contact's newest ticket while it is connected, else the default one", async () => {
  const line = await createLine(app);
  const { agent, admin, company } = line;
  const other = await createOther(line.company.id);
  const newest = await app.given.ticket({
    company,
    connectionId: other.connected,
    status: "closed",
  });
  const gone = await app.given.ticket({ company, connectionId: other.gone, status: "closed" });
  const first = await schedule(app, agent, { contactId: newest.contactId, minutes: 1 });
  const second = await schedule(app, agent, { contactId: gone.contactId, minutes: 1 });
  await app.database.db.acrossCompanies((tx) =>
    tx.query(sql`update connections set is_default = true where id = ${line.connectionId}`),
  );
  await vi.waitFor(
    async () =>
      expect(await connectionStatus(app, { admin, connectionId: other.connected })).toBe(
        "CONNECTED",
      ),
    patience,
  );
  app.clock.advance(2 * MINUTE_MS);
  expect(await untilStatus(app, agent, first.id, "ENVIADA")).toMatchObject({
    ticketId: newest.id,
  });
  const { ticketId } = await untilStatus(app, agent, second.id, "ENVIADA");
  expect(ticketId).not.toBe(gone.id);
  expect(await arrived(app, line, gone.phone)).toHaveLength(1);
  // The old ticket is as it was.
  expect((await messagesOf(admin, gone.id)).messages).toEqual([]);
});

async function createOther(companyId: number) {
  const company = { id: companyId as never, name: "" };
  return {
    connected: await app.given.connection({ company }),
    gone: await app.given.connection({ company, linked: false }),
  };
}

test("without a connected session it waits, shows the reason, and is sent when a session is back", async () => {
  const line = await createLine(app);
  const { agent } = line;
  const customer = await newCustomer(app, line);
  await setNetwork(app, line, { online: false });
  await vi.waitFor(
    async () => expect(await connectionStatus(app, line)).not.toBe("CONNECTED"),
    patience,
  );
  const { id } = await schedule(app, agent, { contactId: customer.contactId, minutes: 1 });
  app.clock.advance(2 * MINUTE_MS);
  await vi.waitFor(
    async () =>
      expect(await show(app, agent, id)).toMatchObject({
        status: "PENDENTE",
        errorCode: "ERR_NO_DEF_WAPP_FOUND",
      }),
    patience,
  );
  // Its text can still be changed.
  const { sendAt } = await show(app, agent, id);
  const changed = await app
    .as(agent)
    .put(`/schedules/${id}`, { body: "Texto novo", contactId: customer.contactId, sendAt });
  expect(changed.status).toBe(200);

  await setNetwork(app, line, { online: true });
  await vi.waitFor(
    async () => expect(await connectionStatus(app, line)).toBe("CONNECTED"),
    patience,
  );
  app.clock.advance(15 * MINUTE_MS);
  await untilStatus(app, agent, id, "ENVIADA");
  expect((await arrived(app, line, customer.phone)).map(({ body }) => body)).toEqual([
    "Texto novo",
  ]);
});

test("a message that the network refuses is given up with the reason, and sent once it has a new time", async () => {
  const line = await createLine(app);
  const { agent, admin } = line;
  const customer = await newCustomer(app, line);
  await setNetwork(app, line, { sendMode: "refuse" });
  const { id } = await schedule(app, agent, { contactId: customer.contactId, minutes: 1 });
  app.clock.advance(2 * MINUTE_MS);
  const refused = await untilStatus(app, agent, id, "ERRO");
  expect(refused).toMatchObject({ sentAt: null, errorCode: expect.stringMatching(/^ERR_/) });
  const [failed] = (await messagesOf(admin, customer.id)).messages;
  expect(failed).toMatchObject({ failedCode: refused.errorCode });

  await setNetwork(app, line, { sendMode: "deliver" });
  const sendAt = new Date(app.clock.now().getTime() + MINUTE_MS).toISOString();
  const body = { body: "Segunda tentativa", contactId: customer.contactId, sendAt };
  expect((await app.as(agent).put(`/schedules/${id}`, body)).status).toBe(200);
  app.clock.advance(2 * MINUTE_MS);
  await untilStatus(app, agent, id, "ENVIADA");
  expect((await arrived(app, line, customer.phone)).map((message) => message.body)).toEqual([
    "Segunda tentativa",
  ]);
});

test("a message that a user undoes before it is sent is not sent again", async () => {
  const line = await createLine(app);
  const { agent, company } = line;
  const customer = await newCustomer(app, line);
  const { id } = await schedule(app, agent, { contactId: customer.contactId, minutes: 30 });
  // As the schedule of a message is whose row was removed.
  await app.database.db.acrossCompanies((tx) =>
    tx.query(sql`
      update schedules set status = 'AGENDADA', message_id = null, locked_at = null, due_at = ${app.clock.now()}
      where company_id = ${company.id} and id = ${id}`),
  );
  expect(await untilStatus(app, agent, id, "ERRO")).toMatchObject({
    errorCode: "ERR_NO_MESSAGE_FOUND",
  });
  app.clock.advance(20 * MINUTE_MS);
  const next = await schedule(app, agent, { contactId: customer.contactId, minutes: 1 });
  app.clock.advance(2 * MINUTE_MS);
  await untilStatus(app, agent, next.id, "ENVIADA");
  expect(await arrived(app, line, customer.phone)).toHaveLength(1);
});

test("one that cannot be sent to its contact is tried three times, then given up", async () => {
  const line = await createLine(app);
  const { agent, company } = line;
  const [contact] = await app.database.db.acrossCompanies((tx) =>
    tx.query<{ id: number }>(
      sql`insert into contacts (company_id, name) values (${company.id}, 'Sem número') returning id`,
    ),
  );
  const { id } = await schedule(app, agent, { contactId: contact?.id ?? 0, minutes: 1 });
  app.clock.advance(2 * MINUTE_MS);
  const tries = async (): Promise<number> => {
    const [row] = await app.database.db.acrossCompanies((tx) =>
      tx.query<{ attempts: number }>(sql`select attempts from schedules where id = ${id}`),
    );
    return row?.attempts ?? 0;
  };
  for (const attempt of [1, 2]) {
    await vi.waitFor(async () => expect(await tries()).toBe(attempt), patience);
    expect(await show(app, agent, id)).toMatchObject({
      status: "PENDENTE",
      errorCode: "ERR_WAPP_INVALID_CONTACT",
    });
    app.clock.advance(2 * MINUTE_MS);
  }
  await untilStatus(app, agent, id, "ERRO");
  expect(await tries()).toBe(3);
});

test("a contact that opted out gets none: a new one is refused, a waiting one is given up at its time", async () => {
  const line = await createLine(app);
  const { agent } = line;
  const { contactId, phone } = await newCustomer(app, line);
  const waiting = await schedule(app, agent, { contactId, minutes: 2 });
  expect((await app.as(agent).put(`/contacts/${contactId}/opt-out`, {})).status).toBe(200);
  expect((await show(app, agent, waiting.id)).contact.optedOut).toBe(true);
  const body = { body: "Bom dia", contactId, sendAt: "2090-01-01T10:00" };
  expect(await app.as(agent).post("/schedules", body)).toMatchObject({
    ...{ status: 400, body: { code: "ERR_CONTACT_OPTED_OUT" } },
  });
  app.clock.advance(3 * MINUTE_MS);
  const ended = await untilStatus(app, agent, waiting.id, "ERRO");
  expect(ended).toMatchObject({ errorCode: "ERR_CONTACT_OPTED_OUT", sentAt: null });
  expect(await arrived(app, line, phone)).toEqual([]);
});
