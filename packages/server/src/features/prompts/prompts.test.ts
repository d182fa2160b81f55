import type { Prompt } from "@balcao/contract";
import { companyEvent, promptBounds, secretMask } from "@balcao/contract";
import { expect, test } from "vitest";
import { testApp } from "../../testing/app.ts";
import type { GivenUser } from "../../testing/given.ts";
import { unique } from "../../testing/given.ts";
import { instructions, promptBodyOf, storedKeys } from "./testing/agent.ts";
import { startProviderStub } from "./testing/provider-stub.ts";

const stub = await startProviderStub();
const app = await testApp({
  outsideHosts: ["127.0.0.1:*"],
  promptSettings: { callMs: 400, checkMs: 400 },
});
const { given } = app;
const company = await given.company();
const queueId = await given.queue({ company, name: "Trocas" });
const admin = await given.admin({ company });
const agent = await given.agent({ company });

const bodyOf = (apiKey = "ok-1234567890-wxyz") => promptBodyOf(stub.baseUrl, queueId, apiKey);

async function created(change: object = {}, by: GivenUser = admin): Promise<Prompt> {
  const body = { ...bodyOf(), name: `Agente ${unique()}`, ...change };
  const reply = await app.as(by).post<Prompt>("/prompt", body);
  expect([reply.status, reply.body]).toEqual([200, expect.anything()]);
  return reply.body;
}

test("5.21: a new prompt has its defaults, and its key is sealed and shown with its end only", async () => {
  const live = await app.live(agent);
  const heard = live.next(companyEvent(company.id, "prompt"));
  const made = await created({ voiceKey: "voz-0987654321-abcd", priceIn: "2.5", priceOut: 10 });
  expect(made).toMatchObject({
    ...{ companyId: company.id, prompt: instructions, baseUrl: stub.baseUrl, model: "gpt-a" },
    ...{ apiKey: `${secretMask}wxyz`, voiceKey: `${secretMask}abcd`, voice: "texto" },
    ...{ temperature: 1, maxTokens: 200, maxMessages: 6, priceIn: 2.5, priceOut: 10 },
    ...{ dayTokens: promptBounds.dayTokens.default, totalTokens: 0, fault: null },
    ...{ queueId, queue: { id: queueId, name: "Trocas" } },
    usedToday: { tokens: 0, answers: 0 },
  });
  expect(await heard).toEqual({ action: "create", prompt: { id: made.id, name: made.name } });
  const stored = (await storedKeys(app, admin)).map(({ key }) => key.toString("latin1"));
  expect(stored.join()).not.toContain("1234567890");
  const shown = await app.as(admin).get(`/prompt/${made.id}`);
  expect(shown.body).toEqual(made);
});

test("4.2: those who may not manage prompts get ids, names and queues, and nothing else", async () => {
  const made = await created({ name: "Somente o nome" });
  const list = await app.as(agent).get<{ prompts: Prompt[] }>("/prompt?searchParam=somente");
  expect(list.body).toMatchObject({ count: 1, hasMore: false });
  expect(list.body.prompts[0]).toMatchObject({
    ...{ id: made.id, name: "Somente o nome", queue: { id: queueId }, prompt: "", apiKey: "" },
    ...{ baseUrl: "", model: "", voiceKey: "", maxTokens: 0 },
  });
  expect(JSON.stringify(list.body)).not.toContain("wxyz");
  expect(await app.as(agent).get(`/prompt/${made.id}`)).toMatchObject({ status: 403 });
});

test("4.3: the list is an empty page for a company without the plan", async () => {
  const poor = await given.agent({ company: await given.company({ plan: { useOpenAi: false } }) });
  const reply = await app.as(poor).get("/prompt?pageNumber=1&searchParam=");
  expect([reply.status, reply.body]).toEqual([200, { prompts: [], count: 0, hasMore: false }]);
});

