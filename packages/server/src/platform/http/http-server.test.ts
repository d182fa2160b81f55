import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { once } from "node:events";
import { connect } from "node:net";
import { PassThrough, Readable } from "node:stream";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { CompanyId, ConnectionId, Endpoint, UserId } from "@balcao/contract";
import { pino } from "pino";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import type { Authenticator, ReadToken, UserCtx } from "../context.ts";
import { DomainError, systemCtx } from "../context.ts";
import { createMetrics } from "../metrics/metrics.ts";
import { atEndOfFile } from "../../testing/end-of-file.ts";
import type { FindPublicFile } from "./files.ts";
import type { CallShares, RouteHandler } from "./routes.ts";
import type { HttpServer, HttpServerOptions } from "./server.ts";
import { createHttpServer } from "./server.ts";

type Handlers = {
  version?: RouteHandler<"GET /version">;
  login?: RouteHandler<"POST /auth/login">;
  logout?: RouteHandler<"DELETE /auth/logout">;
  me?: RouteHandler<"GET /auth/me">;
  setting?: RouteHandler<"PUT /settings/:key">;
  ticket?: RouteHandler<"GET /tickets/:ticketId">;
  file?: FindPublicFile;
  companies?: CallShares;
  /** Calls that the product does not have. */
  samples?: Record<string, [Endpoint, Parameters<HttpServer["serveEndpoint"]>[2]]>;
};

/** A token is `user-<id>` or `admin-<id>`: who may sign in is not this module's affair. */
const authenticator: Authenticator = {
  identify: async (token) => {
    const id = /^(user|admin)-(\d+)$/.exec(token)?.[2];
    if (id === undefined) return null;
    const tokenVersion = token.startsWith("admin") ? 1 : 0;
    return { companyId: 1 as CompanyId, userId: Number(id) as UserId, tokenVersion };
  },
  knownBrowser: ({ jkb }) => jkb ?? null,
  authorise: async ({ companyId, userId, tokenVersion }, _call, requestId): Promise<UserCtx> => ({
    companyId,
    requestId,
    actor: {
      kind: "user",
      userId,
      name: "Ana",
      profile: tokenVersion === 1 ? "admin" : "user",
      super: false,
      seesNoQueue: false,
      queueIds: [],
      ownerlessQueueIds: [],
      plan: {
        useCampaigns: true,
        useKanban: true,
        useOpenAi: true,
        useIntegrations: true,
        useSchedules: false,
        useInternalChat: true,
        useExternalApi: true,
      },
    },
  }),
  reload: async () => null,
};

const noPlan = { useCampaigns: false, useKanban: false, useOpenAi: false, useIntegrations: false };

/** A token is `with` or `without` the plan's flag. */
const readConnectionToken: ReadToken = async (token, requestId) => {
  if (token !== "with" && token !== "without") return null;
  const useExternalApi = token === "with";
  return {
    ctx: {
      ...systemCtx(7 as CompanyId, "API", requestId),
      token: { id: null, connectionId: 3 as ConnectionId, name: "Vendas", scopes: null },
    },
    plan: { ...noPlan, useSchedules: false, useInternalChat: false, useExternalApi },
  };
};

type Line = Record<string, unknown> & { msg: string };

async function started(
  handlers: Handlers = {},
  options: Partial<HttpServerOptions> = {},
  whenDone: (close: () => Promise<void>) => void = onTestFinished,
) {
  const lines: Line[] = [];
  const log = pino({ level: "debug" }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const http = await createHttpServer({
    options: {
      frontendOrigins: [],
      trustProxy: false,
      metricsToken: null,
      requestLimits: { perMinute: 60_000, authPerMinute: 60_000 },
      webRoot: null,
      version: "1.2.3",
      maxEventLoopDelayMs: 0,
      ...options,
    },
    log,
    metrics: createMetrics(),
    authenticator,
    programs: { readers: { connectionToken: readConnectionToken } },
    ...(handlers.companies ? { companies: handlers.companies } : {}),
  });
  const session = { token: "t", user: {} } as never;
  http.routes.handle("GET /version", handlers.version ?? (async () => ({ version: "1" })));
  http.routes.handle("GET /health/live", async () => ({ status: "ok" as const }));
  http.routes.handle("POST /auth/login", handlers.login ?? (async () => session));
  http.routes.handle("DELETE /auth/logout", handlers.logout ?? (async () => ({ message: "ok" })));
  http.routes.handle("GET /auth/me", handlers.me ?? (async () => new Promise(() => undefined)));
  http.routes.handle("PUT /settings/:key", handlers.setting ?? (async () => session));
  http.routes.handle("GET /tickets/:ticketId", handlers.ticket ?? (async () => session));
  if (handlers.file) http.serveFiles(handlers.file);
  for (const [name, sample] of Object.entries(handlers.samples ?? {})) {
    http.serveEndpoint(name, ...sample);
  }
  const port = await http.listen({ host: "127.0.0.1", port: 0 });
  whenDone(() => http.close());

  const send = async (path: string, init: RequestInit = {}) => {
    const reply = await fetch(`http://127.0.0.1:${port}${path}`, init);
    const text = await reply.text();
    const isJson = (reply.headers.get("content-type") ?? "").includes("json");
    const body: unknown = isJson && text !== "" ? JSON.parse(text) : text;
    return { status: reply.status, headers: reply.headers, body };
  };
  return { http, port, lines, send };
}

const json = (body: string, more: Record<string, string> = {}): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json", ...more },
  body,
});

