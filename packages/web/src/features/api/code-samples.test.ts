import { expect, test } from "vitest";
import type { ProgramRequest } from "./api.ts";
import { codeOf } from "./code-samples.ts";
import { callsOf, sampleOf } from "./open-api.ts";

/** What shells and languages would read as their own. */
const body = `Dê "oi" à D'Ávila: $HOME \\n\nfim`;
const request: ProgramRequest = {
  ...{ method: "POST", path: "/api/v1/messages", idempotencyKey: "p-1", file: null },
  json: { connectionId: 3, number: "5511987654321", body },
};
const sample = { ...request, origin: "https://chat.loja.com.br", token: "blc_live_abc" };
const withFile = { ...sample, file: { name: "catálogo.pdf", content: null } };

/** Runs the TypeScript with a client that notes which method got what. */
async function runClient(code: string): Promise<[method: string, ...given: unknown[]]> {
  const calls: [string, ...unknown[]][] = [];
  const noting = (path: string): unknown =>
    new Proxy(() => undefined, {
      get: (_target, name) => noting(path === "" ? String(name) : `${path}.${String(name)}`),
      apply: (_target, _this, given: unknown[]) => void calls.push([path, ...given]),
    });
  const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor as new (
    ...texts: string[]
  ) => (...values: unknown[]) => Promise<void>;
  const body = code.replaceAll(/^import.*$/gm, "");
  const open = (name: string): string => `content of ${name}`;
  await new AsyncFunction("createBalcao", "openAsBlob", "console", body)(
    (options: object) => {
      expect(options).toEqual({ url: "https://chat.loja.com.br", token: "blc_live_abc" });
      return noting("");
    },
    open,
    { log: () => undefined },
  );
  const [only] = calls;
  if (!only) throw new Error("nothing was called");
  return only;
}

const bare = { origin: sample.origin, token: sample.token, idempotencyKey: null, file: null };

test.each<[method: string, path: string, json: Record<string, unknown> | null, called: unknown[]]>([
  ["POST", "/api/v1/contacts", { name: "Caio" }, ["contacts.create", { name: "Caio" }]],
  ["GET", "/api/v1/contacts/1", null, ["contacts.get", 1]],
  ["PUT", "/api/v1/contacts/1", { name: "Davi" }, ["contacts.update", 1, { name: "Davi" }]],
  ["GET", "/api/v1/contacts?number=5511", null, ["contacts.page", { number: "5511" }]],
  ["GET", "/api/v1/messages?ticketId=1", null, ["messages.page", { ticketId: 1 }]],
  ["GET", "/api/v1/tickets", null, ["tickets.page", {}]],
  ["GET", "/api/v1/tickets/1", null, ["tickets.get", 1]],
  ["PUT", "/api/v1/tickets/1", { queueId: 2 }, ["tickets.update", 1, { queueId: 2 }]],
  ["PUT", "/api/v1/tickets/1/tags", { tagIds: [1] }, ["tickets.setTags", 1, [1]]],
  ["POST", "/api/v1/tickets/1/draft", { body: "Olá!" }, ["tickets.draft", 1, "Olá!"]],
  ["GET", "/api/v1/tags", null, ["tags.page", {}]],
  ["GET", "/api/v1/queues", null, ["queues.list"]],
  ["GET", "/api/v1/templates?connectionId=3", null, ["templates.list", 3]],
])("the TypeScript of %s %s is a method of the client", async (method, path, json, called) => {
  const code = codeOf("typescript", { ...bare, method, path, json });
  expect(await runClient(code)).toEqual(called);
});

test("the TypeScript sends with its key, and files", async () => {
  const options = { idempotencyKey: "p-1" };
  expect(await runClient(codeOf("typescript", sample))).toEqual([
    ...["messages.send", sample.json, options],
  ]);
  const files = [{ name: "catálogo.pdf", content: "content of catálogo.pdf" }];
  expect(await runClient(codeOf("typescript", withFile))).toEqual([
    ...["messages.send", sample.json, { ...options, files }],
  ]);
  const legacy = {
    ...{ ...bare, method: "POST", path: "/api/messages/send" },
    json: { number: "5511987654321", body, idempotencyKey: "p-1" },
  };
  expect(await runClient(codeOf("typescript", legacy))).toEqual([
    ...["connection.send", { number: "5511987654321", body }, options],
  ]);
});

/** Runs the JavaScript with a `fetch` that notes what it was given. */
async function run(code: string): Promise<[url: string, init: RequestInit]> {
  const calls: [string, RequestInit][] = [];
  const answer = { status: 201, json: () => ({}) };
  const AsyncFunction = Object.getPrototypeOf(async () => undefined).constructor as new (
    ...texts: string[]
  ) => (...values: unknown[]) => Promise<void>;
  await new AsyncFunction("fetch", "openAsBlob", "console", code.replace(/^import.*/, ""))(
    (...call: [string, RequestInit]) => {
      calls.push(call);
      return Promise.resolve(answer);
    },
    () => new Blob(["%PDF"]),
    { log: () => undefined },
  );
  const [only] = calls;
  if (!only) throw new Error("nothing was fetched");
  return only;
}

