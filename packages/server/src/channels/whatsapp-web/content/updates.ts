import type {
  BaileysEventMap,
  BinaryNode,
  WACallEvent,
  WAMessageContent,
  WAMessageUpdate,
} from "baileys";
import { proto } from "baileys";
import type {
  AckEvent,
  CallEvent,
  DurableEvent,
  MessageRef,
  Peer,
  PresenceState,
  ProviderFailure,
  SendFailedEvent,
  TransientEvent,
} from "../../port.ts";
import type { Self } from "./addresses.ts";
import { isSelf, toAddress, toPeer } from "./addresses.ts";
import { firstText, momentOf, textOf, unwrap } from "./fields.ts";

/**
 * One entry of `messages.update`: acks and late refusals of our own messages, edits and deletions. `messages.upsert`
 * repeats the edits and deletions, with the author of a message that an admin deleted. Never throws.
 */
export function toUpdateEvents(
  { key, update }: WAMessageUpdate,
  { self, now }: { self: Self; now: Date },
): DurableEvent[] {
  const chat = toAddress(key?.remoteJid);
  const id = textOf(key?.id);
  if (!chat || id === "" || isSelf(chat, self) || !update) return [];
  const author = chat.kind === "group" ? toAddress(key.participant) : null;
  const ref = { chat, id, fromMe: key.fromMe === true, ...(author ? { author } : {}) };
  const at = momentOf(update.messageTimestamp, now);
  const found = [
    ref.fromMe
      ? (ackOf(ref, update.status) ??
        refusalEvent(ref, update.status, update.messageStubParameters))
      : null,
    editOf(ref, update.message, at),
    update.messageStubType === proto.WebMessageInfo.StubType.REVOKE
      ? { type: "revoke" as const, target: ref, at }
      : null,
  ];
  return found.filter((event) => event !== null);
}

function ackOf({ chat, id }: MessageRef, status: unknown): AckEvent | null {
  const level = ([2, 3, 4, 5] as const).find((one) => one === status);
  return level ? { type: "ack", providerId: id, chat, level } : null;
}

function editOf(target: MessageRef, message: unknown, at: Date): DurableEvent | null {
  if (unwrap(message)?.isEdit !== true) return null;
  const text = editedText(message);
  return text === "" ? null : { type: "edit", target, text, at };
}

const { REVOKE, MESSAGE_EDIT } = proto.Message.ProtocolMessage.Type;

/** The author of a message or a change, with its chat and time. */
export type Actor = { ref: MessageRef; from: Peer; self: Self; at: Date };

/** Edits and deletions; null for all other signals between phones (behaviour 1.1). */
export function protocolEvent(
  message: proto.Message.IProtocolMessage,
  actor: Actor,
): DurableEvent | null {
  const id = textOf(message.key?.id);
  if (id === "") return null;
  if (message.type === REVOKE) return revokeEvent(id, message.key, actor);
  if (message.type !== MESSAGE_EDIT) return null;
  const text = editedText(message.editedMessage);
  return text === "" ? null : editEvent(id, text, actor);
}

/** A message is edited only by its author. */
export function editEvent(id: string, text: string, { ref, at }: Actor): DurableEvent {
  return { type: "edit", target: { ...ref, id }, text, at };
}

/** The new text or caption. */
export function editedText(message: unknown): string {
  const content: WAMessageContent = unwrap(message)?.content ?? {};
  const { conversation, extendedTextMessage, imageMessage, videoMessage, documentMessage } =
    content;
  return firstText(
    conversation,
    extendedTextMessage?.text,
    imageMessage?.caption,
    videoMessage?.caption,
    documentMessage?.caption,
  );
}

/**
 * People delete their own messages; a group's admin also deletes those of others, and names their author. The key is in
 * the perspective of the person who deletes: `fromMe` is that person's own message.
 */
function revokeEvent(
  id: string,
  key: proto.IMessageKey | null | undefined,
  { ref, self, at }: Actor,
): DurableEvent | null {
  const { chat } = ref;
  if (key?.fromMe === true) return { type: "revoke", target: { ...ref, id }, at };
  const author = chat.kind === "group" ? toAddress(key?.participant) : null;
  if (author && author.kind !== "group") {
    return { type: "revoke", target: { chat, id, fromMe: isSelf(author, self), author }, at };
  }
  return key?.fromMe === false ? null : { type: "revoke", target: { ...ref, id }, at };
}

