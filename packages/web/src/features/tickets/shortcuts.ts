import type { RefObject } from "react";
import { useEffect, useRef } from "react";

/** The keyboard shortcuts of the tickets screen (ui.md section 4). */
type TicketShortcuts = {
  onTab(tab: "open" | "pending" | "closed"): void;
  /** To the next (1) or previous (-1) ticket of the list. */
  onStep(by: 1 | -1): void;
  onAccept(): void;
  onResolve(): void;
  onTransfer(): void;
  onContact(): void;
  onSchedule(): void;
};

/** By physical key: Alt changes the characters of letters. */
const shortcuts: Readonly<Record<string, (on: TicketShortcuts) => void>> = {
  ArrowDown: (on) => on.onStep(1),
  ArrowUp: (on) => on.onStep(-1),
  Digit1: (on) => on.onTab("open"),
  Numpad1: (on) => on.onTab("open"),
  Digit2: (on) => on.onTab("pending"),
  Numpad2: (on) => on.onTab("pending"),
  Digit3: (on) => on.onTab("closed"),
  Numpad3: (on) => on.onTab("closed"),
  KeyA: (on) => on.onAccept(),
  KeyR: (on) => on.onResolve(),
  KeyT: (on) => on.onTransfer(),
  KeyI: (on) => on.onContact(),
  KeyS: (on) => on.onSchedule(),
};

/** The shortcut of a key press; null for other keys. */
export function shortcutOf(
  event: Pick<KeyboardEvent, "altKey" | "ctrlKey" | "metaKey" | "shiftKey" | "code">,
): ((on: TicketShortcuts) => void) | null {
  if (!event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return null;
  return shortcuts[event.code] ?? null;
}

/** Listens to shortcuts while mounted, except while a dialog is open. */
export function useTicketShortcuts(on: TicketShortcuts): void {
  const newest = useNewest(on);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const run = shortcutOf(event);
      if (run === null) return;
      if (document.querySelector('[role="dialog"][aria-modal="true"]')) return;
      event.preventDefault();
      run(newest.current);
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [newest]);
}

/** A ref to the latest value, for handlers that must stay stable. */
export function useNewest<T>(value: T): RefObject<T> {
  const newest = useRef(value);
  useEffect(() => {
    newest.current = value;
  });
  return newest;
}
