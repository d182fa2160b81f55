import type { CompanyId } from "@balcao/contract";
import { request } from "node:http";
import { beforeAll, expect, test } from "vitest";
import type { MediaKey } from "../../platform/media/media-store.ts";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenUser } from "../../testing/given.ts";
import { pdf, picture } from "../../testing/media-samples.ts";
import { createSignedPaths } from "./index.ts";
import { attached } from "./testing/attached.ts";

const TEXT = "0123456789";

let app: TestApp;
let agent: GivenUser;
let stranger: GivenUser;
let text: { path: string; key: string };
/** The path of `text` without its signature. */
let bare: string;

beforeAll(async () => {
  app = await testApp();
  agent = await app.given.agent({ company: await app.given.company() });
  stranger = await app.given.admin({ company: await app.given.company() });
  text = await attached(app, agent, "relatório (1).txt", TEXT);
  bare = text.path.replace(/\?.*/, "");
});

const get = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  fetch(`${app.url}${path}`, { method, headers });
const as = (user: GivenUser) => ({ authorization: `Bearer ${user.token}` });

/** The path as it is written, which fetch would tidy up. */
function rawStatus(path: string): Promise<number> {
  const { hostname, port } = new URL(app.url);
  return new Promise((resolve, reject) => {
    request({ hostname, port, path, headers: as(agent) }, (reply) => {
      reply.resume();
      resolve(reply.statusCode ?? 0);
    })
      .on("error", reject)
      .end();
  });
}

test("a signed address opens its file to whoever has it, a bearer to the company", async () => {
  const signed = await get(text.path);
  expect([signed.status, await signed.text()]).toEqual([200, TEXT]);
  const known = await get(bare, as(agent));
  expect([known.status, await known.text()]).toEqual([200, TEXT]);
  expect((await get(`${text.path}&download=1`)).status).toBe(200);
  // Other clients put the path behind their base URL, which ends in `/api`.
  for (const reply of [await get(`/api${text.path}`), await get(`/api${bare}`, as(agent))]) {
    expect([reply.status, await reply.text()]).toEqual([200, TEXT]);
  }
  expect((await get(`/api${bare}`)).status).toBe(404);
});

test("for everybody else the reply is that of a missing file", async () => {
  const { key } = text;
  const answers = [
    await get(bare),
    await get(bare, as(stranger)),
    await get(bare, { authorization: "Bearer nonsense" }),
    await get(text.path.replace(/sig=./, (sign) => (sign === "sig=_" ? "sig=-" : "sig=_"))),
    await get(text.path.replace(/exp=\d+/, "exp=9999999999")),
    await get(text.path.replace(/&sig=.*/, "&sig=")),
    await get(text.path.replace(/company\d+/, `company${stranger.companyId}`), as(stranger)),
    await get(bare.replace(key, "00000000-0000-7000-8000-000000000000.txt"), as(agent)),
    await get(bare.replace(key, "nada"), as(agent)),
  ];
  const bodies = await Promise.all(answers.map((answer): Promise<unknown> => answer.json()));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([404]));
  for (const body of bodies) expect(body).toMatchObject({ code: "ERR_ROUTE_NOT_FOUND" });
});

test("folders are not listed, and no path leads out of the folder", async () => {
  const folder = bare.replace(/\/[^/]+$/, "");
  for (const path of [
    ...["/public", "/public/", folder, `${folder}/`, `${folder}/..`, `${folder}/../incoming`],
    ...[`${folder}/..%2f..%2fsecret`, `${folder}/%2e%2e%2fincoming`, `${folder}//etc/passwd`],
    ...[`${folder}/%00`, `${folder}/${"a".repeat(600)}`, `${folder}/%ff`, "/public/company0/a"],
  ]) {
    expect([400, 404], path).toContain(await rawStatus(path));
  }
});

test("an address stays the same for an hour, opens for a day at least and not for ever", async () => {
  const later = await testApp();
  const user = await later.given.agent();
  const { id, path } = await attached(later, user, "nota.txt", TEXT);
  const read = async () => {
    const reply = await later.as(user).get<{ mediaPath: string }>(`/quick-messages/${id}`);
    return reply.body.mediaPath;
  };
  const status = async (address: string) => (await fetch(`${later.url}${address}`)).status;
  const [again, at] = [await read(), later.clock.now().getMinutes()];
  // Unless the hour has just ended.
  if (at < 59) expect(again).toBe(path);
  later.clock.advance(24 * 3_600_000);
  expect(await status(path)).toBe(200);
  later.clock.advance(2 * 3_600_000);
  expect(await status(path)).toBe(404);
});

