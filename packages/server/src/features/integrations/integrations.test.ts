import type { Integration, ReplyOf } from "@balcao/contract";
import { companyEvent } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import type { Reply } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import {
  newServiceAccount,
  paragraph,
  startDialogflowStub,
  startHttpStub,
  startTypebotStub,
} from "./testing/stubs.ts";

const key = newServiceAccount("loja");
const google = await startDialogflowStub(key.publicKey);
const app = await testApp({
  environment: { ROLES: "http" },
  outsideHosts: ["127.0.0.1:*"],
  googleAddresses: google.google,
  deliverySettings: { tryLimitMs: 200 },
});
const path = "/queueIntegration";
const address = "https://n8n.exemplo.com/webhook/1";

async function office() {
  const company = await app.given.company();
  const admin = app.as(await app.given.admin({ company }));
  const agent = await app.given.agent({ company });
  const add = async (fields: object): Promise<Integration> => {
    const body = { type: "webhook", name: "Loja", urlN8N: address, ...fields };
    return (await admin.post<Integration>(path, body)).body;
  };
  return { company, admin, agent, add };
}

const outcome = ({ status, body }: Reply) => [status, (body as { code?: string }).code];

test("admins keep the list; others see names and types, and nothing of it without the plan", async () => {
  const { company, admin, agent, add } = await office();
  const live = await app.live(agent);
  const event = companyEvent(company.id, "queueIntegration");
  const made = await add({ typebotDelayMessage: 2_500, typebotKeywordFinish: " fim " });
  expect(made).toMatchObject({
    ...{ type: "webhook", name: "Loja", projectName: "Loja", urlN8N: address, jsonContent: "" },
    ...{ typebotDelayMessage: 2_500, typebotKeywordFinish: "fim", language: "" },
    ...{ usedBy: { connections: [], queues: [] }, lastDelivery: null, delivered: 0, sent: 0 },
  });
  const named = { id: made.id, name: "Loja", type: "webhook" };
  expect(await live.next(event)).toEqual({ action: "create", queueIntegration: named });

  const changed = await admin.put<Integration>(`${path}/${made.id}`, { name: "Pedidos" });
  expect(changed.status).toBe(201);
  // What is left out stays.
  expect(changed.body).toMatchObject({ name: "Pedidos", projectName: "Pedidos", urlN8N: address });
  expect(changed.body.typebotDelayMessage).toBe(2_500);

  type List = ReplyOf<"GET /queueIntegration">;
  const other = await add({ type: "n8n", name: "Avisos" });
  const list = (await admin.get<List>(`${path}?searchParam=&pageNumber=1`)).body;
  expect(list.queueIntegrations.map(({ id }) => id)).toEqual([other.id, made.id]);
  expect([list.count, list.hasMore]).toEqual([2, false]);
  const seen = (await app.as(agent).get<List>(`${path}?searchParam=pedid`)).body;
  expect(seen.queueIntegrations).toMatchObject([{ id: made.id, name: "Pedidos", urlN8N: "" }]);
  expect(outcome(await app.as(agent).get(`${path}/${made.id}`))).toEqual([
    403,
    "ERR_NO_PERMISSION",
  ]);

  const poor = await app.given.company({ plan: { useIntegrations: false } });
  const visitor = app.as(await app.given.admin({ company: poor }));
  expect((await visitor.get(path)).body).toEqual({
    queueIntegrations: [],
    count: 0,
    hasMore: false,
  });
  expect(
    outcome(await visitor.post(path, { type: "webhook", name: "Loja", urlN8N: address })),
  ).toEqual([403, "ERR_NO_PERMISSION"]);

  expect((await admin.delete(`${path}/${other.id}`)).status).toBe(200);
  expect(outcome(await admin.delete(`${path}/${other.id}`))).toEqual([404, "ERR_NO_DIALOG_FOUND"]);
});

