import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { createMediaFeature } from "../../features/media/index.ts";
import { createLogger } from "../../platform/logging/logger.ts";
import { createFfmpeg } from "../../platform/media/ffmpeg.ts";
import { openMediaFolder } from "../../platform/media/media-store.ts";
import { systemSources } from "../../platform/sources.ts";
import { testApp } from "../../testing/app.ts";
import { atEndOfFile } from "../../testing/end-of-file.ts";
import { picture } from "../../testing/media-samples.ts";
import type { Chat } from "./chat-export.ts";
import { LINES_MAX, readChat } from "./chat-export.ts";
import { importChat } from "./import-chat.ts";

const read = (text: string, wish: { me?: string; name?: string } = {}): Chat =>
  readChat(text, {
    ...{ me: wish.me ?? "Loja", name: wish.name, timeZone: "America/Sao_Paulo" },
    now: new Date("2026-01-01T00:00:00Z"),
  });
const shown = ({ messages }: Chat) =>
  messages.map(({ fromMe, at, body }) => [at.toISOString(), fromMe ? "me" : "contact", body]);

test.each([
  ["Android, 24 hours", "31/12/2023 21:05 - Ana: oi\n31/12/2023 21:05 - Loja: olá", "00"],
  ["Android, 12 hours", "12/31/23, 9:05\u202fPM - Ana: oi\n12/31/23, 9:05 pm - Loja: olá", "00"],
  ["Spanish", "31/12/23, 9:05\u00a0p.\u00a0m. - Ana: oi\n31/12/23, 21:05 - Loja: olá", "00"],
  ["iOS", "\u200e[31/12/2023, 21:05:33] Ana: oi\r\n[31/12/23 21:05:33] \u200eLoja: olá", "33"],
  ["iOS, 12 hours", "[12/31/23, 9:05:33\u202fPM] Ana: oi\n[12/31/23, 9:05:33 PM] Loja: olá", "33"],
  ["year first", "[2023-12-31, 21:05:33] Ana: oi\n[2023-12-31, 21:05:33] Loja: olá", "33"],
  ["dots", "31.12.23, 21:05 - Ana: oi\n31.12.23, 21:05 - Loja: olá", "00"],
])("a chat is read: %s", (_, text, seconds) => {
  const at = `2024-01-01T00:05:${seconds}.000Z`;
  expect(shown(read(text))).toEqual([
    [at, "contact", "oi"],
    [at, "me", "olá"],
  ]);
});

test.each([
  ["13/02/23", "02/03/23", true, "a value"],
  ["02/13/23", "03/02/23", false, "a value"],
  ["05/01/23", "04/02/23", true, "the order"],
  ["01/05/23", "02/04/23", false, "the order"],
  ["01/02/23", "02/03/23", true, "the language"],
])("the order of %s and %s is found out", (first, second, isDayFirst, because) => {
  const { order } = read(`${first} 10:00 - Ana: oi\n${second} 10:00 - Loja: olá`);
  expect(order).toEqual({ isDayFirst, because });
});

test.each([
  ["foto.jpg (arquivo anexado)\nVeja", "image", "foto.jpg", "Veja"],
  ["PTT-20231231-WA0001.opus (file attached)", "voice", "PTT-20231231-WA0001.opus", ""],
  ["\u200eSTK-1.webp (archivo adjunto)", "sticker", "STK-1.webp", ""],
  ["\u200e<anexado: 00000012-PHOTO-2023.jpg>", "image", "00000012-PHOTO-2023.jpg", ""],
  [
    "nota.pdf • 2 páginas \u200e<attached: 1-nota.pdf>",
    "document",
    "1-nota.pdf",
    "nota.pdf • 2 páginas",
  ],
  ["<Mídia oculta>", "document", null, ""],
  ["<Media omitted>\nVeja", "document", null, "Veja"],
  ["<Multimedia omitido>", "document", null, ""],
  ["\u200evídeo omitido", "video", null, ""],
  ["nota.pdf \u200edocument omitted", "document", null, "nota.pdf"],
])("a file is seen in %j", (text, kind, name, body) => {
  const [message] = read(`31/12/2023 21:05 - Loja: ${text}\n31/12/2023 21:06 - Ana: oi`).messages;
  expect(message).toMatchObject({ file: { kind, name }, body });
});

