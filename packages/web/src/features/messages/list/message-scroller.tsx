import type { Message } from "@balcao/contract";
import type { ReactNode } from "react";
import { Suspense, useCallback, useLayoutEffect, useMemo, useRef, useState } from "react";
import { dayKey, isCountCapped } from "../../../i18n/format.ts";
import { useTranslation } from "../../../i18n/index.ts";
import { lazyPart } from "../../../ui/lazy-part.tsx";
import { useGoToEnd } from "../api.ts";
import { LazyMediaViewer } from "../bubble/lazy-media-viewer.ts";
import { hasOptions } from "../bubble/message-content.ts";
import type { MessageHistory } from "../history/message-history.ts";
import type { TimelineEntry } from "../history/timeline.ts";
import type { UnsentMessage } from "../sending/unsent-messages.ts";
import type { Conversation, Overlay } from "./conversation.ts";
import { ConversationContext, replyTo, useSelection } from "./conversation.ts";
import { JumpToEnd, MessageRowView, MorePagesNotice } from "./list-parts.tsx";
import classes from "./list.module.css";
import type { MessageRow } from "./message-rows.ts";
import { keyOf, listedMessages, messageRows } from "./message-rows.ts";
import {
  useMarkRead,
  useNewSinceEnd,
  useOpenAtUnread,
  useShowWished,
  useUnreadMark,
} from "./read-marks.ts";
import { useMessageKeys } from "./use-message-keys.ts";
import { useMessageVirtualizer, useMoreOnScroll } from "./virtual-scroll.ts";

type Props = Omit<Conversation, "onMenu" | "onOverlay"> & {
  ticketId: number;
  history: MessageHistory;
  entries: readonly TimelineEntry[];
  /** The history was read after this ticket was opened; before that it may be outdated. */
  isCurrent: boolean;
  unsent: readonly UnsentMessage[];
  unread: number;
  waitingSince: string | null;
  isReader: boolean;
};

const noneUnsent: readonly UnsentMessage[] = [];

