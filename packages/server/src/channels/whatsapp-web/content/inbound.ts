import type { WAMessage, WAMessageContent, WAMessageKey } from "baileys";
import { proto } from "baileys";
import type {
  Address,
  DurableEvent,
  InboundContent,
  InboundMessage,
  MessageRef,
  Peer,
} from "../../port.ts";
import type { Self } from "./addresses.ts";
import { isSelf, pairEvents, toAddress, toPeer } from "./addresses.ts";
import type { Unwrapped } from "./fields.ts";
import { countOf, firstText, momentOf, textOf, unwrap } from "./fields.ts";
import { contentOf } from "./kinds.ts";
import type { Actor } from "./updates.ts";
import {
  editedText,
  editEvent,
  protocolEvent,
  reactionEvent,
  refOf,
  refusalEvent,
} from "./updates.ts";

export type InboundContext = {
  self: Self;
  /** The origin of customers' messages; those written on the company's phone are `own-device`, except in history. */
  origin: Exclude<InboundMessage["origin"], "own-device">;
  /** Chosen options of a vote; null for an unreadable one. Without it votes are dropped. */
  decryptPollVote?: (message: WAMessage) => readonly string[] | null;
  /** Subject of a group by its jid, if known. */
  groupName?: (jid: string) => string | undefined;
  /** Whether a pair of number and privacy id was not reported yet; without it each is reported each time. */
  isNewPair?: (pair: string) => boolean;
  /** The time of messages without their own. */
  now?: Date;
};

const { REVOKE, CIPHERTEXT, E2E_DEVICE_CHANGED, E2E_IDENTITY_CHANGED } =
  proto.WebMessageInfo.StubType;

/** Announcements of the network. CIPHERTEXT: the decrypted message comes later with the same id (`pendingMessage`). */
const NOT_MESSAGES = new Set<unknown>([CIPHERTEXT, E2E_DEVICE_CHANGED, E2E_IDENTITY_CHANGED]);

/**
 * The events of a message, in order; none for a dropped one (behaviour 1.1). Never throws. Expects keys in our own
 * perspective, as Baileys' `cleanMessage` leaves them.
 */
export function toDurableEvents(message: WAMessage, context: InboundContext): DurableEvent[] {
  const actor = actorOf(message, context);
  if (!actor) return [];
  const isOurs = actor.from.addresses.some((address) => isSelf(address, context.self));
  return [
    ...(isOurs ? [] : pairEvents(actor.from, actor.at, context.isNewPair)),
    ...eventsOf(message, actor, context),
    ...refusalsOf(message, actor),
  ];
}

/** The placeholder of a customer's message that cannot be decrypted yet; null for any other message. */
export function pendingMessage(message: WAMessage, context: InboundContext): InboundMessage | null {
  if (message.messageStubType !== CIPHERTEXT || message.message) return null;
  const actor = actorOf(message, context);
  if (!actor || actor.ref.fromMe || context.origin === "history") return null;
  return arrival({ kind: "pending" }, actor, context);
}

/** The author, the chat and the time; null when the message is not for the inbox. */
function actorOf(message: WAMessage, { self, now = new Date() }: InboundContext): Actor | null {
  const key: WAMessageKey | null | undefined = message?.key;
  const id = textOf(key?.id);
  const chat = toAddress(key?.remoteJid);
  if (!key || id === "" || !chat || isSelf(chat, self)) return null;
  if (message.category === "peer") return null;
  const fromMe = key.fromMe === true;
  const author = chat.kind === "group" ? toAddress(participantOf(message)) : null;
  const from = fromMe && chat.kind === "group" ? selfPeer(self) : personOf(message, chat, self);
  return {
    ref: { chat, id, fromMe, ...(author && author.kind !== "group" ? { author } : {}) },
    from: from ?? { addresses: [chat] },
    self,
    at: momentOf(message.messageTimestamp, now),
  };
}

function participantOf(message: WAMessage): unknown {
  return firstText(message.key.participant, message.participant);
}

function selfPeer({ pn, lid }: Self): Peer | null {
  return toPeer([pn && `${pn}@s.whatsapp.net`, lid && `${lid}@lid`]);
}

/** Fields with further addresses, also those of older versions and of history. */
type WireKey = WAMessageKey & {
  senderPn?: unknown;
  senderLid?: unknown;
  participantPn?: unknown;
  participantLid?: unknown;
};

/**
 * The customer by all addresses: the author in a group, else the chat's person. For our own messages the network names
 * our number beside the customer's privacy id: it is left out.
 */
