import type { ConnectionId } from "@balcao/contract";
import { acks, renderVariables } from "@balcao/contract";
import type { DurableEvent, InboundContent, InboundMessage } from "../../../channels/port.ts";
import type { ConnectionRef } from "../../../channels/runtime/index.ts";
import type { Ctx } from "../../../platform/context.ts";
import { systemCtx } from "../../../platform/context.ts";
import type { Tx } from "../../../platform/db/database.ts";
import { storedText } from "../../settings/index.ts";
import type { TicketRow } from "../../tickets/index.ts";
import { raiseAck, recordAck, recordSendFailure, tellDelivery } from "../delivery.ts";
import type { Deps, GivenRating } from "../deps.ts";
import {
  adIntroduction,
  AUTOMATIC_MARK,
  CAMPAIGN_MARK,
  mediaBody,
  mediaName,
  mediaTypeOf,
  PENDING,
} from "../message.ts";
import { findQuoted, isStored } from "../stored-messages.ts";
import type { Arrival, StoredContent } from "./arrival.ts";
import { storeArrival } from "./arrival.ts";
import type { OpenConversation } from "./conversation.ts";
import {
  chatPartner,
  groupAuthor,
  ignoresGroups,
  learnPerson,
  openConversation,
  startTicket,
} from "./conversation.ts";
import { publishPoll, withdrawVote } from "./poll-votes.ts";
import {
  dropPlaceholder,
  receiveEdit,
  receiveReaction,
  receiveRevoke,
  refuseCall,
} from "./other-events.ts";

/** Handles one event of a connection in the runtime's transaction. */
export async function receiveEvent(
  deps: Deps,
  tx: Tx,
  connection: ConnectionRef,
  event: DurableEvent,
): Promise<void> {
  switch (event.type) {
    case "message":
      return receiveMessage(deps, tx, connection, event);
    case "edit":
      return receiveEdit(deps, tx, connection, event);
    case "revoke":
      return receiveRevoke(deps, tx, connection, event);
    case "reaction":
      return receiveReaction(deps, tx, connection, event);
    case "call":
      return refuseCall(deps, tx, connection, event);
    case "contact":
      return learnPerson(deps, tx, connection, event);
    case "ack":
      return recordAck(deps, tx, connection, event);
    case "send-failed":
      return recordSendFailure(deps, tx, connection, event);
  }
}

/**
 * Stores one message from a customer, or from the company's phone (behaviour 1): contact, ticket, attendance, message,
 * unread count, last message. A repeated message changes nothing. A known customer's text takes two statements.
 */
async function receiveMessage(
  deps: Deps,
  tx: Tx,
  connection: ConnectionRef,
  event: InboundMessage,
): Promise<void> {
  const { ref, content } = event;
  const { companyId, connectionId } = connection;
  const ctx = systemCtx(companyId, "channel", ref.id);
  // A withdrawn vote is no message.
  if (content.kind === "poll-vote" && content.options.length === 0) {
    return withdrawVote(deps, ctx, tx, connectionId, event);
  }
  if (ref.chat.kind === "group" && (await ignoresGroups(ctx, tx))) return;

  const isNew = !isOtherBots(event) && (await storeIfNew(deps, ctx, tx, connectionId, event));
  if (isNew || !ref.fromMe) return;
  // The echo of a message that we sent: the network has it, even if its ack was lost.
  const of = { connectionId, providerId: ref.id };
  const raised = await raiseAck(ctx, tx, of, acks.server, deps.sources.clock.now());
  if (!raised) return;
  await deps.outbox.confirmSent(tx, ctx, of);
  await tellDelivery(deps, ctx, tx, raised);
}

/** False when the message is stored already, or repeats a stored one. */
async function storeIfNew(
  deps: Deps,
  ctx: Ctx,
  tx: Tx,
  connectionId: ConnectionId,
  event: InboundMessage,
): Promise<boolean> {
  const { ref } = event;
  const isGroup = ref.chat.kind === "group";
  const author = isGroup ? groupAuthor(event) : null;
  const member = author && (await deps.contacts.findOrCreate(ctx, tx, author));
  const conversation = await openConversation(deps, ctx, tx, connectionId, chatPartner(event), {
    start: (contact) =>
      startTicket(deps, ctx, tx, {
        ...{ connectionId, contact },
        status: firstStatus(event),
        key: ref.id,
      }),
    // An echo of our own message creates no second contact: it may name another address of the chat.
    isOver: async (isStranger) =>
      (!isStranger || ref.fromMe) && isStored(ctx, tx, connectionId, ref.id),
  });
  if (!conversation) return false;
  const place = { connectionId, conversation, writer: isGroup ? member : conversation.contact };
  if (await store(deps, ctx, tx, event, place)) return true;
  // Content replaces its placeholder, and is handled like a new message.
  if (event.content.kind === "pending") return false;
  const isReplaced = await dropPlaceholder(deps, ctx, tx, connectionId, ref.id);
  return isReplaced && store(deps, ctx, tx, event, place);
}

