import type { ApiCall, ApiScope, McpToolName } from "@balcao/contract";
import { limits, mcpTools } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import { createDesk, tokenOf } from "./testing/programs.ts";

const PER_MINUTE = 100;
const PAGE = "https://chat.loja.example";
const PRESENT = "2026-07-28";
const SUPPORTED = [PRESENT, "2025-11-25", "2025-06-18", "2025-03-26"];

let app: TestApp;
let desk: Awaited<ReturnType<typeof createDesk>>;
beforeAll(async () => {
  app = await testApp({
    channelSettings: { lookEveryMs: 100 },
    environment: {
      BALCAO_API_REQUESTS_PER_MINUTE: String(PER_MINUTE),
      BALCAO_FRONTEND_ORIGINS: PAGE,
    },
  });
  desk = await createDesk(app);
});

type Rpc = { result?: Record<string, unknown>; error?: { code: number; data?: unknown } };
type Result = {
  structuredContent: Record<string, unknown>;
  content: { text: string }[];
  isError?: boolean;
};

async function post(token: string, body: string, headers: Record<string, string> = {}) {
  const reply = await fetch(`${app.url}/api/mcp`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
    body,
  });
  const text = await reply.text();
  const answer = (text === "" ? null : JSON.parse(text)) as (Rpc & { code?: string }) | null;
  return { status: reply.status, answer, headers: reply.headers };
}

/** An assistant of an older revision, as most are. */
function createAssistant(token: string) {
  const ask = (method: string, params?: object, headers?: Record<string, string>) =>
    post(token, JSON.stringify({ jsonrpc: "2.0", id: 7, method, params }), headers);
  return {
    ask,
    async call(name: McpToolName, args: object = {}): Promise<Result> {
      const { status, answer } = await ask("tools/call", { name, arguments: args });
      expect([status, answer]).toEqual([200, expect.objectContaining({ id: 7 })]);
      return answer?.result as Result; // by the protocol
    },
    async tools(): Promise<{ name: string; annotations: object; inputSchema: object }[]> {
      return (await ask("tools/list")).answer?.result?.["tools"] as never;
    },
  };
}

const assistantOf = async (wish: Parameters<typeof tokenOf>[2] = {}, { admin } = desk) =>
  createAssistant((await tokenOf(app, admin, wish)).token);

test("an older client begins with a handshake, a present one says its version in each message", async () => {
  const { ask } = await assistantOf();
  const serverInfo = { name: "balcao", title: "Balcão", version: expect.any(String) };
  for (const [asked, given] of [
    ["2025-06-18", "2025-06-18"],
    ["1999-01-01", "2025-11-25"],
  ]) {
    const { answer } = await ask("initialize", { protocolVersion: asked, capabilities: {} });
    const result = { protocolVersion: given, capabilities: { tools: {} }, serverInfo };
    expect(answer).toMatchObject({ jsonrpc: "2.0", id: 7, result });
  }
  expect((await ask("ping")).answer).toEqual({ jsonrpc: "2.0", id: 7, result: {} });
  const meta = { "io.modelcontextprotocol/protocolVersion": PRESENT };
  const _meta = { ...meta, "io.modelcontextprotocol/clientCapabilities": {} };
  const headersOf = (method: string, name = {}) => ({
    ...{ "mcp-protocol-version": PRESENT, "mcp-method": method, ...name },
  });
  const discovered = await ask("server/discover", { _meta }, headersOf("server/discover"));
  expect(discovered.answer?.result).toMatchObject({
    ...{ resultType: "complete", supportedVersions: SUPPORTED, cacheScope: "private" },
    _meta: { "io.modelcontextprotocol/serverInfo": serverInfo },
  });
  const params = { _meta, name: "list_queues" };
  const name = { "mcp-name": "=?base64?bGlzdF9xdWV1ZXM=?=" };
  const called = await ask("tools/call", params, headersOf("tools/call", name));
  expect(called.answer?.result).toMatchObject({ resultType: "complete", structuredContent: {} });

  for (const [method, body, headers, status, code] of [
    ["tools/call", params, headersOf("tools/call"), 400, -32_020],
    ["tools/list", { _meta }, headersOf("ping"), 400, -32_020],
    ["tools/list", { _meta: meta }, headersOf("tools/list"), 400, -32_602],
    ["ping", { _meta }, headersOf("ping"), 404, -32_601],
    ["tools/list", {}, { "mcp-protocol-version": "2030-01-01" }, 400, -32_022],
    ["prompts/list", {}, {}, 200, -32_601],
    ["tools/call", { name: "drop_all" }, {}, 200, -32_602],
  ] as const) {
    const refused = await ask(method, body, headers);
    expect([refused.status, refused.answer?.error?.code]).toEqual([status, code]);
  }
  const wrong = await ask("tools/list", {}, { "mcp-protocol-version": "2030-01-01" });
  expect(wrong.answer?.error?.data).toEqual({ supported: SUPPORTED, requested: "2030-01-01" });
});

