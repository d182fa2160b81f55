import { useSyncExternalStore } from "react";

/** A contact, as far as a dialog shows it. */
export type Person = Readonly<{ id: number; name: string; number: string }>;

/** Whom a new ticket is for, as far as that is known when the dialog opens. */
export type NewTicketWish = Readonly<{
  contact?: Person;
  /** Number and name of somebody who may be no contact yet. */
  number?: string;
  name?: string;
}>;

let wish: NewTicketWish | null = null;
const listeners = new Set<() => void>();

/** Opens the dialog of a new ticket, wherever one is; it leads to the ticket. */
export function openNewTicket(next: NewTicketWish = {}): void {
  change(next);
}

export function closeNewTicket(): void {
  change(null);
}

/** The dialog to be shown, null when none. */
export function useNewTicketWish(): NewTicketWish | null {
  return useSyncExternalStore(subscribe, () => wish);
}

function change(next: NewTicketWish | null): void {
  wish = next;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