test("an address works with and without a trailing slash, with doubled slashes, and with a query", async () => {
  const { send } = await started();
  for (const path of ["/api/version", "/api/version/", "/api/version/?x=1", "//api//version"]) {
    expect(await send(path)).toMatchObject({ status: 200, body: { version: "1" } });
  }
});

test("without the plan's flag a call is refused, or answers what the contract says instead", async () => {
  const ofAdmins: Endpoint = {
    summary: "Rows",
    auth: "bearer",
    permission: "schedules:manage-all",
    reply: z.object({ rows: z.array(z.number()) }),
    errors: [],
  };
  const handler = async () => ({ rows: [1] });
  const { send } = await started({
    samples: {
      "GET /refused": [ofAdmins, handler],
      "GET /empty": [{ ...ofAdmins, replyWithoutPlan: { rows: [] } }, handler],
    },
  });
  const as = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
  const refusal = { status: 403, body: { code: "ERR_NO_PERMISSION" } };
  expect(await send("/api/refused", as("admin-1"))).toMatchObject(refusal);
  expect(await send("/api/empty", as("admin-1"))).toMatchObject({
    status: 200,
    body: { rows: [] },
  });
  // The profile lacks it as well.
  expect(await send("/api/empty", as("user-1"))).toMatchObject(refusal);
});

test("while a company is busy, a caller who was refused is refused again before its token is read", async () => {
  let isBusy = true;
  const busy = () => (isBusy ? 3 : null);
  const identified = vi.spyOn(authenticator, "identify");
  onTestFinished(() => identified.mockRestore());
  const companies: CallShares = {
    refuseCall: busy,
    admitCall: async () => {
      const retryAfterSeconds = busy();
      if (retryAfterSeconds !== null) {
        throw new DomainError("ERR_COMPANY_BUSY", { retryAfterSeconds });
      }
    },
    beginSearch: async () => () => undefined,
  };
  const ofUsers: Endpoint = { ...ofPrograms, auth: "bearer", reply: z.object({}) };
  const { plan: _, ...everybody } = ofUsers;
  const ofProvider: Endpoint = { ...everybody, permission: "companies:manage-any" };
  const { send, lines } = await started(
    {
      companies,
      samples: {
        "GET /sample": [everybody, async () => ({})],
        "GET /provider": [ofProvider, async () => ({})],
      },
    },
    { frontendOrigins: ["https://inbox.example"] },
  );
  const headers = { authorization: "Bearer user-1", origin: "https://inbox.example" };
  const call = (path = "sample") => send(`/api/${path}`, { headers });
  const [first, second] = [await call(), await call()];
  const { requestId, ...body } = second.body as { requestId: string };
  expect(first.body).toMatchObject({ ...body, code: "ERR_COMPANY_BUSY" });
  for (const { status, headers: replied } of [first, second]) {
    expect(status).toBe(429);
    expect(Object.fromEntries(replied)).toMatchObject({
      ...{ "retry-after": "3", "cache-control": "no-store", "x-content-type-options": "nosniff" },
      ...{ "access-control-allow-origin": "https://inbox.example", vary: "Origin" },
      "access-control-allow-credentials": "true",
      "access-control-expose-headers": first.headers.get("access-control-expose-headers"),
    });
  }
  expect(second.headers.get("x-request-id")).toBe(requestId);
  expect(identified).toHaveBeenCalledTimes(1);
  const written = lines.filter(({ msg }) => msg === "request");
  expect(written.map(({ level, status }) => [level, status])).toEqual([
    [30, 429],
    [20, 429],
  ]);
  // The provider sees what is going on; here the token of a user who may not.
  expect(await call("provider")).toMatchObject({ status: 403 });
  expect(identified).toHaveBeenCalledTimes(2);
  isBusy = false;
  expect(await call()).toMatchObject({ status: 200 });
});

const ofPrograms: Endpoint = {
  summary: "Sample",
  auth: "connectionToken",
  plan: "useExternalApi",
  reply: z.object({ companyId: z.number(), token: z.object({ connectionId: z.number() }) }),
  errors: [],
};

