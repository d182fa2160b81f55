import type { ListedTicket } from "@balcao/contract";
import type { Virtualizer } from "@tanstack/react-virtual";
import type { RefObject } from "react";
import { useLayoutEffect, useReducer, useRef } from "react";

/** Whoever is that close to the top wants to see what comes there. */
const AT_TOP_PX = 4;

/** Where a card stood when the list was last drawn. */
type Place = Readonly<{ id: number; updatedAt: string; startPx: number; endPx: number }>;

/**
 * Cards that come, go or move above the place where somebody reads do not move what he looks at: the first card in view
 * that the change left alone stays where it is. At the top of the list the news are what one looks at.
 */
export function useSteadyScroll(
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

  // After the above, which compares with the draw before.
  useLayoutEffect(() => {
    places.current = virtualizer.getVirtualItems().flatMap((item) => {
      const ticket = tickets[item.index];
      if (!ticket) return [];
      const { id, updatedAt } = ticket;
      return [{ id, updatedAt, startPx: item.start, endPx: item.end }];
    });
  });
}

/** The scroll event comes a frame later; that frame would show the cards of the old place if nothing told of it. */
function scrollBy(
  element: HTMLElement,
  virtualizer: Virtualizer<HTMLDivElement, HTMLLIElement>,
  byPx: number,
): void {
  element.scrollTop += byPx;
  virtualizer.scrollOffset = element.scrollTop;
}

/** By how much the list has to be scrolled so that the reader sees what he saw. */
function shiftOf(
  places: readonly Place[],
  tickets: readonly ListedTicket[],
  scrollTopPx: number,
  startAt: (index: number) => number | null,
): number {
  for (const place of places) {
    if (place.endPx <= scrollTopPx) continue;
    const index = tickets.findIndex(({ id }) => id === place.id);
    // One that was changed may have moved itself.
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
