import type { Message } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import { connectLive } from "../auth/testing/live-client.ts";
import type { TestApp } from "../../testing/app.ts";
import type { GivenUser } from "../../testing/given.ts";
import { isEmoji } from "./change.ts";
import type { NetworkSide } from "./testing/network-side.ts";
import { networkSide } from "./testing/network-side.ts";
import type { MessageApp, Office, Page } from "./testing/office.ts";
import { answer, bodies, messageApp, refusal } from "./testing/office.ts";

let app: TestApp;
let network: NetworkSide;
let office: MessageApp["office"];
let openTicketOf: MessageApp["openTicketOf"];
let outboundOf: MessageApp["outboundOf"];
let read: MessageApp["read"];
let send: MessageApp["send"];
let show: MessageApp["show"];
beforeAll(async () => {
  ({ app, office, openTicketOf, outboundOf, read, send, show } = await messageApp());
  network = await networkSide(app);
});

const edit = (user: GivenUser, id: string, body: string) =>
  app.as(user).post<Message>(`/messages/edit/${id}`, { read: 1, fromMe: true, mediaUrl: "", body });

async function sent(place: Office, body = "R$ 10") {
  const ticket = await openTicketOf(place);
  const message = await send(place.ana, ticket, body);
  await network.hasSent(message.id);
  const now = async () =>
    (await read(place.ana, ticket)).messages.find(({ id }) => id === message.id);
  return { ticket, message, now };
}

describe("reactions as rows", () => {
  const pageOf = async (user: GivenUser, { id }: { id: number }, query = "") =>
    (await app.as(user).get<Page>(`/messages/${id}${query}`)).body;

  test("are for clients that do not say whether a page marks the ticket read, behind their message", async () => {
    const place = await office();
    const { ticket, message } = await sent(place);
    await app.as(place.ana).post(`/messages/${message.id}/reactions`, { type: "👍" });
    const { messages, count } = await pageOf(place.ana, ticket);
    const { quotedMsg: _, reactions: __, ...quoted } = message;
    expect([messages.length, count]).toEqual([2, 1]);
    expect(messages[1]).toMatchObject({
      ...{ mediaType: "reactionMessage", body: "👍", fromMe: true, read: true, reactions: [] },
      ...{ createdAt: message.createdAt, ticketId: ticket.id, quotedMsgId: message.id },
      quotedMsg: { id: quoted.id, body: quoted.body },
    });
    const again = await pageOf(place.ana, ticket);
    expect(again.messages[1]?.id).toBe(messages[1]?.id);
    for (const query of ["?markRead=false", "?markRead=true"]) {
      expect((await pageOf(place.ana, ticket, query)).messages).toHaveLength(1);
    }
  });

  test("come and go live where another client has the ticket open, and nowhere else", async () => {
    const place = await office();
    const { ticket, message } = await sent(place);
    const own = await app.live(place.ana);
    const other = await connectLive(app.url, place.ana.token, { inQuery: true });
    const name = `company-${place.company.id}-appMessage`;
    const rows = ({ heard }: typeof other) =>
      heard.flatMap(({ name: event, payload }) => {
        if (event !== name) return [];
        const { action, message: shown } = payload as { action: string; message: Message };
        return shown.mediaType === "reactionMessage"
          ? [`${action} ${shown.body} ${shown.isDeleted}`]
          : [];
      });
    for (const { socket } of [own, other]) socket.emit("joinChatBox", String(ticket.id));
    const react = (type: string) =>
      app.as(place.ana).post(`/messages/${message.id}/reactions`, { type });
    await expect
      .poll(async () => {
        await react("👍");
        await react("❤️");
        return rows(other).length;
      })
      .toBeGreaterThan(1);
    await react("");
    await expect.poll(() => rows(other).at(-1)).toBe("update  true");
    expect(
      rows(other)
        .slice(0, -1)
        .every((row) => row.startsWith("create")),
    ).toBe(true);
    expect(rows(own)).toEqual([]);
  });
});

