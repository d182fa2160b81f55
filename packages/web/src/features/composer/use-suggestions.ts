import { limits } from "@balcao/contract/limits";
import { useCallback, useEffect, useState } from "react";
import { prefetchQuickMessages } from "./api.ts";
import type { SlashTerm } from "./caret.ts";

/** Whether suggestions are offered for the `/term` at the caret, and which of them is marked. */
export function useSuggestions(slash: SlashTerm | null) {
  const [dismissedAt, setDismissedAt] = useState<number | null>(null);
  const [activeId, setActiveId] = useState<string | null>(null);
  const start = slash?.start ?? null;
  const isLong = slash !== null && slash.term.length >= limits.quickReplyTermMin;
  // Dismissed for this `/` only; the next one is offered something again.
  if (dismissedAt !== null && start !== dismissedAt) setDismissedAt(null);

  const isSlash = slash !== null;
  useEffect(() => {
    if (!isSlash) return;
    prefetchQuickMessages();
    import("./suggestions.tsx").catch(() => undefined); // asked for again, with its error, when it is shown
  }, [isSlash]);

  return {
    term: isLong && dismissedAt !== start ? slash.term : null,
    activeId,
    setActiveId,
    dismiss: useCallback(() => setDismissedAt(start), [start]),
    reset: useCallback(() => setDismissedAt(null), []),
  };
}
