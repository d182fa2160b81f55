import type { Connection, Queue, Ticket } from "@balcao/contract";
import { limits } from "@balcao/contract/limits";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { ApiError, call, hasCode } from "../../../api/client.ts";
import { queryClient } from "../../../api/query-client.ts";
import { useTranslation } from "../../../i18n/index.ts";
import { notifyInfo } from "../../../ui/index.ts";
import { useSession } from "../../auth/index.ts";
import { useConnections } from "../../connections/index.ts";
import { useChoosableQueues } from "../api.ts";
import { writeTicketEvent } from "../list/ticket-pages.ts";
import { viewerOf } from "../list/ticket-view.ts";

/** The fields of a contact that a dialog shows. */
export type Person = Readonly<{ id: number; name: string; number: string }>;

/** The contact of a new ticket, if known when the dialog opens. */
export type NewTicketWish = Readonly<{
  contact?: Person;
  /** Number and name of a person who may not be a contact yet. */
  number?: string;
  name?: string;
}>;

/** The errors by field. */
export type FormProblems = Partial<Record<(typeof fieldOrder)[number], true>>;

const fieldOrder = ["contact", "name", "number", "email", "queue"] as const;

export type NewTicketForm = ReturnType<typeof useNewTicketForm>;

/** Catches typing errors only; the server decides. */
const EMAIL_FORM = /^\S+@\S+\.\S+$/;

/** The state of the new-ticket dialog. Submitting stores a new contact and opens the ticket. */
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
  // Undefined: not chosen yet, so the default is used.
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
        // The user's own ticket opens.
        if (existing?.userId === user.id) onTicket(existing.uuid);
      },
    });
  }

  /** Returns the first invalid field, or null after starting the calls. */
  function submit(): keyof FormProblems | null {
    const found = problemsOf({ contact, newContact, queueId, mustChooseQueue: !maySeeAll });
    setProblems(found);
    const first = fieldOrder.find((field) => found[field]);
    if (first !== undefined) return first;
    if (newContact === null) {
      if (contact) open(contact.id);
      return null;
    }
    storeContact.mutate(trimmed(newContact), {
      onSuccess: ({ contact: stored, wasThere }) => {
        // The contact is stored, even if the ticket fails.
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
    /** The error of storing the new contact. */
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

function problemsOf(form: {
  contact: Person | null;
  newContact: NewContactFields | null;
  queueId: number | null;
  mustChooseQueue: boolean;
}): FormProblems {
  const { contact, newContact, queueId, mustChooseQueue } = form;
  return {
    ...(newContact === null && contact === null ? { contact: true as const } : {}),
    ...(newContact === null ? {} : contactProblems(trimmed(newContact))),
    ...(mustChooseQueue && queueId === null ? { queue: true as const } : {}),
  };
}

function contactProblems({ name, number, email }: NewContactFields): FormProblems {
  return {
    ...(name.length < limits.nameMin ? { name: true as const } : {}),
    ...(number.replaceAll(/\D/g, "").length < limits.numberMin ? { number: true as const } : {}),
    ...(email !== "" && !EMAIL_FORM.test(email) ? { email: true as const } : {}),
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

/** The fields of a new contact. */
export type NewContactFields = Readonly<{ name: string; number: string; email: string }>;

/** The contact just stored, or the known one with the same number. */
type StoredContact = Readonly<{
  contact: Person;
  wasThere: boolean;
}>;

/** Stores a contact whose number the chat network knows. */
function useStoreContact() {
  return useMutation({
    mutationFn: async (fields: NewContactFields): Promise<StoredContact> => {
      // With additional information, if none, an unknown number is refused.
      const stored = await call("POST /contacts", { body: { ...fields, extraInfo: [] } });
      if (stored.invalido) throw new Error("an unknown number was not refused");
      void queryClient.invalidateQueries({ queryKey: ["contacts"] });
      const { id, name, number } = stored;
      return { contact: { id, name, number }, wasThere: stored.alreadyExists === true };
    },
  });
}

type NewTicketFields = Readonly<{
  contactId: number;
  queueId: number | null;
  whatsappId: number | null;
  userId: number;
}>;

/** Opens a ticket with a contact. */
function useCreateTicket() {
  return useMutation({
    mutationFn: async (fields: NewTicketFields): Promise<Ticket> => {
      const ticket = await call("POST /tickets", { body: { ...fields, status: "open" } });
      writeTicketEvent({ action: "update", ticket });
      return ticket;
    },
  });
}

/** The existing ticket that prevents a new one, with its agent and queue. */
export type HeldTicket = Readonly<{
  uuid: string;
  userId: number | null;
  /** "" without an agent. */
  userName: string;
  queueName: string;
}>;

/** The existing ticket in the error of a new one (wire-contract 6.3); null if there is none. */
export function heldTicketOf(error: unknown): HeldTicket | null {
  if (!hasCode(error, "ERR_TICKET_EXISTS") || !(error instanceof ApiError)) return null;
  const uuid = fieldOf(error.data, "uuid");
  if (typeof uuid !== "string") return null;
  const userId = fieldOf(error.data, "userId");
  return {
    uuid,
    userId: typeof userId === "number" ? userId : null,
    userName: textOf(fieldOf(fieldOf(error.data, "user"), "name")),
    queueName: textOf(fieldOf(fieldOf(error.data, "queue"), "name")),
  };
}

function fieldOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null
    ? new Map(Object.entries(value)).get(key)
    : null;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The connection that a new ticket starts on: the user's own, the company's default, or the only one. */
function startingConnection(
  connections: readonly Connection[],
  ownId: number | null,
): Connection | undefined {
  return (
    connections.find(({ id }) => id === ownId) ??
    connections.find(({ isDefault }) => isDefault) ??
    (connections.length === 1 ? connections[0] : undefined)
  );
}
