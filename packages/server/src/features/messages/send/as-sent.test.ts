import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import type { TestApp } from "../../../testing/app.ts";
import type { GivenTicket, GivenUser } from "../../../testing/given.ts";
import { film, pdf, picture, recorded, tone } from "../../../testing/media-samples.ts";
import type { MessageApp } from "../testing/office.ts";
import { messageApp } from "../testing/office.ts";

let app: TestApp;
let office: MessageApp["office"];
let ticketOf: MessageApp["ticketOf"];
let openTicketOf: MessageApp["openTicketOf"];
let outboundOf: MessageApp["outboundOf"];
let send: MessageApp["send"];
let show: MessageApp["show"];
beforeAll(async () => {
  ({ app, office, ticketOf, openTicketOf, outboundOf, send, show } = await messageApp());
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

  test("is not signed by the server, nor is its signature looked at", async () => {
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
