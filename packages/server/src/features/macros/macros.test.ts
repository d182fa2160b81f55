import type { ChangedTicket, Macro, Message, QueueId, Ticket } from "@balcao/contract";
import { companyEvent, limits } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenTicket } from "../../testing/given.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});

const path = "/macros";
const refused = (code: string, status = 400) => ({ status, body: { code } });
const missing = refused("ERR_NO_MACRO_FOUND", 404);

const run = <Row>(statement: ReturnType<typeof sql>): Promise<Row[]> =>
  app.database.db.acrossCompanies((tx) => tx.query<Row>(statement));

async function office() {
  const { given } = app;
  const company = await given.company();
  const sales = await given.queue({ company, name: "Vendas" });
  const support = await given.queue({ company, name: "Suporte" });
  const admin = await given.admin({ company });
  const ana = await given.agent({ company, name: "Ana", queueIds: [sales, support] });
  const connectionId = await given.connection({ company, linked: false });
  await run(sql`update connections set status = 'CONNECTED' where id = ${connectionId}`);
  const tag = (await app.as(admin).post<{ id: number }>("/tags", { name: "Pago" })).body;
  const ticket = await given.ticket({
    ...{ company, connectionId, queueId: sales, status: "open", userId: ana.id },
    contactName: "Carla Dias",
  });
  const add = async (body: object): Promise<Macro> => {
    const reply = await app.as(admin).post<Macro>(path, { name: "Pagamento", ...body });
    expect([reply.status, reply.body]).toEqual([200, expect.anything()]);
    return reply.body;
  };
  const runIt = (macro: Macro, undoSeconds = 0) =>
    app
      .as(ana)
      .post<ChangedTicket>(`${path}/${macro.id}/run`, { ticketId: ticket.id, undoSeconds });
  return { company, sales, support, admin, ana, tag, ticket, add, runIt };
}

type Office = Awaited<ReturnType<typeof office>>;

async function stateOf({ admin }: Office, { id }: GivenTicket) {
  const [{ body: ticket }, { body: page }] = await Promise.all([
    app.as(admin).get<Ticket>(`/tickets/${id}`),
    app.as(admin).get<{ messages: Message[] }>(`/messages/${id}`),
  ]);
  return {
    ...{ status: ticket.status, userId: ticket.userId, queueId: ticket.queueId },
    tags: ticket.tags.map(({ name }) => name),
    said: page.messages.map(({ body }) => body),
  };
}

const attendanceOf = (ticketId: number) =>
  run<{ queueId: QueueId | null; isFinished: boolean }>(sql`
    select queue_id as "queueId", finished_at is not null as "isFinished"
    from attendances where ticket_id = ${ticketId} order by id desc limit 1`);

test("admins keep the list, every agent reads it by name, and every window hears of changes", async () => {
  const { company, admin, ana, add } = await office();
  const live = await app.live(ana);
  const first = await add({ name: "  Órfão ", message: "Oi", key: "1" });
  const second = await add({ name: "Adeus", resolves: true });
  const listed = async () => (await app.as(ana).get<Macro[]>(path)).body.map(({ name }) => name);
  expect(await listed()).toEqual(["Adeus", "Órfão"]);
  const event = companyEvent(company.id, "macro");
  expect(await live.next(event)).toEqual({ action: "create", macro: first });
  expect(await live.next(event)).toMatchObject({ action: "create" });

  const change = { name: "Tchau", resolves: true, key: "1" };
  expect(await app.as(admin).put(`${path}/${second.id}`, change)).toMatchObject(
    refused("ERR_MACRO_KEY_TAKEN"),
  );
  const reply = await app.as(admin).put(`${path}/${second.id}`, { ...change, key: "2" });
  expect(reply.body).toMatchObject({ id: second.id, name: "Tchau", key: "2", message: "" });
  expect(await live.next(event)).toMatchObject({ action: "update", macro: { name: "Tchau" } });
  expect((await app.as(admin).delete(`${path}/${first.id}`)).status).toBe(200);
  expect(await live.next(event)).toEqual({ action: "delete", macroId: first.id });
  expect(await app.as(admin).delete(`${path}/${first.id}`)).toMatchObject(missing);
});

test.each([
  [{ message: " " }, "ERR_INVALID_REQUEST"],
  [{ message: "Oi", key: "0" }, "ERR_INVALID_REQUEST"],
  [{ message: "Oi", tagId: 2_000_000_000 }, "ERR_NO_TAG_FOUND"],
  [{ message: "Oi", queueId: 2_000_000_000 }, "ERR_QUEUE_NOT_FOUND"],
  [{ message: "Oi", reasonId: 2_000_000_000 }, "ERR_NO_REASON_FOUND"],
])("%o is refused", async (body, code) => {
  const { admin } = await office();
  const reply = await app.as(admin).post(path, { name: "Teste", ...body });
  expect(reply).toMatchObject({ body: { code } });
});

