import type { ChatbotTrialState, Queue, QueueId, QueueOption } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenCompany, GivenUser } from "../../testing/given.ts";

let app: TestApp;
let company: GivenCompany;
let admin: GivenUser;
/** With options 1 (a leaf with a file) and 2 (with 1 below it); its hours are never open. */
let sales: Queue;
let deadlines: QueueOption;

beforeAll(async () => {
  app = await testApp();
  company = await app.given.company({ settings: { scheduleType: "queue" } });
  admin = await app.given.admin({ company });
  sales = await createQueue("Vendas");
  await closeForEver(sales.id);
  const prices = await createOption(1, "Preços");
  await upload(`/queue-options/${prices.id}/media-upload`, "tabela.txt");
  deadlines = await createOption(2, "Prazos");
  await createOption(1, "Atacado", deadlines.id);
});

type Trial = {
  messages: { text: string; mediaPath: string | null; mediaName: string | null }[];
  state: ChatbotTrialState;
  isOver: boolean;
  queueName: string | null;
};

async function createQueue(name: string): Promise<Queue> {
  const color = `#${String(100_000 + name.length * 7_919).slice(0, 6)}`;
  const body = { name, color, greetingMessage: `Aqui é ${name}, {{firstName}}` };
  const reply = await app.as(admin).post<Queue>("/queue", body);
  expect(reply.status).toBe(200);
  return reply.body;
}

async function createOption(
  option: number,
  title: string,
  parentId: number | null = null,
): Promise<QueueOption> {
  const body = { queueId: sales.id, parentId, option, title, message: `Sobre ${title}` };
  const reply = await app.as(admin).post<QueueOption>("/queue-options", body);
  expect(reply.status).toBe(200);
  return reply.body;
}

async function closeForEver(id: QueueId): Promise<void> {
  const schedules = sales.schedules.map((day) => ({
    ...day,
    startTime: "00:00",
    endTime: "00:00",
  }));
  const body = { schedules, outOfHoursMessage: "Fechado" };
  expect((await app.as(admin).put(`/queue/${id}`, body)).status).toBe(201);
}

async function upload(path: string, name: string): Promise<void> {
  const body = new FormData();
  body.append("file", new Blob(["Preços de hoje"]), name);
  const headers = { authorization: `Bearer ${admin.token}` };
  const reply = await fetch(`${app.url}/api${path}`, { method: "POST", headers, body });
  expect(reply.status).toBe(200);
}

async function play(
  text: string,
  state: object | null = null,
  rest: Record<string, unknown> = {},
): Promise<Trial> {
  const reply = await app.as(admin).post<Trial>(`/queue/${sales.id}/trial`, {
    contactName: "Ana *{{ms}}* Luz",
    text,
    state,
    ...rest,
  });
  expect(reply.status).toBe(200);
  return reply.body;
}

const said = ({ messages }: Trial): string[] =>
  messages.map(({ text, mediaName }) => mediaName ?? text);

const root = "Aqui é Vendas, Ana\n\n*[ 1 ]* - Preços\n*[ 2 ]* - Prazos\n\n*[ # ]* - Menu inicial";

test("the chatbot of a queue is played step by step, also while it is closed", async () => {
  const begin = await play("oi");
  expect([said(begin), begin.isOver, begin.queueName]).toEqual([[root], false, "Vendas"]);
  const inside = await play("2", begin.state);
  expect(inside.messages[0]?.text).toMatch(/^Sobre Prazos\n\n\*\[ 1 ]\* - Atacado\n/);
  expect(said(await play("#", inside.state))).toEqual([root]);
  expect(said(await play("bobagem", begin.state))).toEqual([root]);

  const leaf = await play("1", begin.state);
  expect(said(leaf)).toEqual(["Sobre Preços", "tabela.txt"]);
  expect([leaf.isOver, leaf.queueName]).toEqual([true, "Vendas"]);
  expect(said(await play("1", leaf.state))).toEqual([]);
});

test("with a draft the trial plays what is not published yet, also from the menu of a connection", async () => {
  const queue = await createQueue("Trocas e devoluções");
  const body = { queueId: queue.id, title: "Só no rascunho", option: 1, draft: true };
  expect((await app.as(admin).post("/queue-options", body)).status).toBe(200);
  const tried = async (rest: Record<string, unknown>): Promise<string[]> => {
    const asked = { state: null, text: "oi", contactName: "Ana", ...rest };
    return said((await app.as(admin).post<Trial>(`/queue/${queue.id}/trial`, asked)).body);
  };
  expect(await tried({})).toEqual(["Aqui é Trocas e devoluções, Ana"]);
  expect(await tried({ draft: true })).toEqual([expect.stringContaining("Só no rascunho")]);
  const connectionId = await app.given.connection({ company, queueIds: [queue.id] });
  expect(await tried({ connectionId })).toEqual([]);
  expect(await tried({ connectionId, draft: true })).toEqual([
    expect.stringContaining("Só no rascunho"),
  ]);
});

