import { open } from "node:fs/promises";
import type { CompanyId, ContactId, MediaKind, MessageId, TicketId } from "@balcao/contract";
import { acks, limits } from "@balcao/contract";
import { sql } from "drizzle-orm";
import yauzl from "yauzl";
import { addressKey, readNumber } from "../../features/contacts/index.ts";
import type { MediaFiles, StoredFile } from "../../features/media/index.ts";
import { mediaBody, mediaTypeOf } from "../../features/messages/index.ts";
import {
  buildContact,
  insertAttendances,
  insertTickets,
  settleTickets,
} from "../../features/provisioning/index.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import { isUnavailable } from "../../platform/db/database.ts";
import { messageMedia, messages } from "../../platform/db/schema/index.ts";
import type { Sources } from "../../platform/sources.ts";
import { decode } from "../../platform/spreadsheets/reading/kinds.ts";
import { ImportRefused, messageUuid, textOf } from "../whaticket/values.ts";
import type { Chat, ChatMessage } from "./chat-export.ts";
import { readChat } from "./chat-export.ts";

export type ChatImportDeps = {
  db: Database;
  files: Pick<MediaFiles, "storeCustomerFile" | "removeUnused">;
  sources: Sources;
};

export type ChatImportWish = {
  companyId: CompanyId;
  /** The contact's number as people write it. */
  contact: string;
  /** The contact's name, in the file and for a new contact. */
  name?: string | undefined;
  me: string;
  from: string;
  /** That of the phone which wrote the file; by default the company's. */
  timeZone?: string | undefined;
  isDryRun: boolean;
};

export type ChatImportReport = Pick<Chat, "order" | "left"> & {
  /** Null in a dry run without an earlier import. */
  ticketId: TicketId | null;
  isNewContact: boolean;
  messages: { read: number; added: number; known: number; deleted: number; edited: number };
  files: { named: number; stored: number; missing: string[]; unnamed: number };
  from: Date;
  until: Date;
};

const [TEXT_MAX, ENTRIES_MAX] = [25 * 1024 * 1024, 20_000];
const PAGE = 1_000;
/** Stands for a file's name that the export left out. */
const UNNAMED = "arquivo";

/** A message with the id that every import of the chat gives it. */
type Placed = ChatMessage & { id: MessageId };
type Opened = { text: string; zip: yauzl.ZipFile | null; entries: Map<string, yauzl.Entry> };

/**
 * Brings the exported chat of one contact in as one resolved ticket: nothing is sent, and nobody waits for an answer. A repeated run adds only
 * what is missing, be it messages of a longer export or files. All messages are one transaction; then each file is one.
 */
export async function importChat(
  deps: ChatImportDeps,
  wish: ChatImportWish,
): Promise<ChatImportReport> {
  const { companyId, isDryRun } = wish;
  const number = readNumber(wish.contact);
  const timeZone = await timeZoneOf(deps.db, wish);
  const opened = await openExport(wish.from);
  try {
    const { me, name } = wish;
    const chat = readChat(opened.text, { me, name, timeZone, now: deps.sources.clock.now() });
    const source = `chat ${companyId} ${addressKey({ kind: "pn", value: number })}`;
    const placed = chat.messages.map((message) => ({
      ...message,
      id: messageUuid(source, message.key, message.at) as MessageId, // ours, made of the chat's
    }));
    const written = await deps.db.transaction({ companyId }, (tx) =>
      writeChat(deps, tx, { ...wish, number, chat, placed }),
    );
    const files = await bringFiles(deps, { companyId, isDryRun }, placed, opened);
    const { ticketId } = written;
    if (!isDryRun && files.stored > 0 && ticketId !== null) {
      await deps.db.transaction({ companyId }, (tx) => settleTickets(tx, companyId, [ticketId]));
    }
    return {
      ...{ order: chat.order, left: chat.left, files },
      ...{ ticketId, isNewContact: written.isNewContact },
      messages: {
        ...{ read: placed.length, added: written.added, known: placed.length - written.added },
        deleted: placed.filter(({ isDeleted }) => isDeleted).length,
        edited: placed.filter(({ isEdited }) => isEdited).length,
      },
      ...spanOf(placed),
    };
  } finally {
    opened.zip?.close();
  }
}

