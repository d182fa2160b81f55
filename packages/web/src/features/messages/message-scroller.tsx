import type { Message } from "@balcao/contract";
import type { ReactNode } from "react";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { dayKey } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { JumpToEnd } from "./jump-to-end.tsx";
import type { MessageHistory } from "./message-history.ts";
import classes from "./message-list.module.css";
import { MessageRowView } from "./message-row-view.tsx";
import type { ListedMessage, MessageRow } from "./message-rows.ts";
import { isFromMe, listedMessages, messageRows } from "./message-rows.ts";
import type { UnsentMessage } from "./unsent-messages.ts";
import { useFailureActions } from "./use-failure-actions.ts";
import { useMarkRead } from "./use-mark-read.ts";
import { useMessageVirtualizer } from "./use-message-virtualizer.ts";
import { useOlderOnScroll } from "./use-older-on-scroll.ts";
import { useOpenAtUnread, useUnreadMark } from "./use-unread-mark.ts";

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
  const items = useMemo(() => listedMessages(history.messages, unsent), [history.messages, unsent]);
  const [dayOf] = useState(createDayOf);
  const rows = useMemo(
    () => messageRows(items, { hasMore: history.hasMore, unread: unreadMark, dayOf }),
    [items, history.hasMore, unreadMark, dayOf],
  );

  const { virtualizer, isAtEnd } = useMessageVirtualizer(rows, scrollRef);
  const older = useOlderOnScroll(ticketId, history, scrollRef);

  useOpenAtUnread(rows, virtualizer.scrollToIndex);
  useFollowOwnMessages(items, virtualizer.scrollToEnd);
  // The ticket's count is cleared by accepting; the customer is told only when his messages were seen.
  const hasUnread = useMemo(() => unread > 0 || history.messages.some(isUnread), [history, unread]);
  useMarkRead({ ticketId, hasUnread, newestId, isReading: isReader && isAtEnd && isCurrent });
  const newCount = useNewSinceEnd(items, isAtEnd);
  const [flashedId, flash] = useFlash();

  const { onRetry, onDiscard } = useFailureActions();
  const { scrollToIndex } = virtualizer;
  const onShowQuoted = useCallback(
    (messageId: string): void => {
      const index = rows.findIndex((row) => row.kind === "message" && idOf(row) === messageId);
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
        onScroll={older.onScroll}
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
                  onShowQuoted={isQuotedLoaded(row, history) ? onShowQuoted : null}
                />
              </div>
            );
          })}
        </div>
      </div>
      {older.isPending || older.isError ? (
        <div className={classes["older"]} role="status">
          {older.isError ? t("messages.olderFailed") : t("messages.loadingOlder")}
          {older.isError ? (
            <button type="button" onClick={older.retry}>
              {t("common.retry")}
            </button>
          ) : null}
        </div>
      ) : null}
      {isAtEnd ? null : <JumpToEnd count={newCount} onClick={() => virtualizer.scrollToEnd()} />}
    </div>
  );
}

function isQuotedLoaded(row: MessageRow, { messages }: MessageHistory): boolean {
  if (row.kind !== "message" || row.item.kind !== "stored") return false;
  const { quotedMsg } = row.item.message;
  return quotedMsg !== null && messages.some((message) => message.id === quotedMsg.id);
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

function isUnread({ fromMe, read }: Message): boolean {
  return !fromMe && !read;
}
