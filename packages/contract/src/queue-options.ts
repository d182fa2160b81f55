import { z } from "zod";
import { defineEndpoints } from "./endpoint.ts";
import { connectionId, queueId, queueOptionId } from "./ids.ts";
import { limits } from "./limits.ts";
import { fileErrors } from "./media.ts";
import { isoDate, messageReply, queryBoolean, repeatable, text } from "./primitives.ts";

/** An entry of a queue's menu (wire-contract 2.6). `mediaPath` is a signed address, renewed by every read. */
export const queueOption = z.object({
  id: queueOptionId,
  queueId,
  /** Null: at the root. */
  parentId: queueOptionId.nullable(),
  title: z.string(),
  message: z.string(),
  /** The customer's text that chooses it: a number as text; also its place among its siblings. */
  option: z.string(),
  mediaPath: z.string().nullable(),
  mediaName: z.string().nullable(),
  mediaMime: z.string().nullable(),
  createdAt: isoDate,
  updatedAt: isoDate,
});
export type QueueOption = z.output<typeof queueOption>;

const optionNumber = z
  .union([z.number().int(), z.string().trim()])
  .transform(String)
  .pipe(z.string().regex(/^[1-9]\d{0,2}$/));

/** The root of a queue: none, 0 or -1 in clients of the family. */
const parentId = z.union([
  z.literal([0, -1, "", "0", "-1"]).transform(() => null),
  z.null(),
  queueOptionId,
]);

const title = text(limits.queueOptionTitleMax).trim().min(1);
const message = text(limits.messageBodyMax);

/**
 * In a change: it concerns the draft of the queue's chatbot, which customers get when it is published. Clients of the family do
 * not know it: their changes count at once (ADR 31).
 */
const draft = z.boolean().default(false);

/** The same in an address. */
const ofDraft = z.object({ draft: queryBoolean });

/** `children` and `edition` of clients of the family are ignored. */
export const newQueueOption = z.object({
  draft,
  queueId,
  parentId: parentId.default(null),
  title,
  message: message.nullish().transform((value) => value ?? ""),
  option: optionNumber,
});
export type NewQueueOption = z.output<typeof newQueueOption>;

/** Omitted fields stay as they are; an option stays in its queue and under its parent. */
export const queueOptionChange = z
  .object({ title, message: message.nullable(), option: optionNumber })
  .partial()
  .extend({ draft });
export type QueueOptionChange = z.output<typeof queueOptionChange>;

/** The greeting and options that a queue's chatbot sends to customers. */
const chatbotContent = z.object({
  greetingMessage: z.string(),
  /** Of all levels. */
  options: z.array(queueOption),
});

/** The chatbot of a queue as it is edited, and as customers get it. Without a draft both are the same. */
export const editedChatbot = z.object({
  /** When the draft was last changed; null: there is none. */
  draftAt: isoDate.nullable(),
  draft: chatbotContent,
  published: chatbotContent,
});
export type EditedChatbot = z.output<typeof editedChatbot>;

/** The state of a trial; the client sends it back unchanged. The server stores no trial. */
export const chatbotTrialState = z.object({
  queueId: queueId.nullable(),
  chatbot: z.boolean(),
  queueOptionId: queueOptionId.nullable(),
  menusSent: z.number().int().nonnegative(),
  wrongAnswers: z.number().int().nonnegative(),
  greeted: z.boolean(),
});
export type ChatbotTrialState = z.output<typeof chatbotTrialState>;

const common = { auth: "bearer", permission: "queues:manage" } as const;
const params = z.object({ queueOptionId });
const attached = z.object({ mensagem: z.string() });
const noOption = ["ERR_NO_QUEUE_OPTION_FOUND"] as const;
const queueParams = z.object({ queueId });

