import type { Connection, ConnectionId } from "@balcao/contract";
import { companyEvent } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { eventually } from "../../channels/testing/eventually.ts";
import { testApp } from "../../testing/app.ts";

const product = await testApp();
const { given, as, database, live } = product;

async function newWorld(connections = 10) {
  const company = await given.company({ plan: { connections } });
  const admin = await given.admin({ company });
  const agent = await given.agent({ company });
  const create = (body: object) =>
    as(admin).post<Connection & { error: string; code: string }>("/whatsapp", {
      channel: "simulator",
      ...body,
    });
  const made = async (body: object): Promise<ConnectionId> => {
    const reply = await create(body);
    if (reply.status !== 200) throw new Error(JSON.stringify(reply.body));
    return reply.body.id;
  };
  const change = (id: ConnectionId, body: object) =>
    as(admin).put<Connection & { error: string; code: string }>(`/whatsapp/${id}`, body);
  const list = async () => (await as(admin).get<Connection[]>("/whatsapp")).body;
  const defaults = async () =>
    (await list()).flatMap(({ name, isDefault }) => (isDefault ? [name] : []));
  return { company, admin, agent, create, made, change, list, defaults };
}

test("a new connection has the given fields, defaults for the rest, and is starting", async () => {
  const { company, create } = await newWorld();
  const queueId = await given.queue({ company, name: "Suporte" });
  const { status, body } = await create({
    name: " Loja ",
    greetingMessage: "Olá",
    complationMessage: "Tchau",
    outOfHoursMessage: "Fechado",
    ratingMessage: "Nota?",
    expiresInactiveMessage: "Encerrado",
    expiresTicket: "30",
    timeToTransfer: 5,
    transferQueueId: queueId,
    queueIds: [queueId],
    token: "segredo",
    status: "CONNECTED",
    session: "{}",
    number: "5511",
    promptId: "",
  });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    name: "Loja",
    companyId: company.id,
    channel: "simulator",
    status: "OPENING",
    greetingMessage: "Olá",
    complationMessage: "Tchau",
    outOfHoursMessage: "Fechado",
    ratingMessage: "Nota?",
    expiresInactiveMessage: "Encerrado",
    expiresTicket: 30,
    timeToTransfer: 5,
    transferQueueId: queueId,
    timeUseBotQueues: 0,
    maxUseBotQueues: 3,
    provider: "beta",
    token: "segredo",
    number: null,
    promptId: null,
    queues: [{ id: queueId, name: "Suporte" }],
    cloudApi: null,
    connectedAt: null,
  });
});

test("read alone, a connection shows the menus of its queues as other clients read them", async () => {
  const { company, admin, agent, made } = await newWorld();
  const queueId = await given.queue({ company, name: "Vendas" });
  const option = { queueId, parentId: null, title: "Preços", message: "Tabela", option: "1" };
  const { body: parent } = await as(admin).post<{ id: number }>("/queue-options", option);
  const child = { ...option, parentId: parent.id, title: "Atacado" };
  await as(admin).post("/queue-options", child);
  const id = await made({ name: "Loja", queueIds: [queueId] });
  const { body } = await as(agent).get(`/whatsapp/${id}?session=0`);
  const noFile = { mediaPath: null, mediaName: null };
  expect(body).toMatchObject({ id, token: null, prompt: null });
  expect(Reflect.get(body as object, "queues")).toEqual([
    {
      ...{ id: queueId, name: "Vendas", color: expect.any(String), greetingMessage: "" },
      ...{ integrationId: null, promptId: null, ...noFile },
      options: [
        { ...option, ...noFile, id: parent.id },
        { ...child, ...noFile, id: expect.any(Number) },
      ],
    },
  ]);
});

test("its session starts in the background and shows a code", async () => {
  const { made, list } = await newWorld();
  await made({ name: "Loja" });
  await eventually(async () => expect(await list()).toMatchObject([{ status: "qrcode" }]));
});

test("the refusal by the plan's limit has its number", async () => {
  const { create } = await newWorld(1);
  expect((await create({ name: "Uma" })).status).toBe(200);
  const { status, body } = await create({ name: "Outra" });
  expect([status, body.error, body.code]).toEqual([
    400,
    "Número máximo de conexões já alcançado: 1",
    "ERR_WAPP_LIMIT_REACHED",
  ]);
});