function spanOf(placed: readonly Placed[]): { from: Date; until: Date } {
  const times = placed.map(({ at }) => at.getTime());
  const until = times.reduce((a, b) => Math.max(a, b));
  const from = times.reduce((a, b) => Math.min(a, b));
  return { from: new Date(from), until: new Date(until) };
}

async function timeZoneOf(
  db: Database,
  { companyId, timeZone }: Pick<ChatImportWish, "companyId" | "timeZone">,
): Promise<string> {
  const [company] = await db.transaction({ companyId }, (tx) =>
    tx.query<{ timeZone: string }>(
      sql`select time_zone as "timeZone" from companies where id = ${companyId}`,
    ),
  );
  if (!company) {
    throw new ImportRefused(
      "There is no company with this id. `npm run company -- list` shows them.",
    );
  }
  return timeZone ?? company.timeZone;
}

type Writing = ChatImportWish & { number: string; chat: Chat; placed: readonly Placed[] };

async function writeChat(deps: ChatImportDeps, tx: Tx, writing: Writing) {
  const { companyId, isDryRun, placed } = writing;
  const contact = await findContact(tx, writing);
  const known = new Map<string, TicketId>();
  for (const ids of pagesOf(placed.map(({ id }) => id))) {
    const rows = await tx.query<{ id: string; ticketId: TicketId }>(sql`
      select id, ticket_id as "ticketId" from messages
      where company_id = ${companyId} and id = any(${sql.param(ids)}::uuid[])`);
    for (const { id, ticketId } of rows) known.set(id, ticketId);
  }
  const news = placed.filter(({ id }) => !known.has(id));
  // A chat that was imported before goes on where its messages are now.
  const ticketBefore = known.values().next().value ?? null;
  const [added, isNewContact] = [news.length, contact === null];
  if (isDryRun || added === 0) return { ticketId: ticketBefore, isNewContact, added };
  const contactId =
    contact ??
    (await buildContact(tx, {
      ...{ companyId, number: writing.number },
      name: textOf(writing.name ?? writing.chat.contactName, 200).trim() || writing.number,
    }));
  const span = spanOf(placed);
  const ticketId = ticketBefore ?? (await addTicket(deps, tx, { companyId, contactId, ...span }));
  for (const page of pagesOf(news)) {
    await tx.orm
      .insert(messages)
      .values(page.map((message) => rowOf(message, { companyId, contactId, ticketId })));
    const media = page.flatMap((message) => mediaRowOf(companyId, message));
    if (media.length > 0) await tx.orm.insert(messageMedia).values(media);
  }
  if (ticketBefore !== null) await widen(tx, companyId, ticketId, span);
  await settleTickets(tx, companyId, [ticketId]);
  return { ticketId, isNewContact, added };
}

/** Two imports of one chat wait for each other here; messages of the contact do not wait. */
async function findContact(
  tx: Tx,
  { companyId, number }: Pick<Writing, "companyId" | "number">,
): Promise<ContactId | null> {
  const [contact] = await tx.query<{ id: ContactId }>(sql`
    select c.id from contacts c
    where c.company_id = ${companyId} and (c.number = ${number} or c.id in (
      select a.contact_id from contact_addresses a
      where a.company_id = ${companyId} and a.kind = 'pn' and a.key = ${addressKey({ kind: "pn", value: number })}))
    order by c.id limit 1 for no key update`);
  return contact?.id ?? null;
}

async function addTicket(
  { sources }: ChatImportDeps,
  tx: Tx,
  given: { companyId: CompanyId; contactId: ContactId; from: Date; until: Date },
): Promise<TicketId> {
  const { companyId, contactId, from, until } = given;
  const [ticketId] = await insertTickets(tx, sources, [
    { companyId, contactId, connectionId: null, status: "closed", createdAt: from },
  ]);
  if (ticketId === undefined) throw new Error("the ticket was not created");
  await insertAttendances(tx, [
    { companyId, ticketId, queuedAt: from, createdAt: from, finishedAt: until },
  ]);
  return ticketId;
}

