import { z } from "zod";
import type { McpToolName } from "./api-choices.ts";
import { defineEndpoints } from "./endpoint.ts";
import { messageId, queueId, tagId, ticketId, userId } from "./ids.ts";
import { limits } from "./limits.ts";
import { text } from "./primitives.ts";
import { apiDraft } from "./public-api.ts";
import { ticketStatuses } from "./tickets.ts";

/** An id as assistants send it: a number, described for them. */
const idOf = <T extends z.ZodType<number, number | string>>(id: T, what: string) =>
  z
    .int()
    .min(1)
    .max(2_147_483_647)
    .transform((value): number | string => value)
    .pipe(id)
    .describe(what);

const ofTicket = { ticketId: idOf(ticketId, "The conversation's ticketId") };

/** The arguments of each tool of an assistant. */
export const mcpToolInputs = {
  search_conversations: z.object({
    text: text(200).trim().optional().describe("A customer's name, number, or words of a message"),
    status: z
      .enum(ticketStatuses)
      .optional()
      .describe(
        "pending: waits for a person; open: is served; closed: resolved. Without status and text: pending and open",
      ),
    queueId: idOf(queueId, "Only conversations of this queue (list_queues)").optional(),
    tagId: idOf(tagId, "Only conversations with this tag (list_tags)").optional(),
    limit: z.int().min(1).max(50).default(20),
    cursor: text(200).optional().describe("nextCursor of the page before"),
  }),
  read_conversation: z.object({
    ...ofTicket,
    cursor: messageId.optional().describe("nextCursor of the page before, for older messages"),
  }),
  list_queues: z.object({}),
  list_tags: z.object({
    cursor: text(200).optional().describe("nextCursor of the page before"),
  }),
  draft_reply: z.object({
    ...ofTicket,
    text: apiDraft.shape.body.describe("The proposed answer, in the customer's language"),
  }),
  send_message: z.object({
    ...ofTicket,
    text: text(limits.messageBodyMax).trim().min(1),
    idempotencyKey: text(limits.idempotencyKeyMax)
      .trim()
      .optional()
      .describe("The same key with the same text sends once"),
  }),
  tag_ticket: z.object({
    ...ofTicket,
    tagIds: z
      .array(idOf(tagId, "A tag (list_tags)"))
      .max(limits.apiTagsMax)
      .describe("All tags that the conversation has afterwards"),
  }),
  transfer_ticket: z.object({
    ...ofTicket,
    queueId: idOf(queueId, "The queue that serves it from now on (list_queues)"),
    userId: idOf(userId, "The user who serves it; without one it waits in the queue").optional(),
    note: text(limits.noteMax).trim().optional().describe("For the colleagues, not the customer"),
  }),
} as const satisfies Record<McpToolName, z.ZodObject>;

export const mcpEndpoints = defineEndpoints({
  "POST /mcp": {
    summary:
      "One message of the Model Context Protocol (JSON-RPC 2.0): the inbox as tools for assistants, each with its own scopes",
    auth: "apiToken",
    plan: "useExternalApi",
    scope: null,
    permission: "tickets:work",
    refusesOtherMethods: true,
    body: z.unknown(),
    reply: z.looseObject({ jsonrpc: z.literal("2.0") }),
    errors: [],
  },
});
