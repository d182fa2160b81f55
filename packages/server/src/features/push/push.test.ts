import type { PushChoices } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { describe, expect, test, vi } from "vitest";
import type { Api } from "../../testing/app.ts";
import { createApi, quietLog, testApp } from "../../testing/app.ts";
import type { GivenUser } from "../../testing/given.ts";
import { createSeal } from "../../platform/secrets/seal.ts";
import { createDesk, quickAttendant } from "../attendant/testing/desk.ts";
import { endOfQuiet } from "./sending.ts";
import { createPushServices } from "./services.ts";
import { claimsOf, startPushService } from "./testing/push-service.ts";
import type { TestBrowser } from "./testing/push-service.ts";
import { sayTold } from "./words.ts";

const service = await startPushService();
const app = await testApp({
  environment: { BALCAO_PUSH_HOSTS: service.host },
  outsideHosts: ["127.0.0.1:*"],
  attendantSettings: quickAttendant,
  pushSettings: { graceMs: 30, apartMs: 40 },
});
const everything = ["tickets", "waiting", "mentions", "chats", "connections"] as const;
const choices: PushChoices = {
  kinds: [...everything],
  ...{ content: "full", quiet: null, timeZone: "America/Sao_Paulo" },
};

async function subscribed(user: GivenUser): Promise<TestBrowser> {
  const browser = service.browser();
  const body = { ...browser.subscription, language: "pt" };
  expect((await app.as(user).post("/push/subscriptions", body)).status).toBe(200);
  return browser;
}

// A connection takes a while to come up: one serves all tests, each with an agent and a customer of its own.
const desk = await createDesk(app, { queues: [{ name: "Suporte" }] });
await desk.online();
const { company, queueIds } = desk;

async function office() {
  const agent = await app.given.agent({ company, queueIds });
  return { ...desk, agent, phone: desk.newPhone(), browser: await subscribed(agent) };
}

async function accepted() {
  const own = await office();
  await own.write(own.phone, "Bom dia");
  const waiting = await own.browser.next(1);
  const ticket = await own.ticketOf(own.phone);
  const took = await app.as(own.agent).put(`/tickets/${ticket.id}`, {
    ...{ status: "open", userId: own.agent.id },
  });
  expect(took.status).toBe(200);
  return { ...own, ticket, waiting };
}

/** Resolves when no notice waits to be sent to the user. */
async function settled({ id: userId }: GivenUser): Promise<void> {
  await app.idle();
  await vi.waitFor(
    async () => {
      const [row] = await app.database.db.acrossCompanies((tx) =>
        tx.query<{ count: number }>(
          sql`select count(*)::int as count from push_notices where user_id = ${userId} and due_at is not null`,
        ),
      );
      expect(row?.count).toBe(0);
    },
    { interval: 10 },
  );
}

test("a waiting ticket, then each message of the own ticket reach the browser, encrypted and signed", async () => {
  const { agent, browser, phone, ticket, waiting, write } = await accepted();
  expect(waiting).toMatchObject({
    ...{ tag: `ticket-${ticket.id}`, url: "/tickets", ticketId: ticket.id, lang: "pt" },
    body: "Aguardando em Suporte: Bom dia",
    acceptedUrl: `/tickets/${ticket.uuid}`,
    action: { kind: "accept", words: "Aceitar" },
  });
  await write(phone, "Ainda está aí?");
  const message = await browser.next(2);
  expect(message).toMatchObject({
    ...{ tag: waiting.tag, url: `/tickets/${ticket.uuid}`, body: "Ainda está aí?", badge: 1 },
    ...{ action: { kind: "reply", words: "Responder" }, open: [waiting.tag] },
  });
  const { publicKey } = (await app.as(agent).get<{ publicKey: string }>("/push")).body;
  const sent = service.pushed.filter((one) => one.browser === browser.name);
  expect(await claimsOf(sent[1]!, publicKey)).toMatchObject({
    ...{ aud: `http://${service.host}`, sub: expect.stringMatching(/^mailto:/), isOurs: true },
  });
  expect(sent[1]?.headers).toMatchObject({
    ...{ "content-encoding": "aes128gcm", topic: waiting.tag, urgency: "high", ttl: "14400" },
  });
  const words = sent.map(({ body }) => body.toString("latin1")).join("");
  expect([words.includes("Ainda"), words.includes("Suporte")]).toEqual([false, false]);
});

