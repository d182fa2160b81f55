import { limits } from "@balcao/contract/limits";
import { useVirtualizer } from "@tanstack/react-virtual";
import type { KeyboardEvent, ReactNode } from "react";
import { useCallback, useEffect, useRef } from "react";
import { isCountCapped } from "../../i18n/format.ts";
import { useTranslation } from "../../i18n/index.ts";
import { useNow } from "../../ui/clock.ts";
import { useMoreTickets } from "./api.ts";
import { useCardFocus } from "./card-focus.ts";
import type { CardActions } from "./ticket-card.tsx";
import { TicketCard } from "./ticket-card.tsx";
import classes from "./ticket-list.module.css";
import type { TicketPages } from "./ticket-pages.ts";
import type { TicketView } from "./ticket-view.ts";
import { useSteadyScroll } from "./use-steady-scroll.ts";

type Props = {
  view: TicketView;
  pages: TicketPages;
  selectedUuid: string | undefined;
  acceptingId: number | null;
  /** A card that shall get the focus; a new object is a new wish. */
  focusWish: { ticketId: number } | null;
  actions: CardActions;
  /** The arrow up on the first card leads here; nowhere when not given. */
  onLeaveTop?: (() => void) | undefined;
};

/** Also another list must not take the focus for a wish that was fulfilled. */
const handledWishes = new WeakSet<NonNullable<Props["focusWish"]>>();

const CARD_PX = 85;
const PENDING_CARD_PX = 121;

/** The virtual list of cards; more are loaded before its end comes into view. */
export function TicketList(props: Props): ReactNode {
  const { view, pages, selectedUuid, acceptingId, focusWish, actions, onLeaveTop } = props;
  const { tickets } = pages;
  const { t } = useTranslation();
  const nowMs = useNow(limits.timeLabelRefreshMs);
  const scrollRef = useRef<HTMLDivElement>(null);
  const more = useMoreTickets(view);

  const getItemKey = useCallback((index: number) => tickets[index]?.id ?? index, [tickets]);
  const estimatePx = view.status === "pending" ? PENDING_CARD_PX : CARD_PX;
  const focus = useCardFocus(scrollRef, tickets);
  // oxlint-disable-next-line react/incompatible-library -- it is used as its documents say
  const virtualizer = useVirtualizer<HTMLDivElement, HTMLLIElement>({
    count: tickets.length,
    getScrollElement: () => scrollRef.current,
    getItemKey,
    estimateSize: () => estimatePx,
    rangeExtractor: focus.keepFocusedCard,
    overscan: 6,
    paddingEnd: 8,
  });
  useSteadyScroll(scrollRef, virtualizer, tickets);

  const { isPending, isError, mutate } = more;
  const loadMoreWhenNear = useCallback((): void => {
    const element = scrollRef.current;
    if (!element || !pages.hasMore || isPending || isError) return;
    const belowPx = element.scrollHeight - element.scrollTop - element.clientHeight;
    if (belowPx < limits.nextPageDistancePx) mutate();
  }, [pages.hasMore, isPending, isError, mutate]);
  // Also for a list that does not fill the pane, which never scrolls.
  useEffect(loadMoreWhenNear, [loadMoreWhenNear, tickets.length]);

  const { scrollToIndex } = virtualizer;
  const { focusCard } = focus;
  const focusAt = useCallback(
    (index: number): void => {
      const ticket = tickets[index];
      if (!ticket) return;
      scrollToIndex(index);
      focusCard(ticket.id);
    },
    [tickets, scrollToIndex, focusCard],
  );
  useEffect(() => {
    if (focusWish === null || handledWishes.has(focusWish)) return;
    handledWishes.add(focusWish);
    focusAt(tickets.findIndex((ticket) => ticket.id === focusWish.ticketId));
  }, [focusWish, focusAt, tickets]);

  function onKeyDown(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const current = focus.focusedIndex();
    if (current === -1) return;
    if (event.key === "ArrowUp" && current === 0 && onLeaveTop) {
      event.preventDefault();
      onLeaveTop();
      return;
    }
    const target = targetOf(event.key, current, tickets.length);
    if (target === null) return;
    event.preventDefault();
    focusAt(target);
  }

  return (
    <div
      ref={scrollRef}
      id="ticket-list"
      className={classes["scroll"]}
      onScroll={loadMoreWhenNear}
      tabIndex={-1}
    >
      <ul
        className={classes["cards"]}
        style={{ height: virtualizer.getTotalSize() }}
        aria-label={t("tickets.list")}
        onKeyDown={onKeyDown}
      >
        {virtualizer.getVirtualItems().map((virtual) => {
          const ticket = tickets[virtual.index];
          if (!ticket) return null;
          return (
            <li
              key={virtual.key}
              ref={virtualizer.measureElement}
              data-index={virtual.index}
              data-ticket-id={ticket.id}
              className={classes["item"]}
              style={{ transform: `translateY(${virtual.start}px)` }}
              aria-posinset={virtual.index + 1}
              aria-setsize={pages.hasMore && isCountCapped(pages.count) ? -1 : pages.count}
            >
              <TicketCard
                ticket={ticket}
                isSelected={ticket.uuid === selectedUuid}
                showsUser={view.viewer.isAdmin && ticket.userId !== view.viewer.userId}
                showsStatus={view.status === null}
                isAccepting={ticket.id === acceptingId}
                nowMs={nowMs}
                actions={actions}
              />
            </li>
          );
        })}
      </ul>
      {isPending || isError ? (
        <p className={classes["more"]} role="status">
          {isError ? t("tickets.moreFailed") : t("tickets.loadingMore")}
          {isError ? (
            <button type="button" onClick={() => mutate()}>
              {t("common.retry")}
            </button>
          ) : null}
        </p>
      ) : null}
    </div>
  );
}

/** Where a key leads from a card; null when it leads nowhere. */
function targetOf(key: string, current: number, count: number): number | null {
  switch (key) {
    case "ArrowDown":
      return Math.min(current + 1, count - 1);
    case "ArrowUp":
      return Math.max(current - 1, 0);
    case "Home":
      return 0;
    case "End":
      return count - 1;
    default:
      return null;
  }
}
