import type { Draft } from "@balcao/contract";
import { companyEvent } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test, vi } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenUser } from "../../testing/given.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ environment: { ROLES: "http" } });
});

async function office() {
  const { given } = app;
  const company = await given.company();
  const queueId = await given.queue({ company });
  const ana = await given.agent({ company, queueIds: [queueId] });
  return {
    company,
    queueId,
    ana,
    bia: await given.agent({ company, queueIds: [queueId] }),
    stranger: await given.admin({ company: await given.company() }),
    ticket: await given.ticket({ company, queueId }),
    anas: await given.ticket({ company, queueId, status: "open", userId: ana.id }),
  };
}

type Reply = Draft & { code?: string };
const put = (user: GivenUser, ticketId: number, body: Record<string, unknown>) =>
  app.as(user).put<Reply>(`/drafts/${ticketId}`, body);
const get = (user: GivenUser, ticketId: number) => app.as(user).get<Reply>(`/drafts/${ticketId}`);
const list = async (user: GivenUser) => (await app.as(user).get<Draft[]>("/drafts")).body;

test("a draft typed on one computer is on the other, with the message it replies to", async () => {
  const { ana, bia, ticket } = await office();
  const quotedMsgId = await app.given.message(ticket);
  const none = { ticketId: ticket.id, body: "", quotedMsgId: null, updatedAt: null };
  expect((await get(ana, ticket.id)).body).toEqual(none);
  const saved = await put(ana, ticket.id, { body: "Bom d", quotedMsgId });
  expect(saved.body).toMatchObject({ ticketId: ticket.id, body: "Bom d", quotedMsgId });
  await put(ana, ticket.id, { body: "Bom dia\n", quotedMsgId });
  expect((await get(ana, ticket.id)).body).toMatchObject({ body: "Bom dia\n", quotedMsgId });
  // It is hers alone.
  expect((await get(bia, ticket.id)).body).toEqual(none);
  expect(await list(bia)).toEqual([]);
});

test.for(["", "  \n "])("an empty draft (%j) is removed", async (body) => {
  const { ana, ticket } = await office();
  const quotedMsgId = await app.given.message(ticket);
  await put(ana, ticket.id, { body: "Começo" });
  const removed = await put(ana, ticket.id, { body, quotedMsgId });
  const none = { ticketId: ticket.id, body: "", quotedMsgId: null, updatedAt: null };
  expect([removed.status, removed.body]).toEqual([200, none]);
  expect(await list(ana)).toEqual([]);
  expect((await put(ana, ticket.id, { body })).body).toEqual(none);
});

test("a message of another ticket or company, or an unknown one, is not quoted", async () => {
  const { ana, ticket, anas, stranger } = await office();
  const foreign = await app.given.ticket({ company: { id: stranger.companyId, name: "" } });
  for (const quotedMsgId of [
    await app.given.message(anas),
    await app.given.message(foreign),
    "0197a3f0-0000-7000-8000-000000000000",
  ]) {
    const reply = await put(ana, ticket.id, { body: "Texto", quotedMsgId });
    expect([reply.status, reply.body]).toMatchObject([200, { body: "Texto", quotedMsgId: null }]);
  }
});

test("a draft needs a visible ticket, and is not stored without one", async () => {
  const { ana, bia, stranger, anas } = await office();
  for (const [user, expected] of [
    [bia, [403, "ERR_TICKET_FORBIDDEN"]],
    [stranger, [404, "ERR_NO_TICKET_FOUND"]],
  ] as const) {
    for (const reply of [
      await put(user, anas.id, { body: "De fora" }),
      await put(user, anas.id, { body: "" }),
      await get(user, anas.id),
    ]) {
      expect([reply.status, reply.body.code]).toEqual(expected);
    }
    expect(await list(user)).toEqual([]);
  }
  expect((await put(ana, anas.id, { body: "De dentro" })).status).toBe(200);
});

test("the change is published to the user's windows only, with the writing window's name", async () => {
  const { company, ana, bia, anas } = await office();
  const [one, two, other] = [await app.live(ana), await app.live(ana), await app.live(bia)];
  const clientId = "0197a3f0-1111-7000-8000-000000000001";
  const draft = (await put(ana, anas.id, { body: "Segredo", clientId })).body;
  for (const client of [one, two]) {
    expect(await client.next(companyEvent(company.id, "draft"))).toEqual({
      action: "update",
      draft,
      clientId,
    });
  }
  await put(ana, anas.id, { body: "" });
  expect(await two.next(companyEvent(company.id, "draft"))).toMatchObject({
    draft: { body: "" },
    clientId: null,
  });
  await put(bia, (await app.given.ticket({ company, status: "open", userId: bia.id })).id, {
    body: "Meu",
  });
  await other.next(companyEvent(company.id, "draft"));
  expect(JSON.stringify(other.heard)).not.toContain("Segredo");
});

test("the last draft wins, lists have the newest first, and each call is one statement", async () => {
  const { ana, ticket, anas } = await office();
  await put(ana, ticket.id, { body: "Primeiro" });
  app.clock.advance(1_000);
  await put(ana, anas.id, { body: "Segundo" });
  app.clock.advance(1_000);
  await put(ana, ticket.id, { body: "Primeiro, de novo" });
  expect((await list(ana)).map(({ body }) => body)).toEqual(["Primeiro, de novo", "Segundo"]);
  for (const call of [
    () => list(ana),
    () => get(ana, ticket.id),
    () => put(ana, ticket.id, { body: "Mais" }),
    () => put(ana, ticket.id, { body: "" }),
  ]) {
    app.statements.take();
    await call();
    // Another one proves who asks.
    expect(app.statements.take()).toHaveLength(2);
  }
});

test("two windows that write at once leave one of the two texts", async () => {
  const { ana, ticket } = await office();
  const bodies = Array.from({ length: 10 }, (_, n) => `Versão ${n}`);
  const replies = await Promise.all(bodies.map((body) => put(ana, ticket.id, { body })));
  expect(replies.map(({ status }) => status)).toEqual(bodies.map(() => 200));
  expect(bodies).toContain((await get(ana, ticket.id)).body.body);
  expect(await list(ana)).toHaveLength(1);
});

test("a draft goes when its ticket goes", async () => {
  const { ana, ticket } = await office();
  await put(ana, ticket.id, { body: "Some comigo" });
  await app.database.db.acrossCompanies((tx) =>
    tx.query(sql`delete from tickets where id = ${ticket.id}`),
  );
  await vi.waitFor(async () => expect(await list(ana)).toEqual([]));
});

test("a draft that is longer than a message can be is refused, the longest one is kept", async () => {
  const { ana, ticket } = await office();
  const refused = await put(ana, ticket.id, { body: "x".repeat(65_537) });
  expect([refused.status, refused.body.code]).toEqual([400, "ERR_INVALID_REQUEST"]);
  expect((await put(ana, ticket.id, { body: "ã".repeat(65_536) })).status).toBe(200);
});
