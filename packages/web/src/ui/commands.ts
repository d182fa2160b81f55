import { useEffect, useSyncExternalStore } from "react";
import type { Icon } from "@tabler/icons-react";

/** Something that can be done on the screen as it is now: it stands in the palette, and in the list of shortcuts. */
export type Command = {
  id: string;
  label: string;
  icon: Icon;
  /** Its keys, as tooltips write them: "Alt R". */
  keys?: string;
  run(): void;
};

/** The commands of each mounted screen; the newest screen's stand first. */
const screens = new Map<object, readonly Command[]>();
let all: readonly Command[] = [];
const listeners = new Set<() => void>();

/** Offers commands while mounted. Pass the same list as long as nothing about it changes. */
export function useOfferCommands(commands: readonly Command[]): void {
  useEffect(() => {
    const screen = {};
    screens.set(screen, commands);
    change();
    return () => {
      screens.delete(screen);
      change();
    };
  }, [commands]);
}

/** What can be done now. */
export function useCommands(): readonly Command[] {
  return useSyncExternalStore(subscribe, () => all);
}

function change(): void {
  all = [...screens.values()].reverse().flat();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
