import type { Message } from "@balcao/contract";

/** The loaded end of a ticket's conversation: no gap between its first message and the newest. */
export type MessageHistory = {
  /** Ascending by time; of the same instant in the order of their arrival. */
  messages: readonly Message[];
  /** Older ones exist on the server. */
  hasMore: boolean;
  /** All messages of the ticket, loaded or not. */
  count: number;
};

/** One page as the server sends it: ascending. */
export type MessagePage = Readonly<{
  messages: readonly Message[];
  hasMore: boolean;
  count: number;
}>;

/** What the history needs of a live `appMessage` event. */
export type MessageEvent = Readonly<{ action: "create" | "update" | "delete"; message: Message }>;

/** Writes one live event into the history of its ticket. Twice is harmless, late ones do not undo newer ones. */
export function applyMessageEvent(history: MessageHistory, event: MessageEvent): MessageHistory {
  return event.action === "delete"
    ? removeMessage(history, event.message.id)
    : putMessage(history, event.message);
}

/** Adds a message at its place, or takes over what is newer in it. */
export function putMessage(history: MessageHistory, message: Message): MessageHistory {
  const { messages } = history;
  const index = lastIndexOf(messages, message.id);
  const known = messages[index];
  if (known) {
    const merged = mergeMessage(known, message);
    return merged === known ? history : { ...history, messages: messages.with(index, merged) };
  }
  const first = messages[0];
  const isOlderThanLoaded = first !== undefined && message.createdAt < first.createdAt;
  if (isOlderThanLoaded && history.hasMore) return history;
  const at = messages.findLastIndex((other) => other.createdAt <= message.createdAt) + 1;
  return { ...history, messages: messages.toSpliced(at, 0, message), count: history.count + 1 };
}

function removeMessage(history: MessageHistory, messageId: string): MessageHistory {
  const index = lastIndexOf(history.messages, messageId);
  if (index === -1) return history;
  return {
    ...history,
    messages: history.messages.toSpliced(index, 1),
    count: Math.max(0, history.count - 1),
  };
}

/** Puts an older page before what is loaded. */
export function addOlderPage(history: MessageHistory, page: MessagePage): MessageHistory {
  const loaded = new Set(history.messages.map((message) => message.id));
  const older = page.messages.filter((message) => !loaded.has(message.id));
  return {
    messages: [...older, ...history.messages],
    hasMore: page.hasMore,
    count: Math.max(history.count, page.count),
  };
}

/**
 * Takes over the newest part as the server has it now. What was loaded before that part stays when both touch;
 * otherwise there would be a gap, and only the new part remains.
 */
export function takeNewest(
  history: MessageHistory | undefined,
  newest: MessagePage,
): MessageHistory {
  const first = newest.messages[0];
  if (!history || !first || !newest.hasMore) return { ...newest };
  const touchesAt = history.messages.findIndex((message) => message.id === first.id);
  if (touchesAt === -1) return { ...newest };
  const older = history.messages.slice(0, touchesAt);
  const known = new Map(history.messages.map((message) => [message.id, message]));
  const fresh = newest.messages.map((message) => {
    const before = known.get(message.id);
    return before ? mergeMessage(before, message) : message;
  });
  return {
    messages: [...older, ...fresh],
    hasMore: older.length > 0 ? history.hasMore : newest.hasMore,
    count: newest.count,
  };
}

/** Whether a part read anew reaches back to something that is loaded. */
export function touches(history: MessageHistory, newest: MessagePage): boolean {
  const first = newest.messages[0];
  return first !== undefined && history.messages.some((message) => message.id === first.id);
}

/** The newer of two versions; an acknowledgement never goes back (spec 4, architecture 3). */
function mergeMessage(known: Message, incoming: Message): Message {
  const newer = incoming.updatedAt >= known.updatedAt ? incoming : known;
  const ack = Math.max(known.ack, incoming.ack);
  return newer.ack === ack ? newer : { ...newer, ack };
}

/** Live events concern the newest messages, so the search starts there. */
function lastIndexOf(messages: readonly Message[], id: string): number {
  return messages.findLastIndex((message) => message.id === id);
}
