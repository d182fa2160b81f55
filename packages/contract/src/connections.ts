import { z } from "zod";
import { defineEndpoints } from "./endpoint.ts";
import { companyId, connectionId, integrationId, promptId, queueId, queueOptionId } from "./ids.ts";
import { limits } from "./limits.ts";
import { isoDate, messageReply, orNone, pageNumber, searchParam, text } from "./primitives.ts";
import { queueRef } from "./queues.ts";

/** Statuses of a connection (spec 4). */
export const connectionStatuses = [
  "OPENING",
  "qrcode",
  "PAIRING",
  "CONNECTED",
  "TIMEOUT",
  "DISCONNECTED",
] as const;
export type ConnectionStatus = (typeof connectionStatuses)[number];

/** Kinds of chat channel a connection can run on. */
export const channelKinds = ["simulator", "whatsapp-web", "cloud-api"] as const;
export type ChannelKind = (typeof channelKinds)[number];

/**
 * A chat connection (wire-contract 2.5). `token` and `qrcode` reach admins only (null and "" for others); the
 * credential `session` never leaves the server.
 */
export const connection = z.object({
  id: connectionId,
  companyId,
  name: z.string(),
  status: z.enum(connectionStatuses),
  /** Which adapter serves it; beside the family's `provider`, which has no effect. */
  channel: z.enum(channelKinds),
  qrcode: z.string(),
  /** A code to type on the phone, shown instead of the one to scan; admins only. */
  pairingCode: z.string(),
  isDefault: z.boolean(),
  retries: z.number(),
  number: z.string().nullable(),
  battery: z.null(),
  plugged: z.null(),
  greetingMessage: z.string(),
  complationMessage: z.string(),
  outOfHoursMessage: z.string(),
  ratingMessage: z.string(),
  farewellMessage: z.string(),
  expiresInactiveMessage: z.string(),
  expiresTicket: z.number(),
  timeUseBotQueues: z.number(),
  maxUseBotQueues: z.number(),
  timeToTransfer: z.number().nullable(),
  transferQueueId: queueId.nullable(),
  /** The prompt or integration that answers its customers before they have a queue; at most one is set. */
  promptId: promptId.nullable(),
  integrationId: integrationId.nullable(),
  provider: z.string(),
  token: z.string().nullable(),
  queues: z.array(queueRef.extend({ greetingMessage: z.string() })),
  /** Why it is not connected, for people (a code of ours or null). */
  closeReason: z.string().nullable(),
  /** Since when it is connected, or since when it no longer is. */
  connectedAt: isoDate.nullable(),
  disconnectedAt: isoDate.nullable(),
  /** When people were told that it has been lost for a minute; null while it is not, or was stopped by people. */
  alarmedAt: isoDate.nullable(),
  /** The settings of a connection on the official API; admins only. Its secrets never leave the server. */
  cloudApi: z
    .object({
      phoneNumberId: z.string(),
      businessAccountId: z.string(),
      /** The webhook's address, for Meta's settings. */
      webhookUrl: z.string(),
      verifyToken: z.string(),
    })
    .nullable(),
  createdAt: isoDate,
  updatedAt: isoDate,
});
export type Connection = z.output<typeof connection>;

/** A connection read alone: its queues with what other clients show of them (wire-contract 2.5). */
export const shownConnection = connection.extend({
  queues: z.array(
    queueRef.extend({
      greetingMessage: z.string(),
      integrationId: integrationId.nullable(),
      promptId: promptId.nullable(),
      /** Names of stored files; addresses come with the queue itself. */
      mediaPath: z.string().nullable(),
      mediaName: z.string().nullable(),
      options: z.array(
        z.object({
          id: queueOptionId,
          queueId,
          parentId: queueOptionId.nullable(),
          title: z.string(),
          message: z.string(),
          option: z.string(),
          mediaPath: z.string().nullable(),
          mediaName: z.string().nullable(),
        }),
      ),
    }),
  ),
  prompt: z.object({ id: promptId, name: z.string(), queueId: queueId.nullable() }).nullable(),
});
export type ShownConnection = z.output<typeof shownConnection>;

/** The payload of `company-{c}-whatsappSession`; `qrcode` is only sent to admins. */
export const connectionSession = z.object({
  id: connectionId,
  name: z.string(),
  status: z.enum(connectionStatuses),
  qrcode: z.string().optional(),
  pairingCode: z.string().optional(),
  retries: z.number(),
  number: z.string().nullable(),
  isDefault: z.boolean(),
  closeReason: z.string().nullable(),
  connectedAt: isoDate.nullable(),
  disconnectedAt: isoDate.nullable(),
  alarmedAt: isoDate.nullable(),
  companyId,
  updatedAt: isoDate,
});
export type ConnectionSession = z.output<typeof connectionSession>;

const message = text(limits.messageBodyMax);
const minutes = z.coerce.number().int().nonnegative().max(limits.connectionMinutesMax);
const cloudText = text(1_000).trim();

/** Credentials of the official API (channels.md 4). A secret that is left out or blank stays as it is. */
export const cloudApiCredentials = z.object({
  phoneNumberId: text(50).trim().regex(/^\d+$/),
  businessAccountId: text(50).trim().regex(/^\d+$/),
  accessToken: cloudText.optional(),
  appSecret: cloudText.optional(),
  verifyToken: cloudText.optional(),
});
export type CloudApiCredentials = z.output<typeof cloudApiCredentials>;

