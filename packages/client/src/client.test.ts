import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { publicApiEndpoints } from "@balcao/contract";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { generated } from "./generate.ts";
import type { Balcao, WebhookEvent } from "./index.ts";
import { BalcaoError, createBalcao, verifyWebhook } from "./index.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Answer = { status?: number; body?: unknown; headers?: Record<string, string> } | Error;
type Asked = { call: string; headers: Headers; body: unknown };

const addressOf = (asked: Parameters<typeof fetch>[0]): string =>
  asked instanceof Request ? asked.url : asked.toString();

/** A client whose server gives these answers in turn, the last one for ever. */
function clientOf(...answers: Answer[]) {
  const asked: Asked[] = [];
  const balcao = createBalcao({
    url: "https://chat.loja.example/",
    token: "blc_live_abc",
    fetch: async (url, init) => {
      const { body } = init ?? {};
      asked.push({
        call: `${init?.method} ${addressOf(url).replace("https://chat.loja.example/api", "")}`,
        headers: new Headers(init?.headers),
        body: typeof body === "string" ? JSON.parse(body) : body,
      });
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      if (answer instanceof Error) throw answer;
      const {
        status = 200,
        body: said = { data: [], nextCursor: null },
        headers = {},
      } = answer ?? {};
      return new Response(typeof said === "string" ? said : JSON.stringify(said), {
        status,
        headers,
      });
    },
  });
  return { balcao, asked };
}

