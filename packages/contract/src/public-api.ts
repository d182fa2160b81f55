import { z } from "zod";
import { contactChange, newContact } from "./contacts.ts";
import { defineEndpoints } from "./endpoint.ts";
import { connectionId, contactId, messageId, queueId, tagId, ticketId, userId } from "./ids.ts";
import { limits } from "./limits.ts";
import { fileErrors } from "./media.ts";
import { isoDate, queryJsonList, repeatable, text } from "./primitives.ts";
import { messageTemplate, sendTemplateBody } from "./templates.ts";
import { ticketStatuses } from "./tickets.ts";

// The calls for other programs. Their shapes are promises to the outside: fields are added, never changed or removed.

const apiTag = z.object({ id: tagId, name: z.string(), color: z.string() });
const apiQueue = z.object({ id: queueId, name: z.string(), color: z.string() });
const apiConnection = z.object({ id: connectionId, name: z.string() });

export const apiContact = z.object({
  id: contactId,
  name: z.string(),
  /** Digits with the country's code; "" for a contact without a number. */
  number: z.string(),
  email: z.string(),
  isGroup: z.boolean(),
  /** Campaigns and scheduled messages leave it out. */
  optedOut: z.boolean(),
  extraInfo: z.array(z.object({ name: z.string(), value: z.string() })),
  createdAt: isoDate,
  updatedAt: isoDate,
});
export type ApiContact = z.output<typeof apiContact>;

export const apiTicket = z.object({
  id: ticketId,
  uuid: z.string(),
  status: z.enum(ticketStatuses),
  contact: z.object({ id: contactId, name: z.string(), number: z.string() }),
  isGroup: z.boolean(),
  queue: apiQueue.nullable(),
  user: z.object({ id: userId, name: z.string() }).nullable(),
  connection: apiConnection.nullable(),
  tags: z.array(apiTag),
  unreadMessages: z.number(),
  lastMessage: z.string(),
  lastMessageAt: isoDate.nullable(),
  /** When the first customer message arrived that no person has answered. */
  waitingSince: isoDate.nullable(),
  createdAt: isoDate,
  updatedAt: isoDate,
});
export type ApiTicket = z.output<typeof apiTicket>;

/** How far a message of the company has come; `received` is one of the customer. */
export const apiMessageStates = [
  "received",
  "waiting",
  "sent",
  "delivered",
  "read",
  "failed",
] as const;
export type ApiMessageState = (typeof apiMessageStates)[number];

export const apiMessage = z.object({
  id: messageId,
  ticketId,
  /** The author in a conversation with a customer or group; null for the company's own. */
  contactId: contactId.nullable(),
  fromMe: z.boolean(),
  /** The agent who wrote it in the product. */
  user: z.object({ id: userId, name: z.string() }).nullable(),
  body: z.string(),
  /** `text`, `image`, `video`, `audio`, `document`, `location` and others. */
  type: z.string(),
  /** The address works for a day. */
  file: z.object({ url: z.string(), name: z.string(), mime: z.string() }).nullable(),
  state: z.enum(apiMessageStates),
  isDeleted: z.boolean(),
  isEdited: z.boolean(),
  quotedMessageId: messageId.nullable(),
  createdAt: isoDate,
});
export type ApiMessage = z.output<typeof apiMessage>;

/** What becomes of a ticket that was closed before the message. Without any of the three it stays closed. */
const placement = {
  queueId: queueId.optional(),
  userId: userId.optional(),
  status: z.enum(["pending", "open"]).optional(),
};
/** Programs write numbers as text or as numbers. */
const writtenNumber = z
  .union([text(limits.numberMax), z.number().int().nonnegative()])
  .transform((value) => String(value).trim());
const isTrue = z.union([z.boolean(), z.enum(["true", "false", "1", "0", ""])]);
const flag = isTrue.default(false).transform((value) => [true, "true", "1"].includes(value));
const idempotencyKey = text(limits.idempotencyKeyMax).trim();
const captions = z
  .union([
    text(limits.messageBodyMax),
    z.array(text(limits.messageBodyMax)).max(limits.mediasPerRequest),
  ])
  .optional()
  .transform((value) => [value ?? []].flat());

