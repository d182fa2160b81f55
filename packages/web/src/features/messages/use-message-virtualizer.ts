import type { ReactVirtualizer } from "@tanstack/react-virtual";
import { defaultRangeExtractor, useVirtualizer } from "@tanstack/react-virtual";
import type { RefObject } from "react";
import { useCallback, useEffect, useState } from "react";
import type { MessageRow } from "./message-rows.ts";
import { estimatedHeightPx } from "./row-heights.ts";

/** This close to the end new messages keep the list at the end (ui.md section 3, message list). */
const END_DISTANCE_PX = 80;
/**
 * Rows that are drawn beyond the view on either side: more than the page key passes over. The browser may show the new
 * place a frame before it says that it scrolled.
 */
const ROWS_BEYOND = 20;
/** A conversation opens at its end; the browser takes the highest place there is. */
const END_PX = 1e7;

type Virtualizer = ReactVirtualizer<HTMLDivElement, HTMLDivElement>;

/**
 * Virtual rows that stay where they are when older ones arrive above, and follow new ones at the end. The row that
 * is worked with stays mounted wherever the list is scrolled to.
 */
export function useMessageVirtualizer(
  rows: readonly MessageRow[],
  scrollRef: RefObject<HTMLDivElement | null>,
  options: { hasNewer: boolean; activeIndex: number },
): { virtualizer: Virtualizer; isAtEnd: boolean } {
  const { hasNewer, activeIndex } = options;
  const getItemKey = useCallback((index: number) => rows[index]?.key ?? index, [rows]);
  // A page that is put behind the loaded part is no news to follow, the last one included.
  const [hadNewer, setHadNewer] = useState(hasNewer);
  useEffect(() => setHadNewer(hasNewer), [hasNewer]);
  // oxlint-disable-next-line react/incompatible-library -- it is used as its documents say
  const virtualizer = useVirtualizer<HTMLDivElement, HTMLDivElement>({
    count: rows.length,
    getScrollElement: () => scrollRef.current,
    getItemKey,
    estimateSize: (index) => estimatedHeightPx(rows[index]),
    anchorTo: "end",
    followOnAppend: !hasNewer && !hadNewer,
    scrollEndThreshold: END_DISTANCE_PX,
    initialOffset: END_PX,
    overscan: ROWS_BEYOND,
    paddingStart: 16,
    paddingEnd: 8,
    rangeExtractor: (range) => {
      const indexes = defaultRangeExtractor(range);
      if (activeIndex < 0 || indexes.includes(activeIndex)) return indexes;
      return [...indexes, activeIndex].toSorted((a, b) => a - b);
    },
  });
  useStayAtEnd(virtualizer, scrollRef);
  const isAtEnd = virtualizer.scrollElement === null || virtualizer.isAtEnd(END_DISTANCE_PX);
  return { virtualizer, isAtEnd };
}

/** Whoever reads the end keeps it in view when the pane gets lower: by a longer answer, a notice, a phone keyboard. */
function useStayAtEnd(virtualizer: Virtualizer, scrollRef: RefObject<HTMLDivElement | null>): void {
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
