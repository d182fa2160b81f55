import type { Message } from "@balcao/contract";
import { queryClient } from "../../../api/query-client.ts";
import { batchPerFrame, useCompanyEvent, useRoom } from "../../../realtime/index.ts";
import { createEventJournal } from "../../../realtime/live.ts";

/** A loaded part of a ticket's conversation without gaps: its end, or a part around a searched message. */
export type MessageHistory = {
  /** Ascending by time; equal times in the order of arrival. */
  messages: readonly Message[];
  /** Older ones exist on the server. */
  hasMore: boolean;
  /** Newer ones exist that are not loaded: the part is not the end. */
  hasNewer: boolean;
  /** The message in the middle of the part; null for the end. */
  anchorId: string | null;
  /** All messages of the ticket, loaded or not. */
  count: number;
};

/** One page as the server sends it: ascending. */
export type MessagePage = Readonly<{
  messages: readonly Message[];
  hasMore: boolean;
  hasNewer: boolean;
  count: number;
}>;

/** The part of a live `appMessage` event that the history uses. */
type MessageEvent = Readonly<{ action: "create" | "update" | "delete"; message: Message }>;

/**
 * Applies one live event to the history of its ticket. Events can be applied twice, and late ones do not undo newer
 * ones.
 */
export function applyMessageEvent(history: MessageHistory, event: MessageEvent): MessageHistory {
  return event.action === "delete"
    ? removeMessage(history, event.message.id)
    : putMessage(history, event.message);
}

/** Inserts a message at its place, or applies its newer fields. */
export function putMessage(history: MessageHistory, message: Message): MessageHistory {
  const { messages } = history;
  const index = lastIndexOf(messages, message.id);
  const known = messages[index];
  if (known) {
    const merged = mergeMessage(known, message);
    if (merged === known) return history;
    const replaced = messages.with(index, merged);
    return {
      ...history,
      messages: saysTheSame(known, merged) ? replaced : requote(replaced, merged),
    };
  }
  if (isBeyondLoaded(history, message)) return history;
  const at = messages.findLastIndex((other) => other.createdAt <= message.createdAt) + 1;
  return { ...history, messages: messages.toSpliced(at, 0, message), count: history.count + 1 };
}

/** It loads with its page. */
function isBeyondLoaded(
  { messages, hasMore, hasNewer }: MessageHistory,
  message: Message,
): boolean {
  const first = messages[0];
  if (first === undefined) return false;
  if (hasMore && message.createdAt < first.createdAt) return true;
  return hasNewer && message.createdAt > (messages.at(-1) ?? first).createdAt;
}

function saysTheSame(before: Message, after: Message): boolean {
  return before.body === after.body && before.isDeleted === after.isDeleted;
}

/** A quote of an edited or deleted message changes with it. */
function requote(messages: readonly Message[], changed: Message): readonly Message[] {
  return messages.map((message) =>
    message.quotedMsg?.id === changed.id
      ? {
          ...message,
          quotedMsg: { ...message.quotedMsg, body: changed.body, isDeleted: changed.isDeleted },
        }
      : message,
  );
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

/** Prepends an older page. */
export function addOlderPage(history: MessageHistory, page: MessagePage): MessageHistory {
  return {
    ...history,
    messages: [...notLoaded(history, page), ...history.messages],
    hasMore: page.hasMore,
    // At the end events keep the count current; the reply may already include a pending event.
    count: history.hasNewer ? page.count : history.count,
  };
}

/** Appends a newer page. */
export function addNewerPage(history: MessageHistory, page: MessagePage): MessageHistory {
  return {
    ...history,
    messages: [...history.messages, ...notLoaded(history, page)],
    hasNewer: page.hasNewer,
    count: page.count,
  };
}

function notLoaded(history: MessageHistory, page: MessagePage): readonly Message[] {
  const loaded = new Set(history.messages.map((message) => message.id));
  return page.messages.filter((message) => !loaded.has(message.id));
}

/** The end of the conversation, without an older part. */
export function endOf(page: MessagePage): MessageHistory {
  return { ...page, hasNewer: false, anchorId: null };
}

/**
 * Replaces the newest part. The part loaded before stays if both touch; otherwise there would be a gap, and only the
 * new part remains.
 */
export function takeNewest(
  history: MessageHistory | undefined,
  newest: MessagePage,
): MessageHistory {
  const first = newest.messages[0];
  if (!history || history.hasNewer || !first || !newest.hasMore) return endOf(newest);
  const touchesAt = history.messages.findIndex((message) => message.id === first.id);
  if (touchesAt === -1) return endOf(newest);
  const older = history.messages.slice(0, touchesAt);
  const known = new Map(history.messages.map((message) => [message.id, message]));
  const fresh = newest.messages.map((message) => {
    const before = known.get(message.id);
    return before ? mergeMessage(before, message) : message;
  });
  return {
    messages: [...older, ...fresh],
    hasMore: older.length > 0 ? history.hasMore : newest.hasMore,
    hasNewer: false,
    anchorId: history.anchorId,
    count: newest.count,
  };
}

export function hasMessage(history: MessageHistory, messageId: string): boolean {
  return lastIndexOf(history.messages, messageId) !== -1;
}

/** The newer of two versions; an acknowledgement never decreases (spec 4, architecture 3). */
function mergeMessage(known: Message, incoming: Message): Message {
  const newer = incoming.updatedAt >= known.updatedAt ? incoming : known;
  const ack = Math.max(known.ack, incoming.ack);
  return newer.ack === ack ? newer : { ...newer, ack };
}

/** Live events concern the newest messages, so the search starts there. */
function lastIndexOf(messages: readonly Message[], id: string): number {
  return messages.findLastIndex((message) => message.id === id);
}

export const historyKey = (ticketId: number) => ["messages", ticketId] as const;

const journal = createEventJournal<MessageEvent>();

/** The loaded part of a ticket's conversation; undefined if none is loaded. */
export function loadedHistory(ticketId: number): MessageHistory | undefined {
  return queryClient.getQueryData<MessageHistory>(historyKey(ticketId));
}

/** Writes a live event, or the reply of a call, into the history of its ticket. */
export function writeMessageEvent(event: MessageEvent): void {
  journal.record(event);
  const { ticketId } = event.message;
  queryClient.setQueryData<MessageHistory>(historyKey(ticketId), (history) =>
    history ? applyMessageEvent(history, event) : history,
  );
}

/** Joins the ticket's room and keeps every loaded conversation current. */
export function useMessageEvents(ticketId: number): void {
  useRoom({ kind: "chatBox", ticketId });
  useCompanyEvent("appMessage", (event) => batchPerFrame(() => writeMessageEvent(event)));
}

/** Runs `load` and applies the ticket's events that arrived meanwhile to its result. */
export async function withLiveEvents(
  ticketId: number,
  load: () => Promise<(before: MessageHistory | undefined) => MessageHistory>,
): Promise<MessageHistory> {
  const { reply, missed } = await journal.during(load);
  const history = reply(loadedHistory(ticketId));
  return missed
    .filter((event) => event.message.ticketId === ticketId)
    .reduce(applyMessageEvent, history);
}
