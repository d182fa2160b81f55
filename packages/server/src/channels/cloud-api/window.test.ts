import type { Message, Ticket } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { eventually } from "../testing/eventually.ts";
import { cloudWorld } from "./testing/cloud-office.ts";

const world = await cloudWorld();
const { product, stub } = world;
const HOUR_MS = 3_600_000;

let people = 0;
async function conversation(hoursAgo: number) {
  const line = await world.newLine();
  people += 1;
  const phone = `55119555${String(10_000 + people)}`;
  const at = new Date(Date.now() - hoursAgo * HOUR_MS);
  await line.writes({ phone }, "Oi", { at });
  const ticket = await line.ticketOf(phone);
  return { line, phone, at, ticket };
}

test("a ticket says until when anything may be written: a day after the customer's last message", async () => {
  const { line, at, phone, ticket } = await conversation(5);
  const seconds = Math.floor(at.getTime() / 1_000) * 1_000;
  expect(ticket.freeTextUntil).toBe(new Date(seconds + 24 * HOUR_MS).toISOString());
  await product.as(line.admin).post(`/messages/${ticket.id}`, { body: "Resposta" });
  await line.sent(1);
  expect((await line.ticketOf(phone)).freeTextUntil).toBe(ticket.freeTextUntil);
  const now = Math.floor(Date.now() / 1_000) * 1_000;
  await line.writes({ phone }, "Mais uma coisa", { at: new Date(now) });
  await eventually(async () => {
    const { freeTextUntil } = await line.ticketOf(phone);
    // The message stands behind our answer, however coarse Meta's times are.
    const aheadMs = Date.parse(freeTextUntil ?? "") - 24 * HOUR_MS - now;
    expect(aheadMs).toBeGreaterThanOrEqual(0);
    expect(aheadMs).toBeLessThan(HOUR_MS);
  });
});

test("after a day a text and a file are refused, and nothing of them is stored", async () => {
  const { line, ticket } = await conversation(25);
  const text = await product
    .as(line.admin)
    .post<{ code: string }>(`/messages/${ticket.id}`, { body: "Tarde demais" });
  expect([text.status, text.body.code]).toEqual([400, "ERR_WAPP_WINDOW_CLOSED"]);
  const form = new FormData();
  form.append("medias", new Blob(["x"], { type: "text/plain" }), "nota.txt");
  const file = await fetch(`${product.url}/api/messages/${ticket.id}`, {
    method: "POST",
    headers: { authorization: `Bearer ${line.admin.token}` },
    body: form,
  });
  expect([file.status, await file.json()]).toMatchObject([400, { code: "ERR_WAPP_WINDOW_CLOSED" }]);
  expect(await line.messages(ticket.id)).toHaveLength(1);
  expect(stub.sent(line.account)).toEqual([]);
});

test("a ticket in another company's hands is not found, whatever its window", async () => {
  const { ticket } = await conversation(25);
  const stranger = (await world.newLine({ wanted: false })).admin;
  const reply = await product.as(stranger).post(`/messages/${ticket.id}`, { body: "Oi" });
  expect(reply.status).toBe(404);
});

test("channels without the rule have no end; a moved ticket takes the rule of its new connection", async () => {
  const { company, admin, connectionId } = await world.newLine({ wanted: false });
  const onSimulator = await product.given.ticket({ company });
  const api = product.as(admin);
  const { body: before } = await api.get<Ticket>(`/tickets/${onSimulator.id}`);
  expect(before.freeTextUntil).toBeNull();
  const moved = await api.put<Ticket>(`/tickets/${onSimulator.id}`, { whatsappId: connectionId });
  expect([moved.status, moved.body.freeTextUntil]).toEqual([200, moved.body.createdAt]);
  const refused = await api.post<{ code: string }>(`/messages/${onSimulator.id}`, { body: "Oi" });
  expect(refused.body.code).toBe("ERR_WAPP_WINDOW_CLOSED");
});

test("Meta's own word counts too: an error 131047 fails the message with the reason", async () => {
  const { line, ticket } = await conversation(1);
  await product.idle();
  stub.faults.push({ code: 131_047 });
  const { body } = await product
    .as(line.admin)
    .post<Message>(`/messages/${ticket.id}`, { body: "Ainda dá?" });
  await eventually(async () => {
    const message = (await line.messages(ticket.id)).find(({ id }) => id === body.id);
    expect(message?.failedCode).toBe("ERR_WAPP_WINDOW_CLOSED");
  });
});

test("a transfer text that may not be sent any more does not keep the ticket from moving", async () => {
  const { line, ticket } = await conversation(30);
  await product.database.db.acrossCompanies((tx) =>
    tx.query(sql`update settings set value = 'enabled'
      where company_id = ${line.companyId} and key = 'sendMsgTransfTicket'`),
  );
  const queueId = await product.given.queue({ company: line.company });
  const moved = await product.as(line.admin).put<Ticket>(`/tickets/${ticket.id}`, { queueId });
  expect([moved.status, moved.body.queueId]).toEqual([200, queueId]);
  expect(stub.sent(line.account)).toEqual([]);
});
