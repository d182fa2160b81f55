import sharp from "sharp";
import type { Message } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";
import type { Reply, TestApp } from "../../testing/app.ts";
import type { GivenTicket, GivenUser } from "../../testing/given.ts";
import type { MessageApp, Office } from "./testing/office.ts";
import { answer, bodies, messageApp, refusal } from "./testing/office.ts";

let app: TestApp;
let office: MessageApp["office"];
let openTicketOf: MessageApp["openTicketOf"];
let outboundOf: MessageApp["outboundOf"];
let read: MessageApp["read"];
let show: MessageApp["show"];
let picture: Blob;
beforeAll(async () => {
  ({ app, office, openTicketOf, outboundOf, read, show } = await messageApp());
  const pixels = { create: { width: 40, height: 30, channels: 3, background: "#2f8f6b" } } as const;
  picture = new Blob([await sharp(pixels).png().toBuffer()], { type: "image/png" });
});

const pdf = new Blob(["%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n"], {
  type: "application/pdf",
});
const text = new Blob(["nome;valor\nAna;10\n"], { type: "text/csv" });
const program = new Blob([new Uint8Array([0x4d, 0x5a, 0x90, 0, 3, 0, 0, 0, 4, 0, 0, 0])], {
  type: "image/png",
});

/** `last`: text fields behind the files. */
type Parts = {
  fields?: [string, string][];
  files: [Blob, string][];
  last?: [string, string][];
};

async function upload(
  user: GivenUser,
  { id }: { id: number },
  { fields = [], files, last = [] }: Parts,
): Promise<Reply<Message>> {
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  for (const [file, name] of files) form.append("medias", file, name);
  for (const [name, value] of last) form.append(name, value);
  const reply = await fetch(`${app.url}/api/messages/${id}`, {
    method: "POST",
    headers: { authorization: `Bearer ${user.token}` },
    body: form,
  });
  return { status: reply.status, body: (await reply.json()) as Message, headers: reply.headers };
}

async function fileCount({ company }: Office): Promise<number> {
  const [row] = await app.database.db.acrossCompanies((tx) =>
    tx.query<{ n: number }>(
      sql`select count(*)::int as n from files where company_id = ${company.id}`,
    ),
  );
  return row?.n ?? 0;
}

