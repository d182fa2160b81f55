import { useEffect, useRef } from "react";

/** Opens the palette with Ctrl/⌘ K from everywhere, and the list of shortcuts with "?" outside of text fields. */
export function usePaletteKeys(open: (what: "palette" | "sheet") => void): void {
  const newest = useRef(open);
  useEffect(() => {
    newest.current = open;
  });
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const what = wishOf(event);
      if (what === null) return;
      event.preventDefault();
      newest.current(what);
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, []);
}

function wishOf(event: KeyboardEvent): "palette" | "sheet" | null {
  if (event.isComposing || event.defaultPrevented) return null;
  const isChord = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
  if (isChord && event.key.toLowerCase() === "k") return "palette";
  const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
  if (event.key === "?" && isPlain && !isTyping(event.target)) return "sheet";
  return null;
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.matches("input, textarea, select");
}
