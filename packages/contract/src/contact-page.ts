import { z } from "zod";
import { contactRef, extraInfo } from "./contact-ref.ts";
import { contact, optOutSources } from "./contacts.ts";
import { defineEndpoints } from "./endpoint.ts";
import { connectionId, contactId, contactListId, id, ticketId, userId } from "./ids.ts";
import { limits } from "./limits.ts";
import { message } from "./messages.ts";
import { isoDate, messageReply, pageNumber, text } from "./primitives.ts";
import { consentWays } from "./privacy.ts";
import { ticketNote } from "./ticket-notes.ts";
import { tagRef } from "./tickets.ts";

/** The fields of a contact that its history names. Those of `extraInfo` are told apart by their label. */
export const historyFields = [
  "name",
  "number",
  "email",
  "active",
  "disableBot",
  "extraInfo",
] as const;
export type HistoryField = (typeof historyFields)[number];

const fieldChange = z.object({
  field: z.enum(historyFields),
  /** The name of a field of the extra information; "" for others. */
  label: z.string(),
  /** "" for none; "true" and "false" for switches. */
  from: z.string(),
  to: z.string(),
});
export type ContactFieldChange = z.output<typeof fieldChange>;

/** A change to a contact, as its history keeps it. */
export const contactEventChange = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("edited"), fields: z.array(fieldChange) }),
  z.object({ kind: z.literal("numberChanged"), from: z.string().nullable(), to: z.string() }),
  z.object({ kind: z.literal("optedOut"), source: z.enum(optOutSources) }),
  z.object({ kind: z.literal("optOutEnded") }),
  z.object({
    kind: z.literal("consent"),
    consent: z.enum(["given", "withdrawn"]),
    way: z.enum(consentWays),
    note: z.string(),
  }),
  z.object({
    kind: z.literal("merged"),
    /** The contact that is no more, as it was. Its number is "" when only a private address was known. */
    contact: z.object({ name: z.string(), number: z.string(), email: z.string() }),
    /** Further values that gave way to those of the other contact. */
    lost: z.array(fieldChange.omit({ from: true, to: true }).extend({ value: z.string() })),
  }),
]);
export type ContactEventChange = z.output<typeof contactEventChange>;

export const contactEvent = z.object({
  id,
  at: isoDate,
  /** Null: the product or the chat network. A former user has the name "". */
  user: z.object({ id: userId, name: z.string() }).nullable(),
  change: contactEventChange,
});
export type ContactEvent = z.output<typeof contactEvent>;

/** Why two contacts may be one person: the same name and e-mail, or the same name, one of them known by a private address alone. */
export const duplicateReasons = ["nameAndEmail", "privateAddress"] as const;
export type DuplicateReason = (typeof duplicateReasons)[number];

const shownContact = contact.extend({ extraInfo: z.array(extraInfo) });

/** One of two contacts that are to be merged, with what belongs to it. */
export const mergeSide = z.object({
  contact: shownContact,
  attendances: z.number(),
  messages: z.number(),
  /** Scheduled messages, sent ones included. */
  schedules: z.number(),
  notes: z.number(),
  /** Contact lists with one of its numbers. */
  lists: z.number(),
});
export type MergeSide = z.output<typeof mergeSide>;

/** A ticket that is being served, which is in the way of a merge. */
const servedTicket = z.object({ id: ticketId, uuid: z.string(), contactId });

/** The contact whose value is kept: the one that stays, or the other one. */
const choice = z.enum(["own", "other"]);
export type MergeChoice = z.output<typeof choice>;

const params = z.object({ contactId });
const common = { auth: "bearer", permission: "contacts:work" } as const;
const notFound = ["ERR_NO_CONTACT_FOUND"] as const;

