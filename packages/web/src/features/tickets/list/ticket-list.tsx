import type { ListedTicket } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import type { Virtualizer } from "@tanstack/react-virtual";
import { useVirtualizer } from "@tanstack/react-virtual";
import type { KeyboardEvent, ReactNode, RefObject } from "react";
import { Suspense, useCallback, useEffect, useLayoutEffect, useReducer, useRef } from "react";
import { isCountCapped } from "../../../i18n/format.ts";
import { useTranslation } from "../../../i18n/index.ts";
import { useNow } from "../../../ui/clock.ts";
import { lazyPart } from "../../../ui/lazy-part.tsx";
import { SafePart } from "../../../ui/safe-part.tsx";
import { useConnections } from "../../connections/index.ts";
import { useQueues } from "../../queues/index.ts";
import { useMoreTickets } from "../api.ts";
import { useNewest } from "../shortcuts.ts";
import { useCardFocus } from "./card-focus.ts";
import { queueWithTarget } from "./card-texts.ts";
import { useCardPress } from "./card-press.ts";
import classes from "./list.module.css";
import { clearSelection, toggleSelected, useSelection } from "./selection.ts";
import type { CardActions } from "./ticket-card.tsx";
import { TicketCard } from "./ticket-card.tsx";
import type { TicketPages } from "./ticket-pages.ts";
import type { TicketView } from "./ticket-view.ts";

const BulkBar = lazyPart(async () => (await import("./bulk-bar.tsx")).BulkBar);

type Props = {
  view: TicketView;
  pages: TicketPages;
  selectedUuid: string | undefined;
  acceptingId: number | null;
  /** The card to focus; a new object repeats the request. */
  focusWish: { ticketId: number } | null;
  actions: CardActions;
  /** The focus target of the arrow up on the first card. */
  onLeaveTop?: (() => void) | undefined;
};

/** The last handled request, so that no list handles it again. */
const handledWishes = new WeakSet<NonNullable<Props["focusWish"]>>();

const CARD_PX = 85;

/** The virtual list of cards; the next page loads before its end is visible. */
export function TicketList(props: Props): ReactNode {
  const { view, pages, selectedUuid, acceptingId, focusWish, actions, onLeaveTop } = props;
  const { tickets, ...press } = useCardPress(pages.tickets, (ticketId) => choose(ticketId, false));
  const { t } = useTranslation();
  const nowMs = useNow(limits.timeLabelRefreshMs);
  const scrollRef = useRef<HTMLDivElement>(null);
  const cardsRef = useFadingCards(tickets);
  const more = useMoreTickets(view);
  const showsConnection = useConnections().length > 1;
  const queues = useQueues();

  const getItemKey = useCallback((index: number) => tickets[index]?.id ?? index, [tickets]);
  const focus = useCardFocus(scrollRef, tickets);
  // oxlint-disable-next-line react/incompatible-library -- it is used as its documents say
  const virtualizer = useVirtualizer<HTMLDivElement, HTMLLIElement>({
    count: tickets.length,
    getScrollElement: () => scrollRef.current,
    getItemKey,
    estimateSize: () => CARD_PX,
    rangeExtractor: focus.keepFocusedCard,
    overscan: 6,
    paddingEnd: 8,
  });
  useSteadyScroll(scrollRef, virtualizer, tickets);

  const selection = useSelection();
  const chosen = tickets.filter(({ id }) => selection.has(id));
  const newestTickets = useNewest(tickets);
  const choose = useCallback(
    (ticketId: number, isRange: boolean) =>
      toggleSelected(newestTickets.current, ticketId, isRange),
    [newestTickets],
  );
  // Another list begins without chosen tickets.
  useEffect(() => clearSelection, []);

  const { isPending, isError, mutate } = more;
  const loadMoreWhenNear = useCallback((): void => {
    const element = scrollRef.current;
    if (!element || !pages.hasMore || isPending || isError) return;
    const belowPx = element.scrollHeight - element.scrollTop - element.clientHeight;
    if (belowPx < limits.nextPageDistancePx) mutate();
  }, [pages.hasMore, isPending, isError, mutate]);
  // Also for a list that is too short to scroll.
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
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const current = focus.focusedIndex();
    const focused = tickets[current];
    if (!focused) return;
    if (event.key === "x") choose(focused.id, false);
    else if (event.key === "Escape" && chosen.length > 0) clearSelection();
    if (event.shiftKey) {
      const next = tickets[targetOf(event.key, current, tickets.length) ?? -1];
      if (!next) return;
      // The first step chooses both.
      if (!selection.has(focused.id)) choose(focused.id, false);
      if (next !== focused) choose(next.id, true);
    }
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
    <>
      <div
        ref={scrollRef}
        id="ticket-list"
        className={classes["scroll"]}
        onScroll={loadMoreWhenNear}
        tabIndex={-1}
        data-choosing={chosen.length > 0 || undefined}
        {...press}
      >
        <ul
          ref={cardsRef}
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
                <SafePart of={ticket} text={t("tickets.broken")}>
                  <TicketCard
                    ticket={ticket}
                    isSelected={ticket.uuid === selectedUuid}
                    showsUser={view.viewer.isAdmin && ticket.userId !== view.viewer.userId}
                    showsStatus={view.status === null}
                    showsConnection={showsConnection}
                    targetQueue={queueWithTarget(queues, ticket)}
                    isAccepting={ticket.id === acceptingId}
                    isChosen={selection.has(ticket.id)}
                    nowMs={nowMs}
                    actions={actions}
                    onChoose={choose}
                  />
                </SafePart>
              </li>
            );
          })}
        </ul>
        {isPending || isError ? (
          <p className={classes["more"]} role="status">
            {isError ? t("tickets.moreFailed") : t("tickets.loadingMore")}
            {isError ? (
              <button type="button" className="bc-retry" onClick={() => mutate()}>
                {t("common.retry")}
              </button>
            ) : null}
          </p>
        ) : null}
      </div>
      {chosen.length > 0 ? (
        <Suspense fallback={null}>
          <BulkBar tickets={chosen} isClosed={view.status === "closed"} />
        </Suspense>
      ) : null}
    </>
  );
}

