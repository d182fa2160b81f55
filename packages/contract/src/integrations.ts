import { z } from "zod";
import { billingFaults, billingSystems } from "./billing-lookups.ts";
import { defineEndpoints } from "./endpoint.ts";
import { companyId, deliveryId, integrationId, ticketId } from "./ids.ts";
import { deliveryFaults, deliveryStates, integrationTypes } from "./integration-choices.ts";
import { limits } from "./limits.ts";
import { isoDate, pageNumber, searchParam, text } from "./primitives.ts";

/**
 * An integration (wire-contract 2.9, 5.22). Callers who may not manage integrations get its id, name and type; all else
 * is blank. `jsonContent` never leaves the server: "" or the account of the stored key.
 */
export const integration = z.object({
  id: integrationId,
  companyId,
  type: z.enum(integrationTypes),
  name: z.string(),
  projectName: z.string(),
  jsonContent: z.string(),
  language: z.string(),
  urlN8N: z.string(),
  typebotSlug: z.string(),
  typebotExpires: z.number(),
  typebotKeywordFinish: z.string(),
  typebotUnknownMessage: z.string(),
  typebotDelayMessage: z.number(),
  typebotKeywordRestart: z.string(),
  typebotRestartMessage: z.string(),
  usedBy: z.object({
    connections: z.array(z.object({ id: z.number(), name: z.string() })),
    queues: z.array(z.object({ id: z.number(), name: z.string(), color: z.string() })),
  }),
  /** The newest delivery that has ended. */
  lastDelivery: z
    .object({
      at: isoDate,
      state: z.enum(deliveryStates),
      status: z.number().nullable(),
      fault: z.enum(deliveryFaults).nullable(),
    })
    .nullable(),
  /** Since when each try has failed. */
  failingSince: isoDate.nullable(),
  /** Numbers of the last 24 hours. */
  delivered: z.number(),
  sent: z.number(),
  /** When sending was stopped, after an hour of failures. New events wait. */
  stoppedAt: isoDate.nullable(),
  createdAt: isoDate,
  updatedAt: isoDate,
});
export type Integration = z.output<typeof integration>;

/** One event for a receiver, with its last try. */
export const delivery = z.object({
  id: deliveryId,
  integrationId,
  integrationName: z.string(),
  ticketId: ticketId.nullable(),
  /** The name of the event, such as `message.received`. */
  kind: z.string(),
  state: z.enum(deliveryStates),
  tries: z.number(),
  status: z.number().nullable(),
  fault: z.enum(deliveryFaults).nullable(),
  tookMs: z.number().nullable(),
  createdAt: isoDate,
  triedAt: isoDate.nullable(),
});
export type Delivery = z.output<typeof delivery>;

/** A delivery read alone: request and answer as they went over the line, secrets masked. */
export const shownDelivery = delivery.extend({
  method: z.string(),
  url: z.string(),
  requestHeaders: z.record(z.string(), z.string()),
  request: z.string(),
  /** The first 64 kB. */
  answer: z.string(),
  nextTryAt: isoDate.nullable(),
});
export type ShownDelivery = z.output<typeof shownDelivery>;

const blank = text(limits.messageBodyMax)
  .nullable()
  .transform((value) => value ?? "");
const short = text(200)
  .trim()
  .nullable()
  .transform((value) => value ?? "");

const fields = z.object({
  type: z.enum(integrationTypes),
  name: text(1_000).trim(),
  projectName: short,
  /** "" or left out: the stored key stays. */
  jsonContent: text(20_000)
    .nullable()
    .transform((value) => value ?? ""),
  language: short,
  urlN8N: text(1_000)
    .trim()
    .nullable()
    .transform((value) => value ?? ""),
  typebotSlug: short,
  /** Minutes; 0 for never. */
  typebotExpires: z.coerce.number().int().min(0).max(100_000),
  typebotKeywordFinish: short,
  typebotUnknownMessage: blank,
  /** Milliseconds before each text. */
  typebotDelayMessage: z.coerce.number().int().min(0).max(30_000),
  typebotKeywordRestart: short,
  typebotRestartMessage: blank,
});

/** Other fields of the family's clients are ignored. */
export const newIntegration = fields.partial().required({ type: true, name: true });
export type NewIntegration = z.output<typeof newIntegration>;
/** Omitted fields stay as they are. */
export const integrationChange = fields.partial();
export type IntegrationChange = z.output<typeof integrationChange>;

const params = z.object({ integrationId });
const manage = { auth: "bearer", permission: "integrations:manage" } as const;
const bodyErrors = [
  "ERR_INTEGRATION_NAME_INVALID",
  "ERR_INTEGRATION_NAME_EXISTS",
  "ERR_INTEGRATION_ADDRESS_INVALID",
  "ERR_INTEGRATION_SLUG_INVALID",
  "ERR_INTEGRATION_KEY_INVALID",
  "ERR_INTEGRATION_LANGUAGE_INVALID",
] as const;
const testReply = z.object({
  isOk: z.boolean(),
  status: z.number().nullable(),
  fault: z.enum(deliveryFaults).nullable(),
  tookMs: z.number(),
  /** The texts of a bot; empty for a webhook. */
  messages: z.array(z.string()),
});