async function ended<T>(work: Promise<T>): Promise<T | BalcaoError> {
  const result = work.catch((error: unknown) => {
    if (error instanceof BalcaoError) return error;
    throw error;
  });
  await vi.runAllTimersAsync();
  return result;
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

test("the generated types are those of the contract as it is", () => {
  const written = readFileSync(new URL("calls.ts", import.meta.url), "utf8");
  expect(written).toBe(generated());
});

const every: [call: string, make: (balcao: Balcao) => Promise<unknown>, body?: unknown][] = [
  [
    "POST /messages/send",
    (balcao) => balcao.connection.send({ number: "5511987654321", body: "Oi" }),
    { number: "5511987654321", body: "Oi" },
  ],
  [
    "POST /v1/messages",
    (b) => b.messages.send({ ticketId: 7, body: "Oi" }),
    { ticketId: 7, body: "Oi" },
  ],
  ["GET /v1/messages?ticketId=7", (b) => all(b.messages.list({ ticketId: 7 }))],
  ["GET /v1/contacts?limit=10", (b) => all(b.contacts.list({ limit: 10 }))],
  ["GET /v1/contacts/3", (b) => b.contacts.get(3)],
  [
    "POST /v1/contacts",
    (b) => b.contacts.create({ name: "Caio", number: "1" }),
    { name: "Caio", number: "1" },
  ],
  ["PUT /v1/contacts/3", (b) => b.contacts.update(3, { name: "Davi" }), { name: "Davi" }],
  [
    "GET /v1/tickets?tagIds=%5B1%2C2%5D&search=pedido",
    (b) => b.tickets.page({ tagIds: [1, 2], search: "pedido" }),
  ],
  ["GET /v1/tickets/7", (b) => b.tickets.get(7)],
  ["PUT /v1/tickets/7", (b) => b.tickets.update(7, { queueId: 2 }), { queueId: 2 }],
  ["PUT /v1/tickets/7/tags", (b) => b.tickets.setTags(7, [1]), { tagIds: [1] }],
  ["POST /v1/tickets/7/draft", (b) => b.tickets.draft(7, "Olá"), { body: "Olá" }],
  ["GET /v1/tags", (b) => all(b.tags.list({}))],
  ["GET /v1/queues", (b) => b.queues.list()],
  ["GET /v1/templates?connectionId=4", (b) => b.templates.list(4)],
];

test("each call of the contract is a method, with its address, its body and the token", async () => {
  const made = [];
  for (const [call, make, body] of every) {
    const { balcao, asked } = clientOf({});
    await make(balcao);
    expect(asked).toMatchObject([{ call }]);
    expect(asked[0]?.body).toEqual(body);
    expect(asked[0]?.headers.get("authorization")).toBe("Bearer blc_live_abc");
    made.push(call.replace(/\?.*/, "").replace(/\/\d+/, "/:id"));
  }
  const names = Object.keys(publicApiEndpoints).map((name) => name.replace(/:\w+/, ":id"));
  expect(made.toSorted()).toEqual(names.toSorted());
});

test("a list goes through its pages by their cursors", async () => {
  const { balcao, asked } = clientOf(
    { body: { data: [{ id: 1 }, { id: 2 }], nextCursor: "abc" } },
    { body: { data: [{ id: 3 }], nextCursor: null } },
  );
  const ids = (await all(balcao.tags.list({ limit: 2 }))).map(({ id }) => id);
  expect([ids, asked.map(({ call }) => call)]).toEqual([
    [1, 2, 3],
    ["GET /v1/tags?limit=2", "GET /v1/tags?limit=2&cursor=abc"],
  ]);
});

const sent = { messageIds: ["m"], ticketId: 7, contactId: 3 };
const busy = { status: 503, body: { code: "ERR_UNAVAILABLE" }, headers: { "retry-after": "5" } };
const flood = {
  status: 429,
  body: { code: "ERR_TOO_MANY_REQUESTS" },
  headers: { "retry-after": "9" },
};

test("what was not taken is repeated after the time that the server names, a message with its key", async () => {
  const running = { status: 409, body: { code: "ERR_IDEMPOTENCY_RUNNING" } };
  const { balcao, asked } = clientOf(new TypeError("closed"), running, flood, { body: sent });
  const begin = Date.now();
  expect(await ended(balcao.messages.send({ ticketId: 7, body: "Oi" }))).toEqual(sent);
  expect(Date.now() - begin).toBe(1_000 + 2_000 + 9_000);
  const keys = new Set(asked.map(({ headers }) => headers.get("idempotency-key")));
  expect([asked.length, keys.size, [...keys][0]?.length]).toEqual([4, 1, 32]);
  const own = clientOf({ body: sent });
  await own.balcao.messages.send({ number: "1", body: "Oi" }, { idempotencyKey: "pedido-1" });
  expect(own.asked[0]?.headers.get("idempotency-key")).toBe("pedido-1");
});

test("a refusal is an error with what the server says; what may have been done is not done twice", async () => {
  const refused = {
    status: 403,
    body: { code: "ERR_API_SCOPE", data: { scope: "tags:read" }, requestId: "r-1" },
  };
  const cases: [Answer, (balcao: Balcao) => Promise<unknown>, object, tries: number][] = [
    [
      refused,
      (b) => b.queues.list(),
      {
        status: 403,
        code: "ERR_API_SCOPE",
        data: { scope: "tags:read" },
        requestId: "r-1",
        retryAfter: null,
      },
      1,
    ],
    [
      busy,
      (b) => b.contacts.create({ name: "Caio", number: "1" }),
      { status: 503, retryAfter: 5 },
      1,
    ],
    [busy, (b) => b.queues.list(), { status: 503, code: "ERR_UNAVAILABLE" }, 4],
    [
      flood,
      (b) => b.contacts.create({ name: "Caio", number: "1" }),
      { status: 429, retryAfter: 9 },
      4,
    ],
    [
      { ...flood, headers: { "retry-after": "3600" } },
      (b) => b.queues.list(),
      { retryAfter: 3_600 },
      1,
    ],
    [
      new TypeError("closed"),
      (b) => b.tickets.draft(7, "Olá"),
      { status: 0, code: "ERR_NETWORK" },
      1,
    ],
    [{ status: 502, body: "<html>" }, (b) => b.queues.list(), { status: 502, code: "HTTP_502" }, 1],
    [{ body: "<html>" }, (b) => b.queues.list(), { status: 200, code: "ERR_NO_JSON" }, 1],
  ];
  for (const [answer, make, error, tries] of cases) {
    const { balcao, asked } = clientOf(answer);
    expect(await ended(make(balcao))).toMatchObject(error);
    expect(asked).toHaveLength(tries);
  }
});

test("a caller that gives up ends the waiting", async () => {
  const { balcao, asked } = clientOf(busy);
  const giving = new AbortController();
  const work = balcao.queues.list({ signal: giving.signal });
  const refused = expect(work).rejects.toThrow("enough");
  await vi.advanceTimersByTimeAsync(1_000);
  giving.abort(new Error("enough"));
  await refused;
  expect(asked).toHaveLength(1);
});

test("files go as a form, each with its name", async () => {
  const { balcao, asked } = clientOf({ body: sent });
  const content = new Blob(["%PDF"]);
  await balcao.messages.send(
    { number: 5_511_987_654_321, body: "Segue" },
    { files: [{ name: "catálogo.pdf", content }] },
  );
  const [{ body, headers }] = asked as [Asked];
  const form = body as FormData;
  expect([form.get("number"), form.get("body")]).toEqual(["5511987654321", "Segue"]);
  expect((form.get("medias") as File).name).toBe("catálogo.pdf");
  expect(headers.has("content-type")).toBe(false);
});

test("a webhook's request is believed only with a fresh signature by its secret", async () => {
  const key = Buffer.from("0123456789abcdef0123456789abcdef");
  const secret = `whsec_${key.toString("base64")}`;
  const event: WebhookEvent = { event: "test", at: "2026-01-01T12:00:00.000Z" };
  const body = JSON.stringify(event);
  const signed = (age: number, text = body) => {
    const at = String(Math.floor(Date.now() / 1_000) - age);
    const mac = createHmac("sha256", key).update(`evt_1.${at}.${text}`).digest("base64");
    return {
      "webhook-id": "evt_1",
      "webhook-timestamp": at,
      "webhook-signature": `v1,b2xk v1,${mac}`,
    };
  };
  expect(await verifyWebhook(signed(0), body, secret)).toEqual(event);
  expect(await verifyWebhook(new Headers(signed(200)), body, secret)).toEqual(event);
  for (const [headers, text] of [
    [signed(400), body],
    [signed(-400), body],
    [signed(0, "{}"), body],
    [{ ...signed(0), "webhook-signature": "v1,%%%" }, body],
    [{ ...signed(0), "webhook-timestamp": "soon" }, body],
    [{}, body],
  ] as [Record<string, string>, string][]) {
    await expect(verifyWebhook(headers, text, secret)).rejects.toMatchObject({
      code: "ERR_SIGNATURE",
    });
  }
});
