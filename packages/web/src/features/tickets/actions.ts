import type { Ticket } from "@balcao/contract";
import { useMutation } from "@tanstack/react-query";
import { hasCode } from "../../api/client.ts";
import { useTranslation } from "../../i18n/index.ts";
import { notifyError, notifyInfo } from "../../ui/index.ts";
import { useSession } from "../auth/index.ts";
import { holderOf } from "./accept-race.ts";
import { changeTicket, deleteTicket } from "./api.ts";
import { greetCustomer } from "./greeting.ts";
import { writeTicketEvent } from "./list-cache.ts";

type Change = Parameters<typeof changeTicket>[1];

/** What an agent can do to a ticket as a whole (spec 4). `finish` is Finalizar on its card, `resolve` the header's. */
export type TicketAction = "accept" | "return" | "resolve" | "finish" | "reopen";

/**
 * The change of a ticket's state. On success the lists and the opened ticket show it at once; failures are said here.
 */
export function useTicketAction(action: TicketAction) {
  const { t } = useTranslation();
  const { user } = useSession();
  return useMutation({
    mutationKey: ["tickets", action],
    mutationFn: (ticket: Ticket) => changeTicket(ticket.id, changeOf(action, ticket, user.id)),
    onSuccess: (ticket) => {
      if (action === "accept") greetCustomer(ticket, user.name).catch(notifyError);
    },
    onError: (error, ticket) => {
      const holder = holderOf(error);
      if (holder) {
        // Somebody was faster: the card goes at once, the live event only confirms it.
        writeTicketEvent({ action: "delete", ticketId: ticket.id });
        notifyInfo(t("tickets.alreadyServed", { name: holder.name }));
        return;
      }
      if (hasCode(error, "ERR_NO_TICKET_FOUND") || hasCode(error, "ERR_TICKET_FORBIDDEN")) {
        writeTicketEvent({ action: "delete", ticketId: ticket.id });
      }
      notifyError(error);
    },
  });
}

/** Where a ticket is to go: a queue, a colleague of it or nobody yet, a connection. */
export type TransferTarget = Readonly<{
  queueId: number;
  userId: number | null;
  whatsappId: number | null;
}>;

/** Gives a ticket away. With nobody chosen it waits in the queue (spec 4, transfer). */
export function useTransfer() {
  return useMutation({
    mutationFn: ({ ticketId, to }: { ticketId: number; to: TransferTarget }) =>
      changeTicket(ticketId, {
        queueId: to.queueId,
        ...(to.userId === null ? { status: "pending", userId: null } : { userId: to.userId }),
        ...(to.whatsappId === null ? {} : { whatsappId: to.whatsappId }),
      }),
  });
}

/** Removes a ticket for good. One that has gone already is as good as removed. */
export function useDeleteTicket() {
  return useMutation({
    mutationFn: async (ticketId: number) => {
      try {
        await deleteTicket(ticketId);
      } catch (error) {
        if (!hasCode(error, "ERR_NO_TICKET_FOUND")) throw error;
      }
      writeTicketEvent({ action: "delete", ticketId });
    },
  });
}

/** What the client family sends for each action (wire-contract 6.1). */
function changeOf(action: TicketAction, ticket: Ticket, userId: number): Change {
  const { useIntegration, promptId, integrationId } = ticket;
  const resolved = {
    status: "closed",
    userId,
    useIntegration: false,
    promptId: null,
    integrationId: null,
  } as const;
  const changes: Readonly<Record<TicketAction, Change>> = {
    accept: { status: "open", userId },
    // Without a queue the server restores the last one.
    reopen: { status: "open", userId },
    return: { status: "pending", userId: null, useIntegration, promptId, integrationId },
    resolve: resolved,
    finish: { ...resolved, queueId: ticket.queueId },
  };
  return changes[action];
}
