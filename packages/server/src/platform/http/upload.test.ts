import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import type { CompanyId, Endpoint, UserId } from "@balcao/contract";
import { limits } from "@balcao/contract";
import { pino } from "pino";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import type { Authenticator } from "../context.ts";
import { DomainError } from "../context.ts";
import { createMetrics } from "../metrics/metrics.ts";
import type { RouteHandler } from "./routes.ts";
import { createHttpServer } from "./server.ts";
import type { ReceivedUpload } from "./upload.ts";

type Attach = RouteHandler<"POST /quick-messages/:quickMessageId/media-upload">;
type Send = RouteHandler<"POST /messages/:ticketId">;

/** Everybody is let in: who may call is not this module's affair. */
const authenticator: Authenticator = {
  identify: async () => ({ companyId: 1 as CompanyId, userId: 1 as UserId, tokenVersion: 0 }),
  knownBrowser: () => null,
  authorise: async ({ companyId, userId }, _call, requestId) => ({
    companyId,
    requestId,
    actor: { kind: "user", userId, name: "Ana", profile: "user", super: false } as never,
  }),
  reload: async () => null,
};

const withTexts: Endpoint = {
  summary: "Sample",
  auth: "bearer",
  upload: {
    field: "files",
    maxFiles: 10,
    fields: z.object({ fileId: z.string(), name: z.array(z.string()).default([]) }),
  },
  reply: z.object({ mensagem: z.string() }),
  errors: [],
};

/** Records of the handlers, in order: names and sizes of files, and how each request ended. */
async function started(
  handlers: {
    attach?: Attach;
    send?: Send;
    /** A call that the product does not have, with a text that must be there. */
    list?: (upload: ReceivedUpload) => Promise<unknown>;
  } = {},
) {
  const seen: string[] = [];
  const http = await createHttpServer({
    options: {
      frontendOrigins: [],
      trustProxy: false,
      metricsToken: null,
      requestLimits: { perMinute: 60_000, authPerMinute: 60_000 },
      webRoot: null,
      version: "1",
      maxEventLoopDelayMs: 0,
    },
    log: pino({ level: "silent" }),
    metrics: createMetrics(),
    authenticator,
  });
  const readAll: Attach = async ({ upload }) => {
    try {
      for await (const { name, content } of upload.files())
        seen.push(`${name} ${await size(content)}`);
    } catch (error) {
      seen.push("failed");
      throw error;
    }
    return { mensagem: "ok" };
  };
  http.routes.handle(
    "POST /quick-messages/:quickMessageId/media-upload",
    handlers.attach ?? readAll,
  );
  http.routes.handle(
    "POST /messages/:ticketId",
    handlers.send ?? (() => Promise.reject(new DomainError("ERR_NO_TICKET_FOUND"))),
  );
  http.serveEndpoint("POST /list", withTexts, async ({ upload }) => {
    if (upload) await handlers.list?.(upload);
    return { mensagem: "ok" };
  });
  const port = await http.listen({ host: "127.0.0.1", port: 0 });
  onTestFinished(() => http.close());
  const send = async (path: string, init: RequestInit) => {
    const headers = new Headers(init.headers);
    headers.set("authorization", "Bearer x");
    const reply = await fetch(`http://127.0.0.1:${port}/api${path}`, {
      method: "POST",
      ...init,
      headers,
    });
    const body: unknown = await reply.json();
    return { status: reply.status, body };
  };
  return { port, seen, send };
}

async function size(content: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0;
  for await (const chunk of content) bytes += chunk.byteLength;
  return bytes;
}

const ATTACH = "/quick-messages/1/media-upload";

/** Files as a browser's form sends them. */
function form(
  files: Record<string, string | Uint8Array<ArrayBuffer>>,
  field = "file",
  texts: [string, string][] = [],
) {
  const data = new FormData();
  for (const [name, value] of texts) data.append(name, value);
  for (const [name, content] of Object.entries(files))
    data.append(field, new Blob([content]), name);
  return { body: data };
}

/** A request written byte by byte; answers all that came back until the connection closed or fell silent. */
async function raw(port: number, body: string, { bytes = body.length, end = true } = {}) {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  socket.write(
    `POST /api${ATTACH} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer x\r\nConnection: close\r\n` +
      `Content-Type: multipart/form-data; boundary=AaB\r\nContent-Length: ${bytes}\r\n\r\n${body}`,
  );
  if (end) socket.end();
  return { socket, answer: text(socket).catch(() => "") };
}

const part = (name: string, content: string) =>
  `--AaB\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n${content}`;

