import { useSyncExternalStore } from "react";

export type Shown = "palette" | "sheet" | null;

let shown: Shown = null;
const listeners = new Set<() => void>();

/** Opens the palette or the list of shortcuts, for the buttons that do what the keys do. */
export function openPalette(what: Exclude<Shown, null>): void {
  change(what);
}

export function closePalette(): void {
  change(null);
}

export function useShown(): Shown {
  return useSyncExternalStore(subscribe, () => shown);
}

function change(to: Shown): void {
  shown = to;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
