import { z } from "zod";
import { defineEndpoints } from "./endpoint.ts";
import { connectionId, queueId, tagId, ticketId, userId } from "./ids.ts";
import { limits } from "./limits.ts";
import { isoDate, messageReply, queryJsonList, searchParam } from "./primitives.ts";
import { tag } from "./tags.ts";
import { ticket, ticketListQuery } from "./tickets.ts";

/** A lane of the board by its tag. Null is the first one, of tickets without a tag of the board. */
const laneId = tagId.nullable();

/** The same in a query, where 0 is the first lane. */
const queryLane = z.union([z.literal("0").transform(() => null), tagId]);

/** A card: what the board shows of a ticket. */
export const boardCard = ticket.pick({
  ...{ id: true, uuid: true, status: true, unreadMessages: true, isGroup: true, updatedAt: true },
  ...{ lastMessage: true, lastMessageKind: true, lastMessageAt: true, lastMessageFromMe: true },
  ...{ lastMessageAck: true, lastMessageFailed: true, lastMessageUnconfirmed: true },
  ...{ userId: true, queueId: true, whatsappId: true, contact: true, user: true, queue: true },
  ...{ tags: true, waitingSince: true, snooze: true },
});
export type BoardCard = z.output<typeof boardCard>;

/** A lane with its exact count and its first cards, the newest activity first. */
export const lane = z.object({
  id: laneId,
  /** Empty for the first lane, which the client names. */
  name: z.string(),
  color: z.string(),
  count: z.number().int(),
  cards: z.array(boardCard),
});
export type Lane = z.output<typeof lane>;

/** All of them hold at once. A search finds the contact's name and number, and the number of the ticket. */
const filters = {
  searchParam,
  queueIds: queryJsonList(queueId).optional(),
  /** Admins only. */
  users: queryJsonList(userId).optional(),
  whatsappIds: queryJsonList(connectionId).optional(),
};
export const boardFilter = z.object(filters);
export type BoardFilter = z.output<typeof boardFilter>;

/** The ticket's tag as older clients read it. */
const ticketTag = z.object({ ticketId, tagId, createdAt: isoDate, updatedAt: isoDate });

const common = { auth: "bearer", permission: "kanban:use" } as const;

/**
 * The board of the tickets that wait or are served (wire-contract 5.7). A ticket stands in the lane of its tag; one with tags
 * of several lanes stands in the last of them.
 */
export const kanbanEndpoints = defineEndpoints({
  "GET /kanban": {
    ...common,
    summary: "The board: its lanes in their order, with exact counts and the first cards of each",
    query: boardFilter,
    reply: z.object({ lanes: z.array(lane) }),
    errors: [],
  },
  "GET /kanban/counts": {
    ...common,
    summary: "How many cards each lane has",
    query: boardFilter,
    reply: z.object({ lanes: z.array(lane.pick({ id: true, count: true })) }),
    errors: [],
  },
  "GET /kanban/cards": {
    ...common,
    summary: "The next cards of a lane, after the card with this activity and id",
    query: z.object({ ...filters, laneId: queryLane, before: isoDate, beforeId: ticketId }),
    reply: z.object({ cards: z.array(boardCard), hasMore: z.boolean() }),
    errors: ["ERR_NO_TAG_FOUND"],
  },
  "PUT /kanban/cards/:ticketId": {
    ...common,
    summary:
      "Moves a card from one lane to another one. Refused if somebody has moved it to a third one meanwhile",
    params: z.object({ ticketId }),
    body: z.object({ from: laneId, to: laneId }),
    reply: ticket,
    errors: [
      "ERR_NO_TICKET_FOUND",
      "ERR_TICKET_FORBIDDEN",
      "ERR_TICKET_CLOSED",
      "ERR_NO_TAG_FOUND",
      "ERR_CARD_MOVED",
    ],
  },
  "PUT /kanban/lanes": {
    ...common,
    permission: "kanban:order",
    summary: "Orders the lanes for the whole company; those that are not named come after them",
    body: z.object({ tagIds: z.array(tagId).max(limits.lanesMax) }),
    reply: z.object({ tags: z.array(tag) }),
    errors: ["ERR_NO_TAG_FOUND"],
  },
  "GET /ticket/kanban": {
    ...common,
    summary: "The waiting and open tickets of a list as older clients read them, 400 at most",
    query: ticketListQuery,
    reply: z.object({ tickets: z.array(ticket), count: z.number(), hasMore: z.boolean() }),
    errors: [],
  },
  "PUT /ticket-tags/:ticketId/:tagId": {
    ...common,
    summary: "Adds a tag to a ticket",
    params: z.object({ ticketId, tagId }),
    reply: ticketTag,
    status: 201,
    errors: ["ERR_NO_TICKET_FOUND", "ERR_TICKET_FORBIDDEN", "ERR_NO_TAG_FOUND"],
  },
  "DELETE /ticket-tags/:ticketId": {
    ...common,
    summary: "Removes the tags that are lanes of the board from a ticket",
    params: z.object({ ticketId }),
    reply: messageReply,
    errors: ["ERR_NO_TICKET_FOUND", "ERR_TICKET_FORBIDDEN"],
  },
});
