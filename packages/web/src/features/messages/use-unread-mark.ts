import { useLayoutEffect, useRef, useState } from "react";
import type { MessageRow, UnreadMark } from "./message-rows.ts";
import type { UnsentMessage } from "./unsent-messages.ts";
import { useIsPageVisible } from "./use-mark-read.ts";

/**
 * Where reading stopped: taken when the ticket is opened and when the agent comes back to the page; an own message
 * ends it.
 */
export function useUnreadMark(now: {
  unread: number;
  newestId: string | undefined;
  isCurrent: boolean;
  isReader: boolean;
  unsent: readonly UnsentMessage[];
}): UnreadMark | null {
  const { unread, newestId, isCurrent, isReader, unsent } = now;
  const isVisible = useIsPageVisible();
  const [mark, setMark] = useState<UnreadMark | null>(null);
  const [wasVisible, setWasVisible] = useState(false);
  if (isCurrent && isVisible !== wasVisible) {
    setWasVisible(isVisible);
    if (isVisible && isReader && unread > 0 && newestId !== undefined) {
      setMark({ count: unread, lastMessageId: newestId });
    }
  }
  const [knownUnsent, setKnownUnsent] = useState(unsent.length);
  if (unsent.length !== knownUnsent) {
    setKnownUnsent(unsent.length);
    if (unsent.length > knownUnsent) setMark(null);
  }
  return mark;
}

/** Shows the first unread message when the ticket opens on more of them than fit. */
export function useOpenAtUnread(
  rows: readonly MessageRow[],
  scrollToIndex: (index: number, options: { align: "start" }) => void,
  isWanted: boolean,
): void {
  const isDone = useRef(false);
  useLayoutEffect(() => {
    if (isDone.current || !isWanted) return;
    const index = rows.findIndex((row) => row.kind === "unread");
    if (index === -1) return;
    isDone.current = true;
    scrollToIndex(Math.max(0, index - 1), { align: "start" });
  }, [rows, scrollToIndex, isWanted]);
}
