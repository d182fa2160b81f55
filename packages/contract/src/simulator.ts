import { z } from "zod";
import { connectionStatuses } from "./connections.ts";
import { defineEndpoints } from "./endpoint.ts";
import { connectionId } from "./ids.ts";
import { limits } from "./limits.ts";
import { mediaKinds } from "./media.ts";
import { fileErrors } from "./media.ts";
import { isoDate, messageReply, text } from "./primitives.ts";

/** Digits of a simulated phone with country code. */
const phone = z.string().regex(/^\d{8,15}$/);

/** A conversation: a phone, or the longer number of a group. */
const chatNumber = z.string().regex(/^\d{8,20}$/);

/** How the simulated network treats what the connection sends. */
export const simulatorSendModes = [
  "deliver",
  "refuse",
  "silent",
  "disconnect",
  "unconfirmed",
] as const;

/** How files of customers are handed out. `fail-once`: the first try for each file fails; `gone`: forgotten for good. */
export const simulatorMediaModes = ["deliver", "fail-once", "gone"] as const;

export const simulatorNetwork = z.object({
  /** `false`: the chat service is out of reach; customers' messages wait for the connection. */
  online: z.boolean(),
  /** Each delivery in either direction is held this long. */
  delayMs: z.number().int().min(0).max(60_000),
  /**
   * `refuse`: error at once; `silent`: taken but never acknowledged; `disconnect`: the socket drops on send;
   * `unconfirmed`: taken, and nobody can say so until the customer's phone acknowledges it.
   */
  sendMode: z.enum(simulatorSendModes),
  /** Customers' phones acknowledge delivery by themselves. */
  autoDeliver: z.boolean(),
  /** Customers read at once. */
  autoRead: z.boolean(),
  mediaMode: z.enum(simulatorMediaModes),
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

/** A member of a group. */
export const simulatorMember = z.object({ phone, name: z.string() });
export type SimulatorMember = z.output<typeof simulatorMember>;

export const simulatorChat = z.object({
  phone: chatNumber,
  name: z.string(),
  lastMessage: z.string(),
  lastMessageAt: isoDate.nullable(),
  /** Messages of the company that the customer has not read. */
  unread: z.number(),
  isGroup: z.boolean(),
  /** The members of a group, in the order in which they were added; else empty. */
  members: z.array(simulatorMember),
});
export type SimulatorChat = z.output<typeof simulatorChat>;

const latitude = z.number().min(-90).max(90);
const longitude = z.number().min(-180).max(180);

/** The contents that a customer can send beside text and files. */
export const simulatorContent = z.discriminatedUnion("kind", [
  /** The customer came by an advertisement: the message's text is the customer's. */
  z.object({
    kind: z.literal("ad"),
    title: text(500),
    body: text(2_000),
    sourceUrl: text(2_000),
  }),
  z.object({
    kind: z.literal("location"),
    latitude,
    longitude,
    name: text(200).optional(),
    address: text(500).optional(),
    isLive: z.boolean().optional(),
    /** A small picture as base64 of PNG or JPEG. */
    thumbnail: z.base64().max(200_000).optional(),
  }),
  z.object({
    kind: z.literal("contacts"),
    contacts: z
      .array(z.object({ name: text(200).min(1), phones: z.array(text(30).min(1)).max(10) }))
      .min(1)
      .max(100),
  }),
  z.object({
    kind: z.literal("poll"),
    question: text(500).min(1),
    options: z.array(text(200).min(1)).min(2).max(12),
    severalAllowed: z.boolean().optional(),
  }),
  /** The message quotes the poll. */
  z.object({ kind: z.literal("poll-vote"), options: z.array(text(200).min(1)).min(1).max(12) }),
  z.object({
    kind: z.literal("choice"),
    type: z.enum(["buttonsResponseMessage", "listResponseMessage", "templateButtonReplyMessage"]),
    chosen: text(500).min(1),
  }),
  /** A photo, video or audio whose content stays on the phone. */
  z.object({ kind: z.literal("view-once") }),
  z.object({ kind: z.literal("other"), type: text(100).min(1), text: text(2_000) }),
]);
export type SimulatorContent = z.output<typeof simulatorContent>;

export const simulatorMessageKinds = [
  "text",
  ...mediaKinds,
  "location",
  "contacts",
  "poll",
  "poll-vote",
  "choice",
  "view-once",
  "other",
  "call",
] as const;
export type SimulatorMessageKind = (typeof simulatorMessageKinds)[number];

export const simulatorReaction = z.object({
  emoji: z.string(),
  fromCompany: z.boolean(),
  /** The customer's phone; null for the company. */
  phone: phone.nullable(),
});

export const simulatorMessage = z.object({
  /** The chat network's own message id. */
  id: z.string(),
  fromCustomer: z.boolean(),
  kind: z.enum(simulatorMessageKinds),
  /** The text, the caption of a file, or what a phone shows instead of a text. */
  body: z.string(),
  at: isoDate,
  /** For messages of the customer: 1 waiting for the connection, 2 taken by it, 4 read by an agent. Else 2 to 4. */
  ack: z.number(),
  /** The author, in groups; null for the company and outside of groups. */
  author: simulatorMember.nullable(),
  /** `url` is a call below `/api`, with the bearer. */
  file: z
    .object({
      url: z.string(),
      name: z.string(),
      mime: z.string(),
      bytes: z.number(),
      durationMs: z.number().nullable(),
    })
    .nullable(),
  /** The content beyond text and file. */
  content: simulatorContent.nullable(),
  call: z.object({ isVideo: z.boolean(), isRefused: z.boolean() }).nullable(),
  quoted: z.object({ id: z.string(), body: z.string(), fromCustomer: z.boolean() }).nullable(),
  reactions: z.array(simulatorReaction),
  isEdited: z.boolean(),
  isDeleted: z.boolean(),
  isForwarded: z.boolean(),
  isViewOnce: z.boolean(),
});
export type SimulatorMessage = z.output<typeof simulatorMessage>;

/** A message of a customer as text, or as `content`. */
export const simulatorWriteBody = z
  .object({
    body: text(limits.messageBodyMax).optional(),
    content: simulatorContent.optional(),
    /** The network's id of the message; the same id twice is one message. */
    messageId: text(64).min(1).optional(),
    quotedId: text(64).min(1).optional(),
    isForwarded: z.boolean().optional(),
    /** The author in a group; by default its first member. */
    author: phone.optional(),
  })
  .refine(({ body, content }) => Boolean(body) || (content && content.kind !== "ad"), {
    message: "needs a text or a content",
  });
export type SimulatorWriteBody = z.output<typeof simulatorWriteBody>;

/** Text fields beside `file`, which is sent as what `as` says. */
export const simulatorUploadFields = z.object({
  as: z.enum(mediaKinds),
  caption: text(limits.messageBodyMax).optional(),
  isViewOnce: z.enum(["true", "false"]).optional(),
  isForwarded: z.enum(["true", "false"]).optional(),
  /** Length of an audio or video. */
  durationMs: z
    .string()
    .regex(/^\d{1,9}$/)
    .optional(),
  messageId: text(64).min(1).optional(),
  quotedId: text(64).min(1).optional(),
  author: phone.optional(),
});
export type SimulatorUploadFields = z.output<typeof simulatorUploadFields>;

const connectionParams = z.object({ connectionId });
const chatParams = z.object({ connectionId, phone: chatNumber });
const messageParams = z.object({ connectionId, messageId: text(64).min(1) });
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
    body: simulatorWriteBody,
    upload: { field: "file", maxFiles: 1, fields: simulatorUploadFields },
    reply: simulatorMessage,
    errors: ["ERR_NO_WAPP_FOUND", "ERR_NO_MESSAGE_FOUND", ...fileErrors],
  },
  "PUT /simulator/connections/:connectionId/messages/:messageId": {
    ...common,
    summary: "A customer changes the text of a message of his",
    params: messageParams,
    body: z.object({ body: text(limits.messageBodyMax).min(1) }),
    reply: simulatorMessage,
    errors: ["ERR_NO_WAPP_FOUND", "ERR_NO_MESSAGE_FOUND"],
  },
  "DELETE /simulator/connections/:connectionId/messages/:messageId": {
    ...common,
    summary: "A customer deletes a message of his for everyone",
    params: messageParams,
    reply: simulatorMessage,
    errors: ["ERR_NO_WAPP_FOUND", "ERR_NO_MESSAGE_FOUND"],
  },
  "POST /simulator/connections/:connectionId/messages/:messageId/reactions": {
    ...common,
    summary: "A customer reacts to a message; an empty emoji takes it back",
    params: messageParams,
    body: z.object({ emoji: text(32), author: phone.optional() }),
    reply: simulatorMessage,
    errors: ["ERR_NO_WAPP_FOUND", "ERR_NO_MESSAGE_FOUND"],
  },
  "GET /simulator/connections/:connectionId/messages/:messageId/file": {
    ...common,
    summary: "The file of a message, as the simulated network keeps it",
    params: messageParams,
    /** Bytes, of the type that the sender claimed. */
    reply: z.unknown(),
    errors: ["ERR_NO_WAPP_FOUND", "ERR_NO_MESSAGE_FOUND"],
  },
  "POST /simulator/connections/:connectionId/groups": {
    ...common,
    summary: "A new group of customers; a member without a phone gets a free one",
    params: connectionParams,
    body: z.object({
      name: text(limits.nameMax).min(1),
      members: z
        .array(z.object({ name: text(limits.nameMax).min(1), phone: phone.optional() }))
        .min(1)
        .max(50),
    }),
    reply: simulatorChat,
    errors: ["ERR_NO_WAPP_FOUND"],
  },
  "POST /simulator/connections/:connectionId/chats/:phone/calls": {
    ...common,
    summary: "A customer rings",
    params: chatParams,
    body: z.object({ isVideo: z.boolean().optional(), author: phone.optional() }),
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
    summary: "The customer starts or stops typing, or recording",
    params: chatParams,
    body: z.object({
      on: z.boolean(),
      isRecording: z.boolean().optional(),
      author: phone.optional(),
    }),
    reply: messageReply,
    errors: ["ERR_NO_WAPP_FOUND"],
  },
});
