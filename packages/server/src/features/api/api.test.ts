import type { ApiCall, ApiContact, ApiTicket, ApiToken } from "@balcao/contract";
import { API_COMPANY_FACTOR, apiScopes } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import { unique } from "../../testing/given.ts";
import { sweepCallsAcrossCompanies } from "./calls.ts";
import { createDesk, createProgram, giveConnectionToken, tokenOf } from "./testing/programs.ts";

const PER_MINUTE = 60;

let app: TestApp;
let desk: Awaited<ReturnType<typeof createDesk>>;
beforeAll(async () => {
  app = await testApp({
    channelSettings: { lookEveryMs: 100 },
    environment: { BALCAO_API_REQUESTS_PER_MINUTE: String(PER_MINUTE) },
  });
  desk = await createDesk(app);
});

type Page<T> = { data: T[]; nextCursor: string | null };
const change = (statement: ReturnType<typeof sql>) =>
  app.database.db.acrossCompanies((tx) => tx.query(statement));
const newPhone = (): string => `55119${String(60_000_000 + unique())}`;
const tokens = async (user = desk.admin) =>
  (await app.as(user).get<{ tokens: ApiToken[]; connections: object[] }>("/api-tokens")).body;

async function newDesk() {
  const company = await app.given.company();
  return { company, admin: await app.given.admin({ company, name: "Bia" }) };
}

test("a token is shown once, works, says when and from where it was used, and is worth nothing once revoked", async () => {
  const { admin, company } = await newDesk();
  const connectionId = await app.given.connection({ company, name: "Vendas", linked: false });
  await giveConnectionToken(app, connectionId, `${company.id}-legado`);
  const made = await app.as(admin).post<ApiToken & { token: string }>("/api-tokens", {
    ...{ name: "ERP", kind: "company", scopes: ["queues:read", "tags:read", "queues:read"] },
  });
  const { token, ...row } = made.body;
  expect(token).toMatch(/^blc_live_[0-9A-Za-z]{43}$/);
  expect(row).toMatchObject({
    ...{ name: "ERP", kind: "company", user: null, end: token.slice(-4), lastUsedAt: null },
    ...{ scopes: ["tags:read", "queues:read"], createdBy: { id: admin.id, name: "Bia" } },
  });
  expect(JSON.stringify(await tokens(admin))).not.toContain(token);
  const program = createProgram(app, token);
  expect((await program("GET", "/v1/queues")).status).toBe(200);
  expect(await tokens(admin)).toMatchObject({
    tokens: [{ id: row.id, lastUsedFrom: "127.0.0.1", lastUsedAt: expect.any(String) }],
    connections: [{ connectionId, name: "Vendas", end: "gado", lastUsedAt: null }],
  });

  await app.as(admin).delete(`/api-tokens/${row.id}`);
  expect((await program("GET", "/v1/queues")).status).toBe(401);
  expect((await app.as(admin).delete(`/api-tokens/${row.id}`)).status).toBe(404);
  const stored = await change(sql`select count(*)::int as n from api_tokens where hash = ${token}`);
  expect(stored).toEqual([{ n: 0 }]);
});

test("a company has 50 tokens at most", async () => {
  const { admin, company } = await newDesk();
  await change(sql`
    insert into api_tokens (company_id, name, hash, "end", scopes)
    select ${company.id}, 'x', ${company.id} || 'x' || n, 'x', '[]' from generate_series(1, 50) n`);
  const body = { name: "Mais um", kind: "company", scopes: ["tags:read"] };
  const reply = await app.as(admin).post("/api-tokens", body);
  expect([reply.status, reply.body]).toMatchObject([
    400,
    { code: "ERR_API_TOKEN_LIMIT", data: { max: 50 } },
  ]);
});

test("a token makes only the calls of its scopes", async () => {
  const { admin } = await newDesk();
  const calls: Record<string, [method: string, path: string, json?: object]> = {
    "messages:send": ["POST", "/v1/messages", {}],
    "messages:read": ["GET", "/v1/messages?ticketId=1"],
    "messages:draft": ["POST", "/v1/tickets/1/draft", { body: "Olá" }],
    "contacts:read": ["GET", "/v1/contacts"],
    "contacts:write": ["POST", "/v1/contacts", {}],
    "tickets:read": ["GET", "/v1/tickets"],
    "tickets:write": ["PUT", "/v1/tickets/1", {}],
    "tags:read": ["GET", "/v1/tags"],
    "tags:write": ["PUT", "/v1/tickets/1/tags", { tagIds: [] }],
    "queues:read": ["GET", "/v1/queues"],
    "templates:read": ["GET", "/v1/templates?connectionId=1"],
  };
  expect(Object.keys(calls)).toEqual([...apiScopes]);
  for (const scope of apiScopes) {
    const [method, path, json] = calls[scope] ?? ["", ""];
    const others = apiScopes.filter((one) => one !== scope);
    const without = createProgram(app, (await tokenOf(app, admin, { scopes: others })).token);
    const refused = await without(method, path, { json });
    expect([refused.status, refused.body]).toMatchObject([
      403,
      { code: "ERR_API_SCOPE", data: { scope } },
    ]);
    const only = createProgram(app, (await tokenOf(app, admin, { scopes: [scope] })).token);
    expect((await only(method, path, { json })).body).not.toMatchObject({ code: "ERR_API_SCOPE" });
  }
});

