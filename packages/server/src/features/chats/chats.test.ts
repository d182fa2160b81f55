import type { Chat, ChatMessage } from "@balcao/contract";
import { companyEvent, limits } from "@balcao/contract";
import { expect, test } from "vitest";
import { newClientId } from "../../testing/guarantees/rows.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenUser } from "../../testing/given.ts";

const app = await testApp({ environment: { ROLES: "http" } });

type Coded = { code?: string };

async function team() {
  const { given } = app;
  const company = await given.company();
  const queueId = await given.queue({ company });
  return {
    ...{ company, queueId },
    ana: await given.agent({ company, queueIds: [queueId], name: "Ana Lima" }),
    bia: await given.agent({ company, name: "Bia Reis" }),
    caio: await given.agent({ company, name: "Caio Nunes" }),
    dora: await given.admin({ company, name: "Dora Paz" }),
  };
}

const open = (by: GivenUser, title: string, ...users: GivenUser[]) =>
  app.as(by).post<Chat & Coded>("/chats", { title, users: users.map(({ id }) => ({ id })) });
const group = async (by: GivenUser, ...users: GivenUser[]) =>
  (await open(by, "Black Friday", ...users)).body;
const say = (by: GivenUser, { id }: Chat, body: Record<string, unknown> | string) =>
  app
    .as(by)
    .post<ChatMessage & Coded>(
      `/chats/${id}/messages`,
      typeof body === "string" ? { message: body } : body,
    );
const shown = async (by: GivenUser, { uuid }: Chat) =>
  (await app.as(by).get<Chat & Coded>(`/chats/${uuid}`)).body;
const unreadOf = ({ users }: Chat, user: GivenUser) =>
  users.find(({ userId }) => userId === user.id)?.unreads;
type Page = { records: ChatMessage[]; count: number; hasMore: boolean; hasNewer: boolean } & Coded;
const page = (by: GivenUser, { id }: Chat, query = "") =>
  app.as(by).get<Page>(`/chats/${id}/messages${query}`);
type List = { records: Chat[]; count: number; hasMore: boolean };
const listed = async (by: GivenUser, search = "") =>
  (await app.as(by).get<List>(`/chats?searchParam=${search}`)).body;

test("creator and chosen users become members once, and a member of another company is refused", async () => {
  const { ana, bia, caio } = await team();
  const chat = await group(ana, bia, caio, bia, ana);
  expect(chat.users.map(({ user }) => user.name)).toEqual(["Ana Lima", "Bia Reis", "Caio Nunes"]);
  expect([chat.owner.name, chat.title, chat.lastMessage]).toEqual(["Ana Lima", "Black Friday", ""]);
  const stranger = await app.given.agent();
  expect(await open(ana, "Outra", bia, stranger)).toMatchObject({
    status: 404,
    body: { code: "ERR_NO_USER_FOUND" },
  });
  expect((await app.as(stranger).get<Coded>(`/chats/${chat.uuid}`)).status).toBe(404);
});

test("a chat needs somebody else, and from three people on a title of 1 to 60 characters", async () => {
  const { ana, bia, caio } = await team();
  const codeOf = async (title: string, ...users: GivenUser[]) =>
    (await open(ana, title, ...users)).body.code;
  expect(await codeOf("Eu", ana)).toBe("ERR_CHAT_USERS");
  expect(await codeOf("  ", bia, caio)).toBe("ERR_CHAT_TITLE");
  expect((await open(ana, "x".repeat(limits.chatTitleMax + 1), bia, caio)).status).toBe(400);
});

test("two people have one direct chat, whoever opens it, with both names as its title", async () => {
  const { ana, bia } = await team();
  const [first, second] = [await open(ana, "", bia), await open(bia, "", ana)];
  expect(second.body.id).toBe(first.body.id);
  expect(first.body).toMatchObject({ isDirect: true, title: "Ana Lima, Bia Reis" });
  expect((await app.as(bia).post<Coded>(`/chats/${first.body.id}/leave`)).body.code).toBe(
    "ERR_CHAT_LEAVE",
  );
});

test("a message counts for all others, shows as the last one, and moves its chat to the top", async () => {
  const { ana, bia, caio } = await team();
  const [older, newer] = [await group(ana, bia, caio), await group(ana, bia)];
  expect((await listed(bia)).records.map(({ id }) => id)).toEqual([newer.id, older.id]);
  app.clock.advance(1_000);
  await say(ana, older, "Bom dia");
  await say(bia, older, "Oi");
  const chat = await shown(ana, older);
  expect(chat.lastMessage).toBe("Bia Reis: Oi");
  expect([ana, bia, caio].map((user) => unreadOf(chat, user))).toEqual([1, 0, 2]);
  expect((await listed(caio)).records[0]?.id).toBe(older.id);
});

