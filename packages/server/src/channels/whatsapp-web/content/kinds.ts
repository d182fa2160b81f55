import type { proto, WAMessageContent, WAMessageKey } from "baileys";
import type { InboundContent } from "../../port.ts";
import { sharedContacts } from "./addresses.ts";
import type { Unwrapped } from "./fields.ts";
import { base64Of, firstText, listOf, numberOf, textOf } from "./fields.ts";
import { fileContent } from "./files.ts";
import { choiceContent, menuContent, pollContent } from "./menus-and-polls.ts";

/** Fields that people do not see as a message: signals between phones, and changes of other messages. */
const INVISIBLE = new Set([
  "albumMessage",
  "bcallMessage",
  "botTaskMessage",
  "call",
  "callLogMesssage",
  "chat",
  "encCommentMessage",
  "encEventResponseMessage",
  "encReactionMessage",
  "fastRatchetKeySenderKeyDistributionMessage",
  "keepInChatMessage",
  "limitSharingMessage",
  "messageContextInfo",
  "messageHistoryBundle",
  "messageHistoryNotice",
  "pinInChatMessage",
  "pollUpdateMessage",
  "protocolMessage",
  "reactionMessage",
  "secretEncryptedMessage",
  "senderKeyDistributionMessage",
  "statusNotificationMessage",
  "statusStickerInteractionMessage",
  "stickerSyncRmrMessage",
]);

/**
 * The content of an unwrapped message (behaviour 1.2); null for an empty one. Votes, reactions, edits and deletions are
 * translated elsewhere.
 */
export function contentOf(unwrapped: Unwrapped, key: WAMessageKey): InboundContent | null {
  const { content, isViewOnce } = unwrapped;
  return (
    fileAndAd(content, { key, isViewOnce }) ??
    (isViewOnce && kindsIn(content).length === 0 ? { kind: "view-once" } : null) ??
    placeContent(content) ??
    contactsContent(content) ??
    pollContent(content) ??
    choiceContent(content) ??
    menuContent(content, key) ??
    textContent(content) ??
    otherContent(content)
  );
}

/** Names of the visible fields. */
function kindsIn(content: WAMessageContent): string[] {
  return Object.entries(content)
    .filter(([name, value]) => value !== null && value !== undefined && !INVISIBLE.has(name))
    .map(([name]) => name);
}

/** A file, with the advertisement that brought it. */
function fileAndAd(
  content: WAMessageContent,
  options: Parameters<typeof fileContent>[1],
): InboundContent | null {
  const file = fileContent(content, options);
  if (file?.kind !== "media") return file;
  const { imageMessage, videoMessage, audioMessage, documentMessage, stickerMessage } = content;
  const message = imageMessage ?? videoMessage ?? audioMessage ?? documentMessage ?? stickerMessage;
  const ad = adOf(message?.contextInfo);
  return ad ? { ...file, ad } : file;
}

function textContent(content: WAMessageContent): InboundContent | null {
  const extended = content.extendedTextMessage;
  const text = firstText(content.conversation, extended?.text, extended?.matchedText);
  const ad = adOf(extended?.contextInfo);
  if (text === "" && !ad) return null;
  return { kind: "text", text, ...(ad ? { ad } : {}) };
}

function adOf(context: proto.IContextInfo | null | undefined) {
  const reply = context?.externalAdReply;
  if (!reply) return null;
  const [title, body] = [textOf(reply.title), textOf(reply.body)];
  const sourceUrl = firstText(reply.sourceUrl, reply.mediaUrl);
  return firstText(title, body, sourceUrl) === "" ? null : { title, body, sourceUrl };
}

function placeContent(content: WAMessageContent): InboundContent | null {
  const fixed = content.locationMessage;
  const place = fixed ?? content.liveLocationMessage;
  const latitude = numberOf(place?.degreesLatitude);
  const longitude = numberOf(place?.degreesLongitude);
  if (!place || latitude === null || longitude === null) return null;
  const isLive = !fixed || fixed.isLive === true;
  const name = firstText(fixed?.name, fixed?.comment, content.liveLocationMessage?.caption);
  const address = textOf(fixed?.address);
  const thumbnail = base64Of(place.jpegThumbnail);
  return {
    kind: "location",
    latitude,
    longitude,
    ...(name === "" ? {} : { name }),
    ...(address === "" ? {} : { address }),
    ...(isLive ? { isLive } : {}),
    ...(thumbnail === "" ? {} : { thumbnail }),
  };
}