/**
 * `POST /messages/send` (wire-contract 5.20). What is missing or wrong is answered by the handler, in the words of existing
 * clients.
 */
const legacyMessage = z.object({
  number: writtenNumber.nullish().transform((value) => value ?? ""),
  body: text(limits.messageBodyMax)
    .nullish()
    .transform((value) => value ?? ""),
  /** Closes the ticket after the message. */
  closeTicket: flag,
  ...placement,
  /** The same key with the same request sends once. */
  idempotencyKey: idempotencyKey.nullish().transform((value) => value || null),
});

const legacyFields = z.object({
  number: repeatable(legacyMessage.shape.number),
  body: captions,
  closeTicket: repeatable(flag),
  queueId: repeatable(placement.queueId),
  userId: repeatable(placement.userId),
  status: repeatable(placement.status),
  idempotencyKey: repeatable(legacyMessage.shape.idempotencyKey),
});

/** Exactly one of `ticketId` and `number`; a text, a template, or files. */
export const newApiMessage = z.object({
  ticketId: ticketId.optional(),
  number: writtenNumber.optional(),
  /** Which connection sends to a number; without it the user's own, else the company's default one. */
  connectionId: connectionId.optional(),
  body: text(limits.messageBodyMax).default(""),
  /** A template of an official connection, in place of `body`. */
  template: sendTemplateBody.omit({ clientId: true }).optional(),
  ...placement,
  closeTicket: flag,
});
export type NewApiMessage = z.output<typeof newApiMessage>;

const newApiMessageFields = z.object({
  ticketId: repeatable(newApiMessage.shape.ticketId),
  number: repeatable(newApiMessage.shape.number),
  connectionId: repeatable(newApiMessage.shape.connectionId),
  /** One caption for all files, or one for each. */
  body: captions,
  queueId: repeatable(placement.queueId),
  userId: repeatable(placement.userId),
  status: repeatable(placement.status),
  closeTicket: repeatable(flag),
});

const medias = { field: "medias", maxFiles: limits.mediasPerRequest } as const;

/** What a message request answers: the ids of its messages in their order. They leave after that. */
export const apiSent = z.object({
  messageIds: z.array(messageId),
  ticketId,
  contactId,
});
export type ApiSent = z.output<typeof apiSent>;

/** A page of a list; `nextCursor` is `cursor` of the next request, null at the end. */
const page = <T extends z.ZodType>(item: T) =>
  z.object({ data: z.array(item), nextCursor: z.string().nullable() });
const cursor = text(200).optional();
const limit = z
  .union([z.literal(""), z.string().regex(/^\d{1,3}$/)])
  .optional()
  .transform((value) => (value ? Number(value) : limits.apiPageDefault))
  .pipe(z.number().int().min(1).max(limits.apiPageMax));

export const apiTicketChange = z.object({
  status: z.enum(ticketStatuses).optional(),
  /** Null gives it back to its queue. */
  userId: userId.nullable().optional(),
  queueId: queueId.nullable().optional(),
  /** Said to the colleagues who see it after a transfer or return: a note of the ticket. */
  note: text(limits.noteMax).trim().optional(),
});
export type ApiTicketChange = z.output<typeof apiTicketChange>;

const givenExtraInfo = z
  .array(
    z.object({
      name: text(limits.nameMax).trim().min(1),
      value: text(1_000).trim(),
    }),
  )
  .max(limits.extraInfoMax)
  .optional();

export const apiDraft = z.object({ body: text(limits.apiDraftMax).trim().min(2) });
export type ApiDraft = z.output<typeof apiDraft>;
/** Where the proposal is: the user's composer, or the notes of the ticket. */
export const apiDraftKept = z.object({ ticketId, keptAs: z.enum(["draft", "note"]) });
export type ApiDraftKept = z.output<typeof apiDraftKept>;

