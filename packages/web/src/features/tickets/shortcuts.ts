import { useEffect, useRef } from "react";

/** What the keys of ui.md section 4 do on the tickets screen. */
export type TicketShortcuts = {
  onTab(tab: "open" | "pending" | "closed"): void;
  /** To the next (1) or previous (-1) ticket of the list. */
  onStep(by: 1 | -1): void;
  onAccept(): void;
  onResolve(): void;
};

/** The shortcut a key press means, null for all others. By place of the key: Alt changes what letters give. */
export function shortcutOf(
  event: Pick<KeyboardEvent, "altKey" | "ctrlKey" | "metaKey" | "shiftKey" | "code">,
): ((shortcuts: TicketShortcuts) => void) | null {
  if (!event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return null;
  switch (event.code) {
    case "ArrowDown":
      return (shortcuts) => shortcuts.onStep(1);
    case "ArrowUp":
      return (shortcuts) => shortcuts.onStep(-1);
    case "Digit1":
    case "Numpad1":
      return (shortcuts) => shortcuts.onTab("open");
    case "Digit2":
    case "Numpad2":
      return (shortcuts) => shortcuts.onTab("pending");
    case "Digit3":
    case "Numpad3":
      return (shortcuts) => shortcuts.onTab("closed");
    case "KeyA":
      return (shortcuts) => shortcuts.onAccept();
    case "KeyR":
      return (shortcuts) => shortcuts.onResolve();
    default:
      return null;
  }
}

/** Listens while mounted; not while a dialog is open, which has its own keys. */
export function useTicketShortcuts(shortcuts: TicketShortcuts): void {
  const newest = useRef(shortcuts);
  useEffect(() => {
    newest.current = shortcuts;
  });
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
  }, []);
}