/** The scrolling part: virtual rows that stick to the end, further pages above and below, and the button to the end. */
export function MessageScroller(props: Props): ReactNode {
  const { ticketId, history, entries, isCurrent, unsent, unread, isReader, waitingSince } = props;
  const { t } = useTranslation();
  const scrollRef = useRef<HTMLDivElement>(null);
  const [menuKey, setMenuKey] = useState<string | null>(null);
  const [overlay, setOverlay] = useState<Overlay | null>(null);
  const { customerName, isGroup, canWrite, onTalkTo, EmojiPicker, team } = props;
  const conversation = useMemo(
    (): Conversation => ({
      ...{ customerName, isGroup, canWrite, onTalkTo, EmojiPicker, team },
      onMenu: setMenuKey,
      onOverlay: setOverlay,
    }),
    [customerName, isGroup, canWrite, onTalkTo, EmojiPicker, team],
  );

  const isSelecting = useSelection(ticketId) !== null;
  const newestId = history.messages.at(-1)?.id;
  // Accepting clears the ticket's count; the messages themselves stay unread until they were in view.
  const unreadCount = useMemo(
    () => (unread > 0 ? unread : history.messages.filter(isUnread).length),
    [history, unread],
  );
  const unreadMark = useUnreadMark({ unread: unreadCount, newestId, isCurrent, isReader, unsent });
  // Unsent messages are at the end, which is not loaded here.
  const shownUnsent = history.hasNewer ? noneUnsent : unsent;
  const items = useMemo(
    () => listedMessages(history.messages, shownUnsent),
    [history.messages, shownUnsent],
  );
  const [pageStartsWith] = useState(createPageStarts);
  const first = items[0];
  const pageStarts = pageStartsWith(history.hasMore && first ? keyOf(first) : null);
  const { hasMore, hasNewer } = history;
  const rows = useMemo(
    () =>
      messageRows(items, {
        ...{
          hasMore,
          hasNewer,
          unread: unreadMark,
          waitingSince,
          dayOf: dayKey,
          entries,
          pageStarts,
        },
      }),
    [items, hasMore, hasNewer, unreadMark, waitingSince, entries, pageStarts],
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
  // Accepting clears the ticket's count; the customer's checks change only when the messages were seen.
  const isReading = isReader && isAtEnd && isCurrent;
  useMarkRead({ ticketId, hasUnread: unreadCount > 0, newestId, isReading });
  const newCount = useNewSinceEnd(items, isAtEnd);

  const keys = useMessageKeys({
    rows,
    scrollRef,
    scrollToIndex,
    scrollToEnd,
    focusedKey,
    onFocusedKey: setFocusedKey,
    onMenu(row) {
      const { item } = row;
      if (item.kind === "stored" && hasOptions(item.message, canWrite)) setMenuKey(row.key);
    },
    onReply(row) {
      const { item } = row;
      if (item.kind === "stored" && canWrite && !item.message.isDeleted) replyTo(item.message);
    },
  });
  const { focusRow } = keys;
  const onMenuClose = useCallback((): void => {
    setMenuKey(null);
    if (menuKey !== null) focusRow(menuKey);
  }, [menuKey, focusRow]);

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
          // Rows that scroll into view are not announced.
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
                  />
                </div>
              );
            })}
          </div>
        </div>
        <MorePagesNotice side="older" pages={older} />
        {hasNewer ? <MorePagesNotice side="newer" pages={newer} /> : null}
        {isSelecting ? (
          <Suspense fallback={null}>
            <SelectionBar
              ticketId={ticketId}
              messages={history.messages}
              onForward={(messages) => setOverlay({ kind: "forward", messages })}
            />
          </Suspense>
        ) : null}
        {isAtEnd ? null : <JumpToEnd count={newCount} onClick={goToEnd} />}
      </div>
      <ConversationOverlays
        ticketId={ticketId}
        messages={history.messages}
        overlay={overlay}
        onClose={() => setOverlay(null)}
      />
    </ConversationContext>
  );
}

/** Collects the first row of each loaded page; the same set while none is added. */
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

/** Scrolls to the end when the agent sends a message. */
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

const DeleteMessageDialog = lazyPart(
  async () => (await import("../sending/message-questions.tsx")).DeleteMessageDialog,
  "over",
);
const SendAgainQuestion = lazyPart(
  async () => (await import("../sending/message-questions.tsx")).SendAgainQuestion,
  "over",
);

const loadForwarding = () => import("../sending/forwarding.tsx");
const SelectionBar = lazyPart(async () => (await loadForwarding()).SelectionBar);
const ForwardDialog = lazyPart(async () => (await loadForwarding()).ForwardDialog, "over");

type OverlaysProps = {
  ticketId: number;
  messages: readonly Message[];
  overlay: Overlay | null;
  onClose: () => void;
};

/** Viewer and dialogs over a conversation. Their code is fetched when they first open. */
function ConversationOverlays(props: OverlaysProps): ReactNode {
  const { ticketId, messages, overlay, onClose } = props;
  // A question stays mounted while it closes, which gives the focus back to its opener.
  const [last, setLast] = useState(overlay);
  if (overlay !== null && overlay !== last) setLast(overlay);
  const message = overlay && "message" in overlay ? overlay.message : null;
  return (
    <Suspense fallback={null}>
      {overlay?.kind === "view" ? (
        <LazyMediaViewer messages={messages} messageId={overlay.message.id} onClose={onClose} />
      ) : null}
      {overlay?.kind === "forward" ? (
        <ForwardDialog ticketId={ticketId} messages={overlay.messages} onClose={onClose} />
      ) : null}
      {last?.kind === "delete" ? <DeleteMessageDialog message={message} onClose={onClose} /> : null}
      {last?.kind === "send-again" ? (
        <SendAgainQuestion message={message} onClose={onClose} />
      ) : null}
    </Suspense>
  );
}
