import { useEffect } from "react";
import { useLocation, useNavigate } from "react-router";
import type { Person } from "./new-ticket.ts";
import { openNewTicket } from "./new-ticket.ts";
import { useNewest } from "./use-newest.ts";

/** What another screen wants to be seen here, told beside the address. */
type Arrival = Readonly<{
  /** A waiting ticket, which has no address of its own. */
  waitingTicketId?: number;
  /** Somebody to open a ticket with. */
  newTicketWith?: Person;
}>;

/** Does what the step to this page asked for, once. */
export function useArrival(onWaiting: (ticketId: number) => void): void {
  const location = useLocation();
  const navigate = useNavigate();
  const newestOnWaiting = useNewest(onWaiting);
  const { pathname, search } = location;
  const arrival = arrivalOf(location.state);
  const newestArrival = useNewest(arrival);
  const hasArrived = arrival !== null;
  useEffect(() => {
    if (!hasArrived) return;
    const wanted = newestArrival.current;
    // Coming back to this step later asks for nothing any more.
    void navigate(pathname + search, { replace: true, state: null });
    if (wanted?.waitingTicketId !== undefined) newestOnWaiting.current(wanted.waitingTicketId);
    if (wanted?.newTicketWith) openNewTicket({ contact: wanted.newTicketWith });
  }, [hasArrived, pathname, search, navigate, newestArrival, newestOnWaiting]);
}

function arrivalOf(state: unknown): Arrival | null {
  if (typeof state !== "object" || state === null) return null;
  if ("waitingTicketId" in state && typeof state.waitingTicketId === "number") {
    return { waitingTicketId: state.waitingTicketId };
  }
  const contact = "newTicketWith" in state ? contactOf(state.newTicketWith) : null;
  return contact === null ? null : { newTicketWith: contact };
}

/** A browser keeps what stands beside an address over restarts, also those to another version of the product. */
function contactOf(value: unknown): Person | null {
  if (typeof value !== "object" || value === null) return null;
  if (!("id" in value) || !("name" in value) || !("number" in value)) return null;
  const { id, name, number } = value;
  if (typeof id !== "number" || typeof name !== "string" || typeof number !== "string") return null;
  return { id, name, number };
}
