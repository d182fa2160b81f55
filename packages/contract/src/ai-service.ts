import { z } from "zod";
import { defineEndpoints } from "./endpoint.ts";
import { messageId } from "./ids.ts";
import { message } from "./messages.ts";
import { aiServiceBounds, promptFaults } from "./prompt-choices.ts";
import { isoDate, text } from "./primitives.ts";

/** Use of the service in one day of the company, or in a month. */
const usage = z.object({ tokens: z.number(), answers: z.number(), sounds: z.number() });

/**
 * The AI service that helps the company's own people, at most one. The key never leaves the server: `apiKey` is masked with
 * its last four characters, or "" while there is no service.
 */
export const aiService = z.object({
  baseUrl: z.string(),
  model: z.string(),
  /** Writes voice notes down. */
  transcriptionModel: z.string(),
  apiKey: z.string(),
  /** People are offered drafts, summaries and translations. */
  helps: z.boolean(),
  /** Customers' voice notes are written down when they arrive. */
  transcribes: z.boolean(),
  /** Tokens and voice notes of a day of the company; 0 for any number. */
  dayTokens: z.number(),
  daySounds: z.number(),
  usedToday: usage,
  usedThisMonth: usage,
  fault: z.enum(promptFaults).nullable(),
  faultAt: isoDate.nullable(),
});
export type AiService = z.output<typeof aiService>;

const fields = z.object({
  baseUrl: text(500).trim(),
  model: text(100).trim().min(1),
  transcriptionModel: text(100).trim().min(1),
  /** Masked or left out: the stored one stays. "" removes the service. */
  apiKey: text(500).trim(),
  helps: z.boolean(),
  transcribes: z.boolean(),
  dayTokens: z.coerce.number().int().min(0).max(aiServiceBounds.dayTokens.max),
  daySounds: z.coerce.number().int().min(0).max(aiServiceBounds.daySounds.max),
});

/** Omitted fields have their defaults in a new service, and stay as they are in a changed one. */
export const aiServiceBody = fields.partial();
export type AiServiceBody = z.output<typeof aiServiceBody>;

/** The codes with which people learn why a call of the service failed. */
export const aiServiceErrors = [
  "ERR_AI_NOT_OFFERED",
  "ERR_PROMPT_BUDGET_USED",
  "ERR_PROMPT_KEY_REFUSED",
  "ERR_PROMPT_NO_CREDIT",
  "ERR_PROMPT_RATE_LIMITED",
  "ERR_PROMPT_ADDRESS_INVALID",
  "ERR_PROMPT_MODEL_UNKNOWN",
  "ERR_PROMPT_BAD_REPLY",
  "ERR_PROMPT_NO_ANSWER",
] as const;

const manage = { auth: "bearer", permission: "prompts:manage" } as const;

export const aiServiceEndpoints = defineEndpoints({
  "GET /aiService": {
    ...manage,
    summary: "The company's AI service; its defaults without a key while there is none",
    reply: aiService,
    errors: [],
  },
  "PUT /aiService": {
    ...manage,
    summary:
      "Sets the company's AI service; a masked key stays for the same host, an empty one removes the service. A change of key, address or models ends its fault",
    body: aiServiceBody,
    reply: aiService,
    errors: ["ERR_PROMPT_APIKEY_INVALID", "ERR_PROMPT_ADDRESS_INVALID"],
  },
  "GET /aiService/offer": {
    summary: "The help that the company's AI service offers to the caller now",
    auth: "bearer",
    permission: "ai-help:use",
    replyWithoutPlan: { helps: false, transcribes: false },
    reply: z.object({
      /** Drafts, summaries and translations. */
      helps: z.boolean(),
      /** Single voice notes are written down on demand. */
      transcribes: z.boolean(),
    }),
    errors: [],
  },
  "POST /messages/:messageId/transcript": {
    summary: "Writes a voice note down now, unless that was done before; answers the message",
    auth: "bearer",
    permission: "ai-help:use",
    params: z.object({ messageId }),
    reply: message,
    errors: [...aiServiceErrors, "ERR_NO_MESSAGE_FOUND", "ERR_NO_TRANSCRIPT"],
  },
});