/** Open for a message from the company's phone, closed for history and other installations' campaigns. */
function firstStatus(event: InboundMessage): TicketRow["status"] {
  if (event.origin === "history" || isOtherCampaigns(event)) return "closed";
  return event.ref.fromMe ? "open" : "pending";
}

/** False when the connection has a message with this id, or the text repeats the completion message. */
async function store(
  deps: Deps,
  ctx: Ctx,
  tx: Tx,
  event: InboundMessage,
  place: Pick<Arrival, "connectionId" | "conversation" | "writer">,
): Promise<boolean> {
  const { ref, content, origin } = event;
  const { connectionId, conversation } = place;
  const { ticket } = conversation;
  const now = deps.sources.clock.now();
  if (origin === "own-device" && content.kind === "text") {
    if (await repeatsCompletion(ctx, tx, connectionId, ticket, content.text, now)) return false;
  }
  const quoted = event.quoted ? await findQuoted(ctx, tx, connectionId, event.quoted.id) : null;
  const ad = "ad" in content ? content.ad : undefined;
  const stored = describeContent(content, {
    hasQuote: quoted !== null,
    introducesAd: ad !== undefined && !(await isIntroduced(ctx, tx, conversation, ad, now)),
  });
  const isCalling = isCustomerCalling(event);
  let rating: GivenRating | null = null;
  if (isCalling && content.kind === "text") {
    // A live message is new, although its clock may differ from ours; one delivered late keeps its own time.
    const at = origin === "offline" ? event.at : now;
    rating = await deps.findGivenRating(ctx, tx, ticket, { text: content.text, at, now });
  }
  const after = await storeArrival(deps, ctx, tx, {
    ...place,
    providerId: ref.id,
    content: stored,
    file: content.kind === "media" ? content.file : null,
    fromMe: ref.fromMe,
    origin,
    isCalling: isCalling && rating === null,
    isForwarded: event.isForwarded ?? false,
    at: event.at,
    ack: ref.fromMe ? acks.server : acks.delivered,
    unread: rating === null ? unreadEffect(event) : "keep",
    rating,
    quoted,
  });
  if (after !== null && content.kind === "poll-vote" && quoted !== null) {
    await publishPoll(deps, ctx, tx, quoted.messageId);
  }
  return after !== null;
}

/** Whether the ticket shows the advertisement with a message of the last day. */
async function isIntroduced(
  ctx: Ctx,
  tx: Tx,
  { ticket, isNew }: OpenConversation,
  { sourceUrl }: { sourceUrl: string },
  now: Date,
): Promise<boolean> {
  // In a closed ticket the advertisement is shown again.
  if (isNew || ticket.status === "closed") return false;
  const rows = await tx.query(adStatement, [ctx.companyId, ticket.id, sourceUrl, now]);
  return rows.length > 0;
}

/**
 * Whether a customer has written now, or while no phone was linked. Such a message counts as unread and reopens a
 * closed ticket; only such a message may have an automatic reply. History never has one.
 */
function isCustomerCalling({ ref, origin }: InboundMessage): boolean {
  return !ref.fromMe && (origin === "live" || origin === "offline");
}

function unreadEffect(event: InboundMessage): Arrival["unread"] {
  if (isCustomerCalling(event)) return "add";
  const isRead = event.ref.fromMe && event.origin !== "history" && !isOtherCampaigns(event);
  return isRead ? "clear" : "keep";
}

/**
 * Whether a bot of another installation on the same number has sent this text, which is not stored (behaviour 1.7). Our
 * own automatic texts are recognised earlier by their ids. In history such texts are stored, because nothing else shows
 * the reply.
 */
function isOtherBots({ ref, origin, content }: InboundMessage): boolean {
  return ref.fromMe && origin !== "history" && textOf(content).startsWith(AUTOMATIC_MARK);
}

/**
 * Whether another installation's campaign has sent this: a new ticket is closed, an existing one keeps its state, and
 * nothing is marked as read (behaviour 1.7).
 */
function isOtherCampaigns({ ref, content }: InboundMessage): boolean {
  return ref.fromMe && textOf(content).startsWith(CAMPAIGN_MARK);
}

function textOf(content: InboundMessage["content"]): string {
  if (content.kind === "text") return content.text;
  return content.kind === "media" ? (content.caption ?? "") : "";
}

/**
 * Whether the text is the connection's completion message, sent again by another installation on the number although it
 * is the ticket's last message and everything is read (behaviour 1.7).
 */
async function repeatsCompletion(
  ctx: Ctx,
  tx: Tx,
  connectionId: ConnectionId,
  ticket: TicketRow,
  text: string,
  now: Date,
): Promise<boolean> {
  if (ticket.unreadMessages > 0 || !ticket.lastMessageFromMe || text.trim() === "") return false;
  if (!isSameText(ticket.lastMessage, text)) return false;
  const [connection] = await tx.query<{ completion: string; timeZone: string }>(
    completionStatement,
    [ctx.companyId, connectionId],
  );
  if (!connection) return false;
  const { completion, timeZone } = connection;
  const { contactName } = ticket;
  return isSameText(renderVariables(completion, { contactName, now, timeZone }), text);
}

