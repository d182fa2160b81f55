import { z } from "zod";
import { contactFilter, contactSelection, email, name, number } from "./contacts.ts";
import { defineEndpoints } from "./endpoint.ts";
import { defineAddressedEvent } from "./event-names.ts";
import { companyId, contactListId, contactListItemId } from "./ids.ts";
import { limits } from "./limits.ts";
import {
  emptyReply,
  isoDate,
  messageReply,
  pageNumber,
  searchParam,
  sheetWish,
  text,
} from "./primitives.ts";

/** A list of people that campaigns write to (wire-contract 2.9). */
export const contactList = z.object({
  id: contactListId,
  name: z.string(),
  companyId,
  createdAt: isoDate,
  updatedAt: isoDate,
});
export type ContactList = z.output<typeof contactList>;

export const listedContactList = contactList.extend({ contactsCount: z.number() });
export type ListedContactList = z.output<typeof listedContactList>;

/** The check of a list's numbers: it has nothing to do, is running, or waits because no connection answers. */
export const listCheckStates = ["idle", "running", "stopped"] as const;

/** A list with whether it can be sent to. */
export const shownContactList = listedContactList.extend({
  counts: z.object({
    /** With a number that the chat network knows, does not know, and was not asked about. */
    valid: z.number(),
    invalid: z.number(),
    unchecked: z.number(),
    /** People of the three groups whom campaigns leave out. */
    optedOut: z.number(),
  }),
  check: z.object({
    state: z.enum(listCheckStates),
    /** The connection that asked last; null for none, or one that was deleted. */
    connection: z.string().nullable(),
    /** When the newest answer came. */
    checkedAt: isoDate.nullable(),
  }),
  /** The filter that the list was filled from; null for one made by hand. */
  filter: contactFilter.nullable(),
  /** Contacts that fit the filter and are not in the list. */
  fitting: z.number(),
});
export type ShownContactList = z.output<typeof shownContactList>;

/** Somebody on a list (wire-contract 2.9). */
export const contactListItem = z.object({
  id: contactListItemId,
  name: z.string(),
  number: z.string(),
  email: z.string(),
  /** Known to the chat network; false until that was asked. */
  isWhatsappValid: z.boolean(),
  checkedAt: isoDate.nullable(),
  /** Campaigns leave out the contact with this number. */
  isOptedOut: z.boolean(),
  contactListId,
  companyId,
  createdAt: isoDate,
  updatedAt: isoDate,
});
export type ContactListItem = z.output<typeof contactListItem>;

/** Which people of a list are shown. */
export const listValidities = ["valid", "invalid", "unchecked", "optedOut"] as const;
export type ListValidity = (typeof listValidities)[number];

/** At least 2 characters, else ERR_CONTACTLIST_INVALID_NAME. */
const listBody = z.object({ name: text(limits.nameMax).trim() });
export type ContactListBody = z.input<typeof listBody>;

const person = { name: text(limits.nameMax).trim(), number, email: email.default("") };
export const newContactListItem = z.object({
  ...person,
  contactListId,
});
export type NewContactListItem = z.output<typeof newContactListItem>;

export const contactListItemChange = z.object({
  name: name.optional(),
  number: number.optional(),
  email: email.optional(),
});
export type ContactListItemChange = z.output<typeof contactListItemChange>;

/** To everybody, after several people of a list changed: it is to be read again (wire-contract 7.4). */
export const contactListReload = defineAddressedEvent({
  subject: "ContactListItem",
  to: "list",
  payload: z.object({ action: z.literal("reload"), records: z.array(contactListItem) }),
});

const use = { auth: "bearer", permission: "contact-lists:use" } as const;
const manage = { auth: "bearer", permission: "contact-lists:manage" } as const;
const params = z.object({ contactListId });
const itemParams = z.object({ contactListItemId });
const added = z.object({
  /** Now on the list; contacts on it already and those without a number are not counted. */
  added: z.number(),
  chosen: z.number(),
});

