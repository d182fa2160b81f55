import type { WAMessage, WAMessageKey } from "baileys";
import { proto } from "baileys";
import type { Address, DurableEvent, InboundContent, InboundMessage, Peer } from "../../port.ts";
import type { Self } from "./addresses.ts";
import { isSelf, toAddress, toPeer } from "./addresses.ts";
import type { Actor } from "./changes.ts";
import { editedText, editEvent, protocolEvent, reactionEvent, refOf } from "./changes.ts";
import type { PairMemory } from "./contacts.ts";
import { pairEvents } from "./contacts.ts";
import { contextOf, isForwarded, quotedRef } from "./context.ts";
import { refusalEvent } from "./failures.ts";
import { firstText, momentOf, textOf } from "./fields.ts";
import { contentOf } from "./kinds.ts";
import type { Unwrapped } from "./unwrap.ts";
import { unwrap } from "./unwrap.ts";

export type InboundContext = {
  self: Self;
  /** Of what others wrote; what the company wrote on its phone is `own-device` in any case but history. */
  origin: Exclude<InboundMessage["origin"], "own-device">;
  /** Chosen options of a vote; null when it cannot be read. Without it votes are dropped. */
  decryptPollVote?: (message: WAMessage) => readonly string[] | null;
  /** Subject of a group by its jid, if known. */
  groupName?: (jid: string) => string | undefined;
  /** Which number-and-privacy-id pairs were told already; without it each is told each time. */
  pairs?: PairMemory;
  /** When a message has no time of its own. */
  now?: Date;
};

const { REVOKE, CIPHERTEXT, E2E_DEVICE_CHANGED, E2E_IDENTITY_CHANGED } =
  proto.WebMessageInfo.StubType;

/** Announcements of the network. CIPHERTEXT: the decrypted message comes later with the same id (`pendingMessage`). */
const NOT_MESSAGES = new Set<unknown>([CIPHERTEXT, E2E_DEVICE_CHANGED, E2E_IDENTITY_CHANGED]);

/**
 * What a message says to the product, in order. Nothing for what is dropped (behaviour 1.1). Never throws. Expects keys
 * in our own perspective, as Baileys' `cleanMessage` leaves them.
 */
export function toDurableEvents(message: WAMessage, context: InboundContext): DurableEvent[] {
  const actor = actorOf(message, context);
  if (!actor) return [];
  const told = whoIsWho(actor, context);
  return [...told, ...eventsOf(message, actor, context), ...refusalsOf(message, actor)];
}

/**
 * What stands for a customer's message that cannot be decrypted yet; null when the message is no such one. What the
 * company wrote itself is on its phone.
 */
export function pendingMessage(message: WAMessage, context: InboundContext): InboundMessage | null {
  if (message.messageStubType !== CIPHERTEXT || message.message) return null;
  const actor = actorOf(message, context);
  if (!actor || actor.ref.fromMe || context.origin === "history") return null;
  return arrival({ kind: "pending" }, actor, context);
}

/** Who wrote it, and where; null when it is nobody's message to us. */
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

/** Names of further addresses in keys, also of older versions and in history. */
type WireKey = WAMessageKey & {
  senderPn?: unknown;
  senderLid?: unknown;
  participantPn?: unknown;
  participantLid?: unknown;
};

/**
 * The customer by all addresses: the author in a group, else the one the chat is with. Of what we wrote ourselves the
 * network names our own number beside the customer's privacy id: that is not his.
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

function whoIsWho(actor: Actor, { pairs, self }: InboundContext): DurableEvent[] {
  if (actor.from.addresses.some((address) => isSelf(address, self))) return [];
  return pairEvents(actor.from, actor.at, pairs);
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
  return said(unwrapped, actor, context, key);
}

function said(
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
    // What brought the customer here says nothing about what we wrote ourselves.
    ...arrival(actor.ref.fromMe ? withoutAd(content) : content, actor, context),
    ...(quoted ? { quoted } : {}),
    ...(isForwarded(about) ? { isForwarded: true } : {}),
  };
  // Edited while it waited in the socket's buffer: it may be known with its first text, or not at all.
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

/** A refusal by the network is merged into our own message while the socket's buffer is open. */
function refusalsOf({ status, messageStubParameters }: WAMessage, { ref }: Actor): DurableEvent[] {
  if (!ref.fromMe) return [];
  return listed(refusalEvent(ref, status, messageStubParameters));
}

function listed(event: DurableEvent | null): DurableEvent[] {
  return event ? [event] : [];
}