test("the JavaScript makes the call itself, whatever is in the text", async () => {
  const [url, init] = await run(codeOf("javascript", sample));
  expect(url).toBe("https://chat.loja.com.br/api/v1/messages");
  expect(init.headers).toEqual({
    Authorization: "Bearer blc_live_abc",
    "Content-Type": "application/json",
    "Idempotency-Key": "p-1",
  });
  expect(JSON.parse(init.body as string)).toEqual(sample.json);
  const [, multipart] = await run(codeOf("javascript", withFile));
  const form = multipart.body as FormData;
  expect([form.get("body"), form.get("connectionId")]).toEqual([body, "3"]);
  expect((form.get("medias") as File).size).toBe("%PDF".length);
  expect(multipart.headers).not.toHaveProperty("Content-Type");
});

test("each language escapes in its own way", () => {
  expect(codeOf("curl", sample)).toBe(
    `curl 'https://chat.loja.com.br/api/v1/messages' \\
  -H 'Authorization: Bearer blc_live_abc' \\
  -H 'Content-Type: application/json' \\
  -H 'Idempotency-Key: p-1' \\
  -d '{
  "connectionId": 3,
  "number": "5511987654321",
  "body": "Dê \\"oi\\" à D'\\''Ávila: $HOME \\\\n\\nfim"
}'`,
  );
  expect(codeOf("curl", withFile)).toContain(
    `--form-string 'number=5511987654321' \\\n  --form-string 'body=Dê "oi" à D'\\''Ávila: $HOME \\n\nfim' \\\n  -F 'medias=@catálogo.pdf'`,
  );
  expect(codeOf("python", sample)).toContain(
    String.raw`        "body": "Dê \"oi\" à D'Ávila: $HOME \\n\nfim",`,
  );
  expect(codeOf("php", sample)).toContain(
    String.raw`        'body' => 'Dê "oi" à D\'Ávila: $HOME \\n` + "\nfim',",
  );
  expect(codeOf("python", { ...sample, json: { a: true, b: null, c: [1, { d: "x" }] } })).toContain(
    '        "a": True,\n        "b": None,\n        "c": [1, {"d": "x"}],\n',
  );
  expect(codeOf("php", { ...sample, json: { a: true, b: null, c: [1, { d: "x" }] } })).toContain(
    "        'a' => true,\n        'b' => null,\n        'c' => [1, ['d' => 'x']],\n",
  );
});

const document = {
  components: {
    schemas: {
      Tag: { type: "object", properties: { id: { type: "integer" }, name: { type: "string" } } },
    },
  },
  paths: {
    "/api/v1/tickets/{ticketId}": {
      put: {
        summary: "Changes a ticket",
        parameters: [{ name: "ticketId", in: "path", required: true, schema: { type: "integer" } }],
        requestBody: {
          content: {
            "application/json": {
              schema: {
                type: "object",
                required: ["status"],
                properties: {
                  status: { enum: ["open", "closed"] },
                  userId: { anyOf: [{ type: "integer" }, { type: "null" }] },
                  number: { type: "string" },
                },
              },
            },
          },
        },
        responses: {
          "200": {
            content: {
              "application/json": {
                schema: {
                  type: "object",
                  properties: {
                    tags: { type: "array", items: { $ref: "#/components/schemas/Tag" } },
                  },
                },
              },
            },
          },
          "4XX": { description: "ERR_NO_TICKET_FOUND" },
        },
      },
    },
  },
};

test("the reference reads parameters, fields and refusals of a document, also by reference", () => {
  const [call] = callsOf(document);
  expect(call).toMatchObject({
    ...{ method: "PUT", path: "/api/v1/tickets/{ticketId}", replyStatus: "200" },
    ...{ summary: "Changes a ticket", refusals: "ERR_NO_TICKET_FOUND" },
    parameters: [{ name: "ticketId", type: "integer", isRequired: true }],
    body: [
      { name: "status", type: '"open" | "closed"', isRequired: true },
      { name: "userId", type: "integer | null", isRequired: false },
      { name: "number", type: "string", isRequired: false },
    ],
  });
  expect(call?.reply.map(({ name, type }) => `${name} ${type}`)).toEqual([
    "tags object[]",
    "tags[].id integer",
    "tags[].name string",
  ]);
  const trial = { tokenKey: "", connectionId: null, number: "5511900001111", body: "" };
  expect(call && sampleOf(call, trial)).toMatchObject({
    ...{ method: "PUT", path: "/api/v1/tickets/1", idempotencyKey: null },
    json: { status: "open", number: "5511900001111" },
  });
  expect(callsOf("no document")).toEqual([]);
});
