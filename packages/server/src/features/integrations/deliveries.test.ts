import { createHmac } from "node:crypto";
import type { Integration, QueueId, ReplyOf, ShownDelivery, TicketId } from "@balcao/contract";
import { companyEvent } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { describe, expect, test, vi } from "vitest";
import { systemCtx } from "../../platform/context.ts";
import type { Wake } from "../../platform/db/wake.ts";
import { createDomainEvents } from "../../platform/events.ts";
import { createSeal } from "../../platform/secrets/seal.ts";
import { systemSources } from "../../platform/sources.ts";
import type { TestApp } from "../../testing/app.ts";
import { quietLog, testApp } from "../../testing/app.ts";
import type { DeliverySettings } from "./deliveries.ts";
import { createDeliveries, outcomeOf } from "./deliveries.ts";
import { bodyOf } from "./ticket-events.ts";
import type { Asked } from "./testing/stubs.ts";
import { startHttpStub } from "./testing/stubs.ts";

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const options = {
  outsideHosts: ["127.0.0.1:*"],
  deliverySettings: { tryLimitMs: 400, lookEveryMs: 30, tellEveryMs: 50 },
};
const app = await testApp(options);
const silence: Wake = {
  ...{ notify: () => undefined, send: () => undefined, on: () => () => undefined },
  ...{ ready: async () => undefined, close: async () => undefined },
};

/** The engine as another feature has it; the product's process sends what it adds. */
const engineOn = ({ database, clock }: TestApp, deliverySettings: Partial<DeliverySettings> = {}) =>
  createDeliveries({
    ...{ db: database.db, clock, ids: systemSources.ids, wake: silence, log: quietLog() },
    ...{
      realtime: { publish: () => undefined },
      domainEvents: createDomainEvents(),
      seal: createSeal(database.secrets.seal),
    },
    ...{ deliverySettings, fetch: () => Promise.reject(new Error("this one sends nothing")) },
  });

/** A company with a receiver; `send` stores events in the order of their texts. */
async function office(on = app) {
  const receiver = await startHttpStub();
  const company = await on.given.company();
  const user = await on.given.admin({ company });
  // The tests' clock leaves tokens behind.
  const admin = async () => on.as({ ...user, token: await on.given.token(user) });
  const make = await (
    await admin()
  ).post<Integration>("/queueIntegration", {
    ...{ type: "webhook", name: "Loja", urlN8N: receiver.url },
  });
  const { id } = make.body;
  const engine = engineOn(on);
  const ctx = systemCtx(company.id, "test", "test");
  const send = async (ticketId: TicketId | null, ...texts: string[]) => {
    for (const text of texts) {
      await on.database.db.transaction(ctx, (tx) =>
        engine.enqueue(ctx, tx, { integrationId: id }, { kind: "test", ticketId, body: { text } }),
      );
    }
  };
  const ticket = async () => (await on.given.ticket({ company })).id;
  const shown = async () =>
    (await (await admin()).get<Integration>(`/queueIntegration/${id}`)).body;
  const list = async (query = "") =>
    (
      await (
        await admin()
      ).get<ReplyOf<"GET /integration-deliveries">>(`/integration-deliveries?${query}`)
    ).body;
  const states = async () => (await list()).deliveries.map(({ state }) => state).toReversed();
  const texts = () => receiver.asked.map(textOf);
  const mails = () =>
    on.database.db.transaction(ctx, (tx) =>
      tx.query<{ name: string; text: string }>(sql`select name, text from mails`),
    );
  return { receiver, company, user, admin, id, send, ticket, shown, list, states, texts, mails };
}

const textOf = ({ body }: Asked): string => (JSON.parse(body) as { text: string }).text;
const idOf = ({ headers }: Asked): string => String(headers["webhook-id"]);

/** As a receiver makes it. */
function signature(asked: Asked, secret: string): string {
  const signed = `${idOf(asked)}.${String(asked.headers["webhook-timestamp"])}.${asked.body}`;
  return `v1,${createHmac("sha256", Buffer.from(secret.replace("whsec_", ""), "base64"))
    .update(signed)
    .digest("base64")}`;
}