test("what is no single message is refused, and so are other methods, tokens, pages and sizes", async () => {
  const { token } = await tokenOf(app, desk.admin);
  const ping = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
  const told = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" });
  expect(await post(token, told)).toMatchObject({ status: 202, answer: null });
  for (const body of [`[${ping}]`, '{"id":1}', '{"jsonrpc":"2.0","id":null,"method":"ping"}']) {
    expect(await post(token, body)).toMatchObject({
      status: 400,
      answer: { code: "ERR_INVALID_REQUEST" },
    });
  }
  const tooLarge = `"${"x".repeat(limits.jsonBodyBytes)}"`;
  const cases = [
    [token, "{", {}, 400, "ERR_INVALID_REQUEST"],
    [token, tooLarge, {}, 413, "ERR_BODY_TOO_LARGE"],
    [`${token}x`, ping, {}, 401, "ERR_INVALID_TOKEN"],
    [token, ping, { origin: "https://evil.example" }, 403, "ERR_NO_PERMISSION"],
  ] as const;
  for (const [given, body, headers, status, code] of cases) {
    expect(await post(given, body, headers)).toMatchObject({ status, answer: { code } });
  }
  expect((await post(token, ping, { origin: PAGE })).status).toBe(200);
  for (const method of ["GET", "DELETE"]) {
    const reply = await fetch(`${app.url}/api/mcp`, { method });
    expect([reply.status, reply.headers.get("allow")]).toEqual([405, "POST"]);
  }
});

test("an assistant sees the tools of its scopes, and each refusal names what is missing", async () => {
  const every: readonly ApiScope[] = [...new Set(mcpTools.flatMap(({ scopes }) => scopes))];
  const all = await (await assistantOf()).tools();
  expect(all.map(({ name }) => name)).toEqual(mcpTools.map(({ name }) => name));
  expect(all.find(({ name }) => name === "transfer_ticket")).toMatchObject({
    annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
    inputSchema: {
      required: ["ticketId", "queueId"],
      properties: { ticketId: { type: "integer", description: "The conversation's ticketId" } },
    },
  });
  for (const missing of every) {
    const without = await assistantOf({ scopes: every.filter((scope) => scope !== missing) });
    const needing = mcpTools.filter(({ scopes }) => scopes.some((scope) => scope === missing));
    const listed = (await without.tools()).map(({ name }) => name);
    expect(listed).toEqual(
      all.map(({ name }) => name).filter((name) => !needing.some((one) => one.name === name)),
    );
    const refused = await without.call(needing[0]?.name ?? "list_tags");
    expect(refused).toMatchObject({
      ...{ isError: true, structuredContent: { code: "ERR_API_SCOPE", data: { scope: missing } } },
      content: [{ text: expect.stringContaining(missing) }],
    });
  }
});

test("an assistant finds, reads, tags, transfers, drafts and sends, by the product's own rules", async () => {
  const { company, admin, connectionId } = desk;
  const queueId = await app.given.queue({ company, name: "Suporte" });
  const ticket = await app.given.ticket({ company, connectionId });
  await app.given.message(ticket, { body: "Cadê meu pedido 88213?", fromMe: false });
  await app.given.message(ticket, { body: "x".repeat(limits.mcpTextMax + 1), fromMe: false });
  const { id: ticketId } = ticket;
  const name = "Assistente";
  const { call } = await assistantOf({ name });
  const tag = await app
    .as(admin)
    .post<{ id: number }>("/tags", { name: "Atraso", color: "#aa0000" });
  const tagId = tag.body.id;

  const found = await call("search_conversations", { text: "88213" });
  expect(found).toMatchObject({
    content: [
      { text: expect.stringMatching(/never instructions/) },
      { text: expect.stringContaining("{") },
    ],
    structuredContent: { tickets: [{ id: ticketId }], nextCursor: null },
  });
  expect(await call("list_queues")).toMatchObject({
    structuredContent: { queues: [{ id: queueId, name: "Suporte" }] },
  });
  expect(await call("list_tags")).toMatchObject({ structuredContent: { tags: [{ id: tagId }] } });
  expect(await call("tag_ticket", { ticketId, tagIds: [tagId] })).toMatchObject({
    structuredContent: { ticket: { tags: [{ id: tagId }] } },
  });
  const note = "Pediu o rastreio.";
  expect(await call("transfer_ticket", { ticketId, queueId, note })).toMatchObject({
    structuredContent: { ticket: { status: "pending", queue: { id: queueId } } },
  });
  for (const filter of [{ tagId }, { queueId }, { status: "pending", tagId, queueId, limit: 1 }]) {
    expect(await call("search_conversations", filter)).toMatchObject({
      structuredContent: { tickets: [{ id: ticketId }] },
    });
  }
  const read = await call("read_conversation", { ticketId });
  expect(read.structuredContent).toMatchObject({
    ticket: { id: ticketId, contact: { id: ticket.contactId } },
    messages: [
      { body: `${"x".repeat(limits.mcpTextMax)} […]` },
      { body: "Cadê meu pedido 88213?" },
    ],
  });
  const proposed = await call("draft_reply", { ticketId, text: "Saiu hoje." });
  expect(proposed.structuredContent).toEqual({ ticketId, keptAs: "note" });
  const notes = await app.as(admin).get(`/ticket-notes/list?ticketId=${ticketId}`);
  expect(notes.body).toMatchObject([
    { note: "Sugestão de resposta:\nSaiu hoje.", user: { name } },
    { note },
  ]);
  const message = { ticketId, text: "Chega amanhã.", idempotencyKey: `rastreio-${ticketId}` };
  const sent = await call("send_message", message);
  expect(sent.structuredContent).toMatchObject({ ticketId, messageIds: [expect.any(String)] });
  expect(await call("send_message", message)).toEqual(sent);
  const again = await call("send_message", { ...message, text: "Chega hoje." });
  expect(again.structuredContent).toMatchObject({ code: "ERR_IDEMPOTENCY_KEY_REUSED" });

  // Everything stands in the log, refusals with their code.
  const log = await app.as(admin).get<{ calls: ApiCall[] }>("/api-calls");
  const own = log.body.calls.filter(({ tokenName }) => tokenName === name);
  expect(own.slice(0, 3)).toMatchObject([
    { call: "POST /mcp send_message", status: 409, code: "ERR_IDEMPOTENCY_KEY_REUSED" },
    { call: "POST /mcp send_message", status: 200, code: null },
    { call: "POST /mcp send_message", status: 200, code: null },
  ]);
});

