import type { Integration } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import { testApp } from "../../testing/app.ts";
import { picture, recorded, tone } from "../../testing/media-samples.ts";
import { createDesk, quickAttendant } from "../attendant/testing/desk.ts";
import {
  newServiceAccount,
  paragraph,
  startDialogflowStub,
  startHttpStub,
  startTypebotStub,
} from "./testing/stubs.ts";
import { SAYINGS_MAX, textOf } from "./typebot.ts";

const key = newServiceAccount("loja");
const google = await startDialogflowStub(key.publicKey);
const app = await testApp({
  outsideHosts: ["127.0.0.1:*"],
  googleAddresses: google.google,
  attendantSettings: quickAttendant,
});
const desk = await createDesk(app, {
  greeting: "Bem-vindo!",
  queues: [{ name: "Vendas" }, { name: "Suporte" }],
});
await desk.online();
const MENU = "Bem-vindo!\n\n*[ 1 ]* - Vendas\n*[ 2 ]* - Suporte";
const MARK = "\u200e";
const UNKNOWN = "Não entendi.";

/** The connection is helped by this integration from now on; each conversation is a new customer. */
async function helpedBy(fields: object) {
  const name = `Robô ${Math.random().toString(36).slice(2, 8)}`;
  const { body } = await app
    .as(desk.admin)
    .post<Integration>("/queueIntegration", { name, ...fields });
  await desk.rows(
    sql`update connections set integration_id = ${body.id} where id = ${desk.connectionId}`,
  );
  const phone = desk.newPhone();
  let heard = 0;
  return {
    ...{ id: body.id, name, phone },
    /** Writes, and answers what comes back. */
    async say(...texts: string[]): Promise<string[]> {
      for (const text of texts) await desk.write(phone, text);
      await app.idle();
      const all = await desk.answers((await desk.ticketOf(phone)).id);
      const news = all.slice(heard).map((text) => text.replace(MARK, ""));
      heard = all.length;
      return news;
    },
    ticket: () => desk.ticketOf(phone),
  };
}

