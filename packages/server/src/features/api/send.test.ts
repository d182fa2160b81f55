import type { Message, Ticket } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import { systemCtx } from "../../platform/context.ts";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import { unique } from "../../testing/given.ts";
import { once } from "./repeats.ts";
import { createDesk, createProgram, giveConnectionToken, tokenOf } from "./testing/programs.ts";

let app: TestApp;
let desk: Awaited<ReturnType<typeof createDesk>>;
/** Sends with the token of the desk's connection. */
let legacy: ReturnType<typeof createProgram>;
beforeAll(async () => {
  app = await testApp({ channelSettings: { lookEveryMs: 100 } });
  desk = await createDesk(app);
  await giveConnectionToken(app, desk.connectionId, "chave-da-conexao");
  legacy = createProgram(app, "chave-da-conexao");
});

const newPhone = (): string => `55119${String(70_000_000 + unique())}`;
const send = (json: unknown) => legacy("POST", "/messages/send", { json });

type Sent = { messageIds: string[]; ticketId: number; contactId: number };
const ticket = async (id: number): Promise<Ticket> =>
  (await app.as(desk.admin).get<Ticket>(`/tickets/${id}`)).body;
const messagesOf = async (id: number): Promise<Message[]> =>
  (await app.as(desk.admin).get<{ messages: Message[] }>(`/messages/${id}?markRead=false`)).body
    .messages;
const setStatus = (id: number, change: object) => app.as(desk.admin).put(`/tickets/${id}`, change);

function formOf(fields: Record<string, string>, files: [name: string, content: string][]) {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  for (const [name, content] of files) form.append("medias", new File([content], name));
  return form;
}

test("a text to a new number makes contact and ticket, which stays closed, and renders its variables", async () => {
  const phone = newPhone();
  const reply = await send({ number: `+${phone}`, body: "Olá {{name}}" });
  expect([reply.status, reply.body]).toEqual([
    200,
    { mensagem: "Mensagem enviada", messageId: expect.any(String), ticketId: expect.any(Number) },
  ]);
  const { ticketId, messageId } = reply.body as { ticketId: number; messageId: string };
  expect(await ticket(ticketId)).toMatchObject({
    ...{ status: "closed", lastMessage: `Olá ${phone}`, unreadMessages: 0 },
    ...{ whatsappId: desk.connectionId, contact: { name: phone, number: phone } },
  });
  expect(await messagesOf(ticketId)).toMatchObject([{ id: messageId, user: null, fromMe: true }]);
  expect((await desk.arrived(phone)).map(({ body }) => body)).toEqual([`Olá ${phone}`]);
});

test("a conversation that waits keeps its state and counts as read; closeTicket resolves it after the message", async () => {
  const { company, connectionId } = desk;
  const given = await app.given.ticket({ company, connectionId, phone: newPhone() });
  await app.given.message(given, { body: "Oi", read: false });
  await app.database.db.acrossCompanies((tx) =>
    tx.query(sql`update tickets set unread_messages = 1 where id = ${given.id}`),
  );
  await send({ number: given.phone, body: "Seu pedido saiu" });
  expect(await ticket(given.id)).toMatchObject({ status: "pending", unreadMessages: 0 });
  expect(await messagesOf(given.id)).toMatchObject([{ read: true }, { body: "Seu pedido saiu" }]);

  await send({ number: given.phone, body: "Obrigado", closeTicket: true });
  expect(await ticket(given.id)).toMatchObject({ status: "closed", userId: null });
  expect((await messagesOf(given.id)).at(-1)).toMatchObject({ body: "Obrigado" });
});

test("queueId, userId and status place a ticket that was closed", async () => {
  const { company, admin } = desk;
  const queueId = await app.given.queue({ company });
  const cases: [wish: object, expected: object][] = [
    [{ queueId }, { status: "pending", queueId, userId: null }],
    [{ userId: admin.id }, { status: "open", userId: admin.id }],
    [
      { status: "open", queueId, userId: admin.id },
      { status: "open", queueId, userId: admin.id },
    ],
  ];
  for (const [wish, expected] of cases) {
    const { body } = await send({ number: newPhone(), body: "Olá", ...wish });
    expect(await ticket((body as Sent).ticketId)).toMatchObject(expected);
  }
  // A ticket that waits needs a queue: nothing is sent without one.
  const phone = newPhone();
  const refused = await send({ number: phone, body: "Olá", status: "pending" });
  expect([refused.status, refused.body]).toMatchObject([400, { code: "ERR_QUEUE_REQUIRED" }]);
  expect(await desk.arrived(phone)).toEqual([]);
});

