import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import type { GivenTicket, GivenUser } from "../../testing/given.ts";
import { film, pdf, picture, recorded, tone } from "../../testing/media-samples.ts";
import type { MessageApp } from "./testing/office.ts";
import { answer, bodies, messageApp, refusal } from "./testing/office.ts";

let app: TestApp;
let office: MessageApp["office"];
let ticketOf: MessageApp["ticketOf"];
let openTicketOf: MessageApp["openTicketOf"];
let post: MessageApp["post"];
let send: MessageApp["send"];
let read: MessageApp["read"];
let show: MessageApp["show"];
let outboundOf: MessageApp["outboundOf"];
beforeAll(async () => {
  ({ app, office, ticketOf, openTicketOf, post, send, read, show, outboundOf } =
    await messageApp());
});

describe("sending", () => {
  test("stores the message, puts it on the card and hands it to the channel", async () => {
    const place = await office();
    const ticket = await openTicketOf(place);
    const body = { read: 1, fromMe: true, mediaUrl: "", body: "Olá!", quotedMsg: null };
    const reply = await post(place.ana, ticket, body);
    expect(answer(reply)).toEqual([
      200,
      {
        id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-7/),
        ticketId: ticket.id,
        companyId: place.company.id,
        contactId: null,
        contact: null,
        body: "Olá!",
        fromMe: true,
        read: true,
        isDeleted: false,
        isEdited: false,
        isForwarded: false,
        isAutomatic: false,
        ack: 0,
        failedCode: null,
        isUnconfirmed: false,
        changeFailedCode: null,
        undoUntil: null,
        user: { id: place.ana.id, name: place.ana.name },
        clientId: null,
        mediaType: "conversation",
        mediaUrl: null,
        media: null,
        transcript: null,
        details: null,
        reactions: [],
        quotedMsgId: null,
        quotedMsg: null,
        queueId: place.sales,
        queue: { id: place.sales, name: "Vendas", color: expect.any(String) },
        createdAt: expect.any(String),
        updatedAt: expect.any(String),
      },
    ]);
    expect(await show(place.ana, ticket)).toMatchObject({
      lastMessage: "Olá!",
      lastMessageKind: "text",
      lastMessageAt: reply.body.createdAt,
      lastMessageFromMe: true,
      lastMessageAck: 0,
    });
    expect(await outboundOf(ticket)).toEqual([
      {
        messageId: reply.body.id,
        command: "message",
        body: JSON.stringify({ kind: "text", text: "Olá!" }),
        to: ticket.phone,
        providerId: expect.stringMatching(/^3EB0[\dA-F]{18}$/),
        state: "queued",
      },
    ]);
    expect(bodies(await read(place.ana, ticket))).toEqual(["Olá!"]);
  });

  test("renders variables once, in the company's time zone", async () => {
    const place = await office("Asia/Tokyo");
    const ticket = await ticketOf(place, {
      status: "open",
      userId: place.ana.id,
      contactName: "João {{hora}} & Cia",
    });
    const hour = new Intl.DateTimeFormat("en", {
      timeZone: "Asia/Tokyo",
      hour: "2-digit",
      hourCycle: "h23",
    });
    const hourBefore = hour.format(app.clock.now());
    const { body } = await send(place.ana, ticket, "{{firstName}}|{{name}}|{{hora}}|{{x}}");
    expect(body).toMatch(/^João\|João \{\{hora\}\} & Cia\|\d\d:\d\d:\d\d\|\{\{x\}\}$/);
    // An hour may end in between.
    expect([hourBefore, hour.format(app.clock.now())]).toContain(body.split("|")[2]?.slice(0, 2));
  });

  test.each(["", "   ", "\n\t"])("a blank text (%j) is refused", async (body) => {
    const place = await office();
    const ticket = await openTicketOf(place);
    expect(answer(await post(place.ana, ticket, { body }))).toEqual(
      refusal("ERR_MESSAGE_EMPTY", 400),
    );
  });

  test("in a waiting ticket too, which goes on waiting; only users who see the ticket may", async () => {
    const place = await office();
    const { ana, caio, admin, sales } = place;
    const ticket = await ticketOf(place, { status: "pending", queueId: sales });
    await send(ana, ticket, "Aviso");
    await send(admin, ticket, "Aviso");
    expect(await show(ana, ticket)).toMatchObject({ status: "pending", userId: null });
    expect(answer(await post(caio, ticket, { body: "Aviso" }))).toEqual(
      refusal("ERR_TICKET_FORBIDDEN", 403),
    );
    expect(await outboundOf(ticket)).toHaveLength(2);
  });

  test("a closed ticket takes no message, but a repetition of an earlier one gets it", async () => {
    const place = await office();
    const ticket = await openTicketOf(place);
    const sent = { body: "a tempo", clientId: "0193b0a0-0000-7000-8000-00000000c105" };
    const first = await post(place.ana, ticket, sent);
    await app.as(place.ana).put(`/tickets/${ticket.id}`, { status: "closed" });
    for (const user of [place.ana, place.admin]) {
      expect(answer(await post(user, ticket, { body: "tarde" }))).toEqual(
        refusal("ERR_TICKET_CLOSED", 400),
      );
    }
    expect(await post(place.ana, ticket, sent)).toMatchObject({
      status: 200,
      body: { id: first.body.id },
    });
    expect(await outboundOf(ticket)).toHaveLength(1);
  });

  test("a message that the database does not keep is refused as one", async () => {
    const place = await office();
    const ticket = await openTicketOf(place);
    await app.database.db.acrossCompanies(async (tx) => {
      await tx.query(sql`
        create function drop_row() returns trigger language plpgsql as $$ begin return null; end $$`);
      await tx.query(sql`
        create trigger lost before insert on messages for each row
        when (new.body = 'que se perde') execute function drop_row()`);
    });
    expect(answer(await post(place.ana, ticket, { body: "que se perde" }))).toEqual(
      refusal("ERR_CREATING_MESSAGE", 400),
    );
    expect(await outboundOf(ticket)).toEqual([]);
  });

  test("another company's ticket is not found; one without connection cannot send", async () => {
    const [here, there] = [await office(), await office()];
    const ticket = await openTicketOf(here);
    expect(answer(await post(there.admin, ticket, { body: "Olá" }))).toEqual(
      refusal("ERR_NO_TICKET_FOUND", 404),
    );
    await app.database.db.acrossCompanies((tx) =>
      tx.query(sql`update tickets set connection_id = null where id = ${ticket.id}`),
    );
    expect(answer(await post(here.ana, ticket, { body: "Olá" }))).toEqual(
      refusal("ERR_WAPP_NOT_INITIALIZED", 400),
    );
  });

  test.each([
    ["DISCONNECTED", "logged-out", 400],
    ["DISCONNECTED", "stopped", 400],
    ["qrcode", null, 400],
    ["TIMEOUT", "network", 200],
    ["OPENING", null, 200],
    ["PAIRING", null, 200],
  ])("through a connection that is %s (%s) is answered with %d", async (...row) => {
    const [state, reason, status] = row;
    const place = await office();
    const ticket = await openTicketOf(place);
    const sent = { body: "antes", clientId: crypto.randomUUID() };
    const before = await post(place.ana, ticket, sent);
    await app.database.db.acrossCompanies((tx) =>
      tx.query(sql`
        update connections set status = ${state}, close_reason = ${reason} where id = ${ticket.connectionId}`),
    );
    const reply = await post(place.ana, ticket, { body: "Olá" });
    if (status === 200) expect(reply.status).toBe(200);
    else expect(answer(reply)).toEqual(refusal("ERR_WAPP_NOT_INITIALIZED", 400));
    expect(await outboundOf(ticket)).toHaveLength(status === 200 ? 2 : 1);
    // A repetition gets its message all the same.
    expect((await post(place.ana, ticket, sent)).body).toMatchObject({ id: before.body.id });
  });

  test("with the same client id again, also at once, it is the same message", async () => {
    const place = await office();
    const ticket = await openTicketOf(place);
    const clientId = "0193b0a0-0000-7000-8000-00000000abcd";
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => post(place.ana, ticket, { body: "uma vez", clientId })),
    );
    const [first] = replies;
    expect(first?.body).toMatchObject({ clientId, body: "uma vez" });
    // Also when it could not be sent any more: the connection has gone.
    const run = (statement: ReturnType<typeof sql>) =>
      app.database.db.acrossCompanies((tx) => tx.query(statement));
    await run(sql`update tickets set connection_id = null where id = ${ticket.id}`);
    const late = await post(place.ana, ticket, { body: "uma vez", clientId });
    expect([late.status, late.body.id]).toEqual([200, first?.body.id]);
    await run(sql`
      update tickets set connection_id = ${place.connectionId} where id = ${ticket.id}`);
    for (const reply of replies) expect(answer(reply)).toEqual([200, first?.body]);
    expect(await outboundOf(ticket)).toHaveLength(1);
    expect(await read(place.ana, ticket)).toMatchObject({ count: 1 });

    const other = await openTicketOf(place);
    expect(answer(await post(place.ana, other, { body: "x", clientId }))).toEqual(
      refusal("ERR_INVALID_REQUEST", 400),
    );
    const elsewhere = await office();
    const there = await openTicketOf(elsewhere);
    expect((await post(elsewhere.ana, there, { body: "x", clientId })).status).toBe(200);
  });

  test("a hundred at once keep one order on the card, in the conversation and to the channel", async () => {
    const place = await office();
    const ticket = await openTicketOf(place);
    const replies = await Promise.all(
      Array.from({ length: 100 }, (_, n) => send(place.ana, ticket, `n${n}`)),
    );
    expect(new Set(replies.map(({ id }) => id)).size).toBe(100);
    const outbound = await outboundOf(ticket);
    const pages = [];
    for (let n = 5; n >= 1; n -= 1) pages.push(await read(place.ana, ticket, `&pageNumber=${n}`));
    const stored = pages.flatMap((page) => page.messages.map((message) => message.id));
    expect(stored).toEqual(outbound.map((row) => row.messageId));
    expect((await show(place.ana, ticket)).lastMessage).toBe(pages.at(-1)?.messages.at(-1)?.body);
  });

  test("quotes a message of the same ticket that the sender may read, and no other", async () => {
    const place = await office();
    const { ana, admin } = place;
    const ticket = await openTicketOf(place);
    const quoted = await app.given.message(ticket, {
      body: "qual o preço?",
      queueId: place.sales,
      read: true,
    });
    const hidden = await app.given.message(ticket, {
      body: "de outra fila",
      queueId: place.support,
      read: true,
    });
    const foreign = await app.given.message(await openTicketOf(place), { body: "de outro ticket" });

    const reply = await post(ana, ticket, {
      body: "R$ 10",
      quotedMsg: { id: quoted, body: "forged" },
    });
    expect(reply.body).toMatchObject({
      mediaType: "extendedTextMessage",
      quotedMsgId: quoted,
      quotedMsg: {
        id: quoted,
        body: "qual o preço?",
        fromMe: false,
        contact: { id: ticket.contactId },
      },
    });
    const { messages } = await read(ana, ticket);
    expect(messages.at(-1)).toEqual(reply.body);

    const unknown = "00000000-0000-7000-8000-000000000000";
    for (const id of [foreign, unknown, hidden]) {
      expect(answer(await post(ana, ticket, { body: "x", quotedMsg: { id } }))).toEqual(
        refusal("ERR_FETCH_WAPP_MSG", 400),
      );
    }
    expect((await post(admin, ticket, { body: "x", quotedMsg: { id: hidden } })).status).toBe(200);
    const last = (await read(ana, ticket)).messages.at(-1);
    expect(last).toMatchObject({ quotedMsgId: hidden, quotedMsg: null });
  });
});

