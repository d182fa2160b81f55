import type { Draft, Message, QuickMessage } from "@balcao/contract";
import { useQuery } from "@tanstack/react-query";
import { ApiError, call } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { randomUuid } from "../../api/random-uuid.ts";
import { currentSession } from "../../api/session-store.ts";
import { newestMessages } from "../messages/index.ts";
import type { DraftContent } from "./local-draft.ts";

/** Names this window to the server, which tells it back to the user's other windows. */
export const windowId = randomUuid();

/** The user's draft in a ticket as the server has it; read anew at each mount and after a break of the live channel. */
export function useServerDraft(ticketId: number) {
  return useQuery({
    queryKey: ["drafts", ticketId],
    queryFn: ({ signal }): Promise<Draft> =>
      call("GET /drafts/:ticketId", { params: { ticketId } }, { signal }),
    staleTime: 0,
    gcTime: 0,
    // An answer counts also when it says the same: the server can be reached, and a draft may wait for that.
    structuralSharing: false,
  });
}

/** Brings a draft to the server; refused here after signing out, so that nothing is written for it any more. */
export async function saveDraft(
  ticketId: number,
  { body, quotedMsgId }: DraftContent,
  { keepalive }: { keepalive: boolean },
): Promise<void> {
  if (currentSession() === null) {
    throw new ApiError({ status: 401, code: "ERR_SESSION_EXPIRED" });
  }
  const request = { params: { ticketId }, body: { body, quotedMsgId, clientId: windowId } };
  await call("PUT /drafts/:ticketId", request, { keepalive });
}

const quickMessagesKey = ["quick-messages", "all"] as const;

const quickMessagesQuery = {
  queryKey: quickMessagesKey,
  queryFn: ({ signal }: { signal: AbortSignal }): Promise<QuickMessage[]> =>
    call("GET /quick-messages/list", {}, { signal }),
  staleTime: 0,
};

/** All quick messages of the user and his company; what was read before is there at once. */
export function useAllQuickMessages() {
  return useQuery(quickMessagesQuery);
}

/** Reads them ahead of the moment they are needed. */
export function prefetchQuickMessages(): void {
  void queryClient.prefetchQuery({ ...quickMessagesQuery, staleTime: 60_000 });
}

/** Changes the quick messages that are loaded. */
export function writeQuickMessages(
  change: (known: readonly QuickMessage[]) => QuickMessage[],
): void {
  queryClient.setQueryData<QuickMessage[]>(quickMessagesKey, (known) =>
    known ? change(known) : known,
  );
}

/** A message of the ticket, loaded or not; null when it is not there (any more). */
export async function findMessage(ticketId: number, messageId: string): Promise<Message | null> {
  const isIt = (message: Message): boolean => message.id === messageId;
  const loaded = newestMessages(ticketId).find(isIt);
  if (loaded) return loaded;
  const query = { aroundId: messageId, markRead: "false" as const };
  const page = await call("GET /messages/:ticketId", { params: { ticketId }, query });
  return page.messages.find(isIt) ?? null;
}
