import { limits } from "@balcao/contract/limits";
import type { RefObject } from "react";
import { useCallback, useEffect } from "react";
import type { PageSide } from "./api.ts";
import { useMorePages } from "./api.ts";
import type { MessageHistory } from "./message-history.ts";

export type MorePages = {
  isPending: boolean;
  isError: boolean;
  loadWhenNear: () => void;
  retry: () => void;
};

/** Loads the page above or below before its place comes into view. */
export function useMoreOnScroll(
  side: PageSide,
  ticketId: number,
  history: MessageHistory,
  scrollRef: RefObject<HTMLElement | null>,
): MorePages {
  const { isPending, isError, variables, mutate } = useMorePages(ticketId, side);
  const hasMore = side === "older" ? history.hasMore : history.hasNewer;
  const edgeId = (side === "older" ? history.messages[0] : history.messages.at(-1))?.id;

  const loadWhenNear = useCallback((): void => {
    const element = scrollRef.current;
    if (!element || !hasMore || edgeId === undefined || isPending) return;
    if (distancePx(element, side) > limits.olderMessagesDistancePx) return;
    if (isError && variables === edgeId) return; // there is a button for what failed
    mutate(edgeId);
  }, [scrollRef, side, hasMore, edgeId, isPending, isError, variables, mutate]);
  // Also for a conversation that does not fill the pane, which never scrolls.
  useEffect(loadWhenNear, [loadWhenNear]);

  const retry = useCallback((): void => {
    if (edgeId !== undefined) mutate(edgeId);
  }, [edgeId, mutate]);
  return { isPending, isError, loadWhenNear, retry };
}

function distancePx(element: HTMLElement, side: PageSide): number {
  if (side === "older") return element.scrollTop;
  return element.scrollHeight - element.clientHeight - element.scrollTop;
}
