import type { WAMessageContent } from "baileys";
import { proto } from "baileys";
import type { DurableEvent, MessageRef, Peer } from "../../port.ts";
import type { Self } from "./addresses.ts";
import { isSelf, toAddress } from "./addresses.ts";
import { firstText, textOf } from "./fields.ts";
import { unwrap } from "./unwrap.ts";

const { REVOKE, MESSAGE_EDIT } = proto.Message.ProtocolMessage.Type;

/** Who changes something, in which chat, when. */
export type Actor = { ref: MessageRef; from: Peer; self: Self; at: Date };

/** Edits and deletions; null for everything else phones tell each other (behaviour 1.1). */
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

/** Only whoever wrote a message edits it. */
export function editEvent(id: string, text: string, { ref, at }: Actor): DurableEvent {
  return { type: "edit", target: { ...ref, id }, text, at };
}

/** The new text, wherever it stands: a caption is one as well. */
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
 * A message of whoever deletes it; in a group its admin also deletes those of others, and names their author. The key is
 * written as the one who deletes sees it: `fromMe` is his own message.
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

/**
 * Expects the key from our own perspective. An empty text takes the reaction back.
 */
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

/** The message that a key names, in the chat of the one that names it. */
export function refOf(
  key: proto.IMessageKey | null | undefined,
  { chat }: MessageRef,
): MessageRef | null {
  const id = textOf(key?.id);
  if (id === "") return null;
  const author = chat.kind === "group" ? toAddress(key?.participant) : null;
  return { chat, id, fromMe: key?.fromMe === true, ...(author ? { author } : {}) };
}