test("files are one message each, with the body or their name", async () => {
  const phone = newPhone();
  const form = formOf({ number: phone, body: "Segue {{name}}" }, [
    ["a.txt", "um"],
    ["b.txt", "dois"],
  ]);
  const reply = await legacy("POST", "/messages/send", { form });
  expect([reply.status, reply.body]).toMatchObject([200, { mensagem: "Mensagem enviada" }]);
  const stored = await messagesOf((reply.body as Sent).ticketId);
  expect(stored).toMatchObject([
    { body: `Segue ${phone}`, media: { name: "a.txt" } },
    { body: `Segue ${phone}`, media: { name: "b.txt" } },
  ]);
  const plain = formOf({ number: phone, body: "a.txt" }, [["a.txt", "três"]]);
  await legacy("POST", "/messages/send", { form: plain });
  expect((await messagesOf((reply.body as Sent).ticketId)).at(-1)?.body).toBe("a.txt");
});

test.each<[name: string, json: object, status: number, error: string]>([
  ["no number", { body: "Olá" }, 400, "O número é obrigatório"],
  ["an empty number", { number: "", body: "Olá" }, 400, "O número é obrigatório"],
  [
    "a number that the network does not know",
    { number: "5511987650000", body: "Olá" },
    400,
    "ERR_CHECK_NUMBER",
  ],
  ["no number at all", { number: "abc", body: "Olá" }, 400, "ERR_CHECK_NUMBER"],
  [
    "a group that never wrote",
    { number: "120363000000000000@g.us", body: "Olá" },
    400,
    "ERR_CHECK_NUMBER",
  ],
  ["no text", { number: "5511987654321", body: " " }, 400, "ERR_MESSAGE_EMPTY"],
])("%s is refused in the words of existing clients", async (_name, json, status, error) => {
  const reply = await send(json);
  expect([reply.status, reply.body]).toMatchObject([status, { error }]);
});

test("an empty, unknown or other company's token, a plan without the feature and a company that may not work", async () => {
  const other = await app.given.company({ plan: { useExternalApi: false } });
  const expired = await app.given.company({ dueDate: new Date("2024-03-10T00:00:00Z") });
  for (const [company, token] of [
    [other, "sem-plano"],
    [expired, "vencida"],
  ] as const) {
    const connectionId = await app.given.connection({ company, linked: false });
    await giveConnectionToken(app, connectionId, token);
  }
  // Connections have an empty token by default.
  await giveConnectionToken(app, await app.given.connection({ company: other, linked: false }), "");
  const json = { number: "5511987654321", body: "Olá" };
  const by = async (token: string) =>
    (await createProgram(app, token)("POST", "/messages/send", { json })).status;
  for (const token of ["", "outra", desk.admin.token]) expect(await by(token)).toBe(401);
  for (const token of ["sem-plano", "vencida"]) expect(await by(token)).toBe(403);
  const unknown = await createProgram(app, "outra")("POST", "/messages/send", { json });
  expect(unknown.body).toMatchObject({ error: "Acesso não permitido" });
});

test("a connection that waits for a person sends nothing", async () => {
  const { company } = desk;
  const connectionId = await app.given.connection({ company, linked: false });
  await giveConnectionToken(app, connectionId, "desligada");
  const given = await app.given.ticket({ company, connectionId, phone: newPhone() });
  await app.given.message(given, {});
  await app.database.db.acrossCompanies((tx) =>
    tx.query(sql`
      update connections set status = 'DISCONNECTED', close_reason = 'logged-out' where id = ${connectionId}`),
  );
  for (const number of [given.phone, newPhone()]) {
    const json = { number, body: "Olá" };
    const reply = await createProgram(app, "desligada")("POST", "/messages/send", { json });
    const error = "Não foi possível enviar a mensagem, tente novamente em alguns instantes";
    expect([reply.status, reply.body]).toMatchObject([400, { error }]);
  }
});

