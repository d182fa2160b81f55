import { z } from "zod";
import { defineEndpoints } from "./endpoint.ts";
import { companyId, connectionId, queueId } from "./ids.ts";
import { isoDate, messageReply } from "./primitives.ts";
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
  promptId: z.number().nullable(),
  integrationId: z.number().nullable(),
  provider: z.string(),
  token: z.string().nullable(),
  queues: z.array(queueRef.extend({ greetingMessage: z.string() })),
  /** Why it is not connected, for people (a code of ours or null). */
  closeReason: z.string().nullable(),
  createdAt: isoDate,
  updatedAt: isoDate,
});
export type Connection = z.output<typeof connection>;

/** What `company-{c}-whatsappSession` carries; `qrcode` is only sent to admins. */
export const connectionSession = z.object({
  id: connectionId,
  name: z.string(),
  status: z.enum(connectionStatuses),
  qrcode: z.string().optional(),
  retries: z.number(),
  number: z.string().nullable(),
  isDefault: z.boolean(),
  closeReason: z.string().nullable(),
  companyId,
  updatedAt: isoDate,
});
export type ConnectionSession = z.output<typeof connectionSession>;

const params = z.object({ connectionId });

export const connectionsEndpoints = defineEndpoints({
  "GET /whatsapp": {
    summary: "Connections of the caller's company by id",
    auth: "bearer",
    permission: "connections:list",
    reply: z.array(connection),
    errors: [],
  },
  "GET /whatsapp/:connectionId": {
    summary: "One connection",
    auth: "bearer",
    permission: "connections:list",
    params,
    reply: connection,
    errors: ["ERR_NO_WAPP_FOUND"],
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
