import { z } from "zod";
import { webhookEvents } from "./api-choices.ts";
import { defineEndpoints } from "./endpoint.ts";
import { deliveryId, webhookId } from "./ids.ts";
import { deliveryFaults, deliveryStates } from "./integration-choices.ts";
import { delivery, shownDelivery } from "./integrations.ts";
import { limits } from "./limits.ts";
import { isoDate, messageReply, text } from "./primitives.ts";

/** A receiver of a whole company's events. */
export const webhook = z.object({
  id: webhookId,
  name: z.string(),
  url: z.string(),
  events: z.array(z.enum(webhookEvents)),
  /** Since when each try has failed. */
  failingSince: isoDate.nullable(),
  /** When sending was stopped, after an hour of failures or at the wish of the receiver. New events wait. */
  stoppedAt: isoDate.nullable(),
  createdAt: isoDate,
  updatedAt: isoDate,
});
export type Webhook = z.output<typeof webhook>;

const fields = z.object({
  name: text(limits.apiTokenNameMax).trim().min(limits.apiTokenNameMin),
  url: text(1_000)
    .trim()
    .pipe(z.url({ protocol: /^https?$/ })),
  events: z
    .array(z.enum(webhookEvents))
    .min(1)
    .transform((events) => webhookEvents.filter((event) => events.includes(event))),
});
export type NewWebhook = z.output<typeof fields>;

const ofWebhook = { webhookId, webhookName: z.string() };
const withoutIntegration = { integrationId: true, integrationName: true } as const;
export const webhookDelivery = delivery.omit(withoutIntegration).extend(ofWebhook);
export type WebhookDelivery = z.output<typeof webhookDelivery>;
export const shownWebhookDelivery = shownDelivery.omit(withoutIntegration).extend(ofWebhook);
export type ShownWebhookDelivery = z.output<typeof shownWebhookDelivery>;

const manage = { auth: "bearer", permission: "api:manage" } as const;
const params = z.object({ webhookId });
const secret = z.object({ secret: z.string() });
const errors = ["ERR_NO_WEBHOOK_FOUND"] as const;

export const webhooksEndpoints = defineEndpoints({
  "GET /webhooks": {
    ...manage,
    summary: "The company's webhooks by name",
    reply: z.object({ webhooks: z.array(webhook) }),
    errors: [],
  },
  "POST /webhooks": {
    ...manage,
    summary: "A new webhook",
    body: fields,
    reply: webhook,
    errors: ["ERR_WEBHOOK_LIMIT"],
  },
  "PUT /webhooks/:webhookId": {
    ...manage,
    summary: "Changes a webhook; what waits goes to a new address",
    params,
    body: fields.partial(),
    reply: webhook,
    errors,
  },
  "DELETE /webhooks/:webhookId": {
    ...manage,
    summary: "Deletes a webhook with its deliveries",
    params,
    reply: messageReply,
    errors,
  },
  "POST /webhooks/:webhookId/test": {
    ...manage,
    summary: "Sends one harmless event to the receiver, at most 10 seconds",
    params,
    reply: z.object({
      isOk: z.boolean(),
      status: z.number().nullable(),
      fault: z.enum(deliveryFaults).nullable(),
      tookMs: z.number(),
    }),
    errors,
  },
  "POST /webhooks/:webhookId/resume": {
    ...manage,
    summary: "Delivers again to a stopped receiver: what waited, in its order",
    params,
    reply: webhook,
    errors,
  },
  "GET /webhooks/:webhookId/secret": {
    ...manage,
    summary: "The secret with which a receiver checks signatures",
    params,
    reply: secret,
    errors,
  },
  "POST /webhooks/:webhookId/secret": {
    ...manage,
    summary: "A new secret; the one before signs as well for a day",
    params,
    reply: secret,
    errors,
  },
  "GET /webhook-deliveries": {
    ...manage,
    summary: "The deliveries of the last 30 days, the newest first, a page",
    query: z.object({
      webhookId: webhookId.optional(),
      state: z.enum(deliveryStates).optional(),
      /** The id of the last row that the client has; the page begins after it. */
      before: deliveryId.optional(),
    }),
    reply: z.object({ deliveries: z.array(webhookDelivery), hasMore: z.boolean() }),
    errors: [],
  },
  "GET /webhook-deliveries/:deliveryId": {
    ...manage,
    summary: "One delivery with request and answer",
    params: z.object({ deliveryId }),
    reply: shownWebhookDelivery,
    errors: ["ERR_NO_DELIVERY_FOUND"],
  },
  "POST /webhook-deliveries/again": {
    ...manage,
    summary: "Sends ended deliveries again with their ids, in order within each ticket",
    body: z.object({ deliveryIds: z.array(deliveryId).min(1).max(200) }),
    reply: z.object({ again: z.number() }),
    errors: [],
  },
});