test.each([
  ["ERR_INTEGRATION_NAME_INVALID", { name: "A" }],
  ["ERR_INTEGRATION_NAME_INVALID", { name: "A".repeat(51) }],
  ["ERR_INTEGRATION_ADDRESS_INVALID", { urlN8N: "" }],
  ["ERR_INTEGRATION_ADDRESS_INVALID", { type: "n8n", urlN8N: "ftp://exemplo.com" }],
  ["ERR_INTEGRATION_ADDRESS_INVALID", { urlN8N: "https://ana:senha@exemplo.com" }],
  ["ERR_INTEGRATION_SLUG_INVALID", { type: "typebot", typebotSlug: "../admin" }],
  ["ERR_INTEGRATION_KEY_INVALID", { type: "dialogflow", projectName: "loja", jsonContent: "{}" }],
  [
    "ERR_INTEGRATION_KEY_INVALID",
    { type: "dialogflow", projectName: "outra", language: "pt-BR", jsonContent: key.text },
  ],
  [
    "ERR_INTEGRATION_LANGUAGE_INVALID",
    { type: "dialogflow", projectName: "loja", language: "", jsonContent: key.text },
  ],
])("%s", async (code, fields) => {
  const { admin } = await office();
  const reply = await admin.post(path, {
    type: "webhook",
    name: "Loja",
    urlN8N: address,
    ...fields,
  });
  expect(outcome(reply)).toEqual([400, code]);
});

test("a name is used once in a company", async () => {
  const { admin, add } = await office();
  await add({});
  const other = await add({ name: "Avisos" });
  const refused = await admin.put(`${path}/${other.id}`, { name: "Loja" });
  expect(refused.body).toMatchObject({ error: "This integration name is already used." });
  expect(await (await office()).add({})).toMatchObject({ name: "Loja" });
});

test("an integration in use is kept; one that is deleted leaves its tickets", async () => {
  const { company, admin, add } = await office();
  const { id } = await add({});
  const run = (statement: ReturnType<typeof sql>) =>
    app.app.db.acrossCompanies((tx) => tx.query<{ use: boolean; id: number | null }>(statement));
  const queueId = await app.given.queue({ company, name: "Vendas" });
  const connectionId = await app.given.connection({ company, name: "Loja" });
  const ticket = await app.given.ticket({ company, connectionId });
  for (const [table, row] of [
    ["queues", queueId],
    ["connections", connectionId],
  ] as const) {
    const at = sql.identifier(table);
    await run(sql`update ${at} set integration_id = ${id} where id = ${row}`);
    const { usedBy } = (await admin.get<Integration>(`${path}/${id}`)).body;
    expect(usedBy[table]).toMatchObject([{ id: row }]);
    expect(outcome(await admin.delete(`${path}/${id}`))).toEqual([400, "ERR_INTEGRATION_IN_USE"]);
    // A deleted one keeps its row, and the integration nevertheless goes.
    await run(sql`update ${at} set deleted_at = now() where id = ${row}`);
  }
  await run(
    sql`update tickets set integration_id = ${id}, use_integration = true where id = ${ticket.id}`,
  );
  expect((await admin.delete(`${path}/${id}`)).status).toBe(200);
  expect(
    await run(
      sql`select use_integration as use, integration_id as id from tickets where id = ${ticket.id}`,
    ),
  ).toEqual([{ use: false, id: null }]);
});

test("keys and secrets are sealed; a secret is shown on demand and renewed", async () => {
  const { admin, agent, add } = await office();
  const fields = { type: "dialogflow", projectName: "loja", language: "pt-BR", urlN8N: "" };
  const made = await add({ ...fields, jsonContent: key.text });
  expect(made.jsonContent).toBe(key.email);
  // The same key stays, whatever else changes.
  const changed = await admin.put<Integration>(`${path}/${made.id}`, {
    language: "en",
    jsonContent: "",
  });
  expect(changed.body).toMatchObject({ language: "en", jsonContent: key.email });
  const [row] = await app.app.db.acrossCompanies((tx) =>
    tx.query<{ text: string }>(
      sql`select encode(json_content, 'escape') || encode(secret, 'escape') as text from integrations where id = ${made.id}`,
    ),
  );
  expect(row?.text).not.toContain("PRIVATE KEY");

  const secretPath = `${path}/${made.id}/secret`;
  const { secret } = (await admin.get<{ secret: string }>(secretPath)).body;
  expect(secret).toMatch(/^whsec_[\w+/]{43}=$/);
  const renewed = (await admin.post<{ secret: string }>(secretPath)).body;
  expect(renewed.secret).not.toBe(secret);
  expect((await admin.get(secretPath)).body).toEqual(renewed);
  expect(outcome(await app.as(agent).get(secretPath))).toEqual([403, "ERR_NO_PERMISSION"]);
});

