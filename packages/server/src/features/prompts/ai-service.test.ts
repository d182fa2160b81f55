import type { AiService, Message, ReplyOf, SimulatorChat, Ticket } from "@balcao/contract";
import { clientEvents, companyEvent, promptDefaults, secretMask } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { expect, test, vi } from "vitest";
import { testApp } from "../../testing/app.ts";
import { createDesk } from "../attendant/testing/desk.ts";
import { givenAgent, promptBodyOf, sendFile } from "./testing/agent.ts";
import { startProviderStub } from "./testing/provider-stub.ts";

const stub = await startProviderStub();
const app = await testApp({
  outsideHosts: ["127.0.0.1:*"],
  attendantSettings: { quiet: { firstMs: 60, answerMs: 30, longestMs: 400 }, lookEveryMs: 200 },
  promptSettings: { callMs: 400, checkMs: 400 },
  scheduleLookMs: 50,
});
const desk = await createDesk(app, { queues: [{ name: "Vendas" }] });
await desk.online();
const { admin, agent, company } = desk;

const set = (body: object) => app.as(admin).put<AiService>("/aiService", body);
const shown = async (): Promise<AiService> =>
  (await app.as(admin).get<AiService>("/aiService")).body;
const offered = async () =>
  (await app.as(agent).get<ReplyOf<"GET /aiService/offer">>("/aiService/offer")).body;
const codeOf = ({ body }: { body: unknown }): unknown => Reflect.get(body as object, "code");
let keys = 0;

/** The company has this service, with a key of its own, so that the stub's requests are its. */
async function serving(behaviour: string, change: object = {}): Promise<string> {
  const key = `${behaviour}-0123456789-${(keys += 1)}`;
  const body = { baseUrl: stub.baseUrl, model: "gpt-a", apiKey: key, transcribes: true };
  const limits = { helps: true, dayTokens: 0, daySounds: 0, transcriptionModel: "whisper-1" };
  expect(await set({ ...body, ...limits, ...change })).toMatchObject({ status: 200 });
  return key;
}
const soundsOf = (key: string) =>
  stub.requests.filter((one) => one.key === key && one.path.endsWith("/audio/transcriptions"));

const soundIn = async (ticketId: number): Promise<Message> => {
  const page = await app
    .as(admin)
    .get<ReplyOf<"GET /messages/:ticketId">>(`/messages/${ticketId}?markRead=false`);
  const found = page.body.messages.findLast(({ media }) => media !== null);
  if (!found) throw new Error("the ticket has no voice note");
  return found;
};

/** A customer sends a voice note. */
async function spoken(phone = desk.newPhone()): Promise<Ticket> {
  await sendFile(app, desk, phone, "voice");
  return desk.ticketOf(phone);
}

/** To the company's admins. */
const mails = async (): Promise<string[]> =>
  (await desk.rows<{ text: string }>(sql`select text from mails order by id`)).map(
    ({ text }) => text,
  );

type Job = { attempts: number; minutes: number | null };
/** What is still to be written down of the company; resolves once nobody works on it. */
async function jobs(): Promise<Job[]> {
  return vi.waitFor(
    async () => {
      const found = await desk.rows<Job & { isIdle: boolean }>(sql`
        select attempts, round(extract(epoch from due_at - ${app.clock.now()}::timestamptz) / 60)::int as minutes,
          claimed_until is null and (attempts > 0 or exists (
            select from ai_services s where s.fault in ('key', 'credit', 'address', 'model'))) as "isIdle"
        from transcript_jobs`);
      expect(found.every(({ isIdle }) => isIdle)).toBe(true);
      return found.map(({ attempts, minutes }) => ({ attempts, minutes }));
    },
    { interval: 10 },
  );
}
const written = (ticketId: number, text: string): Promise<void> =>
  vi.waitFor(async () => expect((await soundIn(ticketId)).transcript).toBe(text), { interval: 10 });

test("a company has no AI service until an admin sets one up; its key is sealed and shown with its end only", async () => {
  const none = { tokens: 0, answers: 0, sounds: 0 };
  const defaults = { ...promptDefaults, helps: true, transcribes: false };
  expect(await shown()).toEqual({
    ...{ baseUrl: defaults.baseUrl, model: defaults.model, apiKey: "", helps: true },
    ...{ transcriptionModel: "whisper-1", transcribes: false, dayTokens: 200_000, daySounds: 200 },
    ...{ usedToday: none, usedThisMonth: none, fault: null, faultAt: null },
  });
  expect(await offered()).toEqual({ helps: false, transcribes: false });
  const live = await app.live(agent);
  const heard = live.next(companyEvent(company.id, "aiService"));
  const made = await set({ baseUrl: `${stub.baseUrl}/`, apiKey: "ok-0123456789-wxyz" });
  expect(made.body).toMatchObject({ baseUrl: stub.baseUrl, apiKey: `${secretMask}wxyz` });
  expect(await heard).toEqual({ action: "update" });
  expect(await offered()).toEqual({ helps: true, transcribes: true });
  const [stored] = await desk.rows<{ key: Buffer }>(sql`select api_key as key from ai_services`);
  expect(stored?.key.toString("latin1")).not.toContain("0123456789");
  expect(await set({ apiKey: "" })).toMatchObject({ status: 200, body: { apiKey: "" } });
  expect(await offered()).toEqual({ helps: false, transcribes: false });
});