test.each<[what: string, change: object, create: string, update: string | null]>([
  ["a short name", { name: "Lia" }, "ERR_PROMPT_NAME_INVALID", "ERR_PROMPT_NAME_INVALID"],
  [
    "no name comes first",
    { name: "", prompt: "" },
    "ERR_PROMPT_NAME_INVALID",
    "ERR_PROMPT_NAME_INVALID",
  ],
  [
    "a short text",
    { prompt: "Responda." },
    "ERR_PROMPT_INTELLIGENCE_INVALID",
    "ERR_PROMPT_PROMPT_INVALID",
  ],
  ["no key", { apiKey: "" }, "ERR_PROMPT_APIKEY_INVALID", "ERR_PROMPT_APIKEY_INVALID"],
  [
    "a key that no header carries",
    { apiKey: "chave\nx: y" },
    "ERR_PROMPT_APIKEY_INVALID",
    "ERR_PROMPT_APIKEY_INVALID",
  ],
  ["a masked key", { apiKey: `${secretMask}wxyz` }, "ERR_PROMPT_APIKEY_INVALID", null],
  ["no queue", { queueId: "" }, "ERR_PROMPT_QUEUEID_INVALID", "ERR_PROMPT_QUEUEID_INVALID"],
  ["an unknown queue", { queueId: 2_000_000_000 }, "ERR_QUEUE_NOT_FOUND", "ERR_QUEUE_NOT_FOUND"],
  [
    "no history",
    { maxMessages: "" },
    "ERR_PROMPT_MAX_MESSAGES_INVALID",
    "ERR_PROMPT_MAX_MESSAGES_INVALID",
  ],
  [
    "a long history",
    { maxMessages: 51 },
    "ERR_PROMPT_MAX_MESSAGES_INVALID",
    "ERR_PROMPT_MAX_MESSAGES_INVALID",
  ],
  [
    "an address of no service",
    { baseUrl: "ftp://a.example" },
    "ERR_PROMPT_ADDRESS_INVALID",
    "ERR_PROMPT_APIKEY_INVALID",
  ],
  [
    "the key's service is another one",
    { baseUrl: "https://ladrao.example", apiKey: `${secretMask}wxyz` },
    "ERR_PROMPT_APIKEY_INVALID",
    "ERR_PROMPT_APIKEY_INVALID",
  ],
])("7.5: %s is refused", async (_what, change, create, update) => {
  const codeOf = async (asked: Promise<{ body: unknown }>) =>
    Reflect.get((await asked).body as object, "code") ?? null;
  expect(await codeOf(app.as(admin).post("/prompt", { ...bodyOf(), ...change }))).toBe(create);
  const { id } = await created();
  expect(await codeOf(app.as(admin).put(`/prompt/${id}`, change))).toBe(update);
});

test("5.21: a change keeps what it leaves out and a masked key, and a new key ends the fault", async () => {
  const { id } = await created({ apiKey: "refused-1234567890" });
  const put = (body: object) => app.as(admin).put<Prompt>(`/prompt/${id}`, body);
  const kept = await put({ name: "Outro nome", apiKey: `${secretMask}7890`, voiceKey: null });
  expect(kept.body).toMatchObject({
    name: "Outro nome",
    apiKey: `${secretMask}7890`,
    maxTokens: 200,
  });
  const check = (apiKey: string, other: object = {}) =>
    app.as(admin).post<{ models: string[] }>("/prompt/check", {
      ...{ baseUrl: stub.baseUrl, model: "gpt-a", apiKey, promptId: id, ...other },
    });
  expect(await check(secretMask)).toMatchObject({ body: { code: "ERR_PROMPT_KEY_REFUSED" } });
  expect(await check("ok-novo")).toMatchObject({ body: { models: ["gpt-a", "gpt-b"] } });
  // The stored key goes nowhere else.
  const elsewhere = await check(secretMask, { baseUrl: "http://127.0.0.1:1/v1" });
  expect(elsewhere.body).toMatchObject({ code: "ERR_PROMPT_APIKEY_INVALID" });
  expect(stub.requests.map(({ key }) => key)).toContain("refused-1234567890");
});

