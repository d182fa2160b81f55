import type { CompanyId, ContactRef, Media, Message } from "@balcao/contract";
import { acks } from "@balcao/contract";
import { toIso, toIsoOrNull } from "../../platform/db/row-dates.ts";
import type { MediaRow, MessageRow, QuotedRow } from "./message-row.ts";

/** Makes the expiring address under which a browser gets a file of the company. */
export type SignFile = (companyId: CompanyId, key: string) => string;

/** A message as pages and events carry it (wire-contract 2.8). */
export type ToMessageDto = (row: MessageRow) => Message;

export function createMessageDto(sign: SignFile): ToMessageDto {
  /** What a deleted message said stays in the database and goes to nobody. */
  function fieldsOf(row: MessageRow | QuotedRow) {
    const { isDeleted, messageCompanyId } = row;
    const media = row.media === null || isDeleted ? null : mediaOf(messageCompanyId, row.media);
    return {
      id: row.messageId,
      ticketId: row.ticketId,
      companyId: messageCompanyId,
      contactId: row.authorId,
      body: isDeleted ? "" : row.body,
      fromMe: row.fromMe,
      read: row.read,
      isDeleted,
      isEdited: row.isEdited,
      isForwarded: row.isForwarded,
      ack: row.ack,
      failedCode: row.failedCode,
      isUnconfirmed: row.isUnconfirmed,
      changeFailedCode: row.changeFailedCode,
      user: row.writerId === null ? null : { id: row.writerId, name: row.writerName ?? "" },
      media,
      details: isDeleted ? null : row.details,
      reactions: isDeleted ? [] : [...(row.reactions ?? [])],
      clientId: row.clientId,
      mediaType: row.mediaType,
      mediaUrl: media?.url ?? null,
      quotedMsgId: row.quotedId,
      queueId: row.messageQueueId,
      contact: authorOf(row),
      queue: queueOf(row),
    };
  }

  function mediaOf(companyId: CompanyId, media: MediaRow): Media {
    const { fileKey, thumbnailKey, waveform, ...facts } = media;
    const isReady = media.state === "ready";
    return {
      ...facts,
      waveform: waveform === null ? null : [...waveform],
      url: isReady && fileKey !== null ? sign(companyId, fileKey) : null,
      thumbnailUrl: isReady && thumbnailKey !== null ? sign(companyId, thumbnailKey) : null,
    };
  }

  return (row) => ({
    ...fieldsOf(row),
    undoUntil: canBeUndone(row) ? toIsoOrNull(row.undoUntil) : null,
    quotedMsg: row.quoted && {
      ...fieldsOf(row.quoted),
      undoUntil: null,
      createdAt: row.quoted.sentAt,
      updatedAt: row.quoted.changedAt,
    },
    createdAt: toIso(row.sentAt),
    updatedAt: toIso(row.changedAt),
  });
}

function canBeUndone(row: MessageRow): boolean {
  const isOver = row.failedCode !== null || row.isUnconfirmed || row.isDeleted;
  return row.ack === acks.waiting && !isOver;
}

function authorOf(row: MessageRow | QuotedRow): ContactRef | null {
  if (row.authorId === null) return null;
  return {
    id: row.authorId,
    name: row.authorName ?? "",
    number: row.authorNumber ?? "",
    email: row.authorEmail ?? "",
    profilePicUrl: row.authorProfilePicUrl ?? "",
  };
}

function queueOf(row: MessageRow | QuotedRow): Message["queue"] {
  const { messageNamedQueueId: id, messageQueueName: name, messageQueueColor: color } = row;
  return id === null ? null : { id, name: name ?? "", color: color ?? "" };
}
