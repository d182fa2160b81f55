import type { Message } from "@balcao/contract";
import type { ComponentType } from "react";
import { createContext, useContext } from "react";
import type { ListedMessage } from "./message-rows.ts";

/** A person of a shared contact card. */
export type SharedContact = Readonly<{ name: string; phone: string }>;

/** Lets choose any emoji. Passed in, for it belongs to the composer, which stands on this feature. */
export type EmojiPickerComponent = ComponentType<{ onPick: (emoji: string) => void }>;

/** What the messages of a conversation have in common. The same object while nothing of it changes. */
export type Conversation = Readonly<{
  ticketId: number;
  customerName: string;
  /** Several people write, so each message says who. */
  isGroup: boolean;
  /** The ticket is being served: messages can be answered, reacted to, changed. */
  canWrite: boolean;
  onRetry: (item: ListedMessage) => void;
  onDiscard: (item: ListedMessage) => void;
  /** Opens the picture or video large. */
  onView: (message: Message) => void;
  /** Opens the menu of the row with this key. */
  onMenu: (rowKey: string) => void;
  onReply: (message: Message) => void;
  onReact: (message: Message, emoji: string) => void;
  onUndo: (message: Message) => void;
  /** Starts a conversation with a shared contact; null where that is not offered. */
  onTalkTo: ((contact: SharedContact) => void) | null;
  EmojiPicker: EmojiPickerComponent | null;
}>;

export const ConversationContext = createContext<Conversation | null>(null);

export function useConversation(): Conversation {
  const conversation = useContext(ConversationContext);
  if (conversation === null) throw new Error("a message stands outside of a conversation");
  return conversation;
}
