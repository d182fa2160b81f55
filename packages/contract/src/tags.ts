import { z } from "zod";
import { defineEndpoints } from "./endpoint.ts";
import { companyId, id, tagId, ticketId } from "./ids.ts";
import { defaultTagColor, limits } from "./limits.ts";
import {
  isoDate,
  messageReply,
  pageNumber,
  queryBoolean,
  searchParam,
  text,
} from "./primitives.ts";
import { ticket } from "./tickets.ts";

/** A tag (wire-contract 2.9). `kanban` 1: it is a lane of the board. */
export const tag = z.object({
  id: tagId,
  name: z.string(),
  color: z.string(),
  kanban: z.number().int().min(0).max(1),
  companyId,
  createdAt: isoDate,
  updatedAt: isoDate,
});
export type Tag = z.output<typeof tag>;

export const listedTag = tag.extend({ ticketsCount: z.number() });
export type ListedTag = z.output<typeof listedTag>;

/** Empty is none given, as some forms send it. */
const color = z
  .union([z.literal(""), z.string().regex(/^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/)])
  .optional()
  .transform((value) => value || undefined);
const kanban = z
  .union([z.number(), z.boolean(), z.enum(["0", "1"])])
  .transform(Number)
  .pipe(z.number().int().min(0).max(1));

export const newTag = z.object({
  /** At least 3 characters after trimming, else ERR_TAG_INVALID_NAME. */
  name: text(limits.nameMax).trim(),
  color: color.transform((value) => value ?? defaultTagColor),
  kanban: kanban.default(0),
});
export type NewTag = z.output<typeof newTag>;

export const tagChange = z.object({
  name: text(limits.nameMax).trim().optional(),
  color,
  kanban: kanban.optional(),
});
export type TagChange = z.output<typeof tagChange>;

const common = { auth: "bearer", permission: "tags:use" } as const;
const params = z.object({ tagId });

export const tagsEndpoints = defineEndpoints({
  "GET /tags/kanban": {
    ...common,
    permission: "kanban:use",
    summary: "The tags that are lanes of the board, by id",
    reply: z.object({ lista: z.array(tag) }),
    errors: [],
  },
  "GET /tags": {
    ...common,
    summary: "One page of the company's tags by name, with how many tickets carry each",
    query: z.object({ searchParam, pageNumber }),
    reply: z.object({ tags: z.array(listedTag), count: z.number(), hasMore: z.boolean() }),
    errors: [],
  },
  "GET /tags/list": {
    ...common,
    summary: "All tags of the company by name",
    query: z.object({ searchParam }),
    reply: z.array(tag),
    streams: true,
    errors: [],
  },
  "GET /tags/:tagId": {
    ...common,
    summary: "One tag",
    params,
    reply: tag,
    errors: ["ERR_NO_TAG_FOUND"],
  },
  "POST /tags": {
    ...common,
    summary:
      "A new tag, or the one with this name, colour and board setting; a lane of the board needs `tags:set-kanban`",
    body: newTag,
    reply: tag,
    errors: ["ERR_TAG_INVALID_NAME"],
  },
  "PUT /tags/:tagId": {
    ...common,
    permission: "tags:set-kanban",
    summary: "Changes a tag; a supervisor only whether it is a lane of the board",
    params,
    body: tagChange,
    reply: tag,
    errors: ["ERR_NO_TAG_FOUND", "ERR_TAG_INVALID_NAME", "ERR_TAG_EXISTS"],
  },
  "DELETE /tags/:tagId": {
    ...common,
    permission: "tags:manage",
    summary:
      "Removes a tag, also from its tickets. With `undo`, the caller can undo it for some seconds",
    params,
    query: z.object({ undo: queryBoolean }),
    reply: messageReply,
    errors: ["ERR_NO_TAG_FOUND"],
  },
  "POST /tags/:tagId/undo": {
    ...common,
    permission: "tags:manage",
    summary: "Brings back a tag that the caller deleted a moment ago, on all its tickets",
    params,
    reply: tag,
    errors: ["ERR_UNDO_OVER", "ERR_TAG_EXISTS"],
  },
  "POST /tags/sync": {
    ...common,
    summary: "Replaces all tags of a ticket",
    body: z.object({ ticketId, tags: z.array(z.object({ id })).max(200) }),
    reply: ticket,
    errors: ["ERR_NO_TICKET_FOUND", "ERR_TICKET_FORBIDDEN", "ERR_NO_TAG_FOUND"],
  },
});
