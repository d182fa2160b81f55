import type { Message } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import type { ComponentType, ReactNode } from "react";
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

/** What only a chat of the team shows of a message. Its messages have no reactions, and are not forwarded or deleted. */
export type TeamParts = Readonly<{
  Beside: ComponentType<{ message: Message; endsGroup: boolean }>;
  Above: ComponentType<{ message: Message }>;
  Text: ComponentType<{ text: string; message: Message | null }>;
  Below: ComponentType<{ message: Message }>;
}>;

/** The shared context of the messages of a conversation. A stable object. */
export type Conversation = Readonly<{
  customerName: string;
  /** Several people write, so each message shows its author. */
  isGroup: boolean;
  /** The ticket is being served: messages can be answered, reacted to, changed. */
  canWrite: boolean;
  /** Starts a conversation with a shared contact; null if not offered. */
  onTalkTo: ((contact: SharedContact) => void) | null;
  EmojiPicker: EmojiPickerComponent | null;
  /** Null for a ticket. */
  team: TeamParts | null;
  /** Opens the menu of the row with this key. */
  onMenu: (rowKey: string) => void;
  onOverlay: (overlay: Overlay) => void;
}>;

/** An overlay of the conversation: a picture or video, a question about a message, or the choice of whom to forward to. */
export type Overlay = Readonly<
  | { kind: "view" | "delete" | "send-again"; message: Message }
  | { kind: "forward"; messages: readonly Message[] }
>;

/** Functions that parts with lazily loaded code register; they are called when a conversation closes. */
export const conversationEnds = new Set<() => void>();

export const ConversationContext = createContext<Conversation | null>(null);

export function useConversation(): Conversation {
  const conversation = useContext(ConversationContext);
  if (conversation === null) throw new Error("a message stands outside of a conversation");
  return conversation;
}

/** Makes the composer of the ticket reply to or edit the message. */
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

/** Discards a failed message, on the server or in this browser. */
export function discard(item: ListedMessage): void {
  if (item.kind === "unsent") discardUnsent(item.unsent);
  else discardMessage(item.message).catch(notifyError);
}

/** Removes a message from the queue; its text returns to the composer. */
export function cancelQueued(unsent: UnsentMessage): void {
  discardUnsent(unsent);
  if (unsent.file === null) publishUndone(unsent.ticketId, unsent);
}

/** Sends a failed message again; asks first if it may have been sent. */
export function retry(item: ListedMessage, onOverlay: Conversation["onOverlay"]): void {
  if (item.kind === "unsent") sendAgain(item.unsent);
  else if (item.message.isUnconfirmed) onOverlay({ kind: "send-again", message: item.message });
  else retryMessage(item.message).catch(notifyError);
}

/** The parts of a message that the composer takes back. */
export type TakenBack = Pick<Message, "body" | "quotedMsg">;

type Handler = (message: TakenBack) => void;

const handlers = new Map<number, Set<Handler>>();

/** Calls `handler` with each undone message of the ticket. Returns a function that stops it. */
export function onUndone(ticketId: number, handler: Handler): () => void {
  const known = handlers.get(ticketId) ?? new Set();
  handlers.set(ticketId, known.add(handler));
  return () => {
    known.delete(handler);
    if (known.size === 0) handlers.delete(ticketId);
  };
}

/** Returns the text of an undone message to the composer of its ticket. */
export function publishUndone(ticketId: number, message: TakenBack): void {
  for (const handler of handlers.get(ticketId) ?? []) handler(message);
}

/** The message that the composer of a ticket replies to or edits. */
export type ComposerTarget = Readonly<{ kind: "reply" | "edit"; message: Message }>;

const targets = createSessionStore<ReadonlyMap<number, ComposerTarget>>(new Map());

/** Sets the message that the ticket's composer replies to or edits; null for a new message. */
export function aimComposer(ticketId: number, target: ComposerTarget | null): void {
  const next = new Map(targets.get());
  if (target === null) next.delete(ticketId);
  else next.set(ticketId, target);
  targets.set(next);
}

/** The target of the ticket's composer; a stable object. */
export function useComposerTarget(ticketId: number): ComposerTarget | null {
  return useStore(targets, (all) => all.get(ticketId) ?? null);
}

/** What stands below messages beside their own parts, by message id; its code comes with it. */
export const belowMessages = createSessionStore<ReadonlyMap<string, ReactNode>>(new Map());

/** The chosen messages of conversations in selection mode, by ticket. */
const selections = createSessionStore<ReadonlyMap<number, ReadonlySet<string>>>(new Map());

/** Begins or changes the selection of a ticket's messages; null ends it. */
export function selectMessages(ticketId: number, ids: ReadonlySet<string> | null): void {
  const next = new Map(selections.get());
  if (ids === null) next.delete(ticketId);
  else next.set(ticketId, ids);
  selections.set(next);
}

/** Adds a message to the selection, or takes it out; a full selection stays as it is. */
export function toggleSelected({ id, ticketId }: Message): void {
  const ids = new Set(selections.get().get(ticketId));
  if (!ids.delete(id) && ids.size < limits.forwardMax) ids.add(id);
  selectMessages(ticketId, ids);
}

/** The ids of the ticket's chosen messages; null outside of selection mode. */
export function useSelection(ticketId: number): ReadonlySet<string> | null {
  return useStore(selections, (all) => all.get(ticketId) ?? null);
}

/** Whether a message is chosen; null outside of selection mode. */
export function useIsSelected(ticketId: number, id: string): boolean | null {
  return useStore(selections, (all) => all.get(ticketId)?.has(id) ?? null);
}
