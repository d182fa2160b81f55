import { queryClient } from "../api/query-client.ts";
import { currentSession, followOtherTabs, subscribeToSession } from "../api/session-store.ts";

/** Keeps the tabs of a browser equal, and one session's data away from the next. Called once at start. */
export function followSession(): void {
  followOtherTabs();
  let sessionId = currentSession()?.id;
  subscribeToSession(() => {
    const next = currentSession()?.id;
    if (next === sessionId) return;
    sessionId = next;
    queryClient.clear();
  });
}