test("a call by a connection's token works for its company, if the plan has the flag", async () => {
  const { send } = await started({
    samples: { "GET /sample": [ofPrograms, async ({ ctx }) => ctx] },
  });
  const by = (authorization?: string) =>
    send("/api/sample", authorization === undefined ? {} : { headers: { authorization } });
  expect(await by("Bearer with")).toMatchObject({
    status: 200,
    body: { companyId: 7, token: { connectionId: 3 } },
  });
  expect(await by("Bearer without")).toMatchObject({
    status: 403,
    body: { code: "ERR_NO_PERMISSION" },
  });
  // A user's token is no connection's.
  for (const authorization of [undefined, "Bearer ", "Bearer other", "Bearer admin-1"]) {
    expect(await by(authorization)).toMatchObject({
      status: 401,
      body: { error: "Acesso não permitido", code: "ERR_INVALID_TOKEN" },
    });
  }
});

test("a call by a kind of token that nobody reads stops the start", async () => {
  const calls: Handlers = {
    samples: { "GET /sample": [{ ...ofPrograms, auth: "apiToken" }, vi.fn()] },
  };
  await expect(started(calls)).rejects.toThrow("GET /sample has no reader of its apiToken");
});

test("a call outside of /api is below the root alone", async () => {
  const outside: Endpoint = {
    ...{ summary: "Sample", auth: "none", outsideApi: true, errors: [] },
    reply: z.object({ ok: z.boolean() }),
  };
  const { send } = await started({
    samples: { "GET /sample": [outside, async () => ({ ok: true })] },
  });
  expect(await send("/sample")).toMatchObject({ status: 200, body: { ok: true } });
  expect((await send("/api/sample")).status).toBe(404);
});

test("an unknown call is a 404 with its own code, whatever the method", async () => {
  const { send } = await started();
  for (const method of ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"]) {
    expect(await send("/api/nothing", { method })).toMatchObject({
      status: 404,
      body: { error: "ERR_ROUTE_NOT_FOUND", code: "ERR_ROUTE_NOT_FOUND" },
    });
  }
});

test.each([
  ["broken encoding in the path", "/api/%zz"],
  ["broken UTF-8 in the path", "/api/%ff%fe/version"],
  ["a NUL in the path", "/api/tickets/%00"],
  ["a NUL in the query", "/api/version?x=%00"],
  ["a parameter of a thousand letters", `/api/tickets/${"9".repeat(1_000)}`],
])("%s is a malformed request", async (_name, path) => {
  const { send } = await started();
  const reply = await send(path, { headers: { authorization: "Bearer user-1" } });
  expect(reply).toMatchObject({ status: 400, body: { code: "ERR_INVALID_REQUEST" } });
});

test.each([
  ["a word", "/api/tickets/everything"],
  ["a negative number", "/api/tickets/-1"],
  ["a number beyond the column", "/api/tickets/99999999999"],
])("%s in the place of an id is an unknown call", async (_name, path) => {
  const { send } = await started();
  const reply = await send(path, { headers: { authorization: "Bearer user-1" } });
  expect(reply).toMatchObject({ status: 404, body: { code: "ERR_ROUTE_NOT_FOUND" } });
});

test("the refusal of a body names paths, never values", async () => {
  const { send } = await started();
  const reply = await send("/api/auth/login", json('{"email":5,"password":{"deep":"segredo"}}'));
  expect(reply).toMatchObject({
    status: 400,
    body: {
      error: "ERR_INVALID_REQUEST",
      data: {
        issues: [
          { path: "body.email", message: expect.any(String) },
          { path: "body.password", message: expect.any(String) },
        ],
      },
    },
  });
  expect(JSON.stringify(reply.body)).not.toContain("segredo");
});

test.each([
  ["half a document", "{", 400],
  ["a million brackets", "[".repeat(1_000_000), 400],
  ["a poisoned prototype", '{"__proto__":{"admin":true}}', 400],
  ["a poisoned constructor", '{"constructor":{"prototype":{}}}', 400],
  ["an escaped NUL", '{"email":"a\\u0000","password":"x"}', 400],
  ["eleven megabytes", `"${"x".repeat(11_000_000)}"`, 413],
])("a body of %s is refused", async (_name, body, status) => {
  const { send } = await started();
  expect((await send("/api/auth/login", json(body))).status).toBe(status);
});

test("other media types are refused, an empty body of any type is not", async () => {
  const { send } = await started();
  for (const type of ["text/plain", "application/xml", "multipart/form-data", "rubbish"]) {
    const reply = await send("/api/auth/login", json("x", { "content-type": type }));
    expect(reply).toMatchObject({ status: 415, body: { code: "ERR_UNSUPPORTED_MEDIA_TYPE" } });
  }
  for (const type of ["application/json", "text/plain", "application/json; charset=utf-8"]) {
    const init = { method: "DELETE", headers: { "content-type": type } };
    expect((await send("/api/auth/logout", init)).status).toBe(200);
  }
  expect((await send("/api/auth/login", json(""))).status).toBe(400);
});

