import { createContext, useContext, useState } from "react";
import { createSessionStore, currentSession } from "../api/session-store.ts";

/** Names the record of the forms inside. Without it a form keeps no draft. */
export const DraftOf = createContext<string | null>(null);

/** Unsaved input by record. It stays in memory: it may hold a password. */
const drafts = createSessionStore<Readonly<Record<string, object>>>({});

/** Keeps the input of a form that closed without saving, until the same record is opened again. */
export function useDraft<Values extends object>() {
  const of = useContext(DraftOf);
  const [sessionId] = useState(() => currentSession()?.id);
  return {
    // Only this form writes under the name of its record.
    known: of === null ? undefined : (drafts.get()[of] as Partial<Values> | undefined),
    /** Null drops the draft. */
    keep(typed: Partial<Values> | null): void {
      // A form that closes at sign-out keeps no draft for the next user.
      if (of === null || sessionId !== currentSession()?.id) return;
      const { [of]: _, ...others } = drafts.get();
      drafts.set(typed === null ? others : { ...others, [of]: typed });
    },
  };
}