test("7.5: a prompt that a connection or queue uses is not deleted; afterwards it is", async () => {
  const { id } = await created();
  const connectionId = await given.connection({ company });
  const remove = () => app.as(admin).delete(`/prompt/${id}`);
  const use = (path: string, body: object) => app.as(admin).put(path, body);
  const inUse = { status: 400, body: { code: "ERR_PROMPT_IN_USE" } };
  await use(`/whatsapp/${connectionId}`, { promptId: id });
  expect(await remove()).toMatchObject(inUse);
  await use(`/whatsapp/${connectionId}`, { promptId: "" });
  await use(`/queue/${queueId}`, { promptId: id });
  expect(await remove()).toMatchObject(inUse);
  const shown = await app.as(admin).get<Prompt>(`/prompt/${id}`);
  expect(shown.body.usedBy).toEqual({ connections: [], queues: [{ id: queueId, name: "Trocas" }] });
  await use(`/queue/${queueId}`, { promptId: null });
  // A connection that was deleted uses nothing any more.
  await use(`/whatsapp/${connectionId}`, { promptId: id });
  await app.as(admin).delete(`/whatsapp/${connectionId}`);
  expect(await remove()).toMatchObject({ status: 200, body: { message: "Prompt deleted" } });
  expect(await remove()).toMatchObject({ status: 404, body: { code: "ERR_NO_PROMPT_FOUND" } });
});

test.each(["/queue", "/whatsapp"])("5.21: %s has one helper, of the own company", async (path) => {
  const prompt = await created();
  const url = "https://fluxo.example/gancho";
  const made = await app.as(admin).post<{ id: number }>("/queueIntegration", {
    ...{ type: "webhook", name: `Gancho ${unique()}`, urlN8N: url },
  });
  const integrationId = made.body.id;
  const owner = path === "/queue" ? queueId : await given.connection({ company });
  const set = async (body: object) => {
    const { body: after } = await app.as(admin).put<object>(`${path}/${owner}`, body);
    return ["promptId", "integrationId", "code"].map((field) => Reflect.get(after, field) ?? null);
  };
  expect(await set({ promptId: prompt.id })).toEqual([prompt.id, null, null]);
  expect(await set({ name: `Nome ${unique()}` })).toEqual([prompt.id, null, null]);
  expect(await set({ integrationId: String(integrationId) })).toEqual([null, integrationId, null]);
  expect(await set({ promptId: prompt.id, integrationId })).toEqual([prompt.id, null, null]);
  expect(await set({ promptId: "", integrationId: "" })).toEqual([null, null, null]);
  expect(await set({ promptId: 2_000_000_000 })).toEqual([null, null, "ERR_NO_PROMPT_FOUND"]);
  expect(await set({ integrationId: 2_000_000_000 })).toEqual([null, null, "ERR_NO_DIALOG_FOUND"]);
});

const question = [
  { from: "customer", text: "Oi" },
  { from: "prompt", text: "Olá!" },
  { from: "customer", text: "Tem troca?" },
];
const attempt = (apiKey: string, rest: object = {}) =>
  app.as(admin).post<Record<string, unknown>>("/prompt/try", {
    ...{ prompt: { ...bodyOf(apiKey), priceIn: 1, priceOut: 100 }, conversation: question },
    ...rest,
  });

test("a trial answers as the form says, without a customer, with its tokens and costs", async () => {
  const { body } = await attempt("ok-trial");
  expect(body).toEqual({
    ...{ text: "Temos sim, por R$ 10.", handOver: false, reason: null, tokens: 120 },
    ...{ cost: expect.closeTo(0.0021, 6), tookMs: expect.any(Number), sources: [] },
  });
  const [asked] = stub.chatsOf("ok-trial");
  expect(asked?.body).toMatchObject({ model: "gpt-a", max_tokens: 200, temperature: 1 });
  expect(asked?.body.messages?.map(({ role }) => role)).toEqual([
    "system",
    "user",
    "assistant",
    "user",
  ]);
  expect(asked?.body.messages?.[0]?.content).toContain(instructions);
});

