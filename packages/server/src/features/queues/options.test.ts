import type { QueueId, QueueOption } from "@balcao/contract";
import { limits } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, beforeEach, expect, test } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenCompany, GivenUser } from "../../testing/given.ts";

let app: TestApp;
let company: GivenCompany;
let admin: GivenUser;
let agent: GivenUser;
let stranger: GivenUser;
let queueId: QueueId;

beforeAll(async () => {
  app = await testApp({ environment: { ROLES: "http" } });
  company = await app.given.company();
  admin = await app.given.admin({ company });
  agent = await app.given.agent({ company });
  stranger = await app.given.admin({ company: await app.given.company() });
});

beforeEach(async () => {
  queueId = await app.given.queue({ company });
});

const refused = (code: string, status = 400) => ({ status, body: { code } });
const notFound = refused("ERR_NO_QUEUE_OPTION_FOUND", 404);

const add = (body: Record<string, unknown>) =>
  app.as(admin).post<QueueOption>("/queue-options", { queueId, title: "Opção", ...body });

async function added(body: Record<string, unknown>): Promise<QueueOption> {
  const reply = await add(body);
  expect([reply.status, reply.body]).toEqual([200, expect.anything()]);
  return reply.body;
}

const list = async (query = "") =>
  (await app.as(agent).get<QueueOption[]>(`/queue-options?queueId=${queueId}${query}`)).body;

const places = (options: QueueOption[]) => options.map(({ id, option }) => [id, option]);

test("an option is made at the root or below another one; clients of the family send more, which is ignored", async () => {
  const root = await added({
    ...{ title: "  Preços ", message: "Nossa tabela:", option: "2", parentId: null },
    ...{ children: [{ title: "x" }], edition: true, id: 7 },
  });
  expect(root).toEqual({
    ...{ id: expect.any(Number), queueId, parentId: null, option: "2" },
    ...{ title: "Preços", message: "Nossa tabela:" },
    ...{ mediaPath: null, mediaName: null, mediaMime: null },
    ...{ createdAt: expect.any(String), updatedAt: expect.any(String) },
  });
  const child = await added({ option: 1, parentId: root.id });
  expect(child).toMatchObject({ parentId: root.id, message: "", option: "1" });
  expect(await app.as(agent).get(`/queue-options/${child.id}`)).toMatchObject({ body: child });
});

test.for([-1, 0, "", "0", "-1", null])("parent %o is the root", async (parentId) => {
  expect(await added({ option: 1, parentId })).toMatchObject({ parentId: null });
});

test("options come by their number: the whole tree, the root, or one level, each in one statement", async () => {
  const ten = await added({ option: 10 });
  const two = await added({ option: "2" });
  const below = await added({ option: 1, parentId: ten.id });
  for (const [query, expected] of [
    ["", [two, ten, below]],
    ["&parentId=-1", [two, ten]],
    [`&parentId=${ten.id}`, [below]],
    [`&parentId=${below.id}`, []],
  ] as const) {
    app.statements.take();
    expect(await list(query)).toEqual(expected);
    // One for the caller's rights, one for the list.
    expect(app.statements.take()).toHaveLength(2);
  }
});

test("the options of all queues are counted in one statement, without those of other companies", async () => {
  const theirCompany = await app.given.company();
  const theirAdmin = await app.given.admin({ company: theirCompany });
  const theirs = await app.given.queue({ company: theirCompany });
  await app.as(theirAdmin).post("/queue-options", { queueId: theirs, title: "Outra", option: 1 });
  const parent = await added({ option: 1 });
  await added({ option: 1, parentId: parent.id });
  await app.given.queue({ company });
  app.statements.take();
  const { body } = await app.as(agent).get<{ queueId: QueueId }[]>("/queue-options/count");
  // One for the caller's rights, one for the counts.
  expect(app.statements.take()).toHaveLength(2);
  expect(body).toContainEqual({ queueId, count: 2 });
  expect(body.filter((row) => row.queueId === theirs)).toEqual([]);
  const other = await app.as(theirAdmin).get("/queue-options/count");
  expect(other.body).toEqual([{ queueId: theirs, count: 1 }]);
});

test("a change writes what it names; an option stays in its queue and under its parent", async () => {
  const parent = await added({ option: 1 });
  const { id } = await added({ option: 2, message: "Antes", parentId: parent.id });
  const other = await app.given.queue({ company });
  const change = { title: "Depois", message: null, queueId: other, parentId: null };
  expect(await app.as(admin).put(`/queue-options/${id}`, change)).toMatchObject({
    status: 200,
    body: { id, queueId, parentId: parent.id, title: "Depois", message: "", option: "2" },
  });
  expect(await app.as(admin).put(`/queue-options/${id}`, { option: "9" })).toMatchObject({
    body: { title: "Depois", option: "9" },
  });
});

test("a number is unique among siblings, also in concurrent requests", async () => {
  const taken = refused("ERR_QUEUE_OPTION_EXISTS");
  const first = await added({ option: 1 });
  const second = await added({ option: 2 });
  expect(await add({ option: "1" })).toMatchObject(taken);
  expect(await app.as(admin).put(`/queue-options/${second.id}`, { option: 1 })).toMatchObject(
    taken,
  );
  await added({ option: 1, parentId: first.id });
  const rush = await Promise.all(Array.from({ length: 5 }, () => add({ option: 3 })));
  expect(rush.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    200, 400, 400, 400, 400,
  ]);
});

