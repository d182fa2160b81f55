import { createStore, useStore } from "../../store/index.ts";
import type { ReactNode } from "react";
import { Suspense, useEffect, useRef, useState } from "react";
import type { Command } from "../../ui/commands.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";

type Shown = "palette" | "sheet" | null;

const shown = createStore<Shown>(null);

/** Opens the palette or the list of shortcuts. */
export function openPalette(what: Exclude<Shown, null>): void {
  shown.set(what);
}

export function closePalette(): void {
  shown.set(null);
}

const Palette = lazyPart(async () => (await import("./palette.tsx")).Palette, "over");
const ShortcutSheet = lazyPart(async () => (await import("./palette.tsx")).ShortcutSheet, "over");

type Props = { pages: readonly Command[] };

/** The palette (Ctrl/⌘ K) and the list of shortcuts (?); the code loads at the first press. */
export function PaletteHost({ pages }: Props): ReactNode {
  const open = useStore(shown);
  const [asked, setAsked] = useState<ReadonlySet<Shown>>(new Set());
  if (open !== null && !asked.has(open)) setAsked(new Set([...asked, open]));
  usePaletteKeys(openPalette);
  return (
    <Suspense fallback={null}>
      {asked.has("palette") ? (
        <Palette
          isOpen={open === "palette"}
          pages={pages}
          onClose={closePalette}
          onSheet={() => openPalette("sheet")}
        />
      ) : null}
      {asked.has("sheet") ? (
        <ShortcutSheet isOpen={open === "sheet"} onClose={closePalette} />
      ) : null}
    </Suspense>
  );
}

/** Ctrl/⌘ K opens the palette everywhere, "?" the list of shortcuts outside of text fields. */
function usePaletteKeys(open: (what: "palette" | "sheet") => void): void {
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
