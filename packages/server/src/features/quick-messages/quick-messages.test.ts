import type { QuickMessage } from "@balcao/contract";
import { companyEventNames } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenUser } from "../../testing/given.ts";

let app: TestApp;
let agent: GivenUser;
let colleague: GivenUser;
let admin: GivenUser;
let stranger: GivenUser;

beforeAll(async () => {
  app = await testApp();
  const company = await app.given.company();
  agent = await app.given.agent({ company });
  colleague = await app.given.agent({ company });
  admin = await app.given.admin({ company });
  stranger = await app.given.admin({ company: await app.given.company() });
});

const notFound = { status: 404, body: { error: "ERR_NO_QUICKMESSAGE_FOUND" } };
const forbidden = { status: 403, body: { error: "ERR_NO_PERMISSION" } };

async function created(user: GivenUser, body: Record<string, unknown>): Promise<QuickMessage> {
  const reply = await app.as(user).post<QuickMessage>("/quick-messages", body);
  expect(reply.status).toBe(200);
  return reply.body;
}

async function attach(user: GivenUser, id: number, name: string, content: string) {
  const body = new FormData();
  body.append("typeArch", "quickMessage");
  body.append("file", new Blob([content]), name);
  const reply = await fetch(`${app.url}/api/quick-messages/${id}/media-upload`, {
    method: "POST",
    headers: { authorization: `Bearer ${user.token}` },
    body,
  });
  const answer: unknown = await reply.json();
  return { status: reply.status, body: answer };
}

const read = async (user: GivenUser, id: number) =>
  (await app.as(user).get<QuickMessage>(`/quick-messages/${id}`)).body;

const fileRows = () =>
  app.database.db.acrossCompanies((tx) => tx.query<{ key: string }>(sql`select key from files`));

test("an agent creates, reads, changes and deletes personal quick messages", async () => {
  const made = await created(agent, { shortcode: "  oi ", message: "Olá {{firstName}}" });
  expect(made).toMatchObject({
    ...{ shortcode: "oi", message: "Olá {{firstName}}", geral: false, status: true },
    ...{ isMedia: false, mediaPath: null, userId: agent.id, companyId: agent.companyId },
  });
  const own = app.as(agent);
  const path = `/quick-messages/${made.id}`;
  expect(await own.get(path)).toMatchObject({ status: 200, body: { id: made.id } });
  const changed = {
    shortcode: "ola",
    message: "Oi",
    status: false,
    userId: admin.id,
    mediaPath: "/etc",
  };
  expect(await own.put(path, changed)).toMatchObject({
    status: 200,
    body: { shortcode: "ola", status: false, userId: agent.id, mediaPath: null },
  });
  expect(await own.delete(path)).toMatchObject({ body: { message: "Contact deleted" } });
  expect(await own.get(path)).toMatchObject(notFound);
});

test("a shortcode of blanks is refused, at making and at changing", async () => {
  const { id } = await created(agent, { shortcode: "a" });
  const refused = { status: 400, body: { error: "ERR_QUICKMESSAGE_REQUIRED" } };
  expect(await app.as(agent).post("/quick-messages", { shortcode: "  " })).toMatchObject(refused);
  const change = app.as(agent).put(`/quick-messages/${id}`, { shortcode: " " });
  expect(await change).toMatchObject(refused);
});

test("only admins create and change the company's quick messages", async () => {
  const wish = { shortcode: "todos", geral: true };
  expect(await app.as(agent).post("/quick-messages", wish)).toMatchObject(forbidden);
  const shared = await created(admin, wish);
  const path = `/quick-messages/${shared.id}`;
  expect(await app.as(agent).get(path)).toMatchObject({ status: 200 });
  expect(await app.as(agent).put(path, { shortcode: "meu" })).toMatchObject(forbidden);
  expect(await app.as(agent).delete(path)).toMatchObject(forbidden);
  expect(await attach(agent, shared.id, "a.txt", "a")).toMatchObject(forbidden);
  expect(await app.as(admin).put(path, { ...wish, message: "Oi" })).toMatchObject({ status: 200 });

  const own = await created(agent, { shortcode: "meu" });
  const share = app.as(agent).put(`/quick-messages/${own.id}`, { ...own, geral: true });
  expect(await share).toMatchObject(forbidden);
});

test("a colleague's personal ones are not found; admins may change them, and their owner stays", async () => {
  const { id } = await created(agent, { shortcode: "particular" });
  const path = `/quick-messages/${id}`;
  for (const user of [colleague, stranger]) {
    const other = app.as(user);
    expect(await other.get(path)).toMatchObject(notFound);
    expect(await other.put(path, { shortcode: "x" })).toMatchObject(notFound);
    expect(await other.delete(path)).toMatchObject(notFound);
    expect(await other.delete(`${path}/media-upload`)).toMatchObject(notFound);
    expect(await attach(user, id, "a.txt", "a")).toMatchObject(notFound);
  }
  const change = await app.as(admin).put<QuickMessage>(path, { shortcode: "revisto" });
  expect(change.body).toMatchObject({ shortcode: "revisto", userId: agent.id });
});