test("fields that a call does not know are ignored, in the request and in the reply", async () => {
  const { send } = await started({
    setting: async ({ body, params }) => {
      const row = { id: 1, key: params.key, value: body.value, companyId: 1 as CompanyId };
      return { ...row, passwordHash: "$argon2id$", given: Object.keys(body) };
    },
  });
  const reply = await send("/api/settings/call/", {
    ...json('{"value":"enabled","id":9,"key":"other","company":{"deep":[1]},"updatedAt":"x"}', {
      authorization: "bearer admin-1",
    }),
    method: "PUT",
  });
  expect(reply.status).toBe(200);
  expect(reply.body).toEqual({ id: 1, key: "call", value: "enabled", companyId: 1 });
});

test("a user without the permission is refused before the body is read", async () => {
  const { send } = await started();
  const init = { ...json("{", { authorization: "Bearer user-1" }), method: "PUT" };
  expect(await send("/api/settings/call", init)).toMatchObject({
    status: 403,
    body: { error: "ERR_NO_PERMISSION" },
  });
  const admin = { ...json("{", { authorization: "Bearer admin-1" }), method: "PUT" };
  expect((await send("/api/settings/call", admin)).status).toBe(400);
});

test("a handler's refusal, the database's absence and a defect are answered and logged by their kind", async () => {
  let failure: Error = new DomainError("ERR_NO_TICKET_FOUND");
  const { send, lines } = await started({
    version: async () => {
      throw failure;
    },
  });
  const logged = () => lines.filter(({ level }) => Number(level) >= 40);

  expect((await send("/api/version?token=segredo")).status).toBe(404);
  expect(logged()).toEqual([]);

  failure = Object.assign(new Error("down"), { code: "57P01" });
  const away = await send("/api/version");
  expect(away).toMatchObject({ status: 503, body: { error: "ERR_UNAVAILABLE" } });
  expect(away.headers.get("retry-after")).toBe("5");
  expect(logged().map(({ level, msg }) => [level, msg])).toEqual([[40, "not available"]]);

  failure = new TypeError("undefined is not a ticket");
  const broken = await send("/api/version", { headers: { "x-request-id": "trace-12345" } });
  expect(broken.status).toBe(500);
  expect(broken.body).toEqual({
    error: "Internal server error",
    code: "ERR_INTERNAL",
    requestId: "trace-12345",
  });
  expect(logged().slice(1)).toMatchObject([
    { level: 50, requestId: "trace-12345", route: "/api/version", msg: "request failed" },
  ]);
  expect(JSON.stringify(lines)).not.toContain("segredo");
});

test("a reply that does not fit the contract is a defect of ours", async () => {
  const { send, lines } = await started({ version: async () => ({ version: 5 }) as never });
  expect(await send("/api/version")).toMatchObject({ status: 500, body: { code: "ERR_INTERNAL" } });
  expect(lines.filter(({ level }) => level === 50)).toHaveLength(1);
});

test("a request is logged by its route's pattern, with the caller's sane request id", async () => {
  const { send, lines } = await started({
    ticket: async () => {
      throw new DomainError("ERR_NO_TICKET_FOUND");
    },
  });
  const own = await send("/api/tickets/77?secret=1", {
    headers: { authorization: "Bearer user-9", "x-request-id": "proxy_id-0001" },
  });
  const made = await send("/api/tickets/77", {
    headers: { authorization: "Bearer user-9", "x-request-id": "bad id with spaces" },
  });
  expect(own.headers.get("x-request-id")).toBe("proxy_id-0001");
  expect(made.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
  await expect.poll(() => lines.filter(({ msg }) => msg === "request")).toHaveLength(2);
  expect(lines.find(({ msg }) => msg === "request")).toMatchObject({
    method: "GET",
    route: "/api/tickets/:ticketId",
    status: 404,
    companyId: 1,
    userId: 9,
    requestId: "proxy_id-0001",
  });
  expect(JSON.stringify(lines)).not.toMatch(/tickets\/77|secret/);
});

test("a configured origin may call with credentials, others may not", async () => {
  const { send } = await started({}, { frontendOrigins: ["https://app.example.com/"] });
  const preflight = (origin: string) =>
    send("/api/version", {
      method: "OPTIONS",
      headers: { origin, "access-control-request-method": "PUT" },
    });
  const allowed = await preflight("https://app.example.com");
  expect(allowed.status).toBe(204);
  expect(Object.fromEntries(allowed.headers)).toMatchObject({
    "access-control-allow-origin": "https://app.example.com",
    "access-control-allow-credentials": "true",
    "access-control-allow-methods": "GET, POST, PUT, DELETE, OPTIONS",
    "access-control-allow-headers": "Authorization, Content-Type, Idempotency-Key",
    vary: "Origin",
  });
  for (const origin of ["https://evil.example", "https://app.example.com.evil.example", "null"]) {
    const refused = await preflight(origin);
    expect(refused.status).toBe(404);
    expect(refused.headers.get("access-control-allow-origin")).toBeNull();
    expect(refused.headers.get("access-control-allow-credentials")).toBeNull();
  }
  const failed = await send("/api/nothing", { headers: { origin: "https://app.example.com" } });
  expect(failed.headers.get("access-control-allow-origin")).toBe("https://app.example.com");
});

test("without configured origins no origin is allowed", async () => {
  const { send } = await started();
  const reply = await send("/api/version", { headers: { origin: "https://app.example.com" } });
  expect(reply.status).toBe(200);
  expect(reply.headers.get("access-control-allow-origin")).toBeNull();
});

test("calls beyond the limit are refused per user, and other users are not", async () => {
  const { send } = await started(
    { me: async ({ ctx }) => ({ id: ctx.actor.userId, profile: "user", super: false }) },
    { requestLimits: { perMinute: 30, authPerMinute: 6 } },
  );
  const statuses = async (token: string, times: number) => {
    const replies = [];
    for (let n = 0; n < times; n += 1) {
      replies.push(await send("/api/auth/me", { headers: { authorization: `Bearer ${token}` } }));
    }
    return replies;
  };
  const replies = await statuses("user-1", 6);
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429]);
  expect(replies[5]).toMatchObject({ body: { code: "ERR_TOO_MANY_REQUESTS" } });
  expect(Number(replies[5]?.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await statuses("user-2", 1))[0]?.status).toBe(200);
  const logins = [
    await send("/api/auth/login", json("{}")),
    await send("/api/auth/login", json("{}")),
  ];
  expect(logins.map(({ status }) => status)).toEqual([400, 429]);
});