test.each([
  ["bytes=2-4", 206, "234", "bytes 2-4/10"],
  ["bytes=7-", 206, "789", "bytes 7-9/10"],
  ["bytes=-3", 206, "789", "bytes 7-9/10"],
  ["bytes=-30", 206, TEXT, "bytes 0-9/10"],
  ["bytes=8-99", 206, "89", "bytes 8-9/10"],
  ["bytes=10-", 416, "", "bytes */10"],
  ["bytes=-0", 416, "", "bytes */10"],
  ["bytes=4-2", 200, TEXT, null],
  ["bytes=0-1,3-4", 200, TEXT, null],
  ["lines=1-2", 200, TEXT, null],
])("the range %s is answered with %i", async (range, status, content, contentRange) => {
  const reply = await get(text.path, { range });
  expect([reply.status, await reply.text()]).toEqual([status, content]);
  expect(reply.headers.get("content-range")).toBe(contentRange);
});

test("HEAD tells size and type without content", async () => {
  const reply = await get(text.path, {}, "HEAD");
  expect([reply.status, await reply.text()]).toEqual([200, ""]);
  expect(reply.headers.get("content-length")).toBe("10");
  expect(reply.headers.get("accept-ranges")).toBe("bytes");
  expect((await get(bare, {}, "HEAD")).status).toBe(404);
});

test("a browser keeps a file, and asks with its mark", async () => {
  const first = await get(text.path);
  expect(first.headers.get("cache-control")).toMatch(/private.*immutable/);
  const etag = first.headers.get("etag") ?? "";
  const again = await get(text.path, { "if-none-match": etag });
  expect([again.status, await again.text()]).toEqual([304, ""]);
  expect((await get(text.path, { range: "bytes=0-1", "if-range": `"other"` })).status).toBe(200);
  expect((await get(text.path, { range: "bytes=0-1", "if-range": etag })).status).toBe(206);
});

test("pictures, sounds, videos and PDFs are shown, all else is saved under its name", async () => {
  const png = await attached(app, agent, "foto.png", new Uint8Array(await picture("png")));
  const shown = await get(png.path);
  expect(shown.headers.get("content-type")).toBe("image/png");
  expect(shown.headers.get("content-disposition")).toMatch(/^inline; filename="foto.png"/);
  const saved = await get(`${png.path}&download=1`);
  expect(saved.headers.get("content-disposition")).toMatch(/^attachment; filename="foto.png"/);

  const document = await attached(app, agent, "boleto.pdf", new Uint8Array(pdf()));
  expect((await get(document.path)).headers.get("content-disposition")).toMatch(/^inline/);

  const note = (await get(text.path)).headers.get("content-disposition");
  expect(note).toBe(
    `attachment; filename="relat_rio (1).txt"; filename*=UTF-8''relat%C3%B3rio%20%281%29.txt`,
  );
});

test("a served file cannot run scripts in the browser", async () => {
  const { headers } = await get(text.path);
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("content-security-policy")).toMatch(/default-src 'none'.*sandbox/);
});

test("clients that are hosted elsewhere may read files, as far as they are configured", async () => {
  const other = await testApp({ environment: { BALCAO_FRONTEND_ORIGINS: "https://app.example" } });
  const { path } = await attached(other, await other.given.agent(), "nota.txt", TEXT);
  const from = (origin: string) => fetch(`${other.url}${path}`, { headers: { origin } });
  const allowed = await from("https://app.example");
  expect(allowed.headers.get("access-control-allow-origin")).toBe("https://app.example");
  expect(allowed.headers.get("cross-origin-resource-policy")).toBe("cross-origin");
  const refused = await from("https://evil.example");
  expect(refused.headers.get("access-control-allow-origin")).toBeNull();
});

test("addresses are absolute where the operator says how the product is reached", async () => {
  const other = await testApp({ environment: { BALCAO_PUBLIC_URL: "https://inbox.example/" } });
  const { path } = await attached(other, await other.given.agent(), "nota.txt", TEXT);
  expect(path).toMatch(/^https:\/\/inbox\.example\/public\/company\d+\//);
});

test.each([
  ["2026-05-04T09:00:00Z", "a day before", true],
  ["2026-05-05T09:20:00Z", "by a clock that is ahead", true],
  ["2026-05-03T08:00:00Z", "longer ago than it lasts", false],
  ["9999-01-01T00:00:00Z", "without an end", false],
])("an address made at %s, %s: %s", (made, _when, isValid) => {
  const paths = createSignedPaths("secret");
  const key = "01990000-0000-7000-8000-000000000000.jpg" as MediaKey;
  const company = 7 as CompanyId;
  const { searchParams } = new URL(paths.of(company, key, new Date(made)), "http://localhost");
  const signature = { exp: searchParams.get("exp") ?? "", sig: searchParams.get("sig") ?? "" };
  const now = new Date("2026-05-05T08:30:00Z");
  expect(paths.isValid(company, key, signature, now)).toBe(isValid);
});
