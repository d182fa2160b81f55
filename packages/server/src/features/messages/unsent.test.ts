import type { Message } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import type { GivenTicket, GivenUser } from "../../testing/given.ts";
import type { MessageApp, Office } from "./testing/office.ts";
import { answer, bodies, messageApp, refusal } from "./testing/office.ts";

let app: TestApp;
let office: MessageApp["office"];
let openTicketOf: MessageApp["openTicketOf"];
let send: MessageApp["send"];
let read: MessageApp["read"];
let show: MessageApp["show"];
let outboundOf: MessageApp["outboundOf"];
let post: MessageApp["post"];
beforeAll(async () => {
  ({ app, office, openTicketOf, send, read, show, outboundOf, post } = await messageApp());
});

describe("a message that was not sent", () => {
  async function failed(
    place: Office,
    { state, code } = { state: "failed", code: "ERR_SENDING_WAPP_MSG" },
  ) {
    const ticket = await openTicketOf(place);
    const earlier = await app.given.message(ticket, {
      body: "antes",
      at: new Date(Date.now() - 60_000),
    });
    const message = await send(place.ana, ticket, "não foi");
    await app.database.db.acrossCompanies(async (tx) => {
      await tx.query(sql`update outbound set state = ${state} where message_id = ${message.id}`);
      await tx.query(sql`update messages set failed_code = ${code} where id = ${message.id}`);
      await tx.query(sql`update tickets set last_message_failed = true where id = ${ticket.id}`);
    });
    return { ticket, earlier, message };
  }

  const retry = (user: GivenUser, id: string) =>
    app.as(user).post<Message>(`/messages/retry/${id}`);
  const discard = (user: GivenUser, id: string) => app.as(user).delete(`/messages/failed/${id}`);

  test("is sent again as the same message, once", async () => {
    const place = await office();
    const { ticket, message } = await failed(place);
    const [before] = await outboundOf(ticket);
    expect(await show(place.ana, ticket)).toMatchObject({ lastMessageFailed: true });
    const replies = await Promise.all([retry(place.ana, message.id), retry(place.ana, message.id)]);
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 400]));
    const done = replies.find(({ status }) => status === 200);
    expect(done?.body).toMatchObject({ id: message.id, failedCode: null, body: "não foi" });
    expect(await outboundOf(ticket)).toEqual([{ ...before, state: "queued" }]);
    expect(await show(place.ana, ticket)).toMatchObject({ lastMessageFailed: false });
  });

  test("is discarded, and the one before stands on the card again", async () => {
    const place = await office();
    const { ticket, message } = await failed(place);
    const live = await app.live(place.ana);
    expect(answer(await discard(place.ana, message.id))).toEqual([
      200,
      { message: "Message discarded" },
    ]);
    expect(bodies(await read(place.ana, ticket))).toEqual(["antes"]);
    expect(await show(place.ana, ticket)).toMatchObject({
      lastMessage: "antes",
      lastMessageFromMe: false,
      lastMessageFailed: false,
    });
    expect(await outboundOf(ticket)).toEqual([]);
    expect(await live.next(`company-${place.company.id}-appMessage`)).toMatchObject({
      action: "delete",
      message: { id: message.id },
    });
    expect(await live.next(`company-${place.company.id}-ticket`)).toMatchObject({
      action: "update",
      ticket: { lastMessage: "antes" },
    });
    expect(answer(await discard(place.ana, message.id))).toEqual(
      refusal("ERR_NO_MESSAGE_FOUND", 404),
    );
  });

  test.each(["ERR_MESSAGE_UNCONFIRMED", "ERR_SENDING_WAPP_MSG"])(
    "that may have been sent (%s) is sent again when a person confirms it, and not discarded",
    async (code) => {
      const place = await office();
      const { ticket, message } = await failed(place, { state: "unconfirmed", code });
      expect(answer(await discard(place.ana, message.id))).toEqual(
        refusal("ERR_MESSAGE_NOT_FAILED", 400),
      );
      expect(answer(await retry(place.ana, message.id))).toEqual(
        refusal("ERR_MESSAGE_UNCONFIRMED", 409),
      );
      expect(await outboundOf(ticket)).toMatchObject([{ state: "unconfirmed" }]);
      const confirmed = await app
        .as(place.ana)
        .post<Message>(`/messages/retry/${message.id}`, { confirmed: true });
      expect(confirmed.status).toBe(200);
      expect(confirmed.body).toMatchObject({ isUnconfirmed: false, failedCode: null });
      expect(await outboundOf(ticket)).toMatchObject([{ state: "queued" }]);
    },
  );

  test("is refused to users who cannot see the ticket, and for messages that did not fail", async () => {
    const place = await office();
    const { message, earlier, ticket } = await failed(place);
    const other = await office();
    const waiting = await send(place.ana, ticket, "espera");
    for (const act of [retry, discard]) {
      expect(answer(await act(place.caio, message.id))).toEqual(
        refusal("ERR_TICKET_FORBIDDEN", 403),
      );
      expect(answer(await act(other.admin, message.id))).toEqual(
        refusal("ERR_NO_MESSAGE_FOUND", 404),
      );
      expect(answer(await act(place.ana, earlier))).toEqual(refusal("ERR_MESSAGE_NOT_FAILED", 400));
      expect(answer(await act(place.ana, waiting.id))).toEqual(
        refusal("ERR_MESSAGE_NOT_FAILED", 400),
      );
      expect((await act(place.ana, "not-an-id")).status).toBe(404);
    }
  });
});