test("an event is posted with its id, time and a signature, and its answer is kept", async () => {
  const { receiver, company, user, admin, id, send, ticket, list, shown } = await office();
  const live = await app.live(user);
  receiver.answer = () => ({ status: 202, body: `obrigado\0${"x".repeat(70_000)}` });
  const ticketId = await ticket();
  await send(ticketId, "oi");
  await vi.waitFor(async () => expect((await shown()).delivered).toBe(1));
  const [asked] = receiver.asked;
  const { secret } = (
    await (await admin()).get<{ secret: string }>(`/queueIntegration/${id}/secret`)
  ).body;
  const eventId = idOf(asked!);
  expect(asked).toMatchObject({
    ...{ method: "POST", body: '{"text":"oi"}' },
    headers: {
      ...{ "content-type": "application/json", "x-company-id": String(company.id) },
      ...{ "x-ticket-id": String(ticketId), "webhook-signature": signature(asked!, secret) },
    },
  });
  expect(await live.next(companyEvent(company.id, "integrationDelivery"))).toEqual({
    action: "update",
  });

  const [row] = (await list()).deliveries;
  expect(row).toMatchObject({
    ...{ integrationId: id, integrationName: "Loja", ticketId, kind: "test", state: "delivered" },
    ...{ tries: 1, status: 202, fault: null, tookMs: expect.any(Number) },
  });
  const one = (await (await admin()).get<ShownDelivery>(`/integration-deliveries/${row!.id}`)).body;
  expect(one).toMatchObject({
    ...{ url: receiver.url, request: '{"text":"oi"}', method: "POST", nextTryAt: null },
    requestHeaders: { "webhook-id": eventId, "webhook-signature": "v1,•••" },
  });
  expect(one.answer.length).toBe(65_536 - 1);
  expect((await shown()).lastDelivery).toMatchObject({ state: "delivered", status: 202 });
});

test("for a day after a new secret both sign", async () => {
  const { receiver, admin, id, send } = await office();
  const path = `/queueIntegration/${id}/secret`;
  const old = (await (await admin()).get<{ secret: string }>(path)).body.secret;
  const next = (await (await admin()).post<{ secret: string }>(path)).body.secret;
  await send(null, "oi");
  await vi.waitFor(() => expect(receiver.asked).toHaveLength(1));
  const asked = receiver.asked[0]!;
  expect(asked.headers["webhook-signature"]).toBe(
    `${signature(asked, next)} ${signature(asked, old)}`,
  );
});

test("events of a ticket wait for the older ones, other tickets do not", async () => {
  const { receiver, send, ticket, texts, states } = await office();
  let isDown = true;
  receiver.answer = (asked) => (textOf(asked).startsWith("a") && isDown ? { status: 503 } : {});
  const [a, b] = [await ticket(), await ticket()];
  await send(a, "a1", "a2", "a3");
  await send(b, "b1", "b2");
  await vi.waitFor(async () =>
    expect(await states()).toEqual(["waiting", "waiting", "waiting", "delivered", "delivered"]),
  );
  expect(texts().filter((text) => text.startsWith("b"))).toEqual(["b1", "b2"]);
  expect(texts().filter((text) => text.startsWith("a"))).toEqual(["a1"]);
  isDown = false;
  // Its next try.
  app.clock.advance(6 * SECOND_MS);
  await vi.waitFor(async () => expect(new Set(await states())).toEqual(new Set(["delivered"])));
  expect(texts().filter((text) => text.startsWith("a"))).toEqual(["a1", "a1", "a2", "a3"]);
  // The same event each time.
  const ids = receiver.asked.filter((asked) => textOf(asked) === "a1").map(idOf);
  expect(new Set(ids).size).toBe(1);
});

