import type { Message } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import type { TestApp } from "../../../testing/app.ts";
import type { GivenUser } from "../../../testing/given.ts";
import type { MessageApp, Office } from "../testing/office.ts";
import { answer, bodies, messageApp, refusal } from "../testing/office.ts";

let app: TestApp;
let office: MessageApp["office"];
let openTicketOf: MessageApp["openTicketOf"];
let send: MessageApp["send"];
let read: MessageApp["read"];
let show: MessageApp["show"];
let outboundOf: MessageApp["outboundOf"];
beforeAll(async () => {
  ({ app, office, openTicketOf, send, read, show, outboundOf } = await messageApp());
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

  test("is nobody's who cannot see the ticket; what did not fail is neither", async () => {
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
      expect((await act(place.ana, "not-an-id")).status).toBe(400);
    }
  });
});