test("the lists hold the caller's own and the company's, by shortcode without accents", async () => {
  const company = await app.given.company();
  const boss = await app.given.admin({ company });
  const one = await app.given.agent({ company });
  const two = await app.given.agent({ company });
  for (const shortcode of ["zebra", "água"]) await created(one, { shortcode });
  await created(boss, { shortcode: "Barco", geral: true });
  await created(two, { shortcode: "alheio" });
  const all = await app.as(one).get<QuickMessage[]>("/quick-messages/list?companyId=1&userId=1");
  expect(all.body.map(({ shortcode }) => shortcode)).toEqual(["água", "Barco", "zebra"]);
  const page = await app.as(one).get("/quick-messages?searchParam=AGUA");
  expect(page.body).toMatchObject({ count: 1, hasMore: false, records: [{ shortcode: "água" }] });
  for (let index = 0; index < 20; index += 1) await created(one, { shortcode: `n${index}` });
  expect((await app.as(one).get("/quick-messages?pageNumber=1")).body).toMatchObject({
    ...{ count: 23, hasMore: true },
  });
  const last = await app.as(one).get<{ records: unknown[] }>("/quick-messages?pageNumber=2");
  expect(last.body).toMatchObject({ count: 23, hasMore: false });
  expect(last.body.records).toHaveLength(3);
});

test("an attachment is served by its address, replaced by the next one and removed", async () => {
  const { id } = await created(agent, { shortcode: "anexo" });
  const before = await fileRows();
  expect(await attach(agent, id, "tabela de preços.csv", "a;b")).toEqual({
    status: 200,
    body: { mensagem: "Arquivo Anexado" },
  });
  const first = await read(agent, id);
  expect(first).toMatchObject({
    isMedia: true,
    mediaName: "tabela de preços.csv",
    mediaMime: "text/csv",
  });
  const served = await fetch(`${app.url}${first.mediaPath}`);
  expect([served.status, await served.text()]).toEqual([200, "a;b"]);
  expect(served.headers.get("content-disposition")).toContain("tabela%20de%20pre%C3%A7os.csv");

  await attach(agent, id, "nova.txt", "nova");
  expect(await read(agent, id)).toMatchObject({ mediaName: "nova.txt" });
  expect((await fetch(`${app.url}${first.mediaPath}`)).status).toBe(404);
  expect(await fileRows()).toHaveLength(before.length + 1);

  expect(await app.as(agent).delete(`/quick-messages/${id}/media-upload`)).toMatchObject({
    body: { mensagem: "Arquivo Excluído" },
  });
  expect(await read(agent, id)).toMatchObject({ isMedia: false, mediaPath: null, mediaName: null });
  expect(await fileRows()).toHaveLength(before.length);
});

test("a refused attachment leaves the earlier one and nothing of itself", async () => {
  const { id } = await created(agent, { shortcode: "anexo" });
  await attach(agent, id, "boa.txt", "boa");
  const before = await fileRows();
  expect(await attach(agent, id, "má.exe", "MZ")).toMatchObject({
    status: 415,
    body: { code: "ERR_FILE_TYPE_FORBIDDEN", data: { name: "má.exe" } },
  });
  expect(await app.as(agent).post(`/quick-messages/${id}/media-upload`, {})).toMatchObject({
    status: 400,
    body: { error: "ERR_FILE_MISSING" },
  });
  expect(await read(agent, id)).toMatchObject({ mediaName: "boa.txt" });
  expect(await fileRows()).toEqual(before);
});

test("the file of a removed quick message goes with it", async () => {
  const { id } = await created(agent, { shortcode: "anexo" });
  const before = await fileRows();
  await attach(agent, id, "a.txt", "a");
  await app.as(agent).delete(`/quick-messages/${id}`);
  expect(await fileRows()).toEqual(before);
});

test("personal ones are published to their owner only, the company's to everybody, under both names", async () => {
  const [own, other] = [await app.live(agent), await app.live(colleague)];
  const names = companyEventNames(agent.companyId, "quickmessage", "create");
  const heard = ({ heard: events }: typeof own, name: string | undefined) =>
    events.filter((event) => event.name === name).map(({ payload }) => payload);
  const mine = await created(agent, { shortcode: "só meu" });
  const shared = await created(admin, { shortcode: "da equipe", geral: true });
  await app.as(admin).put(`/quick-messages/${shared.id}`, { shortcode: "de ninguém" });
  await app.as(agent).delete(`/quick-messages/${mine.id}`);

  const create = expect.objectContaining({ action: "create" });
  for (const name of names) {
    await expect
      .poll(() => heard(own, name))
      .toEqual([
        ...[create, create, { action: "delete", id: shared.id }],
        { action: "delete", id: mine.id },
      ]);
    await expect
      .poll(() => heard(other, name))
      .toEqual([create, { action: "delete", id: shared.id }]);
  }
});

test("a quick message has a folder, which clients that know none leave, and a count of its uses", async () => {
  const made = await created(agent, { shortcode: "pix", message: "Chave", folder: " Pagamento " });
  expect([made.folder, made.usedCount]).toEqual(["Pagamento", 0]);
  const path = `/quick-messages/${made.id}`;
  await app.as(agent).put(path, { shortcode: "pix", message: "Outra chave" });
  await Promise.all([1, 2].map(() => app.as(agent).post(`${path}/use`, {})));
  expect(await read(agent, made.id)).toMatchObject({ folder: "Pagamento", usedCount: 2 });
  expect(await app.as(colleague).post(`${path}/use`, {})).toMatchObject(notFound);
});
