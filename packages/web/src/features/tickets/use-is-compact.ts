import type { RefObject } from "react";
import { useLayoutEffect, useState } from "react";

/** Whether an element is narrower than `belowPx`, followed while it changes. */
export function useIsCompact(ref: RefObject<HTMLElement | null>, belowPx: number): boolean {
  const [isCompact, setIsCompact] = useState(false);
  useLayoutEffect(() => {
    const element = ref.current;
    if (!element) return undefined;
    const measure = (): void => {
      const widthPx = element.getBoundingClientRect().width;
      // Nothing is laid out yet.
      if (widthPx > 0) setIsCompact(widthPx < belowPx);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [ref, belowPx]);
  return isCompact;
}
