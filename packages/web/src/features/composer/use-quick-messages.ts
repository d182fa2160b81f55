import type { QuickMessage } from "@balcao/contract";
import { useMemo } from "react";
import { currentSession } from "../../api/session-store.ts";
import { useCompanyEvent } from "../../realtime/index.ts";
import { useAllQuickMessages, writeQuickMessages } from "./api.ts";
import { applyQuickMessageEvent, matchingQuickMessages } from "./quick-message-rules.ts";

const none: readonly QuickMessage[] = [];

/** The quick messages that match, kept current while mounted. */
export function useQuickMessages(term: string): {
  matches: readonly QuickMessage[];
  isPending: boolean;
  error: unknown;
} {
  const { data = none, isPending, error } = useAllQuickMessages();
  useCompanyEvent("quickmessage", (event) => {
    const userId = currentSession()?.user.id ?? 0;
    writeQuickMessages((known) => applyQuickMessageEvent(known, event, { userId }));
  });
  const matches = useMemo(() => matchingQuickMessages(data, term), [data, term]);
  return { matches, isPending, error };
}
