import type { Announcement, UnseenAnnouncements } from "@balcao/contract";
import { addressedEventName, companyEvent, pageSizes } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { BodyOf, Reply, TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenUser } from "../../testing/given.ts";
import { pdf, picture } from "../../testing/media-samples.ts";
import type { LiveClient } from "../auth/testing/live-client.ts";
import { attached } from "../media/testing/attached.ts";

let app: TestApp;
/** Of the provider's company. */
let provider: GivenUser;
let colleague: GivenUser;
/** Of two other companies. */
let agent: GivenUser;
let stranger: GivenUser;

beforeAll(async () => {
  app = await testApp({ environment: { ROLES: "http" } });
  const company = await app.given.company();
  provider = await app.given.admin({ company, super: true });
  colleague = await app.given.agent({ company });
  agent = await app.given.agent({ company: await app.given.company() });
  stranger = await app.given.admin({ company: await app.given.company() });
});

beforeEach(() =>
  app.database.db.acrossCompanies(async (tx) => {
    await tx.query(sql`delete from announcements`);
    await tx.query(sql`delete from announcement_reads`);
  }),
);

const EVENT = addressedEventName("announcement", { to: "installation" });
const forbidden = { status: 403, body: { error: "ERR_NO_PERMISSION" } };
const required = { status: 400, body: { error: "ERR_ANNOUNCEMENT_REQUIRED" } };
const invalid = { status: 400, body: { error: "ERR_INVALID_REQUEST" } };
const notFound = { status: 404, body: { error: "ERR_NO_ANNOUNCEMENT_FOUND" } };

async function given(wish: object = {}): Promise<Announcement> {
  app.clock.advance(1_000);
  const body = { title: "Manutenção", text: "Das 02:00 às 02:30.", ...wish };
  const reply = await app.as(provider).post<Announcement>("/announcements", body);
  expect(reply.status).toBe(200);
  return reply.body;
}

type List = BodyOf<"GET /announcements">;
const list = async (user: GivenUser, query = ""): Promise<List> =>
  (await app.as(user).get<List>(`/announcements${query}`)).body;
const titlesOf = ({ records }: List) => records.map(({ title }) => title);

const received = ({ heard }: LiveClient, name: string): unknown[] =>
  heard.filter((event) => event.name === name).map(({ payload }) => payload);

async function unseenBy(user: GivenUser): Promise<number[]> {
  const { body } = await app.as(user).get<UnseenAnnouncements>("/announcements/unseen");
  return body.unseen.map(({ id }) => id);
}

async function attach(
  user: GivenUser,
  id: number,
  content: Uint8Array,
  name = "quadro.png",
): Promise<Reply> {
  const form = new FormData();
  form.append("typeArch", "announcements");
  form.append("file", new Blob([new Uint8Array(content)]), name);
  const reply = await fetch(`${app.url}/api/announcements/${id}/media-upload`, {
    method: "POST",
    headers: { authorization: `Bearer ${user.token}` },
    body: form,
  });
  return { status: reply.status, body: await reply.json(), headers: reply.headers };
}

describe("an announcement", () => {
  test("is made, changed and deleted by super users, and read by every company", async () => {
    const made = await given({ priority: 1, id: 99, companyId: 4, mediaPath: "/public/x" });
    expect(made).toMatchObject({
      ...{ title: "Manutenção", text: "Das 02:00 às 02:30.", priority: 1, status: true },
      ...{ mediaPath: null, mediaName: null, companyId: provider.companyId },
    });
    const path = `/announcements/${made.id}`;
    for (const user of [colleague, agent, stranger]) {
      expect(await app.as(user).get(path)).toMatchObject({ status: 200, body: made });
      expect(await app.as(user).post("/announcements", made)).toMatchObject(forbidden);
      expect(await app.as(user).put(path, made)).toMatchObject(forbidden);
      expect(await app.as(user).delete(path)).toMatchObject(forbidden);
      expect(await app.as(user).delete(`${path}/media-upload`)).toMatchObject(forbidden);
      expect(await attach(user, made.id, new Uint8Array())).toMatchObject(forbidden);
    }
    const changed = { ...made, title: "Adiada", priority: "2" };
    expect(await app.as(provider).put(path, changed)).toMatchObject({
      status: 200,
      body: { title: "Adiada", priority: 2, createdAt: made.createdAt },
    });
    expect(await app.as(provider).delete(path)).toMatchObject({
      status: 200,
      body: { message: "Announcement deleted" },
    });
    expect(await app.as(agent).get(path)).toMatchObject(notFound);
    expect(await app.as(provider).put(path, changed)).toMatchObject(notFound);
    expect(await app.as(provider).delete(path)).toMatchObject(notFound);
  });

  test.each([
    [{ title: "", text: "Texto" }, required],
    [{ title: "  ", text: "Texto" }, required],
    [{ title: "Título", text: "\n" }, required],
    [{ text: "Texto" }, required],
    [{ title: "Título" }, required],
    [{ title: "Título", text: "Texto", priority: 4 }, invalid],
    [{ title: "Título", text: "Texto", priority: "alta" }, invalid],
    [{ title: "Título", text: "Texto", status: "sim" }, invalid],
    [{ title: "x".repeat(121), text: "Texto" }, invalid],
    [{ title: "Título", text: "a\u0000b" }, invalid],
  ])("%j is refused", async (body, refusal) => {
    const { id } = await given();
    expect(await app.as(provider).post("/announcements", body)).toMatchObject(refusal);
    expect(await app.as(provider).put(`/announcements/${id}`, body)).toMatchObject(refusal);
  });

  test("has priority 3 and is active unless it says more; its text is kept as it is", async () => {
    const text = "<script>alert(1)</script>\n\nhttps://balcao.example";
    const { priority, status, ...made } = await given({ text });
    expect([priority, status, made.text]).toEqual([3, true, text]);
  });

  test("that is inactive is there for super users only", async () => {
    const hidden = await given({ title: "Rascunho", status: false });
    await given({ title: "Ativo" });
    expect(titlesOf(await list(provider))).toEqual(["Ativo", "Rascunho"]);
    expect(titlesOf(await list(provider, "?active=true"))).toEqual(["Ativo"]);
    expect(titlesOf(await list(agent))).toEqual(["Ativo"]);
    const path = `/announcements/${hidden.id}`;
    expect(await app.as(provider).get(path)).toMatchObject({ status: 200 });
    expect(await app.as(agent).get(path)).toMatchObject(notFound);
  });
});