const run = <Row>(statement: ReturnType<typeof sql>): Promise<Row[]> =>
  app.database.db.acrossCompanies((tx) => tx.query<Row>(statement));

describe("a text", () => {
  test("stands on the card as it was rendered, and leaves like that", async () => {
    const place = await office();
    const ticket = await ticketOf(place, { status: "open", userId: place.ana.id });
    await run(sql`update contacts set name = 'Bia Souza' where id = ${ticket.contactId}`);
    await send(place.ana, ticket, "Oi, {{firstName}}");
    expect(await show(place.ana, ticket)).toMatchObject({ lastMessage: "Oi, Bia" });
    const [row] = await outboundOf(ticket);
    expect(JSON.parse(row?.body ?? "null")).toEqual({ kind: "text", text: "Oi, Bia" });
  });

  test("is neither signed nor checked for a signature by the server", async () => {
    const place = await office();
    const ticket = await openTicketOf(place);
    for (const text of ["sem nome", "*Outra Pessoa:*\ncom nome"]) {
      expect((await send(place.ana, ticket, text)).body).toBe(text);
    }
    const texts = (await outboundOf(ticket)).map(({ body }) => JSON.parse(body).text);
    expect(texts).toEqual(["sem nome", "*Outra Pessoa:*\ncom nome"]);
  });

  test.each([
    ["a person's number", false, "pn"],
    ["a group's id", true, "group"],
  ])("goes to %s", async (_why, isGroup, kind) => {
    const place = await office();
    const ticket = await openTicketOf(place);
    const groupId = `55119-${ticket.id}`;
    if (isGroup) {
      await run(
        sql`update contacts set is_group = true, number = ${groupId} where id = ${ticket.contactId}`,
      );
      await run(sql`update tickets set is_group = true where id = ${ticket.id}`);
      await run(
        sql`update contact_addresses set kind = 'group', key = ${groupId}, value = ${groupId} where contact_id = ${ticket.contactId}`,
      );
    }
    await send(place.ana, ticket, "Olá");
    const rows = await run(sql`
      select o.to_kind as kind, o.to_value as value from outbound o join messages m on m.id = o.message_id
      where m.ticket_id = ${ticket.id}`);
    expect(rows).toEqual([{ kind, value: isGroup ? groupId : ticket.phone }]);
  });
});