const fields = z.object({
  name: text(limits.connectionNameMax).trim().min(limits.nameMin),
  channel: z.enum(channelKinds),
  isDefault: z.boolean(),
  greetingMessage: message,
  complationMessage: message,
  outOfHoursMessage: message,
  ratingMessage: message,
  farewellMessage: message,
  expiresInactiveMessage: message,
  expiresTicket: minutes,
  timeUseBotQueues: minutes,
  maxUseBotQueues: z.coerce.number().int().nonnegative().max(100),
  timeToTransfer: minutes.nullable(),
  transferQueueId: orNone(queueId),
  /** A new one takes the place of the other kind; of both the prompt counts. */
  promptId: orNone(promptId),
  integrationId: orNone(integrationId),
  provider: z.enum(["beta", "stable"]),
  /** Bearer of the external API. */
  token: z.union([z.literal(""), text(200).trim().min(limits.nameMin)]).nullable(),
  queueIds: z.array(queueId).max(100),
  /** Null, as other connections' records have it, is none given. */
  cloudApi: cloudApiCredentials.nullable(),
});

/** A new connection; what clients of the family send beside it is ignored (wire-contract 5.5). */
export const newConnection = fields.partial().required({ name: true });
export type NewConnection = z.output<typeof newConnection>;

/** Omitted fields stay as they are; the channel may change, the history stays. */
export const connectionChange = fields.partial();
export type ConnectionChange = z.output<typeof connectionChange>;

/** How to link: with the digits of the phone, a code to type there is made instead of one to scan. */
export const linkWish = z.object({
  pairingPhone: text(20)
    .trim()
    .regex(/^\d{8,15}$/)
    .optional(),
});

/** A connection in the table of the provider's super users. */
export const connectionHealth = z.object({
  id: connectionId,
  name: z.string(),
  channel: z.enum(channelKinds),
  status: z.enum(connectionStatuses),
  closeReason: z.string().nullable(),
  retries: z.number(),
  connectedAt: isoDate.nullable(),
  disconnectedAt: isoDate.nullable(),
  company: z.object({ id: companyId, name: z.string() }),
  /** Messages that wait to go out, and how long the oldest one has. */
  outboundWaiting: z.number(),
  outboundLagSeconds: z.number().nullable(),
  /** Events that arrived and are not handled yet; those given up. */
  inboundWaiting: z.number(),
  inboundFailed: z.number(),
});
export type ConnectionHealth = z.output<typeof connectionHealth>;

const params = z.object({ connectionId });
const changeErrors = [
  "ERR_WAPP_NAME_EXISTS",
  "ERR_WAPP_TOKEN_EXISTS",
  "ERR_WAPP_GREETING_REQUIRED",
  "ERR_WAPP_CREDENTIALS",
  "ERR_QUEUE_NOT_FOUND",
  "ERR_NO_PROMPT_FOUND",
  "ERR_NO_DIALOG_FOUND",
] as const;

export const connectionsEndpoints = defineEndpoints({
  "GET /whatsapp": {
    summary: "Connections of the caller's company by id",
    auth: "bearer",
    permission: "connections:list",
    reply: z.array(connection),
    errors: [],
  },
  "GET /whatsapp/:connectionId": {
    summary: "One connection, with the menus of its queues",
    auth: "bearer",
    permission: "connections:list",
    params,
    reply: shownConnection,
    errors: ["ERR_NO_WAPP_FOUND"],
  },
  "POST /whatsapp": {
    summary: "A new connection; its session starts in the background",
    auth: "bearer",
    permission: "connections:manage",
    body: newConnection,
    reply: connection,
    errors: [...changeErrors, "ERR_WAPP_LIMIT_REACHED"],
  },
  "PUT /whatsapp/:connectionId": {
    summary: "Changes a connection",
    auth: "bearer",
    permission: "connections:manage",
    params,
    body: connectionChange,
    reply: connection,
    errors: [...changeErrors, "ERR_NO_WAPP_FOUND", "ERR_NO_OTHER_WHATSAPP"],
  },
  "DELETE /whatsapp/:connectionId": {
    summary: "Unlinks and removes the connection; its tickets stay readable",
    auth: "bearer",
    permission: "connections:manage",
    params,
    reply: messageReply,
    errors: ["ERR_NO_WAPP_FOUND"],
  },
  "POST /whatsapp-restart": {
    summary: "Starts all connections of the company anew",
    auth: "bearer",
    permission: "connections:manage",
    reply: messageReply,
    errors: [],
  },
  "GET /connections-health": {
    summary: "Connections of all companies, those in trouble first",
    auth: "bearer",
    permission: "connections:read-any",
    query: z.object({ searchParam, pageNumber }),
    reply: z.object({
      connections: z.array(connectionHealth),
      count: z.number(),
      hasMore: z.boolean(),
    }),
    errors: [],
  },
  "POST /whatsappsession/:connectionId": {
    summary: "Starts the connection with its stored link (Try again)",
    auth: "bearer",
    permission: "connections:manage",
    params,
    reply: messageReply,
    errors: ["ERR_NO_WAPP_FOUND"],
  },
  "PUT /whatsappsession/:connectionId": {
    summary: "Drops the stored link, then starts (New QR)",
    auth: "bearer",
    permission: "connections:manage",
    params,
    body: linkWish.default({}),
    reply: messageReply,
    errors: ["ERR_NO_WAPP_FOUND"],
  },
  "DELETE /whatsappsession/:connectionId": {
    summary: "Unlinks and stops the connection (Disconnect)",
    auth: "bearer",
    permission: "connections:manage",
    params,
    reply: messageReply,
    errors: ["ERR_NO_WAPP_FOUND"],
  },
});