function personOf(message: WAMessage, chat: Address, self: Self): Peer | null {
  const key: WireKey = message.key;
  const jids =
    chat.kind === "group"
      ? [participantOf(message), key.participantAlt, key.participantPn, key.participantLid]
      : [key.remoteJid, key.remoteJidAlt, key.senderPn, key.senderLid];
  const others = jids.filter((jid) => {
    const address = toAddress(jid);
    return address !== null && !isSelf(address, self);
  });
  const name = firstText(message.pushName, message.verifiedBizName).trim();
  return toPeer(others, key.fromMe === true ? "" : name);
}

function eventsOf(message: WAMessage, actor: Actor, context: InboundContext): DurableEvent[] {
  const { messageStubType: stub, key } = message;
  if (stub === REVOKE) return [{ type: "revoke", target: actor.ref, at: actor.at }];
  if (NOT_MESSAGES.has(stub)) return [];
  const unwrapped = unwrap(message.message);
  if (!unwrapped) return key.isViewOnce ? [arrival({ kind: "view-once" }, actor, context)] : [];
  const { protocolMessage, reactionMessage, pollUpdateMessage } = unwrapped.content;
  if (protocolMessage) return listed(protocolEvent(protocolMessage, actor));
  if (reactionMessage) return listed(reactionEvent(reactionMessage, actor));
  if (pollUpdateMessage) return vote(message, pollUpdateMessage, actor, context);
  return messageEvents(unwrapped, actor, context, key);
}

function messageEvents(
  unwrapped: Unwrapped,
  actor: Actor,
  context: InboundContext,
  key: WAMessageKey,
): DurableEvent[] {
  const content = contentOf(unwrapped, key);
  if (!content) return [];
  const about = contextOf(unwrapped.content);
  const quoted = quotedRef(about, { chat: actor.ref.chat, self: context.self });
  const message = {
    // An advertisement belongs to the customer's message only.
    ...arrival(actor.ref.fromMe ? withoutAd(content) : content, actor, context),
    ...(quoted ? { quoted } : {}),
    ...(isForwarded(about) ? { isForwarded: true } : {}),
  };
  // Edited while it was in the socket's buffer: it may be stored with its first text, or not at all.
  const text = unwrapped.isEdit ? editedText(unwrapped.content) : "";
  return text === "" ? [message] : [message, editEvent(actor.ref.id, text, actor)];
}

function withoutAd(content: InboundContent): InboundContent {
  if (content.kind === "text") return { kind: "text", text: content.text };
  if (content.kind !== "media") return content;
  const { ad: _, ...file } = content;
  return file;
}

function arrival(content: InboundContent, actor: Actor, context: InboundContext): InboundMessage {
  const { ref, from, at } = actor;
  const { origin } = context;
  const chatName = ref.chat.kind === "group" ? context.groupName?.(`${ref.chat.value}@g.us`) : "";
  return {
    type: "message",
    ref,
    from,
    at,
    origin: ref.fromMe && origin !== "history" ? "own-device" : origin,
    content,
    ...(chatName ? { chatName } : {}),
  };
}

function vote(
  message: WAMessage,
  update: proto.Message.IPollUpdateMessage,
  actor: Actor,
  context: InboundContext,
): DurableEvent[] {
  const options = context.decryptPollVote?.(message);
  const quoted = refOf(update.pollCreationMessageKey, actor.ref);
  if (!options || !quoted) return [];
  return [{ ...arrival({ kind: "poll-vote", options }, actor, context), quoted }];
}

/** The socket's buffer merges a refusal into our own message. */
function refusalsOf({ status, messageStubParameters }: WAMessage, { ref }: Actor): DurableEvent[] {
  if (!ref.fromMe) return [];
  return listed(refusalEvent(ref, status, messageStubParameters));
}

function listed(event: DurableEvent | null): DurableEvent[] {
  return event ? [event] : [];
}

/** The message's context: the quoted message, and whether it is forwarded. */
function contextOf(content: WAMessageContent): proto.IContextInfo | null {
  return Object.values(content).find(hasContext)?.contextInfo ?? null;
}

function hasContext(value: unknown): value is { contextInfo: proto.IContextInfo } {
  if (typeof value !== "object" || value === null || !("contextInfo" in value)) return false;
  return typeof value.contextInfo === "object" && value.contextInfo !== null;
}

function isForwarded(context: proto.IContextInfo | null): boolean {
  return context?.isForwarded === true || countOf(context?.forwardingScore) > 0;
}

/** The quoted message; its author tells whether it was ours. */
function quotedRef(
  context: proto.IContextInfo | null,
  { chat, self }: { chat: Address; self: Self },
): MessageRef | null {
  const id = textOf(context?.stanzaId);
  if (id === "") return null;
  const author = toAddress(context?.participant);
  return {
    chat: toAddress(context?.remoteJid) ?? chat,
    id,
    fromMe: author !== null && isSelf(author, self),
    ...(author && author.kind !== "group" ? { author } : {}),
  };
}
