import { createHash } from "node:crypto";
import type { CompanyId, Media, Message, Reaction, Ticket } from "@balcao/contract";
import { acks } from "@balcao/contract";
import type { Tx } from "../../platform/db/database.ts";
import { toIso, toIsoOrNull } from "../../platform/db/records.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import { pictureUrl } from "../contacts/index.ts";
import type { TicketRow } from "../tickets/index.ts";
import { readerRooms, ticketRooms } from "../tickets/index.ts";
import type { MessagesDeps, StoredMessage } from "./deps.ts";
import type { MediaRow, MessageRow, QuotedRow } from "./message.ts";
import type { ChangedMessage } from "./stored-messages.ts";

/** Signs the addresses of files. */
type DtoDeps = { media: Pick<MessagesDeps["media"], "signedPath"> };
type EventDeps = DtoDeps & Pick<MessagesDeps, "realtime" | "tickets">;

/** A message as pages and events carry it (wire-contract 2.8). */
export function toMessageDto(deps: DtoDeps, row: MessageRow): Message {
  return {
    ...fieldsOf(deps, row),
    undoUntil: canBeUndone(row) ? toIsoOrNull(row.undoUntil) : null,
    quotedMsg: row.quoted && {
      ...fieldsOf(deps, row.quoted),
      undoUntil: null,
      createdAt: row.quoted.sentAt,
      updatedAt: row.quoted.changedAt,
    },
    createdAt: toIso(row.sentAt),
    updatedAt: toIso(row.changedAt),
  };
}

/** The content of a deleted message stays in the database and goes to nobody. */
function fieldsOf(deps: DtoDeps, row: MessageRow | QuotedRow) {
  const { isDeleted, messageCompanyId: companyId, messageNamedQueueId: queueId } = row;
  const media = row.media === null || isDeleted ? null : mediaOf(deps, companyId, row.media);
  return {
    id: row.messageId,
    ticketId: row.ticketId,
    companyId,
    contactId: row.authorId,
    body: isDeleted ? "" : row.body,
    fromMe: row.fromMe,
    read: row.read,
    isDeleted,
    isEdited: row.isEdited,
    isForwarded: row.isForwarded,
    isAutomatic: row.isAutomatic,
    ack: row.ack,
    failedCode: row.failedCode,
    isUnconfirmed: row.isUnconfirmed,
    changeFailedCode: row.changeFailedCode,
    user: row.writerId === null ? null : { id: row.writerId, name: row.writerName ?? "" },
    media,
    transcript: isDeleted ? null : row.transcript,
    details: isDeleted ? null : withVotes(row),
    reactions: isDeleted ? [] : [...(row.reactions ?? [])],
    clientId: row.clientId,
    mediaType: row.mediaType,
    mediaUrl: media?.url ?? null,
    quotedMsgId: row.quotedId,
    queueId: row.messageQueueId,
    contact:
      row.authorId === null
        ? null
        : {
            id: row.authorId,
            name: row.authorName ?? "",
            number: row.authorNumber ?? "",
            email: row.authorEmail ?? "",
            profilePicUrl: pictureUrl(deps.media.signedPath, companyId, row.authorPictureKey),
          },
    queue:
      queueId === null
        ? null
        : { id: queueId, name: row.messageQueueName ?? "", color: row.messageQueueColor ?? "" },
  };
}

/** A poll with its votes. */
function withVotes({ details, votes }: MessageRow | QuotedRow): Message["details"] {
  return details?.kind === "poll" && votes !== null ? { ...details, votes: [...votes] } : details;
}

function mediaOf(deps: DtoDeps, companyId: CompanyId, media: MediaRow): Media {
  const { fileKey, thumbnailKey, ...facts } = media;
  const urlOf = (key: string | null) =>
    media.state === "ready" && key !== null ? deps.media.signedPath(companyId, key) : null;
  return { ...facts, url: urlOf(fileKey), thumbnailUrl: urlOf(thumbnailKey) };
}

function canBeUndone(row: MessageRow): boolean {
  const isOver = row.failedCode !== null || row.isUnconfirmed || row.isDeleted;
  return row.ack === acks.waiting && !isOver;
}

/** A new message, with its ticket as it is now. */
export function tellStored(
  deps: EventDeps,
  { message, ticket, isHistory }: Omit<StoredMessage, "arrival">,
): void {
  const shown = toMessageDto(deps, message);
  const payloadOf = (ticketDto: Ticket) =>
    ({
      action: "create",
      message: shown,
      ticket: ticketDto,
      contact: ticketDto.contact,
    }) as const;
  const to = isHistory ? [rooms.ticket(ticket.companyId, ticket.id)] : ticketRooms(ticket);
  // A message that came from another ticket may be of another queue.
  const readers = readerRooms(ticket, message.messageQueueId);
  const audience = { to, within: readers ? [readers] : [] };
  deps.tickets.publishWithTicket(ticket, { subject: "appMessage", payloadOf }, audience);
}

