import { useSyncExternalStore } from "react";
import { currentSession } from "../../api/session-store.ts";

/** The wish to see one message; each wish is an object of its own, also for the same message again. */
export type OpenWish = Readonly<{
  messageId: string;
  /** It stands before the agent's eyes and lights up. */
  isShown: boolean;
}>;

let known: { sessionId: string; wishes: Map<number, OpenWish> } | null = null;
const listeners = new Set<() => void>();

function wishes(): Map<number, OpenWish> {
  const sessionId = currentSession()?.id ?? "";
  if (known?.sessionId !== sessionId) known = { sessionId, wishes: new Map() };
  return known.wishes;
}

/**
 * Shows the message in its ticket's conversation, now or when that is opened next: it stands in the middle and lights
 * up once, also when what is around it has to be loaded first.
 */
export function openAt(ticketId: number, messageId: string): void {
  change(ticketId, { messageId, isShown: false });
}

/** The message to be shown in the ticket, null when none. */
export function openWish(ticketId: number): OpenWish | null {
  return wishes().get(ticketId) ?? null;
}

/** The message has been brought into view. A newer wish stays. */
export function showOpenWish(ticketId: number, wish: OpenWish): void {
  if (openWish(ticketId) === wish) change(ticketId, { ...wish, isShown: true });
}

/** The message to be shown in the ticket, followed; it stays until `settleOpenWish`. */
export function useOpenWish(ticketId: number): OpenWish | null {
  return useSyncExternalStore(subscribe, () => openWish(ticketId));
}

/** The message was shown, or cannot be. A newer wish stays. */
export function settleOpenWish(ticketId: number, wish: OpenWish): void {
  if (openWish(ticketId) === wish) change(ticketId, null);
}

function change(ticketId: number, wish: OpenWish | null): void {
  if (wish === null) wishes().delete(ticketId);
  else wishes().set(ticketId, wish);
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
