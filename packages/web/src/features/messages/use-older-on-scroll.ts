import { limits } from "@balcao/contract/limits";
import type { RefObject } from "react";
import { useCallback, useEffect } from "react";
import { useOlderMessages } from "./api.ts";
import type { MessageHistory } from "./message-history.ts";

/** Loads the page above before its place comes into view. */
export function useOlderOnScroll(
  ticketId: number,
  history: MessageHistory,
  scrollRef: RefObject<HTMLElement | null>,
): { isPending: boolean; isError: boolean; onScroll: () => void; retry: () => void } {
  const { isPending, isError, variables, mutate } = useOlderMessages(ticketId);
  const { hasMore } = history;
  const firstId = history.messages[0]?.id;

  const loadWhenNear = useCallback((): void => {
    const element = scrollRef.current;
    if (!element || !hasMore || firstId === undefined || isPending) return;
    if (element.scrollTop > limits.olderMessagesDistancePx) return;
    if (isError && variables === firstId) return; // there is a button for what failed
    mutate(firstId);
  }, [scrollRef, hasMore, firstId, isPending, isError, variables, mutate]);
  // Also for a conversation that does not fill the pane, which never scrolls.
  useEffect(loadWhenNear, [loadWhenNear]);

  const retry = useCallback((): void => {
    if (firstId !== undefined) mutate(firstId);
  }, [firstId, mutate]);
  return { isPending, isError, onScroll: loadWhenNear, retry };
}
