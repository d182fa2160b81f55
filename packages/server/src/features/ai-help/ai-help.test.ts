import { request } from "node:http";
import type { HelpProposal } from "@balcao/contract";
import { expect, test, vi } from "vitest";
import { testApp } from "../../testing/app.ts";
import type { GivenUser } from "../../testing/given.ts";
import { startProviderStub } from "../prompts/testing/provider-stub.ts";

const stub = await startProviderStub();
const app = await testApp({
  ...{ environment: { ROLES: "http" }, outsideHosts: ["127.0.0.1:*"] },
});
let keys = 0;

/** A company with an AI service of its own: Ana serves a ticket of her queue. */
async function office(behaviour = "ok", plan = {}) {
  const { given } = app;
  const company = await given.company({ plan });
  const key = `${behaviour}-help${(keys += 1)}`;
  const admin = await given.admin({ company });
  const body = { baseUrl: stub.baseUrl, model: "gpt-a", apiKey: key, helps: true };
  await app.as(admin).put("/aiService", body);
  const [queueId, otherQueueId] = [await given.queue({ company }), await given.queue({ company })];
  const ana = await given.agent({ company, queueIds: [queueId] });
  const wish = { company, queueId, status: "open" as const, userId: ana.id };
  const ticket = await given.ticket({ ...wish, contactName: "Helena Duarte" });
  const help = (user: GivenUser, wished: object, ticketId: number = ticket.id) =>
    app.as(user).post<HelpProposal & { code?: string }>(`/tickets/${ticketId}/help`, wished);
  const asked = () =>
    stub.chatsOf(key).map(({ body: { messages = [] } }) => ({
      frame: messages[0]?.content ?? "",
      data: JSON.parse(messages[1]?.content ?? "null") as unknown,
      roles: messages.map(({ role }) => role),
    }));
  const bia = await given.agent({ company, queueIds: [queueId] });
  const stranger = await given.admin({ company: await given.company() });
  return { company, admin, ana, bia, stranger, ticket, queueId, otherQueueId, help, asked, wish };
}

const suggest = { kind: "suggest", draft: "" };
const rewrite = { kind: "correct", text: "Oi" };

test("a suggestion rests on the messages that the caller may read, without deleted ones and notes; nothing is sent", async () => {
  const { admin, ana, ticket, otherQueueId, help, asked } = await office();
  const say = (body: string, fields = {}) => app.given.message(ticket, { body, ...fields });
  await say("Segredo da outra fila", { queueId: otherQueueId });
  await say("Tem camiseta?");
  const gone = await say("Meu cartão é 4111");
  await app.database.db.transaction({ companyId: ticket.companyId }, (tx) =>
    tx.query({ name: "gone", text: "update messages set is_deleted = true where id = $1" }, [gone]),
  );
  await say("*Ana:*\nBom dia", { fromMe: true });
  await app.as(ana).post("/ticket-notes", { ticketId: ticket.id, note: "Cliente difícil" });
  const reply = await help(ana, { kind: "suggest", draft: "Temos, " });
  expect([reply.status, reply.body]).toEqual([200, { text: "Temos sim, por R$ 10.", sources: [] }]);
  const [first] = asked();
  expect(first?.roles).toEqual(["system", "user"]);
  expect(first?.data).toEqual({
    ...{ cliente: "Helena", rascunho: "Temos,", trechos: [] },
    conversa: [
      { de: "cliente", texto: "Tem camiseta?" },
      { de: "equipe", texto: "Bom dia" },
    ],
  });
  // An admin reads every queue.
  await help(admin, { kind: "summary" });
  expect(JSON.stringify(asked()[1]?.data)).toContain("Segredo da outra fila");
  const page = await app.as(admin).get<{ count: number }>(`/messages/${ticket.id}`);
  expect(page.body.count).toBe(4);
});

test("a suggestion is given the parts of the knowledge base that fit what the customer asks", async () => {
  const { admin, ana, ticket, help, asked } = await office();
  const article = { kind: "question", title: "Qual é o prazo de troca?", text: "Em 30 dias." };
  expect((await app.as(admin).post("/knowledge", article)).status).toBe(200);
  await app.given.message(ticket, { body: "Qual o prazo para trocar?" });
  await help(ana, suggest);
  await help(ana, { kind: "summary" });
  const [suggestion, summary] = asked().map(({ data }) => data);
  expect(suggestion).toMatchObject({
    trechos: [{ numero: 1, titulo: article.title, texto: expect.stringContaining("30 dias") }],
  });
  expect(summary).not.toHaveProperty("trechos");
});

