import { z } from "zod";
import { contactRef, extraInfo } from "./contact-ref.ts";
import { defineEndpoints } from "./endpoint.ts";
import { companyId, connectionId, contactId, id, tagId, ticketId, userId } from "./ids.ts";
import { limits } from "./limits.ts";
import {
  emptyReply,
  isoDate,
  messageReply,
  pageNumber,
  queryBoolean,
  queryChoice,
  queryDay,
  queryJsonList,
  searchParam,
  sheetWish,
  text,
} from "./primitives.ts";
import { attendance, tagRef, ticketStatuses } from "./tickets.ts";

/** How an opt-out became known: a user entered it, a spreadsheet said so, or the contact wrote a word for it. */
export const optOutSources = ["person", "import", "word"] as const;
export type OptOutSource = (typeof optOutSources)[number];

/** Since when and by whom campaigns and scheduled messages leave a contact out. */
export const optOut = z.object({
  at: isoDate,
  source: z.enum(optOutSources),
  /** A former user has the name "". */
  user: z.object({ id: userId, name: z.string() }).nullable(),
});

/** A full contact row (wire-contract 2.9). */
export const contact = contactRef.extend({
  isGroup: z.boolean(),
  active: z.boolean(),
  disableBot: z.boolean(),
  companyId,
  whatsappId: connectionId.nullable(),
  optOut: optOut.nullable(),
  extraInfo: z.array(extraInfo).optional(),
  createdAt: isoDate,
  updatedAt: isoDate,
});
export type Contact = z.output<typeof contact>;

/**
 * A contact of the list, with its tickets ascending by `updatedAt`, the tags of its newest ticket, and the time of the newest
 * message in either direction.
 */
export const listedContact = contact.extend({
  tickets: z.array(
    z.object({
      id: ticketId,
      status: z.enum(ticketStatuses),
      createdAt: isoDate,
      updatedAt: isoDate,
    }),
  ),
  tags: z.array(tagRef),
  lastContactAt: isoDate.nullable(),
});
export type ListedContact = z.output<typeof listedContact>;

/** The orders of the address book; contacts without any message stand last by their last contact. */
export const contactOrders = ["name", "createdAt", "lastContact"] as const;
export type ContactOrder = (typeof contactOrders)[number];

export const name = text(limits.nameMax).trim().min(limits.nameMin);
export const email = z.union([z.literal(""), z.email().max(limits.emailMax)]);
const extraInfoList = z
  .array(
    z.object({
      id: id.nullish(),
      name: text(limits.nameMax).trim().min(1),
      value: text(1_000).trim(),
    }),
  )
  .max(limits.extraInfoMax);

/** Any way of writing a phone number. */
export const number = text(limits.numberMax).trim().min(limits.numberMin);

/** Contacts by what they have, as people filter the address book. Days count back from today, as the company has it. */
export const contactFilter = z.object({
  searchParam: searchParam.optional(),
  /** With one of these tags on the newest ticket. */
  tags: z.array(tagId).max(500).optional(),
  /** With a ticket on one of these connections. */
  whatsappIds: z.array(connectionId).max(500).optional(),
  createdWithin: z.number().int().min(1).max(limits.filterDaysMax).optional(),
  /** Days since the newest message in either direction. */
  contactedWithin: z.number().int().min(1).max(limits.filterDaysMax).optional(),
  contactedBefore: z.number().int().min(1).max(limits.filterDaysMax).optional(),
  optedOut: z.boolean().optional(),
  unnamed: z.boolean().optional(),
});
export type ContactFilter = z.output<typeof contactFilter>;

/** Contacts that somebody chose in the address book: some, or all that a filter finds but for some. */
export const contactSelection = z.union([
  z.object({ ids: z.array(contactId).min(1).max(limits.chosenContactsMax) }),
  z.object({
    filter: contactFilter,
    except: z.array(contactId).max(limits.chosenContactsMax).default([]),
  }),
]);
export type ContactSelection = z.output<typeof contactSelection>;

export const newContact = z.object({
  name,
  /** Any way of writing it; reduced to digits, then looked up on the chat network. */
  number,
  email: email.default(""),
  extraInfo: extraInfoList.optional(),
});
export type NewContact = z.output<typeof newContact>;

export const contactChange = z.object({
  name: name.optional(),
  /** Left as it is when it is blank: a group, or a person known by a private address. */
  number: z.union([z.literal(""), number]).optional(),
  email: email.optional(),
  /** Replaces all: rows without `id` are new, missing ones are removed. */
  extraInfo: extraInfoList.optional(),
  active: z.boolean().optional(),
  disableBot: z.boolean().optional(),
});
export type ContactChange = z.output<typeof contactChange>;

/** Changes to several contacts together. Deleting needs `contacts:delete`. */
export const contactBulkActions = ["optOut", "endOptOut", "remove"] as const;
export type ContactBulkAction = (typeof contactBulkActions)[number];