export const queueOptionsEndpoints = defineEndpoints({
  "GET /queue-options": {
    summary: "Options of a queue: all of them, or those under one parent, by their number",
    auth: "bearer",
    permission: "queues:list",
    query: z.object({
      queueId,
      /** -1: the root; absent: the whole tree. */
      parentId: z
        .union([z.literal("-1"), queueOptionId])
        .optional()
        .transform((value) => (value === "-1" ? ("root" as const) : value)),
    }),
    reply: z.array(queueOption),
    errors: ["ERR_QUEUE_NOT_FOUND"],
  },
  "GET /queue-options/count": {
    summary: "How many options each queue of the company has; a queue without any is not listed",
    auth: "bearer",
    permission: "queues:list",
    reply: z.array(z.object({ queueId, count: z.number() })),
    errors: [],
  },
  "GET /queue-options/:queueOptionId": {
    summary: "One option",
    auth: "bearer",
    permission: "queues:list",
    params,
    reply: queueOption,
    errors: noOption,
  },
  "POST /queue-options": {
    ...common,
    summary: "A new option",
    body: newQueueOption,
    reply: queueOption,
    errors: [
      "ERR_QUEUE_NOT_FOUND",
      ...noOption,
      "ERR_QUEUE_OPTION_EXISTS",
      "ERR_QUEUE_OPTIONS_LIMIT",
    ],
  },
  "PUT /queue-options/:queueOptionId": {
    ...common,
    summary: "Changes an option",
    params,
    body: queueOptionChange,
    reply: queueOption,
    errors: [...noOption, "ERR_QUEUE_OPTION_EXISTS"],
  },
  "POST /queue-options/order": {
    ...common,
    summary: "Numbers the options of one level anew, from 1 in the given order",
    body: z.object({
      draft,
      queueId,
      parentId: parentId.default(null),
      /** Every option of the level, once. */
      ids: z.array(queueOptionId).min(1).max(limits.queueOptionsPerLevel),
    }),
    reply: z.array(queueOption),
    errors: ["ERR_QUEUE_NOT_FOUND", ...noOption],
  },
  "DELETE /queue-options/:queueOptionId": {
    ...common,
    summary: "Removes an option and all below it",
    params,
    query: ofDraft,
    reply: messageReply,
    errors: noOption,
  },
  "POST /queue-options/:queueOptionId/media-upload": {
    ...common,
    summary: "The file that follows the option's text, in place of an earlier one",
    params,
    upload: { field: "file", maxFiles: 1, fields: z.object({ draft: repeatable(queryBoolean) }) },
    reply: attached,
    errors: [...noOption, ...fileErrors],
  },
  "DELETE /queue-options/:queueOptionId/media-upload": {
    ...common,
    summary: "Removes the file",
    params,
    query: ofDraft,
    reply: attached,
    errors: noOption,
  },
  "GET /queue/:queueId/chatbot": {
    ...common,
    summary: "The chatbot of a queue as it is edited, and as customers get it",
    params: queueParams,
    reply: editedChatbot,
    errors: ["ERR_QUEUE_NOT_FOUND"],
  },
  "PUT /queue/:queueId/chatbot": {
    ...common,
    summary: "Changes the greeting in the draft of a queue's chatbot",
    params: queueParams,
    body: z.object({ greetingMessage: text(limits.messageBodyMax) }),
    reply: editedChatbot,
    errors: ["ERR_QUEUE_NOT_FOUND"],
  },
  "POST /queue/:queueId/chatbot/publish": {
    ...common,
    summary: "Customers get the draft from now on",
    params: queueParams,
    /** The draft that the user has seen: a later one is refused. */
    body: z.object({ draftAt: isoDate }),
    reply: editedChatbot,
    errors: ["ERR_QUEUE_NOT_FOUND", "ERR_CHATBOT_DRAFT_CHANGED"],
  },
  "DELETE /queue/:queueId/chatbot": {
    ...common,
    summary: "Discards the draft of a queue's chatbot; what customers get stays",
    params: queueParams,
    reply: editedChatbot,
    errors: ["ERR_QUEUE_NOT_FOUND"],
  },
  "POST /queue/:queueId/trial": {
    ...common,
    summary: "Plays the chatbot of a queue one step; nothing is stored or sent",
    params: queueParams,
    body: z.object({
      /** Plays the queue's draft. */
      draft,
      /** Null: a customer who has just written for the first time. */
      state: chatbotTrialState.nullable(),
      text: text(4_096),
      contactName: text(limits.nameMax).trim().default(""),
      /** Plays the whole menu of the connection instead of this queue alone. */
      connectionId: connectionId.nullable().default(null),
    }),
    reply: z.object({
      messages: z.array(
        z.object({
          text: z.string(),
          mediaPath: z.string().nullable(),
          mediaName: z.string().nullable(),
          mediaMime: z.string().nullable(),
        }),
      ),
      state: chatbotTrialState,
      /** The chatbot is done: the customer waits for a person in this queue. */
      isOver: z.boolean(),
      queueName: z.string().nullable(),
    }),
    errors: ["ERR_QUEUE_NOT_FOUND", "ERR_NO_WAPP_FOUND"],
  },
});
