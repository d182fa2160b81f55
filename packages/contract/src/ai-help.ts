import { z } from "zod";
import { aiServiceErrors } from "./ai-service.ts";
import { defineEndpoints } from "./endpoint.ts";
import { messageId, ticketId } from "./ids.ts";
import { limits } from "./limits.ts";
import { helpLanguages, rewriteKinds } from "./prompt-choices.ts";
import { text } from "./primitives.ts";

const written = text(limits.aiTextMax).trim().min(1);

/** An agent's request to the company's AI service about a ticket. */
export const helpWish = z.discriminatedUnion("kind", [
  /** An answer to the customer; `draft` is what the agent has written so far. */
  z.object({ kind: z.literal("suggest"), draft: text(limits.aiTextMax).trim().default("") }),
  /** The conversation in a few lines, for a colleague. */
  z.object({ kind: z.literal("summary") }),
  /** The agent's text in other words. */
  z.object({ kind: z.enum(rewriteKinds), text: written }),
  /** The agent's text in another language; `customer`: that in which the customer writes. */
  z.object({
    kind: z.literal("translate"),
    text: written,
    language: z.enum([...helpLanguages, "customer"]),
  }),
  /** Translates a message of the ticket. */
  z.object({ kind: z.literal("translateMessage"), messageId, language: z.enum(helpLanguages) }),
]);
export type HelpWish = z.output<typeof helpWish>;

/** A proposal: nothing of it is sent or stored. */
export const helpProposal = z.object({
  text: z.string(),
  /** The articles of the knowledge base that a suggestion rests on. */
  sources: z.array(z.object({ id: z.number(), title: z.string() })),
});
export type HelpProposal = z.output<typeof helpProposal>;

export const aiHelpEndpoints = defineEndpoints({
  "POST /tickets/:ticketId/help": {
    summary:
      "A proposal by the company's AI service: an answer, a summary, other words or a translation; at most 30 in a minute and two at once",
    auth: "bearer",
    permission: "ai-help:use",
    params: z.object({ ticketId }),
    body: helpWish,
    reply: helpProposal,
    errors: [
      "ERR_NO_TICKET_FOUND",
      "ERR_TICKET_FORBIDDEN",
      "ERR_NO_MESSAGE_FOUND",
      "ERR_AI_HELP_NOTHING",
      "ERR_AI_HELP_BUSY",
      ...aiServiceErrors,
    ],
  },
});
