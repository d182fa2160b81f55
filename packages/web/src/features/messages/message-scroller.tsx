import type { Message } from "@balcao/contract";
import type { ReactNode } from "react";
import { useCallback, useLayoutEffect, useMemo, useRef, useState } from "react";
import { dayKey, isCountCapped } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { useGoToEnd } from "./api.ts";
import type { Conversation } from "./conversation-context.ts";
import { ConversationContext } from "./conversation-context.ts";
import { ConversationOverlays } from "./conversation-overlays.tsx";
import { JumpToEnd } from "./jump-to-end.tsx";
import { hasOptions } from "./editable.ts";
import type { MessageHistory } from "./message-history.ts";
import classes from "./message-list.module.css";
import { MessageRowView } from "./message-row-view.tsx";
import type { MessageRow } from "./message-rows.ts";
import { keyOf, listedMessages, messageRows } from "./message-rows.ts";
import { MorePagesNotice } from "./more-pages-notice.tsx";
import { openAt } from "./open-at.ts";
import type { TimelineEntry } from "./timeline.ts";
import type { UnsentMessage } from "./unsent-messages.ts";
import { useConversationOf } from "./use-conversation.ts";
import { useMarkRead } from "./use-mark-read.ts";
import { useMessageKeys } from "./use-message-keys.ts";
import { useMessageVirtualizer } from "./use-message-virtualizer.ts";
import { useMoreOnScroll } from "./use-more-on-scroll.ts";
import { useNewSinceEnd } from "./use-new-since-end.ts";
import { useShowWished } from "./use-show-wished.ts";
import { useOpenAtUnread, useUnreadMark } from "./use-unread-mark.ts";

type Props = Pick<
  Conversation,
  "ticketId" | "customerName" | "isGroup" | "canWrite" | "onTalkTo" | "EmojiPicker"
> & {
  history: MessageHistory;
  entries: readonly TimelineEntry[];
  /** The history was read after this ticket was opened; before that it may be an old one. */
  isCurrent: boolean;
  unsent: readonly UnsentMessage[];
  unread: number;
  isReader: boolean;
};

const noneUnsent: readonly UnsentMessage[] = [];