function contactsContent(content: WAMessageContent): InboundContent | null {
  const { contactMessage, contactsArrayMessage } = content;
  const contacts = contactMessage
    ? sharedContacts([contactMessage])
    : sharedContacts(contactsArrayMessage?.contacts);
  return contacts.length === 0 ? null : { kind: "contacts", contacts };
}

const TEXTS = new Set(["conversation", "extendedTextMessage"]);

/** Kinds without a content of their own, and unknown ones, by their best text. */
function otherContent(content: WAMessageContent): InboundContent | null {
  const type = kindsIn(content).find((name) => !TEXTS.has(name));
  if (!type) return null;
  const value: unknown = Object.entries(content).find(([name]) => name === type)?.[1];
  return { kind: "other", type, text: knownText(content) ?? bestText(value) };
}

function knownText(content: WAMessageContent): string | null {
  const { groupInviteMessage, productMessage, orderMessage, eventMessage } = content;
  if (groupInviteMessage) {
    const { groupName, caption, inviteCode } = groupInviteMessage;
    const link = textOf(inviteCode) && `https://chat.whatsapp.com/${textOf(inviteCode)}`;
    return linesOf(groupName, caption, link);
  }
  if (productMessage) {
    const { product, body } = productMessage;
    const price = sumOf(product?.priceAmount1000, product?.currencyCode);
    return linesOf(product?.title, product?.description, price, product?.url, body);
  }
  if (orderMessage) {
    const { orderTitle, message, totalAmount1000, totalCurrencyCode } = orderMessage;
    return linesOf(orderTitle, message, sumOf(totalAmount1000, totalCurrencyCode));
  }
  if (eventMessage) {
    const { name, description, location, joinLink } = eventMessage;
    return linesOf(name, description, location?.name, joinLink);
  }
  return paymentText(content);
}

function paymentText(content: WAMessageContent): string | null {
  const { requestPaymentMessage, sendPaymentMessage, invoiceMessage } = content;
  if (requestPaymentMessage) {
    const { amount1000, currencyCodeIso4217, noteMessage } = requestPaymentMessage;
    return linesOf(sumOf(amount1000, currencyCodeIso4217), bestText(noteMessage));
  }
  if (sendPaymentMessage) return bestText(sendPaymentMessage.noteMessage);
  return invoiceMessage ? textOf(invoiceMessage.note) : null;
}

/** Names of fields with visible text, the best first. */
const TEXT_FIELDS = [
  "text",
  "caption",
  "contentText",
  "hydratedContentText",
  "message",
  "body",
  "title",
  "orderTitle",
  "name",
  "groupName",
  "description",
  "note",
  "conversation",
  "fallbackLg",
] as const;
const DEEPEST = 4;

/** The best text in a message of an unknown kind; empty without any. */
function bestText(value: unknown, depth = 0): string {
  if (!isRecord(value) || depth > DEEPEST) return "";
  const own = firstText(...TEXT_FIELDS.map((name) => value[name]));
  if (own !== "") return own;
  for (const [name, inner] of Object.entries(value)) {
    if (name === "contextInfo") continue;
    const found = bestText(inner, depth + 1);
    if (found !== "") return found;
  }
  return "";
}

function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  return !Array.isArray(value) && !(value instanceof Uint8Array);
}

/** Formats thousandths of a currency's unit. */
function sumOf(thousandths: unknown, currency: unknown): string {
  const amount = numberOf(thousandths);
  if (amount === null || amount <= 0) return "";
  return `${textOf(currency)} ${(amount / 1000).toFixed(2)}`.trim();
}

/** The non-empty parts, one per line. */
function linesOf(...parts: readonly unknown[]): string {
  return listOf(parts)
    .map((part) => textOf(part).trim())
    .filter(Boolean)
    .join("\n");
}
