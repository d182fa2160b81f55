import { z } from "zod";
import { connectionStatuses } from "./connections.ts";
import { defineEndpoints } from "./endpoint.ts";
import { connectionId } from "./ids.ts";
import { limits } from "./limits.ts";
import { isoDate, messageReply, text } from "./primitives.ts";

/** Digits of a simulated phone with country code. */
const phone = z.string().regex(/^\d{8,15}$/);

/** How the simulated network treats what the connection sends. */
export const simulatorSendModes = ["deliver", "refuse", "silent", "disconnect"] as const;

export const simulatorNetwork = z.object({
  /** `false`: the chat service is out of reach; customers' messages wait for the connection. */
  online: z.boolean(),
  /** Each delivery in either direction is held this long. */
  delayMs: z.number().int().min(0).max(60_000),
  /** `refuse`: error at once; `silent`: taken but never acknowledged; `disconnect`: the socket drops on send. */
  sendMode: z.enum(simulatorSendModes),
  /** Customers' phones acknowledge delivery by themselves. */
  autoDeliver: z.boolean(),
  /** Customers read at once. */
  autoRead: z.boolean(),
});
export type SimulatorNetwork = z.output<typeof simulatorNetwork>;

export const simulatorConnection = z.object({
  id: connectionId,
  name: z.string(),
  status: z.enum(connectionStatuses),
  linked: z.boolean(),
  /** The QR text on the screen of the product, "" when there is none. */
  qrcode: z.string(),
  network: simulatorNetwork,
});
export type SimulatorConnection = z.output<typeof simulatorConnection>;

export const simulatorChat = z.object({
  phone,
  name: z.string(),
  lastMessage: z.string(),
  lastMessageAt: isoDate.nullable(),
  /** Messages of the company that the customer has not read. */
  unread: z.number(),
});
export type SimulatorChat = z.output<typeof simulatorChat>;

export const simulatorMessage = z.object({
  /** The chat network's own message id. */
  id: z.string(),
  fromCustomer: z.boolean(),
  body: z.string(),
  at: isoDate,
  /** For messages of the customer: 1 waiting for the connection, 2 taken by it, 4 read by an agent. Else 2 to 4. */
  ack: z.number(),
});
export type SimulatorMessage = z.output<typeof simulatorMessage>;

const connectionParams = z.object({ connectionId });
const chatParams = z.object({ connectionId, phone });
const common = { auth: "bearer", permission: "simulator:use" } as const;

export const simulatorEndpoints = defineEndpoints({
  "GET /simulator/connections": {
    ...common,
    summary: "The company's simulated connections",
    reply: z.array(simulatorConnection),
    errors: [],
  },
  "POST /simulator/connections/:connectionId/scan": {
    ...common,
    summary: "The company's phone scans a QR code and links the connection",
    params: connectionParams,
    body: z.object({ code: text(500) }),
    reply: messageReply,
    errors: ["ERR_NO_WAPP_FOUND", "ERR_SIMULATOR_CODE"],
  },
  "POST /simulator/connections/:connectionId/unlink": {
    ...common,
    summary: "The company's phone removes the linked connection",
    params: connectionParams,
    reply: messageReply,
    errors: ["ERR_NO_WAPP_FOUND", "ERR_SIMULATOR_NOT_LINKED"],
  },
  "PUT /simulator/connections/:connectionId/network": {
    ...common,
    summary: "Sets delays, failures and whether the chat service can be reached",
    params: connectionParams,
    body: simulatorNetwork.partial(),
    reply: simulatorConnection,
    errors: ["ERR_NO_WAPP_FOUND"],
  },
  "GET /simulator/connections/:connectionId/chats": {
    ...common,
    summary: "Customers of the simulated network, latest first (200 at most)",
    params: connectionParams,
    query: z.object({ searchParam: text(100).default("") }),
    reply: z.array(simulatorChat),
    errors: ["ERR_NO_WAPP_FOUND"],
  },
  "POST /simulator/connections/:connectionId/chats": {
    ...common,
    summary: "A new customer; without a phone a free one is chosen. A known phone is renamed",
    params: connectionParams,
    body: z.object({ name: text(limits.nameMax).min(1), phone: phone.optional() }),
    reply: simulatorChat,
    errors: ["ERR_NO_WAPP_FOUND"],
  },
  "GET /simulator/connections/:connectionId/chats/:phone/messages": {
    ...common,
    summary: "A customer's conversation, ascending; the last 100, or 100 before `beforeId`",
    params: chatParams,
    query: z.object({ beforeId: text(64).optional() }),
    reply: z.array(simulatorMessage),
    errors: ["ERR_NO_WAPP_FOUND"],
  },
  "POST /simulator/connections/:connectionId/chats/:phone/messages": {
    ...common,
    summary: "A customer writes; answered once the simulated network keeps the message",
    params: chatParams,
    body: z.object({
      body: text(limits.messageBodyMax).min(1),
      /** The network's id of the message; the same id twice is one message. */
      messageId: text(64).min(1).optional(),
    }),
    reply: simulatorMessage,
    errors: ["ERR_NO_WAPP_FOUND"],
  },
  "POST /simulator/connections/:connectionId/chats/:phone/read": {
    ...common,
    summary: "The customer reads everything the company sent",
    params: chatParams,
    reply: messageReply,
    errors: ["ERR_NO_WAPP_FOUND"],
  },
  "POST /simulator/connections/:connectionId/chats/:phone/typing": {
    ...common,
    summary: "The customer starts or stops typing",
    params: chatParams,
    body: z.object({ on: z.boolean() }),
    reply: messageReply,
    errors: ["ERR_NO_WAPP_FOUND"],
  },
});