describe("a file leaves as what it is", () => {
  async function sendFile(user: GivenUser, { id }: GivenTicket, name: string, content: Buffer) {
    const form = new FormData();
    form.append("medias", new Blob([new Uint8Array(content)]), name);
    const reply = await fetch(`${app.url}/api/messages/${id}`, {
      method: "POST",
      headers: { authorization: `Bearer ${user.token}` },
      body: form,
    });
    expect(reply.status).toBe(200);
  }

  test.each([
    ["filme.mp4", () => recorded("a.mp4", film(1)), "video", "video/mp4"],
    [
      "audio-record-site-1.mp3",
      () => recorded("a.mp3", tone(1)),
      "voice",
      "audio/ogg; codecs=opus",
    ],
    ["musica.wav", () => recorded("a.wav", tone(1)), "audio", "audio/mpeg"],
    ["boleto.pdf", async () => pdf(), "document", "application/pdf"],
    ["lista.csv", async () => Buffer.from("a;b\n"), "document", "text/csv"],
    ["foto.png", () => picture("png"), "image", "image/png"],
  ])("%s", async (name, content, media, mime) => {
    const place = await office();
    const ticket = await openTicketOf(place);
    await sendFile(place.ana, ticket, name, await content());
    const [row] = await outboundOf(ticket);
    expect(JSON.parse(row?.body ?? "null")).toMatchObject({
      kind: "media",
      media,
      file: { mime, name: expect.stringContaining(name.replace(/\.\w+$/, "")) },
    });
  });
});