test("a receiver that is down for an hour is stopped, and gets everything once and in order when it is resumed", async () => {
  const { receiver, user, company, admin, id, send, ticket, shown, list, texts, mails } =
    await office();
  const live = await app.live({ ...user, token: await app.given.token(user) });
  receiver.answer = () => ({ status: 500, body: "quebrou" });
  const [a, b] = [await ticket(), await ticket()];
  await send(a, "a1", "a2");
  await send(b, "b1", "b2");
  const tried = (count: number) =>
    vi.waitFor(async () => {
      const all = (await list()).deliveries;
      expect(all.filter(({ tries, tookMs }) => tries === count && tookMs !== null)).toHaveLength(2);
    });
  await tried(1);
  expect(await shown()).toMatchObject({ failingSince: expect.any(String), stoppedAt: null });
  expect(await live.next(companyEvent(company.id, "queueIntegration"))).toMatchObject({
    action: "update",
  });
  for (const [index, ms] of [6, 31, 121, 601, 1_801].entries()) {
    app.clock.advance(ms * SECOND_MS);
    await tried(index + 2);
  }
  expect([(await shown()).stoppedAt, await mails()]).toEqual([null, []]);
  app.clock.advance(HOUR_MS + SECOND_MS);
  await vi.waitFor(async () => expect((await shown()).stoppedAt).not.toBeNull());
  // Those that ran at that moment end.
  await vi.waitFor(async () =>
    expect(
      (await list()).deliveries.every(({ tries, tookMs }) => tries === 0 || tookMs !== null),
    ).toBe(true),
  );

  // Stopped: nothing is sent, everything waits.
  const before = receiver.asked.length;
  await send(a, "a3");
  app.clock.advance(2 * HOUR_MS);
  await vi.waitFor(async () => {
    const { deliveries } = await list();
    expect(deliveries).toHaveLength(5);
    expect(deliveries.every(({ state, fault }) => state === "waiting" && fault === "stopped")).toBe(
      true,
    );
  });
  expect(receiver.asked.length).toBe(before);
  // Once, although several events have failed.
  expect(await mails()).toEqual([
    { name: user.name, text: expect.stringMatching(/A integração Loja, de .*nenhuma entrega/) },
  ]);

  receiver.answer = () => ({});
  receiver.asked.length = 0;
  const resumed = await (await admin()).post<Integration>(`/queueIntegration/${id}/resume`);
  expect(resumed.body).toMatchObject({ stoppedAt: null, failingSince: null });
  await vi.waitFor(async () => expect(receiver.asked).toHaveLength(5));
  expect(texts().filter((text) => text.startsWith("a"))).toEqual(["a1", "a2", "a3"]);
  expect(texts().filter((text) => text.startsWith("b"))).toEqual(["b1", "b2"]);
});

test("what waits for a try is sent as soon as the receiver works again", async () => {
  const { receiver, send, ticket, shown, list, texts } = await office();
  receiver.answer = () => null;
  await send(await ticket(), "a1", "a2");
  await vi.waitFor(async () => expect((await shown()).failingSince).not.toBeNull());
  // Twice more without an answer: its next try is far away.
  for (const tries of [2, 3]) {
    app.clock.advance(31 * SECOND_MS);
    await vi.waitFor(async () =>
      expect((await list()).deliveries[1]).toMatchObject({ tries, tookMs: expect.any(Number) }),
    );
  }
  receiver.answer = () => ({});
  await send(await ticket(), "b1");
  await vi.waitFor(() => expect(texts().slice(3)).toEqual(["b1", "a1", "a2"]));
  await vi.waitFor(async () => expect((await shown()).failingSince).toBeNull());
});

test("an event that is refused fails at once, and the next goes on; gone stops the receiver", async () => {
  const { receiver, send, ticket, states, shown, list, mails } = await office();
  const statuses: Record<string, number> = { a1: 404, a2: 302, a3: 200, a4: 410 };
  receiver.answer = (asked) => ({ status: statuses[textOf(asked)] ?? 200 });
  await send(await ticket(), "a1", "a2", "a3");
  await vi.waitFor(async () => expect(await states()).toEqual(["failed", "failed", "delivered"]));
  const { deliveries, failed } = await list();
  expect(deliveries.map(({ status, fault }) => [status, fault])).toEqual([
    ...[
      [200, null],
      [302, "refused-address"],
      [404, null],
    ],
  ]);
  expect(failed).toBe(2);
  expect(await shown()).toMatchObject({ failingSince: null, stoppedAt: null });
  await send(await ticket(), "a4");
  await vi.waitFor(async () => expect((await shown()).stoppedAt).not.toBeNull());
  expect(await mails()).toMatchObject([{ text: expect.stringContaining("(410)") }]);
});

