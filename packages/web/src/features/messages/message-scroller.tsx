import { limits } from "@balcao/contract/limits";
import type { ReactNode } from "react";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { dayKey } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { notifyError } from "../../ui/index.ts";
import { useFailedMessage, useOlderMessages } from "./api.ts";
import { JumpToEnd } from "./jump-to-end.tsx";
import type { MessageHistory } from "./message-history.ts";
import classes from "./message-list.module.css";
import { MessageRowView } from "./message-row-view.tsx";
import type { ListedMessage, MessageRow, UnreadMark } from "./message-rows.ts";
import { isFromMe, listedMessages, messageRows } from "./message-rows.ts";
import { discardUnsent, sendAgain } from "./sending.ts";
import type { UnsentMessage } from "./unsent-messages.ts";
import { useIsPageVisible, useMarkRead } from "./use-mark-read.ts";
import { useMessageVirtualizer } from "./use-message-virtualizer.ts";

type Props = {
  ticketId: number;
  customerName: string;
  history: MessageHistory;
  /** The history was read after this ticket was opened; before that it may be an old one. */
  isCurrent: boolean;
  unsent: readonly UnsentMessage[];
  unread: number;
  isReader: boolean;
};

/** The scrolling part: virtual rows held to the end, older pages above, the way back down. */
export function MessageScroller(props: Props): ReactNode {
  const { ticketId, customerName, history, isCurrent, unsent, unread, isReader } = props;
  const { t } = useTranslation();
  const scrollRef = useRef<HTMLDivElement>(null);

  const newestId = history.messages.at(-1)?.id;
  const unreadMark = useUnreadMark({ unread, newestId, isCurrent, isReader, unsent });
  const items = useMemo(
    () => listedMessages(history.messages, unsent),
    [history.messages, unsent],
  );
  const [dayOf] = useState(createDayOf);
  const rows = useMemo(
    () => messageRows(items, { hasMore: history.hasMore, unread: unreadMark, dayOf }),
    [items, history.hasMore, unreadMark, dayOf],
  );

  const { virtualizer, isAtEnd } = useMessageVirtualizer(rows, scrollRef);
  const older = useOlderMessages(ticketId);
  const firstId = history.messages[0]?.id;

  const loadOlderWhenNear = useCallback((): void => {
    const element = scrollRef.current;
    if (!element || !history.hasMore || firstId === undefined || older.isPending) return;
    if (element.scrollTop > limits.olderMessagesDistancePx) return;
    if (older.isError && older.variables === firstId) return; // failed: there is a button for it
    older.mutate(firstId);
  }, [history.hasMore, firstId, older]);
  // Also for a conversation that does not fill the pane, which never scrolls.
  useEffect(loadOlderWhenNear, [loadOlderWhenNear]);

  useOpenAtUnread(rows, virtualizer.scrollToIndex);
  useFollowOwnMessages(items, virtualizer.scrollToEnd);
  useMarkRead({ ticketId, unread, newestId, isReading: isReader && isAtEnd && isCurrent });
  const newCount = useNewSinceEnd(items, isAtEnd);
  const [flashedId, flash] = useFlash();

  const failed = useFailedMessage();
  const { mutate: settleFailed } = failed;
  const onRetry = useCallback(
    (item: ListedMessage): void => {
      if (item.kind === "unsent") sendAgain(item.unsent);
      else settleFailed({ message: item.message, wish: "retry" }, { onError: notifyError });
    },
    [settleFailed],
  );
  const onDiscard = useCallback(
    (item: ListedMessage): void => {
      if (item.kind === "unsent") discardUnsent(item.unsent);
      else settleFailed({ message: item.message, wish: "discard" }, { onError: notifyError });
    },
    [settleFailed],
  );
  const { scrollToIndex } = virtualizer;
  const onShowQuoted = useCallback(
    (messageId: string): void => {
      const index = rows.findIndex((row) => row.kind === "message" && idOf(row) === messageId);
      if (index === -1) return; // not loaded: further up than the page
      scrollToIndex(index, { align: "center" });
      flash(messageId);
    },
    [rows, scrollToIndex, flash],
  );

  const unloaded = history.count - history.messages.length;
  return (
    <div className={classes["pane"]}>
      <div
        ref={scrollRef}
        id="messages"
        className={classes["scroll"]}
        role="log"
        aria-live="polite"
        aria-label={t("messages.list")}
        // Rows that only come into view are no news.
        aria-busy={virtualizer.isScrolling || older.isPending}
        tabIndex={0}
        onScroll={loadOlderWhenNear}
      >
        <div className={classes["rows"]} style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map((virtual) => {
            const row = rows[virtual.index];
            if (!row) return null;
            return (
              <div
                key={virtual.key}
                ref={virtualizer.measureElement}
                data-index={virtual.index}
                className={classes["row"]}
                style={{ transform: `translateY(${virtual.start}px)` }}
              >
                <MessageRowView
                  row={row}
                  customerName={customerName}
                  unloaded={unloaded}
                  total={history.count + unsent.length}
                  isFlashed={row.kind === "message" && idOf(row) === flashedId}
                  onRetry={onRetry}
                  onDiscard={onDiscard}
                  onShowQuoted={onShowQuoted}
                />
              </div>
            );
          })}
        </div>
      </div>
      {older.isPending || older.isError ? (
        <div className={classes["older"]} role="status">
          {older.isError ? t("messages.olderFailed") : t("messages.loadingOlder")}
          {older.isError && firstId !== undefined ? (
            <button type="button" onClick={() => older.mutate(firstId)}>
              {t("common.retry")}
            </button>
          ) : null}
        </div>
      ) : null}
      {isAtEnd ? null : <JumpToEnd count={newCount} onClick={() => virtualizer.scrollToEnd()} />}
    </div>
  );
}

