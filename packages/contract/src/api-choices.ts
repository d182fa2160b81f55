/** The permissions that a token can have. `write` does not include `read`. */
export const apiScopes = [
  "messages:send",
  "messages:read",
  "messages:draft",
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

/** The tools that assistants have over the Model Context Protocol, and the scopes that each needs. */
export const mcpTools = [
  { name: "search_conversations", scopes: ["tickets:read"] },
  { name: "read_conversation", scopes: ["tickets:read", "messages:read"] },
  { name: "list_queues", scopes: ["queues:read"] },
  { name: "list_tags", scopes: ["tags:read"] },
  { name: "draft_reply", scopes: ["messages:draft"] },
  { name: "send_message", scopes: ["messages:send"] },
  { name: "tag_ticket", scopes: ["tags:write"] },
  { name: "transfer_ticket", scopes: ["tickets:write"] },
] as const satisfies readonly { name: string; scopes: readonly ApiScope[] }[];
export type McpToolName = (typeof mcpTools)[number]["name"];