async function typebot(fields: object = {}) {
  const bot = await startTypebotStub();
  const helped = await helpedBy({
    ...{ type: "typebot", urlN8N: bot.url, typebotSlug: "loja", typebotDelayMessage: 0 },
    ...{ typebotUnknownMessage: UNKNOWN, ...fields },
  });
  const calls = () => bot.asked.map(({ path }) => path.replace(/^.*\//, ""));
  return { ...helped, bot, calls };
}

const command = (value: unknown) => paragraph(`#${JSON.stringify(value)}`);

test("a flow begins with its own messages, and then gets what the customer writes", async () => {
  const { bot, say, ticket, calls, id, phone } = await typebot();
  bot.flow.start = () => ({
    messages: [paragraph("Olá!"), paragraph("Como posso ajudar?")],
    input: { type: "choice input", items: [{ content: "Pedido" }, { content: "Troca" }] },
  });
  bot.flow.next = (text) => ({ messages: [paragraph(`Você disse ${text}`)] });
  expect(await say("Oi")).toEqual(["Olá!", "Como posso ajudar?", "▶️ Pedido\n▶️ Troca"]);
  expect(JSON.parse(bot.asked[0]!.body)).toMatchObject({
    ...{
      isStreamEnabled: false,
      prefilledVariables: { number: phone, pushName: expect.any(String) },
    },
  });
  expect(await ticket()).toMatchObject({
    useIntegration: true,
    integrationId: id,
    status: "pending",
  });
  expect(await say("Troca")).toEqual(["Você disse Troca"]);
  expect(calls()).toEqual(["startChat", "continueChat"]);
});

test("a flow that begins in silence gets the first text at once; one that stays silent is not understood", async () => {
  const { bot, say, calls } = await typebot();
  bot.flow.start = () => ({ messages: [], input: { type: "text input" } });
  const said = [[paragraph("Pois não?")], [], [paragraph("Invalid message. Please, try again.")]];
  bot.flow.next = () => ({ messages: said.shift() ?? [] });
  expect(await say("Oi")).toEqual(["Pois não?"]);
  expect(calls()).toEqual(["startChat", "continueChat"]);
  expect(await say("?")).toEqual([UNKNOWN]);
  expect(await say("?")).toEqual([UNKNOWN]);
});

test("the finish keyword closes the ticket, the restart keyword begins anew", async () => {
  const { bot, say, ticket, calls } = await typebot({
    ...{
      typebotKeywordFinish: "Sair",
      typebotKeywordRestart: "Início",
      typebotRestartMessage: "De novo.",
    },
  });
  bot.flow.next = () => ({ messages: [paragraph("Certo")] });
  await say("Oi");
  expect(await say(" início ")).toEqual(["De novo."]);
  expect(await say("Oi")).toEqual(["Olá!"]);
  expect(calls()).toEqual(["startChat", "startChat"]);
  await say("SAIR");
  expect(await ticket()).toMatchObject({
    status: "closed",
    useIntegration: false,
    integrationId: null,
  });
});

test("a customer who is silent for longer than the flow's time begins anew", async () => {
  const { say, calls, ticket } = await typebot({ typebotExpires: 5 });
  await say("Oi");
  const wroteBefore = async (minutes: number) =>
    desk.rows(sql`update bot_sessions set last_at = last_at - make_interval(mins => ${minutes})
      where ticket_id = ${(await ticket()).id}`);
  await wroteBefore(4);
  await say("Ainda aqui");
  expect(calls()).toEqual(["startChat", "continueChat"]);
  await wroteBefore(6);
  await say("Voltei");
  expect(calls().slice(2)).toEqual(["startChat"]);
});

test("commands of a flow stop it, or give the ticket to a queue or user of the company", async () => {
  const [sales] = desk.queueIds;
  const stranger = await app.given.queue({ company: await app.given.company() });
  const cases: [unknown, object, string[]][] = [
    [{ stopBot: true }, { useIntegration: false, queueId: null }, ["Até logo", MENU]],
    [
      { queueId: sales },
      { useIntegration: false, queueId: sales, status: "pending", chatbot: false },
      ["Até logo"],
    ],
    [
      { queueId: sales, userId: desk.agent.id },
      { queueId: sales, userId: desk.agent.id, status: "open" },
      ["Até logo"],
    ],
    [{ queueId: stranger }, { useIntegration: false, queueId: null }, ["Até logo", MENU]],
    [{ stopBot: false }, { useIntegration: true }, ["Até logo", '#{"stopBot":false}', "Nunca"]],
  ];
  for (const [value, expected, said] of cases) {
    const { bot, say, ticket } = await typebot();
    bot.flow.start = () => ({
      messages: [paragraph("Até logo"), command(value), paragraph("Nunca")],
    });
    expect(await say("Oi")).toEqual(said);
    expect(await ticket()).toMatchObject(expected);
  }
  const { bot, say } = await typebot();
  bot.flow.start = () => ({ messages: [paragraph("#promoção")] });
  expect(await say("Oi")).toEqual(["#promoção"]);
});

test("a session that is gone is begun anew once; a flow that fails again gives the ticket back", async () => {
  const gone = await typebot();
  await gone.say("Oi");
  gone.bot.flow.lost.add("session-1");
  expect(await gone.say("Oi?")).toEqual(["Olá!"]);
  expect(gone.calls()).toEqual(["startChat", "continueChat", "startChat"]);

  const broken = await typebot();
  await broken.say("Oi");
  broken.bot.flow.next = () => 500;
  broken.bot.flow.start = () => 503;
  expect(await broken.say("Oi?")).toEqual([UNKNOWN, MENU]);
  expect(await broken.ticket()).toMatchObject({ useIntegration: false, status: "pending" });
});

test("a flow that never ends is cut, and one that was deleted leaves its tickets to the menu", async () => {
  const { bot, say, id, ticket } = await typebot();
  bot.flow.start = () => ({ messages: Array.from({ length: 500 }, (_, n) => paragraph(`${n}`)) });
  expect(await say("Oi")).toHaveLength(SAYINGS_MAX);
  await desk.rows(
    sql`update connections set integration_id = null where id = ${desk.connectionId}`,
  );
  expect((await app.as(desk.admin).delete(`/queueIntegration/${id}`)).status).toBe(200);
  expect(await say("Oi?")).toEqual([MENU]);
  expect(await ticket()).toMatchObject({ useIntegration: false, integrationId: null });
});

test("a flow that never answers leaves the ticket to the menu within the limit", async () => {
  const hasty = await testApp({
    outsideHosts: ["127.0.0.1:*"],
    attendantSettings: { ...quickAttendant, askLimitMs: 200 },
    channelSettings: { lookEveryMs: 50 },
  });
  const other = await createDesk(hasty, {
    greeting: "Bem-vindo!",
    queues: [{ name: "Vendas", greeting: "Aqui é Vendas." }, { name: "Suporte" }],
  });
  await other.online();
  const bot = await startTypebotStub();
  bot.flow.start = () => null;
  const { body } = await hasty.as(other.admin).post<Integration>("/queueIntegration", {
    ...{ name: "Mudo", type: "typebot", urlN8N: bot.url, typebotSlug: "loja" },
  });
  await other.rows(
    sql`update connections set integration_id = ${body.id} where id = ${other.connectionId}`,
  );
  const phone = other.newPhone();
  for (const text of ["Oi", "1"]) {
    await other.write(phone, text);
    await hasty.idle();
  }
  const ticket = await other.ticketOf(phone);
  expect(await other.answers(ticket.id)).toEqual([MENU, "Aqui é Vendas."]);
  expect(ticket).toMatchObject({ queueId: other.queueIds[0], useIntegration: false });
  expect(bot.asked).toHaveLength(1);
});

test("an answer that was dropped because the customer wrote again is said with the next one", async () => {
  const { bot, say, phone, ticket } = await typebot();
  const texts: string[] = [];
  bot.flow.next = (text) => {
    texts.push(text);
    return { messages: [paragraph(`Sobre ${text}`)] };
  };
  await say("Oi");
  const { promise: held, resolve: go } = Promise.withResolvers<void>();
  bot.flow.wait = () => held;
  await desk.write(phone, "preço");
  await vi.waitFor(() => expect(bot.asked).toHaveLength(2));
  await desk.write(phone, "frete");
  const { id } = await ticket();
  // The question about both is open too, and waits for the first one.
  await vi.waitFor(async () => {
    const [turn] = await desk.rows<{ held: boolean }>(
      sql`select due_at > now() + interval '1 second' as held from attendant_turns where ticket_id = ${id}`,
    );
    expect(turn?.held).toBe(true);
  });
  go();
  expect(await say()).toEqual(["Sobre preço", "Sobre frete"]);
  expect(texts).toEqual(["preço", "frete"]);
});

test("pictures and sounds are sent as such, what cannot be had as its address", async () => {
  const contents: Record<string, Buffer> = {
    "/a.png": await picture("png", { width: 40, height: 40 }),
    "/b.mp3": await recorded("b.mp3", tone(1)),
  };
  const files = await startHttpStub(({ path }) => {
    const body = contents[path];
    return body ? { body } : { status: 404 };
  });
  const { bot, say, ticket } = await typebot();
  const file = (type: string, name: string) => ({ type, content: { url: `${files.url}/${name}` } });
  const embed = { type: "embed", content: { url: "https://v.example/1" } };
  bot.flow.start = () => ({
    messages: [file("image", "a.png"), file("audio", "b.mp3"), file("image", "c.png"), embed],
  });
  const said = await say("Oi");
  expect(said.slice(2)).toEqual([`${files.url}/c.png`, "https://v.example/1"]);
  const kinds = await desk.rows<{ kind: string }>(sql`
    select a.kind from messages m join message_media a on a.company_id = m.company_id and a.message_id = m.id
    where m.ticket_id = ${(await ticket()).id} order by m.seq`);
  expect(kinds.map(({ kind }) => kind)).toEqual(["image", "voice"]);
});

test.each([
  [
    "marks",
    [
      { text: "a ", bold: true },
      { text: "b", italic: true },
      { text: "c", underline: true },
    ],
    "*a* _b_~c~",
  ],
  ["an empty mark", [{ text: "", bold: true }, { text: "Oi" }], "Oi"],
  [
    "a link",
    [{ type: "a", url: "https://x.example", children: [{ text: "aqui" }] }],
    "aqui: https://x.example",
  ],
  [
    "depth",
    [{ children: [{ children: [{ children: [{ children: [{ text: "fundo" }] }] }] }] }],
    "fundo",
  ],
  ["no text", [null, 7, { children: "x" }], ""],
])("rich text: %s", (_, children, text) => {
  expect(
    textOf({
      richText: [
        { type: "p", children },
        { type: "p", children: [{ text: "2" }] },
      ],
    }),
  ).toBe(`${text}\n2`);
});

const dialogflow = () =>
  helpedBy({ type: "dialogflow", projectName: "loja", language: "pt-BR", jsonContent: key.text });
const replied = (texts: string[], more: object = {}) => ({
  queryResult: { fulfillmentMessages: texts.map((text) => ({ text: { text: [text] } })), ...more },
});

test("a Dialogflow agent answers with its name, in the customer's session, until it ends", async () => {
  const { say, name, phone, ticket } = await dialogflow();
  google.agent.reply = ({ text }) => replied([`Sobre ${text}`, "Algo mais?"]);
  const before = google.agent.tokens;
  expect(await say("preço")).toEqual([`*${name}:* Sobre preço`, `*${name}:* Algo mais?`]);
  expect(google.asked.at(-1)?.path).toBe(
    `/v2/projects/loja/agent/sessions/${phone}%40s.whatsapp.net:detectIntent`,
  );
  expect(JSON.parse(google.asked.at(-1)!.body)).toEqual({
    queryInput: { text: { text: "preço", languageCode: "pt-BR" } },
  });
  google.agent.reply = () => replied([]);
  expect(await say("?")).toEqual([`*${name}:* Não consegui entender sua dúvida.`]);
  // One token serves until it ends.
  expect(google.agent.tokens - before).toBeLessThanOrEqual(1);
  google.agent.reply = () => replied(["Até logo"], { diagnosticInfo: { end_conversation: true } });
  expect(await say("tchau")).toEqual([`*${name}:* Até logo`, MENU]);
  expect(await ticket()).toMatchObject({ useIntegration: false, integrationId: null });
});

test("a voice message is heard by the agent", async () => {
  const { say, phone, name } = await dialogflow();
  const heard: unknown[] = [];
  google.agent.reply = (query) => {
    heard.push(query);
    return replied(["Entendi"]);
  };
  const form = new FormData();
  form.set("as", "voice");
  form.set("file", new Blob([await recorded("v.ogg", tone(1))], { type: "audio/ogg" }), "v.ogg");
  const chat = `${app.url}/api/simulator/connections/${desk.connectionId}/chats/${phone}/messages`;
  const headers = { authorization: `Bearer ${desk.admin.token}` };
  expect((await fetch(chat, { method: "POST", headers, body: form })).status).toBe(200);
  expect(await say()).toEqual([`*${name}:* Entendi`]);
  expect(heard).toEqual([{ audio: expect.stringMatching(/^T2dnU/) }]);
});

test("an agent that fails leaves the ticket to the menu", async () => {
  const { say, ticket } = await dialogflow();
  google.agent.reply = () => 500;
  expect(await say("Oi")).toEqual([MENU]);
  expect(await ticket()).toMatchObject({ useIntegration: false });
});