test("ended events are sent again with their ids, in the order of their ticket", async () => {
  const { receiver, admin, send, ticket, list, states, texts } = await office();
  receiver.answer = () => ({ status: 400 });
  await send(await ticket(), "a1", "a2", "a3");
  await vi.waitFor(async () => expect(await states()).toEqual(["failed", "failed", "failed"]));
  const ids = receiver.asked.map(idOf);
  receiver.asked.length = 0;
  receiver.answer = () => ({});
  const deliveryIds = (await list("state=failed")).deliveries.map(({ id }) => id);
  const again = await (await admin()).post("/integration-deliveries/again", { deliveryIds });
  expect(again.body).toEqual({ again: 3 });
  await vi.waitFor(async () =>
    expect(await states()).toEqual(["delivered", "delivered", "delivered"]),
  );
  expect(texts()).toEqual(["a1", "a2", "a3"]);
  expect(receiver.asked.map(idOf)).toEqual(ids);
  expect((await list()).deliveries.map(({ tries }) => tries)).toEqual([2, 2, 2]);
});

test("a page of the log goes on before the last row known, by receiver and ticket", async () => {
  const { id, send, ticket, list } = await office();
  const one = await ticket();
  await send(one, ...Array.from({ length: 41 }, (_, index) => `a${index}`));
  await send(await ticket(), "b");
  const first = await list();
  expect([first.deliveries.length, first.hasMore]).toEqual([40, true]);
  const before = first.deliveries.at(-1)?.id;
  const rest = await list(`before=${before}`);
  expect([rest.deliveries.length, rest.hasMore]).toEqual([2, false]);
  expect((await list(`ticketId=${one}&integrationId=${id}`)).deliveries[0]?.ticketId).toBe(one);
  expect((await list(`integrationId=${id + 1}`)).deliveries).toEqual([]);
});

test("a process that crashes in the middle of a try sends the event again, with the same id", async () => {
  const { receiver, send, ticket, states } = await office();
  await send(await ticket(), "a1");
  await vi.waitFor(async () => expect(await states()).toEqual(["delivered"]));
  // As a process leaves it that has sent, and died before it could say so.
  await app.app.db.acrossCompanies((tx) =>
    tx.query(sql`update deliveries set state = 'waiting', took_ms = null, due_at = ${app.clock.now()}::timestamptz
      + interval '30 seconds' where event_id = ${idOf(receiver.asked[0]!)}`),
  );
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(receiver.asked).toHaveLength(1);
  app.clock.advance(31 * SECOND_MS);
  await vi.waitFor(async () => expect(await states()).toEqual(["delivered"]));
  expect(receiver.asked.map(idOf)).toEqual([idOf(receiver.asked[0]!), idOf(receiver.asked[0]!)]);
});

test("two processes send each event once", async () => {
  const other = await testApp({
    ...options,
    database: app.database,
    environment: { ROLES: "http,jobs" },
  });
  const { receiver, send, ticket, states } = await office();
  receiver.answer = async () => ({});
  const tickets = await Promise.all([ticket(), ticket(), ticket()]);
  for (const [index, one] of tickets.entries()) {
    await send(one, ...Array.from({ length: 6 }, (_, place) => `${index}-${place}`));
  }
  await vi.waitFor(async () =>
    expect((await states()).every((state) => state === "delivered")).toBe(true),
  );
  const sent = receiver.asked.map(textOf);
  expect(sent.toSorted()).toEqual([...new Set(sent)].toSorted());
  for (const index of [0, 1, 2]) {
    const own = sent.filter((text) => text.startsWith(`${index}-`));
    expect(own).toEqual(own.toSorted());
    expect(own).toHaveLength(6);
  }
  await other.close();
});

test("a receiver that does not answer delays no other company", async () => {
  const patient = await testApp({
    ...options,
    deliverySettings: { ...options.deliverySettings, tryLimitMs: 60_000 },
  });
  const slow = await office(patient);
  const quick = await office(patient);
  slow.receiver.answer = () => null;
  for (let index = 0; index < 40; index += 1) await slow.send(null, `s${index}`);
  await quick.send(null, "q");
  // Before the first try of the slow one is given up.
  await vi.waitFor(() => expect(quick.texts()).toEqual(["q"]));
  expect(slow.receiver.asked.length).toBeLessThan(40);
});

