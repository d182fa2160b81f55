import type { RefObject, UIEvent } from "react";
import { useLayoutEffect, useRef } from "react";

/** Whoever reads this near the end wants to stay there. */
const NEAR_END_PX = 80;

/**
 * Keeps a scrolled list where its reader is: at the end when he is near it, at the same messages when older ones come
 * in above. `firstId` is the list's first message; one list for the whole life of the component.
 */
export function useStickToEnd(firstId: string | undefined): {
  ref: RefObject<HTMLDivElement | null>;
  onScroll: (event: UIEvent) => void;
} {
  const ref = useRef<HTMLDivElement>(null);
  const fromEnd = useRef(0);
  const shownFirst = useRef<string | undefined>(undefined);
  const shownHeight = useRef(0);

  useLayoutEffect(() => {
    const list = ref.current;
    if (!list || list.scrollHeight === shownHeight.current) return;
    const hasMoreAbove = shownFirst.current !== firstId;
    shownFirst.current = firstId;
    shownHeight.current = list.scrollHeight;
    // Above the end nothing moves the reader, except that more above him is made up for.
    if (fromEnd.current < NEAR_END_PX) scrollToEnd(list, 0);
    else if (hasMoreAbove) scrollToEnd(list, fromEnd.current);
  });

  // A strip or a keyboard that takes room must not hide the last message.
  useLayoutEffect(() => {
    const list = ref.current;
    if (!list) return undefined;
    const observer = new ResizeObserver(() => {
      if (fromEnd.current < NEAR_END_PX) scrollToEnd(list, 0);
    });
    observer.observe(list);
    return () => observer.disconnect();
  }, []);

  return {
    ref,
    onScroll: ({ currentTarget: list }) => {
      fromEnd.current = list.scrollHeight - list.clientHeight - list.scrollTop;
    },
  };
}

function scrollToEnd(list: HTMLElement, distancePx: number): void {
  list.scrollTop = list.scrollHeight - list.clientHeight - distancePx;
}
