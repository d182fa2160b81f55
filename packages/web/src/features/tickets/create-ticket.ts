import type { Ticket } from "@balcao/contract";
import { useMutation } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { writeTicketEvent } from "./list-cache.ts";
import type { Person } from "./new-ticket.ts";

/** What a person types about a new contact. */
export type NewContactFields = Readonly<{ name: string; number: string; email: string }>;

/** A contact that was stored just now, or the one that had the number already. */
export type StoredContact = Readonly<{
  contact: Person;
  wasThere: boolean;
}>;

/** Stores a contact whose number the chat network knows. */
export function useStoreContact() {
  return useMutation({
    mutationFn: async (fields: NewContactFields): Promise<StoredContact> => {
      const stored = await call("POST /contacts", { body: fields });
      void queryClient.invalidateQueries({ queryKey: ["contacts"] });
      const { id, name, number } = stored;
      return { contact: { id, name, number }, wasThere: stored.alreadyExists === true };
    },
  });
}

export type NewTicketFields = Readonly<{
  contactId: number;
  queueId: number | null;
  whatsappId: number | null;
  userId: number;
}>;

/** Opens a ticket with a contact. */
export function useCreateTicket() {
  return useMutation({
    mutationFn: async (fields: NewTicketFields): Promise<Ticket> => {
      const ticket = await call("POST /tickets", { body: { ...fields, status: "open" } });
      writeTicketEvent({ action: "update", ticket });
      return ticket;
    },
  });
}
