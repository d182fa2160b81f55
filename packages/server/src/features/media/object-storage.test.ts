import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { afterEach, beforeAll, expect, test } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenUser } from "../../testing/given.ts";
import { picture } from "../../testing/media-samples.ts";
import { startObjectStorage } from "../../testing/object-storage.ts";
import { attached } from "./testing/attached.ts";

const storage = await startObjectStorage();
let app: TestApp;
let admin: GivenUser;
beforeAll(async () => {
  const fileRetriesMs = Array.from({ length: 100 }, () => 50);
  const channelSettings = { fileRetriesMs, lookEveryMs: 100 };
  app = await testApp({ environment: storage.environment, channelSettings });
  admin = await app.given.admin();
});
afterEach(() => storage.behave(() => "serve"));

const filesOfCompany = () =>
  app.database.db.acrossCompanies((tx) =>
    tx.query<{ key: string }>(sql`select key from files where company_id = ${admin.companyId}`),
  );

test("files are in the storage, and browsers keep our addresses, in parts too", async () => {
  const content = new Uint8Array(await picture("png"));
  const { path, key } = await attached(app, admin, "logo.png", content);
  expect(path).toMatch(/^\/public\/company\d+\//);
  expect(storage.requests).toContain(
    `PUT /balcao/inbox/media/company${admin.companyId}/${key}?x-id=PutObject`,
  );
  const whole = await fetch(`${app.url}${path}`);
  expect(Buffer.from(await whole.arrayBuffer())).toEqual(Buffer.from(content));
  const tag = whole.headers.get("etag") ?? "";
  const part = await fetch(`${app.url}${path}`, { headers: { range: "bytes=1-3" } });
  expect([part.status, await part.text(), part.headers.get("etag")]).toEqual([206, "PNG", tag]);
  const same = await fetch(`${app.url}${path}`, { headers: { "if-none-match": tag } });
  expect(same.status).toBe(304);
  // The thumbnail was made from a copy that is gone again.
  expect(await readdir(join(app.dataDir, "copies"))).toEqual([]);
  expect(await readdir(app.dataDir)).not.toContain("media");
});

test("while the storage is away calls answer 503, and an upload leaves nothing", async () => {
  const { path } = await attached(app, admin, "nota.txt", "texto");
  const before = await filesOfCompany();
  storage.behave(() => "cut");
  const read = await fetch(`${app.url}${path}`);
  expect([read.status, await read.json()]).toMatchObject([503, { code: "ERR_UNAVAILABLE" }]);
  expect(read.headers.get("retry-after")).toBe("5");
  expect(read.headers.get("cache-control") ?? "").not.toContain("immutable");
  storage.behave(({ method }) => (method === "PUT" ? "fail" : "serve"));
  await expect(attached(app, admin, "outra.txt", "texto")).rejects.toThrow("ERR_UNAVAILABLE");
  storage.behave(() => "serve");
  expect(await filesOfCompany()).toEqual(before);
  expect((await fetch(`${app.url}${path}`)).status).toBe(200);
  const metrics = await (await fetch(`${app.url}/metrics`)).text();
  expect(metrics).toMatch(/balcao_storage_failures_total\{operation="open"\} [1-9]/);
  expect(metrics).toMatch(/balcao_storage_failures_total\{operation="put"\} [1-9]/);
});

test("a customer's file is fetched again until the storage takes it", async () => {
  const connectionId = await app.given.connection({
    company: { id: admin.companyId, name: "" },
  });
  // The client of the storage tries three times by itself.
  let refused = 0;
  storage.behave(({ method, url }) => {
    if (method !== "PUT" || !url?.includes("/media/") || refused === 4) return "serve";
    refused += 1;
    return "fail";
  });
  const form = new FormData();
  form.set("as", "document");
  form.set("file", new Blob(["conteúdo"]), "pedido.txt");
  const chat = `/simulator/connections/${connectionId}/chats/5511944445555/messages`;
  const sent = await fetch(`${app.url}/api${chat}`, {
    method: "POST",
    headers: { authorization: `Bearer ${admin.token}` },
    body: form,
  });
  expect(sent.status).toBe(200);
  const states = () =>
    app.database.db.acrossCompanies((tx) =>
      tx.query<{ state: string }>(
        sql`select state from message_media where company_id = ${admin.companyId} and name = 'pedido.txt'`,
      ),
    );
  await expect.poll(states).toEqual([{ state: "ready" }]);
  expect(refused).toBe(4);
});
