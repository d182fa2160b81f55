import { useEffect, useState } from "react";
import { epochMs } from "../../ui/clock.ts";
import type { FreeTextWindow } from "./free-text-window.ts";
import { freeTextWindow, untilNextState } from "./free-text-window.ts";

/** A little later than the moment itself, so that it has passed by then. */
const AFTERWARDS_MS = 50;

/** The state of a ticket's window, followed as time passes; renders only when it changes. */
export function useFreeTextWindow(until: string | null): FreeTextWindow {
  const [, setTurns] = useState(0);
  const state = freeTextWindow(until, epochMs());
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    function waitForNext(): void {
      const waitMs = untilNextState(until, epochMs());
      if (waitMs === null) return;
      timer = setTimeout(() => {
        setTurns((turns) => turns + 1);
        waitForNext();
      }, waitMs + AFTERWARDS_MS);
    }
    waitForNext();
    return () => clearTimeout(timer);
  }, [until]);
  return state;
}