test("messages written at the same moment are all counted", async () => {
  const { ana, bia, caio } = await team();
  const chat = await group(ana, bia, caio);
  await Promise.all(Array.from({ length: 12 }, (_, at) => say(at % 2 ? ana : bia, chat, `m${at}`)));
  expect(unreadOf(await shown(caio, chat), caio)).toBe(12);
});

test("the list finds titles and members' names without accents, and is never refused", async () => {
  const { ana, bia, caio } = await team();
  const chat = await group(ana, bia);
  const direct = (await open(ana, "", caio)).body;
  const found = async (words: string) => (await listed(ana, words)).records.map(({ id }) => id);
  expect(await found("black")).toEqual([chat.id]);
  expect(await found("nunes")).toEqual([direct.id]);
  expect(await found("Ana")).toEqual([]);
  const without = await app.given.company({ plan: { useInternalChat: false } });
  const user = await app.given.agent({ company: without });
  expect(await listed(user)).toEqual({ records: [], count: 0, hasMore: false });
  expect((await app.as(user).post<Coded>("/chats", { title: "x", users: [] })).body).toMatchObject({
    code: "ERR_NO_PERMISSION",
  });
});

test("somebody outside of a chat is refused in every call of it", async () => {
  const { ana, bia, dora } = await team();
  const chat = await group(ana, bia);
  const { body: message } = await say(ana, chat, "Só entre nós");
  const outside = app.as(dora);
  const replies = [
    await outside.get<Coded>(`/chats/${chat.uuid}`),
    await outside.get<Coded>(`/chats/${chat.id}/messages`),
    await outside.get<Coded>(`/chats/${chat.id}/search?searchParam=nós`),
    await say(dora, chat, "Oi"),
    await outside.post<Coded>(`/chats/${chat.id}/read`, { userId: ana.id }),
    await outside.put<Coded>(`/chats/${chat.id}/silence`, { isSilenced: true }),
    await outside.put<Coded>(`/chats/${chat.id}`, { title: "Meu", users: [{ id: bia.id }] }),
    await outside.delete<Coded>(`/chats/${chat.id}`),
    await outside.get<Coded>(`/chats/messages/${message.id}/ticket`),
    await outside.put<Coded>(`/chats/messages/${message.id}`, { message: "x" }),
  ];
  for (const { status, body } of replies)
    expect([status, body.code]).toEqual([400, "UNAUTHORIZED"]);
  expect((await listed(dora)).records).toEqual([]);
});

test("only the owner changes or deletes a chat", async () => {
  const { ana, bia, caio } = await team();
  const chat = await group(ana, bia, caio);
  const change = { title: "Novo", users: [{ id: ana.id }] };
  expect((await app.as(bia).put<Coded>(`/chats/${chat.id}`, change)).status).toBe(403);
  expect((await app.as(bia).delete<Coded>(`/chats/${chat.id}`)).status).toBe(403);
  expect((await app.as(ana).delete<Coded>(`/chats/${chat.id}`)).status).toBe(200);
  expect((await app.as(ana).get<Coded>(`/chats/${chat.uuid}`)).status).toBe(404);
});

test("a change keeps the counters of members who stay; removed ones hear the deletion, and nothing after it", async () => {
  const { company, ana, bia, caio, dora } = await team();
  const chat = await group(ana, bia, caio);
  await say(ana, chat, "Um");
  const [staying, removed, joined, outside] = [
    await app.live(bia),
    await app.live(caio),
    await app.live(dora),
    await app.live(await app.given.agent({ company })),
  ];
  const users = [{ id: bia.id }, { id: dora.id }];
  const changed = await app.as(ana).put<Chat>(`/chats/${chat.id}`, { title: "Natal", users });
  expect([bia, dora].map((user) => unreadOf(changed.body, user))).toEqual([1, 0]);
  const name = companyEvent(company.id, "chat");
  expect(await removed.next(name)).toEqual({ action: "delete", id: chat.id });
  expect(await joined.next(`${name}-user-${dora.id}`)).toMatchObject({
    record: { title: "Natal", isSilenced: false },
  });
  removed.heard.splice(0);
  await say(ana, chat, "Depois");
  expect(await staying.next(name)).toMatchObject({
    ...{ action: "new-message", newMessage: { message: "Depois", sender: { name: "Ana Lima" } } },
  });
  expect(await staying.next(`${name}-${chat.id}`)).toMatchObject({ action: "new-message" });
  for (const silent of [removed, outside])
    expect(silent.heard.filter((event) => event.name.includes("-chat"))).toEqual([]);
  expect((await page(caio, chat)).body.code).toBe("UNAUTHORIZED");
});