test("a masked or omitted key stays, for the same host only", async () => {
  expect(codeOf(await set({ baseUrl: stub.baseUrl }))).toBe("ERR_PROMPT_APIKEY_INVALID");
  await serving("ok");
  const { apiKey } = await shown();
  const same = { apiKey, baseUrl: `${stub.url}/v2`, helps: false };
  expect((await set(same)).body).toMatchObject({ apiKey, baseUrl: same.baseUrl, helps: false });
  const check = { baseUrl: stub.baseUrl, model: "gpt-a", apiKey, ofAiService: true };
  const models = { models: ["gpt-a", "gpt-b"] };
  expect((await app.as(admin).post("/prompt/check", check)).body).toEqual(models);
  const elsewhere = { ...check, baseUrl: "https://ladrao.example" };
  for (const asked of [set(elsewhere), app.as(admin).post("/prompt/check", elsewhere)]) {
    expect(codeOf(await asked)).toBe("ERR_PROMPT_APIKEY_INVALID");
  }
  expect(codeOf(await set({ baseUrl: "ftp://a.example", apiKey: "ok" }))).toBe(
    "ERR_PROMPT_ADDRESS_INVALID",
  );
});

test("a customer's voice note is written down when it arrives, shown live, counted, and found by search", async () => {
  const before = await shown();
  const key = await serving("ok", { transcriptionModel: "whisper-9" });
  stub.heard.text = "O frete para Niterói é grátis?";
  const live = await app.live(admin);
  const phone = desk.newPhone();
  await desk.write(phone, "Oi");
  await app.idle();
  const { id, uuid } = await desk.ticketOf(phone);
  live.socket.emit(clientEvents.joinChatBox, String(id));
  await spoken(phone);
  await written(id, stub.heard.text);
  await vi.waitFor(() => expect(JSON.stringify(live.heard)).toContain(stub.heard.text), {
    interval: 10,
  });
  expect(soundsOf(key).map(({ raw }) => raw.includes("whisper-9"))).toEqual([true]);
  expect(await jobs()).toEqual([]);
  expect((await shown()).usedToday.sounds).toBe(before.usedToday.sounds + 1);

  const query = "searchParam=FRETE%20para%20niteroi";
  const list = await app.as(admin).get<ReplyOf<"GET /tickets">>(`/tickets?${query}`);
  expect(list.body.tickets).toMatchObject([
    { uuid, hit: { before: "O ", match: "frete para Niterói", after: " é grátis?" } },
  ]);
  const narrow = await app
    .as(admin)
    .get<ReplyOf<"GET /tickets">>(`/tickets?${query}&status=pending`);
  expect(narrow.body.tickets).toMatchObject([{ uuid }]);
  const within = await app
    .as(admin)
    .get<ReplyOf<"GET /messages/:ticketId/search">>(`/messages/${id}/search?${query}`);
  expect(within.body.matches).toHaveLength(1);
});

test("a sound without speech has an empty text, and is not asked about again", async () => {
  const key = await serving("ok");
  stub.heard.text = " ";
  const { id } = await spoken();
  await written(id, "");
  const { id: messageId } = await soundIn(id);
  const again = await app.as(agent).post<Message>(`/messages/${messageId}/transcript`, {});
  expect([again.body.transcript, soundsOf(key).length]).toEqual(["", 1]);
});

test.each<[what: string, change: object, send: () => Promise<unknown>]>([
  ["where it is switched off", { transcribes: false }, () => spoken()],
  ["after the sounds of the day", { daySounds: 1 }, () => spoken()],
  ["in groups", {}, () => spokenInGroup()],
])("no voice note is written down %s", async (_what, change, send) => {
  const key = await serving("ok", change);
  await send();
  expect([await jobs(), soundsOf(key)]).toEqual([[], []]);
});

