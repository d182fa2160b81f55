import type { ReactNode } from "react";
import { Suspense, useState } from "react";
import { createSessionStore } from "../../../api/session-store.ts";
import { useStore } from "../../../store/index.ts";
import { lazyPart } from "../../../ui/lazy-part.tsx";
import type { NewTicketWish } from "./use-new-ticket-form.ts";

const NewTicketDialog = lazyPart(
  async () => (await import("./new-ticket-dialog.tsx")).NewTicketDialog,
  "over",
);

/** Renders the dialog of `openNewTicket`; once, in the frame of the signed-in pages. */
export function NewTicketHost(): ReactNode {
  const wish = useNewTicketWish();
  // It stays mounted while it closes, so that the opener gets the focus back.
  const [last, setLast] = useState(wish);
  if (wish !== null && wish !== last) setLast(wish);
  if (last === null) return null;
  return (
    <Suspense fallback={null}>
      <NewTicketDialog wish={last} opened={wish !== null} onClose={closeNewTicket} />
    </Suspense>
  );
}

const wish = createSessionStore<NewTicketWish | null>(null);

/** Opens the dialog of a new ticket on any page; it ends at the ticket. */
export function openNewTicket(next: NewTicketWish = {}): void {
  wish.set(next);
}

export function closeNewTicket(): void {
  wish.set(null);
}

/** The dialog to show; null for none. */
function useNewTicketWish(): NewTicketWish | null {
  return useStore(wish);
}
