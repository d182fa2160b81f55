import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { AnswerTooLarge, createGuardedFetch, RefusedAddress } from "./guarded-fetch.ts";

let requests: string[] = [];
const server = createServer((request, response) => {
  requests.push(request.url ?? "");
  if (request.url === "/redirect") {
    response.writeHead(302, { location: "http://169.254.169.254/" }).end();
  } else if (request.url === "/bomb") {
    response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(5_000_000)));
  } else if (request.url === "/echo") {
    const said = text(request).then((body) => `${request.method} ${body}`);
    void said.then((answer) => response.end(answer));
  } else if (request.url !== "/never") {
    response.end("hello");
  }
});
let port = 0;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test.each([
  "http://127.0.0.1:PORT/",
  "http://2130706433:PORT/",
  "http://0x7f.1:PORT/",
  "http://localhost:PORT/",
  "http://[::1]:PORT/",
  "http://[::ffff:127.0.0.1]:PORT/",
  "http://10.0.0.1/",
  "http://192.168.0.10/",
  "http://169.254.169.254/latest/meta-data",
  "http://0.0.0.0:PORT/",
  "http://8.8.8.8:22/",
  "http://8.8.8.8:5432/",
  "http://user:secret@8.8.8.8/",
  "ftp://8.8.8.8/",
  "file:///etc/passwd",
])("%s is refused before anything is sent", async (address) => {
  requests = [];
  const guarded = createGuardedFetch({ allowedHosts: [] });
  const asked = guarded(address.replace("PORT", String(port)), {
    signal: AbortSignal.timeout(5_000),
  });
  await expect(asked).rejects.toBeInstanceOf(RefusedAddress);
  expect(requests).toEqual([]);
});

test("the operator's exceptions name host and port", async () => {
  const guarded = createGuardedFetch({ allowedHosts: [`127.0.0.1:${port}`] });
  const answer = await guarded(`http://127.0.0.1:${port}/hello`);
  expect(await answer.text()).toBe("hello");
  const other = createGuardedFetch({ allowedHosts: [`127.0.0.1:${port + 1}`] });
  await expect(other(`http://127.0.0.1:${port}/`)).rejects.toBeInstanceOf(RefusedAddress);
  const all = createGuardedFetch({ allowedHosts: ["localhost:*"] });
  expect(await (await all(`http://localhost:${port}/`)).text()).toBe("hello");
});

test("a redirect is an answer and is not followed", async () => {
  const guarded = createGuardedFetch({ allowedHosts: ["127.0.0.1:*"] });
  const answer = await guarded(`http://127.0.0.1:${port}/redirect`);
  expect(answer.status).toBe(302);
});

test("bytes are counted after decompression", async () => {
  const guarded = createGuardedFetch({ allowedHosts: ["127.0.0.1:*"] });
  const answer = await guarded(`http://127.0.0.1:${port}/bomb`, { maxBytes: 100_000 });
  await expect(answer.text()).rejects.toBeInstanceOf(AnswerTooLarge);
});

test("it ends with the caller's signal", async () => {
  const guarded = createGuardedFetch({ allowedHosts: ["127.0.0.1:*"] });
  const asked = guarded(`http://127.0.0.1:${port}/never`, { signal: AbortSignal.timeout(50) });
  await expect(asked).rejects.toMatchObject({ name: "TimeoutError" });
});

test("a GET may have a body, under the same guards", async () => {
  const query = { body: '{"query":"á"}', headers: { authorization: "Basic x" } };
  const guarded = createGuardedFetch({ allowedHosts: ["127.0.0.1:*"] });
  const url = (path: string) => `http://127.0.0.1:${port}/${path}`;
  expect(await (await guarded(url("echo"), query)).text()).toBe('GET {"query":"á"}');
  expect((await guarded(url("redirect"), query)).status).toBe(302);
  const small = guarded(url("hello"), { ...query, maxBytes: 3 });
  await expect(small).rejects.toBeInstanceOf(AnswerTooLarge);
  const slow = guarded(url("never"), { ...query, signal: AbortSignal.timeout(50) });
  await expect(slow).rejects.toMatchObject({ name: "TimeoutError" });
  const strict = createGuardedFetch({ allowedHosts: [] });
  await expect(strict(url("echo"), query)).rejects.toBeInstanceOf(RefusedAddress);
});
