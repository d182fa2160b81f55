import sharp from "sharp";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import type { ReplyOf } from "@balcao/contract";
import type { TestApp } from "../../testing/app.ts";
import type { GivenTicket, GivenUser } from "../../testing/given.ts";
import type { MessageApp } from "./testing/office.ts";
import { answer, bodies, messageApp, refusal } from "./testing/office.ts";

let app: TestApp;
let office: MessageApp["office"];
let ticketOf: MessageApp["ticketOf"];
let openTicketOf: MessageApp["openTicketOf"];
let outboundOf: MessageApp["outboundOf"];
let read: MessageApp["read"];
let picture: Blob;
beforeAll(async () => {
  ({ app, office, ticketOf, openTicketOf, outboundOf, read } = await messageApp());
  const pixels = { create: { width: 40, height: 30, channels: 3, background: "#2f8f6b" } } as const;
  picture = new Blob([await sharp(pixels).png().toBuffer()], { type: "image/png" });
});

type Forwarded = ReplyOf<"POST /message/forward">;
const forward = (user: GivenUser, body: object) =>
  app.as(user).post<Forwarded>("/message/forward", body);

async function sendPicture(user: GivenUser, { id }: GivenTicket): Promise<void> {
  const form = new FormData();
  form.append("body", "*Ana:*\nolha");
  form.append("medias", picture, "vestido.png");
  const headers = { authorization: `Bearer ${user.token}` };
  const url = `${app.url}/api/messages/${id}`;
  expect((await fetch(url, { method: "POST", headers, body: form })).status).toBe(200);
}

test("several messages go in the order of their conversation, marked and unsigned, without storing a file again", async () => {
  const place = await office();
  const [from, to] = [await openTicketOf(place), await openTicketOf(place)];
  const asked = await app.given.message(from, { body: "Chega *amanhã*, {{name}}?", read: true });
  await sendPicture(place.ana, from);
  const files = async () =>
    app.database.db.acrossCompanies((tx) =>
      tx.query(sql`select key from files where company_id = ${place.company.id} order by key`),
    );
  const before = await files();
  const [, shown] = (await read(place.ana, from)).messages;
  const clientIds = [
    "0193b0a0-0000-7000-8000-00000000ee01",
    "0193b0a0-0000-7000-8000-00000000ee02",
  ];
  const wish = { messageIds: [shown?.id, asked], clientIds, contactId: to.contactId };
  const first = await forward(place.ana, wish);
  expect(answer(first)).toEqual([200, { ticketId: to.id, ticketUuid: to.uuid }]);
  // The same request again is the same messages.
  expect(answer(await forward(place.ana, wish))).toEqual(answer(first));

  const { messages } = await read(place.ana, to);
  expect(messages).toMatchObject([
    { body: "Chega *amanhã*, {{name}}?", isForwarded: true, fromMe: true, quotedMsg: null },
    { body: "olha", isForwarded: true, media: { name: "vestido.png", state: "ready", width: 40 } },
  ]);
  expect(messages.map(({ clientId }) => clientId)).toEqual(clientIds.toReversed());
  expect((await outboundOf(to)).map((row) => JSON.parse(row.body))).toMatchObject([
    { kind: "text", text: "Chega *amanhã*, {{name}}?", isForwarded: true },
    { kind: "media", media: "image", caption: "olha", isForwarded: true },
  ]);
  expect(await files()).toEqual(before);
});

test("the request of existing clients opens a ticket with the contact for the caller, in the queue of the message", async () => {
  const place = await office();
  const from = await openTicketOf(place);
  const messageId = await app.given.message(from, { body: "Endereço: Rua A, 1" });
  const to = await ticketOf(place, {
    status: "closed",
    servedBy: { userId: place.caio.id, queueId: place.support },
  });
  await app.database.db.acrossCompanies((tx) =>
    tx.query(sql`update connections set status = 'CONNECTED' where id = ${place.connectionId}`),
  );
  const reply = await forward(place.ana, {
    ...{ messageId, contactId: String(to.contactId), signMessage: true, quotedMsg: null },
  });
  expect(reply.status).toBe(200);
  const { messages, ticket } = await read(place.ana, to);
  expect(messages.at(-1)?.body).toBe(`*${place.ana.name}:*\nEndereço: Rua A, 1`);
  expect(ticket).toMatchObject({ status: "open", userId: place.ana.id, queueId: place.sales });
});

test("a place is forwarded in words; what is deleted, unread or of others is refused, and nothing of the rest is sent", async () => {
  const place = await office();
  const [from, to] = [await openTicketOf(place), await openTicketOf(place)];
  const plain = await app.given.message(from, { body: "Bom dia" });
  const map = await app.given.message(from, { body: "|https://maps|" });
  const gone = await app.given.message(from, { body: "apagada" });
  const call = await app.given.message(from, { body: "Chamada" });
  const details = { kind: "location", latitude: -23.5, longitude: -46.6, isLive: false };
  await app.database.db.acrossCompanies(async (tx) => {
    await tx.query(sql`update messages set is_deleted = true where id = ${gone}`);
    await tx.query(sql`
      update messages set details = '{"kind":"call","isVideo":false}' where id = ${call}`);
    const place = JSON.stringify({ ...details, name: "Loja", address: "Rua A" });
    await tx.query(sql`update messages set details = ${place} where id = ${map}`);
  });
  const { contactId } = to;
  for (const messageId of [gone, call]) {
    expect(answer(await forward(place.ana, { messageIds: [plain, messageId], contactId }))).toEqual(
      refusal("ERR_MESSAGE_NOT_FORWARDABLE", 400),
    );
  }
  // Caio sees neither ticket.
  expect(answer(await forward(place.caio, { messageIds: [plain], contactId }))).toEqual(
    refusal("ERR_TICKET_FORBIDDEN", 403),
  );
  const own = await ticketOf(place, {
    ...{ status: "open", userId: place.caio.id, queueId: place.support },
  });
  const ofCaio = await app.given.message(own, { body: "de Caio" });
  expect(answer(await forward(place.caio, { messageIds: [ofCaio], contactId }))).toEqual(
    refusal("ERR_TICKET_FORBIDDEN", 403),
  );
  expect(answer(await forward(place.ana, { contactId }))).toEqual(
    refusal("ERR_INVALID_REQUEST", 400),
  );
  expect(await outboundOf(to)).toEqual([]);
  await forward(place.ana, { messageIds: [map], contactId });
  expect(bodies(await read(place.ana, to))).toEqual([
    "Loja\nRua A\nhttps://maps.google.com/maps?q=-23.5%2C-46.6&z=17",
  ]);
});
