import { connect } from "node:net";
import type { Endpoint, EndpointName, ErrorCode } from "@balcao/contract";
import { endpoints, errorStatus, limits } from "@balcao/contract";
import fc from "fast-check";
import { expect, test } from "vitest";
import { startGraphStub } from "../../../channels/cloud-api/testing/graph-stub.ts";
import { reachedByIntegrations } from "../../../features/integrations/testing/stubs.ts";
import { startSmtpStub } from "../../../features/mails/testing/smtp-stub.ts";
import { z } from "zod";
import { testApp } from "../../app.ts";
import { seed, sized } from "../../soak.ts";
import type { Answer, RawRequest } from "../http-sender.ts";
import { createSender, watchWrites } from "../http-sender.ts";
import { createRows } from "../rows.ts";
import { createSide, tokenFor } from "../sides.ts";
import { toWire, validParts } from "../valid-requests.ts";
import { badRequests, strangeAuthorizations } from "./bad-requests.ts";
import { deepJson, HUGE } from "./nasty.ts";

/** Requests of each call. */
const numRuns = sized({ test: 8, soak: 80 });

const names = Object.keys(endpoints) as EndpointName[];
type Actor = "anonymous" | "user" | "admin" | "super";
/** Mostly those whom nothing but their input holds up. */
const actors = fc.constantFrom<Actor>(
  "anonymous",
  "user",
  "user",
  "admin",
  "admin",
  "admin",
  "super",
);

// Without channels and jobs nothing but requests changes anything.
const product = await testApp({
  environment: {
    ...{ ROLES: "http", GRAPH_API_URL: (await startGraphStub()).url },
    ...(await startSmtpStub()).environment,
  },
  ...(await reachedByIntegrations()),
});
const { database, given } = product;
const send = createSender(product.url);
const side = await createSide(product);

/** Refusals that every call may answer beside those it names. */
const commonRefusals = new Set<ErrorCode>([
  "ERR_INVALID_REQUEST",
  "ERR_BODY_TOO_LARGE",
  "ERR_UNSUPPORTED_MEDIA_TYPE",
  "ERR_ROUTE_NOT_FOUND",
  "ERR_SESSION_EXPIRED",
  "ERR_TOKEN_EXPIRED",
  "ERR_NO_PERMISSION",
  "ERR_TOO_MANY_REQUESTS",
  "ERR_INVALID_TOKEN",
]);

/** Tokens are made anew when a request happened to end the session. */
const tokens = new Map<Actor, string>();
async function authorizationOf(
  name: EndpointName,
  actor: Actor,
  strange: string | null,
): Promise<string | null> {
  if (actor === "anonymous") return strange;
  const { auth }: Endpoint = endpoints[name];
  if (auth.endsWith("Token")) return `Bearer ${tokenFor(name, side, actor, rows)}`;
  const person = side.people[actor];
  const token = tokens.get(actor) ?? (await given.token(person));
  tokens.set(actor, token);
  return `Bearer ${token}`;
}