describe("an edit", () => {
  test("is shown at once, on the card too, published, and queued behind the message", async () => {
    const place = await office();
    const { ticket, message } = await sent(place);
    const live = await app.live(place.ana);
    const reply = await edit(place.ana, message.id, "R$ 12");
    expect(reply.body).toMatchObject({ id: message.id, body: "R$ 12", isEdited: true });
    expect(await show(place.ana, ticket)).toMatchObject({ lastMessage: "R$ 12" });
    const event = await live.next(`company-${place.company.id}-appMessage`);
    expect(event).toMatchObject({ action: "update", message: reply.body });
    expect(await live.next(`company-${place.company.id}-ticket`)).toMatchObject({
      ticket: { lastMessage: "R$ 12" },
    });
    const [first, change] = await outboundOf(ticket);
    expect([first?.command, change?.command, change?.to]).toEqual([
      "message",
      "edit",
      ticket.phone,
    ]);
    expect(JSON.parse(change?.body ?? "null")).toEqual({
      kind: "edit",
      target: {
        chat: { kind: "pn", value: ticket.phone },
        id: first?.providerId,
        fromMe: true,
      },
      text: "R$ 12",
    });
    expect(change?.providerId).not.toBe(first?.providerId);
  });

  test.each(["", " \n"])("to nothing (%j) is not sent", async (body) => {
    const place = await office();
    const { ticket, message } = await sent(place);
    expect(answer(await edit(place.ana, message.id, body))).toEqual(
      refusal("ERR_MESSAGE_EMPTY", 400),
    );
    expect(await outboundOf(ticket)).toHaveLength(1);
  });

  test("to the same text is no edit", async () => {
    const place = await office();
    const { ticket, message } = await sent(place);
    expect((await edit(place.ana, message.id, "R$ 10")).body).toMatchObject({ isEdited: false });
    expect(await outboundOf(ticket)).toHaveLength(1);
  });

  test("is for the company's own texts, within 15 minutes", async () => {
    const place = await office();
    const { ticket } = await sent(place);
    const refused = refusal("ERR_EDITING_WAPP_MSG", 400);
    const minutesAgo = (minutes: number) => new Date(app.clock.now().getTime() - minutes * 60_000);
    const theirs = await app.given.message(ticket, { body: "deles" });
    const old = await app.given.message(ticket, { fromMe: true, at: minutesAgo(15.1) });
    const young = await app.given.message(ticket, { fromMe: true, at: minutesAgo(14.5) });
    const failed = await app.given.message(ticket, {
      fromMe: true,
      failedCode: "ERR_SENDING_WAPP_MSG",
    });
    for (const id of [theirs, old, failed]) {
      expect(answer(await edit(place.ana, id, "x"))).toEqual(refused);
    }
    expect((await edit(place.ana, young, "x")).status).toBe(200);
  });

  test("is refused to users who cannot see the ticket", async () => {
    const [place, other] = [await office(), await office()];
    const { message } = await sent(place);
    expect(answer(await edit(place.caio, message.id, "x"))).toEqual(
      refusal("ERR_TICKET_FORBIDDEN", 403),
    );
    expect(answer(await edit(other.admin, message.id, "x"))).toEqual(
      refusal("ERR_NO_MESSAGE_FOUND", 404),
    );
    expect((await edit(place.admin, message.id, "x")).status).toBe(200);
  });

  test("is confirmed by older clients with a call that changes nothing", async () => {
    const [place, other] = [await office(), await office()];
    const { message } = await sent(place);
    const { body } = await edit(place.ana, message.id, "R$ 12");
    const path = `/messages/${message.id}`;
    expect(answer(await app.as(place.ana).put(path))).toEqual([200, body]);
    expect(answer(await app.as(place.caio).put(path))).toEqual(
      refusal("ERR_TICKET_FORBIDDEN", 403),
    );
    expect(answer(await app.as(other.admin).put(path))).toEqual(
      refusal("ERR_NO_MESSAGE_FOUND", 404),
    );
  });
});

describe("two edits at once", () => {
  test("are one after the other: what is shown is what is queued last", async () => {
    const place = await office();
    const { ticket, message, now } = await sent(place);
    await Promise.all([edit(place.ana, message.id, "A"), edit(place.admin, message.id, "B")]);
    const edits = (await outboundOf(ticket)).slice(1).map((row) => JSON.parse(row.body).text);
    expect(edits.toSorted((a, b) => a.localeCompare(b))).toEqual(["A", "B"]);
    expect(await now()).toMatchObject({ body: edits.at(-1) });
  });
});

