import type { Message } from "@balcao/contract";
import { useSyncExternalStore } from "react";
import { currentSession } from "../../api/session-store.ts";

/** What the composer of a ticket is about to answer or to change, instead of writing something new. */
export type ComposerTarget = Readonly<{ kind: "reply" | "edit"; message: Message }>;

let known: { sessionId: string; targets: Map<number, ComposerTarget> } | null = null;
const listeners = new Set<() => void>();

/** Those of the session: nothing of one user stays for the next. */
function targets(): Map<number, ComposerTarget> {
  const sessionId = currentSession()?.id ?? "";
  if (known?.sessionId !== sessionId) known = { sessionId, targets: new Map() };
  return known.targets;
}

/** Points the ticket's composer at a message; null lets it write something new again. */
export function aimComposer(ticketId: number, target: ComposerTarget | null): void {
  if (target === null) targets().delete(ticketId);
  else targets().set(ticketId, target);
  for (const listener of listeners) listener();
}

/** What the ticket's composer is pointed at; the same object until it changes. */
export function useComposerTarget(ticketId: number): ComposerTarget | null {
  return useSyncExternalStore(subscribe, () => targets().get(ticketId) ?? null);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