/** Sends and judges the answer: in time, no fault of ours, a refusal in the contract's words that changed nothing. */
async function judge(request: RawRequest, allowed: ReadonlySet<string> | null): Promise<Answer> {
  const answer = await send(request);
  expect(answer.status).toBeLessThan(500);
  if (answer.status >= 400 && request.method !== "HEAD") {
    expect(answer.body).toMatchObject({ error: expect.any(String), code: expect.any(String) });
    const { code } = answer.body as { code: ErrorCode }; // checked above
    expect([code, errorStatus[code]]).toEqual([code, answer.status]);
    if (allowed) expect(allowed).toContain(code);
  }
  const written = await writes.take();
  if (answer.status >= 400) expect(written).toEqual([]);
  // Signing in ends other sessions, and so does another password or profile.
  if (answer.status < 300 && /^\/api\/(auth|users)\//.test(request.target)) tokens.clear();
  return answer;
}

function refusalsOf(name: EndpointName): ReadonlySet<string> {
  const endpoint: Endpoint = endpoints[name];
  return new Set<string>([...commonRefusals, ...endpoint.errors]);
}

const rows = await createRows(product, side);
const writes = await watchWrites(database.db);

test.for(names)(
  `generated bad input to %s is refused without harm (seed ${seed})`,
  async (name) => {
    const refusals = refusalsOf(name);
    const ownMethod = name.split(" ")[0];
    await fc.assert(
      fc.asyncProperty(
        badRequests(name, rows),
        actors,
        fc.constantFrom(...strangeAuthorizations),
        async (request, actor, strange) => {
          const authorization = await authorizationOf(name, actor, strange);
          const headers = {
            ...request.headers,
            ...(authorization === null ? {} : { authorization }),
          };
          await judge({ ...request, headers }, request.method === ownMethod ? refusals : null);
        },
      ),
      { seed, numRuns, interruptAfterTimeLimit: 20_000 },
    );
  },
);

const tooLarge = Buffer.alloc(limits.jsonBodyBytes + 1, " ");

/** Bodies of calls that take none stop at the same door for all of them: a few are enough, the soak tries all. */
const isWithoutBody = (name: EndpointName): boolean => {
  const { body }: Endpoint = endpoints[name];
  return !body;
};
const sampled = new Set(
  names.filter(isWithoutBody).filter((_name, at) => at % sized({ test: 20, soak: 1 }) === 0),
);
const flooded = names.filter((name) => !isWithoutBody(name) || sampled.has(name));

/** The call's valid request with the nastiest bodies there are. */
test.for(flooded)("%s survives floods, depths and broken bodies", async (name) => {
  const { body: sent, contentType: _, ...wire } = toWire(name, validParts(name, rows));
  const valid = typeof sent === "string" ? sent : "{}";
  const authorization = (await authorizationOf(name, "admin", null)) ?? "";
  const json = { authorization, "content-type": "application/json" };
  const requests: RawRequest[] = [
    { ...wire, headers: json, body: tooLarge },
    { ...wire, headers: json, body: JSON.stringify(hugeFields(name)) },
    { ...wire, headers: json, body: deepJson.lists },
    { ...wire, headers: json, body: deepJson.objects },
    { ...wire, headers: json, body: valid.slice(0, -1) },
    { ...wire, headers: { ...json, "content-type": "text/plain" }, body: valid },
    { ...wire, headers: { authorization }, body: "x", chunked: true },
  ];
  const { body }: Endpoint = endpoints[name];
  for (const request of requests) {
    const { status, text } = await judge(request, refusalsOf(name));
    // A call without a body may take no notice of one.
    if (body) expect([status >= 400 && status < 500, text]).toEqual([true, text]);
  }
});

/** Every field of the call's body, each longer than any text that the contract allows. */
function hugeFields(name: EndpointName): Record<string, string> {
  const { body }: Endpoint = endpoints[name];
  const keys = body instanceof z.ZodObject ? Object.keys(body.shape) : ["body"];
  return Object.fromEntries(keys.map((key) => [key, HUGE]));
}

test("a body above the limit is refused by its announced and by its real length", async () => {
  const { method, target } = toWire("POST /auth/login", validParts("POST /auth/login", rows));
  const wire = { method, target };
  const headers = { "content-type": "application/json" };
  for (const chunked of [false, true]) {
    const body = JSON.stringify({ email: "x", password: "x".repeat(limits.jsonBodyBytes) });
    const answer = await judge({ ...wire, headers, body, chunked }, null);
    expect([answer.status, answer.body]).toMatchObject([413, { code: "ERR_BODY_TOO_LARGE" }]);
  }
});

test("bytes that are no HTTP are answered or dropped, and the server goes on", async () => {
  const { hostname, port } = new URL(product.url);
  const speak = (text: string) =>
    new Promise<string>((resolve) => {
      const socket = connect(Number(port), hostname);
      let heard = "";
      socket.setTimeout(2_000, () => socket.destroy());
      socket.on("data", (chunk) => (heard += chunk.toString()));
      socket.on("error", () => undefined);
      socket.on("close", () => resolve(heard));
      socket.write(text, "latin1");
    });
  const host = "Host: x\r\n";
  const heard = await Promise.all([
    speak("\u0000\u0001\u0002\r\n\r\n"),
    speak(`GET /api/health HTTP/9.9\r\n${host}\r\n`),
    speak(`GET /api/\u0000health HTTP/1.1\r\n${host}\r\n`),
    speak(`GET /api/${"a".repeat(100_000)} HTTP/1.1\r\n${host}\r\n`),
    speak(`GET /api/health HTTP/1.1\r\n${host}X: ${"a".repeat(100_000)}\r\n\r\n`),
    speak(
      `POST /api/auth/login HTTP/1.1\r\n${host}Content-Length: 5\r\nContent-Length: 6\r\n\r\n{}`,
    ),
    speak(`POST /api/auth/login HTTP/1.1\r\n${host}Transfer-Encoding: chunked\r\n\r\nzz\r\n`),
    speak(`POST /api/auth/login HTTP/1.1\r\n${host}Content-Length: -1\r\n\r\n`),
  ]);
  for (const text of heard) expect(text).toMatch(/^(HTTP\/1\.1 4\d\d [^]*"code":"ERR_|$)/);
  expect((await product.anonymous.get("/health")).status).toBe(200);
});

test("no request has changed the prototypes of the process", () => {
  const pollution: string[] = [];
  for (const key in {}) pollution.push(key);
  expect(pollution).toEqual([]);
  expect(Reflect.get({}, "polluted")).toBeUndefined();
});