test("what was read meanwhile, is somebody else's now or is not wanted is not sent", async () => {
  const { agent, admin, browser, phone, rows, ticket, write } = await accepted();
  const colleague = await app.given.agent({ company });
  await settled(agent);
  const before = browser.shown().length;
  await app.as(agent).put("/push/choices", { ...choices, kinds: ["chats"] });
  await write(phone, "Um");
  await settled(agent);
  await app.as(agent).put("/push/choices", choices);
  const other = await subscribed(colleague);
  const given = await app.as(admin).put(`/tickets/${ticket.id}`, { userId: colleague.id });
  expect([given.status, given.body]).toEqual([200, expect.anything()]);
  expect(await other.next(1)).toMatchObject({ body: "Atendimento atribuído a você: Um" });
  await write(phone, "Dois");
  expect(await other.next(2)).toMatchObject({ body: "Dois" });
  await settled(agent);
  expect(browser.shown()).toHaveLength(before);
  await app.as(colleague).get(`/messages/${ticket.id}?pageNumber=1`);
  await rows(sql`update push_notices set due_at = now() where user_id = ${colleague.id}`);
  await wakeSenders(admin);
  await settled(colleague);
  expect(other.shown()).toHaveLength(2);
});

test("without content by choice, and put off to the end of the quiet hours", async () => {
  const { agent, browser, phone, write, rows } = await accepted();
  const plain = { ...choices, content: "plain" };
  expect((await app.as(agent).put("/push/choices", plain)).body).toEqual(plain);
  await write(phone, "Meu CPF é 123");
  const said = await browser.next(2);
  expect([said.title, said.body]).toEqual(["Nova mensagem", ""]);
  const minute = Math.floor(app.clock.now().getTime() / 60_000);
  const hours = { from: (minute - 30) % 1_440, to: (minute + 60) % 1_440 };
  const quiet = { ...choices, quiet: hours, timeZone: "UTC" };
  expect((await app.as(agent).put("/push/choices", quiet)).body).toEqual(quiet);
  await write(phone, "De noite");
  await vi.waitFor(async () => {
    const [row] = await rows<{ isLate: boolean }>(
      sql`select due_at > now() + interval '10 minutes' as "isLate" from push_notices where user_id = ${agent.id}`,
    );
    expect(row?.isLate).toBe(true);
  });
  const always = { ...quiet, quiet: { from: 600, to: 600 } };
  await app.as(agent).put("/push/choices", always);
  await rows(sql`update push_notices set due_at = now() where user_id = ${agent.id}`);
  await wakeSenders(desk.admin);
  await settled(agent);
  expect(browser.shown()).toHaveLength(2);
});

test("mentions and internal chat are sent to those who have not read them", async () => {
  const { agent, admin, browser, ticket } = await accepted();
  await settled(agent);
  const before = browser.shown().length;
  await app.as(admin).post("/ticket-notes", {
    ...{ ticketId: ticket.id, note: "@Pessoa veja o pedido", mentionedUserIds: [agent.id] },
  });
  const mention = await browser.next(before + 1);
  expect(mention).toMatchObject({
    ...{ title: expect.stringContaining("mencionou você"), url: `/tickets/${ticket.uuid}` },
  });
  const chat = await app.as(admin).post<{ id: number; uuid: string }>("/chats", {
    ...{ title: "", users: [{ id: agent.id }] },
  });
  await app.as(admin).post(`/chats/${chat.body.id}/messages`, { message: "Almoço?" });
  const said = await browser.next(before + 2);
  expect(said).toMatchObject({ url: `/chats/${chat.body.uuid}`, title: admin.name });
  expect(said.body).toContain("Almoço?");
});

