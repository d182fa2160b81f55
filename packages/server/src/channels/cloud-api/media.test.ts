import type { MediaKind, Message } from "@balcao/contract";
import { createHash } from "node:crypto";
import type { ServerResponse } from "node:http";
import { createServer } from "node:http";
import { Readable } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { MediaForged, MediaGone } from "../port.ts";
import { eventually } from "../testing/eventually.ts";
import { createGraph, GraphError } from "./graph.ts";
import { isTrusted, locatorOf, openMedia } from "./media.ts";
import { cloudWorld } from "./testing/cloud-office.ts";
import { contactOf, messageFrom } from "./testing/webhook-bodies.ts";

// A fourth try would keep the test waiting.
const world = await cloudWorld({ channelSettings: { fileRetriesMs: [20, 40, 60_000] } });
const { product, stub } = world;

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const picture = { mime: "image/png", name: "foto.png", content: png };

async function read(
  id: string,
  sha256?: string,
  media: MediaKind = "image",
): Promise<Buffer | "gone" | "forged" | "failed"> {
  const account = stub.newAccount();
  const graph = createGraph({
    baseUrl: stub.url,
    version: stub.version,
    callMs: 5_000,
    fileMs: 5_000,
  });
  const file = { media, mime: "image/png", locator: locatorOf({ id, sha256 }) };
  try {
    const pieces: Uint8Array[] = [];
    const content = await openMedia(graph, account, file, new AbortController().signal);
    for await (const piece of content) pieces.push(piece);
    return Buffer.concat(pieces);
  } catch (error) {
    if (error instanceof MediaForged) return "forged";
    return error instanceof MediaGone ? "gone" : "failed";
  }
}

test("a customer's file arrives with its message", async () => {
  const line = await world.newLine();
  const from = { phone: "5511966660001" };
  const id = stub.addFile(picture);
  const image = { id, mime_type: "image/png", caption: "Veja" };
  await line.deliver({
    contacts: [contactOf(from)],
    messages: [messageFrom(from, { type: "image", image })],
  });
  const ticket = await line.ticketOf(from.phone);
  await eventually(async () => {
    const [message] = await line.messages(ticket.id);
    expect(message).toMatchObject({ body: "Veja", media: { state: "ready", kind: "image" } });
  });
});

test("a file that leads elsewhere is not fetched, and its message says that it cannot be had", async () => {
  const line = await world.newLine();
  const from = { phone: "5511966660002" };
  let wasAsked = false;
  const elsewhere = await strangeServer((reply) => {
    wasAsked = true;
    reply.end(png);
  });
  const id = stub.addFile(picture, { at: `${elsewhere}/steal` });
  await line.deliver({
    messages: [messageFrom(from, { type: "image", image: { id, mime_type: "image/png" } })],
  });
  const ticket = await line.ticketOf(from.phone);
  await eventually(async () => {
    const [message] = await line.messages(ticket.id);
    expect(message?.media?.state).toBe("unavailable");
  });
  expect(wasAsked).toBe(false);
});

test("a file is believed for its hash and its size, which Meta writes in hex or base64", async () => {
  const hash = createHash("sha256").update(png);
  const base64 = hash.digest("base64");
  expect(await read(stub.addFile(picture))).toEqual(png);
  expect(await read(stub.addFile(picture, { sha256: base64 }))).toEqual(png);
  expect(await read(stub.addFile(picture, { sha256: "0".repeat(64) }))).toBe("forged");
  expect(await read(stub.addFile(picture, { bytes: png.byteLength - 1 }))).toBe("forged");
  expect(await read(stub.addFile(picture, { bytes: png.byteLength + 1 }))).toBe("forged");
  expect(await read("404")).toBe("gone");
});

test("a file whose hash is wrong is unavailable soon, without the long waits of other failures", async () => {
  const line = await world.newLine();
  const from = { phone: "5511966660003" };
  const id = stub.addFile(picture, { sha256: "0".repeat(64) });
  await line.deliver({
    messages: [messageFrom(from, { type: "image", image: { id, mime_type: "image/png" } })],
  });
  const ticket = await line.ticketOf(from.phone);
  await eventually(async () => {
    const [message] = await line.messages(ticket.id);
    expect(message?.media?.state).toBe("unavailable");
  });
});

test.each([
  ["https://lookaside.fbsbx.com/whatsapp_business/attachments/?mid=1", true],
  ["https://mmg.whatsapp.net/file", true],
  ["http://127.0.0.1:9/files/1", true],
  ["http://lookaside.fbsbx.com/x", false],
  ["https://fbsbx.com.evil.example/x", false],
  ["https://evilfbsbx.com/x", false],
  ["https://lookaside.fbsbx.com:8443/x", false],
  ["http://127.0.0.1:10/files/1", false],
  ["http://169.254.169.254/latest", false],
])("%s may be asked for media: %s", (url, trusted) => {
  expect(isTrusted(new URL(url), "http://127.0.0.1:9")).toBe(trusted);
});

test("a file goes to Meta once, and a second attempt sends the same one", async () => {
  const line = await world.newLine();
  const phone = "5511966660003";
  await line.writes({ phone }, "Manda a foto?");
  const ticket = await line.ticketOf(phone);
  await product.idle();
  const before = stub.uploads.length;
  stub.faults.push({ code: 131_016, status: 500 });
  const form = new FormData();
  form.append("body", "Aqui está");
  form.append("medias", new Blob([png], { type: "image/png" }), "foto.png");
  const reply = await fetch(`${product.url}/api/messages/${ticket.id}`, {
    method: "POST",
    headers: { authorization: `Bearer ${line.admin.token}` },
    body: form,
  });
  expect([reply.status, await reply.json()]).toEqual([200, expect.anything()]);
  const [sent] = await line.sent(1);
  const uploads = stub.uploads.slice(before);
  expect(uploads).toMatchObject([{ mime: "image/png", content: png }]);
  expect(sent?.body).toMatchObject({
    type: "image",
    image: { id: uploads[0]?.id, caption: "Aqui está" },
  });
  await eventually(async () => {
    const last: Message | undefined = (await line.messages(ticket.id)).at(-1);
    expect(last?.ack).toBe(2);
  });
});

test("an upload's answer is read up to a limit only", async () => {
  let written = 0;
  const baseUrl = await strangeServer((reply) => {
    const piece = Buffer.alloc(1024 * 1024, " ");
    const more = (): void => {
      while (written < 100 && !reply.destroyed) {
        written += 1;
        if (!reply.write(piece)) return void reply.once("drain", more);
      }
      reply.end();
    };
    more();
  });
  const graph = createGraph({ baseUrl, version: "v1", callMs: 20_000, fileMs: 20_000 });
  const file = { mime: "image/png", name: "a.png", bytes: 3, content: Readable.from(["abc"]) };
  const upload = graph.upload(
    { accessToken: "t", phoneNumberId: "1" },
    file,
    new AbortController().signal,
  );
  await expect(upload).rejects.toThrow(GraphError);
  expect(written).toBeLessThan(100);
});

/** A server that is not Meta's. */
async function strangeServer(answer: (reply: ServerResponse) => void): Promise<string> {
  const server = createServer((_request, reply) => answer(reply));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no TCP address");
  return `http://127.0.0.1:${address.port}`;
}