const params = z.object({ contactId });
const common = { auth: "bearer", permission: "contacts:work" } as const;
const numberErrors = [
  "ERR_NUMBER_FORMAT",
  "ERR_WAPP_INVALID_CONTACT",
  "ERR_WAPP_CHECK_CONTACT",
  "ERR_NO_DEF_WAPP_FOUND",
] as const;

export const contactsEndpoints = defineEndpoints({
  "GET /contacts": {
    ...common,
    summary:
      "One page of the company's contacts by name; groups are left out unless the search names them",
    query: z.object({
      searchParam,
      pageNumber,
      date: queryDay,
      dateStart: queryDay,
      dateEnd: queryDay,
      sort: z.enum(contactOrders).default("name"),
      descending: queryBoolean,
      /** With one of these tags on the newest ticket. */
      tags: queryJsonList(tagId).optional(),
      /** With a ticket on one of these connections. */
      whatsappIds: queryJsonList(connectionId).optional(),
      /** Days of the last contact, both included. */
      lastStart: queryDay,
      lastEnd: queryDay,
      optedOut: queryChoice,
      /** Only a number or a private address is known. */
      unnamed: queryChoice,
    }),
    reply: z.object({ contacts: z.array(listedContact), count: z.number(), hasMore: z.boolean() }),
    errors: [],
  },
  "GET /contacts/list": {
    ...common,
    summary: "All contacts by name, or the first ones: for choosing one",
    query: z.object({
      name: searchParam,
      limit: z.coerce.number().int().positive().max(limits.choicesMax).optional(),
    }),
    reply: z.array(contactRef),
    streams: true,
    errors: [],
  },
  "GET /contacts/:contactId": {
    ...common,
    summary: "One contact with its extra information",
    params,
    reply: contact.extend({ extraInfo: z.array(extraInfo) }),
    errors: ["ERR_NO_CONTACT_FOUND"],
  },
  "POST /contacts": {
    ...common,
    summary:
      "A new contact, or the one that has the number already. Without `extraInfo`, as previews of shared contacts send it, a number that the network does not know is no error",
    body: newContact,
    reply: z.union([
      contact.extend({
        extraInfo: z.array(extraInfo),
        alreadyExists: z.literal(true).optional(),
        existingContact: contact.optional(),
        invalido: z.literal(false),
      }),
      z.object({ invalido: z.literal(true) }),
    ]),
    errors: numberErrors,
  },
  "PUT /contacts/:contactId": {
    ...common,
    summary: "Changes a contact; its number only for users who may see all its open tickets",
    params,
    body: contactChange,
    reply: contact.extend({ extraInfo: z.array(extraInfo) }),
    errors: [
      "ERR_NO_CONTACT_FOUND",
      "ERR_DUPLICATED_CONTACT",
      "ERR_CONTACT_NUMBER_FORBIDDEN",
      ...numberErrors,
    ],
  },
  "DELETE /contacts/:contactId": {
    ...common,
    permission: "contacts:delete",
    summary: "Removes a contact with its tickets and messages, unless one of them is open",
    params,
    reply: messageReply,
    errors: ["ERR_NO_CONTACT_FOUND", "ERR_CONTACT_HAS_TICKET"],
  },
  "POST /contacts/bulk": {
    ...common,
    summary:
      "Does something to the next contacts of a selection, by id; the caller asks again from `afterId` until it is null",
    body: z.object({
      selection: contactSelection,
      action: z.enum(contactBulkActions),
      /** `afterId` of the reply to the previous call; null begins. */
      afterId: contactId.nullable().default(null),
    }),
    reply: z.object({
      changedIds: z.array(contactId),
      /** Contacts with an open ticket are not deleted. */
      refused: z.number(),
      afterId: contactId.nullable(),
    }),
    errors: [],
  },
  "POST /contacts/export": {
    ...common,
    summary: "The chosen contacts by name, as a spreadsheet that can be imported again",
    body: sheetWish.extend({ selection: contactSelection }),
    sendsFile: true,
    reply: emptyReply,
    errors: [],
  },
  "PUT /contacts/:contactId/opt-out": {
    ...common,
    summary: "Leaves a contact out of campaigns and scheduled messages from now on",
    params,
    reply: contact.extend({ extraInfo: z.array(extraInfo) }),
    errors: ["ERR_NO_CONTACT_FOUND"],
  },
  "DELETE /contacts/:contactId/opt-out": {
    ...common,
    summary: "Campaigns and scheduled messages reach the contact again",
    params,
    reply: contact.extend({ extraInfo: z.array(extraInfo) }),
    errors: ["ERR_NO_CONTACT_FOUND"],
  },
  "GET /contacts/:contactId/attendances": {
    ...common,
    summary: "The contact's attendances on all connections, newest first",
    params,
    query: z.object({ pageNumber }),
    reply: z.object({ attendances: z.array(attendance), count: z.number(), hasMore: z.boolean() }),
    errors: ["ERR_NO_CONTACT_FOUND"],
  },
});
