/** The permissions that a token can have. `write` does not include `read`. */
export const apiScopes = [
  "messages:send",
  "messages:read",
  "contacts:read",
  "contacts:write",
  "tickets:read",
  "tickets:write",
  "tags:read",
  "tags:write",
  "queues:read",
  "templates:read",
] as const;
export type ApiScope = (typeof apiScopes)[number];

/** `company`: acts as the company itself. `user`: acts as the user who made it, and never exceeds that user's rights. */
export const apiTokenKinds = ["company", "user"] as const;
export type ApiTokenKind = (typeof apiTokenKinds)[number];

/** How tokens begin. */
export const apiTokenPrefixes = {
  company: "blc_live_",
  user: "blc_user_",
} as const satisfies Record<ApiTokenKind, string>;

/** Requests of one token in a minute, unless the installation says otherwise. A company has five times as many. */
export const API_REQUESTS_PER_MINUTE = 600;
export const API_COMPANY_FACTOR = 5;

/** The events that a webhook can receive. */
export const webhookEvents = ["message.received", "message.sent", "ticket.changed"] as const;
export type WebhookEvent = (typeof webhookEvents)[number];
