import type { Message, RequestOf } from "@balcao/contract";
import { useMutation, useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { currentSession } from "../../api/session-store.ts";
import { oncePainted } from "../../realtime/index.ts";
import { notifyError } from "../../ui/index.ts";
import { ownReaction, withOwnReaction } from "./bubble/message-content.ts";
import type { MessageHistory } from "./history/message-history.ts";
import {
  addNewerPage,
  addOlderPage,
  endOf,
  historyKey,
  loadedHistory,
  withLiveEvents,
  writeMessageEvent,
} from "./history/message-history.ts";
import { readEnd, readHistory, readPage } from "./history/read-history.ts";
import { teamSource } from "./history/team-source.ts";

/** The conversation of a ticket, kept current by live events while its room is joined. */
export function useHistory(ticketId: number) {
  return useQuery({
    queryKey: historyKey(ticketId),
    queryFn: ({ queryKey, signal }) => oncePainted(queryKey, () => readHistory(ticketId, signal)),
    // Outside its room a conversation misses events, so it is refetched whenever it is opened.
    staleTime: 0,
    // An older page shifts all others, so structural sharing would compare different pages.
    structuralSharing: false,
  });
}

export type PageSide = "older" | "newer";

/** Loads the page before or after what is loaded; `edgeId` is the message at that edge. One at a time per ticket. */
export function useMorePages(ticketId: number, side: PageSide) {
  return useMutation({
    mutationKey: ["messages", ticketId, side],
    scope: { id: `more messages ${ticketId}` },
    mutationFn: async (edgeId: string) => {
      // A second request of the same scroll waits and then finds the page loaded.
      const loaded = loadedHistory(ticketId)?.messages;
      const edge = side === "older" ? loaded?.[0] : loaded?.at(-1);
      if (edge?.id !== edgeId) return;
      const history = await withLiveEvents(ticketId, async () => {
        const page = await readPage(
          ticketId,
          side === "older" ? { beforeId: edgeId } : { afterId: edgeId },
        );
        const add = side === "older" ? addOlderPage : addNewerPage;
        return (before) => (before ? add(before, page) : endOf(page));
      });
      queryClient.setQueryData<MessageHistory>(historyKey(ticketId), history);
    },
  });
}

/** Shows the end of a conversation instead of the loaded part. */
export function useGoToEnd(ticketId: number) {
  return useMutation({
    mutationKey: ["messages", ticketId, "end"],
    scope: { id: `more messages ${ticketId}` },
    mutationFn: async () => {
      const history = await readEnd(ticketId);
      queryClient.setQueryData<MessageHistory>(historyKey(ticketId), history);
    },
    onError: notifyError,
  });
}

/** Sends a text. The same `clientId` twice is one message. */
export async function postMessage(
  ticketId: number,
  message: Pick<
    RequestOf<"POST /messages/:ticketId">["body"],
    "body" | "quotedMsg" | "undoSeconds"
  > & {
    clientId: string;
  },
  signal?: AbortSignal,
): Promise<Message> {
  const request = { params: { ticketId }, body: message };
  const stored = await call("POST /messages/:ticketId", request, { signal });
  writeMessageEvent({ action: "create", message: stored });
  return stored;
}

/** Sends an approved template. The same `clientId` twice is one message. */
export async function postApprovedTemplate(
  ticketId: number,
  body: RequestOf<"POST /messages/:ticketId/template">["body"],
): Promise<void> {
  const stored = await call("POST /messages/:ticketId/template", { params: { ticketId }, body });
  writeMessageEvent({ action: "create", message: stored });
}

/** Edits an own message; throws if it may no longer be edited. */
export async function editMessage(message: Message, body: string): Promise<void> {
  const params = { messageId: message.id };
  const team = teamSource(message.ticketId);
  const edited =
    (await team?.edit(message, body)) ??
    (await call("POST /messages/edit/:messageId", { params, body: { body } }));
  writeMessageEvent({ action: "update", message: edited });
}

/** Sends a failed message of the server again; `confirmed`: the user accepts that the customer may have it already. */
export async function retryMessage(
  message: Message,
  body: { confirmed: boolean } = { confirmed: false },
): Promise<void> {
  const params = { messageId: message.id };
  const again = await call("POST /messages/retry/:messageId", { params, body });
  writeMessageEvent({ action: "update", message: again });
}

/** Discards a failed message of the server. */
export async function discardMessage(message: Message): Promise<void> {
  await call("DELETE /messages/failed/:messageId", { params: { messageId: message.id } });
  writeMessageEvent({ action: "delete", message });
}

/** Sends messages once more, to another contact. The same `clientIds` twice are the same messages. */
export async function forwardTo(
  contactId: number,
  messages: readonly Message[],
  options: { clientIds: readonly string[]; signMessage: boolean },
): Promise<void> {
  const { clientIds, signMessage } = options;
  const messageIds = messages.map(({ id }) => id);
  const body = { messageIds, clientIds: [...clientIds], contactId, signMessage };
  await call("POST /message/forward", { body });
}

/** Marks the ticket as read. */
export async function markRead(ticketId: number): Promise<void> {
  const team = teamSource(ticketId);
  if (team === null) await call("POST /messages/:ticketId/read", { params: { ticketId } });
  else await team.markRead(ticketId);
}

/** Deletes an own message for everyone. */
export async function deleteMessage(message: Message): Promise<void> {
  const params = { messageId: message.id };
  const deleted = await call("DELETE /messages/:messageId", { params });
  writeMessageEvent({ action: "update", message: deleted });
}

/** Undoes a message that is not sent yet; throws `ERR_MESSAGE_SENT` if it is. */
export async function undoMessage(message: Message): Promise<void> {
  await call("DELETE /messages/undo/:messageId", { params: { messageId: message.id } });
  writeMessageEvent({ action: "delete", message });
}

/** Sets the company's reaction to a message, shown at once; an empty emoji removes it. */
export async function reactTo(message: Message, emoji: string): Promise<void> {
  const name = currentSession()?.user.name ?? "";
  writeMessageEvent({ action: "update", message: withOwnReaction(message, emoji, name) });
  const params = { messageId: message.id };
  try {
    const reacted = await call("POST /messages/:messageId/reactions", {
      params,
      body: { type: emoji },
    });
    writeMessageEvent({ action: "update", message: reacted });
  } catch (error) {
    const now = loadedHistory(message.ticketId)?.messages.find((one) => one.id === message.id);
    const before = ownReaction(message) ?? "";
    if (now) writeMessageEvent({ action: "update", message: withOwnReaction(now, before, name) });
    throw error;
  }
}
