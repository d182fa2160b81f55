import type { Prompt, QueueId, Ticket, TicketNote } from "@balcao/contract";
import { personComesText, queueId } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { testApp } from "../../testing/app.ts";
import { recorded, tone } from "../../testing/media-samples.ts";
import { createDesk, quickAttendant } from "../attendant/testing/desk.ts";
import { givenAgent, instructions, promptBodyOf, sendFile } from "./testing/agent.ts";
import { startProviderStub } from "./testing/provider-stub.ts";

const stub = await startProviderStub();
const app = await testApp({
  outsideHosts: ["127.0.0.1:*"],
  attendantSettings: quickAttendant,
  promptSettings: { callMs: 400, speechUrl: stub.speechUrl },
});
const queues = [{ name: "Vendas", greeting: "Aqui é Vendas" }, { name: "Trocas" }];
const menu = "Bem-vindo!\n\n*[ 1 ]* - Vendas\n*[ 2 ]* - Trocas";
const answer = "Temos sim, por R$ 10.";
let keys = 0;

const desk = await createDesk(app, { greeting: "Bem-vindo!", queues });
await desk.online();
const queueAt = (place: number): QueueId => queueId.parse(desk.queueIds[place]);
const [sales, returns] = [queueAt(0), queueAt(1)];

/** The connection has a new agent and a new customer; the agent's key is new as well, so that the stub's requests are its. */
async function helped(behaviour: string, change: Record<string, unknown> = {}) {
  const key = `${behaviour}-${(keys += 1)}`;
  const body = { ...promptBodyOf(stub.baseUrl, returns, key), ...change };
  const agent = await givenAgent(app, desk.admin, desk.connectionId, body);
  const phone = desk.newPhone();
  const write = async (...bodies: string[]): Promise<void> => {
    for (const one of bodies) await desk.write(phone, one);
    await app.idle();
  };
  const shown = async () => (await app.as(desk.admin).get<Prompt>(`/prompt/${agent.id}`)).body;
  const ticket = (): Promise<Ticket> => desk.ticketOf(phone);
  const said = async () => desk.answers((await ticket()).id);
  const asked = () => stub.chatsOf(key).map(({ body: { messages = [] } }) => messages);
  return { key, agent, phone, write, shown, ticket, said, asked };
}

/** Another customer writes; resolves with the answers. */
async function otherCustomer(): Promise<string[]> {
  const phone = desk.newPhone();
  await desk.write(phone, "Oi");
  await app.idle();
  return desk.answers((await desk.ticketOf(phone)).id);
}

/** To the company's admins. */
const mails = () => desk.rows<{ subject: string }>(sql`select subject from mails order by id`);

const user = (content: string) => ({ role: "user", content });
const assistant = (content: string) => ({ role: "assistant", content });

test("7.1, 7.2: it answers in the menu's place, once for several messages, with the conversation before", async () => {
  const { agent, phone, write, said, asked, ticket, shown } = await helped("ok");
  await write("Oi", "Tem camiseta {{name}}?");
  await write("E calça?");
  expect(await said()).toEqual([answer, answer]);
  expect(asked().map((lines) => lines.slice(1))).toEqual([
    [user("Oi"), user("Tem camiseta {{name}}?")],
    [user("Oi"), user("Tem camiseta {{name}}?"), assistant(answer), user("E calça?")],
  ]);
  expect(asked()[0]?.[0]?.content).toContain(instructions);
  expect(await ticket()).toMatchObject({
    ...{
      status: "pending",
      queueId: null,
      useIntegration: true,
      promptId: agent.id,
      chatbot: true,
    },
  });
  // 7.3: the mark is on the network alone.
  expect(await desk.heard(phone)).toEqual([`\u200E${answer}`, `\u200E${answer}`]);
  expect(await shown()).toMatchObject({
    ...{ usedToday: { tokens: 240, answers: 2 }, promptTokens: 200, completionTokens: 40 },
  });
});