test.each(["x-forwarded-for", "x-forwarded-proto", "forwarded", "x-real-ip", "via"])(
  "the metrics are for this machine, and with the token for what a proxy may have brought (%s)",
  async (header) => {
    const token = "a-token-of-the-operator";
    const [closed, open] = [await started(), await started({}, { metricsToken: token })];
    await closed.send("/api/version");
    await expect
      .poll(async () => (await closed.send("/metrics")).body)
      .toContain('route="/api/version",status="200"');
    const forwarded = (given: string) => ({
      headers: { [header]: "203.0.113.5", authorization: `Bearer ${given}` },
    });
    expect((await closed.send("/metrics", forwarded(""))).status).toBe(404);
    expect((await open.send("/metrics", forwarded("guess"))).status).toBe(404);
    expect((await open.send("/metrics", forwarded(token))).status).toBe(200);
    expect((await open.send("/metrics")).status).toBe(200);
  },
);

test("from another machine the metrics need the token", async () => {
  const token = "a-token-of-the-operator";
  const { http, send } = await started({}, { metricsToken: token });
  http.server.on("connection", (socket) => {
    Object.defineProperty(socket, "remoteAddress", { value: "203.0.113.5" });
  });
  expect((await send("/metrics")).status).toBe(404);
  const headers = { authorization: `Bearer ${token}` };
  expect((await send("/metrics", { headers })).status).toBe(200);
});

test("behind a trusted proxy the metrics need the token, whatever the request says", async () => {
  const token = "a-token-of-the-operator";
  const { send } = await started({}, { trustProxy: true, metricsToken: token });
  expect((await send("/metrics")).status).toBe(404);
  const headers = { authorization: `Bearer ${token}` };
  expect((await send("/metrics", { headers })).status).toBe(200);
});

test("a proxy that is not trusted is told about once, with what to set", async () => {
  const { send, lines } = await started();
  const warnings = () => lines.filter(({ msg }) => msg.includes("BALCAO_TRUST_PROXY"));
  await send("/api/version");
  expect(warnings()).toEqual([]);
  for (let n = 0; n < 3; n += 1) {
    await send("/api/version", { headers: { "x-forwarded-for": "203.0.113.5" } });
  }
  expect(warnings()).toMatchObject([{ level: 40 }]);
  const trusted = await started({}, { trustProxy: true });
  await trusted.send("/api/version", { headers: { "x-forwarded-for": "203.0.113.5" } });
  expect(trusted.lines.filter(({ msg }) => msg.includes("BALCAO_TRUST_PROXY"))).toEqual([]);
});

test("behind a proxy that is not trusted, one visitor does not use up everybody's sign-in calls", async () => {
  const { send } = await started({}, { requestLimits: { perMinute: 60_000, authPerMinute: 12 } });
  const login = async (headers: Record<string, string>) =>
    (await send("/api/auth/login", json("{}", headers))).status;
  const from = (address: string) => login({ "x-forwarded-for": `10.0.0.1, ${address}` });
  expect([await from("a"), await from("a"), await from("a")]).toEqual([400, 400, 429]);
  expect(await from("b")).toBe(400);
  // Addresses can be made up: all of the proxy's visitors have ten times as much together.
  const statuses = [];
  for (let n = 0; n < 20; n += 1) statuses.push(await from(`made-up-${n}`));
  expect(statuses.filter((status) => status === 400)).toHaveLength(16);
  // A browser that signed in before is not concerned, nor is one that comes directly.
  expect([await login({ cookie: "jkb=b-1", "x-forwarded-for": "a" }), await login({})]).toEqual([
    400, 400,
  ]);
});