test("reading clears the caller's count alone, whatever user the body names, and the others see how far", async () => {
  const { company, ana, bia, caio } = await team();
  const chat = await group(ana, bia, caio);
  const { body: message } = await say(ana, chat, "Leiam");
  const listener = await app.live(ana);
  const read = await app.as(bia).post<Chat>(`/chats/${chat.id}/read`, { userId: caio.id });
  expect([bia, caio].map((user) => unreadOf(read.body, user))).toEqual([0, 1]);
  const event = await listener.next(companyEvent(company.id, "chat"));
  expect(event).toMatchObject({ action: "update", chat: { id: chat.id } });
  const reader = read.body.users.find(({ userId }) => userId === bia.id);
  expect([reader?.lastReadId, typeof reader?.lastReadAt]).toEqual([message.id, "string"]);
});

test("in a silenced chat only mentions count; others do not learn who silenced it", async () => {
  const { ana, bia, caio } = await team();
  const chat = await group(ana, bia, caio);
  const silenced = await app.as(bia).put<Chat>(`/chats/${chat.id}/silence`, { isSilenced: true });
  expect(silenced.body.isSilenced).toBe(true);
  await say(ana, chat, "Nada para você");
  expect(unreadOf(await shown(bia, chat), bia)).toBe(0);
  const mention = { message: "@Bia Reis veja", mentionedUserIds: [bia.id] };
  const { body } = await say(ana, chat, mention);
  expect(body.mentions).toEqual([{ id: bia.id, name: "Bia Reis" }]);
  expect(unreadOf(await shown(bia, chat), bia)).toBe(1);
  expect(JSON.stringify((await shown(ana, chat)).users)).not.toContain("ilenced");
  const stranger = await app.given.agent();
  const wrong = { message: "@x", mentionedUserIds: [stranger.id] };
  expect((await say(ana, chat, wrong)).body.code).toBe("ERR_NO_USER_FOUND");
});

test("messages come 20 a page, the newest page first, ascending inside, and by position", async () => {
  const { ana, bia } = await team();
  const chat = await group(ana, bia);
  for (let at = 1; at <= 45; at += 1) await say(ana, chat, `m${at}`);
  const texts = ({ body }: { body: Page }) => body.records.map(({ message }) => message);
  const [first, last] = [await page(bia, chat), await page(bia, chat, "?pageNumber=3")];
  expect(texts(first)).toEqual(Array.from({ length: 20 }, (_, at) => `m${26 + at}`));
  expect([first.body.count, first.body.hasMore, last.body.hasMore]).toEqual([45, true, false]);
  expect(texts(last)).toEqual(["m1", "m2", "m3", "m4", "m5"]);
  const edge = first.body.records[0]?.id ?? 0;
  const before = await page(bia, chat, `?beforeId=${edge}`);
  expect(texts(before).at(-1)).toBe("m25");
  const around = await page(bia, chat, `?aroundId=${edge}`);
  expect(texts(around)).toContain("m26");
  expect([around.body.hasMore, around.body.hasNewer]).toEqual([true, true]);
  const after = await page(bia, chat, `?afterId=${edge}`);
  expect([texts(after)[0], after.body.hasNewer]).toEqual(["m27", false]);
  const found = await app
    .as(bia)
    .get<{ matches: unknown[] }>(`/chats/${chat.id}/search?searchParam=M4`);
  expect(found.body.matches).toHaveLength(7);
});

test("blank messages are refused, and a repeated client id is the same message", async () => {
  const { ana, bia } = await team();
  const chat = await group(ana, bia);
  expect((await say(ana, chat, "  \n ")).body.code).toBe("ERR_MESSAGE_EMPTY");
  const once = { message: "Uma vez", clientId: newClientId() };
  const [first, second] = [await say(ana, chat, once), await say(ana, chat, once)];
  expect(second.body.id).toBe(first.body.id);
  expect(unreadOf(await shown(bia, chat), bia)).toBe(1);
});

test("an own message can be edited for 15 minutes; the list follows, the counters stay", async () => {
  const { ana, bia } = await team();
  const chat = await group(ana, bia);
  const { body: message } = await say(ana, chat, "Antez");
  const edit = (by: GivenUser, text: string) =>
    app.as(by).put<ChatMessage & Coded>(`/chats/messages/${message.id}`, { message: text });
  const edited = await edit(ana, "Antes");
  expect([edited.body.message, edited.body.editedAt === null]).toEqual(["Antes", false]);
  const now = await shown(bia, chat);
  expect([now.lastMessage, unreadOf(now, bia)]).toEqual(["Ana Lima: Antes", 1]);
  expect((await edit(bia, "Meu")).body.code).toBe("UNAUTHORIZED");
  expect((await edit(ana, " ")).body.code).toBe("ERR_MESSAGE_EMPTY");
  app.clock.advance(limits.editWithinMs);
  expect((await edit(ana, "Tarde")).body.code).toBe("ERR_CHAT_MESSAGE_TOO_OLD");
});

