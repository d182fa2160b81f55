import { useEffect } from "react";
import { createSessionStore } from "../../../api/session-store.ts";
import { useStore } from "../../../store/index.ts";

/** The tickets whose conversation is being searched. */
const searches = createSessionStore<ReadonlySet<number>>(new Set());

/** Opens or closes the search of a ticket's conversation. */
export function showSearch(ticketId: number, isOpen: boolean): void {
  const next = new Set(searches.get());
  if (isOpen) next.add(ticketId);
  else next.delete(ticketId);
  searches.set(next);
}

export function useIsSearching(ticketId: number): boolean {
  return useStore(searches, (all) => all.has(ticketId));
}

/** Ctrl or ⌘ F opens the search of the conversation; pressed in its field, it is the browser's. */
export function useSearchKey(ticketId: number): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      const isKey = event.code === "KeyF" && event.ctrlKey !== event.metaKey;
      if (!isKey || event.altKey || event.shiftKey) return;
      if (document.querySelector('[role="dialog"][aria-modal="true"]')) return;
      if (document.activeElement?.id === SEARCH_FIELD_ID) return;
      event.preventDefault();
      showSearch(ticketId, true);
      document.getElementById(SEARCH_FIELD_ID)?.focus();
    };
    document.addEventListener("keydown", onKeyDown);
    return () => document.removeEventListener("keydown", onKeyDown);
  }, [ticketId]);
}

export const SEARCH_FIELD_ID = "conversation-search";
