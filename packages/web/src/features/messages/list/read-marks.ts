import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { markRead } from "../api.ts";
import { useIsPageVisible } from "../presence/presence.ts";
import { settleOpenWish, showOpenWish, useOpenWish } from "../history/read-history.ts";
import type { UnsentMessage } from "../sending/unsent-messages.ts";
import type { ListedMessage, MessageRow, UnreadMark } from "./message-rows.ts";
import { isFromMe, rowIndexOf } from "./message-rows.ts";

/** A shorter look does not count as reading; it also saves a call per message of a burst. */
const READING_MS = 400;

/**
 * Marks the ticket as read while its agent has the newest message on the visible screen. `hasUnread` and `newestId` are
 * live: the call is repeated for new messages.
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
      // No error is shown: nothing is lost, and the next message or visit marks it again.
      markRead(ticketId).catch(() => undefined);
    }, READING_MS);
    return () => clearTimeout(timer);
  }, [mustMark, ticketId]);
}

/** The unread line: set when the ticket is opened and when the agent returns to the page; an own message removes it. */
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

/** Scrolls to the first unread message if the unread ones do not fit. */
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

/** The number of messages of the customer since the end was last visible. */
export function useNewSinceEnd(items: readonly ListedMessage[], isAtEnd: boolean): number {
  const [lastSeen, setLastSeen] = useState<ListedMessage | undefined>(undefined);
  const last = items.at(-1);
  if (isAtEnd && lastSeen !== last) setLastSeen(last);
  if (isAtEnd || lastSeen === undefined) return 0;
  const seenAt = timeKey(lastSeen);
  let count = 0;
  for (let index = items.length - 1; index >= 0; index -= 1) {
    const item = items[index];
    if (!item || timeKey(item) <= seenAt) break;
    if (!isFromMe(item)) count += 1;
  }
  return count;
}

function timeKey(item: ListedMessage): string {
  if (item.kind === "unsent") return `${item.unsent.createdAt} ${item.unsent.clientId}`;
  return `${item.message.createdAt} ${item.message.id}`;
}

const FLASH_MS = 1_000;

/** Centres the searched message as soon as it is loaded; returns the highlighted one. */
export function useShowWished(now: {
  ticketId: number;
  rows: readonly MessageRow[];
  scrollToIndex: (index: number, options: { align: "center" }) => void;
  isCurrent: boolean;
}): string | null {
  const { ticketId, rows, scrollToIndex, isCurrent } = now;
  const wish = useOpenWish(ticketId);
  useLayoutEffect(() => {
    if (wish === null || wish.isShown || !isCurrent) return;
    const index = rowIndexOf(rows, wish.messageId);
    if (index === -1) return;
    scrollToIndex(index, { align: "center" });
    showOpenWish(ticketId, wish);
  }, [ticketId, wish, rows, scrollToIndex, isCurrent]);
  useEffect(() => {
    if (wish?.isShown !== true) return undefined;
    const timer = setTimeout(() => settleOpenWish(ticketId, wish), FLASH_MS);
    return () => clearTimeout(timer);
  }, [ticketId, wish]);
  return wish?.isShown === true ? wish.messageId : null;
}
