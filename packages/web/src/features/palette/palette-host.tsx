import type { ReactNode } from "react";
import { Suspense, useState } from "react";
import type { Command } from "../../ui/commands.ts";
import type { Shown } from "./opening.ts";
import { closePalette, openPalette, useShown } from "./opening.ts";
import { usePaletteKeys } from "./palette-keys.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";

const Palette = lazyPart(async () => (await import("./palette.tsx")).Palette, "over");
const ShortcutSheet = lazyPart(
  async () => (await import("./shortcut-sheet.tsx")).ShortcutSheet,
  "over",
);

type Props = {
  /** The pages one can go to. */
  pages: readonly Command[];
};

/** Search and commands behind Ctrl/⌘ K, the list of shortcuts behind "?". Fetched with the first press. */
export function PaletteHost({ pages }: Props): ReactNode {
  const shown = useShown();
  const [asked, setAsked] = useState<ReadonlySet<Shown>>(new Set());
  if (shown !== null && !asked.has(shown)) setAsked(new Set([...asked, shown]));
  usePaletteKeys(openPalette);
  return (
    <Suspense fallback={null}>
      {asked.has("palette") ? (
        <Palette
          isOpen={shown === "palette"}
          pages={pages}
          onClose={closePalette}
          onSheet={() => openPalette("sheet")}
        />
      ) : null}
      {asked.has("sheet") ? (
        <ShortcutSheet isOpen={shown === "sheet"} onClose={closePalette} />
      ) : null}
    </Suspense>
  );
}
