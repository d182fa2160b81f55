import type { ForwardBody, MessageDetails, ReplyOf } from "@balcao/contract";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { StoredFile } from "../media/index.ts";
import type { MessagesDeps } from "./deps.ts";
import type { MediaRow } from "./message.ts";
import { captionOf, NUMBER_CHANGED, otherText, PENDING, writtenBody } from "./message.ts";
import type { OutgoingMessage } from "./outgoing.ts";
import { findDestination } from "./outgoing.ts";
import { findRepeated, foreignClientId, sendInOrder } from "./send.ts";
import type { PlacedRow } from "./stored-messages.ts";
import { requireAllReadable } from "./stored-messages.ts";

/**
 * Sends messages that the user may read to a contact, in the order of their conversation: all of them or none. Their files
 * are stored once and only referred to again. A repeated client id is the same message.
 */
export async function forwardMessages(
  deps: MessagesDeps,
  ctx: UserCtx,
  wish: ForwardBody,
): Promise<ReplyOf<"POST /message/forward">> {
  const { messageId, messageIds, contactId } = wish;
  const ids = [...new Set(messageId === undefined ? messageIds : [messageId, ...messageIds])];
  const clientIds = new Map(wish.messageIds.map((id, index) => [id, wish.clientIds[index]]));
  const signer = wish.signMessage ? ctx.actor.name : null;
  return deps.db.transaction(ctx, async (tx) => {
    const found = await requireAllReadable(ctx, tx, ids);
    const messages = found.map((row) => forwarded(row, signer, clientIds.get(row.messageId)));
    // A new ticket is opened where the messages come from.
    const { connectionId = null, queueId = null } = found.at(0) ?? {};
    const place = { contactId, connectionId, queueId };
    const ticket = await deps.tickets.takeForSending(ctx, tx, place);
    const reply = { ticketId: ticket.id, ticketUuid: ticket.uuid };
    const known = [...clientIds.values()].filter((id) => id !== undefined);
    if (await findRepeated(ctx, tx, ticket.id, known)) return reply;
    const destination = await findDestination(ctx, tx, ticket.id);
    const last = await sendInOrder(deps, ctx, tx, ticket, messages, destination);
    if (!last) throw foreignClientId();
    return reply;
  });
}

/** A message as it is sent once more: the same words or file, without its signature, reactions and quote. */
function forwarded(
  row: PlacedRow,
  signer: string | null,
  clientId: string | undefined,
): OutgoingMessage {
  const signed = (text: string): string =>
    signer === null || text === "" ? text : `*${signer.replaceAll("*", "")}:*\n${text}`;
  const common = { isForwarded: true, isLiteral: true, clientId: clientId ?? null };
  if (row.isDeleted) throw notForwardable();
  if (row.media !== null) {
    const caption = captionOf(writtenBody(row), row.media) ?? "";
    return { ...common, file: fileOf(row.media), text: signed(unsigned(row, caption)) };
  }
  const text = textOf(row);
  if (text === null || text.trim() === "") throw notForwardable();
  return { ...common, text: signed(unsigned(row, text)) };
}

function notForwardable(): DomainError<"ERR_MESSAGE_NOT_FORWARDABLE"> {
  return new DomainError("ERR_MESSAGE_NOT_FORWARDABLE");
}

/** The line with the agent's name above own texts (spec 2, "sign-message option"). */
const SIGNATURE = /^\*[^*\n]+:\*\n/;

function unsigned({ fromMe }: PlacedRow, text: string): string {
  return fromMe ? text.replace(SIGNATURE, "") : text;
}

/** The stored file of a message. One that may be seen once is not passed on. */
function fileOf({ fileKey, state, isViewOnce, ...facts }: MediaRow): StoredFile {
  if (fileKey === null || state !== "ready" || isViewOnce) throw notForwardable();
  return { ...facts, key: fileKey };
}

/** A message without file as a text; null for what is no message, or only on the phone. */
function textOf(row: PlacedRow): string | null {
  const { details, mediaType } = row;
  if (mediaType === PENDING || mediaType === NUMBER_CHANGED) return null;
  return details === null ? (otherText(row)?.text ?? row.body) : detailsText(row, details);
}

function detailsText(row: PlacedRow, details: MessageDetails): string | null {
  switch (details.kind) {
    case "location": {
      const { name, address, latitude, longitude } = details;
      const map = `https://maps.google.com/maps?q=${latitude}%2C${longitude}&z=17`;
      return [name, address, map].filter(Boolean).join("\n");
    }
    case "contacts":
      return details.contacts.map(({ name, phones }) => [name, ...phones].join("\n")).join("\n\n");
    case "ad":
    case "choice":
    case "poll":
    case "poll-vote":
      return writtenBody(row);
    case "call":
    case "number-changed":
    case "view-once":
      return null;
  }
}