describe("a browser", () => {
  test("that its service does not know any more is forgotten", async () => {
    const { agent, browser, phone, rows, write } = await accepted();
    service.answers(browser, 410);
    await write(phone, "Alô");
    const left = () =>
      rows<{ id: number }>(sql`select id from push_subscriptions where user_id = ${agent.id}`);
    await vi.waitFor(async () => expect(await left()).toEqual([]));
    const another = await subscribed(agent);
    service.answers(another, 404);
    const { endpoint } = another.subscription;
    expect((await app.as(agent).post("/push/test", { endpoint })).body).toEqual({ isTaken: false });
    expect(await left()).toEqual([]);
  });

  test("that gave no real keys is forgotten, and the others get the message once", async () => {
    const { agent, browser, phone, rows, write } = await accepted();
    const { keys, ...poison } = service.browser().subscription;
    const body = { ...poison, keys: { ...keys, p256dh: "A".repeat(87) }, language: "pt" };
    expect((await app.as(agent).post("/push/subscriptions", body)).status).toBe(200);
    await settled(agent);
    const before = browser.shown().length;
    await write(phone, "Uma vez");
    await browser.next(before + 1);
    await settled(agent);
    expect(browser.shown()).toHaveLength(before + 1);
    const left = await rows(sql`select id from push_subscriptions where user_id = ${agent.id}`);
    expect(left).toHaveLength(1);
  });

  test("whose service fails for a while gets the message later, and the others once", async () => {
    const { agent, admin, browser, phone, write, rows } = await accepted();
    await settled(agent);
    const before = browser.shown().length;
    const other = await subscribed(agent);
    service.answers(browser, 503);
    await write(phone, "Chegou?");
    await vi.waitFor(async () => {
      const [row] = await rows<{ tries: number }>(
        sql`select tries from push_notices where user_id = ${agent.id} and due_at is not null`,
      );
      expect(row?.tries).toBe(1);
    });
    service.answers(browser, 201);
    app.clock.advance(16_000);
    await wakeSenders(admin);
    expect(await browser.next(before + 2)).toMatchObject({ body: "Chegou?" });
    await settled(agent);
    expect(other.shown().map((message) => message.body)).toEqual(["Chegou?"]);
  });

  test("of somebody else is neither tested nor removed", async () => {
    const [agent, stranger] = [await app.given.agent(), await app.given.agent()];
    const { endpoint } = (await subscribed(agent)).subscription;
    const body = { endpoint };
    expect((await app.as(stranger).post("/push/test", body)).body).toEqual({ isTaken: false });
    expect((await app.as(stranger).post("/push/subscriptions/remove", body)).status).toBe(200);
    expect((await app.as(agent).post("/push/test", body)).body).toEqual({ isTaken: true });
  });

  test("belongs to the account that subscribed last, and gets nothing after its session", async () => {
    const { agent, browser, phone, write } = await accepted();
    await settled(agent);
    const before = browser.shown().length;
    await app.database.db.acrossCompanies((tx) =>
      tx.query(sql`update users set token_version = token_version + 1 where id = ${agent.id}`),
    );
    await write(phone, "Ninguém está aí?");
    await settled(agent);
    expect(browser.shown()).toHaveLength(before);
    const stranger = await app.given.agent({ company: await app.given.company() });
    const body = { ...browser.subscription, language: "en" };
    expect((await app.as(stranger).post("/push/subscriptions", body)).status).toBe(200);
    const tried = await app.as(stranger).post("/push/test", { endpoint: body.endpoint });
    expect(tried.body).toEqual({ isTaken: true });
    expect((await browser.next(before + 1)).title).toBe("Test notification");
  });

  test.each([
    "https://169.254.169.254/latest",
    "https://fcm.googleapis.com.evil.example/x",
    "http://localhost:5432/push",
    "https://user:secret@fcm.googleapis.com/x",
  ])("at %s is refused: that is no push service of this installation", async (endpoint) => {
    const agent = await app.given.agent();
    const body = { ...service.browser().subscription, endpoint, language: "pt" };
    const reply = await app.as(agent).post<{ code: string }>("/push/subscriptions", body);
    expect([reply.status, reply.body.code]).toEqual([400, "ERR_PUSH_SERVICE"]);
  });
});

