import type { Message } from "@balcao/contract";
import type { ComponentType } from "react";
import { createContext, useContext } from "react";
import { createSessionStore } from "../../../api/session-store.ts";
import { useStore } from "../../../store/index.ts";
import { notifyError } from "../../../ui/index.ts";
import { discardMessage, reactTo, retryMessage, undoMessage } from "../api.ts";
import { discardUnsent, sendAgain } from "../sending/sending.ts";
import type { UnsentMessage } from "../sending/unsent-messages.ts";
import type { ListedMessage } from "./message-rows.ts";

/** A person of a shared contact card. */
export type SharedContact = Readonly<{ name: string; phone: string }>;

/** A picker for any emoji. It belongs to the composer, which imports this feature, so it is passed in. */
type EmojiPickerComponent = ComponentType<{ onPick: (emoji: string) => void }>;

/** The shared context of the messages of a conversation. The same object until something changes. */
export type Conversation = Readonly<{
  customerName: string;
  /** Several people write, so each message says who. */
  isGroup: boolean;
  /** The ticket is being served: messages can be answered, reacted to, changed. */
  canWrite: boolean;
  /** Starts a conversation with a shared contact; null where that is not offered. */
  onTalkTo: ((contact: SharedContact) => void) | null;
  EmojiPicker: EmojiPickerComponent | null;
  /** Opens the menu of the row with this key. */
  onMenu: (rowKey: string) => void;
  onOverlay: (overlay: Overlay) => void;
}>;

/** An overlay of the conversation: a picture or video, or a question before a message is deleted or sent again. */
export type Overlay = Readonly<{ kind: "view" | "delete" | "send-again"; message: Message }>;

export const ConversationContext = createContext<Conversation | null>(null);

export function useConversation(): Conversation {
  const conversation = useContext(ConversationContext);
  if (conversation === null) throw new Error("a message stands outside of a conversation");
  return conversation;
}

/** Points the composer of the message's ticket at it. */
export function replyTo(message: Message): void {
  aimComposer(message.ticketId, { kind: "reply", message });
}

export function react(message: Message, emoji: string): void {
  reactTo(message, emoji).catch(notifyError);
}

export function takeBack(message: Message): void {
  undoMessage(message)
    .then(() => publishUndone(message.ticketId, message))
    .catch(notifyError);
}

/** Gives up a message that did not go out, whether the server has it or not. */
export function discard(item: ListedMessage): void {
  if (item.kind === "unsent") discardUnsent(item.unsent);
  else discardMessage(item.message).catch(notifyError);
}

/** Takes a message out of the queue; its text goes back into the composer. */
export function cancelQueued(unsent: UnsentMessage): void {
  discardUnsent(unsent);
  if (unsent.file === null) publishUndone(unsent.ticketId, unsent);
}

/** Sends a message again that did not go out; a question comes first where it may have. */
export function retry(item: ListedMessage, onOverlay: Conversation["onOverlay"]): void {
  if (item.kind === "unsent") sendAgain(item.unsent);
  else if (item.message.isUnconfirmed) onOverlay({ kind: "send-again", message: item.message });
  else retryMessage(item.message).catch(notifyError);
}

/** The parts of a message that the composer takes back. */
export type TakenBack = Pick<Message, "body" | "quotedMsg">;

type Handler = (message: TakenBack) => void;

const handlers = new Map<number, Set<Handler>>();

/** Calls `handler` with each message of the ticket that the agent takes back. Returns the way to stop. */
export function onUndone(ticketId: number, handler: Handler): () => void {
  const known = handlers.get(ticketId) ?? new Set();
  handlers.set(ticketId, known.add(handler));
  return () => {
    known.delete(handler);
    if (known.size === 0) handlers.delete(ticketId);
  };
}

/** Hands the text of a message that was taken back to the composer of its ticket. */
export function publishUndone(ticketId: number, message: TakenBack): void {
  for (const handler of handlers.get(ticketId) ?? []) handler(message);
}

/** The message that the composer of a ticket answers or edits. */
export type ComposerTarget = Readonly<{ kind: "reply" | "edit"; message: Message }>;

const targets = createSessionStore<ReadonlyMap<number, ComposerTarget>>(new Map());

/** Points the ticket's composer at a message; null lets it write something new again. */
export function aimComposer(ticketId: number, target: ComposerTarget | null): void {
  const next = new Map(targets.get());
  if (target === null) next.delete(ticketId);
  else next.set(ticketId, target);
  targets.set(next);
}

/** The target of the ticket's composer; the same object until it changes. */
export function useComposerTarget(ticketId: number): ComposerTarget | null {
  return useStore(targets, (all) => all.get(ticketId) ?? null);
}