async function spokenInGroup(): Promise<void> {
  await app.as(admin).put("/settings/CheckMsgIsGroup", { value: "disabled" });
  const path = `/simulator/connections/${desk.connectionId}/groups`;
  const group = { name: "Família", members: [{ name: "Ana" }] };
  const made = await app.as(admin).post<SimulatorChat>(path, group);
  await sendFile(app, desk, made.body.phone, "voice");
  expect((await soundIn((await desk.ticketOf(made.body.phone)).id)).media?.state).toBe("ready");
}

test("a refused key stops the service, the admins see it, and a new key goes on with what waits", async () => {
  stub.heard.text = "Bom dia";
  const refused = await serving("refused");
  const mailed = (await mails()).length;
  const first = await spoken();
  await vi.waitFor(async () => expect((await shown()).fault).toBe("key"), { interval: 10 });
  const second = await spoken();
  expect((await jobs()).map(({ attempts }) => attempts).toSorted((a, b) => a - b)).toEqual([0, 1]);
  expect([await offered(), soundsOf(refused).length]).toEqual([
    { helps: false, transcribes: false },
    1,
  ]);
  expect((await mails()).slice(mailed)).toEqual([expect.stringContaining("recusou a chave")]);
  await serving("ok");
  expect(await shown()).toMatchObject({ fault: null, faultAt: null });
  await written(second.id, "Bom dia");
  app.clock.advance(60_000);
  await written((await spoken()).id, "Bom dia");
  await written(first.id, "Bom dia");
  expect(await jobs()).toEqual([]);
});

test("the admins learn once by e-mail that a limit of the day is used up", async () => {
  const mailed = (await mails()).length;
  const { sounds } = (await shown()).usedToday;
  await serving("ok", { daySounds: sounds + 1 });
  for (const { id } of [await spoken(), await spoken()]) {
    await vi.waitFor(async () => expect((await soundIn(id)).media?.state).toBe("ready"));
  }
  await vi.waitFor(async () => expect((await shown()).usedToday.sounds).toBeGreaterThan(sounds));
  expect((await mails()).slice(mailed)).toEqual([expect.stringContaining("limite de áudios")]);
  await desk.rows(sql`delete from transcript_jobs`);
});

test("a service that fails is asked three times, later each time", async () => {
  await serving("broken");
  await spoken();
  for (const [attempts, minutes] of [
    [1, 1],
    [2, 10],
  ] as const) {
    await vi.waitFor(async () => expect(await jobs()).toEqual([{ attempts, minutes }]), {
      interval: 10,
    });
    app.clock.advance(minutes * 60_000);
  }
  await vi.waitFor(async () => expect(await jobs()).toEqual([]), { interval: 10 });
  expect((await shown()).fault).toBe(null);
});

test("an agent of AI and the service do not both pay for a voice note", async () => {
  stub.heard.text = "Qual é o prazo?";
  const key = await serving("ok");
  const body = promptBodyOf(stub.baseUrl, desk.queueIds[0] as never, `ok-agente-${keys}`);
  const prompt = await givenAgent(app, admin, desk.connectionId, body);
  const { id } = await spoken();
  await expect.poll(() => desk.answers(id)).toEqual(["Temos sim, por R$ 10."]);
  expect(soundsOf(key).length + soundsOf(body.apiKey).length).toBe(1);
  await app.as(admin).put(`/whatsapp/${desk.connectionId}`, { promptId: null });
  expect(prompt.fault).toBe(null);
});

test("one voice note is written down on demand, once for all who ask", async () => {
  stub.heard.text = "Pode ser amanhã";
  const key = await serving("ok", { transcribes: false });
  const { id } = await spoken();
  const sound = await soundIn(id);
  const ask = (user = agent, messageId = sound.id) =>
    app.as(user).post<Message>(`/messages/${messageId}/transcript`, {});
  const replies = await Promise.all([ask(), ask(admin)]);
  expect(replies.map(({ body }) => body.transcript)).toEqual(Array(2).fill("Pode ser amanhã"));
  expect(soundsOf(key)).toHaveLength(1);
  const other = await app.given.agent({ company: await app.given.company() });
  expect(codeOf(await ask(other))).toBe("ERR_NO_MESSAGE_FOUND");
  const phone = desk.newPhone();
  await desk.write(phone, "Oi");
  await app.idle();
  const [text] = await desk.rows<{ id: Message["id"] }>(sql`
    select id from messages where ticket_id = ${(await desk.ticketOf(phone)).id}`);
  expect(codeOf(await ask(admin, text?.id))).toBe("ERR_NO_TRANSCRIPT");
  await set({ apiKey: "" });
  expect(codeOf(await ask(admin, text?.id))).toBe("ERR_AI_NOT_OFFERED");
});