test("replies and refusals of calls are not cached", async () => {
  const { send } = await started({
    ticket: async () => {
      throw new DomainError("ERR_NO_TICKET_FOUND");
    },
  });
  const headers = { authorization: "Bearer user-1" };
  for (const reply of [
    await send("/api/version"),
    await send("/api/tickets/1"),
    await send("/api/tickets/1", { headers }),
    await send("/api/tickets/x", { headers }),
  ]) {
    expect(reply.headers.get("cache-control")).toBe("no-store");
  }
});

test("while the process stops, further requests get the usual 503", async () => {
  const [entered, finish] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { http, port } = await started({
    version: async () => {
      entered.resolve();
      await finish.promise;
      return { version: "1" };
    },
  });
  const socket = connect(port, "127.0.0.1");
  const get = "GET /api/version HTTP/1.1\r\nHost: x\r\n\r\n";
  let text = "";
  socket.on("data", (chunk) => (text += String(chunk)));
  socket.write(get);
  await entered.promise;
  const closed = http.close();
  await expect.poll(() => http.server.listening).toBe(false);
  const asked = once(http.server, "request");
  socket.write(get);
  await asked;
  finish.resolve();
  await closed;
  await expect.poll(() => text).toContain('"error":"ERR_UNAVAILABLE","code":"ERR_UNAVAILABLE"');
  expect(text).toMatch(/HTTP\/1\.1 503 [^]*connection: close/i);
  expect(text).toMatch(/retry-after: 5/i);
});

test("a file that is on its way when the process stops arrives whole, and keeps the process no longer", async () => {
  const content = new PassThrough();
  const { http, port } = await started({
    file: async () => ({
      ...{ mime: "text/plain", bytes: 10, tag: "t", name: null },
      open: async () => content,
    }),
  });
  const socket = connect(port, "127.0.0.1");
  let text = "";
  socket.on("data", (chunk) => (text += String(chunk)));
  socket.write("GET /public/company1/a HTTP/1.1\r\nHost: x\r\n\r\n");
  content.write("begin");
  await expect.poll(() => text).toContain("begin");
  const closed = http.close();
  await expect.poll(() => http.server.listening).toBe(false);
  content.end("s now");
  await closed;
  expect(text).toContain("begins now");
});

test("every call of the registry is described, with how to be allowed", async () => {
  const { http, send } = await started();
  expect(() => http.assertComplete()).toThrow(/calls without handler: .*GET \/tickets/);
  expect(() => http.routes.handle("GET /version", async () => ({ version: "2" }))).toThrow(
    /two handlers/,
  );
  const { body } = await send("/api/docs/json");
  // Swagger's paths have {name} for :name; only calls with a handler are routes.
  expect(body).toMatchObject({
    openapi: "3.1.0",
    paths: {
      "/api/settings/{key}": {
        put: {
          security: [{ bearer: [] }],
          requestBody: expect.any(Object),
          parameters: [expect.objectContaining({ name: "key", in: "path" })],
        },
      },
      "/api/auth/login": { post: { responses: { "200": expect.any(Object) } } },
    },
  });
  expect((await send("/api/docs")).body).toContain("swagger-ui");
});