test("the same idempotency key sends once; with another request it is refused, and so while the first runs", async () => {
  const phone = newPhone();
  const json = { number: phone, body: "Uma vez", idempotencyKey: "pedido-1" };
  // At the same time: one of them does the work.
  const both = await Promise.all([send(json), send(json)]);
  const sent = both.filter(({ status }) => status === 200);
  expect(sent.length).toBeGreaterThan(0);
  for (const { status, body } of both) {
    if (status !== 200)
      expect([status, body]).toMatchObject([409, { code: "ERR_IDEMPOTENCY_RUNNING" }]);
  }
  expect((await send(json)).body).toEqual(sent[0]?.body);
  const other = await send({ ...json, body: "Outra coisa" });
  expect([other.status, other.body]).toMatchObject([409, { code: "ERR_IDEMPOTENCY_KEY_REUSED" }]);
  expect(await desk.arrived(phone)).toHaveLength(1);

  // A refused request keeps nothing.
  const wrong = { number: "5511987650000", body: "Olá", idempotencyKey: "pedido-2" };
  expect((await send(wrong)).status).toBe(400);
  expect((await send({ ...wrong, number: phone })).status).toBe(200);
  // Files count by their content.
  const { token } = await tokenOf(app, desk.admin);
  const program = createProgram(app, token);
  const filed = (content: string) =>
    program("POST", "/v1/messages", {
      ...{ form: formOf({ number: phone }, [["nota.txt", content]]), key: "nota" },
    });
  const first = await filed("um");
  expect([first.status, (await filed("um")).body]).toEqual([201, first.body]);
  expect(await filed("dois")).toMatchObject({
    status: 409,
    body: { code: "ERR_IDEMPOTENCY_KEY_REUSED" },
  });
});

test("a key whose first request died is free again after ten minutes, and the dead one can no longer send", async () => {
  const { db } = app.database;
  const ctx = {
    ...systemCtx(desk.company.id, "api", "morto"),
    token: { id: null, connectionId: desk.connectionId, name: "Vendas", scopes: null },
  };
  const request = { key: "morto", call: "POST /messages/send", said: {} };
  const say = (words: string) =>
    once({ db, clock: app.clock }, ctx, request, String, async (keep) => {
      await db.transaction(ctx, (tx) => keep(tx, words));
      return words;
    });
  const late = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const first = once({ db, clock: app.clock }, ctx, request, String, async (keep) => {
    begun.resolve();
    await late.promise;
    await db.transaction(ctx, (tx) => keep(tx, "tarde"));
    return "tarde";
  });
  await begun.promise;
  await expect(say("cedo")).rejects.toMatchObject({ code: "ERR_IDEMPOTENCY_RUNNING" });
  app.clock.advance(11 * 60_000);
  expect(await say("de novo")).toBe("de novo");
  late.resolve();
  await expect(first).rejects.toMatchObject({ code: "ERR_IDEMPOTENCY_RUNNING" });
  expect(await say("mais uma vez")).toBe("de novo");
});

test("v1 sends in a ticket or to a number, as the company or as a personal token's owner", async () => {
  const { company, admin, connectionId } = desk;
  const given = await app.given.ticket({ company, connectionId, phone: newPhone() });
  const bot = createProgram(app, (await tokenOf(app, admin)).token);
  const own = createProgram(app, (await tokenOf(app, admin, { kind: "user" })).token);
  const json = { ticketId: given.id, body: "Do sistema" };
  const byBot = await bot("POST", "/v1/messages", { json });
  expect([byBot.status, byBot.body]).toEqual([
    201,
    { messageIds: [expect.any(String)], ticketId: given.id, contactId: given.contactId },
  ]);
  await setStatus(given.id, { status: "open", userId: admin.id });
  await own("POST", "/v1/messages", { json: { number: given.phone, body: "Da Ana" } });
  expect(await messagesOf(given.id)).toMatchObject([
    { body: "Do sistema", user: null },
    { body: "Da Ana", user: { id: admin.id, name: "Ana" } },
  ]);
  const bad: [json: object, code: string][] = [
    [{ ticketId: given.id, number: given.phone, body: "x" }, "ERR_INVALID_REQUEST"],
    [{ body: "x" }, "ERR_NUMBER_REQUIRED"],
    [{ number: "5511987650000", body: "x" }, "ERR_WAPP_INVALID_CONTACT"],
    [{ number: given.phone, body: "" }, "ERR_MESSAGE_EMPTY"],
    [{ number: given.phone, template: { name: "pedido", language: "pt_BR" } }, "ERR_WAPP_TEMPLATE"],
  ];
  for (const [wrong, code] of bad) {
    expect((await bot("POST", "/v1/messages", { json: wrong })).body).toMatchObject({ code });
  }
});
