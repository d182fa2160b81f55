import type { ListedTicket } from "@balcao/contract";
import type { MouseEvent, PointerEvent } from "react";
import { useEffect, useRef, useState } from "react";

const LONG_PRESS_MS = 500;

type Cards = readonly ListedTicket[];

/**
 * A press on a card. While it lasts the list stays as it is, so that a card that moves to the top meanwhile does not bring
 * another one under the pointer. A long press of a finger calls `onLongPress`; the click that ends it does nothing else.
 */
export function useCardPress(newest: Cards, onLongPress: (ticketId: number) => void) {
  const [held, setHeld] = useState<Cards | null>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const wasLong = useRef(false);
  const endLong = (): void => clearTimeout(timer.current);
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (held === null) return undefined;
    // The click comes in the same task, after the pointer is up.
    const release = (): void => void setTimeout(() => setHeld(null));
    // After a menu or a drag of the browser's own, the pointer may be up without an event.
    const ends = ["pointerup", "pointercancel", "contextmenu", "dragstart", "blur"] as const;
    for (const end of ends) window.addEventListener(end, release);
    return () => {
      for (const end of ends) window.removeEventListener(end, release);
    };
  }, [held]);
  return {
    tickets: held ?? newest,
    onPointerDown({ pointerType, button, target }: PointerEvent): void {
      wasLong.current = false;
      const item =
        target instanceof Element ? target.closest<HTMLElement>("[data-ticket-id]") : null;
      if (!item || button > 0) return;
      setHeld(newest);
      if (pointerType !== "touch") return;
      timer.current = setTimeout(() => {
        wasLong.current = true;
        onLongPress(Number(item.dataset["ticketId"]));
      }, LONG_PRESS_MS);
    },
    onPointerUp: endLong,
    onPointerCancel: endLong,
    onPointerMove: ({ movementX, movementY }: PointerEvent) => {
      if (movementX !== 0 || movementY !== 0) endLong();
    },
    onContextMenu(event: MouseEvent): void {
      if (wasLong.current) event.preventDefault();
    },
    onClickCapture(event: MouseEvent): void {
      if (!wasLong.current) return;
      wasLong.current = false;
      event.preventDefault();
      event.stopPropagation();
    },
  };
}
