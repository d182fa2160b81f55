import type { Message, ReplyOf, SimulatorMessage } from "@balcao/contract";
import { sql } from "drizzle-orm";
import pg from "pg";
import sharp from "sharp";
import { beforeAll, describe, expect, test, vi } from "vitest";
import type { Reply, TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenUser } from "../../testing/given.ts";
import { unique } from "../../testing/given.ts";

let app: TestApp;
let picture: Blob;
beforeAll(async () => {
  app = await testApp();
  const pixels = { create: { width: 40, height: 30, channels: 3, background: "#2f8f6b" } } as const;
  picture = new Blob([await sharp(pixels).jpeg().toBuffer()], { type: "image/jpeg" });
});

/** A customer with a phone, and the agent who has the ticket. */
async function conversation() {
  const { given } = app;
  const company = await given.company();
  const admin = await given.admin({ company });
  const connectionId = await given.connection({ company });
  await vi.waitFor(
    async () => {
      const { body } = await app.as(admin).get<{ status: string }>(`/whatsapp/${connectionId}`);
      expect(body.status).toBe("CONNECTED");
    },
    { interval: 20 },
  );
  const line = `/simulator/connections/${connectionId}`;
  const phone = `55119${70_000_000 + unique()}`;
  await app.as(admin).post(`${line}/chats`, { name: "Ana Lima", phone });
  const chat = `${line}/chats/${phone}`;

  const write = async (body: object): Promise<SimulatorMessage> =>
    (await app.as(admin).post<SimulatorMessage>(`${chat}/messages`, body)).body;
  await write({ body: "Olá" });
  await app.idle();
  const { tickets } = (await app.as(admin).get<ReplyOf<"GET /tickets">>("/tickets?showAll=true"))
    .body;
  const [ticket] = tickets;
  if (!ticket) throw new Error("there is no ticket");
  await app.as(admin).put(`/tickets/${ticket.id}`, { status: "open", userId: admin.id });

  return {
    admin,
    ticket,
    line,
    chat,
    write,
    onScreen: async (): Promise<Message[]> => {
      await app.idle();
      const page = await app
        .as(admin)
        .get<ReplyOf<"GET /messages/:ticketId">>(`/messages/${ticket.id}?markRead=true`);
      return page.body.messages;
    },
    onPhone: async (): Promise<SimulatorMessage[]> => {
      await app.idle();
      return (await app.as(admin).get<SimulatorMessage[]>(`${chat}/messages`)).body;
    },
  };
}

async function upload<T>(user: GivenUser, path: string, parts: [string, string | Blob][]) {
  const form = new FormData();
  for (const [name, value] of parts) {
    if (typeof value === "string") form.append(name, value);
    else form.append(name, value, "vestido.jpg");
  }
  const headers = { authorization: `Bearer ${user.token}` };
  const reply = await fetch(`${app.url}/api${path}`, { method: "POST", headers, body: form });
  const body = (await reply.json()) as T;
  expect([reply.status, body]).toEqual([200, expect.anything()]);
  return body;
}

async function fileAt(user: GivenUser, url: string | null | undefined): Promise<Reply<number>> {
  const headers = { authorization: `Bearer ${user.token}` };
  const reply = await fetch(`${app.url}${url}`, { headers });
  const body = (await reply.arrayBuffer()).byteLength;
  return { status: reply.status, body, headers: reply.headers };
}