/** Expects the key from our own perspective. An empty text removes the reaction. */
export function reactionEvent(
  reaction: proto.Message.IReactionMessage,
  { ref, from, at }: Actor,
): DurableEvent | null {
  const target = refOf(reaction.key, ref);
  if (!target) return null;
  const emoji = textOf(reaction.text).trim();
  const { fromMe } = ref;
  return { type: "reaction", target, from, fromMe, emoji: emoji === "" ? null : emoji, at };
}

/** The message that a key names, in the chat of the naming message. */
export function refOf(
  key: proto.IMessageKey | null | undefined,
  { chat }: MessageRef,
): MessageRef | null {
  const id = textOf(key?.id);
  if (id === "") return null;
  const author = chat.kind === "group" ? toAddress(key?.participant) : null;
  return { chat, id, fromMe: key?.fromMe === true, ...(author ? { author } : {}) };
}

/** Error codes in the acknowledgement of a refused message. */
const KINDS: Record<string, ProviderFailure["kind"]> = {
  // The account may not begin chats; each further try makes it worse.
  "463": "restricted",
  "404": "recipient-unknown",
  "429": "rate-limited",
};

/** The failure that a refusal's code means. */
export function refusalOf(code: string): ProviderFailure {
  return { kind: KINDS[code] ?? "bad-request", code };
}

/** Null unless the message's status is a refusal with a code. */
export function refusalEvent(
  { chat, id }: MessageRef,
  status: unknown,
  parameters: unknown,
): SendFailedEvent | null {
  if (status !== proto.WebMessageInfo.Status.ERROR) return null;
  const code = textOf(Array.isArray(parameters) ? parameters[0] : null);
  if (!/^\d+$/.test(code)) return null;
  return { type: "send-failed", providerId: id, chat, failure: refusalOf(code) };
}

/** By the receipt's type; other types are no acks. */
const levels: Readonly<Record<string, AckEvent["level"]>> = { "": 3, read: 4, played: 5 };

/** Acks of our messages by another person's phone: delivered, read, played. Never throws. */
export function toReceiptEvents({ attrs, content }: BinaryNode, self: Self): AckEvent[] {
  const chat = toAddress(attrs["from"]);
  const level = levels[textOf(attrs["type"])];
  // A receipt with a recipient comes from another device of our own account.
  if (!chat || !level || attrs["recipient"] || isSelf(chat, self)) return [];
  const isGroup = chat.kind === "group";
  const member = toAddress(attrs["participant"]);
  if (isGroup && (!member || isSelf(member, self))) return [];
  const ids = [textOf(attrs["id"]), ...furtherIds(content)].filter((id) => id !== "");
  // In a group the first member's ack counts for all, and "played" counts as "read".
  const known = isGroup && level === 5 ? 4 : level;
  return ids.map((providerId) => ({ type: "ack", providerId, chat, level: known }));
}

/** A receipt for several messages lists all but the first. */
function furtherIds(content: BinaryNode["content"]): string[] {
  const [list] = Array.isArray(content) ? content : [];
  if (list?.tag !== "list" || !Array.isArray(list.content)) return [];
  return list.content.map(({ attrs }) => textOf(attrs["id"]));
}

type PresenceEvent = Extract<TransientEvent, { type: "presence" }>;

const STATES: readonly PresenceState[] = [
  "available",
  "unavailable",
  "composing",
  "recording",
  "paused",
];

/** People's presences in `presence.update`, without our own. */
export function toPresenceEvents(
  { id, presences }: BaileysEventMap["presence.update"],
  self: Self,
): PresenceEvent[] {
  const chat = toAddress(id);
  if (!chat) return [];
  return Object.entries(presences ?? {}).flatMap(([jid, presence]) => {
    const address = toAddress(jid);
    const state = STATES.find((one) => one === presence?.lastKnownPresence);
    if (!address || address.kind === "group" || isSelf(address, self) || !state) return [];
    return [{ type: "presence", chat, peer: { addresses: [address] }, state }];
  });
}

/** The first ringing of a customer's call; null for all other states of a call, and for calls of groups. */
export function toCallEvent(
  call: WACallEvent,
  { self, isNewCall, now }: { self: Self; isNewCall: (id: string) => boolean; now: Date },
): CallEvent | null {
  if (call?.status !== "offer" || call.isGroup === true) return null;
  const id = textOf(call.id);
  const chat = toAddress(call.from) ?? toAddress(call.chatId);
  if (id === "" || !chat || chat.kind === "group" || isSelf(chat, self)) return null;
  if (!isNewCall(id)) return null;
  const from = toPeer([call.from, call.callerPn, call.chatId]) ?? { addresses: [chat] };
  const at = call.date instanceof Date && Number.isFinite(call.date.getTime()) ? call.date : now;
  return { type: "call", id, chat, from, isVideo: call.isVideo === true, at };
}