test("events older than 30 days are deleted, and a company's oldest beyond the number that is kept", async () => {
  const company = await app.given.company();
  const { id } = (
    await app.as(await app.given.admin({ company })).post<Integration>("/queueIntegration", {
      type: "n8n",
      name: "Loja",
      urlN8N: "https://a.example",
    })
  ).body;
  const fill = (days: number, count: number) =>
    app.app.db.acrossCompanies((tx) =>
      tx.query(sql`insert into deliveries (company_id, integration_id, event_id, kind, body, state, due_at, created_at)
        select ${company.id}, ${id}, gen_random_uuid(), 'test', '{}', 'delivered', now(),
          ${app.clock.now()}::timestamptz - make_interval(days => ${days}) from generate_series(1, ${count})`),
    );
  await fill(31, 5);
  await fill(1, 13);
  const engine = engineOn(app, { keptRows: 10 });
  await engine.sweep(new AbortController().signal);
  const [row] = await app.app.db.acrossCompanies((tx) =>
    tx.query<{ count: number; oldest: Date }>(
      sql`select count(*)::int as count, min(created_at) as oldest from deliveries where company_id = ${company.id}`,
    ),
  );
  expect(row?.count).toBe(10);
  expect(app.clock.now().getTime() - row!.oldest.getTime()).toBeLessThan(2 * 24 * HOUR_MS);
});

test("a try that fails is repeated for a day; an answer that will not change is not", () => {
  const at = new Date("2026-03-02T10:00:00Z");
  const waitOf = (tries: number, status: number | null) => {
    const { state, dueAt, receiver } = outcomeOf(tries, { at, status });
    return [state, (dueAt.getTime() - at.getTime()) / SECOND_MS, receiver];
  };
  const waits = [5, 30, 120, 600, 1_800, 3_600];
  for (const status of [null, 500, 503, 408, 429]) {
    for (const [index, seconds] of waits.entries()) {
      expect(waitOf(index + 1, status)).toEqual(["waiting", seconds, "fails"]);
    }
  }
  let all = 0;
  let tries = 1;
  for (; waitOf(tries, 500)[0] === "waiting"; tries += 1) all += Number(waitOf(tries, 500)[1]);
  expect(Math.round(all / 3_600)).toBe(24);
  expect(waitOf(tries, 500)).toEqual(["failed", 0, "fails"]);
  expect(waitOf(1, 204)).toEqual(["delivered", 0, "works"]);
  expect(waitOf(1, 410)).toEqual(["failed", 0, "gone"]);
  for (const status of [301, 400, 401, 404, 422])
    expect(waitOf(1, status)).toEqual(["failed", 0, null]);
});

describe("messages of customers", () => {
  const run = <Row>(statement: ReturnType<typeof sql>) =>
    app.app.db.acrossCompanies((tx) => tx.query<Row>(statement));

  /** A company with an n8n flow and a connection that is online. */
  async function desk() {
    const { receiver, company, admin, id } = await office();
    const queueId = await app.given.queue({ company });
    const connectionId = await app.given.connection({ company });
    await run(sql`update integrations set type = 'n8n' where id = ${id}`);
    await vi.waitFor(async () => {
      const shown = await (await admin()).get<{ status: string }>(`/whatsapp/${connectionId}`);
      expect(shown.body.status).toBe("CONNECTED");
    });
    const customer = (wish: { queueId?: QueueId }) =>
      app.given.ticket({ company, connectionId, contactName: "Maria", ...wish });
    const write = async (phone: string, text: string) => {
      const chat = `/simulator/connections/${connectionId}/chats/${phone}`;
      expect((await (await admin()).post(`${chat}/messages`, { body: text })).status).toBe(200);
      await app.idle();
    };
    return { receiver, company, id, queueId, connectionId, customer, write };
  }

  test("one in a waiting ticket goes to the flow of its connection, or of its queue", async () => {
    const { receiver, id, queueId, connectionId, customer, write } = await desk();
    const tables = { connections: connectionId, queues: queueId };
    for (const [place, table] of (["connections", "queues"] as const).entries()) {
      await run(sql`update connections set integration_id = null where id = ${connectionId}`);
      await run(
        sql`update ${sql.identifier(table)} set integration_id = ${id} where id = ${tables[table]}`,
      );
      const ticket = await customer(table === "queues" ? { queueId } : {});
      await write(ticket.phone, "Olá");
      await vi.waitFor(() => expect(receiver.asked).toHaveLength(place + 1));
      const asked = receiver.asked[place]!;
      expect(JSON.parse(asked.body)).toEqual({
        key: {
          ...{ remoteJid: `${ticket.phone}@s.whatsapp.net`, fromMe: false, id: expect.any(String) },
        },
        messageTimestamp: expect.any(Number),
        ...{ pushName: "Maria", message: { conversation: "Olá" }, text: "Olá" },
        ticket: {
          ...{ id: ticket.id, uuid: ticket.uuid, status: "pending" },
          queueId: table === "queues" ? queueId : null,
        },
        connection: { id: connectionId, name: expect.any(String) },
        contact: { id: ticket.contactId, name: "Maria", number: ticket.phone },
      });
      expect(asked.headers["x-ticket-id"]).toBe(String(ticket.id));
    }
  });

  test("none goes out of a ticket with a user, with another helper, or where no bot may answer", async () => {
    const { company, id, connectionId, customer, write } = await desk();
    const agent = await app.given.agent({ company });
    const [prompt] = await run<{
      id: number;
    }>(sql`insert into prompts (company_id, name, prompt, base_url, model, api_key,
      api_key_end, voice, max_tokens, temperature, max_messages, day_tokens, ticket_tokens)
      values (${company.id}, 'A', '', '', '', '', '', 'texto', 1, 1, 1, 0, 0) returning id`);
    await run(sql`update connections set integration_id = ${id} where id = ${connectionId}`);
    const plan = (has: boolean) => sql`update plans set use_integrations = ${has}
      where id = (select plan_id from companies where id = ${company.id})`;
    const type = (is: string) => sql`update integrations set type = ${is} where id = ${id}`;
    const cases: [(ticketId: number) => ReturnType<typeof sql>, ReturnType<typeof sql>?][] = [
      [(one) => sql`update tickets set status = 'open', user_id = ${agent.id} where id = ${one}`],
      [
        (one) =>
          sql`update tickets set use_integration = true, prompt_id = ${prompt?.id} where id = ${one}`,
      ],
      [
        (one) =>
          sql`update contacts set disable_bot = true where id = (select contact_id from tickets where id = ${one})`,
      ],
      [() => plan(false), plan(true)],
      [() => type("typebot"), type("n8n")],
    ];
    const kept = async () =>
      (
        await run<{ n: number }>(
          sql`select count(*)::int as n from deliveries where company_id = ${company.id}`,
        )
      )[0]?.n;
    for (const [change, back] of cases) {
      const ticket = await customer({});
      await run(change(ticket.id));
      await write(ticket.phone, "Olá");
      expect(await kept()).toBe(0);
      if (back) await run(back);
    }
    await write((await customer({})).phone, "Olá");
    expect(await kept()).toBe(1);
  });
});