test("the page is served for every address of a browser, its files are cached by their hash", async () => {
  const webRoot = await mkdtemp(join(tmpdir(), "balcao-web-"));
  onTestFinished(() => rm(webRoot, { recursive: true, force: true }));
  await mkdir(join(webRoot, "assets"));
  await writeFile(
    join(webRoot, "index.html"),
    "<!doctype html><title>Balcão</title><script>paint()</script>",
  );
  await writeFile(join(webRoot, "assets/app-1a2b3c.js"), "start()");
  await writeFile(join(webRoot, ".env"), "SECRET=1");
  const { send } = await started({}, { webRoot });
  const asPage = { headers: { accept: "text/html,*/*" } };
  for (const path of ["/", "/tickets/0190b0a0-1111-7000-8000-000000000000", "/login/"]) {
    const reply = await send(path, asPage);
    expect(reply).toMatchObject({ status: 200, body: expect.stringContaining("Balcão") });
    expect(reply.headers.get("cache-control")).toBe("no-cache");
    const policy = reply.headers.get("content-security-policy");
    expect(policy).toContain("frame-ancestors 'none'");
    const ownScript = createHash("sha256").update("paint()").digest("base64");
    expect(policy).toContain(`script-src 'self' 'wasm-unsafe-eval' 'sha256-${ownScript}';`);
  }
  const icon = await send("/favicon.ico", { redirect: "manual" });
  expect([icon.status, icon.headers.get("location")]).toEqual([302, "/icon.svg"]);
  const asset = await send("/assets/app-1a2b3c.js");
  expect(asset.body).toBe("start()");
  expect(asset.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  for (const path of ["/api/nothing", "/socket.io/nothing", "/assets/gone.js"]) {
    const reply = await send(path, path.startsWith("/assets") ? {} : asPage);
    expect(reply.status).toBeGreaterThanOrEqual(400);
    expect(JSON.stringify(reply.body)).not.toContain("Balcão");
  }
  expect((await send("/.env")).status).toBe(404);
  expect((await send("/..%2f..%2fetc%2fpasswd")).status).toBeGreaterThanOrEqual(400);
});

/** The headers that each kind of reply must have; null: the header must be absent. */
const everywhere: Readonly<Record<string, RegExp | null>> = {
  "x-content-type-options": /^nosniff$/,
  "strict-transport-security": /^max-age=31536000$/,
  "referrer-policy": /^same-origin$/,
  "cross-origin-opener-policy": /^same-origin$/,
  "cross-origin-resource-policy": /^same-origin$/,
  "permissions-policy": /microphone=\(self\), camera=\(self\).*geolocation=\(\).*payment=\(\)/,
  "x-frame-options": /^DENY$/,
  "content-security-policy": /frame-ancestors 'none'/,
  server: null,
  "x-powered-by": null,
};
const page =
  /^default-src 'self';script-src 'self' 'wasm-unsafe-eval';(?!.*unsafe-eval'.*unsafe-eval').*object-src 'none';base-uri 'none';form-action 'self'/;
const file = /^default-src 'none';.*base-uri 'none'; form-action 'none';.*sandbox$/;
const hostile = (mime: string, name: string) => ({ mime, name, content: "<script>x</script>" });
const uploads = {
  "a.html": hostile("text/html", "a.html"),
  "a.svg": hostile("image/svg+xml", "a.svg"),
  "a.xml": hostile("application/xhtml+xml", 'a"\r\nset-cookie: a=b.xml'),
  "a.png": hostile("image/png", "a.png"),
  "a.pdf": hostile("application/pdf", "a.pdf"),
};
const attached = { "content-disposition": /^attachment/, "content-security-policy": file };

/** Answered before the request has a route; nothing in it is ever shown. */
const unreadable = {
  ...{ "content-type": /json/, "cache-control": /no-store/ },
  ...Object.fromEntries(Object.keys(everywhere).map((name) => [name, null])),
  ...{ "content-security-policy": /^default-src 'none'/, "x-content-type-options": /^nosniff$/ },
};

describe("the headers of each kind of reply", () => {
  test.each<[kind: string, path: string, status: number, more: Record<string, RegExp | null>]>([
    ["a page", "/tickets", 200, { "content-security-policy": page, "cache-control": /no-cache/ }],
    ["a page's file", "/assets/a-1a2b.js", 200, { "cache-control": /immutable/ }],
    ["a call", "/api/version", 200, { "cache-control": /no-store/ }],
    ["the page of the API", "/api/docs/", 200, { "content-security-policy": /base-uri 'none'/ }],
    ["the description of the API", "/api/v1/openapi.json", 200, {}],
    ["an unknown call", "/api/nothing", 404, { "content-type": /json/ }],
    ["a refused call", "/api/auth/me", 401, { "cache-control": /no-store/ }],
    ["a path that cannot be read", "/api/%zz", 400, unreadable],
    ["a fault of the server", "/api/tickets/1", 500, { "cache-control": /no-store/ }],
    ["metrics", "/metrics", 200, {}],
    ["an uploaded page", "/public/company1/a.html", 200, attached],
    ["an uploaded drawing", "/public/company1/a.svg", 200, attached],
    ["an uploaded page by another type", "/public/company1/a.xml", 200, attached],
    ["an uploaded picture", "/public/company1/a.png", 200, { "content-security-policy": file }],
    ["an uploaded document", "/public/company1/a.pdf", 200, { "content-security-policy": /none/ }],
    ["a file that is not there", "/public/company1/gone", 404, { "content-type": /json/ }],
  ])("%s", async (_kind, path, status, more) => {
    const { headers, ...reply } = await (await replies())(path);
    expect(reply.status).toBe(status);
    const wrong = Object.entries({ ...everywhere, ...more }).flatMap(([name, wanted]) => {
      const value = headers.get(name);
      const isRight = wanted === null ? value === null : wanted.test(value ?? "absent");
      return isRight ? [] : [`${name}: ${value}`];
    });
    expect(wrong).toEqual([]);
    expect(headers.get("set-cookie")).toBeNull();
    const text = JSON.stringify(reply.body);
    expect(text).not.toMatch(/node_modules|\.ts:\d|secret-of-the-fault/);
  });

  /** One server for all rows. */
  let serving: Promise<(path: string) => ReturnType<Sent>> | undefined;
  type Sent = Awaited<ReturnType<typeof started>>["send"];
  const replies = (): NonNullable<typeof serving> => (serving ??= serve());

  async function serve() {
    const webRoot = await mkdtemp(join(tmpdir(), "balcao-web-"));
    await mkdir(join(webRoot, "assets"));
    await writeFile(join(webRoot, "index.html"), "<!doctype html><title>Balcão</title>");
    await writeFile(join(webRoot, "assets/a-1a2b.js"), "start()");
    atEndOfFile(() => rm(webRoot, { recursive: true, force: true }));
    const found: Partial<Record<string, (typeof uploads)["a.html"]>> = uploads;
    const { send } = await started(
      {
        ticket: () => Promise.reject(new Error("secret-of-the-fault")),
        file: async ({ key }) => {
          const upload = found[key];
          if (!upload) return null;
          const { content, ...rest } = upload;
          const open = async () => Readable.from([Buffer.from(content)]);
          return { ...rest, bytes: content.length, tag: "t", open };
        },
      },
      { webRoot },
      atEndOfFile,
    );
    return (path: string) =>
      send(path, {
        headers: {
          accept: "text/html,*/*",
          ...(path === "/api/tickets/1" ? { authorization: "Bearer user-1" } : {}),
        },
      });
  }
});

test("how requests come is noted: through a proxy, past it, by https; probes do not count", async () => {
  const { http, send } = await started({}, { trustProxy: true });
  const through = (proto: string) => ({
    headers: { "x-forwarded-for": "203.0.113.5", "x-forwarded-proto": proto },
  });
  await send("/api/health/live", through("http"));
  await send("/api/version");
  expect(http.arrivals).toEqual({ forwarded: false, direct: false, secure: false, plain: false });
  await send("/api/version", through("https"));
  expect(http.arrivals).toEqual({ forwarded: true, direct: false, secure: true, plain: false });
  await send("/api/version", through("http"));
  expect(http.arrivals).toMatchObject({ plain: true });
});

test("a connection that does not speak HTTP gets an error code and is closed", async () => {
  const { port } = await started();
  const answer = await new Promise<string>((resolve, reject) => {
    let text = "";
    const socket = connect(port, "127.0.0.1", () => socket.write("HELLO\u0000\r\n\r\n"));
    socket.on("data", (chunk) => (text += String(chunk)));
    socket.on("close", () => resolve(text));
    socket.on("error", reject);
  });
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer).toContain('"code":"ERR_INVALID_REQUEST"');
});

