import { z } from "zod";
import { defineEndpoints } from "./endpoint.ts";
import { companyId, knowledgeId } from "./ids.ts";
import { limits } from "./limits.ts";
import { fileErrors } from "./media.ts";
import { isoDate, messageReply, pageNumber, searchParam, text } from "./primitives.ts";

/** An article, a question with its answer, or the text that was read from a file. */
export const knowledgeKinds = ["article", "question", "file"] as const;
export type KnowledgeKind = (typeof knowledgeKinds)[number];

/** An item of the company's knowledge base as lists have it. */
export const knowledgeItem = z.object({
  id: knowledgeId,
  companyId,
  kind: z.enum(knowledgeKinds),
  /** The question of a question. */
  title: z.string(),
  /** "" unless it was read from a file. */
  fileName: z.string(),
  /** Bytes of that file; 0 without one. */
  fileBytes: z.number(),
  /** Characters of its text. */
  length: z.number(),
  /** Whether it is searched. */
  isActive: z.boolean(),
  /** The name of the user who saved it last; "" if that user was deleted. */
  author: z.string(),
  createdAt: isoDate,
  updatedAt: isoDate,
});
export type KnowledgeItem = z.output<typeof knowledgeItem>;

/** An item with its text; the answer of a question. */
export const shownKnowledgeItem = knowledgeItem.extend({ text: z.string() });
export type ShownKnowledgeItem = z.output<typeof shownKnowledgeItem>;

const body = z.object({
  kind: z.enum(knowledgeKinds),
  title: text(limits.knowledgeTitleMax).trim().min(1),
  text: text(limits.knowledgeTextMax).trim().min(1),
  isActive: z.boolean().default(true),
  /** The name and size of the file whose text it is; only for the kind `file`. */
  fileName: text(limits.fileNameMax).trim().default(""),
  fileBytes: z.number().int().min(0).max(limits.knowledgeFileMaxBytes).default(0),
});
export type KnowledgeBody = z.output<typeof body>;

/** A part of an item that a search has found, best first. */
export const foundKnowledge = z.object({
  itemId: knowledgeId,
  title: z.string(),
  text: z.string(),
});
export type FoundKnowledge = z.output<typeof foundKnowledge>;

const params = z.object({ knowledgeId });
const manage = { auth: "bearer", permission: "knowledge:manage" } as const;

export const knowledgeEndpoints = defineEndpoints({
  "GET /knowledge": {
    ...manage,
    summary: "The company's knowledge base by title, a page; searched in titles and texts",
    query: z.object({ searchParam, pageNumber }),
    reply: z.object({
      items: z.array(knowledgeItem),
      count: z.number(),
      hasMore: z.boolean(),
    }),
    errors: [],
  },
  "GET /knowledge/:knowledgeId": {
    ...manage,
    summary: "One item with its text",
    params,
    reply: shownKnowledgeItem,
    errors: ["ERR_NO_KNOWLEDGE_FOUND"],
  },
  "POST /knowledge": {
    ...manage,
    summary: "A new item",
    body,
    reply: knowledgeItem,
    errors: ["ERR_KNOWLEDGE_LIMIT"],
  },
  "PUT /knowledge/:knowledgeId": {
    ...manage,
    summary: "Changes an item; what is left out stays, its kind in any case",
    params,
    body: z.object({
      title: body.shape.title.optional(),
      text: body.shape.text.optional(),
      isActive: z.boolean().optional(),
      fileName: text(limits.fileNameMax).trim().optional(),
      fileBytes: z.number().int().min(0).max(limits.knowledgeFileMaxBytes).optional(),
    }),
    reply: knowledgeItem,
    errors: ["ERR_NO_KNOWLEDGE_FOUND"],
  },
  "DELETE /knowledge/:knowledgeId": {
    ...manage,
    summary: "Deletes an item",
    params,
    reply: messageReply,
    errors: ["ERR_NO_KNOWLEDGE_FOUND"],
  },
  "POST /knowledge/upload": {
    ...manage,
    summary: "The text of a file (PDF, or plain text), found out by its content; nothing is stored",
    upload: { field: "file", maxFiles: 1, fields: z.object({}) },
    reply: z.object({
      fileName: z.string(),
      fileBytes: z.number(),
      text: z.string(),
      /** The file has more text than an item can have, or more pages than are read. */
      isCut: z.boolean(),
    }),
    errors: [
      ...fileErrors,
      "ERR_DOCUMENT_NOT_ONE",
      "ERR_DOCUMENT_ENCRYPTED",
      "ERR_DOCUMENT_DAMAGED",
      "ERR_DOCUMENT_EMPTY",
      "ERR_DOCUMENT_TOO_LARGE",
    ],
  },
  "POST /knowledge/search": {
    ...manage,
    summary: "What the knowledge base says to a text: the parts that agents would get",
    body: z.object({ text: text(limits.knowledgeSearchMax).trim() }),
    reply: z.object({ parts: z.array(foundKnowledge) }),
    errors: [],
  },
});