test("with the knowledge base, a trial is given what fits the last question, and names its sources", async () => {
  const item = {
    kind: "question",
    title: "Tem troca?",
    text: "Em 30 dias: https://ajuda.example/trocas",
  };
  const known = await app.as(admin).post<{ id: number }>("/knowledge", item);
  const sources = [{ id: known.body.id, title: item.title }];
  const prompt = { ...bodyOf("ok-knowledge"), useKnowledge: true };
  const { body } = await attempt("", { prompt });
  expect(body).toMatchObject({ sources });
  expect(stub.chatsOf("ok-knowledge")[0]?.body.messages?.[0]?.content).toContain(
    JSON.stringify({ titulo: item.title, texto: item.text }),
  );
  expect((await created({ useKnowledge: true })).useKnowledge).toBe(true);
});

test("its tokens count as a test of the stored prompt, whose budget holds", async () => {
  const { id } = await created({ apiKey: "ok-budget-1234", dayTokens: 200 });
  const tried = () => attempt(secretMask, { promptId: id, prompt: { apiKey: secretMask } });
  expect(await tried()).toMatchObject({ status: 200 });
  expect(await tried()).toMatchObject({ status: 200 });
  expect(await tried()).toMatchObject({ status: 400, body: { code: "ERR_PROMPT_BUDGET_USED" } });
  const shown = await app.as(admin).get<Prompt>(`/prompt/${id}`);
  expect(shown.body).toMatchObject({
    ...{ usedToday: { tokens: 240, answers: 0 }, usedThisMonth: { tokens: 240 } },
    ...{ promptTokens: 200, completionTokens: 40, totalTokens: 240 },
  });
});

test.each<[what: string, key: string, reply: object]>([
  [
    "a tool call hands over with its reason",
    "tool",
    { text: "", handOver: true, reason: "quer uma pessoa" },
  ],
  [
    "the words at the start hand over",
    "words",
    { text: "Já chamo alguém, Ana.", handOver: true, reason: null },
  ],
  [
    "a text that was cut ends with a whole sentence",
    "cut",
    { text: "Abrimos às nove. Fechamos às dezoito.", handOver: false },
  ],
  [
    "links that the company does not name are left out",
    "link",
    { text: "Veja aqui ou https://loja.example/troca" },
  ],
  [
    "a service that knows neither the old limit nor tools is asked in its own way",
    "modern",
    { text: "Olá!" },
  ],
  ["a refused key", "refused", { code: "ERR_PROMPT_KEY_REFUSED" }],
  ["no credit", "quota", { code: "ERR_PROMPT_NO_CREDIT" }],
  ["too many requests", "busy", { code: "ERR_PROMPT_RATE_LIMITED" }],
  ["an unknown model", "unknown", { code: "ERR_PROMPT_MODEL_UNKNOWN" }],
  ["a redirect", "elsewhere", { code: "ERR_PROMPT_ADDRESS_INVALID" }],
  ["an error of the service", "broken", { code: "ERR_PROMPT_BAD_REPLY" }],
  ["a page in place of an answer", "html", { code: "ERR_PROMPT_BAD_REPLY" }],
  ["half an answer", "halfJson", { code: "ERR_PROMPT_BAD_REPLY" }],
  ["no answer in it", "empty", { code: "ERR_PROMPT_BAD_REPLY" }],
  ["an empty answer", "silent", { code: "ERR_PROMPT_BAD_REPLY" }],
  ["eleven million bytes", "huge", { code: "ERR_PROMPT_BAD_REPLY" }],
  ["no answer in time", "hang", { code: "ERR_PROMPT_NO_ANSWER" }],
])("the provider: %s", async (_what, key, reply) => {
  expect((await attempt(key)).body).toMatchObject(reply);
});

test("a private address is not asked", async () => {
  const baseUrl = "http://10.0.0.1/v1";
  const reply = await attempt("ok", { prompt: { ...bodyOf("ok"), baseUrl } });
  expect(reply.body).toMatchObject({ code: "ERR_PROMPT_ADDRESS_INVALID" });
});
