import type { Message } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import type { TestApp } from "../../../testing/app.ts";
import type { GivenUser } from "../../../testing/given.ts";
import type { NetworkSide } from "../testing/network-side.ts";
import { networkSide } from "../testing/network-side.ts";
import type { MessageApp, Office } from "../testing/office.ts";
import { answer, bodies, messageApp, refusal } from "../testing/office.ts";

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

const remove = (user: GivenUser, id: string) => app.as(user).delete<Message>(`/messages/${id}`);

async function sent(place: Office) {
  const ticket = await openTicketOf(place);
  const message = await send(place.ana, ticket, "segredo");
  await network.hasSent(message.id);
  return { ticket, message };
}

describe("deleting for everyone", () => {
  test("hides the text at once, keeps it in the database, and is queued for the network", async () => {
    const place = await office();
    const { ticket, message } = await sent(place);
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

  test("a second time is nothing new", async () => {
    const place = await office();
    const { ticket, message } = await sent(place);
    await remove(place.ana, message.id);
    expect((await remove(place.ana, message.id)).body).toMatchObject({ isDeleted: true });
    expect(await outboundOf(ticket)).toHaveLength(2);
  });

  test.each(["queued", "failed"])("what never left (%s) is simply gone", async (state) => {
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

  test("is for the company's own messages, by who sees the ticket", async () => {
    const [place, other] = [await office(), await office()];
    const { ticket, message } = await sent(place);
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

  test("is taken back when the network refuses", async () => {
    const place = await office();
    const { ticket, message } = await sent(place);
    await remove(place.ana, message.id);
    await network.refuses(place, message.id);
    expect((await read(place.ana, ticket)).messages).toMatchObject([
      { body: "segredo", isDeleted: false, changeFailedCode: "ERR_DELETE_WAPP_MSG" },
    ]);
    expect(await show(place.ana, ticket)).toMatchObject({ lastMessage: "segredo" });
  });
});
