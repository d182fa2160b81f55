import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { markRead } from "./api.ts";

/** A glance that short is no reading; it also spares a call per message of a burst. */
const READING_MS = 400;

function subscribeToVisibility(listener: () => void): () => void {
  document.addEventListener("visibilitychange", listener);
  return () => document.removeEventListener("visibilitychange", listener);
}

/** Whether this tab is the one on the screen. */
export function useIsPageVisible(): boolean {
  return useSyncExternalStore(subscribeToVisibility, () => document.visibilityState === "visible");
}

/**
 * Marks the ticket read while its newest message is in view, on the screen, before the agent whose ticket it is.
 * `hasUnread` and `newestId` are live: the call is repeated when more arrives.
 */
export function useMarkRead(state: {
  ticketId: number;
  hasUnread: boolean;
  newestId: string | undefined;
  isReading: boolean;
}): void {
  const { ticketId, hasUnread, newestId, isReading } = state;
  const isVisible = useIsPageVisible();
  const newest = useRef(newestId);
  useEffect(() => {
    newest.current = newestId;
  });
  const [markedId, setMarkedId] = useState<string | undefined>(undefined);
  const mustMark = isReading && isVisible && hasUnread && newestId !== markedId;
  useEffect(() => {
    if (!mustMark) return undefined;
    const timer = setTimeout(() => {
      setMarkedId(newest.current);
      // Not told to the agent: nothing is lost, and the next message or visit marks it again.
      markRead(ticketId).catch(() => undefined);
    }, READING_MS);
    return () => clearTimeout(timer);
  }, [mustMark, ticketId]);
}