test("files arrive in their order with their names, and texts before them", async () => {
  const got: unknown[] = [];
  const { send } = await started({
    send: async ({ upload, body }) => {
      if (!upload) throw new Error("no upload");
      got.push(body, await upload.fields());
      for await (const file of upload.files()) got.push([file.name, await size(file.content)]);
      throw new DomainError("ERR_NO_TICKET_FOUND");
    },
  });
  const files = { "coração.png": new Uint8Array(200_000), "b.txt": "b" };
  await send(
    "/messages/1",
    form(files, "medias", [
      ["body", "um"],
      ["body", "dois"],
      ["mais", "x"],
    ]),
  );
  expect(got).toEqual([
    ...[undefined, expect.objectContaining({ body: ["um", "dois"], clientId: [] })],
    ...[
      ["coração.png", 200_000],
      ["b.txt", 1],
    ],
  ]);
});

test("the same call takes JSON, and then no files", async () => {
  let got: unknown;
  const { send } = await started({
    send: async ({ upload, body }) => {
      got = { upload, body };
      throw new DomainError("ERR_NO_TICKET_FOUND");
    },
  });
  const headers = { "content-type": "application/json" };
  await send("/messages/1", { headers, body: JSON.stringify({ body: "oi" }) });
  expect(got).toMatchObject({ upload: null, body: { body: "oi" } });
  const refused = await send("/messages/1", { headers, body: JSON.stringify({}) });
  expect(refused).toMatchObject({ status: 400, body: { code: "ERR_INVALID_REQUEST" } });
});

test("a call for files without any is told so by whoever needs one", async () => {
  const { send, seen } = await started();
  expect(await send(ATTACH, form({}, "file", [["typeArch", "quickMessage"]]))).toMatchObject({
    status: 200,
  });
  expect(await send(ATTACH, {})).toMatchObject({ status: 200 });
  expect(seen).toEqual([]);
});

test.each([
  [
    "a text of the wrong kind",
    form({ "a.txt": "a" }, "file", [["typeArch", "outro"]]),
    "body.typeArch",
  ],
  ["files under another name", form({ "a.txt": "a" }, "medias"), "body.medias"],
])("%s is refused with its path", async (_what, init, path) => {
  const { send, seen } = await started();
  expect(await send(ATTACH, init)).toMatchObject({
    status: 400,
    body: { code: "ERR_INVALID_REQUEST", data: { issues: [{ path }] } },
  });
  expect(seen).toEqual(["failed"]);
});

test("more files than a call takes are refused with how many it takes", async () => {
  const { send } = await started();
  expect(await send(ATTACH, form({ "a.txt": "a", "b.txt": "b" }))).toMatchObject({
    status: 413,
    body: { code: "ERR_TOO_MANY_FILES", data: { maxFiles: 1 } },
  });
});

test("texts that are too many or too long are refused, also behind a file", async () => {
  const { send } = await started();
  const many = Array.from({ length: 60 }, (_, index): [string, string] => [`t${index}`, "x"]);
  const long: [string, string][] = [["typeArch", "x".repeat(3 * limits.messageBodyMax + 1)]];
  const behind = form({ "a.txt": "a" });
  behind.body.append("typeArch", "outro");
  for (const init of [
    form({ "a.txt": "a" }, "file", many),
    form({ "a.txt": "a" }, "file", long),
    behind,
  ]) {
    expect(await send(ATTACH, init)).toMatchObject({
      status: 400,
      body: { code: "ERR_INVALID_REQUEST" },
    });
  }
});

test("texts come before, between and after the files, under the name that the call says", async () => {
  const got: unknown[] = [];
  const { send } = await started({
    list: async (upload) => {
      for await (const { name, content } of upload.files()) got.push([name, await size(content)]);
      got.push(await upload.fields());
    },
  });
  const { body } = form({ "a.txt": "a" }, "files", [["fileId", "4"]]);
  body.append("name", "um");
  body.append("files", new Blob(["bb"]), "b.txt");
  body.append("name", "dois");
  expect(await send("/list", { body })).toMatchObject({ status: 200 });
  expect(got).toEqual([["a.txt", 1], ["b.txt", 2], { fileId: "4", name: ["um", "dois"] }]);

  // No file is sent: the texts are there all the same.
  expect(await send("/list", form({}, "files", [["fileId", "5"]]))).toMatchObject({ status: 200 });
  expect(got.at(-1)).toEqual({ fileId: "5", name: [] });
});