test("a personal token has its owner's present rights; the company's sees all", async () => {
  const { admin, company } = await newDesk();
  const queueId = await app.given.queue({ company });
  const theirs = await app.given.ticket({ company, queueId });
  const hidden = await app.given.ticket({ company, queueId: await app.given.queue({ company }) });
  const own = createProgram(app, (await tokenOf(app, admin, { kind: "user" })).token);
  const all = createProgram(app, (await tokenOf(app, admin)).token);
  const seen = async (program: typeof own) =>
    ((await program("GET", "/v1/tickets")).body as Page<ApiTicket>).data
      .map(({ id }) => id)
      .toSorted((a, b) => a - b);
  const both = [theirs.id, hidden.id].toSorted((a, b) => a - b);
  expect([await seen(own), await seen(all)]).toEqual([both, both]);

  await change(sql`update users set profile = 'user' where id = ${admin.id}`);
  await change(sql`
    insert into user_queues (company_id, user_id, queue_id) values (${company.id}, ${admin.id}, ${queueId})`);
  expect([await seen(own), await seen(all)]).toEqual([[theirs.id], both]);
  const json = { ticketId: hidden.id, body: "Olá" };
  for (const reply of [
    await own("GET", `/v1/tickets/${hidden.id}`),
    await own("GET", `/v1/messages?ticketId=${hidden.id}`),
    await own("PUT", `/v1/tickets/${hidden.id}`, { json: { status: "closed" } }),
    await own("PUT", `/v1/tickets/${hidden.id}/tags`, { json: { tagIds: [] } }),
    await own("POST", "/v1/messages", { json }),
  ]) {
    expect([reply.status, reply.body]).toMatchObject([403, { code: "ERR_TICKET_FORBIDDEN" }]);
  }
  await change(sql`update users set deleted_at = now() where id = ${admin.id}`);
  expect((await own("GET", "/v1/tickets")).status).toBe(401);
});

test("a token of a company without the plan, or that may not work, is refused", async () => {
  const { admin, company } = await newDesk();
  const program = createProgram(app, (await tokenOf(app, admin)).token);
  await change(sql`update companies set due_date = '2024-03-10' where id = ${company.id}`);
  expect((await program("GET", "/v1/tags")).body).toMatchObject({ code: "ERR_NO_PERMISSION" });
  await change(sql`update companies set due_date = null where id = ${company.id}`);
  await change(sql`
    update plans set use_external_api = false where id = (select plan_id from companies where id = ${company.id})`);
  expect((await program("GET", "/v1/tags")).status).toBe(403);
  expect((await app.as(admin).get("/api-tokens")).status).toBe(403);
});

test("tickets are paged without doubles and gaps while others change, and changed as in the product", async () => {
  const { admin, company } = await newDesk();
  const queueId = await app.given.queue({ company });
  const at = (minutes: number) => new Date(Date.UTC(2026, 0, 1, 12, minutes));
  const given = [];
  for (const minutes of [1, 2, 3, 4, 5])
    given.push(await app.given.ticket({ company, at: at(minutes) }));
  const program = createProgram(app, (await tokenOf(app, admin)).token);
  const page = async (query: string) =>
    (await program("GET", `/v1/tickets?${query}`)).body as Page<ApiTicket>;
  const first = await page("limit=2");
  expect(first.data.map(({ id }) => id)).toEqual([given[4]?.id, given[3]?.id]);
  // The oldest becomes the newest: it is not missed by the next reading from the start.
  const moved = given[0]?.id ?? 0;
  const put = await program("PUT", `/v1/tickets/${moved}`, { json: { queueId } });
  expect([put.status, put.body]).toMatchObject([
    200,
    { status: "pending", queue: { id: queueId } },
  ]);
  const second = await page(`limit=2&cursor=${first.nextCursor}`);
  expect(second).toMatchObject({ data: [{ id: given[2]?.id }, { id: given[1]?.id }] });
  expect(second.nextCursor).toBeNull();

  // A program is no user: an open ticket needs one.
  const nobody = await program("PUT", `/v1/tickets/${moved}`, { json: { status: "open" } });
  expect(nobody.body).toMatchObject({ code: "ERR_TICKET_TRANSITION" });
  const json = { status: "open", userId: admin.id };
  expect((await program("PUT", `/v1/tickets/${moved}`, { json })).body).toMatchObject({
    ...{ status: "open", user: { id: admin.id } },
  });
  const closed = await program("PUT", `/v1/tickets/${moved}`, { json: { status: "closed" } });
  expect(closed.body).toMatchObject({ status: "closed" });
  expect((await page("status=closed")).data.map(({ id }) => id)).toEqual([moved]);
  const wrong = await program("GET", "/v1/tickets?cursor=abc");
  expect([wrong.status, wrong.body]).toMatchObject([400, { code: "ERR_CURSOR_INVALID" }]);
});