/**
 * A reaction as a message of its own, for other clients of the product family (ADR 24). It has the time of its message, behind
 * which it stands in pages, and an id that follows from message and author.
 */
function reactionRow(message: Message, reaction: Reaction): Message {
  const { quotedMsg: _, ...quoted } = message;
  const { emoji, fromMe, contactId, name } = reaction;
  const author = fromMe ? "company" : String(contactId);
  const hash = createHash("sha256").update(`${message.id} ${author}`).digest("hex");
  const id = hash.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, "$1-$2-8$3-8$4-$5");
  const isOfMessage = message.contact !== null && message.contact.id === contactId;
  const unnamed = { number: "", email: "", profilePicUrl: "" };
  return {
    ...quoted,
    ...{ id: id as Message["id"], body: emoji, fromMe, contactId, read: true }, // an id of our own gets its brand
    ...{
      mediaType: "reactionMessage",
      media: null,
      mediaUrl: null,
      transcript: null,
      details: null,
    },
    reactions: [],
    ...{
      ack: fromMe ? acks.server : acks.waiting,
      isEdited: false,
      isForwarded: false,
      isAutomatic: false,
    },
    ...{ failedCode: null, isUnconfirmed: false, changeFailedCode: null, undoUntil: null },
    ...{ user: null, clientId: null, isDeleted: false },
    contact: isOfMessage
      ? message.contact
      : contactId === null
        ? null
        : { id: contactId, name, ...unnamed },
    quotedMsgId: message.id,
    quotedMsg: { ...quoted, reactions: [] },
  };
}

/** Messages of a page, each followed by its reactions as rows. */
export function withReactionRows(messages: readonly Message[]): Message[] {
  return messages.flatMap((message) => [
    message,
    ...message.reactions.map((reaction) => reactionRow(message, reaction)),
  ]);
}

const sameAuthor = (one: Reaction, other: Reaction): boolean =>
  one.fromMe === other.fromMe && one.contactId === other.contactId;

/** Publishes changed reactions as rows, to other clients that have the ticket open; one that is taken back is a deleted row. */
export function publishReactionRows(
  deps: EventDeps,
  tx: Tx,
  ticket: TicketRow,
  [before, after]: readonly [MessageRow, MessageRow],
): void {
  const [was, is] = [before.reactions ?? [], after.isDeleted ? [] : (after.reactions ?? [])];
  const given = is.filter(
    (one) => !was.some((other) => sameAuthor(one, other) && one.emoji === other.emoji),
  );
  const taken = was.filter((one) => !is.some((other) => sameAuthor(one, other)));
  if (given.length + taken.length === 0) return;
  const { companyId } = ticket;
  const readers = readerRooms(ticket, after.messageQueueId);
  const to = [rooms.ticket(companyId, ticket.id)];
  const within = [[rooms.otherClients(companyId)], ...(readers ? [readers] : [])];
  tx.onCommit(() => {
    const message = toMessageDto(deps, after);
    for (const reaction of given) {
      const row = reactionRow(message, reaction);
      const payloadOf = (shown: Ticket) =>
        ({ action: "create", message: row, ticket: shown, contact: shown.contact }) as const;
      deps.tickets.publishWithTicket(ticket, { subject: "appMessage", payloadOf }, { to, within });
    }
    for (const reaction of taken) {
      const row = { ...reactionRow(message, reaction), body: "", isDeleted: true };
      deps.realtime.publish(
        companyId,
        "appMessage",
        { action: "update", message: row },
        to,
        [],
        within,
      );
    }
  });
}

/** Any change of a stored message. */
export function publishUpdated(deps: EventDeps, tx: Tx, changed: ChangedMessage): void {
  publishChange(deps, tx, changed, "update");
}

/** The removal of a message that never left. */
export function publishDeleted(deps: EventDeps, tx: Tx, removed: ChangedMessage): void {
  publishChange(deps, tx, removed, "delete");
}

function publishChange(
  deps: EventDeps,
  tx: Tx,
  { message, ticket }: ChangedMessage,
  action: "update" | "delete",
): void {
  tx.onCommit(() => {
    const { companyId } = ticket;
    const to = ticketRooms(ticket);
    const payload = { action, message: toMessageDto(deps, message) };
    const readers = readerRooms(ticket, message.messageQueueId);
    deps.realtime.publish(companyId, "appMessage", payload, to, [], readers ? [readers] : []);
    if (readers === null || action === "delete" || !message.fromMe) return;
    // All who see the card see how far the last message came.
    const acked = {
      action: "ack",
      ticketId: ticket.id,
      messageAt: payload.message.createdAt,
      ack: message.ack,
      isFailed: message.failedCode !== null,
      isUnconfirmed: payload.message.isUnconfirmed,
    } as const;
    deps.realtime.publish(companyId, "ticket", acked, to, readers);
  });
}