test("before the files a handler gets the texts that precede them, and afterwards all", async () => {
  const got: unknown[] = [];
  const { send } = await started({
    list: async (upload) => {
      got.push(await upload.fields());
      for await (const { content } of upload.files()) got.push(await size(content));
      got.push(await upload.fields());
    },
  });
  const content = new Uint8Array(3_000_000);
  const { body } = form({ "a.bin": content }, "files", [["fileId", "4"]]);
  body.append("name", "um");
  body.append("name", "dois");
  expect(await send("/list", { body })).toMatchObject({ status: 200 });
  expect(got).toEqual([
    { fileId: "4", name: [] },
    3_000_000,
    { fileId: "4", name: ["um", "dois"] },
  ]);
});

test("a text that must be there is missed after the last file", async () => {
  const { send } = await started({
    list: async (upload) => {
      for await (const { content } of upload.files()) await size(content);
    },
  });
  expect(await send("/list", form({ "a.txt": "a" }, "files"))).toMatchObject({
    status: 400,
    body: { data: { issues: [{ path: "body.fileId" }] } },
  });
});

test("a call that takes no files refuses multipart", async () => {
  const { port } = await started();
  const reply = await fetch(`http://127.0.0.1:${port}/api/nowhere`, {
    method: "POST",
    ...form({ "a.txt": "a" }),
  });
  expect([404, 415]).toContain(reply.status);
});

test.each([
  ["without boundary lines", "nonsense", {}],
  ["that ends in the middle of a file", part("a.txt", "x".repeat(5_000)), {}],
  ["that ends in the middle of a header", `--AaB\r\nContent-Disposition: form-d`, {}],
  ["that never ends", part("a.txt", "x".repeat(300_000)), {}],
])("a body %s is a 400", async (_what, body) => {
  const { port, seen } = await started();
  const { answer } = await raw(port, body, { end: false });
  expect(await answer).toMatch(/^HTTP\/1.1 400 .*ERR_INVALID_REQUEST/s);
  expect(seen.filter((entry) => entry !== "failed")).toEqual([]);
});

test("a sender who goes away in the middle of a file ends its reading", async () => {
  const seen: string[] = [];
  const { promise: isRead, resolve: nowRead } = Promise.withResolvers<void>();
  const { port } = await started({
    attach: async ({ upload }) => {
      try {
        for await (const { content } of upload.files()) for await (const _ of content) nowRead();
      } catch (error) {
        seen.push("failed");
        throw error;
      }
      return { mensagem: "ok" };
    },
  });
  const { socket } = await raw(port, part("a.txt", "x".repeat(100_000)), {
    bytes: 1_000_000,
    end: false,
  });
  await isRead;
  socket.destroy();
  await expect.poll(() => seen).toEqual(["failed"]);
});

test("a refusal before the body was read reaches its sender, and the connection goes on", async () => {
  const { send } = await started();
  const content = new Uint8Array(20_000_000);
  for (let round = 0; round < 3; round += 1) {
    expect(await send("/messages/1", form({ "a.mp4": content }, "medias"))).toMatchObject({
      status: 404,
      body: { code: "ERR_NO_TICKET_FOUND" },
    });
  }
});

test("a handler may take its time before it reads", async () => {
  const sizes: number[] = [];
  const { send } = await started({
    attach: async ({ upload }) => {
      await delay(100);
      for await (const { content } of upload.files()) {
        await delay(100);
        sizes.push(await size(content));
      }
      return { mensagem: "ok" };
    },
  });
  expect(await send(ATTACH, form({ "a.txt": "a" }))).toMatchObject({ status: 200 });
  expect(await send(ATTACH, form({ "a.txt": "a".repeat(500_000) }))).toMatchObject({ status: 200 });
  expect(sizes).toEqual([1, 500_000]);
});

test("a handler may leave files, or the rest of one, unread", async () => {
  const names: string[] = [];
  const { send } = await started({
    send: async ({ upload }) => {
      if (!upload) throw new Error("no upload");
      for await (const { name, content } of upload.files()) {
        names.push(name);
        for await (const chunk of content) if (chunk.byteLength > 0) break;
      }
      throw new DomainError("ERR_NO_TICKET_FOUND");
    },
  });
  const files = { "a.bin": new Uint8Array(3_000_000), "b.bin": new Uint8Array(3_000_000) };
  expect(await send("/messages/1", form(files, "medias"))).toMatchObject({ status: 404 });
  expect(names).toEqual(["a.bin", "b.bin"]);
});

test("a name with path parts arrives without them", async () => {
  const { port, seen } = await started();
  const { answer } = await raw(port, `${part("../../etc/passwd", "x")}\r\n--AaB--\r\n`);
  expect(await answer).toMatch(/^HTTP\/1.1 200/);
  expect(seen).toEqual(["passwd 1"]);
});
