import type { Message } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import type { TestApp } from "../../../testing/app.ts";
import type { GivenTicket, GivenUser } from "../../../testing/given.ts";
import type { MessageApp } from "../testing/office.ts";
import { answer, bodies, messageApp, refusal } from "../testing/office.ts";

let app: TestApp;
let office: MessageApp["office"];
let openTicketOf: MessageApp["openTicketOf"];
let outboundOf: MessageApp["outboundOf"];
let post: MessageApp["post"];
let read: MessageApp["read"];
let show: MessageApp["show"];
beforeAll(async () => {
  ({ app, office, openTicketOf, outboundOf, post, read, show } = await messageApp());
});

const undo = (user: GivenUser, id: string) => app.as(user).delete(`/messages/undo/${id}`);

async function sendLater(user: GivenUser, ticket: GivenTicket, undoSeconds = 5): Promise<Message> {
  const reply = await post(user, ticket, { body: "ops", undoSeconds });
  expect(reply.status).toBe(200);
  return reply.body;
}

describe("taking a message back", () => {
  test("it waits as long as its sender wants, and says until when", async () => {
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

  test("makes it as if it had never been written", async () => {
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

  test("of the only message leaves an empty card", async () => {
    const place = await office();
    const ticket = await openTicketOf(place);
    const message = await sendLater(place.ana, ticket);
    await undo(place.ana, message.id);
    expect(await show(place.ana, ticket)).toMatchObject({ lastMessage: "", lastMessageAt: null });
  });

  test("races its own sending: exactly one of them happens", async () => {
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

  test("is nobody's who cannot see the ticket", async () => {
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
