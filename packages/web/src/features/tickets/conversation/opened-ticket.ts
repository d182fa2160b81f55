import type { Ticket } from "@balcao/contract";
import type { UseQueryResult } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { hasCode } from "../../../api/client.ts";
import { useLocation, useNavigate, useParams, useSearchParams } from "../../../router/index.tsx";
import { notifyError } from "../../../ui/index.ts";
import { openAt } from "../../messages/index.ts";
import { useTicket } from "../api.ts";
import { isFilterStep } from "../list/list-filter.ts";
import { openNewTicket } from "../new-ticket/new-ticket.tsx";
import type { Person } from "../new-ticket/use-new-ticket-form.ts";
import { useNewest } from "../shortcuts.ts";

export type Pane = "ticket" | "list";

type Opened = {
  ticketUuid: string | undefined;
  opened: UseQueryResult<Ticket>;
  /** False for the ticket that the page started with. */
  isByHand: boolean;
};

/** The ticket of the address, at the message that the address names. */
export function useOpenedTicket(): Opened {
  const { ticketUuid } = useParams();
  const opened = useTicket(ticketUuid);
  useLeaveForbidden(opened.error);
  useOpenAtMessage(opened.data);
  return { ticketUuid, opened, isByHand: useOpenedByHand(ticketUuid) };
}

/** `?message=` is the message to open; it is removed, so that the ticket can be opened there again. */
function useOpenAtMessage(ticket: Ticket | undefined): void {
  const [parameters, setParameters] = useSearchParams();
  const messageId = parameters.get("message");
  const ticketId = ticket?.id;
  useEffect(() => {
    if (messageId === null || ticketId === undefined) return;
    openAt(ticketId, messageId);
    setParameters({}, { replace: true });
  }, [messageId, ticketId, setParameters]);
}

/** A ticket that is deleted or not permitted is left with a toast (spec 4, ticket access). */
function useLeaveForbidden(error: Error | null): void {
  const navigate = useNavigate();
  useEffect(() => {
    const mustLeave =
      hasCode(error, "ERR_TICKET_FORBIDDEN") ||
      hasCode(error, "ERR_NO_TICKET_FOUND") ||
      hasCode(error, "ERR_INVALID_REQUEST");
    if (!mustLeave) return;
    notifyError(error);
    navigate("/tickets", { replace: true });
  }, [error, navigate]);
}

function useOpenedByHand(ticketUuid: string | undefined): boolean {
  const [first] = useState(ticketUuid);
  const [isByHand, setIsByHand] = useState(false);
  if (!isByHand && ticketUuid !== first) setIsByHand(true);
  return isByHand;
}

/** Another screen's request to open something here, passed beside the address. */
type Arrival = Readonly<{
  /** A waiting ticket, which has no address of its own. */
  waitingTicketId?: number;
  /** A contact to open a ticket with. */
  newTicketWith?: Person;
}>;

/** Runs the request of the navigation, once. */
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
    // Returning to this history entry later repeats nothing.
    navigate(pathname + search, { replace: true, state: null });
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

/** Browsers keep the history state over restarts, also from another version of the product. */
function contactOf(value: unknown): Person | null {
  if (typeof value !== "object" || value === null) return null;
  if (!("id" in value) || !("name" in value) || !("number" in value)) return null;
  const { id, name, number } = value;
  if (typeof id !== "number" || typeof name !== "string" || typeof number !== "string") return null;
  return { id, name, number };
}

/**
 * The pane on a narrow screen: the ticket whenever one is opened, also the same again, or when a step of the page wants its place
 * (state `ticket`); else the list.
 */
export function usePane(ticketUuid: string | undefined): {
  pane: Pane;
  setPane: (pane: Pane) => void;
} {
  // Each step has its own key, also one to the same address.
  const { key, state } = useLocation();
  const pane = ticketUuid === undefined && state !== "ticket" ? "list" : "ticket";
  const [chosen, setChosen] = useState<{ key: string; pane: Pane }>({ key, pane });
  if (chosen.key !== key) {
    setChosen({ key, pane: isFilterStep(state) ? chosen.pane : pane });
  }
  return { pane: chosen.pane, setPane: (next) => setChosen({ key, pane: next }) };
}