describe("the list", () => {
  test("is newest first, in pages; by priority for popovers; and found by title", async () => {
    const wishes = [
      { title: "Informativo novo", priority: 3 },
      { title: "Urgente novo", priority: 1 },
      { title: "Atenção", priority: 2 },
      { title: "Urgente antigo", priority: 1 },
    ].toReversed();
    for (const wish of wishes) await given(wish);
    const newest = ["Informativo novo", "Urgente novo", "Atenção", "Urgente antigo"];
    expect(titlesOf(await list(agent))).toEqual(newest);
    expect(titlesOf(await list(agent, "/"))).toEqual(newest);
    expect(titlesOf(await list(agent, "?order=priority&active=true"))).toEqual([
      ...["Urgente novo", "Urgente antigo", "Atenção", "Informativo novo"],
    ]);
    expect(titlesOf(await list(agent, "?searchParam=atencao"))).toEqual(["Atenção"]);
    expect(await app.as(agent).get("/announcements?order=random")).toMatchObject(invalid);

    for (let more = wishes.length; more < pageSizes.announcements + 1; more += 1) await given();
    const [first, second] = [await list(agent), await list(agent, "?pageNumber=2")];
    expect([first.records.length, first.count, first.hasMore]).toEqual([20, 21, true]);
    expect([titlesOf(second), second.count, second.hasMore]).toEqual([
      ["Urgente antigo"],
      21,
      false,
    ]);
  });
});

describe("the image", () => {
  test("is served to users of every company by its address; the provider's other files are not", async () => {
    const { id } = await given();
    const png = await picture("png");
    const uploaded = { status: 200, body: { mensagem: "Mensagem enviada" } };
    expect(await attach(provider, id, png)).toMatchObject(uploaded);
    const { body } = await app.as(agent).get<Announcement>(`/announcements/${id}`);
    expect(body.mediaName).toBe("quadro.png");
    const shown = await fetch(`${app.url}${body.mediaPath}`);
    expect([shown.status, shown.headers.get("content-type")]).toEqual([200, "image/png"]);
    expect(Buffer.from(await shown.arrayBuffer())).toEqual(Buffer.from(png));

    const secret = await attached(app, provider, "contrato.txt", "segredo");
    const bearer = { headers: { authorization: `Bearer ${agent.token}` } };
    const bare = secret.path.replace(/\?.*/, "");
    expect((await fetch(`${app.url}${bare}`, bearer)).status).toBe(404);
    const signature = body.mediaPath?.replace(/.*\?/, "") ?? "";
    expect((await fetch(`${app.url}${bare}?${signature}`, bearer)).status).toBe(404);
  });

  test("is PNG or JPEG; a change of the record leaves it; another one or the deletion removes it", async () => {
    const { id } = await given();
    const type = (code: string) => ({ status: 415, body: { error: code } });
    expect(await attach(provider, id, pdf(), "boleto.pdf")).toMatchObject(
      type("ERR_FILE_TYPE_FORBIDDEN"),
    );
    expect((await attach(provider, id, await picture("webp"), "foto.webp")).status).toBe(415);
    expect(await attach(provider, 999_999, await picture("png"))).toMatchObject(notFound);

    await attach(provider, id, await picture("jpeg"), "foto.jpg");
    const path = `/announcements/${id}`;
    const first = (await app.as(provider).get<Announcement>(path)).body;
    const sent = { ...first, mediaPath: "https://outro.example/x.png", mediaName: "x.png" };
    const changed = await app.as(provider).put<Announcement>(path, sent);
    expect(changed.body).toMatchObject({ mediaPath: first.mediaPath, mediaName: "foto.jpg" });

    await attach(provider, id, await picture("png"));
    expect((await fetch(`${app.url}${first.mediaPath}`)).status).toBe(404);
    const second = (await app.as(provider).get<Announcement>(path)).body;
    expect(await app.as(provider).delete(`${path}/media-upload`)).toMatchObject({
      status: 200,
      body: { mensagem: "Arquivo excluído" },
    });
    expect((await fetch(`${app.url}${second.mediaPath}`)).status).toBe(404);
    expect((await app.as(provider).get<Announcement>(path)).body.mediaPath).toBeNull();

    await attach(provider, id, await picture("png"));
    const third = (await app.as(agent).get<Announcement>(path)).body;
    await app.as(provider).delete(path);
    expect((await fetch(`${app.url}${third.mediaPath}`)).status).toBe(404);
  });
});

