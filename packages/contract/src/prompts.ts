import { z } from "zod";
import { defineEndpoints } from "./endpoint.ts";
import { companyId, knowledgeId, promptId, queueId } from "./ids.ts";
import { limits } from "./limits.ts";
import { promptBounds, promptFaults, promptVoices } from "./prompt-choices.ts";
import { isoDate, messageReply, orNone, pageNumber, searchParam, text } from "./primitives.ts";

/** Tokens used by a prompt, in one day or altogether. */
const usage = z.object({ tokens: z.number(), answers: z.number() });

/**
 * An AI agent (wire-contract 2.9, 5.21). Callers who may not manage prompts get its id, name and queue; all else is
 * blank. Keys never leave the server: `apiKey` and `voiceKey` are masked with their last four characters, or "".
 */
export const prompt = z.object({
  id: promptId,
  companyId,
  name: z.string(),
  prompt: z.string(),
  /** Root of an OpenAI-compatible service, such as `https://api.openai.com/v1`. */
  baseUrl: z.string(),
  model: z.string(),
  apiKey: z.string(),
  voice: z.enum(promptVoices),
  voiceKey: z.string(),
  voiceRegion: z.string(),
  maxTokens: z.number(),
  temperature: z.number(),
  maxMessages: z.number(),
  /** Tokens that it may use in a day of the company, and for one ticket in a day; 0 for any number. */
  dayTokens: z.number(),
  ticketTokens: z.number(),
  /** It gets what the company's knowledge base says to the customer's text. */
  useKnowledge: z.boolean(),
  /** R$ for a million tokens that are read and written; null: costs are not shown. */
  priceIn: z.number().nullable(),
  priceOut: z.number().nullable(),
  promptTokens: z.number(),
  completionTokens: z.number(),
  totalTokens: z.number(),
  usedToday: usage,
  usedThisMonth: usage,
  queueId: queueId.nullable(),
  queue: z.object({ id: queueId, name: z.string() }).nullable(),
  /** Where it answers. */
  usedBy: z.object({
    connections: z.array(z.object({ id: z.number(), name: z.string() })),
    queues: z.array(z.object({ id: z.number(), name: z.string() })),
  }),
  /** Customers wait for a person since then, because of this. */
  fault: z.enum(promptFaults).nullable(),
  faultAt: isoDate.nullable(),
  createdAt: isoDate,
  updatedAt: isoDate,
});
export type Prompt = z.output<typeof prompt>;

const bounds = promptBounds;
const amount = ({ min, max }: { min: number; max: number }) => z.coerce.number().min(min).max(max);
const whole = (range: { min: number; max: number }) => amount(range).int();
const price = z
  .union([z.null(), z.literal(""), z.coerce.number().min(0).max(100_000)])
  .transform((value) => (value === "" ? null : value));

/** The server checks name, text, key, queue and history itself, to answer with the codes of wire-contract 5.21. */
const fields = z.object({
  name: text(1_000).trim(),
  prompt: text(limits.messageBodyMax).trim(),
  baseUrl: text(500).trim(),
  model: text(100).trim().min(1),
  /** Masked or left out: the stored one stays. */
  apiKey: text(500).trim(),
  voice: z.enum(promptVoices),
  voiceKey: text(500).trim().nullable(),
  voiceRegion: text(100).trim().nullable(),
  maxTokens: whole(bounds.maxTokens),
  temperature: amount(bounds.temperature),
  maxMessages: z.union([z.null(), z.literal(""), z.coerce.number().int()]),
  dayTokens: whole({ min: 0, max: bounds.dayTokens.max }),
  ticketTokens: whole({ min: 0, max: bounds.ticketTokens.max }),
  useKnowledge: z.boolean(),
  priceIn: price,
  priceOut: price,
  queueId: orNone(queueId),
});

/** Omitted fields have their defaults in a new prompt, and stay as they are in a changed one. */
export const promptBody = fields.partial();
export type PromptBody = z.output<typeof promptBody>;

/** One line of a trial: what the customer or the prompt says. */
const trialLine = z.object({
  from: z.enum(["customer", "prompt"]),
  text: text(limits.messageBodyMax),
});

