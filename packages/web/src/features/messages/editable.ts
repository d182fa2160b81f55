import type { Message } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { loadedHistory } from "./history-cache.ts";
import { isLine, writtenText } from "./message-content.ts";

/** The customer does not have it, or nobody knows: it can be neither answered nor changed. */
export function mayBeMissing(message: Message): boolean {
  return message.failedCode !== null || message.isUnconfirmed;
}

/** Own texts within 15 minutes of sending them (behaviour 1.10); what never left is discarded instead. */
export function isEditable(message: Message, nowMs: number): boolean {
  const isText = message.media === null && message.details === null;
  if (!message.fromMe || message.isDeleted || mayBeMissing(message) || !isText) return false;
  return nowMs - Date.parse(message.createdAt) < limits.editWithinMs;
}

/** Own ones that are not deleted yet; only outgoing messages can be (spec 2, tickets area). */
export function isDeletable(message: Message): boolean {
  return message.fromMe && !message.isDeleted && !mayBeMissing(message) && !isLine(message);
}

/** Whether there is anything to choose in the menu of a message. */
export function hasOptions(message: Message, canWrite: boolean): boolean {
  if (message.isDeleted || isLine(message)) return false;
  const isFile = message.media !== null && message.media.url !== null;
  return canWrite || isFile || writtenText(message) !== "";
}

/** The last own message that may still be edited, for ↑ in an empty composer; null when there is none. */
export function lastEditableMessage(ticketId: number, nowMs: number): Message | null {
  const messages = newestMessages(ticketId);
  return messages.findLast((message) => isEditable(message, nowMs)) ?? null;
}

const none: readonly Message[] = [];

/** The loaded end of the conversation, ascending; empty while it is not loaded, or shows an older part. */
export function newestMessages(ticketId: number): readonly Message[] {
  return loadedHistory(ticketId)?.messages ?? none;
}