test("an overloaded process answers 503, but is live and serves the page's files", async () => {
  const webRoot = await mkdtemp(join(tmpdir(), "balcao-web-"));
  onTestFinished(() => rm(webRoot, { recursive: true, force: true }));
  await mkdir(join(webRoot, "assets"));
  await writeFile(join(webRoot, "index.html"), "<!doctype html><title>Balcão</title>");
  await writeFile(join(webRoot, "assets/app-1a2b3c.js"), "start()");
  const { send } = await started({}, { maxEventLoopDelayMs: 20, webRoot });
  const overloaded = async (): Promise<number> => {
    const end = performance.now() + 300;
    while (performance.now() < end);
    return (await send("/api/version")).status;
  };
  await expect.poll(overloaded, { interval: 1 }).toBe(503);
  expect((await send("/api/health/live")).status).toBe(200);
  await expect.poll(overloaded, { interval: 1 }).toBe(503);
  expect((await send("/assets/app-1a2b3c.js")).status).toBe(200);
});

test("a package is served as npm unpacks it; without its build it is not there", async () => {
  const folder = await mkdtemp(join(tmpdir(), "balcao-package-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const { port } = await started({}, { clientRoot: folder });
  const address = `http://127.0.0.1:${port}/api/v1/client.tgz`;
  expect((await fetch(address)).status).toBe(404);
  const manifest = JSON.stringify({
    name: "@loja/cliente",
    version: "1.2.3",
    files: ["dist/index.js"],
  });
  const code = `export const text = "${"ã".repeat(600)}";`;
  await mkdir(join(folder, "dist"));
  await writeFile(join(folder, "package.json"), manifest);
  await writeFile(join(folder, "README.md"), "");
  await writeFile(join(folder, "dist/index.js"), code);
  const reply = await fetch(address);
  expect(reply.headers.get("content-disposition")).toBe(
    'attachment; filename="loja-cliente-1.2.3.tgz"',
  );
  const archive = join(folder, "client.tgz");
  await writeFile(archive, new Uint8Array(await reply.arrayBuffer()));
  await promisify(execFile)("tar", ["-xzf", archive, "-C", folder]);
  const read = (path: string) => readFile(join(folder, "package", path), "utf8");
  expect([
    await read("package.json"),
    await read("dist/index.js"),
    await read("README.md"),
  ]).toEqual([manifest, code, ""]);
});