const ofProgram = { auth: "apiToken", plan: "useExternalApi" } as const;
const ticketParams = z.object({ ticketId });
const contactParams = z.object({ contactId });
const placeErrors = [
  "ERR_TICKET_TRANSITION",
  "ERR_QUEUE_REQUIRED",
  "ERR_QUEUE_NOT_FOUND",
  "ERR_NO_USER_FOUND",
] as const;
const sendErrors = [
  "ERR_MESSAGE_EMPTY",
  "ERR_WAPP_NOT_INITIALIZED",
  "ERR_WAPP_WINDOW_CLOSED",
  "ERR_CREATING_TICKET",
  "ERR_IDEMPOTENCY_KEY_REUSED",
  "ERR_IDEMPOTENCY_RUNNING",
  ...placeErrors,
  ...fileErrors,
] as const;
const numberErrors = [
  "ERR_NUMBER_FORMAT",
  "ERR_WAPP_INVALID_CONTACT",
  "ERR_WAPP_CHECK_CONTACT",
  "ERR_NO_DEF_WAPP_FOUND",
] as const;

export const publicApiEndpoints = defineEndpoints({
  "POST /messages/send": {
    summary: "Sends a text, or files as multipart, with the token of a connection",
    auth: "connectionToken",
    plan: "useExternalApi",
    body: legacyMessage,
    upload: { ...medias, fields: legacyFields },
    reply: z.object({
      mensagem: z.literal("Mensagem enviada"),
      /** Of the last message. */
      messageId,
      ticketId,
    }),
    errors: ["ERR_NUMBER_REQUIRED", "ERR_CHECK_NUMBER", "ERR_TRY_LATER", ...sendErrors],
  },
  "POST /v1/messages": {
    ...ofProgram,
    summary:
      "Sends a text, a template, or files as multipart, in a ticket or to a number. Header `Idempotency-Key`: the same key with the same request sends once and answers the same",
    scope: "messages:send",
    permission: "tickets:work",
    body: newApiMessage,
    upload: { ...medias, fields: newApiMessageFields },
    status: 201,
    reply: apiSent,
    errors: [
      ...sendErrors,
      ...numberErrors,
      "ERR_NUMBER_REQUIRED",
      "ERR_NO_TICKET_FOUND",
      "ERR_TICKET_FORBIDDEN",
      "ERR_NO_WAPP_FOUND",
      "ERR_WAPP_TEMPLATE",
      "ERR_WAPP_TEMPLATES_UNAVAILABLE",
    ],
  },
  "GET /v1/messages": {
    ...ofProgram,
    summary: "The messages of a ticket, the newest first; reading them marks nothing as read",
    scope: "messages:read",
    permission: "tickets:work",
    query: z.object({ ticketId, cursor: messageId.optional() }),
    reply: page(apiMessage),
    errors: ["ERR_NO_TICKET_FOUND", "ERR_TICKET_FORBIDDEN", "ERR_NO_MESSAGE_FOUND"],
  },
  "GET /v1/contacts": {
    ...ofProgram,
    summary: "The contacts in the order in which they were made, or the one with a number",
    scope: "contacts:read",
    permission: "contacts:work",
    query: z.object({ cursor, limit, number: text(limits.numberMax).trim().optional() }),
    reply: page(apiContact),
    errors: ["ERR_CURSOR_INVALID", "ERR_NUMBER_FORMAT"],
  },
  "GET /v1/contacts/:contactId": {
    ...ofProgram,
    summary: "One contact",
    scope: "contacts:read",
    permission: "contacts:work",
    params: contactParams,
    reply: apiContact,
    errors: ["ERR_NO_CONTACT_FOUND"],
  },
  "POST /v1/contacts": {
    ...ofProgram,
    summary:
      "A new contact (201), or the one that has the number already, unchanged (`isNew` false)",
    scope: "contacts:write",
    permission: "contacts:work",
    body: newContact.extend({ extraInfo: givenExtraInfo }),
    status: 201,
    reply: apiContact.extend({ isNew: z.boolean() }),
    errors: numberErrors,
  },
  "PUT /v1/contacts/:contactId": {
    ...ofProgram,
    summary: "Changes a contact; omitted fields stay, `extraInfo` replaces all",
    scope: "contacts:write",
    permission: "contacts:work",
    params: contactParams,
    body: contactChange.omit({ active: true }).extend({ extraInfo: givenExtraInfo }),
    reply: apiContact,
    errors: [
      "ERR_NO_CONTACT_FOUND",
      "ERR_DUPLICATED_CONTACT",
      "ERR_CONTACT_NUMBER_FORBIDDEN",
      ...numberErrors,
    ],
  },
  "GET /v1/tickets": {
    ...ofProgram,
    summary:
      "The tickets, the last changed first, as far as the token may see them; without `status` and `search` those that wait or are served",
    scope: "tickets:read",
    permission: "tickets:work",
    query: z.object({
      cursor,
      limit,
      status: z.enum(ticketStatuses).optional(),
      /** JSON lists: `[1,2]`. */
      tagIds: queryJsonList(tagId).optional(),
      queueIds: queryJsonList(queueId).optional(),
      connectionIds: queryJsonList(connectionId).optional(),
      /** A name, a number or words of a message. */
      search: text(200).trim().optional(),
    }),
    reply: page(apiTicket),
    errors: ["ERR_CURSOR_INVALID"],
  },
  "GET /v1/tickets/:ticketId": {
    ...ofProgram,
    summary: "One ticket",
    scope: "tickets:read",
    permission: "tickets:work",
    params: ticketParams,
    reply: apiTicket,
    errors: ["ERR_NO_TICKET_FOUND", "ERR_TICKET_FORBIDDEN"],
  },
  "PUT /v1/tickets/:ticketId": {
    ...ofProgram,
    summary: "Accepts, returns, resolves, reopens or transfers a ticket",
    scope: "tickets:write",
    permission: "tickets:work",
    params: ticketParams,
    body: apiTicketChange,
    reply: apiTicket,
    errors: [
      "ERR_NO_TICKET_FOUND",
      "ERR_TICKET_FORBIDDEN",
      "ERR_OTHER_OPEN_TICKET",
      "ERR_REASON_REQUIRED",
      ...placeErrors,
    ],
  },
  "PUT /v1/tickets/:ticketId/tags": {
    ...ofProgram,
    summary: "Makes these the only tags of a ticket",
    scope: "tags:write",
    permission: "tickets:work",
    params: ticketParams,
    body: z.object({ tagIds: z.array(tagId).max(limits.apiTagsMax) }),
    reply: apiTicket,
    errors: ["ERR_NO_TICKET_FOUND", "ERR_TICKET_FORBIDDEN", "ERR_NO_TAG_FOUND"],
  },
  "POST /v1/tickets/:ticketId/draft": {
    ...ofProgram,
    summary:
      "Proposes an answer, which a person reads before it is sent: the owner's draft with a personal token, a note of the ticket with the company's",
    scope: "messages:draft",
    permission: "tickets:work",
    params: ticketParams,
    body: apiDraft,
    reply: apiDraftKept,
    errors: ["ERR_NO_TICKET_FOUND", "ERR_TICKET_FORBIDDEN", "ERR_DRAFT_EXISTS"],
  },
  "GET /v1/tags": {
    ...ofProgram,
    summary: "The company's tags",
    scope: "tags:read",
    permission: "tags:use",
    query: z.object({ cursor, limit }),
    reply: page(apiTag),
    errors: ["ERR_CURSOR_INVALID"],
  },
  "GET /v1/queues": {
    ...ofProgram,
    summary: "The company's queues in their order, all of them",
    scope: "queues:read",
    permission: "queues:list",
    reply: page(apiQueue),
    errors: [],
  },
  "GET /v1/templates": {
    ...ofProgram,
    summary: "The approved templates of a connection, all of them",
    scope: "templates:read",
    permission: "tickets:work",
    query: z.object({ connectionId }),
    reply: page(messageTemplate),
    errors: ["ERR_NO_WAPP_FOUND", "ERR_WAPP_TEMPLATES_UNAVAILABLE"],
  },
});
