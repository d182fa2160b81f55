import { queryClient } from "../../api/query-client.ts";
import { createEventJournal } from "../../realtime/event-journal.ts";
import type { MessageEvent, MessageHistory } from "./message-history.ts";
import { applyMessageEvent } from "./message-history.ts";

export const historyKey = (ticketId: number) => ["messages", ticketId] as const;

const journal = createEventJournal<MessageEvent>();

/** What is loaded of a ticket's conversation, undefined when nothing is. */
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

/** Runs `load` and applies to what it gives the events of the ticket that arrived meanwhile. */
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