describe("files", () => {
  test("are one message each, in their order, with their captions; the reply is the last", async () => {
    const place = await office();
    const ticket = await openTicketOf(place);
    const quoted = await app.given.message(ticket, { body: "manda foto?", read: true });
    const reply = await upload(place.ana, ticket, {
      fields: [
        ["fromMe", "true"],
        ["body", "para {{name}}"],
        ["body", "nota.pdf"],
        ["body", ""],
        ["quotedMsgId", quoted],
      ],
      files: [
        [picture, "vestido.png"],
        [pdf, "nota.pdf"],
        [text, "lista.csv"],
      ],
    });
    expect(reply.status).toBe(200);
    const { messages } = await read(place.ana, ticket);
    const name = (await show(place.ana, ticket)).contact.name;
    expect(messages.slice(1)).toMatchObject([
      {
        body: `para ${name}`,
        mediaType: "image",
        user: { id: place.ana.id },
        quotedMsg: { id: quoted },
        media: { kind: "image", state: "ready", name: "vestido.png", width: 40, height: 30 },
      },
      { body: "nota.pdf", mediaType: "application", media: { kind: "document" }, quotedMsg: null },
      { body: "lista.csv", mediaType: "text", media: { kind: "document", name: "lista.csv" } },
    ]);
    expect(messages.at(-1)).toEqual(reply.body);
    expect(messages[1]?.mediaUrl).toBe(messages[1]?.media?.url);
    expect(await show(place.ana, ticket)).toMatchObject({
      lastMessage: "lista.csv",
      lastMessageKind: "document",
      lastMessageFromMe: true,
    });
    const outbound = await outboundOf(ticket);
    expect(outbound.map((row) => JSON.parse(row.body))).toMatchObject([
      { kind: "media", media: "image", caption: `para ${name}`, file: { name: "vestido.png" } },
      { kind: "media", media: "document", file: { mime: "application/pdf" } },
      { kind: "media", media: "document", file: { name: "lista.csv" } },
    ]);
    expect(JSON.parse(outbound[1]?.body ?? "{}")).not.toHaveProperty("caption");
  });

  test("precede their texts where a client sends them so: those count all the same", async () => {
    const place = await office();
    const ticket = await openTicketOf(place);
    const parts: Parts = {
      fields: [["fromMe", "true"]],
      files: [
        [picture, "a.png"],
        [text, "b.csv"],
      ],
      last: [
        ["body", "primeira"],
        ["fromMe", "true"],
        ["body", "b.csv"],
        ["clientId", "0193b0a0-0000-7000-8000-00000000dd01"],
        ["clientId", "0193b0a0-0000-7000-8000-00000000dd02"],
      ],
    };
    const first = await upload(place.ana, ticket, parts);
    expect(first.status).toBe(200);
    // A repetition is found although its ids come last; its files are not kept.
    expect(answer(await upload(place.ana, ticket, parts))).toEqual([200, first.body]);
    expect(bodies(await read(place.ana, ticket))).toEqual(["primeira", "b.csv"]);
    const other = await office();
    await upload(other.ana, await openTicketOf(other), { files: parts.files });
    expect(await fileCount(place)).toBe(await fileCount(other));
  });

  test("with one caption all have it", async () => {
    const place = await office();
    const ticket = await openTicketOf(place);
    await upload(place.ana, ticket, {
      fields: [["body", "as duas"]],
      files: [
        [picture, "a.png"],
        [picture, "b.png"],
      ],
    });
    expect(bodies(await read(place.ana, ticket))).toEqual(["as duas", "as duas"]);
  });

  test("sent again, also at once, are the same messages and the same files", async () => {
    const place = await office();
    const ticket = await openTicketOf(place);
    const ids = ["0193b0a0-0000-7000-8000-00000000aa01", "0193b0a0-0000-7000-8000-00000000aa02"];
    const parts: Parts = {
      fields: ids.map((id) => ["clientId", id]),
      files: [
        [picture, "a.png"],
        [pdf, "b.pdf"],
      ],
    };
    const first = await Promise.all([1, 2, 3].map(() => upload(place.ana, ticket, parts)));
    const last = await upload(place.ana, ticket, parts);
    for (const reply of [...first, last]) expect(answer(reply)).toEqual([200, last.body]);
    expect(last.body).toMatchObject({ clientId: ids[1], body: "b.pdf" });
    expect(bodies(await read(place.ana, ticket))).toEqual(["a.png", "b.pdf"]);
    expect(await outboundOf(ticket)).toHaveLength(2);
    // Two files and the picture's thumbnail, if it has one: as after a single request.
    const other = await office();
    await upload(other.ana, await openTicketOf(other), { files: parts.files });
    expect(await fileCount(place)).toBe(await fileCount(other));
  });

  test("all or none: a refused one leaves no message and no file", async () => {
    const place = await office();
    const ticket = await openTicketOf(place);
    const reply = await upload(place.ana, ticket, {
      files: [
        [picture, "a.png"],
        [program, "b.png"],
      ],
    });
    expect(reply.status).toBe(415);
    expect(await read(place.ana, ticket)).toMatchObject({ count: 0 });
    expect(await outboundOf(ticket)).toEqual([]);
    expect(await fileCount(place)).toBe(0);
  });

  test.each([
    ["no file", { files: [] }, "ERR_FILE_MISSING", 400],
    [
      "a quote of nothing",
      {
        fields: [["quotedMsgId", "00000000-0000-7000-8000-000000000000"]],
        files: [[text, "a.csv"]],
      },
      "ERR_FETCH_WAPP_MSG",
      400,
    ],
    [
      "one client id twice",
      {
        fields: [
          ["clientId", "0193b0a0-0000-7000-8000-00000000bb01"],
          ["clientId", "0193b0a0-0000-7000-8000-00000000bb01"],
        ],
        files: [
          [text, "a.csv"],
          [text, "b.csv"],
        ],
      },
      "ERR_INVALID_REQUEST",
      400,
    ],
  ] satisfies [string, Parts, string, number][])("%s is refused", async (...row) => {
    const [, parts, code, status] = row;
    const place = await office();
    const ticket = await openTicketOf(place);
    expect(answer(await upload(place.ana, ticket, parts))).toEqual(refusal(code, status));
    expect([await fileCount(place), (await outboundOf(ticket)).length]).toEqual([0, 0]);
  });

  test("are refused before they are stored where the sender may not send", async () => {
    const [place, other] = [await office(), await office()];
    const ticket = await openTicketOf(place);
    const files: Parts["files"] = [[picture, "a.png"]];
    expect(answer(await upload(place.caio, ticket, { files }))).toEqual(
      refusal("ERR_TICKET_FORBIDDEN", 403),
    );
    expect(answer(await upload(other.admin, ticket, { files }))).toEqual(
      refusal("ERR_NO_TICKET_FOUND", 404),
    );
    const closed = await app.given.ticket({
      ...{ company: place.company, status: "closed" },
      servedBy: { userId: place.ana.id, queueId: place.sales },
    });
    expect(answer(await upload(place.ana, closed, { files }))).toEqual(
      refusal("ERR_TICKET_CLOSED", 400),
    );
    expect([await fileCount(place), await fileCount(other)]).toEqual([0, 0]);
  });

  test("that did not go out go out again as the same file", async () => {
    const place = await office();
    const ticket: GivenTicket = await openTicketOf(place);
    const { body } = await upload(place.ana, ticket, { files: [[picture, "a.png"]] });
    const [before] = await outboundOf(ticket);
    await app.database.db.acrossCompanies(async (tx) => {
      await tx.query(sql`update outbound set state = 'failed' where message_id = ${body.id}`);
      await tx.query(
        sql`update messages set failed_code = 'ERR_SENDING_WAPP_MSG' where id = ${body.id}`,
      );
    });
    const reply = await app.as(place.ana).post<Message>(`/messages/retry/${body.id}`);
    expect(reply.body).toMatchObject({ id: body.id, failedCode: null, media: { state: "ready" } });
    expect(await outboundOf(ticket)).toEqual([before]);
  });
});
