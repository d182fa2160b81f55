import type { TicketNote } from "@balcao/contract";
import { IconMessageCircle, IconMessageCircleX } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Suspense, useEffect } from "react";
import { queryClient } from "../../../api/query-client.ts";
import { useTranslation } from "../../../i18n/index.ts";
import { EmptyState, ErrorWords, LoadFailed, NoticeStrip } from "../../../ui/index.ts";
import { lazyPart } from "../../../ui/lazy-part.tsx";
import { useHistory } from "../api.ts";
import type { MessageHistory } from "../history/message-history.ts";
import { hasMessage, historyKey, loadedHistory } from "../history/message-history.ts";
import { useOpenWish } from "../history/read-history.ts";
import { useIsSearching } from "../history/search-state.ts";
import { useTimeline } from "../history/timeline.ts";
import { useUnsent } from "../sending/sending.ts";
import type { Conversation } from "./conversation.ts";
import { conversationEnds } from "./conversation.ts";
import classes from "./list.module.css";
import { MessageScroller } from "./message-scroller.tsx";

const SearchBar = lazyPart(async () => (await import("../history/search-bar.tsx")).SearchBar);

type Props = {
  ticketId: number;
  customerName: string;
  /** The number of unread messages, live. */
  unread: number;
  /** When the first message arrived that nobody answered. */
  waitingSince?: string | null;
  /** The signed-in user is the ticket's agent: messages on the screen count as read. */
  isReader: boolean;
  isGroup?: boolean;
  /** Messages can be answered, reacted to and changed: the ticket is open. */
  canWrite?: boolean;
  /** The team's notes on the ticket, shown between the messages; a stable list. */
  notes?: readonly TicketNote[];
  /** Starts a conversation with a shared contact. */
  onTalkTo?: Conversation["onTalkTo"];
  /** For reactions beyond the quick ones. */
  EmojiPicker?: Conversation["EmojiPicker"];
  team?: Conversation["team"];
};

const nothingLoaded: MessageHistory = {
  messages: [],
  hasMore: false,
  hasNewer: false,
  anchorId: null,
  count: 0,
};

/** The conversation of a ticket. Mount it per ticket. */
export function MessageList(props: Props): ReactNode {
  const { ticketId, customerName, unread, isReader, notes } = props;
  const { t } = useTranslation();
  const history = useHistory(ticketId);
  const unsent = useUnsent(ticketId);
  const entries = useTimeline(ticketId, history.data?.messages[0]?.createdAt, notes);
  useLoadWished(ticketId, history);
  useForgetPart(ticketId);
  const isSearching = useIsSearching(ticketId);

  if (history.isPending) {
    return (
      <div className={classes["pane"]}>
        <MessageSkeleton />
      </div>
    );
  }
  if (history.data === undefined && unsent.length === 0) {
    return (
      <div className={classes["pane"]}>
        <LoadFailed
          icon={IconMessageCircleX}
          error={history.error}
          onRetry={() => void history.refetch()}
        />
      </div>
    );
  }
  if (history.data?.messages.length === 0 && unsent.length === 0) {
    return (
      <div className={classes["pane"]}>
        <EmptyState icon={IconMessageCircle} title={t("messages.empty")} />
      </div>
    );
  }
  const scroller = (
    <MessageScroller
      // Another part of the conversation has a new scroller; added pages keep it.
      key={history.data?.anchorId ?? "end"}
      ticketId={ticketId}
      customerName={customerName}
      isGroup={props.isGroup ?? false}
      canWrite={props.canWrite ?? false}
      onTalkTo={props.onTalkTo ?? null}
      EmojiPicker={props.EmojiPicker ?? null}
      team={props.team ?? null}
      history={history.data ?? nothingLoaded}
      entries={entries}
      isCurrent={history.isFetchedAfterMount}
      unsent={unsent}
      unread={unread}
      waitingSince={props.waitingSince ?? null}
      isReader={isReader}
    />
  );
  if (history.data !== undefined) {
    return (
      <>
        {isSearching ? (
          <Suspense fallback={null}>
            <SearchBar ticketId={ticketId} />
          </Suspense>
        ) : null}
        {scroller}
      </>
    );
  }
  // Unsent messages stay visible even if the history cannot be read.
  return (
    <>
      <NoticeStrip
        tone="bad"
        icon={IconMessageCircleX}
        title={t("common.loadFailedTitle")}
        action={{ label: t("common.retry"), onClick: () => void history.refetch() }}
      >
        <ErrorWords error={history.error} />
      </NoticeStrip>
      {scroller}
    </>
  );
}

/** Loads the part around a searched message that is not loaded. */
function useLoadWished(ticketId: number, history: ReturnType<typeof useHistory>): void {
  const wish = useOpenWish(ticketId);
  const { data, isFetching, isError, refetch } = history;
  const mustLoad =
    wish !== null &&
    !wish.isShown &&
    data !== undefined &&
    !isFetching &&
    !isError &&
    !hasMessage(data, wish.messageId);
  useEffect(() => {
    if (mustLoad) void refetch();
  }, [mustLoad, refetch]);
}

/** When a ticket closes, an older part is dropped, so that it opens at its end again, and its audio stops. */
function useForgetPart(ticketId: number): void {
  useEffect(
    () => () => {
      for (const end of conversationEnds) end();
      if (loadedHistory(ticketId)?.hasNewer === true) {
        queryClient.removeQueries({ queryKey: historyKey(ticketId), exact: true });
      }
    },
    [ticketId],
  );
}

/** The shapes of placeholder bubbles: side and width in percent. */
const shapes = [
  ["in", 46],
  ["in", 30],
  ["out", 52],
  ["in", 38],
  ["out", 28],
] as const;

/** The placeholder of a conversation that loads longer than 150 ms. */
function MessageSkeleton(): ReactNode {
  const { t } = useTranslation();
  return (
    <div className={classes["skeleton"]} role="status" aria-label={t("common.loading")}>
      {shapes.map(([side, width]) => (
        <span
          key={width}
          className={classes["skeletonBubble"]}
          data-side={side}
          style={{ width: `${width}%` }}
        />
      ))}
    </div>
  );
}
