import { useVirtualizer } from "@tanstack/react-virtual";
import { useLayoutEffect, useState } from "react";

/** The rows of a long table that are in the document. */
export type ShownRows = {
  from: number;
  /** The first row after them. */
  to: number;
  /** The height of the rows before and after them. */
  beforePx: number;
  afterPx: number;
  /** Takes the element of each row. */
  measure: (row: HTMLElement | null) => void;
};

type Props = {
  count: number;
  /** The height of a row before it is measured. */
  rowPx: number;
  body: HTMLElement;
  scroller: HTMLElement;
  onChange: (shown: ShownRows) => void;
};

/** Follows the scrolling of a long table and tells which rows are near its visible part. Renders nothing. */
export function RowWindow({ count, rowPx, body, scroller, onChange }: Props): null {
  const [top] = useState(
    () =>
      body.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop,
  );
  // oxlint-disable-next-line react/incompatible-library -- used as documented
  const virtualizer = useVirtualizer({
    count,
    estimateSize: () => rowPx,
    getScrollElement: () => scroller,
    overscan: 10,
    scrollMargin: top,
  });
  const items = virtualizer.getVirtualItems();
  const [first, last] = [items[0], items.at(-1)];
  const from = first?.index ?? 0;
  const to = last === undefined ? 0 : last.index + 1;
  const beforePx = (first?.start ?? top) - top;
  const afterPx = virtualizer.getTotalSize() - ((last?.end ?? top) - top);
  const measure = virtualizer.measureElement;
  useLayoutEffect(() => {
    if (to > 0) onChange({ from, to, beforePx, afterPx, measure });
  }, [from, to, beforePx, afterPx, measure, onChange]);
  return null;
}
