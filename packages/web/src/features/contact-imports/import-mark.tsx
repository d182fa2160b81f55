import type { ReactNode } from "react";
import { createSessionStore } from "../../api/session-store.ts";
import { useStore } from "../../store/index.ts";
import classes from "./import-mark.module.css";

/** How much is done of the import that the user has started and that runs, in percent; null when there is none. */
export const ownImport = createSessionStore<number | null>(null);

/** The mark of the menu entry: a slim bar while an import of the user runs. The page itself and a message say it in words. */
export function ImportMark(): ReactNode {
  const percent = useStore(ownImport);
  if (percent === null) return null;
  return (
    <span className={classes["bar"]} aria-hidden="true">
      <span style={{ width: `${percent}%` }} />
    </span>
  );
}
