import { acks, limits } from "@balcao/contract";
import { mediaBody, mediaTypeOf } from "../../features/messages/index.ts";
import type { Move } from "./bring.ts";
import { halved, leave } from "./bring.ts";
import type { Source } from "./source.ts";
import { ONLY_COMPANY } from "./source.ts";
import type { NewRow, Target } from "./target.ts";
import type { TicketPlace } from "./tickets.ts";
import type { SourceRow } from "./values.ts";
import {
  boolOf,
  contentOf,
  dateOf,
  fileNameOf,
  idOf,
  intOf,
  mediaKindOf,
  messageUuid,
  textOf,
  withoutMark,
} from "./values.ts";

/** A company whose messages are brought, with the places of its tickets by their ids there. */
export type Conversations = { move: Move; tickets: Map<string, TicketPlace> };

type Read = {
  move: Move;
  message: NewRow;
  media: NewRow | null;
  reaction: NewRow | null;
  row: SourceRow;
};

/**
 * Messages of all companies in the order of time, as the search wants them stored. Their ids are made of the ids there, so
 * a repeated run adds only what is missing. Tells how far it is after each page.
 */
export async function bringMessages(
  { source, target }: { source: Source; target: Target },
  companies: ReadonlyMap<string, Conversations>,
  onProgress: (messages: number) => void,
): Promise<void> {
  const pages = source.messages([...companies.keys()])[Symbol.asyncIterator]();
  let done = 0;
  let next = pages.next();
  let writing = Promise.resolve();
  for (let page = await next; page.done !== true; page = await next) {
    // While a page is written, the next one is mapped, and the source reads on.
    next = pages.next();
    next.catch(() => undefined);
    const { value } = page;
    const rows = value.flatMap((row): Read[] => {
      const read = readMessage(companies, row);
      return read === null ? [] : [read];
    });
    await writing;
    writing = writePage(target, rows).then(() => {
      done += value.length;
      onProgress(done);
    });
    writing.catch(() => undefined);
  }
  await writing;
  for (const [from, { move }] of companies) {
    const { read = 0 } = move.tally.counts["message"] ?? {};
    const lost = (await source.count("messages", from)) - read;
    if (lost > 0) {
      move.tally.count("message", { read: lost, left: lost });
      move.tally.problemOfMany("message", "ticketOutside", lost);
    }
  }
}

const writePage = (target: Target, rows: readonly Read[]): Promise<void> =>
  halved(
    rows,
    (part) => addMessages(target, part),
    ({ move, row }, error) => leave(move, "message", row["id"] ?? "", error),
  );

function readMessage(companies: ReadonlyMap<string, Conversations>, row: SourceRow): Read | null {
  const company = companies.get(row["ticketCompanyId"] ?? ONLY_COMPANY);
  if (!company) return null;
  const { move, tickets } = company;
  move.tally.count("message", { read: 1 });
  const place = tickets.get(row["ticketId"] ?? "");
  if (!place) {
    move.tally.count("message", { left: 1 });
    move.tally.problem("message", "ticketLeftOut", row["id"]);
    return null;
  }
  const at = timeOf(row);
  if (dateOf(row["createdAt"]) === null) move.tally.problem("message", "timeUnreadable", row["id"]);
  const id = messageUuid(move.source.id, row["id"] ?? "", at);
  const fromMe = boolOf(row["fromMe"]);
  const contactId = fromMe
    ? null
    : (move.ids("contact").get(row["contactId"] ?? "") ?? place.contactId);
  const quotedId = quotedOf(move, tickets, place, row);
  const written = withoutMark(textOf(row["body"], limits.messageBodyMax));
  const type = textOf(row["mediaType"], 100);
  const common = { company_id: move.companyId, message_id: id, created_at: at };
  const reaction =
    type === "reactionMessage" && quotedId !== null && written.text !== ""
      ? reactionOf(quotedId, { contactId, emoji: written.text.slice(0, 50) }, common)
      : null;
  const file = textOf(row["mediaUrl"], 2_000).trim();
  const media = file === "" ? null : mediaOf(type, file, common);
  const content =
    media === null ? contentOf(type, written.text) : captioned(media, written.text, file);
  return {
    ...{ move, row, reaction, media: media?.row ?? null },
    message: {
      ...{
        company_id: move.companyId,
        id,
        ticket_id: place.ticketId,
        connection_id: place.connectionId,
      },
      provider_id: textOf(row["wid"] ?? row["id"], 200),
      ...{ contact_id: contactId, user_id: move.ids("user").get(row["userId"] ?? "") ?? null },
      ...{
        body: content.body,
        from_me: fromMe,
        read: fromMe || place.isRead || boolOf(row["read"]),
      },
      ack: intOf(row["ack"], acks.delivered, fromMe ? acks.written : 0, acks.played),
      media_type: content.mediaType,
      details: content.details === null ? null : JSON.stringify(content.details),
      quoted_message_id: quotedId,
      queue_id: move.ids("queue").get(row["queueId"] ?? "") ?? null,
      ...{ is_deleted: boolOf(row["isDeleted"]), is_edited: boolOf(row["isEdited"]) },
      ...{ is_forwarded: boolOf(row["isForwarded"]), is_automatic: fromMe && written.isAutomatic },
      ...{ created_at: at, updated_at: dateOf(row["updatedAt"]) ?? at },
    },
  };
}