test("lines of the app, deleted and edited messages, and texts of several lines", () => {
  const chat = read(
    [
      "31/12/2023 21:00 - As mensagens são protegidas com a criptografia de ponta a ponta.",
      "[31/12/2023, 21:01:00] Ana: \u200eAs mensagens são protegidas com a criptografia de ponta a ponta.",
      ...["31/12/2023 21:05 - Ana: um", "", "dois: 10:30 - três", "99/99/2023 10:00 - Ana: quatro"],
      ...[
        "31/12/2023 21:05 - Ana: Mensagem apagada",
        "31/12/2023 21:05 - Loja: Você apagou esta mensagem",
      ],
      ...["31/12/2023 21:06 - Loja: preço <Mensagem editada>", "31/12/2023 21:06 - Loja: "],
      ...[
        "31/12/2023 21:07 - Ana: nulo\u0000 e meio \ud83d",
        "31/12/2023 21:07 - Ana: imagem omitida",
      ],
    ].join("\n"),
  );
  expect(chat.left).toEqual({ system: 2, empty: 1 });
  expect(chat.messages.map(({ body, isDeleted, isEdited }) => [body, isDeleted, isEdited])).toEqual(
    [
      ["um\n\ndois: 10:30 - três\n99/99/2023 10:00 - Ana: quatro", false, false],
      ["", true, false],
      ["", true, false],
      ["preço", false, true],
      ["nulo e meio \ufffd", false, false],
      ["imagem omitida", false, false],
    ],
  );
});

test("names have colons if they are known; groups, other names and other files are refused", () => {
  const text = "31/12/2023 21:05 - Loja: Centro: oi: eu\n31/12/2023 21:05 - Ana: mãe: olá";
  expect(shown(read(text, { me: "Loja: Centro", name: "Ana: mãe" })).map((row) => row[2])).toEqual([
    "oi: eu",
    "olá",
  ]);
  const group = `${text}\n31/12/2023 21:05 - Beto: eu também`;
  expect(() => read(group)).toThrow('3 authors, as a group has: "Loja", "Ana", "Beto"');
  expect(() => read(text, { me: "Padaria" })).toThrow('--me is one of: "Loja", "Ana"');
  expect(() => read("nome;numero\nAna;11987654321")).toThrow("no chat that the phone app");
  expect(() => read("\n".repeat(LINES_MAX))).toThrow("more than 100000 lines");
  const alone = "31/12/2023 21:05 - Ana: oi";
  expect(() => read(alone)).toThrow("Nobody in the chat");
  expect(read(alone, { name: "Ana" }).messages).toHaveLength(1);
});

test("hostile lines are read in the time of their length", () => {
  const long = [
    "<anexado: ".repeat(50_000),
    " ".repeat(500_000),
    "a.".repeat(200_000),
    ":".repeat(500_000),
  ];
  const began = performance.now();
  for (const text of long) read(`31/12/2023 21:05 - Loja: ${text}x`);
  expect(performance.now() - began).toBeLessThan(2_000);
});

/** A zip of files that are not compressed. */
function zipOf(parts: Record<string, Buffer>): Buffer {
  const [local, central]: Buffer[][] = [[], []];
  let offset = 0;
  for (const [name, data] of Object.entries(parts)) {
    const path = Buffer.from(name);
    const facts = Buffer.alloc(18);
    facts.writeUInt32LE(crc32(data), 4);
    facts.writeUInt32LE(data.length, 8);
    facts.writeUInt32LE(data.length, 12);
    facts.writeUInt16LE(path.length, 16);
    const head = Buffer.concat([
      Buffer.from("PK\u0003\u0004\u0014\u0000\u0000\u0008\u0000\u0000", "latin1"),
      facts,
      Buffer.alloc(2),
    ]);
    const entry = Buffer.alloc(16);
    entry.writeUInt32LE(offset, 12);
    local?.push(head, path, data);
    central?.push(
      Buffer.from("PK\u0001\u0002\u0014\u0000\u0014\u0000\u0000\u0008\u0000\u0000", "latin1"),
      facts,
      entry,
      path,
    );
    offset += head.length + path.length + data.length;
  }
  const directory = Buffer.concat(central ?? []);
  const end = Buffer.alloc(22);
  end.write("PK\u0005\u0006", "latin1");
  for (const at of [8, 10]) end.writeUInt16LE(Object.keys(parts).length, at);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...(local ?? []), directory, end]);
}