test("ten concurrent creations do not exceed the plan's limit", async () => {
  const { create, list } = await newWorld(3);
  const replies = await Promise.all(
    Array.from({ length: 10 }, (_, index) => create({ name: `Conexão ${index}` })),
  );
  expect(replies.filter(({ status }) => status === 200)).toHaveLength(3);
  const all = await list();
  expect(all).toHaveLength(3);
  expect(all.filter(({ isDefault }) => isDefault)).toHaveLength(1);
});

test("a name is unique in a company, also after a change, but not across companies", async () => {
  const { create, made, change } = await newWorld();
  await made({ name: "Loja" });
  const refusal = {
    status: 400,
    body: { error: "Esse nome já está sendo utilizado por outra conexão" },
  };
  expect(await create({ name: "Loja" })).toMatchObject(refusal);
  const other = await made({ name: "Filial" });
  expect(await change(other, { name: "Loja" })).toMatchObject(refusal);
  expect((await change(other, { name: "Filial" })).status).toBe(200);
  expect((await (await newWorld()).create({ name: "Loja" })).status).toBe(200);
});

test("a token is unique in the installation; empty tokens do not collide", async () => {
  const [left, right] = [await newWorld(), await newWorld()];
  const token = crypto.randomUUID();
  await left.made({ name: "Loja", token });
  const refusal = { status: 400, body: { error: "This whatsapp token is already used." } };
  expect(await right.create({ name: "Loja", token })).toMatchObject(refusal);
  const id = await right.made({ name: "Loja", token: "" });
  expect(await right.create({ name: "Filial", token: "" })).toMatchObject({ status: 200 });
  expect(await right.change(id, { token })).toMatchObject(refusal);
});

test("with more than one queue a greeting is needed, as the connection is after the change", async () => {
  const { company, create, change } = await newWorld();
  const queueIds = [await given.queue({ company }), await given.queue({ company })];
  const refusal = { status: 400, body: { code: "ERR_WAPP_GREETING_REQUIRED" } };
  expect(await create({ name: "Loja", queueIds, greetingMessage: "  " })).toMatchObject(refusal);
  const { status, body } = await create({ name: "Loja", queueIds, greetingMessage: "Escolha" });
  expect(status).toBe(200);
  expect(await change(body.id, { greetingMessage: "" })).toMatchObject(refusal);
  const one = await change(body.id, { greetingMessage: "", queueIds: queueIds.slice(0, 1) });
  expect(one.status).toBe(200);
  expect(await change(body.id, { queueIds })).toMatchObject(refusal);
});

test("fields that a change omits stay, queues too", async () => {
  const { company, made, change } = await newWorld();
  const queueIds = [await given.queue({ company })];
  const id = await made({
    name: "Loja",
    queueIds,
    ratingMessage: "Nota?",
    token: `t-${company.id}`,
  });
  const { body } = await change(id, { farewellMessage: "Até logo" });
  expect(body).toMatchObject({
    name: "Loja",
    ratingMessage: "Nota?",
    farewellMessage: "Até logo",
    token: `t-${company.id}`,
    queues: [{ id: queueIds[0] }],
  });
  expect((await change(id, { queueIds: [] })).body.queues).toEqual([]);
});

test.each(["queueIds", "transferQueueId"])("%s of another company are not found", async (field) => {
  const { create, made, change } = await newWorld();
  const queueId = await given.queue({ company: (await newWorld()).company });
  const body = { [field]: field === "queueIds" ? [queueId] : queueId };
  const refusal = { status: 404, body: { code: "ERR_QUEUE_NOT_FOUND" } };
  expect(await create({ name: "Loja", ...body })).toMatchObject(refusal);
  const id = await made({ name: "Loja" });
  expect(await change(id, body)).toMatchObject(refusal);
});

test("the first connection is always the default, a later one on request", async () => {
  const { made, change, defaults } = await newWorld();
  const first = await made({ name: "Primeira", isDefault: false });
  expect(await defaults()).toEqual(["Primeira"]);
  await made({ name: "Segunda" });
  expect(await defaults()).toEqual(["Primeira"]);
  const third = await made({ name: "Terceira", isDefault: true });
  expect(await defaults()).toEqual(["Terceira"]);
  await change(first, { isDefault: true });
  expect(await defaults()).toEqual(["Primeira"]);
  expect((await change(third, { isDefault: false })).status).toBe(200);
});

test("the default moves only to another connection", async () => {
  const { made, change, defaults } = await newWorld();
  const id = await made({ name: "Única" });
  await made({ name: "Outra" });
  expect(await change(id, { isDefault: false, name: "Renomeada" })).toMatchObject({
    status: 400,
    body: { error: "ERR_NO_OTHER_WHATSAPP" },
  });
  expect(await defaults()).toEqual(["Única"]);
});