export function timeOf(row: SourceRow): Date {
  return dateOf(row["createdAt"]) ?? dateOf(row["updatedAt"]) ?? new Date(Date.UTC(2000, 0, 1));
}

/** The quoted message, if it is one of the same company. */
function quotedOf(
  move: Move,
  tickets: Conversations["tickets"],
  place: TicketPlace,
  row: SourceRow,
): string | null {
  const id = idOf(row["quotedMsgId"]);
  const at = dateOf(row["quotedAt"]);
  if (id === null) return null;
  if (at !== null && tickets.get(row["quotedTicketId"] ?? "")?.companyId === place.companyId) {
    return messageUuid(move.source.id, id, at);
  }
  move.tally.problem("message", "quoteMissing", row["id"]);
  return null;
}

function reactionOf(
  quotedId: string,
  { contactId, emoji }: { contactId: number | null; emoji: string },
  common: NewRow,
): NewRow {
  const author = contactId === null ? "company" : `contact:${contactId}`;
  return { ...common, message_id: quotedId, author, contact_id: contactId, emoji };
}

type MediaRow = { kind: ReturnType<typeof mediaKindOf>; name: string; row: NewRow };

/** The file is copied later: until then its message waits for it. */
function mediaOf(type: string, file: string, common: NewRow): MediaRow {
  const stored = fileNameOf(file);
  const kind = mediaKindOf(type, stored);
  const name = textOf(stored.replace(/^\d{10,14}_(?=.)/, ""), limits.fileNameMax) || "arquivo";
  return {
    kind,
    name,
    row: { ...common, kind, state: "loading", name, mime: "application/octet-stream" },
  };
}

function captioned({ kind, name }: MediaRow, body: string, file: string) {
  const isName = [name, fileNameOf(file), "Áudio", "sticker"].includes(body.trim());
  const mediaType = mediaTypeOf({ kind, mime: "application/octet-stream" });
  return { body: mediaBody({ kind, name }, isName ? "" : body), mediaType, details: null };
}

/**
 * The search index takes a page at once, not a few hundred messages: that is several times as fast. Others never see the setting,
 * because the transaction sets it back to that of the migration; what waits is merged after it.
 */
const PAGE_AT_ONCE = "alter index messages_search set (gin_pending_list_limit = 65536)";
const AS_BEFORE = "alter index messages_search set (gin_pending_list_limit = 512)";

async function addMessages(target: Target, rows: readonly Read[]): Promise<void> {
  const messages = rows.filter(({ reaction }) => reaction === null);
  // The last of several reactions of one author to one message counts.
  const reactions = new Map(
    rows.flatMap(({ reaction }) =>
      reaction === null
        ? []
        : [
            [
              `${reaction["message_id"] as string} ${reaction["author"] as string}`,
              reaction,
            ] as const,
          ],
    ),
  );
  const added = await target.transaction(async (load) => {
    await load.query(PAGE_AT_ONCE);
    const news = await load.add(
      "messages",
      messages.map(({ message }) => message),
    );
    await load.query(AS_BEFORE);
    await load.add(
      "message_media",
      messages.flatMap(({ media }) => (media === null ? [] : [media])),
    );
    await load.add("message_reactions", [...reactions.values()]);
    return news;
  });
  if (!target.isDry) await target.read("select gin_clean_pending_list('messages_search')");
  const isWhole = added === undefined || added === messages.length;
  for (const { move, reaction } of rows) {
    const by = reaction === null ? { added: 1 } : { merged: 1 };
    move.tally.count("message", isWhole || reaction !== null ? by : {});
  }
  if (!isWhole && added !== undefined) countKnown(messages, added);
}

/** Of a page that was in part there before it is not known which rows were new; companies share what was. */
function countKnown(messages: readonly Read[], added: number): void {
  let left = added;
  for (const { move } of messages) {
    move.tally.count("message", left > 0 ? { added: 1 } : { known: 1 });
    left -= 1;
  }
}
