import type { EditedChatbot, QueueId, QueueOption } from "@balcao/contract";
import { companyEvent } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, beforeEach, expect, test } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenCompany, GivenUser } from "../../testing/given.ts";

let app: TestApp;
let company: GivenCompany;
let admin: GivenUser;
let queueId: QueueId;

beforeAll(async () => {
  app = await testApp({ environment: { ROLES: "http" } });
  company = await app.given.company();
  admin = await app.given.admin({ company });
});

beforeEach(async () => {
  queueId = await app.given.queue({ company });
});

const refused = (code: string, status: number) => ({ status, body: { code } });
const changed = refused("ERR_CHATBOT_DRAFT_CHANGED", 409);

async function added(body: Record<string, unknown>): Promise<QueueOption> {
  const reply = await app.as(admin).post<QueueOption>("/queue-options", { queueId, ...body });
  expect([reply.status, reply.body]).toEqual([200, expect.anything()]);
  return reply.body;
}

async function change(id: number, body: Record<string, unknown>): Promise<void> {
  expect((await app.as(admin).put(`/queue-options/${id}`, body)).status).toBe(200);
}

async function chatbot(): Promise<EditedChatbot> {
  return (await app.as(admin).get<EditedChatbot>(`/queue/${queueId}/chatbot`)).body;
}

async function publish(): Promise<EditedChatbot> {
  const { draftAt } = await chatbot();
  const path = `/queue/${queueId}/chatbot/publish`;
  const reply = await app.as(admin).post<EditedChatbot>(path, { draftAt });
  expect([reply.status, reply.body]).toEqual([200, expect.anything()]);
  return reply.body;
}

/** The options by number and title, those below others too. */
const lines = (options: readonly QueueOption[]): string[] =>
  options.map(({ option, title }) => `${option} ${title}`);

const published = async (): Promise<QueueOption[]> =>
  (await app.as(admin).get<QueueOption[]>(`/queue-options?queueId=${queueId}`)).body;

async function menuChangedAt(): Promise<Date | null> {
  const rows = await app.database.db.acrossCompanies((tx) =>
    tx.query<{ at: Date | null }>(sql`
      select menu_changed_at as at from queues where id = ${queueId}`),
  );
  return rows[0]?.at ?? null;
}

test("changes of a draft reach customers at its publication, and options keep their ids", async () => {
  const prices = await added({ title: "Preços", option: 1 });
  const gone = await added({ title: "Saldo", option: 2 });
  const draft = { draft: true };
  const fresh = await added({ title: "Entrega", option: 3, ...draft });
  const below = await added({ title: "Prazo", option: 1, parentId: fresh.id, ...draft });
  await change(prices.id, { title: "Tabela", ...draft });
  expect((await app.as(admin).delete(`/queue-options/${gone.id}?draft=true`)).status).toBe(200);
  const greetingMessage = "Olá, {{firstName}}";
  const path = `/queue/${queueId}/chatbot`;
  expect((await app.as(admin).put(path, { greetingMessage })).status).toBe(200);

  expect(lines(await published())).toEqual(["1 Preços", "2 Saldo"]);
  expect(await app.as(admin).get(`/queue-options/${fresh.id}`)).toMatchObject({ status: 404 });
  const before = await chatbot();
  expect(lines(before.draft.options)).toEqual(["1 Tabela", "3 Entrega", "1 Prazo"]);
  expect([before.draft.greetingMessage, before.published.greetingMessage]).toEqual([
    greetingMessage,
    "",
  ]);

  const after = await publish();
  expect(after.draftAt).toBeNull();
  expect(after.draft).toEqual(after.published);
  expect(after.published.options.map(({ id }) => id)).toEqual([prices.id, fresh.id, below.id]);
  expect(lines(await published())).toEqual(["1 Tabela", "3 Entrega", "1 Prazo"]);
  expect(await app.as(admin).get(`/queue/${queueId}`)).toMatchObject({
    body: { greetingMessage, hasChatbotDraft: false },
  });
});

test("only a publication that changes what customers choose from outdates the menus they were shown", async () => {
  const option = await added({ title: "Preços", option: 1 });
  await change(option.id, { message: "Nossa tabela", draft: true });
  await publish();
  expect(await menuChangedAt()).toBeNull();
  await change(option.id, { option: 2, draft: true });
  await publish();
  expect(await menuChangedAt()).toEqual(expect.any(Date));
});

test("a ticket inside of an option stays there; one in a removed option stands before the first level", async () => {
  const kept = await added({ title: "Preços", option: 1 });
  const gone = await added({ title: "Saldo", option: 2 });
  const inside = async (id: number) => {
    const ticket = await app.given.ticket({ company, queueId });
    await app.database.db.acrossCompanies((tx) =>
      tx.query(sql`
        update tickets set chatbot = true, queue_option_id = ${id} where id = ${ticket.id}`),
    );
    return ticket.id;
  };
  const [here, there] = [await inside(kept.id), await inside(gone.id)];
  await change(kept.id, { option: 7, title: "Tabela", draft: true });
  await app.as(admin).delete(`/queue-options/${gone.id}?draft=true`);
  await publish();
  expect((await app.as(admin).get(`/tickets/${here}`)).body).toMatchObject({
    ...{ chatbot: true, queueOptionId: kept.id },
  });
  expect((await app.as(admin).get(`/tickets/${there}`)).body).toMatchObject({
    ...{ chatbot: true, queueOptionId: null },
  });
});