function isSameText(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase();
}

type ContentOf<K extends InboundContent["kind"]> = Extract<InboundContent, { kind: K }>;

/** Describes a content as it is stored. Only the first message of an advertisement begins with its text. */
export function describeContent(
  content: InboundContent,
  { hasQuote, introducesAd }: { hasQuote: boolean; introducesAd: boolean },
): StoredContent {
  switch (content.kind) {
    case "text": {
      const { text, ad } = content;
      const mediaType = hasQuote || ad ? "extendedTextMessage" : "conversation";
      return ad && introducesAd ? withAd(plain(mediaType, text), ad, text) : plain(mediaType, text);
    }
    case "media":
      return describeMedia(content, introducesAd);
    case "location":
      return describeLocation(content);
    case "contacts":
      return describeContacts(content);
    case "poll": {
      const { type, question, severalAllowed } = content;
      const options = [...content.options];
      const lines = [`📊 *${question}*`, ...options.map((option) => `▫️ ${option}`)];
      const details = { kind: "poll", question, options, severalAllowed } as const;
      return plain(type, lines.join("\n"), details);
    }
    case "poll-vote": {
      const options = [...content.options];
      return plain("pollUpdateMessage", options.join(", "), { kind: "poll-vote", options });
    }
    case "choice": {
      // Users read the button's text; the automatic attendant uses its id.
      const { type, id, text } = content;
      return text === undefined ? plain(type, id) : plain(type, text, { kind: "choice", id });
    }
    case "pending":
      return plain(PENDING, "⏳ Aguardando esta mensagem. Isso pode levar alguns instantes.");
    case "view-once": {
      const body = "👁️ Mensagem de visualização única – abra no celular";
      return plain("viewOnceMessage", body, { kind: "view-once" });
    }
    case "other":
      return plain(content.type, `[${content.type}] ${content.text}`.trimEnd());
  }
}

const plain = (
  mediaType: string,
  body: string,
  details: StoredContent["details"] = null,
): StoredContent => ({ mediaType, body, details, media: null });

function withAd(
  stored: StoredContent,
  { title, body, sourceUrl }: NonNullable<ContentOf<"text">["ad"]>,
  written: string,
): StoredContent {
  const ad = { title, body, sourceUrl };
  return { ...stored, body: adIntroduction(ad) + written, details: { kind: "ad", ...ad } };
}

function describeMedia(
  { file, caption = "", isViewOnce = false, ad }: ContentOf<"media">,
  introducesAd: boolean,
): StoredContent {
  const media = {
    kind: file.media,
    state: "loading" as const,
    fileKey: null,
    thumbnailKey: null,
    name: mediaName(file.media, file.mime, file.fileName),
    mime: file.mime,
    bytes: file.bytes ?? 0,
    width: null,
    height: null,
    durationMs: file.durationMs ?? null,
    waveform: null,
    isViewOnce,
  };
  const stored = { ...plain(mediaTypeOf(media), mediaBody(media, caption)), media };
  return ad && introducesAd ? withAd(stored, ad, caption) : stored;
}

function describeLocation(content: ContentOf<"location">): StoredContent {
  const { latitude, longitude, name = "", address = "", isLive = false, thumbnail = "" } = content;
  const details = { kind: "location", latitude, longitude, name, address, isLive } as const;
  if (isLive) {
    const body = `Latitude: ${latitude} - Longitude: ${longitude}`;
    return { ...plain("liveLocationMessage", body), details };
  }
  const picture = /^[\w+/]+=*$/.test(thumbnail) ? `data:image/png;base64,${thumbnail}` : "";
  const map = `https://maps.google.com/maps?q=${latitude}%2C${longitude}&z=17&hl=pt-BR`;
  const body = [picture, map, `${latitude}, ${longitude}`].join("|");
  return { ...plain("locationMessage", body), details };
}

function describeContacts({ contacts }: ContentOf<"contacts">): StoredContent {
  const details = {
    kind: "contacts",
    contacts: contacts.map(({ name, phones }) => ({ name, phones: [...phones] })),
  } as const;
  const [only] = contacts;
  if (only && contacts.length === 1) return plain("contactMessage", only.vcard, details);
  const lines = contacts.map(({ name, phones }) => ` ${name}: 📞${phones[0] ?? ""}`);
  return plain("contactsArrayMessage", lines.join("\n"), details);
}

const completionStatement = {
  name: "messages.completion",
  text: `
select coalesce(nullif(w.complation_message, ''), ${storedText("c.id", "completion")}) as completion,
  c.time_zone as "timeZone"
from connections w join companies c on c.id = w.company_id
where w.company_id = $1 and w.id = $2 and w.deleted_at is null`,
};

const adStatement = {
  name: "messages.ad-introduced",
  text: `
select 1 from messages m
where m.company_id = $1 and m.ticket_id = $2 and m.created_at > $4::timestamptz - interval '1 day'
  and m.details ->> 'kind' = 'ad' and m.details ->> 'sourceUrl' = $3
limit 1`,
};