test("a reply shows the quoted message, which must be of the same chat", async () => {
  const { ana, bia, caio } = await team();
  const [chat, other] = [await group(ana, bia), await group(ana, caio)];
  const { body: quoted } = await say(bia, chat, "Pergunta");
  const reply = await say(ana, chat, { message: "Resposta", quotedId: quoted.id });
  expect(reply.body.quoted).toMatchObject({ message: "Pergunta", sender: { name: "Bia Reis" } });
  const foreign = await say(ana, other, { message: "Resposta", quotedId: quoted.id });
  expect(foreign.body.code).toBe("ERR_NO_MESSAGE_FOUND");
});

test("the card of a linked ticket is read with the rights of each reader", async () => {
  const { company, queueId, ana, bia } = await team();
  const ticket = await app.given.ticket({ company, queueId, contactName: "Helena" });
  const chat = await group(ana, bia);
  const sent = await say(ana, chat, { message: "Veja", ticketUuid: ticket.uuid });
  expect(sent.body.hasTicket).toBe(true);
  const card = async (by: GivenUser) =>
    (await app.as(by).get(`/chats/messages/${sent.body.id}/ticket`)).body;
  expect(await card(ana)).toMatchObject({
    ticket: { id: ticket.id, uuid: ticket.uuid, status: "pending", contactName: "Helena" },
  });
  expect(await card(bia)).toEqual({ ticket: null });
  const blind = await say(bia, chat, { message: "Veja", ticketUuid: ticket.uuid });
  expect(blind.body.code).toBe("ERR_TICKET_FORBIDDEN");
  const unknown = await say(ana, chat, { message: "Veja", ticketUuid: newClientId() });
  expect(unknown.body.code).toBe("ERR_NO_TICKET_FOUND");
});

test("a file is read by its signed address, which only members get; a bearer alone does not open it", async () => {
  const { ana, bia, dora } = await team();
  const chat = await group(ana, bia);
  const post = async (by: GivenUser) => {
    const form = new FormData();
    form.set("message", "A grade");
    form.set("medias", new Blob(["tamanho;loja\nP;Centro\n"], { type: "text/csv" }), "grade.csv");
    const reply = await fetch(`${app.url}/api/chats/${chat.id}/messages`, {
      ...{ method: "POST", headers: { authorization: `Bearer ${by.token}` }, body: form },
    });
    return (await reply.json()) as ChatMessage & Coded;
  };
  const message = await post(ana);
  expect(message.media).toMatchObject({ kind: "document", name: "grade.csv", state: "ready" });
  expect((await shown(bia, chat)).lastMessage).toBe("Ana Lima: A grade");
  const url = new URL(message.media?.url ?? "", app.url);
  expect((await fetch(url)).status).toBe(200);
  url.search = "";
  const headers = { authorization: `Bearer ${dora.token}` };
  expect((await fetch(url, { headers })).status).toBe(404);
  expect((await post(dora)).code).toBe("UNAUTHORIZED");
});

test("a member leaves a group, its owner does not", async () => {
  const { company, ana, bia, caio } = await team();
  const chat = await group(ana, bia, caio);
  const listener = await app.live(bia);
  expect((await app.as(ana).post<Coded>(`/chats/${chat.id}/leave`)).body.code).toBe(
    "ERR_CHAT_LEAVE",
  );
  expect((await app.as(bia).post<Coded>(`/chats/${chat.id}/leave`)).status).toBe(200);
  expect(await listener.next(companyEvent(company.id, "chat"))).toMatchObject({ action: "delete" });
  expect((await shown(ana, chat)).users.map(({ user }) => user.name)).toEqual([
    "Ana Lima",
    "Caio Nunes",
  ]);
});

test("a deleted user leaves every chat: the longest member becomes owner, and empty chats go", async () => {
  const { ana, bia, caio, dora } = await team();
  const chat = await group(ana, bia, caio);
  const direct = (await open(ana, "", caio)).body;
  await say(ana, chat, "Até mais");
  expect((await app.as(dora).delete(`/users/${ana.id}`)).status).toBe(200);
  const left = await shown(caio, chat);
  expect([left.owner.name, left.users.length]).toEqual(["Bia Reis", 2]);
  expect((await page(caio, chat)).body.records[0]?.sender.name).toBe("Ana Lima");
  expect(await shown(caio, direct)).toMatchObject({ title: "Ana Lima", isDirect: false });
  await app.as(dora).delete(`/users/${caio.id}`);
  expect((await app.as(bia).get(`/chats/${direct.uuid}`)).status).toBe(404);
});