test("other words and translations read the given text alone, and the customer's messages only for their language", async () => {
  const { ana, ticket, help, asked } = await office();
  await app.given.message(ticket, { body: "Do you ship to Lisbon?" });
  await app.given.message(ticket, { body: "Sim", fromMe: true });
  const text = "enviamos sim";
  for (const wish of [
    { kind: "shorter", text },
    { kind: "correct", text },
    { kind: "translate", text, language: "es" },
    { kind: "translate", text, language: "customer" },
  ]) {
    expect((await help(ana, wish)).status).toBe(200);
  }
  const language = [{ de: "cliente", texto: "Do you ship to Lisbon?" }];
  expect(asked().map(({ data }) => data)).toEqual([
    ...[{ texto: text }, { texto: text }, { texto: text }],
    { texto: text, conversa: language },
  ]);
  expect(asked()[2]?.frame).toContain("espanhol");
});

test("a message is translated where it is of the ticket, there and readable", async () => {
  const { ana, ticket, otherQueueId, help, asked, wish } = await office();
  const translate = (messageId: string) =>
    help(ana, { kind: "translateMessage", messageId, language: "pt" });
  const hello = await app.given.message(ticket, { body: "Hello" });
  expect((await translate(hello)).status).toBe(200);
  expect(asked()[0]?.data).toEqual({ texto: "Hello" });
  const others = [
    await app.given.message(await app.given.ticket(wish), { body: "Hello" }),
    await app.given.message(ticket, { body: "Hello", queueId: otherQueueId }),
  ];
  for (const id of others) {
    const refused = await translate(id);
    expect([refused.status, refused.body.code]).toEqual([404, "ERR_NO_MESSAGE_FOUND"]);
  }
  const empty = await translate(await app.given.message(ticket, { body: " " }));
  expect([empty.status, empty.body.code]).toEqual([400, "ERR_AI_HELP_NOTHING"]);
});

test("who does not see the ticket gets no help, nor does a company without plan or service", async () => {
  const { admin, bia, stranger, help } = await office();
  const codes = async (user: GivenUser, wish: object = suggest) => {
    const { status, body } = await help(user, wish);
    return [status, body.code];
  };
  expect(await codes(bia)).toEqual([403, "ERR_TICKET_FORBIDDEN"]);
  expect(await codes(stranger)).toEqual([404, "ERR_NO_TICKET_FOUND"]);
  expect(await codes(admin)).toEqual([400, "ERR_AI_HELP_NOTHING"]);
  expect(await codes(admin, { kind: "summary" })).toEqual([400, "ERR_AI_HELP_NOTHING"]);
  await app.as(admin).put("/aiService", { helps: false });
  expect(await codes(admin, rewrite)).toEqual([403, "ERR_AI_NOT_OFFERED"]);
  const plain = await office("ok", { useOpenAi: false });
  const refused = await plain.help(plain.admin, rewrite);
  expect([refused.status, refused.body.code]).toEqual([403, "ERR_NO_PERMISSION"]);
});

test.each([
  ["refused", "ERR_PROMPT_KEY_REFUSED"],
  ["silent", "ERR_PROMPT_BAD_REPLY"],
])("a service that answers %s: %s", async (behaviour, code) => {
  const { ana, help } = await office(behaviour);
  const reply = await help(ana, rewrite);
  expect([reply.status, reply.body.code]).toEqual([400, code]);
});

/** A call whose caller can leave. */
function leavable(user: GivenUser, ticketId: number): () => void {
  const headers = { "content-type": "application/json", authorization: `Bearer ${user.token}` };
  const call = request(`${app.url}/api/tickets/${ticketId}/help`, { method: "POST", headers });
  call.on("error", () => undefined).end(JSON.stringify(rewrite));
  return () => call.destroy();
}

test("a user has two proposals at once, whose calls end when the caller leaves", async () => {
  const { admin, ana, ticket, help, asked } = await office("hang");
  const leave = [leavable(ana, ticket.id), leavable(ana, ticket.id)];
  await vi.waitFor(() => expect(asked().length).toBe(2));
  const refused = await help(ana, rewrite);
  expect([refused.status, refused.body.code]).toEqual([429, "ERR_AI_HELP_BUSY"]);
  await app.as(admin).put("/aiService", { apiKey: "ok-again" });
  for (const end of leave) end();
  // The service would have been given 28 seconds.
  await vi.waitFor(async () => expect((await help(ana, rewrite)).status).toBe(200), 5_000);
});

test("a user has thirty proposals in a minute", async () => {
  const { admin, ana, help } = await office();
  for (let call = 0; call < 30; call += 1) expect((await help(ana, rewrite)).status).toBe(200);
  const refused = await help(ana, rewrite);
  expect(refused.status).toBe(429);
  // A minute after the first.
  const retryAfter = Number(refused.headers.get("retry-after"));
  expect(retryAfter).toBeGreaterThan(30);
  expect(retryAfter).toBeLessThanOrEqual(60);
  expect((await help(admin, rewrite)).status).toBe(200);
  app.clock.advance(60_000);
  expect((await help(ana, rewrite)).status).toBe(200);
});
