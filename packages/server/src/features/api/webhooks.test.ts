import type { ReplyOf, ShownWebhookDelivery, Webhook } from "@balcao/contract";
import { createHmac } from "node:crypto";
import { sql } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import { testApp } from "../../testing/app.ts";
import { startHttpStub } from "../integrations/testing/stubs.ts";
import { createProgram, tokenOf } from "./testing/programs.ts";

const app = await testApp({
  environment: { ROLES: "http,jobs" },
  outsideHosts: ["127.0.0.1:*"],
  deliverySettings: { lookEveryMs: 20 },
});

/** A company with a receiver of these events. */
async function office(events: readonly string[], plan = {}) {
  const receiver = await startHttpStub();
  const company = await app.given.company({ plan });
  const user = await app.given.admin({ company, name: "Ana" });
  const admin = app.as(user);
  const body = { name: "ERP", url: receiver.url, events };
  const { body: webhook } = await admin.post<Webhook>("/webhooks", body);
  const ticket = () => app.given.ticket({ company });
  const told = () => receiver.asked.map(({ body: text }) => JSON.parse(text) as object);
  const deliveries = async () =>
    (await admin.get<ReplyOf<"GET /webhook-deliveries">>("/webhook-deliveries")).body.deliveries;
  return { receiver, company, user, admin, webhook, ticket, told, deliveries };
}

test("a webhook is told the chosen events of its company, signed and in the shapes of the API", async () => {
  const { receiver, user, admin, webhook, ticket, told, deliveries } = await office([
    "ticket.changed",
    "message.sent",
  ]);
  const other = await office(["ticket.changed"]);
  expect(webhook).toMatchObject({ events: ["message.sent", "ticket.changed"], stoppedAt: null });
  const { id } = await ticket();
  await admin.put(`/tickets/${id}`, { status: "open", userId: user.id });
  await admin.post(`/messages/${id}`, { body: "Bom dia" });
  await vi.waitFor(() => expect(receiver.asked).toHaveLength(2));
  expect(told()).toMatchObject([
    {
      event: "ticket.changed",
      ticket: { id, status: "open", user: { id: user.id, name: "Ana" } },
      before: { status: "pending", userId: null },
    },
    {
      event: "message.sent",
      ticket: { id },
      message: { ticketId: id, body: "Bom dia", type: "text", fromMe: true, user: { id: user.id } },
    },
  ]);
  const { headers, body } = receiver.asked[0]!;
  const { secret } = (await admin.get<{ secret: string }>(`/webhooks/${webhook.id}/secret`)).body;
  const signed = createHmac("sha256", Buffer.from(secret.replace("whsec_", ""), "base64"))
    .update(`${String(headers["webhook-id"])}.${String(headers["webhook-timestamp"])}.${body}`)
    .digest("base64");
  expect(headers["webhook-signature"]).toBe(`v1,${signed}`);
  await vi.waitFor(async () =>
    expect(await deliveries()).toMatchObject([
      { kind: "message.sent", state: "delivered", webhookName: "ERP", ticketId: id },
      { kind: "ticket.changed", state: "delivered", status: 200 },
    ]),
  );
  expect(other.receiver.asked).toEqual([]);

  // By a token of the company too, and again by hand with the same id.
  const program = createProgram(app, (await tokenOf(app, user)).token);
  await program("PUT", `/v1/tickets/${id}`, { json: { status: "closed" } });
  await vi.waitFor(() => expect(receiver.asked).toHaveLength(3));
  const [row] = await deliveries();
  await admin.post("/webhook-deliveries/again", { deliveryIds: [row!.id] });
  await vi.waitFor(() => expect(receiver.asked).toHaveLength(4));
  const ids = receiver.asked.map((asked) => asked.headers["webhook-id"]);
  expect(ids[3]).toBe(ids[2]);
  const shown = await admin.get<ShownWebhookDelivery>(`/webhook-deliveries/${row!.id}`);
  expect(shown.body).toMatchObject({
    ...{ url: receiver.url, request: receiver.asked[2]!.body },
    requestHeaders: { "webhook-signature": "v1,•••" },
  });
});

test("another address, other events and a deletion count from the reply on; without the plan nothing is told", async () => {
  const { receiver, company, user, admin, webhook, ticket, told } = await office([
    "ticket.changed",
  ]);
  const moved = await startHttpStub();
  await admin.put(`/webhooks/${webhook.id}`, { url: moved.url });
  const { id } = await ticket();
  const open = { status: "open", userId: user.id };
  await admin.put(`/tickets/${id}`, open);
  await vi.waitFor(() => expect(moved.asked).toHaveLength(1));
  await admin.put(`/webhooks/${webhook.id}`, { events: ["message.received"] });
  await admin.put(`/tickets/${id}`, { status: "pending" });
  await admin.put(`/webhooks/${webhook.id}`, { events: ["ticket.changed"] });
  await admin.put(`/tickets/${id}`, open);
  await vi.waitFor(() => expect(moved.asked).toHaveLength(2));
  await admin.delete(`/webhooks/${webhook.id}`);
  await admin.put(`/tickets/${id}`, { status: "pending" });
  expect((await admin.get("/webhooks")).body).toEqual({ webhooks: [] });
  expect((await admin.get("/webhook-deliveries")).body).toMatchObject({ deliveries: [] });
  expect([told(), moved.asked.length]).toEqual([[], 2]);

  const body = { name: "ERP", url: receiver.url, events: ["ticket.changed"] };
  await admin.post("/webhooks", body);
  await app.database.db.acrossCompanies((tx) =>
    tx.query(sql`
      update plans set use_external_api = false where id = (select plan_id from companies where id = ${company.id})`),
  );
  await admin.put(`/tickets/${id}`, open);
  const stored = await app.database.db.acrossCompanies((tx) =>
    tx.query(sql`select count(*)::int as n from deliveries where company_id = ${company.id}`),
  );
  expect(stored).toEqual([{ n: 0 }]);
});

test("a test says what came of it, an address inside is refused, and a company has 20 webhooks at most", async () => {
  const { receiver, admin, webhook, told } = await office(["ticket.changed"]);
  receiver.answer = () => ({ status: 500 });
  const tried = await admin.post(`/webhooks/${webhook.id}/test`);
  expect(tried.body).toMatchObject({ isOk: false, status: 500, fault: null });
  expect(told()).toMatchObject([{ event: "test" }]);
  await admin.put(`/webhooks/${webhook.id}`, { url: "http://10.0.0.1/balcao" });
  expect((await admin.post(`/webhooks/${webhook.id}/test`)).body).toMatchObject({
    ...{ isOk: false, status: null, fault: "refused-address" },
  });
  const body = { name: "Mais um", url: receiver.url, events: ["ticket.changed"] };
  const codes = [];
  for (let more = 0; more < 20; more += 1) {
    codes.push((await admin.post<{ code?: string }>("/webhooks", body)).body.code);
  }
  expect(codes.slice(-2)).toEqual([undefined, "ERR_WEBHOOK_LIMIT"]);
  const wrong = await admin.post("/webhooks", { ...body, url: "ftp://loja.example" });
  expect(wrong.body).toMatchObject({ code: "ERR_INVALID_REQUEST" });
});