const undo = (user: GivenUser, id: string) => app.as(user).delete(`/messages/undo/${id}`);

async function sendLater(user: GivenUser, ticket: GivenTicket, undoSeconds = 5): Promise<Message> {
  const reply = await post(user, ticket, { body: "ops", undoSeconds });
  expect(reply.status).toBe(200);
  return reply.body;
}

describe("taking a message back", () => {
  test("waits for the sender's time, and says until when", async () => {
    const place = await office();
    const ticket = await openTicketOf(place);
    const message = await sendLater(place.ana, ticket);
    const untilMs = Date.parse(message.undoUntil ?? "");
    expect(untilMs - Date.parse(message.createdAt)).toBe(5_000);
    const [row] = await app.database.db.acrossCompanies((tx) =>
      tx.query<{ dueAt: Date }>(
        sql`select due_at as "dueAt" from outbound where message_id = ${message.id}`,
      ),
    );
    expect(row?.dueAt).toEqual(new Date(untilMs));
    expect((await read(place.ana, ticket)).messages).toMatchObject([
      { undoUntil: message.undoUntil },
    ]);
    expect((await post(place.ana, ticket, { body: "já" })).body.undoUntil).toBeNull();
    const tooLong = await post(place.ana, ticket, { body: "x", undoSeconds: 11 });
    expect(tooLong.status).toBe(400);
  });

  test("removes every trace of it", async () => {
    const place = await office();
    const ticket = await openTicketOf(place);
    await app.given.message(ticket, { body: "antes", at: new Date(Date.now() - 60_000) });
    const message = await sendLater(place.ana, ticket);
    const live = await app.live(place.ana);
    expect((await undo(place.ana, message.id)).status).toBe(200);
    expect(bodies(await read(place.ana, ticket))).toEqual(["antes"]);
    expect(await outboundOf(ticket)).toEqual([]);
    expect(await show(place.ana, ticket)).toMatchObject({
      lastMessage: "antes",
      lastMessageFromMe: false,
    });
    expect(await live.next(`company-${place.company.id}-appMessage`)).toMatchObject({
      action: "delete",
      message: { id: message.id },
    });
    expect(await live.next(`company-${place.company.id}-ticket`)).toMatchObject({
      ticket: { lastMessage: "antes" },
    });
    expect(answer(await undo(place.ana, message.id))).toEqual(refusal("ERR_NO_MESSAGE_FOUND", 404));
  });

  test("when it is the only message, leaves an empty card", async () => {
    const place = await office();
    const ticket = await openTicketOf(place);
    const message = await sendLater(place.ana, ticket);
    await undo(place.ana, message.id);
    expect(await show(place.ana, ticket)).toMatchObject({ lastMessage: "", lastMessageAt: null });
  });

  test("against its sending: exactly one of them succeeds", async () => {
    const place = await office();
    const ticket = await openTicketOf(place);
    const outcomes = new Set<string>();
    for (let n = 0; n < 12; n += 1) {
      const message = await sendLater(place.ana, ticket);
      const claim = app.database.db.acrossCompanies((tx) =>
        tx.query(sql`
          update outbound set state = 'sending', attempted_at = now()
          where message_id = ${message.id} and state = 'queued' returning id`),
      );
      const [reply, claimed] = await Promise.all([undo(place.ana, message.id), claim]);
      const isGone = reply.status === 200;
      expect(claimed).toHaveLength(isGone ? 0 : 1);
      if (!isGone) expect(answer(reply)).toEqual(refusal("ERR_MESSAGE_SENT", 400));
      outcomes.add(String(isGone));
    }
    expect(outcomes.size).toBeGreaterThan(0);
  });

  test("is too late once it has left, and never for a customer's message", async () => {
    const place = await office();
    const ticket = await openTicketOf(place);
    const theirs = await app.given.message(ticket);
    const message = await sendLater(place.ana, ticket);
    await app.database.db.acrossCompanies((tx) =>
      tx.query(
        sql`update outbound set state = 'sent', attempted_at = now() where message_id = ${message.id}`,
      ),
    );
    for (const id of [message.id, theirs]) {
      expect(answer(await undo(place.ana, id))).toEqual(refusal("ERR_MESSAGE_SENT", 400));
    }
  });

  test("is refused to users who cannot see the ticket", async () => {
    const [place, other] = [await office(), await office()];
    const ticket = await openTicketOf(place);
    const message = await sendLater(place.ana, ticket);
    expect(answer(await undo(place.caio, message.id))).toEqual(
      refusal("ERR_TICKET_FORBIDDEN", 403),
    );
    expect(answer(await undo(other.admin, message.id))).toEqual(
      refusal("ERR_NO_MESSAGE_FOUND", 404),
    );
    expect((await undo(place.admin, message.id)).status).toBe(200);
  });
});
