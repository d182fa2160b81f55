import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import type { RequestOptions } from "node:http";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import type { FastifyInstance } from "fastify";
import { fastify } from "fastify";
import sharp from "sharp";
import { expect, onTestFinished, test } from "vitest";
import { serveHashedFiles, serveWeb } from "./files.ts";
import type { LookOfHost, PageLook } from "./page.ts";
import { dressPage } from "./page.ts";

const look = (wish: Partial<PageLook> = {}): PageLook => ({
  ...{ name: "Conecta", facts: { owner: "Conecta Sul" }, style: "", icon: null, color: "#7a1fa2" },
  ...wish,
});

const source = await readFile(new URL("../../../../web/index.html", import.meta.url), "utf8");
const icon = await readFile(new URL("../../../../web/public/icon.svg", import.meta.url), "utf8");

test("the product's page takes every part of a brand", () => {
  const page = dressPage(source, look({ style: ":root{--bc-brand:#7a1fa2}" }), icon);
  expect(page).toContain('<html data-product="Conecta" data-owner="Conecta Sul" lang="pt-BR"');
  expect(page).toContain("<title>Conecta</title>");
  expect(page).toContain('aria-label="Conecta"');
  expect(page).toContain("<style>:root{--bc-brand:#7a1fa2}</style></head>");
  const [, coded = ""] =
    /<link rel="icon" href="data:image\/svg\+xml;base64,([^"]+)"/.exec(page) ?? [];
  expect(Buffer.from(coded, "base64").toString()).toContain('fill="#7a1fa2"');
  expect(page).not.toMatch(/Balcão/);
  expect(dressPage(source, look({ icon: "/public/brand/a.png" }), icon)).toContain(
    '<link rel="icon" href="/public/brand/a.png" />',
  );
});

test("scripts are the same in every brand, as the content security policy knows them by their hash", () => {
  const scripts = (page: string) =>
    [...page.matchAll(/<script>([^]*?)<\/script>/g)].map(([all]) => all);
  expect(scripts(dressPage(source, look(), icon))).toEqual(scripts(source));
  expect(scripts(source)).toHaveLength(1);
});

test("texts of a brand are texts in the page, never markup", () => {
  const name = `"><script>alert(1)</script>'$&$1`;
  const page = dressPage(source, look({ name, facts: { owner: name } }), null);
  expect(page).not.toContain("<script>alert");
  expect(page).toContain(
    "<title>&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&#39;$&amp;$1</title>",
  );
});

const logo = await sharp({ create: { width: 40, height: 20, channels: 3, background: "#7a1fa2" } })
  .png()
  .toBuffer();