test("7.1: that of a chosen queue answers in place of its greeting", async () => {
  const { agent, write, said, ticket, asked } = await helped("ok");
  await app.as(desk.admin).put(`/whatsapp/${desk.connectionId}`, { promptId: null });
  await app.as(desk.admin).put(`/queue/${sales}`, { promptId: agent.id });
  await write("Oi");
  await write("1");
  await write("Tem calça?");
  expect(await said()).toEqual([menu, answer, answer]);
  expect(asked()[0]?.slice(1)).toEqual([user("Oi"), assistant(menu), user("1")]);
  expect(await ticket()).toMatchObject({ queueId: sales, promptId: agent.id, chatbot: true });
  await app.as(desk.admin).put(`/queue/${sales}`, { promptId: null });
});

test.each<[how: string, last: string, reasons: string[]]>([
  ["tool", personComesText, ["quer uma pessoa"]],
  ["words", "Já chamo alguém, Ana.", []],
])(
  "7.3: a hand-over by %s: the ticket waits in the prompt's queue for a person, with the reason as a note",
  async (how, last, reasons) => {
    const { agent, write, said, ticket, asked } = await helped(how);
    // Its queue has the same agent, which does not begin again.
    await app.as(desk.admin).put(`/queue/${returns}`, { promptId: agent.id });
    await write("Quero uma pessoa");
    expect(await said()).toEqual([last]);
    expect(await ticket()).toMatchObject({
      ...{ status: "pending", queueId: returns, useIntegration: false, promptId: null },
      ...{ chatbot: false, userId: null },
    });
    const path = `/ticket-notes/list?ticketId=${(await ticket()).id}`;
    const { body: notes } = await app.as(desk.admin).get<TicketNote[]>(path);
    expect(notes.map(({ note, user }) => [user.name, note])).toEqual(
      reasons.map((reason) => [agent.name, reason]),
    );
    await write("Alguém?");
    expect([await said(), asked().length]).toEqual([[last], 1]);
    await app.as(desk.admin).put(`/queue/${returns}`, { promptId: null });
  },
);

test.each([
  ["refused", "key", true],
  ["quota", "credit", true],
  ["unknown", "model", true],
  ["elsewhere", "address", true],
  ["busy", "rate", false],
  ["html", "reply", false],
  ["hang", "slow", false],
])(
  "7.2: a provider that answers %s: the menu, the admins see %s",
  async (behaviour, fault, isLasting) => {
    const { write, said, shown, asked } = await helped(behaviour);
    const mailed = (await mails()).length;
    await write("Oi");
    expect(await said()).toEqual([menu]);
    expect(await shown()).toMatchObject({ fault, faultAt: expect.any(String) });
    // The menu goes on in any case; after a lasting fault nobody is asked for the next customer.
    await write("1");
    expect(await said()).toEqual([menu, "Aqui é Vendas"]);
    const before = asked().length;
    expect(await otherCustomer()).toEqual([menu]);
    expect(asked().length > before).toBe(!isLasting);
    // A mail once, where only a change helps.
    expect((await mails()).length - mailed).toBe(isLasting ? 1 : 0);
  },
);

test("7.2: a changed key ends the fault, and so does an answer", async () => {
  const { agent, shown } = await helped("refused");
  const change = (apiKey: string) =>
    app.as(desk.admin).put<Prompt>(`/prompt/${agent.id}`, { apiKey });
  expect(await otherCustomer()).toEqual([menu]);
  expect((await shown()).fault).toBe("key");
  expect((await change("flaky-1")).body.fault).toBe(null);
  expect(await otherCustomer()).toEqual([menu]);
  expect((await shown()).fault).toBe("reply");
  expect(await otherCustomer()).toEqual([answer]);
  expect(await shown()).toMatchObject({ fault: null, faultAt: null });
});

type Change = Record<string, unknown>;
test.each<
  [what: string, change: Change, before: ((ticketId: number) => ReturnType<typeof sql>) | null]
