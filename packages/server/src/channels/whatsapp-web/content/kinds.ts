import type { proto, WAMessageContent, WAMessageKey } from "baileys";
import type { InboundContent } from "../../port.ts";
import { bestText, linesOf, sumOf } from "./best-text.ts";
import { base64Of, countOf, firstText, listOf, numberOf, textOf } from "./fields.ts";
import { fileContent } from "./files.ts";
import { choiceContent, menuContent } from "./menus.ts";
import type { Unwrapped } from "./unwrap.ts";
import { sharedContacts } from "./vcard.ts";

/** What phones tell each other, or about messages that are there; people do not see it as a message. */
const NOT_SAID = new Set([
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
 * What an unwrapped message says (behaviour 1.2); null when it says nothing. What refers to other messages (votes,
 * reactions, edits, deletions) is not for here.
 */
export function contentOf(unwrapped: Unwrapped, key: WAMessageKey): InboundContent | null {
  const { content, isViewOnce } = unwrapped;
  return (
    fileAndAd(content, { key, isViewOnce }) ??
    (isViewOnce && saysNothing(content) ? { kind: "view-once" } : null) ??
    placeContent(content) ??
    contactsContent(content) ??
    pollContent(content) ??
    choiceContent(content) ??
    menuContent(content, key) ??
    textContent(content) ??
    otherContent(content)
  );
}

function saysNothing(content: WAMessageContent): boolean {
  return kindsIn(content).length === 0;
}

/** Names of the fields that say something. */
function kindsIn(content: WAMessageContent): string[] {
  return Object.entries(content)
    .filter(([name, value]) => value !== null && value !== undefined && !NOT_SAID.has(name))
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

/** Null also for one that is empty. */
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

const POLLS = [
  "pollCreationMessage",
  "pollCreationMessageV2",
  "pollCreationMessageV3",
  "pollCreationMessageV5",
] as const;

/** A poll's questions and options; its votes come as messages of their own. */
export function findPoll(content: WAMessageContent) {
  for (const type of POLLS) {
    const poll = content[type];
    if (poll) return { type, poll };
  }
  return null;
}

export function pollOptions(poll: proto.Message.IPollCreationMessage): string[] {
  return listOf(poll.options).map((option) => textOf(option?.optionName));
}

function pollContent(content: WAMessageContent): InboundContent | null {
  const found = findPoll(content);
  if (!found) return null;
  const { type, poll } = found;
  return {
    kind: "poll",
    type,
    question: textOf(poll.name),
    options: pollOptions(poll).filter(Boolean),
    // None given: as many as one likes.
    severalAllowed: countOf(poll.selectableOptionsCount) !== 1,
  };
}

const TEXTS = new Set(["conversation", "extendedTextMessage"]);

/** What has a text of its own to show, and whatever nobody knows yet. Never empty of a type. */
function otherContent(content: WAMessageContent): InboundContent | null {
  const type = kindsIn(content).find((name) => !TEXTS.has(name));
  if (!type) return null;
  return { kind: "other", type, text: knownText(content) ?? bestTextOf(content, type) };
}

function bestTextOf(content: WAMessageContent, type: string): string {
  return bestText(Object.entries(content).find(([name]) => name === type)?.[1]);
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