async function serve(lookOf: LookOfHost, trustProxy = false) {
  const root = await mkdtemp(join(tmpdir(), "balcao-page-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  await writeFile(join(root, "index.html"), "<html><head><title>Balcão</title></head></html>");
  const app = fastify({ trustProxy: trustProxy && ((_address, hop) => hop === 0) });
  onTestFinished(() => app.close());
  await serveWeb(app, root, lookOf, async () => ({ mime: "image/png", content: logo }));
  serveHashedFiles(app, "/public/brand", async (name) =>
    name === "ab.png" ? { mime: "image/png", content: Buffer.from("bytes") } : null,
  );
  await app.listen({ host: "127.0.0.1", port: 0 });
  return (path: string, headers: Record<string, string> = {}, method = "GET") =>
    sendTo(app, { path, method, headers: { accept: "text/html", ...headers } });
}

type Answer = { status: number; headers: Record<string, unknown>; body: Buffer };

/** `fetch` sets the host itself. */
function sendTo(app: FastifyInstance, options: RequestOptions): Promise<Answer> {
  const address = app.server.address();
  if (address === null || typeof address === "string") throw new Error("no TCP address");
  return new Promise((resolve, reject) => {
    const asking = request({ ...options, host: "127.0.0.1", port: address.port }, (reply) => {
      const chunks: Buffer[] = [];
      reply.on("data", (chunk: Buffer) => chunks.push(chunk));
      reply.on("end", () => {
        const { statusCode: status = 0, headers } = reply;
        resolve({ status, headers, body: Buffer.concat(chunks) });
      });
    });
    asking.on("error", reject);
    asking.end();
  });
}

const titleOf = ({ body }: Answer) => /<title>(.*)<\/title>/.exec(body.toString())?.[1];
const branded = look();
const onlyConecta: LookOfHost = async (host) => (host === "conecta.example" ? branded : null);

test("a host gets its page, compressed as the browser takes it, and nothing while it is the same", async () => {
  const send = await serve(onlyConecta);
  const host = "conecta.example:8443";
  const plain = await send("/login", { host });
  expect(titleOf(plain)).toBe("Conecta");
  expect(plain.headers).toMatchObject({
    ...{ "cache-control": "no-cache", vary: "accept-encoding" },
    ...{ "content-type": "text/html; charset=utf-8", "content-length": String(plain.body.length) },
  });
  const br = await send("/", { host, "accept-encoding": "gzip, deflate, br" });
  expect(br.headers["content-encoding"]).toBe("br");
  expect(brotliDecompressSync(br.body)).toEqual(plain.body);
  const gz = await send("/", { host, "accept-encoding": "gzip, br;q=0" });
  expect(gz.headers["content-encoding"]).toBe("gzip");
  expect(gunzipSync(gz.body)).toEqual(plain.body);
  const etag = String(plain.headers["etag"]);
  const same = await send("/", { host, "if-none-match": `"other", ${etag}` });
  expect([same.status, same.body.length]).toEqual([304, 0]);
  const head = await send("/", { host }, "HEAD");
  expect([head.status, head.body.length]).toEqual([200, 0]);
  expect(head.headers["content-length"]).toBe(String(plain.body.length));
});

test("the manifest and the icons of the app are the host's", async () => {
  const send = await serve(async (host) =>
    host === "conecta.example" ? look({ icon: "/public/brand/ab.png" }) : null,
  );
  const manifestOf = async (host: string, lang: string) =>
    JSON.parse(
      (await send(`/manifest.webmanifest?lang=${lang}`, { host })).body.toString(),
    ) as object;
  expect(await manifestOf("conecta.example", "es")).toMatchObject({
    ...{ name: "Conecta", theme_color: "#7a1fa2", lang: "es", start_url: "/tickets" },
    share_target: expect.objectContaining({ action: "/share", method: "POST" }),
    icons: expect.arrayContaining([
      { src: "/app-icon-512.png", sizes: "512x512", type: "image/png", purpose: "maskable" },
    ]),
  });
  expect(await manifestOf("other.example", "<b>")).toMatchObject({ name: "Balcão", lang: "pt-BR" });
  const form = { "content-type": "multipart/form-data; boundary=a" };
  const shared = await send("/share", form, "POST");
  expect([shared.status, shared.headers["location"]]).toEqual([303, "/tickets?shared"]);
  const icon = await send("/app-icon-192.png", { host: "conecta.example" });
  const { width, height, format } = await sharp(icon.body).metadata();
  expect([width, height, format]).toEqual([192, 192, "png"]);
  const etag = String(icon.headers["etag"]);
  const same = await send("/app-icon-192.png", { host: "conecta.example", "if-none-match": etag });
  expect(same.status).toBe(304);
});

test("a host without a brand gets the product's own page and icon", async () => {
  const send = await serve(async (host) =>
    host === "conecta.example" ? look({ icon: "/public/brand/ab.png" }) : null,
  );
  expect(titleOf(await send("/", { host: "other.example" }))).toBe("Balcão");
  const iconOf = async (host: string) => (await send("/favicon.ico", { host })).headers["location"];
  expect(await iconOf("other.example")).toBe("/icon.svg");
  expect(await iconOf("conecta.example")).toBe("/public/brand/ab.png");
});

const hostile = ["__proto__", "constructor", "a@evil.example", "a".repeat(4_000), "../x", "[::1]"];

test("a host is only looked up, whatever it is, and never comes back", async () => {
  const asked: string[] = [];
  const send = await serve(async (name) => {
    asked.push(name);
    return branded;
  });
  for (const host of hostile) {
    const reply = await send("/", { host });
    expect(reply.status).toBe(200);
    expect(reply.body.toString() + JSON.stringify(reply.headers)).not.toContain(host);
  }
  expect(asked).toHaveLength(hostile.length);
});

test("a forwarded host counts only from a trusted proxy", async () => {
  const headers = { host: "inner", "x-forwarded-host": "conecta.example" };
  expect(titleOf(await (await serve(onlyConecta))("/", headers))).toBe("Balcão");
  expect(titleOf(await (await serve(onlyConecta, true))("/", headers))).toBe("Conecta");
});

test("an image is kept for a year, cannot do anything, and is nothing but its type", async () => {
  const send = await serve(onlyConecta);
  const image = await send("/public/brand/ab.png");
  expect(image).toMatchObject({
    status: 200,
    headers: {
      ...{ "content-type": "image/png", "x-content-type-options": "nosniff" },
      "cache-control": "public, max-age=31536000, immutable",
      "content-security-policy": expect.stringMatching(/default-src 'none'.*sandbox/),
    },
  });
  expect(image.body.toString()).toBe("bytes");
  expect((await send("/public/brand/cd.png")).status).toBeGreaterThanOrEqual(400);
});