/** The attendance of an earlier import has the new messages too, unless the ticket was opened again since then. */
async function widen(
  tx: Tx,
  companyId: CompanyId,
  ticketId: TicketId,
  { from, until }: { from: Date; until: Date },
): Promise<void> {
  await tx.query(sql`
    update attendances a set created_at = least(created_at, ${from}), queued_at = least(queued_at, ${from}),
      finished_at = greatest(finished_at, ${until})
    where company_id = ${companyId} and ticket_id = ${ticketId} and finished_at is not null and not exists (
      select from attendances b where b.company_id = ${companyId} and b.ticket_id = ${ticketId} and b.id <> a.id)`);
  await tx.query(sql`
    update tickets set created_at = least(created_at, ${from}) where company_id = ${companyId} and id = ${ticketId}`);
}

function rowOf(
  { id, at, fromMe, body, file, isDeleted, isEdited }: Placed,
  place: { companyId: CompanyId; contactId: ContactId; ticketId: TicketId },
): typeof messages.$inferInsert {
  const shown = file && { kind: file.kind, name: file.name ?? UNNAMED };
  return {
    ...{ companyId: place.companyId, ticketId: place.ticketId, id, providerId: `chat:${id}` },
    contactId: fromMe ? null : place.contactId,
    body: shown ? mediaBody(shown, body) : body,
    mediaType: shown
      ? mediaTypeOf({ kind: shown.kind, mime: "application/octet-stream" })
      : "conversation",
    ...{ fromMe, read: true, ack: fromMe ? acks.delivered : acks.written },
    ...{ isDeleted, isEdited, createdAt: at, updatedAt: at },
  };
}

/** A named file is awaited until it is stored; one without a name is not to be had. */
function mediaRowOf(
  companyId: CompanyId,
  { id, at, file }: Placed,
): (typeof messageMedia.$inferInsert)[] {
  if (file === null) return [];
  const name = textOf(file.name ?? UNNAMED, limits.fileNameMax);
  const state = file.name === null ? "unavailable" : "loading";
  const mime = "application/octet-stream";
  return [{ companyId, messageId: id, kind: file.kind, state, name, mime, createdAt: at }];
}

function pagesOf<T>(list: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(list.length / PAGE) }, (_, page) =>
    list.slice(page * PAGE, (page + 1) * PAGE),
  );
}

type Scope = { companyId: CompanyId; isDryRun: boolean };

/** Stores the files that are in the zip and that their messages still lack. A file that cannot be read is missing. */
async function bringFiles(
  deps: ChatImportDeps,
  { companyId, isDryRun }: Scope,
  placed: readonly Placed[],
  { zip, entries }: Opened,
): Promise<ChatImportReport["files"]> {
  const named = placed.filter(({ file }) => file !== null && file.name !== null);
  const unnamed = placed.filter(({ file }) => file !== null && file.name === null).length;
  const report = { named: named.length, stored: 0, missing: [] as string[], unnamed };
  for (const page of pagesOf(named)) {
    const ids = page.map(({ id }) => id);
    const rows = await deps.db.transaction({ companyId }, (tx) =>
      tx.query<{ id: string }>(sql`
        select message_id as id from message_media
        where company_id = ${companyId} and message_id = any(${sql.param(ids)}::uuid[]) and state <> 'ready'`),
    );
    const lacking = new Set(isDryRun ? [] : rows.map(({ id }) => id));
    for (const { id, file } of page) {
      const name = file?.name ?? UNNAMED;
      const entry = entries.get(name.normalize("NFC"));
      if (!zip || !entry || entry.uncompressedSize > limits.documentMaxBytes) {
        report.missing.push(name);
        if (lacking.has(id)) await setUnavailable(deps.db, companyId, id);
      } else if (isDryRun || !lacking.has(id)) {
        report.stored += isDryRun ? 1 : 0;
      } else {
        const kind = file?.kind ?? "document";
        const isStored = await storeEntry(deps, companyId, { id, name, kind }, { zip, entry });
        if (isStored) report.stored += 1;
        else {
          report.missing.push(name);
          await setUnavailable(deps.db, companyId, id);
        }
      }
    }
  }
  return report;
}