export const integrationsEndpoints = defineEndpoints({
  "GET /queueIntegration": {
    summary: "The integrations of the company, the newest first, a page",
    auth: "bearer",
    permission: "integrations:list",
    replyWithoutPlan: { queueIntegrations: [], count: 0, hasMore: false },
    query: z.object({ searchParam, pageNumber }),
    reply: z.object({
      queueIntegrations: z.array(integration),
      count: z.number(),
      hasMore: z.boolean(),
    }),
    errors: [],
  },
  "GET /queueIntegration/:integrationId": {
    ...manage,
    summary: "One integration",
    params,
    reply: integration,
    errors: ["ERR_NO_DIALOG_FOUND"],
  },
  "POST /queueIntegration": {
    ...manage,
    summary: "A new integration",
    body: newIntegration,
    reply: integration,
    errors: bodyErrors,
  },
  "PUT /queueIntegration/:integrationId": {
    ...manage,
    summary: "Changes an integration",
    params,
    body: integrationChange,
    reply: integration,
    status: 201,
    errors: [...bodyErrors, "ERR_NO_DIALOG_FOUND"],
  },
  "DELETE /queueIntegration/:integrationId": {
    ...manage,
    summary: "Deletes an integration that no connection or queue uses",
    params,
    reply: z.undefined(),
    errors: ["ERR_NO_DIALOG_FOUND", "ERR_INTEGRATION_IN_USE"],
  },
  "POST /queueIntegration/testSession": {
    ...manage,
    summary: "Asks a Dialogflow agent `Ola` and says what it answered",
    body: z.object({
      projectName: text(200).trim().min(2),
      /** "" means the stored key of `integrationId`. */
      jsonContent: text(20_000),
      language: text(20).trim().min(2),
      integrationId: integrationId.optional(),
    }),
    reply: z.object({ messages: z.array(z.string()) }),
    errors: ["ERR_TEST_SESSION_DIALOG", "ERR_TEST_REPLY_DIALOG", "ERR_NO_DIALOG_FOUND"],
  },
  "POST /queueIntegration/:integrationId/test": {
    ...manage,
    summary: "Sends one harmless event to the receiver, at most 10 seconds",
    params,
    reply: testReply,
    errors: ["ERR_NO_DIALOG_FOUND"],
  },
  "POST /queueIntegration/:integrationId/resume": {
    ...manage,
    summary: "Delivers again to a stopped receiver: what waited, in its order",
    params,
    reply: integration,
    errors: ["ERR_NO_DIALOG_FOUND"],
  },
  "GET /queueIntegration/:integrationId/secret": {
    auth: "bearer",
    permission: "integrations:read-secrets",
    summary: "The secret with which a receiver checks signatures",
    params,
    reply: z.object({ secret: z.string() }),
    errors: ["ERR_NO_DIALOG_FOUND"],
  },
  "POST /queueIntegration/:integrationId/secret": {
    auth: "bearer",
    permission: "integrations:read-secrets",
    summary: "A new secret; the one before signs as well for a day",
    params,
    reply: z.object({ secret: z.string() }),
    errors: ["ERR_NO_DIALOG_FOUND"],
  },
  "GET /integration-deliveries": {
    ...manage,
    summary: "The deliveries of the last 30 days, the newest first, a page",
    query: z.object({
      integrationId: integrationId.optional(),
      state: z.enum(deliveryStates).optional(),
      ticketId: ticketId.optional(),
      /** The id of the last row that the client has; the page begins after it. */
      before: deliveryId.optional(),
    }),
    reply: z.object({
      deliveries: z.array(delivery),
      hasMore: z.boolean(),
      /** Failed ones of the last 24 hours under the same filter. */
      failed: z.number(),
    }),
    errors: [],
  },
  "GET /integration-deliveries/:deliveryId": {
    ...manage,
    summary: "One delivery with request and answer",
    params: z.object({ deliveryId }),
    reply: shownDelivery,
    errors: ["ERR_NO_DELIVERY_FOUND"],
  },
  "POST /integration-deliveries/again": {
    ...manage,
    summary: "Sends ended deliveries again with their ids, in order within each ticket",
    body: z.object({ deliveryIds: z.array(deliveryId).min(1).max(200) }),
    reply: z.object({ again: z.number() }),
    errors: [],
  },
  "POST /billingLookups/test": {
    ...manage,
    summary: "Asks a billing system once with the stored access data, at most 10 seconds",
    body: z.object({ system: z.enum(billingSystems) }),
    reply: z.object({
      isOk: z.boolean(),
      fault: z.enum(billingFaults).nullable(),
      /** The HTTP status of an answer that was no success. */
      status: z.number().nullable(),
    }),
    errors: [],
  },
});