/** The calendar day of a time, worked out once per minute of the clock: it is asked for every loaded message. */
function createDayOf(): (iso: string) => string {
  const days = new Map<string, string>();
  return (iso) => {
    const minute = iso.slice(0, "2026-11-20T10:05".length);
    const known = days.get(minute);
    if (known !== undefined) return known;
    const day = dayKey(iso);
    days.set(minute, day);
    return day;
  };
}

function idOf(row: Extract<MessageRow, { kind: "message" }>): string | null {
  return row.item.kind === "stored" ? row.item.message.id : null;
}

/**
 * Where reading stopped: taken when the ticket is opened and when the agent comes back to the page; an own message
 * ends it.
 */
function useUnreadMark(now: {
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
function useOpenAtUnread(
  rows: readonly MessageRow[],
  scrollToIndex: (index: number, options: { align: "start" }) => void,
): void {
  const isDone = useRef(false);
  useLayoutEffect(() => {
    if (isDone.current) return;
    const index = rows.findIndex((row) => row.kind === "unread");
    if (index === -1) return;
    isDone.current = true;
    scrollToIndex(Math.max(0, index - 1), { align: "start" });
  }, [rows, scrollToIndex]);
}

/** Whoever sends wants to see it, wherever he was reading. */
function useFollowOwnMessages(items: readonly ListedMessage[], scrollToEnd: () => void): void {
  const last = items.at(-1);
  const newestOwn = last?.kind === "unsent" ? last.unsent.clientId : null;
  const known = useRef(newestOwn);
  useLayoutEffect(() => {
    if (newestOwn !== null && newestOwn !== known.current) scrollToEnd();
    known.current = newestOwn;
  }, [newestOwn, scrollToEnd]);
}

/** How many messages of the customer came since the end was last in view. */
function useNewSinceEnd(items: readonly ListedMessage[], isAtEnd: boolean): number {
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

function useFlash(): [string | null, (messageId: string) => void] {
  const [flashedId, setFlashedId] = useState<string | null>(null);
  useEffect(() => {
    if (flashedId === null) return undefined;
    const timer = setTimeout(() => setFlashedId(null), FLASH_MS);
    return () => clearTimeout(timer);
  }, [flashedId]);
  return [flashedId, setFlashedId];
}