test("a new connection and the former default are published as updates, without the token", async () => {
  const { company, admin, agent, made } = await newWorld();
  const former = await made({ name: "Antiga" });
  await product.idle();
  const [admins, agents] = [await live(admin), await live(agent)];
  const id = await made({ name: "Nova", isDefault: true, token: `nova-${company.id}` });
  for (const client of [admins, agents]) {
    const told = (of: ConnectionId) =>
      client.heard.flatMap(({ name, payload }) => {
        if (name !== companyEvent(company.id, "whatsapp")) return [];
        const { whatsapp } = payload as { whatsapp: Connection };
        return whatsapp.id === of ? [whatsapp] : [];
      });
    await eventually(() => expect(told(former).at(0)).toMatchObject({ isDefault: false }));
    await eventually(() =>
      expect(told(id).at(0)).toMatchObject({ isDefault: true, token: null, queues: [] }),
    );
    expect(JSON.stringify(client.heard)).not.toContain(`nova-${company.id}`);
  }
});

test("an unknown connection, or another company's, is not found and not changed", async () => {
  const { made, list } = await newWorld();
  const id = await made({ name: "Loja" });
  const stranger = await newWorld();
  const refusal = { status: 404, body: { error: "ERR_NO_WAPP_FOUND" } };
  expect(await stranger.change(id, { name: "Minha" })).toMatchObject(refusal);
  expect(await as(stranger.admin).delete(`/whatsapp/${id}`)).toMatchObject(refusal);
  expect(await stranger.change(2_000_000_000 as ConnectionId, {})).toMatchObject(refusal);
  expect(await list()).toMatchObject([{ id, name: "Loja" }]);
});

test("agents may neither add, change, delete nor restart, and see neither token nor credentials", async () => {
  const { agent, made, list } = await newWorld();
  const id = await made({ name: "Loja", token: crypto.randomUUID() });
  const refusal = { status: 403, body: { code: "ERR_NO_PERMISSION" } };
  const api = as(agent);
  expect(await api.post("/whatsapp", { name: "Minha" })).toMatchObject(refusal);
  expect(await api.put(`/whatsapp/${id}`, { name: "Minha" })).toMatchObject(refusal);
  expect(await api.delete(`/whatsapp/${id}`)).toMatchObject(refusal);
  expect(await api.post("/whatsapp-restart")).toMatchObject(refusal);
  expect(await api.get("/connections-health")).toMatchObject(refusal);
  expect(await api.get("/whatsapp")).toMatchObject({ body: [{ token: null, cloudApi: null }] });
  expect(await list()).toMatchObject([{ name: "Loja" }]);
});

test("a connection of the official API needs credentials that the service takes", async () => {
  const { create } = await newWorld();
  const reply = await create({ name: "Oficial", channel: "cloud-api" });
  expect(reply).toMatchObject({ status: 400, body: { code: "ERR_WAPP_CREDENTIALS" } });
});

test("a restart restarts all running connections, and none that users have stopped", async () => {
  const { company, admin, made } = await newWorld();
  const running = await made({ name: "Loja" });
  const stopped = await made({ name: "Parada" });
  await as(admin).delete(`/whatsappsession/${stopped}`);
  const wishes = () =>
    database.db.acrossCompanies((tx) =>
      tx.query<{ id: number; wanted: boolean; generation: number }>(sql`
        select id, wanted, start_generation as generation from connections
         where company_id = ${company.id} order by id`),
    );
  const before = await wishes();
  const reply = await as(admin).post("/whatsapp-restart");
  expect([reply.status, reply.body]).toEqual([200, { message: "Whatsapp restart." }]);
  expect(await wishes()).toEqual([
    { id: running, wanted: true, generation: (before[0]?.generation ?? 0) + 1 },
    { id: stopped, wanted: false, generation: before[1]?.generation },
  ]);
});

test("a new QR code is asked for without a body too, as other clients do", async () => {
  const { admin, made } = await newWorld();
  const id = await made({ name: "Loja" });
  const reply = await as(admin).put(`/whatsappsession/${id}`);
  expect([reply.status, reply.body]).toEqual([200, { message: "Starting session." }]);
  const started = await as(admin).post(`/whatsappsession/${id}`);
  expect([started.status, started.body]).toEqual([200, { message: "Starting session." }]);
});
