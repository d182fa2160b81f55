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