const params = z.object({ promptId });
const manage = { auth: "bearer", permission: "prompts:manage" } as const;
const bodyErrors = [
  "ERR_PROMPT_NAME_INVALID",
  "ERR_PROMPT_INTELLIGENCE_INVALID",
  "ERR_PROMPT_PROMPT_INVALID",
  "ERR_PROMPT_APIKEY_INVALID",
  "ERR_PROMPT_QUEUEID_INVALID",
  "ERR_PROMPT_MAX_MESSAGES_INVALID",
  "ERR_PROMPT_ADDRESS_INVALID",
  "ERR_QUEUE_NOT_FOUND",
] as const;
/** The codes with which the company learns why a call of the provider failed. */
const providerErrors = [
  "ERR_PROMPT_KEY_REFUSED",
  "ERR_PROMPT_NO_CREDIT",
  "ERR_PROMPT_RATE_LIMITED",
  "ERR_PROMPT_ADDRESS_INVALID",
  "ERR_PROMPT_MODEL_UNKNOWN",
  "ERR_PROMPT_BAD_REPLY",
  "ERR_PROMPT_NO_ANSWER",
] as const;

export const promptsEndpoints = defineEndpoints({
  "GET /prompt": {
    summary: "The prompts of the company by name, a page",
    auth: "bearer",
    permission: "prompts:list",
    replyWithoutPlan: { prompts: [], count: 0, hasMore: false },
    query: z.object({ searchParam, pageNumber }),
    reply: z.object({ prompts: z.array(prompt), count: z.number(), hasMore: z.boolean() }),
    errors: [],
  },
  "GET /prompt/:promptId": {
    ...manage,
    summary: "One prompt",
    params,
    reply: prompt,
    errors: ["ERR_NO_PROMPT_FOUND"],
  },
  "POST /prompt": {
    ...manage,
    summary: "A new prompt",
    body: promptBody,
    reply: prompt,
    errors: bodyErrors,
  },
  "PUT /prompt/:promptId": {
    ...manage,
    summary:
      "Changes a prompt; a masked key stays as it is. A change of the key, address or model ends its fault",
    params,
    body: promptBody,
    reply: prompt,
    errors: [...bodyErrors, "ERR_NO_PROMPT_FOUND"],
  },
  "DELETE /prompt/:promptId": {
    ...manage,
    summary: "Deletes a prompt that no connection or queue uses",
    params,
    reply: messageReply,
    errors: ["ERR_NO_PROMPT_FOUND", "ERR_PROMPT_IN_USE"],
  },
  "POST /prompt/check": {
    ...manage,
    summary: "Asks the provider whether it takes a key, at most 10 seconds",
    body: z.object({
      baseUrl: fields.shape.baseUrl,
      model: fields.shape.model,
      apiKey: fields.shape.apiKey,
      /** Whose stored key is meant by a masked one. */
      promptId: promptId.optional(),
      /** It is that of the company's AI service. */
      ofAiService: z.boolean().default(false),
    }),
    reply: z.object({ models: z.array(z.string()) }),
    errors: [...providerErrors, "ERR_NO_PROMPT_FOUND", "ERR_PROMPT_APIKEY_INVALID"],
  },
  "POST /prompt/try": {
    ...manage,
    summary:
      "What a prompt, saved or not, would answer; nothing is sent, its tokens count as a test",
    body: z.object({
      promptId: promptId.optional(),
      prompt: promptBody,
      conversation: z.array(trialLine).min(1).max(100),
    }),
    reply: z.object({
      text: z.string(),
      /** It would hand the ticket over to its queue, and say the text before. */
      handOver: z.boolean(),
      reason: z.string().nullable(),
      tokens: z.number(),
      cost: z.number().nullable(),
      tookMs: z.number(),
      /** What of the knowledge base the agent was given. */
      sources: z.array(z.object({ id: knowledgeId, title: z.string() })),
    }),
    errors: [...bodyErrors, ...providerErrors, "ERR_NO_PROMPT_FOUND", "ERR_PROMPT_BUDGET_USED"],
  },
});