describe("an edit that the network refuses", () => {
  const code = "ERR_EDITING_WAPP_MSG";

  test("is reverted, with the reason, and published", async () => {
    const place = await office();
    const { ticket, message, now } = await sent(place);
    await edit(place.ana, message.id, "R$ 12");
    await network.refuses(place, message.id);
    expect(await now()).toMatchObject({ body: "R$ 10", isEdited: false, changeFailedCode: code });
    expect(await show(place.ana, ticket)).toMatchObject({ lastMessage: "R$ 10" });
    // The next one is a new chance.
    expect((await edit(place.ana, message.id, "R$ 11")).body).toMatchObject({
      body: "R$ 11",
      changeFailedCode: null,
    });
  });

  test("keeps the text of a later edit; if both are refused, the first text returns", async () => {
    const place = await office();
    const { message, now } = await sent(place);
    await edit(place.ana, message.id, "A");
    await edit(place.ana, message.id, "B");
    await network.refuses(place, message.id);
    expect(await now()).toMatchObject({ body: "B", isEdited: true, changeFailedCode: null });
    await network.refuses(place, message.id);
    expect(await now()).toMatchObject({ body: "R$ 10", isEdited: false, changeFailedCode: code });
  });

  test("after an accepted one keeps the accepted text", async () => {
    const place = await office();
    const { message, now } = await sent(place);
    await edit(place.ana, message.id, "A");
    await edit(place.ana, message.id, "B");
    await network.accepts(place, message.id);
    await network.refuses(place, message.id);
    expect(await now()).toMatchObject({ body: "A", isEdited: true, changeFailedCode: code });
  });
});

const remove = (user: GivenUser, id: string) => app.as(user).delete<Message>(`/messages/${id}`);

describe("deleting for everyone", () => {
  test("hides the text at once, keeps it in the database, and is queued for the network", async () => {
    const place = await office();
    const { ticket, message } = await sent(place, "segredo");
    const live = await app.live(place.ana);
    const reply = await remove(place.ana, message.id);
    expect(reply.body).toMatchObject({ id: message.id, isDeleted: true, body: "", media: null });
    expect(await live.next(`company-${place.company.id}-appMessage`)).toMatchObject({
      action: "update",
      message: { isDeleted: true, body: "" },
    });
    expect(await show(place.ana, ticket)).toMatchObject({
      lastMessage: "🚫 _Mensagem Apagada_",
      lastMessageKind: "text",
    });
    const stored = await app.database.db.acrossCompanies((tx) =>
      tx.query(sql`select body from messages where id = ${message.id}`),
    );
    expect(stored).toEqual([{ body: "segredo" }]);
    const [first, change] = await outboundOf(ticket);
    expect(JSON.parse(change?.body ?? "null")).toEqual({
      kind: "revoke",
      target: { chat: { kind: "pn", value: ticket.phone }, id: first?.providerId, fromMe: true },
    });
  });

  test("a second time changes nothing", async () => {
    const place = await office();
    const { ticket, message } = await sent(place, "segredo");
    await remove(place.ana, message.id);
    expect((await remove(place.ana, message.id)).body).toMatchObject({ isDeleted: true });
    expect(await outboundOf(ticket)).toHaveLength(2);
  });

  test.each(["queued", "failed"])("a message that never left (%s) is deleted", async (state) => {
    const place = await office();
    const ticket = await openTicketOf(place);
    await app.given.message(ticket, { body: "antes", at: new Date(Date.now() - 60_000) });
    const message = await send(place.ana, ticket, "ops");
    await app.database.db.acrossCompanies(async (tx) => {
      await tx.query(sql`update outbound set state = ${state} where message_id = ${message.id}`);
      if (state === "failed") {
        await tx.query(
          sql`update messages set failed_code = 'ERR_SENDING_WAPP_MSG' where id = ${message.id}`,
        );
      }
    });
    expect((await remove(place.ana, message.id)).body).toMatchObject({ isDeleted: true });
    expect(bodies(await read(place.ana, ticket))).toEqual(["antes"]);
    expect(await show(place.ana, ticket)).toMatchObject({ lastMessage: "antes" });
    expect(await outboundOf(ticket)).toEqual([]);
  });

  test("is for the company's own messages, by users who see the ticket", async () => {
    const [place, other] = [await office(), await office()];
    const { ticket, message } = await sent(place, "segredo");
    const theirs = await app.given.message(ticket);
    expect(answer(await remove(place.ana, theirs))).toEqual(refusal("ERR_DELETE_WAPP_MSG", 400));
    expect(answer(await remove(place.caio, message.id))).toEqual(
      refusal("ERR_TICKET_FORBIDDEN", 403),
    );
    expect(answer(await remove(other.admin, message.id))).toEqual(
      refusal("ERR_NO_MESSAGE_FOUND", 404),
    );
    expect((await remove(place.admin, message.id)).status).toBe(200);
  });

  test("is reverted when the network refuses", async () => {
    const place = await office();
    const { ticket, message } = await sent(place, "segredo");
    await remove(place.ana, message.id);
    await network.refuses(place, message.id);
    expect((await read(place.ana, ticket)).messages).toMatchObject([
      { body: "segredo", isDeleted: false, changeFailedCode: "ERR_DELETE_WAPP_MSG" },
    ]);
    expect(await show(place.ana, ticket)).toMatchObject({ lastMessage: "segredo" });
  });
});