test("a change by a client that knows no drafts counts at once, and the publication keeps it", async () => {
  const first = await added({ title: "Preços", option: 1, message: "Antes" });
  const second = await added({ title: "Saldo", option: 2 });
  const own = await added({ title: "Só no rascunho", option: 3, draft: true });
  await change(first.id, { title: "Meus preços", draft: true });

  await change(first.id, { title: "Preços deles", message: "Depois" });
  const theirs = await added({ title: "Deles", option: 3 });
  expect((await app.as(admin).delete(`/queue-options/${second.id}`)).status).toBe(200);
  expect(lines(await published())).toEqual(["1 Preços deles", "3 Deles"]);

  const { draft } = await chatbot();
  expect(lines(draft.options).sort()).toEqual(["1 Meus preços", "3 Deles", "4 Só no rascunho"]);
  expect(draft.options.find(({ id }) => id === first.id)?.message).toBe("Depois");
  await publish();
  const ids = (await published()).map(({ id }) => id);
  expect(ids.toSorted((a, b) => a - b)).toEqual([first.id, theirs.id, own.id]);
});

test("a draft that has changed since it was looked at is not published, nor one that is not there", async () => {
  const option = await added({ title: "Preços", option: 1 });
  await change(option.id, { title: "Tabela", draft: true });
  const { draftAt } = await chatbot();
  await change(option.id, { title: "Outra", draft: true });
  const path = `/queue/${queueId}/chatbot/publish`;
  expect(await app.as(admin).post(path, { draftAt })).toMatchObject(changed);
  expect(lines(await published())).toEqual(["1 Preços"]);
  await publish();
  expect(await app.as(admin).post(path, { draftAt })).toMatchObject(changed);
});

test("of two publications at once one is refused", async () => {
  await added({ title: "Preços", option: 1, draft: true });
  const { draftAt } = await chatbot();
  const path = `/queue/${queueId}/chatbot/publish`;
  const replies = await Promise.all([1, 2].map(() => app.as(admin).post(path, { draftAt })));
  expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
  expect(lines(await published())).toEqual(["1 Preços"]);
});

test("a discarded draft leaves what customers get; its numbers are unique like those of the published options", async () => {
  const option = await added({ title: "Preços", option: 1 });
  const body = { queueId, title: "Entrega", option: 1, draft: true };
  expect(await app.as(admin).post("/queue-options", body)).toMatchObject(
    refused("ERR_QUEUE_OPTION_EXISTS", 400),
  );
  const other = await added({ title: "Entrega", option: 2, draft: true });
  const order = { queueId, ids: [other.id, option.id], draft: true };
  expect((await app.as(admin).post("/queue-options/order", order)).status).toBe(200);
  expect(lines((await chatbot()).draft.options)).toEqual(["1 Entrega", "2 Preços"]);
  const reply = await app.as(admin).delete<EditedChatbot>(`/queue/${queueId}/chatbot`);
  expect([reply.status, reply.body.draftAt]).toEqual([200, null]);
  expect(lines(reply.body.draft.options)).toEqual(["1 Preços"]);
});

test("the company hears that a queue has a draft, and that it has none any more", async () => {
  const ear = await app.live(admin);
  const option = await added({ title: "Preços", option: 1, draft: true });
  await change(option.id, { title: "Tabela", draft: true });
  await publish();
  const name = companyEvent(company.id, "queue");
  const heard = (hasChatbotDraft: boolean) => ({ queue: { id: queueId, hasChatbotDraft } });
  expect(await ear.next(name)).toMatchObject(heard(true));
  expect(await ear.next(name)).toMatchObject(heard(false));
});

test("a file of the draft replaces the published one at the publication", async () => {
  const option = await added({ title: "Preços", option: 1 });
  const upload = async (name: string, fields: Record<string, string>) => {
    const body = new FormData();
    for (const [field, value] of Object.entries(fields)) body.append(field, value);
    body.append("file", new Blob([name]), name);
    const headers = { authorization: `Bearer ${admin.token}` };
    const path = `${app.url}/api/queue-options/${option.id}/media-upload`;
    expect((await fetch(path, { method: "POST", headers, body })).status).toBe(200);
  };
  await upload("antes.txt", {});
  await upload("depois.txt", { draft: "true" });
  expect(await published()).toMatchObject([{ mediaName: "antes.txt" }]);
  await publish();
  const [{ mediaName, mediaPath } = { mediaName: null, mediaPath: null }] = await published();
  expect(mediaName).toBe("depois.txt");
  expect(await (await fetch(new URL(mediaPath ?? "", app.url))).text()).toBe("depois.txt");
});

test("a queue with a draft can be deleted", async () => {
  const option = await added({ title: "Preços", option: 1, draft: true });
  await added({ title: "Prazo", option: 1, parentId: option.id, draft: true });
  expect((await app.as(admin).delete(`/queue/${queueId}`)).status).toBe(200);
  expect(await app.as(admin).get(`/queue/${queueId}/chatbot`)).toMatchObject(
    refused("ERR_QUEUE_NOT_FOUND", 404),
  );
});