test.each([
  [
    "a picture",
    {
      mediaType: "image",
      body: "Veja",
      media: { kind: "image", mime: "image/png", bytes: 9, name: "a.png" },
    },
    { imageMessage: { mimetype: "image/png", fileLength: 9, caption: "Veja" } },
  ],
  [
    "a voice message",
    {
      mediaType: "audio",
      body: "Áudio",
      media: { kind: "voice", mime: "audio/ogg", bytes: 9, name: "" },
    },
    { audioMessage: { mimetype: "audio/ogg", fileLength: 9, ptt: true } },
  ],
  [
    "a document",
    {
      mediaType: "application",
      body: "a.pdf",
      media: { kind: "document", mime: "application/pdf", bytes: 9, name: "a.pdf" },
    },
    {
      documentMessage: {
        mimetype: "application/pdf",
        fileLength: 9,
        fileName: "a.pdf",
        caption: "a.pdf",
      },
    },
  ],
  [
    "a place",
    {
      mediaType: "locationMessage",
      body: "",
      details: {
        kind: "location",
        latitude: 1,
        longitude: 2,
        name: "n",
        address: "a",
        isLive: false,
      },
    },
    { locationMessage: { degreesLatitude: 1, degreesLongitude: 2, name: "n", address: "a" } },
  ],
  [
    "a button",
    { mediaType: "buttonsResponseMessage", body: "Sim", details: { kind: "choice", id: "1" } },
    { buttonsResponseMessage: { selectedButtonId: "1", selectedDisplayText: "Sim" } },
  ],
  [
    "an answer with a quote",
    { mediaType: "extendedTextMessage", body: "Oi" },
    { extendedTextMessage: { text: "Oi" } },
  ],
])("%s has the form that flows know", (_, message, expected) => {
  const row = { media: null, details: null, sentAt: new Date(0), ...message };
  const ticket = { contactNumber: null, contactName: "Maria" };
  // The few columns that are read.
  const body = bodyOf({ message: row, ticket } as never, { providerId: "P" });
  expect(body).toMatchObject({ message: expected, key: { remoteJid: "", id: "P" } });
});