/** The ways in which a session ends, with what the notice's reader may still get. */
const endings: readonly [string, number, (own: Ending) => Promise<unknown>][] = [
  ["goes on", 1, async () => undefined],
  ["signs out", 0, ({ api }) => api.delete("/auth/logout")],
  ["ends it in the list", 0, endInList],
  ["signs in elsewhere", 0, ({ reader }) => signIn(reader)],
  [
    "is signed out by an admin",
    0,
    ({ boss, reader }) => boss.delete(`/users/${reader.id}/sessions`),
  ],
  ["has not come for two weeks", 0, ({ reader }) => change(longAgo(reader))],
  ["is removed", 0, ({ boss, reader }) => boss.delete(`/users/${reader.id}`)],
  ["is of a suspended company", 0, ({ reader }) => change(suspended(reader))],
  ["has lost the chat with the plan", 0, ({ reader }) => change(withoutChat(reader))],
];

type Ending = { reader: GivenUser; api: Api; boss: Api };

const change = (statement: ReturnType<typeof sql>) =>
  app.database.db.acrossCompanies((tx) => tx.query(statement));
const longAgo = ({ id }: GivenUser) =>
  sql`update sessions set used_at = now() - interval '15 days' where user_id = ${id}`;
const suspended = ({ companyId }: GivenUser) =>
  sql`update companies set status = false where id = ${companyId}`;

const withoutChat = ({ companyId }: GivenUser) =>
  sql`update plans set use_internal_chat = false
    where id = (select plan_id from companies where id = ${companyId})`;

async function signIn({ email }: GivenUser): Promise<Api> {
  const body = { email, password: "segredo-123" };
  const reply = await app.anonymous.post<{ token: string }>("/auth/login", body);
  expect(reply.status).toBe(200);
  return createApi(app.url, reply.body.token);
}

async function endInList({ api }: Ending): Promise<void> {
  const [own] = (await api.get<{ id: string }[]>("/auth/sessions")).body;
  await api.delete(`/auth/sessions/${own?.id}`);
}

/** Another person's notice has the processes look for what is due. */
async function wakeSenders(admin: GivenUser): Promise<void> {
  const colleague = await app.given.agent({ company: { id: admin.companyId, name: "" } });
  const other = await subscribed(colleague);
  const ticket = await app.given.ticket({
    ...{ company: { id: admin.companyId, name: "" }, status: "open", userId: admin.id },
  });
  await app.as(admin).put(`/tickets/${ticket.id}`, { userId: colleague.id });
  await other.next(1);
}

test("a session that has ended in any way gets no message", async () => {
  const people = await Promise.all(
    endings.map(async ([name, expected, end]) => {
      const company = await app.given.company();
      const boss = app.as(await app.given.admin({ company }));
      const reader = await app.given.agent({ company });
      const chat = await boss.post<{ id: number }>("/chats", {
        ...{ title: "", users: [{ id: reader.id }] },
      });
      await boss.post(`/chats/${chat.body.id}/messages`, { message: "Só para você" });
      const api = await signIn(reader);
      const browser = service.browser();
      const body = { ...browser.subscription, language: "pt" };
      expect((await api.post("/push/subscriptions", body)).status).toBe(200);
      await end({ reader, api, boss });
      await change(sql`
        insert into push_notices (company_id, user_id, subject, kind, target_id, due_at, created_at)
        values (${company.id}, ${reader.id}, 'chat', 'chat', ${chat.body.id}, now(), now())`);
      return { name, expected, reader, browser };
    }),
  );
  await wakeSenders(desk.admin);
  await Promise.all(people.map(({ reader }) => settled(reader)));
  expect(people.map(({ name, browser }) => [name, browser.shown().length])).toEqual(
    people.map(({ name, expected }) => [name, expected]),
  );
});