export const contactPageEndpoints = defineEndpoints({
  "GET /contacts/:contactId/summary": {
    ...common,
    summary: "What the page of a contact shows beside its own fields",
    params,
    reply: z.object({
      /** The tags of the newest ticket. */
      tags: z.array(tagRef),
      /** All connections with a ticket of the contact, the last used first. */
      connections: z.array(z.object({ id: connectionId, name: z.string() })),
      lastContactAt: isoDate.nullable(),
      /** Further numbers by which the contact is known, after a merge. */
      otherNumbers: z.array(z.string()),
      /** Contact lists with one of its numbers, ten at most; none for those who do not manage lists. */
      lists: z.array(z.object({ id: contactListId, name: z.string() })),
      listCount: z.number(),
      /** The ticket that is being served; the caller may lack the right to see it. */
      openTicketId: ticketId.nullable(),
      /** The newest ticket that the caller may see: a new note belongs to it. */
      noteTicketId: ticketId.nullable(),
      /** A contact that may be the same person. */
      duplicateId: contactId.nullable(),
    }),
    errors: notFound,
  },
  "GET /contacts/:contactId/history": {
    ...common,
    summary: "What happened to the contact, newest first",
    params,
    query: z.object({ pageNumber }),
    reply: z.object({ events: z.array(contactEvent), count: z.number(), hasMore: z.boolean() }),
    errors: notFound,
  },
  "GET /contacts/:contactId/notes": {
    ...common,
    permission: "tickets:work",
    summary: "The notes of all the contact's tickets that the caller may read, newest first",
    params,
    query: z.object({ pageNumber }),
    reply: z.object({ notes: z.array(ticketNote), count: z.number(), hasMore: z.boolean() }),
    errors: notFound,
  },
  "GET /contacts/:contactId/files": {
    ...common,
    permission: "tickets:work",
    summary:
      "The messages with a file of all the contact's tickets that the caller may read, newest first",
    params,
    query: z.object({ pageNumber, kind: z.enum(["pictures", "others"]) }),
    reply: z.object({
      messages: z.array(message),
      count: z.number(),
      hasMore: z.boolean(),
    }),
    errors: notFound,
  },
  "GET /contacts/duplicates": {
    ...common,
    summary: "Pairs of contacts that may be one person",
    query: z.object({ pageNumber }),
    reply: z.object({
      pairs: z.array(
        z.object({
          /** The older one first. */
          contacts: z.tuple([contactRef, contactRef]),
          reason: z.enum(duplicateReasons),
        }),
      ),
      /** A thousand at most. */
      count: z.number(),
      hasMore: z.boolean(),
    }),
    errors: [],
  },
  "POST /contacts/:contactId/distinct": {
    ...common,
    summary: "Two contacts are not the same person: the pair is never suggested again",
    params,
    body: z.object({ otherId: contactId }),
    reply: messageReply,
    errors: [...notFound, "ERR_CONTACTS_NOT_MERGEABLE"],
  },
  "GET /contacts/:contactId/merge": {
    ...common,
    summary: "Two contacts beside each other, and what a merge would bring together",
    params,
    query: z.object({ otherId: contactId }),
    reply: z.object({
      own: mergeSide,
      other: mergeSide,
      reason: z.enum(duplicateReasons).nullable(),
      /** Two tickets that are served on one connection: the contacts cannot be merged before one is resolved. */
      inTheWay: z.array(servedTicket),
    }),
    errors: [...notFound, "ERR_CONTACTS_NOT_MERGEABLE"],
  },
  "POST /contacts/:contactId/merge": {
    ...common,
    summary:
      "Makes two contacts one, which keeps the id, for good. An opt-out of one of them stays; values that give way are kept in the history",
    params,
    body: z.object({
      otherId: contactId,
      /** `updatedAt` of both, as the caller saw them. */
      updatedAt: isoDate,
      otherUpdatedAt: isoDate,
      /** An empty value never wins. */
      name: choice.default("own"),
      number: choice.default("own"),
      email: choice.default("own"),
      /** For each field that both contacts have: which contact's values are kept. Fields that are not named are kept from both. */
      extraInfo: z
        .array(z.object({ name: text(limits.nameMax).trim().min(1), from: choice }))
        .max(2 * limits.extraInfoMax)
        .default([]),
    }),
    reply: shownContact,
    errors: [
      ...notFound,
      "ERR_CONTACTS_NOT_MERGEABLE",
      "ERR_CONTACTS_BOTH_SERVED",
      "ERR_CONTACT_CHANGED",
      "ERR_CONTACT_NUMBER_FORBIDDEN",
    ],
  },
});
