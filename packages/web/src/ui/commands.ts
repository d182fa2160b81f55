import { useEffect } from "react";
import type { Icon } from "@tabler/icons-react";
import { createStore, useStore } from "../store/index.ts";

/** An action of the current screen, listed in the palette and in the list of shortcuts. */
export type Command = {
  id: string;
  label: string;
  icon: Icon;
  /** Its keys as tooltips show them: "Alt R". */
  keys?: string;
  run(): void;
};

/** The commands of each mounted screen; the newest screen's stand first. */
const screens = new Map<object, readonly Command[]>();
const all = createStore<readonly Command[]>([]);

/** Offers commands while mounted. Pass the same array while the commands do not change. */
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

/** The commands of the current screen. */
export function useCommands(): readonly Command[] {
  return useStore(all);
}

function change(): void {
  all.set([...screens.values()].reverse().flat());
}
