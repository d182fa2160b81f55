import type { Connection, Queue } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { useState } from "react";
import { hasCode } from "../../api/client.ts";
import { useTranslation } from "../../i18n/index.ts";
import { notifyInfo } from "../../ui/index.ts";
import { useSession } from "../auth/index.ts";
import { useConnections } from "../connections/index.ts";
import { useChoosableQueues } from "./api.ts";
import { startingConnection } from "./choices.ts";
import type { NewContactFields } from "./create-ticket.ts";
import { useCreateTicket, useStoreContact } from "./create-ticket.ts";
import type { HeldTicket } from "./held-ticket.ts";
import { heldTicketOf } from "./held-ticket.ts";
import type { NewTicketWish, Person } from "./new-ticket.ts";
import { viewerOf } from "./ticket-view.ts";

/** What is missing or wrong, by field. */
export type FormProblems = Readonly<{
  contact?: "contact";
  queue?: "queue";
  name?: "short";
  number?: "short";
  email?: "form";
}>;

export type NewTicketForm = ReturnType<typeof useNewTicketForm>;

/** Enough to catch a slip of the fingers; the server decides. */
const EMAIL_FORM = /^\S+@\S+\.\S+$/;

/** The state of the new-ticket dialog, and what its button does: store the contact if it is new, open the ticket. */
export function useNewTicketForm(
  wish: NewTicketWish,
  { onTicket }: { onTicket: (uuid: string) => void },
) {
  const { t } = useTranslation();
  const { user, can } = useSession();
  const maySeeAll = can("tickets:see-all");
  const knownQueues = useChoosableQueues(viewerOf(user));
  const queues: readonly Queue[] = knownQueues ?? [];
  const connections: readonly Connection[] = useConnections();
  const storeContact = useStoreContact();
  const createTicket = useCreateTicket();

  const [contact, setContact] = useState<Person | null>(wish.contact ?? null);
  const [newContact, setNewContact] = useState(startingContact(wish));
  // Undefined: not chosen yet, so what suggests itself is taken.
  const [chosenQueueId, setQueueId] = useState<number | null>();
  const [chosenConnectionId, setConnectionId] = useState<number | null>();
  const [problems, setProblems] = useState<FormProblems>({});

  const onlyQueueId = !maySeeAll && queues.length === 1 ? (queues[0]?.id ?? null) : null;
  const queueId = chosenQueueId === undefined ? onlyQueueId : chosenQueueId;
  const connectionId =
    chosenConnectionId ?? startingConnection(connections, user.whatsappId)?.id ?? null;
  const held = heldTicketOf(createTicket.error);

  function forget(...fields: (keyof FormProblems)[]): void {
    setProblems((known) => {
      const left = { ...known };
      for (const field of fields) delete left[field];
      return left;
    });
    createTicket.reset();
  }

  function open(contactId: number): void {
    const fields = { contactId, queueId, whatsappId: connectionId, userId: user.id };
    createTicket.mutate(fields, {
      onSuccess: ({ uuid }) => onTicket(uuid),
      onError: (error) => {
        const existing = heldTicketOf(error);
        // It is one's own: that is the ticket that was wanted.
        if (existing?.userId === user.id) onTicket(existing.uuid);
      },
    });
  }

  /** Gives the first wrong field, or null after the calls were begun. */
  function submit(): keyof FormProblems | null {
    const found = problemsOf({ contact, newContact, queueId, mustChooseQueue: !maySeeAll });
    setProblems(found);
    const first = order.find((field) => found[field] !== undefined);
    if (first !== undefined) return first;
    if (newContact === null) {
      if (contact) open(contact.id);
      return null;
    }
    storeContact.mutate(trimmed(newContact), {
      onSuccess: ({ contact: stored, wasThere }) => {
        // Whatever becomes of the ticket, the contact is there now.
        setContact(stored);
        setNewContact(null);
        if (wasThere) notifyInfo(t("tickets.new.contactWasThere", { name: stored.name }));
        open(stored.id);
      },
    });
    return null;
  }

  return {
    maySeeAll,
    mustChooseQueue: !maySeeAll,
    queues,
    areQueuesKnown: knownQueues !== undefined,
    connections,
    contact,
    newContact,
    queueId,
    connectionId,
    problems,
    /** Why the new contact was not stored. */
    contactRefusal: storeContact.error,
    held,
    failure:
      held === null && !hasCode(createTicket.error, "ERR_TICKET_EXISTS")
        ? createTicket.error
        : null,
    isBusy: storeContact.isPending || createTicket.isPending,
    submit,
    openHeld: (ticket: HeldTicket) => onTicket(ticket.uuid),
    chooseContact(chosen: Person | null) {
      setContact(chosen);
      forget("contact");
    },
    startContact(typed: string) {
      setNewContact(startingContact(isNumber(typed) ? { number: typed } : { name: typed }));
      setContact(null);
      forget("contact");
    },
    changeContact(fields: NewContactFields) {
      setNewContact(fields);
      forget("name", "number", "email");
      storeContact.reset();
    },
    dropNewContact() {
      setNewContact(null);
      storeContact.reset();
      forget("name", "number", "email");
    },
    chooseQueue(id: number | null) {
      setQueueId(id);
      forget("queue");
    },
    chooseConnection(id: number | null) {
      setConnectionId(id);
      forget();
    },
  };
}

const order = [
  "contact",
  "name",
  "number",
  "email",
  "queue",
] as const satisfies readonly (keyof FormProblems)[];

function problemsOf(form: {
  contact: Person | null;
  newContact: NewContactFields | null;
  queueId: number | null;
  mustChooseQueue: boolean;
}): FormProblems {
  const { contact, newContact, queueId, mustChooseQueue } = form;
  return {
    ...(newContact === null && contact === null ? { contact: "contact" as const } : {}),
    ...(newContact === null ? {} : contactProblems(trimmed(newContact))),
    ...(mustChooseQueue && queueId === null ? { queue: "queue" as const } : {}),
  };
}

function contactProblems({ name, number, email }: NewContactFields): FormProblems {
  return {
    ...(name.length < limits.nameMin ? { name: "short" as const } : {}),
    ...(number.replaceAll(/\D/g, "").length < limits.numberMin ? { number: "short" as const } : {}),
    ...(email !== "" && !EMAIL_FORM.test(email) ? { email: "form" as const } : {}),
  };
}

function startingContact(wish: NewTicketWish): NewContactFields | null {
  const { contact, name = "", number = "" } = wish;
  if (contact !== undefined || (name === "" && number === "")) return null;
  return {
    name: name.slice(0, limits.nameMax),
    number: number.slice(0, limits.numberMax),
    email: "",
  };
}

function trimmed({ name, number, email }: NewContactFields): NewContactFields {
  return { name: name.trim(), number: number.trim(), email: email.trim() };
}

function isNumber(typed: string): boolean {
  return /^[\d\s()+.-]+$/.test(typed.trim());
}
