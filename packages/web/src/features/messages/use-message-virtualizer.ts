import type { ReactVirtualizer } from "@tanstack/react-virtual";
import { useVirtualizer } from "@tanstack/react-virtual";
import type { RefObject } from "react";
import { useCallback, useEffect } from "react";
import type { MessageRow } from "./message-rows.ts";

/** This close to the end new messages keep the list at the end (ui.md section 3, message list). */
const END_DISTANCE_PX = 80;
/** A conversation opens at its end; the browser takes the highest place there is. */
const END_PX = 1e7;

const DAY_ROW_PX = 44;
const LINE_PX = 20;
const BUBBLE_PX = 17;
const CHARACTERS_PER_LINE = 55;

/** Virtual rows that stay where they are when older ones arrive above, and follow new ones at the end. */
export function useMessageVirtualizer(
  rows: readonly MessageRow[],
  scrollRef: RefObject<HTMLDivElement | null>,
): { virtualizer: ReactVirtualizer<HTMLDivElement, HTMLDivElement>; isAtEnd: boolean } {
  const getItemKey = useCallback((index: number) => rows[index]?.key ?? index, [rows]);
  // oxlint-disable-next-line react/incompatible-library -- it is used as its documents say
  const virtualizer = useVirtualizer<HTMLDivElement, HTMLDivElement>({
    count: rows.length,
    getScrollElement: () => scrollRef.current,
    getItemKey,
    estimateSize: (index) => estimatedHeight(rows[index]),
    anchorTo: "end",
    followOnAppend: true,
    scrollEndThreshold: END_DISTANCE_PX,
    initialOffset: END_PX,
    overscan: 10,
    paddingStart: 16,
    paddingEnd: 8,
  });
  useStayAtEnd(virtualizer, scrollRef);
  const isAtEnd = virtualizer.scrollElement === null || virtualizer.isAtEnd(END_DISTANCE_PX);
  return { virtualizer, isAtEnd };
}

/** Whoever reads the end keeps it in view when the pane gets lower: by a longer answer, a notice, a phone keyboard. */
function useStayAtEnd(
  virtualizer: ReactVirtualizer<HTMLDivElement, HTMLDivElement>,
  scrollRef: RefObject<HTMLDivElement | null>,
): void {
  const { isAtEnd, scrollToEnd } = virtualizer;
  useEffect(() => {
    const element = scrollRef.current;
    if (!element) return undefined;
    let wasAtEnd = true;
    let heightPx = element.clientHeight;
    const note = (): void => {
      // A pane that got lower scrolls by itself, which says nothing about the reader.
      if (element.clientHeight === heightPx) wasAtEnd = isAtEnd(END_DISTANCE_PX);
    };
    const observer = new ResizeObserver(() => {
      const isChanged = element.clientHeight !== heightPx;
      heightPx = element.clientHeight;
      if (isChanged && wasAtEnd) scrollToEnd();
    });
    element.addEventListener("scroll", note, { passive: true });
    observer.observe(element);
    return () => {
      element.removeEventListener("scroll", note);
      observer.disconnect();
    };
  }, [scrollRef, isAtEnd, scrollToEnd]);
}

function estimatedHeight(row: MessageRow | undefined): number {
  if (row?.kind !== "message") return DAY_ROW_PX;
  const body = row.item.kind === "stored" ? row.item.message.body : row.item.unsent.body;
  const lines = Math.ceil(body.length / CHARACTERS_PER_LINE);
  return BUBBLE_PX + LINE_PX * Math.max(1, lines);
}