describe("live", () => {
  test("every company hears of it under one name; a deletion also has the older one", async () => {
    const sockets = await Promise.all([provider, agent, stranger].map((user) => app.live(user)));
    const made = await given();
    const update = { ...made, title: "Outro" };
    await app.as(provider).put(`/announcements/${made.id}`, update);
    await app.as(provider).delete(`/announcements/${made.id}`);
    for (const socket of sockets) {
      await expect.poll(() => received(socket, EVENT)).toHaveLength(3);
      expect(received(socket, EVENT)).toMatchObject([
        { action: "create", record: made },
        { action: "update", record: { title: "Outro" } },
        { action: "delete", id: made.id },
      ]);
    }
    const older = companyEvent(provider.companyId, "announcement");
    expect(sockets.map((socket) => received(socket, older))).toEqual([
      [{ action: "delete", id: made.id }],
      [],
      [],
    ]);
  });

  test("an inactive one is told to super users, and deleted for others", async () => {
    const [forSuper, forAgent] = await Promise.all([app.live(provider), app.live(agent)]);
    const hidden = await given({ status: false });
    const shown = await given();
    await app.as(provider).put(`/announcements/${shown.id}`, { ...shown, status: false });
    await expect.poll(() => received(forSuper, EVENT)).toHaveLength(3);
    expect(received(forSuper, EVENT)).toMatchObject([
      { action: "create", record: { id: hidden.id } },
      { action: "create", record: { id: shown.id } },
      { action: "update", record: { id: shown.id, status: false } },
    ]);
    await expect.poll(() => received(forAgent, EVENT)).toHaveLength(2);
    expect(received(forAgent, EVENT)).toMatchObject([
      { action: "create", record: { id: shown.id } },
      { action: "delete", id: shown.id },
    ]);
  });
});

describe("new for an account", () => {
  test("is what it has not seen, on every device, until it says so", async () => {
    const [first, second] = [await given(), await given({ priority: 1 })];
    await given({ status: false });
    expect(await unseenBy(agent)).toEqual([second.id, first.id]);
    const otherWindow = await app.live(agent);
    const seen = await app.as(agent).put("/announcements/seen");
    expect(seen).toMatchObject({ status: 200, body: { seenUntil: second.publishedAt } });
    expect(await unseenBy(agent)).toEqual([]);
    expect(await unseenBy(stranger)).toEqual([second.id, first.id]);
    const subject = companyEvent(agent.companyId, "announcementsSeen");
    await expect.poll(() => received(otherWindow, subject)).toHaveLength(1);

    const third = await given();
    expect(await unseenBy(agent)).toEqual([third.id]);
  });

  test("is also one that becomes active again; a change of its text is not", async () => {
    const made = await given();
    await app.as(agent).put("/announcements/seen");
    app.clock.advance(1_000);
    const path = `/announcements/${made.id}`;
    await app.as(provider).put(path, { ...made, text: "Corrigido" });
    expect(await unseenBy(agent)).toEqual([]);
    await app.as(provider).put(path, { ...made, status: false });
    expect(await unseenBy(agent)).toEqual([]);
    await app.as(provider).put(path, made);
    expect(await unseenBy(agent)).toEqual([made.id]);
  });

  test("is nothing without announcements", async () => {
    expect(await app.as(agent).put("/announcements/seen")).toMatchObject({
      status: 200,
      body: { seenUntil: null },
    });
    expect(await unseenBy(agent)).toEqual([]);
  });
});
