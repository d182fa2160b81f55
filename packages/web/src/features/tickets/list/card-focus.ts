import type { Ticket } from "@balcao/contract";
import type { Range } from "@tanstack/react-virtual";
import { defaultRangeExtractor } from "@tanstack/react-virtual";
import type { RefObject } from "react";
import { useCallback, useEffect, useLayoutEffect, useRef } from "react";

/** The ticket id of the focused card; null if no card has the focus. */
export function focusedTicketId(): number | null {
  const item = document.activeElement?.closest<HTMLElement>("[data-ticket-id]");
  const id = Number(item?.dataset["ticketId"]);
  return item && Number.isInteger(id) ? id : null;
}

/** Keeps the focus on its card: a moved element loses the focus, and scrolling may unmount the card. */
export function useCardFocus(listRef: RefObject<HTMLElement | null>, tickets: readonly Ticket[]) {
  const focusedId = useRef<number | null>(null);

  useEffect(() => {
    const list = listRef.current;
    if (!list) return undefined;
    const onFocusIn = (): void => {
      focusedId.current = focusedTicketId();
    };
    // A moved element loses the focus without a new target; Tab and the pointer have one.
    const onFocusOut = (event: FocusEvent): void => {
      if (event.relatedTarget !== null) focusedId.current = null;
    };
    const onPointerDown = (): void => {
      focusedId.current = null;
    };
    list.addEventListener("focusin", onFocusIn);
    list.addEventListener("focusout", onFocusOut);
    document.addEventListener("pointerdown", onPointerDown);
    return () => {
      list.removeEventListener("focusin", onFocusIn);
      list.removeEventListener("focusout", onFocusOut);
      document.removeEventListener("pointerdown", onPointerDown);
    };
  }, [listRef]);

  // After every render, because the card may have just been mounted.
  useLayoutEffect(() => {
    if (focusedId.current === null || document.activeElement !== document.body) return;
    focusIn(listRef.current, focusedId.current);
  });

  const focusCard = useCallback(
    (ticketId: number): void => {
      focusedId.current = ticketId;
      if (focusIn(listRef.current, ticketId)) return;
      // Scrolled to, but not rendered yet: the effect above focuses it.
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
      focusedId.current = ticketId;
    },
    [listRef],
  );

  const focusedIndex = useCallback(
    () => tickets.findIndex((ticket) => ticket.id === focusedTicketId()),
    [tickets],
  );

  const keepFocusedCard = useCallback(
    (range: Range): number[] => {
      const shown = defaultRangeExtractor(range);
      const index = tickets.findIndex((ticket) => ticket.id === focusedId.current);
      if (index === -1 || shown.includes(index)) return shown;
      return [...shown, index].sort((a, b) => a - b);
    },
    [tickets],
  );

  return { focusCard, focusedIndex, keepFocusedCard };
}

function focusIn(list: HTMLElement | null, ticketId: number): boolean {
  const target = list?.querySelector<HTMLElement>(
    `[data-ticket-id="${ticketId}"] [data-card-target]`,
  );
  target?.focus({ preventScroll: true });
  return target !== null && target !== undefined;
}

/** The ticket before (-1) or after (1) another in a list; the first one if that is not listed. */
export function neighbourOf<T extends { id: number }>(
  tickets: readonly T[],
  ticketId: number | null,
  by: 1 | -1,
): T | undefined {
  const index = tickets.findIndex((ticket) => ticket.id === ticketId);
  return index === -1 ? tickets[0] : tickets[index + by];
}

/** The ticket that takes the focus when another leaves the list: the next one, else the previous one. */
export function successorOf<T extends { id: number }>(
  tickets: readonly T[],
  ticketId: number,
): T | undefined {
  const index = tickets.findIndex((ticket) => ticket.id === ticketId);
  return index === -1 ? undefined : (tickets[index + 1] ?? tickets[index - 1]);
}