/** The card that a key moves the focus to; null for none. */
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

const FADE_MS = 120;

/** A card that leaves the list fades where it stood. Several at once are another list, which is shown at once. */
function useFadingCards(tickets: readonly ListedTicket[]): RefObject<HTMLUListElement | null> {
  const cardsRef = useRef<HTMLUListElement>(null);
  const shown = useRef<ReadonlyMap<string, HTMLElement>>(new Map());
  useLayoutEffect(() => {
    const cards = cardsRef.current;
    if (!cards) return;
    const ids = new Set(tickets.map(({ id }) => String(id)));
    const gone = [...shown.current].filter(([id, card]) => !ids.has(id) && !card.isConnected);
    const [[, left] = []] = gone;
    if (gone.length === 1 && left) fade(left, cards);
    const now = cards.querySelectorAll<HTMLElement>("[data-ticket-id]");
    shown.current = new Map([...now].map((card) => [card.dataset["ticketId"] ?? "", card]));
  });
  return cardsRef;
}

/** Shows a picture of the card, which nobody can reach, until it has faded. */
function fade(card: HTMLElement, cards: HTMLElement): void {
  const picture = document.createElement("li");
  picture.className = `${card.className} ${classes["leaving"]}`;
  picture.style.transform = card.style.transform;
  picture.inert = true;
  picture.setAttribute("aria-hidden", "true");
  picture.append(...Array.from(card.childNodes, (node) => node.cloneNode(true)));
  cards.append(picture);
  setTimeout(() => picture.remove(), FADE_MS);
}

/** This close to the top, new cards scroll into view. */
const AT_TOP_PX = 4;

/** The position of a card at the last render. */
type Place = Readonly<{ id: number; updatedAt: string; startPx: number; endPx: number }>;

/**
 * Keeps the first unchanged visible card in place while cards above it are added, removed or moved. At the top of the
 * list new cards scroll into view.
 */
function useSteadyScroll(
  scrollRef: RefObject<HTMLElement | null>,
  virtualizer: Virtualizer<HTMLDivElement, HTMLLIElement>,
  tickets: readonly ListedTicket[],
): void {
  const places = useRef<readonly Place[]>([]);
  const [, drawAgain] = useReducer((times: number) => times + 1, 0);

  useLayoutEffect(() => {
    const element = scrollRef.current;
    if (!element || element.scrollTop <= AT_TOP_PX) return;
    const byPx = shiftOf(places.current, tickets, element.scrollTop, (index) =>
      startOf(virtualizer, index),
    );
    if (byPx === 0) return;
    scrollBy(element, virtualizer, byPx);
    drawAgain();
  }, [scrollRef, virtualizer, tickets]);

  // After the effect above, which compares with the previous render.
  useLayoutEffect(() => {
    places.current = virtualizer.getVirtualItems().flatMap((item) => {
      const ticket = tickets[item.index];
      if (!ticket) return [];
      const { id, updatedAt } = ticket;
      return [{ id, updatedAt, startPx: item.start, endPx: item.end }];
    });
  });
}

/** The scroll event comes a frame later; without this call that frame would show the old cards. */
function scrollBy(
  element: HTMLElement,
  virtualizer: Virtualizer<HTMLDivElement, HTMLLIElement>,
  byPx: number,
): void {
  element.scrollTop += byPx;
  virtualizer.scrollOffset = element.scrollTop;
}

/** The scroll distance that keeps the visible cards in place. */
function shiftOf(
  places: readonly Place[],
  tickets: readonly ListedTicket[],
  scrollTopPx: number,
  startAt: (index: number) => number | null,
): number {
  for (const place of places) {
    if (place.endPx <= scrollTopPx) continue;
    const index = tickets.findIndex(({ id }) => id === place.id);
    // A changed card may have moved itself.
    if (tickets[index]?.updatedAt !== place.updatedAt) continue;
    const startPx = startAt(index);
    if (startPx !== null) return startPx - place.startPx;
  }
  return 0;
}

function startOf(
  virtualizer: Virtualizer<HTMLDivElement, HTMLLIElement>,
  index: number,
): number | null {
  return virtualizer.measurementsCache[index]?.start ?? null;
}
