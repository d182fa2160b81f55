import { z } from "zod";
import { defineEndpoints } from "./endpoint.ts";
import { companyId, connectionId, queueId, tagId, ticketViewId, userId } from "./ids.ts";
import { limits } from "./limits.ts";
import { isoDate, messageReply, text } from "./primitives.ts";
import { ticketStatuses } from "./tickets.ts";

const ids = <T extends z.ZodType>(item: T) => z.array(item).max(100);

/** The list and the filter of a saved view. Each reader gets only the tickets that the reader may see. */
export const viewFilter = z.object({
  status: z.enum(ticketStatuses),
  showAll: z.boolean(),
  queueIds: ids(queueId),
  tagIds: ids(tagId),
  userIds: ids(userId),
  connectionIds: ids(connectionId),
  isUnread: z.boolean(),
  isSnoozed: z.boolean(),
  /** The customer waits for so many minutes at least; null: any. */
  waitMinutes: z.number().int().min(1).max(limits.waitFilterMinutesMax).nullable(),
});
export type ViewFilter = z.output<typeof viewFilter>;

/** A saved view of the ticket lists. */
export const ticketView = z.object({
  id: ticketViewId,
  companyId,
  userId,
  name: z.string(),
  /** For the whole team; else for its user only. */
  isShared: z.boolean(),
  filter: viewFilter,
  createdAt: isoDate,
  updatedAt: isoDate,
});
export type TicketView = z.output<typeof ticketView>;

const name = text(limits.viewNameMax).trim().min(1);
const params = z.object({ ticketViewId });
const common = { auth: "bearer", permission: "tickets:work" } as const;
const filterErrors = [
  "ERR_QUEUE_NOT_FOUND",
  "ERR_NO_TAG_FOUND",
  "ERR_NO_USER_FOUND",
  "ERR_NO_WAPP_FOUND",
] as const;

export const ticketViewsEndpoints = defineEndpoints({
  "GET /ticket-views": {
    ...common,
    summary: "The caller's saved views and those that are shared, in the order of their making",
    reply: z.array(ticketView),
    errors: [],
  },
  "GET /ticket-views/counts": {
    ...common,
    summary: `These views with how many tickets each has for the caller, ${limits.viewCountMax + 1} at most, and how many open and waiting ones are put off`,
    reply: z.object({
      views: z.array(ticketView),
      counts: z.array(z.object({ id: ticketViewId, count: z.number() })),
      snoozed: z.object({ open: z.number(), pending: z.number() }),
    }),
    errors: [],
  },
  "POST /ticket-views": {
    ...common,
    summary: "Saves a view",
    body: z.object({ name, isShared: z.boolean(), filter: viewFilter }),
    reply: ticketView,
    errors: ["ERR_VIEW_LIMIT_REACHED", ...filterErrors],
  },
  "PUT /ticket-views/:ticketViewId": {
    ...common,
    summary: "Renames, shares or changes a view; a shared one by its user and admins only",
    params,
    body: z.object({
      name: name.optional(),
      isShared: z.boolean().optional(),
      filter: viewFilter.optional(),
    }),
    reply: ticketView,
    errors: ["ERR_NO_VIEW_FOUND", "ERR_VIEW_LIMIT_REACHED", ...filterErrors],
  },
  "DELETE /ticket-views/:ticketViewId": {
    ...common,
    summary: "Removes a view; the caller can undo it for some seconds",
    params,
    reply: messageReply,
    errors: ["ERR_NO_VIEW_FOUND"],
  },
  "POST /ticket-views/:ticketViewId/undo": {
    ...common,
    summary: "Brings back a view that the caller deleted a moment ago",
    params,
    reply: ticketView,
    errors: ["ERR_UNDO_OVER"],
  },
});