test("a personal token drafts in its owner's composer, never over what is there", async () => {
  const { admin, company } = desk;
  const { id: ticketId } = await app.given.ticket({ company });
  const { call } = await assistantOf({ kind: "user" });
  const text = "Bom dia! Já verifico.";
  for (let time = 0; time < 2; time += 1) {
    expect((await call("draft_reply", { ticketId, text })).structuredContent).toEqual({
      ...{ ticketId, keptAs: "draft" },
    });
  }
  expect((await app.as(admin).get(`/drafts/${ticketId}`)).body).toMatchObject({ body: text });
  await app.as(admin).put(`/drafts/${ticketId}`, { body: "Já escrevo eu." });
  const refused = await call("draft_reply", { ticketId, text });
  expect(refused).toMatchObject({ isError: true, structuredContent: { code: "ERR_DRAFT_EXISTS" } });
  expect((await app.as(admin).get(`/drafts/${ticketId}`)).body).toMatchObject({
    body: "Já escrevo eu.",
  });
});

test("wrong arguments and what the token does not see are results that say so", async () => {
  const company = await app.given.company();
  const other = await app.given.ticket({ company });
  const { company: own, admin } = desk;
  const { id: ticketId } = await app.given.ticket({ company: own });
  const { call } = await assistantOf();
  const foreign = { ticketId: other.id };
  for (const [name, args, code] of [
    ["read_conversation", foreign, "ERR_NO_TICKET_FOUND"],
    ["tag_ticket", { ...foreign, tagIds: [] }, "ERR_NO_TICKET_FOUND"],
    ["transfer_ticket", { ...foreign, queueId: 1 }, "ERR_NO_TICKET_FOUND"],
    ["draft_reply", { ...foreign, text: "Olá" }, "ERR_NO_TICKET_FOUND"],
    ["send_message", { ...foreign, text: "Olá" }, "ERR_NO_TICKET_FOUND"],
    ["transfer_ticket", { ticketId, queueId: 999_999 }, "ERR_QUEUE_NOT_FOUND"],
    ["search_conversations", { limit: 51 }, "ERR_INVALID_REQUEST"],
    ["search_conversations", { cursor: "abc" }, "ERR_CURSOR_INVALID"],
    [
      "send_message",
      { ticketId, text: "x".repeat(limits.messageBodyMax + 1) },
      "ERR_INVALID_REQUEST",
    ],
    ["draft_reply", { ticketId: "1", text: "Olá" }, "ERR_INVALID_REQUEST"],
  ] as const) {
    expect(await call(name, args)).toMatchObject({ isError: true, structuredContent: { code } });
  }
  const limited = await assistantOf({ kind: "user" });
  await app.database.db.acrossCompanies((tx) =>
    tx.query(sql`update users set profile = 'user' where id = ${admin.id}`),
  );
  expect(await limited.call("read_conversation", { ticketId })).toMatchObject({
    ...{ isError: true, structuredContent: { code: "ERR_TICKET_FORBIDDEN" } },
  });
});

test("a flood of tool calls is refused with the time to wait", async () => {
  const company = await app.given.company();
  const admin = await app.given.admin({ company });
  const { token } = await tokenOf(app, admin);
  const { ask } = createAssistant(token);
  await Promise.all(Array.from({ length: PER_MINUTE }, () => ask("ping")));
  const refused = await ask("ping");
  expect([refused.status, refused.answer?.code]).toEqual([429, "ERR_TOO_MANY_REQUESTS"]);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
});
