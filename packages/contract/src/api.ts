import { z } from "zod";
import { apiScopes, apiTokenKinds } from "./api-choices.ts";
import { defineEndpoints } from "./endpoint.ts";
import { apiTokenId, connectionId, id, userId } from "./ids.ts";
import { limits } from "./limits.ts";
import { isoDate, messageReply, queryBoolean, text } from "./primitives.ts";

const userRef = z.object({ id: userId, name: z.string() });

/** A token with which another program calls `/api/v1`. The token itself is shown once. */
export const apiToken = z.object({
  id: apiTokenId,
  name: z.string(),
  kind: z.enum(apiTokenKinds),
  /** The owner of a personal token, whose rights it has; null for a token of the company. */
  user: userRef.nullable(),
  /** The last characters of the token. */
  end: z.string(),
  scopes: z.array(z.enum(apiScopes)),
  /** Up to a minute late. */
  lastUsedAt: isoDate.nullable(),
  /** The address of the last caller. */
  lastUsedFrom: z.string().nullable(),
  /** Null: the user was deleted. */
  createdBy: userRef.nullable(),
  createdAt: isoDate,
});
export type ApiToken = z.output<typeof apiToken>;

/** A connection with a token, which is good for `POST /api/messages/send` alone. */
export const connectionTokenRow = z.object({
  connectionId,
  name: z.string(),
  end: z.string(),
  /** The last call within 30 days; null: there was none. */
  lastUsedAt: isoDate.nullable(),
});

export const newApiToken = z.object({
  name: text(limits.apiTokenNameMax).trim().min(limits.apiTokenNameMin),
  kind: z.enum(apiTokenKinds),
  scopes: z
    .array(z.enum(apiScopes))
    .min(1)
    .transform((scopes) => apiScopes.filter((scope) => scopes.includes(scope))),
});
export type NewApiToken = z.output<typeof newApiToken>;

/** A call of another program. Refusals for too many requests are noted once a minute for each token. */
export const apiCall = z.object({
  id,
  /** Null: the token of a connection, or a revoked one. */
  tokenId: apiTokenId.nullable(),
  /** The connection whose token it was. */
  connectionId: connectionId.nullable(),
  /** The name of token or connection at that time. */
  tokenName: z.string(),
  /** Method and path below `/api`, with the names of ids in place of them: `GET /v1/tickets/:ticketId`. */
  call: z.string(),
  status: z.number(),
  tookMs: z.number(),
  /** The error code of a refusal. */
  code: z.string().nullable(),
  requestId: z.string(),
  createdAt: isoDate,
});
export type ApiCall = z.output<typeof apiCall>;

const manage = { auth: "bearer", permission: "api:manage" } as const;

export const apiEndpoints = defineEndpoints({
  "GET /api-tokens": {
    ...manage,
    summary: "The company's tokens, the newest first, and the connections that have a token",
    reply: z.object({ tokens: z.array(apiToken), connections: z.array(connectionTokenRow) }),
    errors: [],
  },
  "POST /api-tokens": {
    ...manage,
    summary: "A new token, which only this reply shows",
    body: newApiToken,
    reply: apiToken.extend({ token: z.string() }),
    errors: ["ERR_API_TOKEN_LIMIT", "ERR_ROLE_BEYOND_OWN"],
  },
  "DELETE /api-tokens/:apiTokenId": {
    ...manage,
    summary: "Revokes a token at once",
    params: z.object({ apiTokenId }),
    reply: messageReply,
    errors: ["ERR_NO_API_TOKEN_FOUND"],
  },
  "GET /api-calls": {
    ...manage,
    summary: "The calls of other programs in the last 30 days, the newest first, a page",
    query: z.object({
      apiTokenId: apiTokenId.optional(),
      connectionId: connectionId.optional(),
      /** Only refused and failed ones. */
      failed: queryBoolean,
      /** The id of the last row that the client has; the page begins after it. */
      before: id.optional(),
    }),
    reply: z.object({ calls: z.array(apiCall), hasMore: z.boolean() }),
    errors: [],
  },
});