test("a test asks once, says what came and stores nothing", async () => {
  const { company, admin, add } = await office();
  const receiver = await startHttpStub(() => ({ status: 204 }));
  const bot = await startTypebotStub();
  google.agent.reply = ({ text }) => ({
    queryResult: { fulfillmentMessages: [{ text: { text: [`Oi: ${text}`] } }, { payload: {} }] },
  });
  const ask = async (fields: object) => {
    const { id } = await add({ name: `Teste ${Math.random()}`, ...fields });
    return (
      await admin.post<ReplyOf<"POST /queueIntegration/:integrationId/test">>(`${path}/${id}/test`)
    ).body;
  };
  const ok = { isOk: true, fault: null, messages: [] };
  expect(await ask({ urlN8N: receiver.url })).toMatchObject({ ...ok, status: 204 });
  expect(JSON.parse(receiver.asked[0]!.body)).toMatchObject({ event: "test" });
  expect(receiver.asked[0]!.headers).toMatchObject({
    ...{ "x-company-id": String(company.id), "webhook-signature": expect.stringMatching(/^v1,/) },
  });

  const failed = { isOk: false, messages: [] };
  const closed = "http://127.0.0.1:61999";
  receiver.answer = () => ({ status: 302, headers: { location: "http://127.0.0.1/" } });
  expect(await ask({ urlN8N: receiver.url })).toMatchObject({
    ...failed,
    ...{ status: 302, fault: "refused-address" },
  });
  receiver.answer = () => null;
  expect(await ask({ urlN8N: receiver.url })).toMatchObject({ ...failed, fault: "no-answer" });
  expect(await ask({ urlN8N: closed })).toMatchObject({ ...failed, fault: "unreachable" });
  expect(await ask({ urlN8N: "http://10.0.0.1" })).toMatchObject({
    ...failed,
    ...{ status: null, fault: "refused-address" },
  });

  bot.flow.start = () => ({ messages: [paragraph("Olá, sou a Bia")] });
  const typebot = { type: "typebot", typebotSlug: "loja", urlN8N: `${bot.url}/` };
  expect(await ask(typebot)).toMatchObject({ ...ok, messages: ["Olá, sou a Bia"] });
  bot.flow.start = () => 404;
  expect(await ask(typebot)).toMatchObject({ ...failed, status: 404, fault: null });

  const agent = {
    type: "dialogflow",
    projectName: "loja",
    language: "pt-BR",
    jsonContent: key.text,
  };
  expect(await ask(agent)).toMatchObject({ ...ok, messages: ["Oi: Ola"] });
  expect(
    (await admin.get<ReplyOf<"GET /integration-deliveries">>("/integration-deliveries")).body,
  ).toEqual({
    ...{ deliveries: [], hasMore: false, failed: 0 },
  });
});

test("testSession asks a Dialogflow agent with the given or the stored key", async () => {
  const { admin, add } = await office();
  google.agent.reply = () => ({
    queryResult: { fulfillmentMessages: [{ text: { text: ["Oi"] } }] },
  });
  const ask = (body: object) =>
    admin.post(`${path}/testSession`, { projectName: "loja", language: "pt-BR", ...body });
  expect((await ask({ jsonContent: key.text })).body).toEqual({ messages: ["Oi"] });
  expect(google.asked.at(-1)?.path).toBe(
    "/v2/projects/loja/agent/sessions/TestSession:detectIntent",
  );

  const fields = {
    type: "dialogflow",
    projectName: "loja",
    language: "pt-BR",
    jsonContent: key.text,
  };
  const { id } = await add(fields);
  expect((await ask({ jsonContent: "", integrationId: id })).body).toEqual({ messages: ["Oi"] });
  expect(outcome(await ask({ jsonContent: "", integrationId: id + 100_000 }))).toEqual([
    404,
    "ERR_NO_DIALOG_FOUND",
  ]);
  // The exchange checks the signature: another key of the same account is refused.
  const stranger = newServiceAccount("loja");
  for (const jsonContent of ["", "{", stranger.text]) {
    expect(outcome(await ask({ jsonContent }))).toEqual([400, "ERR_TEST_SESSION_DIALOG"]);
  }
  google.agent.reply = () => ({ queryResult: {} });
  expect(outcome(await ask({ jsonContent: key.text }))).toEqual([400, "ERR_TEST_REPLY_DIALOG"]);
});