test.for([
  { title: "" },
  { title: "   " },
  { title: "x".repeat(limits.queueOptionTitleMax + 1) },
  { option: 0 },
  { option: "1000" },
  { option: "1a" },
  { option: "" },
])("%o is refused", async (part) => {
  expect(await add({ option: 1, ...part })).toMatchObject(refused("ERR_INVALID_REQUEST"));
  const { id } = await added({ option: 1 });
  const reply = await app.as(admin).put(`/queue-options/${id}`, part);
  expect(reply).toMatchObject(refused("ERR_INVALID_REQUEST"));
});

test("a level is numbered anew in the order given, and only if it is the whole level", async () => {
  const options = [
    await added({ option: 1 }),
    await added({ option: 2 }),
    await added({ option: 7 }),
  ];
  const [a, b, c] = options.map(({ id }) => id);
  const child = await added({ option: 5, parentId: a });
  const order = (body: Record<string, unknown>) =>
    app.as(admin).post<QueueOption[]>("/queue-options/order", { queueId, ...body });
  const reply = await order({ ids: [c, a, b] });
  expect([reply.status, places(reply.body)]).toEqual([
    200,
    [
      [c, "1"],
      [a, "2"],
      [b, "3"],
    ],
  ]);
  expect(places(await list("&parentId=-1"))).toEqual(places(reply.body));
  expect((await order({ parentId: a, ids: [child.id] })).body).toMatchObject([{ option: "1" }]);

  for (const ids of [
    [c, a],
    [c, a, a],
    [a, b, c, child.id],
    [a, b, child.id],
  ]) {
    expect(await order({ ids })).toMatchObject(notFound);
  }
  expect(await order({ ids: [a, b, c], parentId: child.id })).toMatchObject(notFound);
  expect(await order({ ids: [] })).toMatchObject(refused("ERR_INVALID_REQUEST"));
  expect(places(await list("&parentId=-1"))).toEqual(places(reply.body));
});

test("deleting an option deletes all below it, and tickets there return to the menu", async () => {
  const root = await added({ option: 1 });
  const other = await added({ option: 2 });
  let parentId = root.id;
  for (let depth = 0; depth < 40; depth += 1)
    ({ id: parentId } = await added({ option: 1, parentId }));
  const ticket = await app.given.ticket({ company, queueId });
  await app.database.db.acrossCompanies((tx) =>
    tx.query(sql`
      update tickets set chatbot = true, queue_option_id = ${parentId} where id = ${ticket.id}`),
  );
  expect(await app.as(admin).delete(`/queue-options/${root.id}`)).toMatchObject({
    status: 200,
    body: { message: "Option Delected" },
  });
  expect(await list()).toEqual([other]);
  const { body } = await app.as(admin).get(`/tickets/${ticket.id}`);
  expect(body).toMatchObject({ queueId, chatbot: true, queueOptionId: null });
  expect(await app.as(admin).delete(`/queue-options/${root.id}`)).toMatchObject(notFound);
});

test("options per level and per queue are limited", async () => {
  const fill = (count: number, parent: number | null) =>
    app.database.db.acrossCompanies((tx) =>
      tx.query(sql`
        insert into queue_options (company_id, queue_id, parent_id, number, title)
        select ${company.id}, ${queueId}, ${parent}::int, n, 'Opção' from generate_series(1, ${count}::int) n`),
    );
  await fill(limits.queueOptionsPerLevel, null);
  const [first, ...others] = await list("&parentId=-1");
  const full = (max: number) => ({
    ...refused("ERR_QUEUE_OPTIONS_LIMIT"),
    body: { data: { max } },
  });
  expect(await add({ option: 101 })).toMatchObject(full(limits.queueOptionsPerLevel));
  await added({ option: 1, parentId: first?.id });
  const levels = limits.queueOptionsPerQueue / limits.queueOptionsPerLevel - 1;
  for (const { id } of others.slice(0, levels)) await fill(limits.queueOptionsPerLevel, id);
  expect(await add({ option: 2, parentId: first?.id })).toMatchObject(
    full(limits.queueOptionsPerQueue),
  );
});

test("agents read options and cannot change them; those of other companies and queues are not found", async () => {
  const { id } = await added({ option: 1 });
  const forbidden = refused("ERR_NO_PERMISSION", 403);
  const body = { queueId, title: "Minha", option: 3, ids: [id] };
  expect(await app.as(agent).post("/queue-options", body)).toMatchObject(forbidden);
  expect(await app.as(agent).post("/queue-options/order", body)).toMatchObject(forbidden);
  expect(await app.as(agent).put(`/queue-options/${id}`, body)).toMatchObject(forbidden);
  expect(await app.as(agent).delete(`/queue-options/${id}`)).toMatchObject(forbidden);

  const noQueue = refused("ERR_QUEUE_NOT_FOUND", 404);
  const foreign = app.as(stranger);
  expect(await foreign.get(`/queue-options?queueId=${queueId}`)).toMatchObject(noQueue);
  expect(await foreign.post("/queue-options", body)).toMatchObject(noQueue);
  expect(await foreign.post("/queue-options/order", body)).toMatchObject(noQueue);
  expect(await foreign.get(`/queue-options/${id}`)).toMatchObject(notFound);
  expect(await foreign.put(`/queue-options/${id}`, body)).toMatchObject(notFound);
  expect(await foreign.delete(`/queue-options/${id}`)).toMatchObject(notFound);

  const other = await app.given.queue({ company });
  expect(await add({ queueId: other, option: 1, parentId: id })).toMatchObject(notFound);
  expect(await list()).toMatchObject([{ id, title: "Opção" }]);
});