/** The scrolling part: virtual rows held to the end, more pages above and below, the way back down. */
export function MessageScroller(props: Props): ReactNode {
  const { ticketId, history, entries, isCurrent, unsent, unread, isReader } = props;
  const { t } = useTranslation();
  const scrollRef = useRef<HTMLDivElement>(null);
  const [menuKey, setMenuKey] = useState<string | null>(null);
  const [viewed, setViewed] = useState<Message | null>(null);
  const [deleting, setDeleting] = useState<Message | null>(null);
  const [askedAgain, setAskedAgain] = useState<Message | null>(null);
  const conversation = useConversationOf({
    ...props,
    onView: setViewed,
    onMenu: setMenuKey,
    onAskAgain: setAskedAgain,
  });

  const newestId = history.messages.at(-1)?.id;
  const unreadMark = useUnreadMark({ unread, newestId, isCurrent, isReader, unsent });
  // What is on its way stands at the end, which is not loaded here.
  const shownUnsent = history.hasNewer ? noneUnsent : unsent;
  const items = useMemo(
    () => listedMessages(history.messages, shownUnsent),
    [history.messages, shownUnsent],
  );
  const [dayOf] = useState(createDayOf);
  const [pageStartsWith] = useState(createPageStarts);
  const first = items[0];
  const pageStarts = pageStartsWith(history.hasMore && first ? keyOf(first) : null);
  const { hasMore, hasNewer } = history;
  const rows = useMemo(
    () => messageRows(items, { hasMore, hasNewer, unread: unreadMark, dayOf, entries, pageStarts }),
    [items, hasMore, hasNewer, unreadMark, dayOf, entries, pageStarts],
  );

  const [focusedKey, setFocusedKey] = useState<string | null>(null);
  const activeKey = menuKey ?? focusedKey;
  const activeIndex = useMemo(
    () => (activeKey === null ? -1 : rows.findLastIndex((row) => row.key === activeKey)),
    [rows, activeKey],
  );
  const { virtualizer, isAtEnd: isAtLoadedEnd } = useMessageVirtualizer(rows, scrollRef, {
    hasNewer,
    activeIndex,
  });
  const isAtEnd = isAtLoadedEnd && !hasNewer;
  const { scrollToEnd, scrollToIndex } = virtualizer;
  const older = useMoreOnScroll("older", ticketId, history, scrollRef);
  const newer = useMoreOnScroll("newer", ticketId, history, scrollRef);
  const { mutate: loadEnd } = useGoToEnd(ticketId);
  const goToEnd = useCallback(
    (): void => (hasNewer ? loadEnd() : scrollToEnd()),
    [hasNewer, loadEnd, scrollToEnd],
  );

  const flashedId = useShowWished({ ticketId, rows, scrollToIndex, isCurrent });
  useOpenAtUnread(rows, scrollToIndex, history.anchorId === null);
  useFollowOwnMessages(unsent, goToEnd);
  // The ticket's count is cleared by accepting; the customer is told only when his messages were seen.
  const hasUnread = useMemo(() => unread > 0 || history.messages.some(isUnread), [history, unread]);
  useMarkRead({ ticketId, hasUnread, newestId, isReading: isReader && isAtEnd && isCurrent });
  const newCount = useNewSinceEnd(items, isAtEnd);

  const { onReply } = conversation;
  const keys = useMessageKeys({
    rows,
    scrollRef,
    scrollToIndex,
    scrollToEnd,
    focusedKey,
    onFocusedKey: setFocusedKey,
    onMenu(row) {
      const { item } = row;
      if (item.kind === "stored" && hasOptions(item.message, props.canWrite)) setMenuKey(row.key);
    },
    onReply(row) {
      const { item } = row;
      if (item.kind === "stored" && props.canWrite && !item.message.isDeleted)
        onReply(item.message);
    },
  });
  const { focusRow } = keys;
  const onMenuClose = useCallback((): void => {
    setMenuKey(null);
    if (menuKey !== null) focusRow(menuKey);
  }, [menuKey, focusRow]);
  const onShowQuoted = useCallback(
    (messageId: string): void => openAt(ticketId, messageId),
    [ticketId],
  );

  const unloaded = hasNewer ? 0 : Math.max(0, history.count - history.messages.length);
  const total =
    history.hasMore && isCountCapped(history.count) ? -1 : history.count + unsent.length;
  return (
    <ConversationContext value={conversation}>
      <div className={classes["pane"]}>
        {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- focus moves between its messages */}
        <div
          ref={scrollRef}
          id="messages"
          className={classes["scroll"]}
          role="log"
          aria-live="polite"
          aria-label={t("messages.list")}
          // Rows that only come into view are no news.
          aria-busy={virtualizer.isScrolling || older.isPending || newer.isPending}
          tabIndex={0}
          onScroll={() => {
            older.loadWhenNear();
            newer.loadWhenNear();
          }}
          onFocus={keys.onFocus}
          onBlur={keys.onBlur}
          onKeyDown={keys.onKeyDown}
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
                    unloaded={unloaded}
                    total={total}
                    isFlashed={flashedId !== null && idOf(row) === flashedId}
                    isMenuOpen={row.key === menuKey}
                    onMenuClose={onMenuClose}
                    onShowQuoted={onShowQuoted}
                    onDelete={setDeleting}
                  />
                </div>
              );
            })}
          </div>
        </div>
        <MorePagesNotice side="older" pages={older} />
        {hasNewer ? <MorePagesNotice side="newer" pages={newer} /> : null}
        {isAtEnd ? null : <JumpToEnd count={newCount} onClick={goToEnd} />}
      </div>
      <ConversationOverlays
        messages={history.messages}
        viewed={viewed}
        onViewed={() => setViewed(null)}
        deleting={deleting}
        onDeleted={() => setDeleting(null)}
        askedAgain={askedAgain}
        onAnswered={() => setAskedAgain(null)}
      />
    </ConversationContext>
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

/** Gathers the first rows of what was loaded, page by page; the same set while none is added. */
function createPageStarts(): (rowKey: string | null) => ReadonlySet<string> {
  let starts: ReadonlySet<string> = new Set();
  return (rowKey) => {
    if (rowKey !== null && !starts.has(rowKey)) starts = new Set([...starts, rowKey]);
    return starts;
  };
}

function idOf(row: MessageRow): string | null {
  return row.kind === "message" && row.item.kind === "stored" ? row.item.message.id : null;
}

/** Whoever sends wants to see it, wherever he was reading. */
function useFollowOwnMessages(unsent: readonly UnsentMessage[], goToEnd: () => void): void {
  const newestOwn = unsent.at(-1)?.clientId ?? null;
  const known = useRef(newestOwn);
  useLayoutEffect(() => {
    if (newestOwn !== null && newestOwn !== known.current) goToEnd();
    known.current = newestOwn;
  }, [newestOwn, goToEnd]);
}

function isUnread({ fromMe, read }: Message): boolean {
  return !fromMe && !read;
}