>([
  ["the tokens of the day", { dayTokens: 100 }, null],
  ["the tokens of the ticket", { ticketTokens: 100 }, null],
  [
    "thirty answers of the ticket",
    {},
    (id) => sql`update prompt_tickets set answers = 30 where ticket_id = ${id}`,
  ],
  [
    "eight messages in two minutes",
    {},
    (id) => sql`
      insert into messages (company_id, id, ticket_id, connection_id, provider_id, body, from_me, read, ack, is_automatic,
        media_type, created_at)
      select company_id, gen_random_uuid(), id, connection_id, 'x' || n, 'eco', true, true, 1, true, 'call_log',
        now() - interval '1 minute'
      from tickets, generate_series(1, 7) n where id = ${id}`,
  ],
])("budget: %s are used up: the menu goes on", async (_what, change, before) => {
  const { write, said, ticket, asked } = await helped("ok", change);
  const mailed = (await mails()).length;
  await write("Oi");
  if (before) await desk.rows(before((await ticket()).id));
  await write("E calça?");
  expect((await said()).filter((text) => text !== "eco")).toEqual([answer, menu]);
  expect([asked().length, (await ticket()).promptId]).toEqual([1, null]);
  if ("dayTokens" in change) expect(await otherCustomer()).toEqual([menu]);
  expect((await mails()).slice(mailed)).toEqual(
    "dayTokens" in change
      ? [{ subject: expect.stringContaining("Lia da loja atingiu o limite de hoje") }]
      : [],
  );
});

test("an agent's act ends it, and its answer is dropped", async () => {
  const { write, said, ticket, asked } = await helped("ok");
  await write("Oi");
  const { id } = await ticket();
  await app.as(desk.agent).put(`/tickets/${id}`, { status: "open" });
  await write("Tem alguém?");
  await app.as(desk.agent).put(`/tickets/${id}`, { status: "pending", userId: null });
  await write("E agora?");
  expect([await said(), asked().length]).toEqual([[answer], 1]);
});

test("7.2: without the plan there is no agent", async () => {
  const { write, said, asked } = await helped("ok");
  const setPlan = (isIncluded: boolean) =>
    app.database.db.acrossCompanies((tx) =>
      tx.query(sql`update plans set use_open_ai = ${isIncluded}
        where id = (select plan_id from companies where id = ${desk.company.id})`),
    );
  await setPlan(false);
  await write("Oi");
  expect([await said(), asked()]).toEqual([[menu], []]);
  await setPlan(true);
});

test("with the knowledge base, it is given what fits the customer's unanswered text", async () => {
  const item = { kind: "article", title: "Frete", text: "O frete custa R$ 10." };
  expect((await app.as(desk.admin).post("/knowledge", item)).status).toBe(200);
  const { write, said, asked } = await helped("ok", { useKnowledge: true });
  await write("Quanto custa o FRETE?");
  await write("Obrigada!");
  expect(await said()).toEqual([answer, answer]);
  const quoted = JSON.stringify({ titulo: item.title, texto: item.text });
  expect(asked().map(([frame]) => frame?.content.includes(quoted))).toEqual([true, false]);
});

test("7.1: a picture is not answered; a voice note is, by what it says, also later", async () => {
  const { key, phone, write, said, asked } = await helped("ok");
  await sendFile(app, desk, phone, "image");
  expect(await said()).toEqual([]);
  await sendFile(app, desk, phone, "voice");
  await write("Entendeu?");
  const heard = user("Qual é o prazo?");
  expect(asked().map((lines) => lines.slice(1))).toEqual([
    [heard],
    [heard, assistant(answer), user("Entendeu?")],
  ]);
  const transcribed = stub.requests.filter((one) => one.key === key && one.path.includes("audio"));
  expect(transcribed.map(({ raw }) => raw.includes("whisper-1"))).toEqual([true]);
});

test("7.3, 7.4: it speaks with its voice; without one that works it writes", async () => {
  stub.sound.content = await recorded("voz.ogg", [...tone(1), "-c:a", "libopus"]);
  const voice = { voice: "pt-BR-YaraNeural", voiceRegion: "brazilsouth", voiceKey: "ok-voz" };
  const { write, ticket } = await helped("ok", voice);
  await write("Oi");
  const heard = async () =>
    (await desk.said((await ticket()).id))
      .filter(({ fromMe }) => fromMe)
      .map((one) => one.mediaType);
  expect(await heard()).toEqual(["audio"]);
  const spoken = stub.requests.find(({ key }) => key === "ok-voz");
  expect(spoken?.raw).toContain('<voice name="pt-BR-YaraNeural">Temos sim, por R 10.</voice>');
  expect(spoken?.path).toBe("/speech/brazilsouth");

  const mute = await helped("ok", { ...voice, voiceKey: "refused-voz" });
  await mute.write("Oi");
  expect(await mute.said()).toEqual([answer]);
});