describe("a customer's actions on the phone appear on the agent's screen", () => {
  test("a file, with its caption", async () => {
    const { admin, chat, onScreen } = await conversation();
    await upload(admin, `${chat}/messages`, [
      ["as", "image"],
      ["caption", "serve este?"],
      ["file", picture],
    ]);
    const last = (await onScreen()).at(-1);
    expect(last).toMatchObject({
      body: "serve este?",
      mediaType: "image",
      media: { state: "ready", kind: "image", width: 40, height: 30, bytes: picture.size },
    });
    expect(await fileAt(admin, last?.media?.url)).toMatchObject({
      status: 200,
      body: picture.size,
    });
  });

  test("an edit, a deletion, and a reaction to what the agent wrote", async () => {
    const { admin, ticket, line, write, onScreen, onPhone } = await conversation();
    const [first, second] = [await write({ body: "tem M?" }), await write({ body: "ops" })];
    await app.idle();
    await app.as(admin).put(`${line}/messages/${first.id}`, { body: "tem P?" });
    await app.as(admin).delete(`${line}/messages/${second.id}`);
    await app.as(admin).post(`/messages/${ticket.id}`, { body: "Tem sim" });
    const answer = (await onPhone()).at(-1);
    await app.as(admin).post(`${line}/messages/${answer?.id}/reactions`, { emoji: "😍" });
    expect((await onScreen()).slice(1)).toMatchObject([
      { body: "tem P?", isEdited: true },
      { body: "", isDeleted: true },
      { body: "Tem sim", reactions: [{ emoji: "😍", fromMe: false, name: "Ana Lima" }] },
    ]);
  });

  test("a call, which is refused and answered", async () => {
    const { admin, chat, onScreen, onPhone } = await conversation();
    await app.as(admin).post(`${chat}/calls`, { isVideo: false });
    expect((await onScreen())[1]).toMatchObject({
      mediaType: "call_log",
      details: { kind: "call" },
    });
    await vi.waitFor(async () => expect(await onPhone()).toHaveLength(3), {
      interval: 100,
    });
    const [, call, text] = await onPhone();
    expect(call).toMatchObject({ call: { isRefused: true } });
    expect(text?.body).toMatch(/^Não atendemos chamadas por aqui/);
  });
});

test("a file is gone with what was deleted: its message for everyone, its ticket or its contact", async () => {
  const { admin, ticket, line, chat, onScreen } = await conversation();
  const sendPicture = async () => {
    await upload(admin, `${chat}/messages`, [
      ["as", "image"],
      ["file", picture],
    ]);
    return (await onScreen()).at(-1);
  };
  const [revoked, kept] = [await sendPicture(), await sendPicture()];
  const own = await upload<Message>(admin, `/messages/${ticket.id}`, [["medias", picture]]);
  await app.idle();
  const urls = [revoked?.media?.url, own.media?.url, kept?.media?.url];
  const statuses = async () =>
    Promise.all(urls.map(async (url) => (await fileAt(admin, url)).status));
  expect(await statuses()).toEqual([200, 200, 200]);

  const [first] = (await app.as(admin).get<SimulatorMessage[]>(`${chat}/messages`)).body.slice(1);
  expect((await app.as(admin).delete(`${line}/messages/${first?.id}`)).status).toBe(200);
  expect((await app.as(admin).delete(`/messages/${own.id}`)).status).toBe(200);
  // The agent's is refused before the network has taken the deletion.
  expect((await fileAt(admin, own.media?.url)).status).toBe(404);
  await app.idle();
  expect(await statuses()).toEqual([404, 404, 200]);
  expect((await app.as(admin).delete(`/tickets/${ticket.id}`)).status).toBe(200);
  expect(await statuses()).toEqual([404, 404, 404]);

  await upload(admin, `${chat}/messages`, [
    ["as", "image"],
    ["file", picture],
  ]);
  await app.idle();
  const again = (await app.as(admin).get<ReplyOf<"GET /tickets">>("/tickets?showAll=true")).body;
  const [next] = again.tickets;
  const page = await app.as(admin).get<ReplyOf<"GET /messages/:ticketId">>(`/messages/${next?.id}`);
  const url = page.body.messages.at(-1)?.media?.url;
  expect((await fileAt(admin, url)).status).toBe(200);
  expect((await app.as(admin).delete(`/contacts/${next?.contactId}`)).status).toBe(200);
  expect((await fileAt(admin, url)).status).toBe(404);
  await vi.waitFor(async () => {
    const left = await app.database.db.acrossCompanies((tx) =>
      tx.query(sql`select key from files where company_id = ${admin.companyId}`),
    );
    expect(left).toEqual([]);
  });
});

