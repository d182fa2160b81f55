import type { PointerEvent } from "react";
import { useEffect, useRef } from "react";

const LONG_PRESS_MS = 450;
/** A finger never stands quite still. */
const SLACK_PX = 10;

type Handlers = {
  onPointerDown: (event: PointerEvent) => void;
  onPointerMove: (event: PointerEvent) => void;
  onPointerUp: () => void;
  onPointerCancel: () => void;
};

/** Calls `action` when a finger rests; a mouse has buttons for that. Null listens to nothing. */
export function useLongPress(action: (() => void) | null): Handlers | null {
  const press = useRef<{ timer: ReturnType<typeof setTimeout>; x: number; y: number } | null>(null);

  function end(): void {
    if (press.current) clearTimeout(press.current.timer);
    press.current = null;
  }
  useEffect(
    () => () => {
      if (press.current) clearTimeout(press.current.timer);
    },
    [],
  );

  if (action === null) return null;
  return {
    onPointerDown(event) {
      if (event.pointerType !== "touch") return;
      end();
      const timer = setTimeout(action, LONG_PRESS_MS);
      press.current = { timer, x: event.clientX, y: event.clientY };
    },
    onPointerMove(event) {
      if (!press.current) return;
      const moved = Math.hypot(event.clientX - press.current.x, event.clientY - press.current.y);
      if (moved > SLACK_PX) end();
    },
    onPointerUp: end,
    onPointerCancel: end,
  };
}