test("messages come newest first, page by page, and reading them marks nothing", async () => {
  const { admin, company } = await newDesk();
  const ticket = await app.given.ticket({ company });
  for (let place = 1; place <= 21; place += 1) {
    await app.given.message(ticket, {
      ...{ body: `m${place}`, fromMe: place === 21, at: new Date(Date.UTC(2026, 0, 1, 12, place)) },
    });
  }
  const program = createProgram(app, (await tokenOf(app, admin)).token);
  const read = async (cursor = "") =>
    (await program("GET", `/v1/messages?ticketId=${ticket.id}${cursor}`)).body as Page<{
      body: string;
    }>;
  const first = await read();
  expect(first.data).toHaveLength(20);
  expect(first.data.slice(0, 2)).toMatchObject([
    { body: "m21", fromMe: true, type: "text", file: null },
    { body: "m20", state: "received" },
  ]);
  const second = await read(`&cursor=${first.nextCursor}`);
  expect(second).toMatchObject({ data: [{ body: "m1" }], nextCursor: null });
});

test("contacts are made once for a number, changed, found by it and listed by their making", async () => {
  const { admin } = desk;
  const program = createProgram(app, (await tokenOf(app, admin)).token);
  const number = newPhone();
  const json = { name: "Caio", number: `+${number}`, extraInfo: [{ name: "CPF", value: "1" }] };
  const made = await program("POST", "/v1/contacts", { json });
  expect([made.status, made.body]).toMatchObject([
    201,
    {
      name: "Caio",
      number,
      isNew: true,
      optedOut: false,
      extraInfo: [{ name: "CPF", value: "1" }],
    },
  ]);
  const again = await program("POST", "/v1/contacts", { json: { ...json, name: "Outro" } });
  const { id } = made.body as ApiContact;
  expect(again.body).toMatchObject({ id, name: "Caio", isNew: false });
  const unknown = { name: "Nada", number: "5511987650000" };
  expect((await program("POST", "/v1/contacts", { json: unknown })).body).toMatchObject({
    code: "ERR_WAPP_INVALID_CONTACT",
  });
  const changed = await program("PUT", `/v1/contacts/${id}`, {
    json: { email: "caio@loja.example" },
  });
  expect(changed.body).toMatchObject({ name: "Caio", email: "caio@loja.example" });
  expect((await program("GET", `/v1/contacts?number=${number}`)).body).toMatchObject({
    ...{ data: [{ id }], nextCursor: null },
  });
  await program("POST", "/v1/contacts", { json: { name: "Davi", number: newPhone() } });
  const first = (await program("GET", "/v1/contacts?limit=1")).body as Page<ApiContact>;
  const rest = (await program("GET", `/v1/contacts?limit=200&cursor=${first.nextCursor}`))
    .body as Page<ApiContact>;
  const ids = [...first.data, ...rest.data].map((contact) => contact.id);
  expect(ids).toContain(id);
  expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b));
});

test("tags, queues and templates are read, and the tags of a ticket replaced", async () => {
  const { admin, company } = await newDesk();
  const queueId = await app.given.queue({ company, name: "Suporte" });
  const ticket = await app.given.ticket({ company });
  const program = createProgram(app, (await tokenOf(app, admin)).token);
  const ids: number[] = [];
  for (const name of ["Cobrança", "Urgente"]) {
    const { body } = await app.as(admin).post<{ id: number }>("/tags", { name, color: "#aa0000" });
    ids.push(body.id);
  }
  const [first, second] = ids;
  const page = (await program("GET", "/v1/tags?limit=1")).body as Page<{ id: number }>;
  expect(page.data.map(({ id }) => id)).toEqual([first]);
  const rest = await program("GET", `/v1/tags?limit=1&cursor=${page.nextCursor}`);
  expect(rest.body).toMatchObject({ data: [{ id: second }], nextCursor: null });
  const json = { tagIds: [second] };
  const tagged = await program("PUT", `/v1/tickets/${ticket.id}/tags`, { json });
  expect(tagged.body).toMatchObject({ tags: [{ id: second, name: "Urgente" }] });
  const queues = await program("GET", "/v1/queues");
  expect(queues.body).toMatchObject({ data: [{ id: queueId, name: "Suporte" }] });
  const templates = await program("GET", `/v1/templates?connectionId=${ticket.connectionId}`);
  expect(templates.body).toEqual({ data: [], nextCursor: null });
});