describe("an agent's actions appear on the customer's phone", () => {
  test("files, a reply, an edit, a reaction and a deletion", async () => {
    const { admin, ticket, onScreen, onPhone } = await conversation();
    const [hello] = await onScreen();
    await upload<Message>(admin, `/messages/${ticket.id}`, [
      ["body", "este?"],
      ["quotedMsgId", hello?.id ?? ""],
      ["medias", picture],
    ]);
    const path = `/messages/${ticket.id}`;
    const text = (await app.as(admin).post<Message>(path, { body: "R$ 10" })).body;
    const wrong = (await app.as(admin).post<Message>(path, { body: "outra pessoa" })).body;
    await app.idle();
    await app.as(admin).post(`/messages/edit/${text.id}`, { body: "R$ 12" });
    await app.as(admin).delete(`/messages/${wrong.id}`);
    await app.as(admin).post(`/messages/${hello?.id}/reactions`, { type: "👋" });
    const [first, file, edited, deleted] = await onPhone();
    expect(first).toMatchObject({ reactions: [{ emoji: "👋", fromCompany: true }] });
    expect(file).toMatchObject({
      body: "este?",
      kind: "image",
      file: { bytes: picture.size },
      quoted: { body: "Olá", fromCustomer: true },
    });
    expect(edited).toMatchObject({ body: "R$ 12", isEdited: true });
    expect(deleted).toMatchObject({ isDeleted: true });
  });

  test("a message with an unknown outcome is unconfirmed until a late ack shows that it was sent", async () => {
    const { admin, ticket, line, chat, onScreen, onPhone } = await conversation();
    await app.as(admin).put(`${line}/network`, { sendMode: "unconfirmed" });
    await app.as(admin).post(`/messages/${ticket.id}`, { body: "Chegou?" });
    await vi.waitFor(async () => {
      expect((await onScreen()).at(-1)).toMatchObject({ failedCode: null, isUnconfirmed: true });
    });
    const shown = await app.as(admin).get(`/tickets/${ticket.id}`);
    expect(shown.body).toMatchObject({
      lastMessage: "Chegou?",
      lastMessageFailed: false,
      lastMessageUnconfirmed: true,
    });
    expect((await onPhone()).map(({ body }) => body)).toEqual(["Olá", "Chegou?"]);
    await app.as(admin).put(`${line}/network`, { sendMode: "deliver" });
    expect((await app.as(admin).post(`${chat}/read`)).status).toBe(200);
    await vi.waitFor(async () => {
      expect((await onScreen()).at(-1)).toMatchObject({ ack: 4, isUnconfirmed: false });
    });
    const later = await app.as(admin).get(`/tickets/${ticket.id}`);
    expect(later.body).toMatchObject({ lastMessageAck: 4, lastMessageUnconfirmed: false });
  });

  test("texts sent ten times at once, edited while their acknowledgements come, are one each and block nothing", async () => {
    const { admin, ticket, onPhone, onScreen } = await conversation();
    const queries = vi.spyOn(pg.Client.prototype, "query");
    const bodies = ["um", "dois", "três", "quatro", "cinco", "seis"];
    const rounds = bodies.map(async (body, n) => {
      const once = { body, clientId: `0197f000-0000-7000-8000-00000000000${n}` };
      const repeats = Array.from({ length: 10 }, async () => {
        const reply = await app.as(admin).post<Message>(`/messages/${ticket.id}`, once);
        expect([reply.status, reply.body]).toEqual([200, expect.anything()]);
        return reply.body;
      });
      const { id } = await Promise.race(repeats);
      const edit = { body: `${body}, mudado` };
      const edited = await app.as(admin).post(`/messages/edit/${id}`, edit);
      expect([edited.status, edited.body]).toEqual([200, expect.anything()]);
      return new Set((await Promise.all(repeats)).map((message) => message.id)).size;
    });
    expect(await Promise.all(rounds)).toEqual(bodies.map(() => 1));
    expect(
      (await onScreen())
        .slice(1)
        .map(({ body }) => body)
        .toSorted(),
    ).toEqual(bodies.map((body) => `${body}, mudado`).toSorted());
    expect(await onPhone()).toHaveLength(1 + bodies.length);
    const results = await Promise.allSettled(
      queries.mock.results.map(({ value }): unknown => value),
    );
    queries.mockRestore();
    expect(results.filter(({ status }) => status === "rejected")).toEqual([]);
  });

  test("a message that was undone in time never arrives", async () => {
    const { admin, ticket, onPhone } = await conversation();
    const path = `/messages/${ticket.id}`;
    const late = (await app.as(admin).post<Message>(path, { body: "ops", undoSeconds: 10 })).body;
    const reply = await app.as(admin).delete(`/messages/undo/${late.id}`);
    expect(reply.status).toBe(200);
    await app.as(admin).post(path, { body: "agora sim" });
    expect((await onPhone()).map(({ body }) => body)).toEqual(["Olá", "agora sim"]);
  });
});