const react = (user: GivenUser, id: string, type: string) =>
  app.as(user).post<Message>(`/messages/${id}/reactions`, { type });

describe("the company's reaction", () => {
  test("is one for the whole company, and can be removed", async () => {
    const place = await office();
    const ticket = await openTicketOf(place);
    const id = await app.given.message(ticket, { body: "obrigada", read: true });
    const live = await app.live(place.ana);
    const first = await react(place.ana, id, "👍");
    const { name } = place.ana;
    expect(first.body.reactions).toEqual([{ emoji: "👍", fromMe: true, contactId: null, name }]);
    expect(await live.next(`company-${place.company.id}-appMessage`)).toMatchObject({
      action: "update",
      message: { id, reactions: [{ emoji: "👍" }] },
    });
    const second = await react(place.admin, id, "❤️");
    expect(second.body.reactions).toMatchObject([{ emoji: "❤️", name: place.admin.name }]);
    expect((await react(place.ana, id, "")).body.reactions).toEqual([]);
    const changes = (await outboundOf(ticket)).map((row) => JSON.parse(row.body));
    expect(changes.map(({ emoji }) => emoji)).toEqual(["👍", "❤️", null]);
    expect(changes[0]).toMatchObject({
      kind: "reaction",
      target: { chat: { kind: "pn", value: ticket.phone }, fromMe: false },
    });
    expect(await show(place.ana, ticket)).toMatchObject({ lastMessage: "obrigada" });
  });

  test("the same again changes nothing", async () => {
    const place = await office();
    const ticket = await openTicketOf(place);
    const id = await app.given.message(ticket);
    await react(place.ana, id, "👍");
    await react(place.admin, id, "👍");
    expect(await outboundOf(ticket)).toHaveLength(1);
  });

  test("is one emoji, to a message that the network has", async () => {
    const place = await office();
    const ticket = await openTicketOf(place);
    const id = await app.given.message(ticket);
    for (const type of ["ok", "👍👍", " ", "1"]) {
      expect(answer(await react(place.ana, id, type))).toEqual(refusal("ERR_INVALID_REQUEST", 400));
    }
    const failed = await app.given.message(ticket, {
      fromMe: true,
      failedCode: "ERR_SENDING_WAPP_MSG",
    });
    expect(answer(await react(place.ana, failed, "👍"))).toEqual(
      refusal("ERR_REACTION_WAPP_MSG", 400),
    );
    expect(await outboundOf(ticket)).toEqual([]);
  });

  test("is for users who see the ticket", async () => {
    const [place, other] = [await office(), await office()];
    const id = await app.given.message(await openTicketOf(place));
    expect(answer(await react(place.caio, id, "👍"))).toEqual(refusal("ERR_TICKET_FORBIDDEN", 403));
    expect(answer(await react(other.admin, id, "👍"))).toEqual(
      refusal("ERR_NO_MESSAGE_FOUND", 404),
    );
    expect((await react(place.admin, id, "👍")).status).toBe(200);
  });

  test("that the network refuses is reverted", async () => {
    const place = await office();
    const ticket = await openTicketOf(place);
    const id = await app.given.message(ticket, { read: true });
    const now = async () => (await read(place.ana, ticket)).messages[0];
    await react(place.ana, id, "👍");
    await network.accepts(place, id);
    await react(place.admin, id, "❤️");
    await network.refuses(place, id);
    expect(await now()).toMatchObject({
      reactions: [{ emoji: "👍", name: place.ana.name }],
      changeFailedCode: "ERR_REACTION_WAPP_MSG",
    });
    await react(place.ana, id, "");
    await network.refuses(place, id);
    expect(await now()).toMatchObject({ reactions: [{ emoji: "👍" }] });
  });
});

test.each([
  ["👍", true],
  ["👍🏽", true],
  ["❤️", true],
  ["❤", true],
  ["👩‍👩‍👧", true],
  ["🇧🇷", true],
  ["1️⃣", true],
  ["", false],
  ["a", false],
  ["1", false],
  ["👍 ", false],
  ["👍👍", false],
  ["ok👍", false],
])("%j is one emoji: %s", (text, expected) => {
  expect(isEmoji(text)).toBe(expected);
});