test("its files can be read where the reply says", async () => {
  const { state } = await play("oi");
  const [, file] = (await play("1", state)).messages;
  const path = file?.mediaPath ?? "";
  const reply = await fetch(new URL(path, app.url));
  expect([reply.status, await reply.text()]).toEqual([200, "Preços de hoje"]);
});

test("a queue without options says its greeting, and a person is awaited", async () => {
  const support = await createQueue("Suporte técnico");
  const reply = await app
    .as(admin)
    .post<Trial>(`/queue/${support.id}/trial`, { state: null, text: "oi", contactName: "Ana" });
  expect(reply.body).toMatchObject({
    messages: [{ text: "Aqui é Suporte técnico, Ana", mediaPath: null }],
    isOver: true,
    queueName: "Suporte técnico",
  });
});

test("with a connection its whole menu is played, within its limits", async () => {
  const other = await createQueue("Financeiro");
  const connectionId = await app.given.connection({
    company,
    queueIds: [sales.id, other.id],
    linked: false,
  });
  await app.database.db.acrossCompanies((tx) =>
    tx.query(sql`
      update connections set greeting_message = 'Olá {{name}}', max_use_bot_queues = 2
      where id = ${connectionId}`),
  );
  const menu = "Olá Ana *{{ms}}* Luz\n\n*[ 1 ]* - Vendas\n*[ 2 ]* - Financeiro";
  const whole = { connectionId };
  const begin = await play("1", null, whole);
  expect([said(begin), begin.queueName]).toEqual([[menu], null]);
  const wrong = await play("9", begin.state, whole);
  expect(said(wrong)).toEqual(["Opção inválida, por favor, escolha uma opção válida."]);
  const silent = await play("9", wrong.state, whole);
  expect(said(silent)).toEqual([]);
  const again = await play("#", silent.state, whole);
  expect(said(again)).toEqual([menu]);
  expect(said(await play("#", again.state, whole))).toEqual([]);
  const chosen = await play("1", again.state, whole);
  expect(said(chosen)).toEqual([root]);
  const person = await play("2", again.state, whole);
  expect([said(person), person.isOver]).toEqual([["Aqui é Financeiro, Ana"], true]);
});

test("a connection without queues greets, and a person is awaited", async () => {
  const connectionId = await app.given.connection({ company, linked: false });
  await app.database.db.acrossCompanies((tx) =>
    tx.query(sql`update connections set greeting_message = 'Oi' where id = ${connectionId}`),
  );
  const begin = await play("oi", null, { connectionId });
  expect([said(begin), begin.isOver, begin.queueName]).toEqual([["Oi"], true, null]);
  expect(said(await play("oi", begin.state, { connectionId }))).toEqual([]);
});

test("ids in the state that are not of what is played count as none", async () => {
  const { state } = await play("oi");
  const foreign = await app.given.queue({ company: await app.given.company() });
  expect(said(await play("2", { ...state, queueOptionId: 999_999 }))).toMatchObject([
    expect.stringMatching(/^Sobre Prazos/),
  ]);
  const lost = await play("1", { ...state, queueId: foreign });
  expect([said(lost), lost.state.queueId]).toEqual([[root], sales.id]);
});

test("a trial stores and sends nothing", async () => {
  const count = () =>
    app.database.db.acrossCompanies((tx) =>
      tx.query<{ n: number }>(sql`
        select (select count(*) from tickets where company_id = ${company.id})
             + (select count(*) from contacts where company_id = ${company.id})
             + (select count(*) from messages where company_id = ${company.id})
             + (select count(*) from outbound where company_id = ${company.id}) as n`),
    );
  const { state } = await play("oi");
  await play("1", state);
  expect(await count()).toMatchObject([{ n: 0 }]);
});

test("only users who manage queues play a trial, in their own company", async () => {
  const agent = await app.given.agent({ company, queueIds: [sales.id] });
  const stranger = await app.given.admin({ company: await app.given.company() });
  const connectionId = await app.given.connection({ company: await app.given.company() });
  const path = `/queue/${sales.id}/trial`;
  const body = { state: null, text: "oi" };
  expect(await app.as(agent).post(path, body)).toMatchObject({
    status: 403,
    body: { error: "ERR_NO_PERMISSION" },
  });
  expect(await app.as(stranger).post(path, body)).toMatchObject({
    status: 404,
    body: { error: "ERR_QUEUE_NOT_FOUND" },
  });
  expect(await app.as(admin).post(path, { ...body, connectionId })).toMatchObject({
    status: 404,
    body: { error: "ERR_NO_WAPP_FOUND" },
  });
  expect(await app.as(admin).post(path, body)).toMatchObject({ status: 200 });
});
