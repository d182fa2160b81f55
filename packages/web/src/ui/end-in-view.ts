import type { RefObject } from "react";
import { useLayoutEffect, useRef } from "react";

/** A ref to a scroller that scrolls to its end whenever `end`, the key of its last entry, changes. */
export function useEndInView(end: string): RefObject<HTMLDivElement | null> {
  const scroller = useRef<HTMLDivElement>(null);
  const shown = useRef("");
  useLayoutEffect(() => {
    if (shown.current === end || scroller.current === null) return;
    shown.current = end;
    scroller.current.scrollTop = scroller.current.scrollHeight;
  });
  return scroller;
}
