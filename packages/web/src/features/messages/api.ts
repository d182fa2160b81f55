import type { Message } from "@balcao/contract";
import { useMutation, useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { historyKey, loadedHistory, withLiveEvents, writeMessageEvent } from "./history-cache.ts";
import type { MessageHistory, MessagePage } from "./message-history.ts";
import { addOlderPage, takeNewest, touches } from "./message-history.ts";

/** So many pages are read anew at most; what is older than that has settled. */
const REREAD_PAGES_MAX = 10;
/** So many are read anew even when the first one touches what is loaded: their acknowledgements may have moved. */
const REREAD_PAGES_MIN = 2;

/** The conversation of a ticket, kept current by live events while its room is joined. */
export function useHistory(ticketId: number) {
  return useQuery({
    queryKey: historyKey(ticketId),
    queryFn: ({ signal }) => readNewest(ticketId, signal),
    // Outside its room a conversation misses events, so it is read anew whenever it is opened.
    staleTime: 0,
    // An older page shifts all others, and each would be compared with its neighbour.
    structuralSharing: false,
  });
}

/** Loads the page before what is loaded. One at a time per ticket. */
export function useOlderMessages(ticketId: number) {
  return useMutation({
    mutationKey: ["messages", ticketId, "older"],
    scope: { id: `older messages ${ticketId}` },
    mutationFn: async (beforeId: string) => {
      // A second request of the same scroll waits its turn and finds the page there.
      if (loadedHistory(ticketId)?.messages[0]?.id !== beforeId) return;
      const history = await withLiveEvents(ticketId, async () => {
        const page = await readPage(ticketId, { beforeId });
        return (before) => (before ? addOlderPage(before, page) : { ...page });
      });
      queryClient.setQueryData<MessageHistory>(historyKey(ticketId), history);
    },
  });
}

/** Sends a text. The same `clientId` twice is one message. */
export async function postMessage(
  ticketId: number,
  message: { body: string; clientId: string },
): Promise<Message> {
  const stored = await call("POST /messages/:ticketId", { params: { ticketId }, body: message });
  writeMessageEvent({ action: "create", message: stored });
  return stored;
}

/** Sends a failed message of the server again, or gives it up. */
export function useFailedMessage() {
  return useMutation({
    mutationFn: async ({ message, wish }: { message: Message; wish: "retry" | "discard" }) => {
      const params = { messageId: message.id };
      if (wish === "retry") {
        const again = await call("POST /messages/retry/:messageId", { params });
        writeMessageEvent({ action: "update", message: again });
      } else {
        await call("DELETE /messages/failed/:messageId", { params });
        writeMessageEvent({ action: "delete", message });
      }
    },
  });
}

/** Tells the server that the agent has read the ticket. */
export async function markRead(ticketId: number): Promise<void> {
  await call("POST /messages/:ticketId/read", { params: { ticketId } });
}

async function readNewest(ticketId: number, signal: AbortSignal): Promise<MessageHistory> {
  return withLiveEvents(ticketId, async () => {
    let newest = await readPage(ticketId, {}, signal);
    for (let pages = 1; pages < REREAD_PAGES_MAX; pages += 1) {
      const loaded = loadedHistory(ticketId);
      const first = newest.messages[0];
      if (!loaded || !first || !newest.hasMore) break;
      const isLoadedBefore = loaded.messages[0]?.createdAt ?? first.createdAt;
      if (isLoadedBefore >= first.createdAt) break;
      if (pages >= REREAD_PAGES_MIN && touches(loaded, newest)) break;
      const older = await readPage(ticketId, { beforeId: first.id }, signal);
      newest = { ...older, messages: [...older.messages, ...newest.messages] };
    }
    return (before) => takeNewest(before, newest);
  });
}

function readPage(
  ticketId: number,
  query: { beforeId?: string },
  signal?: AbortSignal,
): Promise<MessagePage> {
  const request = { params: { ticketId }, query: { ...query, markRead: "false" as const } };
  return call("GET /messages/:ticketId", request, { signal });
}
