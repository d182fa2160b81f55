import type { Ticket } from "@balcao/contract";
import type { UseQueryResult } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useNavigate, useParams, useSearchParams } from "react-router";
import { hasCode } from "../../api/client.ts";
import { notifyError } from "../../ui/index.ts";
import { openAt } from "../messages/index.ts";
import { useTicket } from "./api.ts";

type Opened = {
  ticketUuid: string | undefined;
  opened: UseQueryResult<Ticket>;
  /** False for the ticket that the page started with: nobody pressed anything yet. */
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

/** `?message=` of the address is where to open it; it is taken away, so that the ticket can be opened there again. */
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

/** A ticket that is not ours to see, or gone, is left with a word (spec 4, ticket access). */
function useLeaveForbidden(error: Error | null): void {
  const navigate = useNavigate();
  useEffect(() => {
    const mustLeave =
      hasCode(error, "ERR_TICKET_FORBIDDEN") ||
      hasCode(error, "ERR_NO_TICKET_FOUND") ||
      hasCode(error, "ERR_INVALID_REQUEST");
    if (!mustLeave) return;
    notifyError(error);
    void navigate("/tickets", { replace: true });
  }, [error, navigate]);
}

function useOpenedByHand(ticketUuid: string | undefined): boolean {
  const [first] = useState(ticketUuid);
  const [isByHand, setIsByHand] = useState(false);
  if (!isByHand && ticketUuid !== first) setIsByHand(true);
  return isByHand;
}