test("too many calls of a token are refused with the time to wait, and others go on; a company has five times as many", async () => {
  const { admin } = await newDesk();
  const { token } = await tokenOf(app, admin, { name: "Laço" });
  const program = createProgram(app, token);
  const first = await program("GET", "/v1/tags");
  const limits = ["limit", "remaining", "reset"].map((name) =>
    first.headers.get(`ratelimit-${name}`),
  );
  expect(limits).toEqual([
    String(PER_MINUTE),
    String(PER_MINUTE - 1),
    expect.stringMatching(/^\d+$/),
  ]);
  await Promise.all(Array.from({ length: PER_MINUTE - 1 }, () => program("GET", "/v1/tags")));
  const refused = [await program("GET", "/v1/tags"), await program("GET", "/v1/tags")];
  for (const reply of refused) {
    expect([reply.status, reply.body]).toMatchObject([429, { code: "ERR_TOO_MANY_REQUESTS" }]);
    expect(Number(reply.headers.get("retry-after"))).toBeGreaterThan(0);
  }
  const other = await newDesk();
  const theirs = createProgram(app, (await tokenOf(app, other.admin)).token);
  expect((await theirs("GET", "/v1/tags")).status).toBe(200);
  // The flood is one line of the log.
  const log = await app.as(admin).get<{ calls: ApiCall[] }>("/api-calls?failed=true");
  expect(log.body.calls).toMatchObject([{ status: 429, tokenName: "Laço" }]);

  for (let more = 0; more < API_COMPANY_FACTOR; more += 1) {
    const next = createProgram(app, (await tokenOf(app, admin)).token);
    const replies = await Promise.all(
      Array.from({ length: PER_MINUTE }, async () => (await next("GET", "/v1/tags")).status),
    );
    expect(replies.includes(429)).toBe(more === API_COMPANY_FACTOR - 1);
  }
});

test("the log has each call with its outcome, keeps 30 days, and is the company's own", async () => {
  const { admin, company } = await newDesk();
  const { token, id } = await tokenOf(app, admin, { name: "n8n" });
  const program = createProgram(app, token);
  await program("GET", "/v1/tickets/999999");
  await program("GET", "/v1/queues");
  const log = async (query = "", user = admin) =>
    (await app.as(user).get<{ calls: ApiCall[]; hasMore: boolean }>(`/api-calls?${query}`)).body;
  const { calls } = await log();
  expect(calls).toMatchObject([
    { tokenId: id, tokenName: "n8n", call: "GET /v1/queues", status: 200, code: null },
    { call: "GET /v1/tickets/:ticketId", status: 404, code: "ERR_NO_TICKET_FOUND" },
  ]);
  expect((await log("failed=true")).calls).toEqual([calls[1]]);
  expect((await log(`before=${calls[0]?.id}`)).calls).toEqual([calls[1]]);
  expect((await log(`apiTokenId=${id}`)).calls).toEqual(calls);
  expect((await log("", (await newDesk()).admin)).calls).toEqual([]);
  await app.as(admin).delete(`/api-tokens/${id}`);
  expect((await log()).calls[0]).toMatchObject({ tokenId: null, tokenName: "n8n" });

  await change(sql`
    update api_calls set created_at = now() - interval '31 days'
    where company_id = ${company.id} and call = 'GET /v1/queues'`);
  await sweepCallsAcrossCompanies(app.database.db);
  expect((await log()).calls.map(({ status }) => status)).toEqual([404]);
});

test("one document describes the calls for other programs, and no other", async () => {
  const reply = await app.anonymous.get<{ paths: Record<string, object> }>("/v1/openapi.json");
  expect(reply.status).toBe(200);
  const paths = Object.keys(reply.body.paths);
  expect(paths).toContain("/api/messages/send");
  expect(paths).toContain("/api/v1/tickets/{ticketId}");
  expect(paths.filter((path) => !/^\/api\/(v1\/|messages\/send$)/.test(path))).toEqual([]);
  expect(reply.body).toMatchObject({
    openapi: "3.1.0",
    paths: { "/api/v1/messages": { post: { operationId: "postMessages" } } },
  });
});