test("a lost connection is told to those who answer for connections", async () => {
  const company = await app.given.company();
  const [admin, agent] = [await app.given.admin({ company }), await app.given.agent({ company })];
  const connectionId = await app.given.connection({ company, name: "Loja", linked: false });
  const [told, other] = [await subscribed(admin), await subscribed(agent)];
  await change(sql`
    insert into push_notices (company_id, user_id, subject, kind, target_id, due_at, created_at)
    select ${company.id}, u.id, 'connection', 'connection', ${connectionId}, now(), now()
    from users u where u.company_id = ${company.id}`);
  await wakeSenders(desk.admin);
  expect(await told.next(1)).toMatchObject({ title: "Loja está sem conexão", url: "/connections" });
  await settled(agent);
  expect(other.shown()).toEqual([]);
});

test("a company without subscriptions pays no statement, one with them one for each message", async () => {
  const other = await app.given.company();
  const [ana, bia] = [
    await app.given.admin({ company: other }),
    await app.given.agent({ company: other }),
  ];
  const ticket = await app.given.ticket({ company: other, status: "open", userId: ana.id });
  const adds = () =>
    app.statements.take().filter((text) => text.includes("insert into push_notices"));
  const give = (userId: number) => app.as(ana).put(`/tickets/${ticket.id}`, { userId });
  adds();
  expect((await give(bia.id)).status).toBe(200);
  expect(adds()).toEqual([]);
  await subscribed(bia);
  expect((await give(ana.id)).status).toBe(200);
  adds();
  expect((await give(bia.id)).status).toBe(200);
  expect(adds()).toHaveLength(1);
});

test.each([
  ["22:00-07:00", { from: 1_320, to: 420 }, "2026-11-27T02:30:00Z", "2026-11-27T10:00:00Z"],
  ["22:00-07:00", { from: 1_320, to: 420 }, "2026-11-27T09:59:30Z", "2026-11-27T10:00:00Z"],
  ["22:00-07:00", { from: 1_320, to: 420 }, "2026-11-27T10:00:00Z", null],
  ["12:00-13:00", { from: 720, to: 780 }, "2026-11-27T15:00:00Z", "2026-11-27T16:00:00Z"],
  ["12:00-13:00", { from: 720, to: 780 }, "2026-11-27T16:00:00Z", null],
  ["the whole day", { from: 600, to: 600 }, "2026-11-27T12:00:00Z", "2026-11-27T13:00:00Z"],
  ["never", null, "2026-11-27T03:00:00Z", null],
])("quiet %s in São Paulo, asked at %o %s, ends at %s", (_, quiet, at, end) => {
  const ends = endOfQuiet({ ...choices, quiet }, new Date(at));
  expect(ends?.toISOString() ?? null).toBe(end === null ? null : new Date(end).toISOString());
});

test("long names and texts are cut, and several unread messages are counted", () => {
  const told = { kind: "message", name: "Ana", text: "a\n\n b", queue: null, unread: 3 } as const;
  expect(sayTold("pt", told, "full")).toEqual({ title: "Ana (3)", body: "a b" });
  const long = sayTold("es", { ...told, name: "N".repeat(200), text: "😀".repeat(400) }, "full");
  expect([long.title.length, long.body.length <= 240, long.body.isWellFormed()]).toEqual([
    ...[80, true, true],
  ]);
});

test("keys that were sealed with another secret are replaced, with the subscriptions of the old ones", async () => {
  const other = { ...{ db: app.database.db, log: quietLog(), fetch: () => Promise.reject() } };
  const make = (secret: string) =>
    createPushServices({ ...other, hosts: [], contact: "", seal: createSeal(secret) });
  const [before, agent] = [await make("um").publicKey(), await app.given.agent()];
  await subscribed(agent);
  expect(await make("um").publicKey()).toBe(before);
  const both = await Promise.all([make("dois").publicKey(), make("dois").publicKey()]);
  expect(both[0]).toBe(both[1]);
  expect(both[0]).not.toBe(before);
  const left = await app.database.db.acrossCompanies((tx) =>
    tx.query(sql`select id from push_subscriptions`),
  );
  expect(left).toEqual([]);
});