/** False for a file that is damaged in the zip, or that the product does not take. */
async function storeEntry(
  { db, files }: ChatImportDeps,
  companyId: CompanyId,
  { id, name, kind }: { id: MessageId; name: string; kind: MediaKind },
  { zip, entry }: { zip: yauzl.ZipFile; entry: yauzl.Entry },
): Promise<boolean> {
  let isBroken = false;
  async function* content(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of await zip.openReadStreamPromise(entry)) yield chunk as Uint8Array; // no encoding is set
    } catch (error) {
      isBroken = true;
      throw error;
    }
  }
  let stored: StoredFile;
  try {
    const file = { name, claimedKind: kind, content: content() };
    stored = await files.storeCustomerFile(companyId, file);
  } catch (error) {
    if (isBroken || (error instanceof DomainError && !isUnavailable(error))) return false;
    throw error;
  }
  const shown = await db.transaction({ companyId }, async (tx) => {
    const rows = await tx.query(sql`
      update message_media set state = 'ready', file_key = ${stored.key}, thumbnail_key = ${stored.thumbnailKey}, name = ${stored.name},
        kind = ${stored.kind}, mime = ${stored.mime}, bytes = ${stored.bytes}, width = ${stored.width}, height = ${stored.height},
        duration_ms = ${stored.durationMs}, waveform = ${sql.param(stored.waveform)}::smallint[]
      where company_id = ${companyId} and message_id = ${id} and state <> 'ready' returning message_id`);
    // A message without text is called by its file.
    const called = [mediaBody({ kind, name }, ""), UNNAMED, mediaBody({ kind: "voice", name }, "")];
    await tx.query(sql`
      update messages set media_type = ${mediaTypeOf(stored)},
        body = case when body = any(${sql.param(called)}::text[]) then ${mediaBody(stored, "")} else body end
      where company_id = ${companyId} and id = ${id}`);
    return rows;
  });
  if (shown.length > 0) return true;
  await files.removeUnused(companyId, [stored.key, stored.thumbnailKey ?? stored.key]);
  return true;
}

async function setUnavailable(db: Database, companyId: CompanyId, id: MessageId): Promise<void> {
  await db.transaction({ companyId }, (tx) =>
    tx.query(sql`
      update message_media set state = 'unavailable'
      where company_id = ${companyId} and message_id = ${id} and state = 'loading'`),
  );
}

const damaged = (): ImportRefused =>
  new ImportRefused("The file is damaged, or no zip as the phone app exports it.");

/** The text of a `.txt`, or of the chat in a `.zip` with the files beside it. What the zip states is not believed. */
async function openExport(path: string): Promise<Opened> {
  const file = await open(path);
  try {
    const head = Buffer.alloc(2);
    await file.read(head, 0, 2, 0);
    if (head.toString("latin1") !== "PK") {
      if ((await file.stat()).size > TEXT_MAX) throw tooLong();
      return { text: decode(await file.readFile()), zip: null, entries: new Map() };
    }
  } finally {
    await file.close();
  }
  const zip = await yauzl
    .openPromise(path, {
      lazyEntries: true,
      autoClose: false,
      validateEntrySizes: true,
      strictFileNames: true,
    })
    .catch(() => {
      throw damaged();
    });
  try {
    return await readPackage(zip);
  } catch (error) {
    zip.close();
    throw error instanceof ImportRefused ? error : damaged();
  }
}

const tooLong = (): ImportRefused =>
  new ImportRefused("The chat's text has more than 25 MB. Nothing was changed.");

async function readPackage(zip: yauzl.ZipFile): Promise<Opened> {
  if (zip.entryCount > ENTRIES_MAX) throw damaged();
  const entries = new Map<string, yauzl.Entry>();
  for await (const entry of zip.eachEntry()) {
    if (entry.isEncrypted()) throw new ImportRefused("The zip is encrypted.");
    const name = entry.fileName.split("/").at(-1) ?? "";
    if (name !== "") entries.set(name.normalize("NFC"), entry);
  }
  const texts = [...entries].filter(([name]) => /\.txt$/i.test(name));
  const [, chat] =
    texts.find(([name]) => name === "_chat.txt") ??
    texts.find(([name]) => /whatsapp/i.test(name)) ??
    (texts.length === 1 ? (texts[0] ?? []) : []);
  if (!chat) throw new ImportRefused("The zip has no chat (_chat.txt, or the text of the chat).");
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of await zip.openReadStreamPromise(chat)) {
    const part = chunk as Uint8Array; // of a stream without encoding
    bytes += part.byteLength;
    if (bytes > TEXT_MAX) throw tooLong();
    parts.push(part);
  }
  return { text: decode(Buffer.concat(parts)), zip, entries };
}
