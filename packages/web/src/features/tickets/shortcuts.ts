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

/** By place of the key: Alt changes what letters give. */
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

/** The shortcut a key press means, null for all others. */
export function shortcutOf(
  event: Pick<KeyboardEvent, "altKey" | "ctrlKey" | "metaKey" | "shiftKey" | "code">,
): ((on: TicketShortcuts) => void) | null {
  if (!event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return null;
  return shortcuts[event.code] ?? null;
}

/** Listens while mounted; not while a dialog is open, which has its own keys. */
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

/** The value of the last render, for handlers that shall stay the same while it changes. */
export function useNewest<T>(value: T): RefObject<T> {
  const newest = useRef(value);
  useEffect(() => {
    newest.current = value;
  });
  return newest;
}