test("a chat becomes one resolved ticket; again adds nothing, a longer export the rest, and a zip its files", async () => {
  const { database, dataDir, given, as } = await testApp({ environment: { ROLES: "http" } });
  const { db } = database;
  const store = await openMediaFolder(join(dataDir, "media"));
  const files = createMediaFeature({
    ...{ db, store, clock: systemSources.clock, ids: systemSources.ids, publicUrl: undefined },
    ...{ log: createLogger({ level: "silent", pretty: false }), ffmpeg: createFfmpeg(undefined) },
    secret: database.secrets.accessToken,
  });
  const folder = await mkdtemp(join(tmpdir(), "chat-"));
  atEndOfFile(() => rm(folder, { recursive: true, force: true }));
  const company = await given.company();
  const admin = await given.admin({ company });
  const bring = async (content: string | Buffer, isDryRun = false) => {
    const from = join(folder, "chat");
    await writeFile(from, content);
    return importChat(
      { db, files, sources: systemSources },
      { companyId: company.id, contact: "(11) 8765-4321", me: "Loja", from, isDryRun },
    );
  };
  const short = [
    ...["31/12/2023 21:05 - Ana: oi", "31/12/2023 21:05 - Ana: oi", "31/12/2023 21:05 - Loja: olá"],
    "31/12/2023 21:06 - Ana: <Mídia oculta>",
  ].join("\n");

  const dry = await bring(short, true);
  expect([dry.ticketId, dry.isNewContact, dry.messages.added]).toEqual([null, true, 4]);
  const first = await bring(short);
  expect([first.isNewContact, first.messages.added, first.files.unnamed]).toEqual([true, 4, 1]);
  const again = await bring(short);
  expect([again.ticketId, again.messages]).toMatchObject([first.ticketId, { added: 0, known: 4 }]);

  const longer = [
    short.replace("<Mídia oculta>", "foto.png (arquivo anexado)"),
    ...["31/12/2023 21:06 - Loja: linda", "02/01/2024 08:00 - Ana: some.jpg (arquivo anexado)"],
  ].join("\n");
  const zip = zipOf({
    "../foto.png": await picture("png"),
    "Conversa do WhatsApp com Ana.txt": Buffer.from(longer),
  });
  await expect(bring(zip)).rejects.toThrow("damaged");
  const good = zipOf({
    "foto.png": await picture("png"),
    "Conversa do WhatsApp com Ana.txt": Buffer.from(longer),
  });
  const second = await bring(good);
  expect([second.ticketId, second.isNewContact, second.messages.added]).toEqual([
    first.ticketId,
    false,
    2,
  ]);
  expect(second.files).toEqual({ named: 2, stored: 1, missing: ["some.jpg"], unnamed: 0 });

  const { body } = await as(admin).get<{
    messages: { body: string; fromMe: boolean; media: unknown }[];
  }>(`/messages/${second.ticketId}`);
  expect(body.messages.map((one) => `${one.fromMe ? "me" : "Ana"}: ${one.body}`)).toEqual([
    ...["Ana: oi", "Ana: oi", "me: olá", "Ana: foto.png", "me: linda", "Ana: some.jpg"],
  ]);
  const [state] = await db.acrossCompanies((tx) =>
    tx.query(sql`
      select t.status, t.unread_messages as unread, t.waiting_since as waiting, t.connection_id as connection, a.finished_at as finished,
        a.rated, c.name, c.number, (select count(*) from attendances where company_id = ${company.id}) as attendances,
        (select string_agg(state, ' ' order by created_at) from message_media where company_id = ${company.id}) as files,
        (select count(*) from outbound where company_id = ${company.id}) as outbound
      from tickets t join contacts c on c.id = t.contact_id join attendances a on a.id = t.last_attendance_id
      where t.company_id = ${company.id}`),
  );
  expect(state).toEqual({
    ...{
      status: "closed",
      unread: 0,
      waiting: null,
      connection: null,
      rated: false,
      attendances: 1,
    },
    ...{ finished: new Date("2024-01-02T11:00:00Z"), name: "Ana", number: "551187654321" },
    ...{ files: "ready unavailable", outbound: 0 },
  });
});
