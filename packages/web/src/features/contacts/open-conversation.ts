import { useMutation } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { useNavigate } from "../../router/index.tsx";
import { openNewTicket } from "../tickets/index.ts";

type Addressed = {
  contact: { id: number; name: string; number: string };
  /** The ticket that is being served; null for none. */
  openTicketId: number | null;
};

/**
 * Opens the conversation that is being served, if the user may see it; else the dialog of a new ticket, which tells who serves
 * the contact (spec 5, new ticket).
 */
export function useOpenConversation(): (of: Addressed) => void {
  const navigate = useNavigate();
  const { mutate } = useMutation({
    mutationFn: (ticketId: number) => call("GET /tickets/:ticketId", { params: { ticketId } }, {}),
  });
  return ({ contact: { id, name, number }, openTicketId }) => {
    const ask = (): void => openNewTicket({ contact: { id, name, number } });
    if (openTicketId === null) return ask();
    mutate(openTicketId, { onSuccess: ({ uuid }) => navigate(`/tickets/${uuid}`), onError: ask });
  };
}