export const contactListsEndpoints = defineEndpoints({
  "GET /contact-lists": {
    ...use,
    summary: "One page of the company's contact lists by name, with how many people each has",
    query: z.object({ searchParam, pageNumber }),
    reply: z.object({
      records: z.array(listedContactList),
      count: z.number(),
      hasMore: z.boolean(),
    }),
    errors: [],
  },
  "GET /contact-lists/list": {
    ...use,
    summary: "All contact lists by name",
    reply: z.array(contactList),
    streams: true,
    errors: [],
  },
  "GET /contact-lists/:contactListId": {
    ...use,
    summary: "One contact list with the state of its numbers and its filter",
    params,
    reply: shownContactList,
    errors: ["ERR_NO_CONTACTLIST_FOUND"],
  },
  "POST /contact-lists": {
    ...manage,
    summary: "A new contact list",
    body: listBody,
    reply: listedContactList,
    errors: ["ERR_CONTACTLIST_INVALID_NAME"],
  },
  "PUT /contact-lists/:contactListId": {
    ...manage,
    summary: "Renames a contact list",
    params,
    body: listBody,
    reply: listedContactList,
    errors: ["ERR_NO_CONTACTLIST_FOUND", "ERR_CONTACTLIST_INVALID_NAME"],
  },
  "DELETE /contact-lists/:contactListId": {
    ...manage,
    summary: "Removes a contact list; the contacts of the address book stay",
    params,
    reply: messageReply,
    errors: ["ERR_NO_CONTACTLIST_FOUND", "ERR_IN_CAMPAIGN"],
  },
  "POST /contact-lists/:contactListId/contacts": {
    ...manage,
    summary:
      "Puts contacts of the address book on a list. With `keepsFilter` the list remembers the filter",
    params,
    body: z.object({ selection: contactSelection, keepsFilter: z.boolean().default(false) }),
    reply: added,
    errors: ["ERR_NO_CONTACTLIST_FOUND", "ERR_CONTACTLIST_FULL"],
  },
  "POST /contact-lists/:contactListId/refresh": {
    ...manage,
    summary: "Puts the contacts that fit the list's filter by now on it; nobody is removed",
    params,
    reply: added,
    errors: ["ERR_NO_CONTACTLIST_FOUND", "ERR_CONTACTLIST_FULL"],
  },
  "POST /contact-lists/:contactListId/check": {
    ...manage,
    summary:
      "Has the numbers that were not checked yet looked up on the chat network, however many",
    params,
    reply: messageReply,
    errors: ["ERR_NO_CONTACTLIST_FOUND"],
  },
  "POST /contact-lists/:contactListId/export": {
    ...use,
    summary: "The people on a list by name, or those of one validity, as a spreadsheet",
    params,
    body: sheetWish.extend({ validity: z.enum(listValidities).optional() }),
    sendsFile: true,
    reply: emptyReply,
    errors: ["ERR_NO_CONTACTLIST_FOUND"],
  },
  "GET /contact-list-items": {
    ...use,
    summary: "One page of the people on a list by name",
    query: z.object({
      searchParam,
      pageNumber,
      contactListId,
      validity: z.enum(listValidities).optional(),
    }),
    /** The list's people stand under `contacts` (wire-contract 5.12). */
    reply: z.object({
      contacts: z.array(contactListItem),
      count: z.number(),
      hasMore: z.boolean(),
    }),
    errors: ["ERR_NO_CONTACTLIST_FOUND"],
  },
  "GET /contact-list-items/:contactListItemId": {
    ...use,
    summary: "One person on a list",
    params: itemParams,
    reply: contactListItem,
    errors: ["ERR_NO_CONTACTLISTITEM_FOUND"],
  },
  "POST /contact-list-items": {
    ...manage,
    summary:
      "Puts somebody on a list, or returns who is there with the number; it is checked later",
    body: newContactListItem,
    reply: contactListItem,
    errors: [
      "ERR_NO_CONTACTLIST_FOUND",
      "ERR_CONTACTLIST_FULL",
      "ERR_CONTACTLISTITEM_INVALID_NAME",
      "ERR_NUMBER_FORMAT",
    ],
  },
  "PUT /contact-list-items/:contactListItemId": {
    ...manage,
    summary: "Changes somebody on a list; another number is checked again",
    params: itemParams,
    body: contactListItemChange,
    reply: contactListItem,
    errors: ["ERR_NO_CONTACTLISTITEM_FOUND", "ERR_NUMBER_FORMAT", "ERR_DUPLICATED_CONTACT"],
  },
  "DELETE /contact-list-items/:contactListItemId": {
    ...manage,
    summary: "Takes somebody off a list",
    params: itemParams,
    reply: messageReply,
    errors: ["ERR_NO_CONTACTLISTITEM_FOUND"],
  },
});
