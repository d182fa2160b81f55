import type { ReactNode } from "react";
import { Suspense, useState } from "react";
import { closeNewTicket, useNewTicketWish } from "./new-ticket.ts";
import { lazyPart } from "../../ui/lazy-part.tsx";

const NewTicketDialog = lazyPart(
  async () => (await import("./new-ticket-dialog.tsx")).NewTicketDialog,
  "over",
);

/** Where the dialog of `openNewTicket` appears; once, in the frame of the signed-in pages. */
export function NewTicketHost(): ReactNode {
  const wish = useNewTicketWish();
  // It stays while it closes, which gives the focus back to its opener.
  const [last, setLast] = useState(wish);
  if (wish !== null && wish !== last) setLast(wish);
  if (last === null) return null;
  return (
    <Suspense fallback={null}>
      <NewTicketDialog wish={last} opened={wish !== null} onClose={closeNewTicket} />
    </Suspense>
  );
}