test("agents cannot change the list, and it has an end", async () => {
  const { company, admin, ana, add } = await office();
  const macro = await add({ message: "Oi" });
  const forbidden = refused("ERR_NO_PERMISSION", 403);
  expect(await app.as(ana).post(path, { name: "Minha", message: "Oi" })).toMatchObject(forbidden);
  expect(await app.as(ana).delete(`${path}/${macro.id}`)).toMatchObject(forbidden);
  await run(sql`
    insert into macros (company_id, name, message)
    select ${company.id}, 'Macro ' || n, 'Oi' from generate_series(2, ${limits.macrosMax}::int) n`);
  expect(await app.as(admin).post(path, { name: "Mais", message: "Oi" })).toMatchObject({
    ...refused("ERR_MACRO_LIMIT_REACHED"),
    body: { data: { max: limits.macrosMax } },
  });
});

test("a macro sends its text in the agent's name, tags, and resolves in its queue, in one step", async () => {
  const desk = await office();
  const { support, tag, ticket, add, runIt } = desk;
  const macro = await add({
    ...{ message: "Recebemos, {{firstName}}!", tagId: tag.id, queueId: support, resolves: true },
  });
  const reply = await runIt(macro);
  expect([reply.status, reply.body.status]).toEqual([200, "closed"]);
  expect(await stateOf(desk, ticket)).toEqual({
    ...{ status: "closed", userId: null, queueId: null },
    ...{ tags: ["Pago"], said: ["Recebemos, Carla!"] },
  });
  expect(await attendanceOf(ticket.id)).toEqual([{ queueId: support, isFinished: true }]);
});

test("with a queue alone the ticket waits there, as after a transfer", async () => {
  const desk = await office();
  const macro = await desk.add({ queueId: desk.support });
  expect((await desk.runIt(macro)).status).toBe(200);
  expect(await stateOf(desk, desk.ticket)).toMatchObject({
    ...{ status: "pending", userId: null, queueId: desk.support, said: [] },
  });
});

test("all steps are undone together: the text is not sent, the tag is gone, the ticket is as before", async () => {
  const desk = await office();
  const { sales, ana, tag, ticket, add, runIt } = desk;
  await run(sql`
    update connections set complation_message = 'Até logo' where company_id = ${desk.company.id}`);
  const macro = await add({ message: "Recebemos", tagId: tag.id, resolves: true });
  const { body } = await runIt(macro, 7);
  expect(await stateOf(desk, ticket)).toMatchObject({
    ...{ status: "closed", tags: ["Pago"], said: ["Recebemos", "Até logo"] },
  });
  const undo = () => app.as(ana).post(`/tickets/${ticket.id}/undo`, { undoId: body.undo?.id });
  expect((await undo()).status).toBe(200);
  const before = { status: "open", userId: ana.id, queueId: sales, tags: [], said: [] };
  expect(await stateOf(desk, ticket)).toEqual(before);
  // A second click changes nothing.
  expect((await undo()).status).toBe(200);
  expect(await stateOf(desk, ticket)).toEqual(before);
});

test("a tag that the ticket had stays when a macro is undone", async () => {
  const desk = await office();
  const { ana, tag, ticket, add, runIt } = desk;
  await app.as(ana).post("/tags/sync", { ticketId: ticket.id, tags: [{ id: tag.id }] });
  const macro = await add({ message: "Oi", tagId: tag.id });
  const { body } = await runIt(macro, 7);
  await app.as(ana).post(`/tickets/${ticket.id}/undo`, { undoId: body.undo?.id });
  expect(await stateOf(desk, ticket)).toMatchObject({ tags: ["Pago"], said: [] });
});

test("where one step is refused, none is done", async () => {
  const desk = await office();
  const { admin, tag, ticket, add, runIt } = desk;
  await app.as(admin).post("/resolve-reasons", { name: "Venda" });
  await app.as(admin).put("/settings/resolveReasonRequired", { value: "enabled" });
  const macro = await add({ message: "Recebemos", tagId: tag.id, resolves: true });
  const before = await stateOf(desk, ticket);
  expect(await runIt(macro)).toMatchObject(refused("ERR_REASON_REQUIRED"));
  expect(await stateOf(desk, ticket)).toEqual(before);
  await run(sql`update tickets set connection_id = null where id = ${ticket.id}`);
  expect(await runIt(await add({ name: "Outra", message: "Oi", tagId: tag.id }))).toMatchObject(
    refused("ERR_WAPP_NOT_INITIALIZED"),
  );
  expect((await stateOf(desk, ticket)).tags).toEqual([]);
});

test("a closed ticket, one that the agent may not see, and another company's macro are refused", async () => {
  const desk = await office();
  const { company, ticket, add, runIt } = desk;
  const macro = await add({ message: "Oi" });
  const stranger = await app.given.agent({ company });
  const body = { ticketId: ticket.id };
  expect((await app.as(stranger).post(`${path}/${macro.id}/run`, body)).status).toBe(403);
  const other = await office();
  expect(await other.runIt(macro)).toMatchObject(missing);
  await run(sql`update tickets set status = 'closed', user_id = null where id = ${ticket.id}`);
  expect((await runIt(macro)).status).toBeGreaterThanOrEqual(400);
  expect((await stateOf(desk, ticket)).said).toEqual([]);
});
