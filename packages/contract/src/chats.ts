import { z } from "zod";
import { defineEndpoints } from "./endpoint.ts";
import { defineAddressedEvent } from "./event-names.ts";
import { chatId, chatMessageId, companyId, ticketId, userId } from "./ids.ts";
import { limits } from "./limits.ts";
import { fileErrors, media } from "./media.ts";
import { isoDate, messageReply, pageNumber, repeatable, searchParam, text } from "./primitives.ts";
import { queueRef } from "./queues.ts";
import { ticketStatuses } from "./tickets.ts";

const person = z.object({ id: userId, name: z.string() });

const chatMember = z.object({
  id: z.number(),
  chatId,
  userId,
  unreads: z.number().int(),
  /** The last message that the member has read, and when; null before the first. */
  lastReadId: chatMessageId.nullable(),
  lastReadAt: isoDate.nullable(),
  user: person,
});

/** An internal chat (wire-contract 2.9): in every reply and event its members, with the reader among them. */
export const chat = z.object({
  id: chatId,
  uuid: z.guid(),
  /** A direct chat has the names of its members as title. */
  title: z.string(),
  /** Two people without a title of their own. */
  isDirect: z.boolean(),
  ownerId: userId,
  owner: person,
  /** `<sender>: <message>`, "" before the first message. */
  lastMessage: z.string(),
  lastSenderId: userId.nullable(),
  /** The creation before the first message. */
  lastMessageAt: isoDate,
  companyId,
  users: z.array(chatMember),
  /** The reader's own choice; absent in events that go to several members. */
  isSilenced: z.boolean().optional(),
  createdAt: isoDate,
  updatedAt: isoDate,
});
export type Chat = z.output<typeof chat>;
export type ChatMember = z.output<typeof chatMember>;

const chatMessageFields = z.object({
  id: chatMessageId,
  chatId,
  senderId: userId,
  /** A former user keeps the name. */
  sender: person,
  message: z.string(),
  /** Members that the text names with `@`, as they were called then. */
  mentions: z.array(person),
  /** A ticket is attached; its card is read per reader. */
  hasTicket: z.boolean(),
  media: media.nullable(),
  /** The file once more, for clients that read it there. */
  mediaPath: z.string().nullable(),
  mediaName: z.string().nullable(),
  clientId: z.string().nullable(),
  quotedId: chatMessageId.nullable(),
  editedAt: isoDate.nullable(),
  createdAt: isoDate,
  updatedAt: isoDate,
});

/** A message of a chat; the quoted one is one level deep. */
export const chatMessage = chatMessageFields.extend({ quoted: chatMessageFields.nullable() });
export type ChatMessage = z.output<typeof chatMessage>;

/** A linked ticket as its card shows it; null when the reader may not see it, or it no longer exists. */
export const chatTicket = z.object({
  id: ticketId,
  uuid: z.guid(),
  status: z.enum(ticketStatuses),
  contactId: z.number(),
  contactName: z.string(),
  queue: queueRef.nullable(),
  user: person.nullable(),
});
export type ChatTicket = z.output<typeof chatTicket>;

/** Under `chat-user-{id}`: to one member. */
export const chatOfUserEvent = defineAddressedEvent({
  subject: "chat",
  to: "user",
  payload: z.object({ action: z.enum(["create", "update"]), record: chat }),
});

export const chatEventPayload = z.discriminatedUnion("action", [
  z.object({ action: z.literal("new-message"), chat, newMessage: chatMessage }),
  /** Somebody has read the chat, or edited `newMessage`. */
  z.object({ action: z.literal("update"), chat, newMessage: chatMessage.optional() }),
  /** The chat is gone, or the receiver is no longer in it. */
  z.object({ action: z.literal("delete"), id: chatId }),
]);

/** Under `chat-{chatId}`: the same for clients that have the chat open. */
export const chatEvent = defineAddressedEvent({
  subject: "chat",
  to: "chat",
  payload: chatEventPayload,
});

const body = z.object({
  /** 1 to 60 characters for three or more people; else ERR_CHAT_TITLE. */
  title: text(limits.chatTitleMax).trim().default(""),
  /** The others; the caller may be among them. */
  users: z.array(z.object({ id: userId })).max(limits.chatMembersMax),
});
export type ChatBody = z.output<typeof body>;

const written = {
  message: text(limits.messageBodyMax).default(""),
  mentionedUserIds: z.array(userId).max(limits.noteMentionsMax).default([]),
};

const messageBody = z.object({
  ...written,
  /** Chosen by the sender; a repeated request with the same one is the same message. */
  clientId: z.guid().optional(),
  quotedId: chatMessageId.nullish(),
  /** A ticket that the sender may see. */
  ticketUuid: z.guid().optional(),
});
export type ChatMessageBody = z.output<typeof messageBody>;

const idList = z.preprocess(
  (value) => (Array.isArray(value) || value === undefined ? value : [value]),
  z.array(userId).max(limits.noteMentionsMax).default([]),
);

const uploadFields = z.object({
  message: repeatable(text(limits.messageBodyMax)).optional(),
  mentionedUserIds: idList,
  clientId: repeatable(z.guid()).optional(),
  quotedId: repeatable(chatMessageId).optional(),
  ticketUuid: repeatable(z.guid()).optional(),
});
export type ChatUploadFields = z.output<typeof uploadFields>;

const common = { auth: "bearer", permission: "chats:use" } as const;
const params = z.object({ chatId });
const memberErrors = ["ERR_NO_CHAT_FOUND", "UNAUTHORIZED"] as const;
const saveErrors = ["ERR_CHAT_TITLE", "ERR_CHAT_USERS", "ERR_NO_USER_FOUND"] as const;

/** The team's internal chats (wire-contract 5.17). Only members ever read or receive anything of a chat. */
export const chatsEndpoints = defineEndpoints({
  "GET /chats": {
    ...common,
    summary: "The caller's chats by title and members' names, newest message first, a page",
    replyWithoutPlan: { records: [], count: 0, hasMore: false },
    query: z.object({ searchParam, pageNumber }),
    reply: z.object({ records: z.array(chat), count: z.number(), hasMore: z.boolean() }),
    errors: [],
  },
  "GET /chats/:chatUuid": {
    ...common,
    summary: "A chat of the caller",
    params: z.object({ chatUuid: z.guid() }),
    reply: chat,
    errors: memberErrors,
  },
  "POST /chats": {
    ...common,
    summary:
      "Opens a chat; with one other person and no title, the direct chat that both have already",
    body,
    reply: chat,
    errors: saveErrors,
  },
  "PUT /chats/:chatId": {
    ...common,
    summary:
      "Changes title and members, for the owner; members who stay keep their unread messages",
    params,
    body,
    reply: chat,
    errors: [...memberErrors, ...saveErrors],
  },
  "DELETE /chats/:chatId": {
    ...common,
    summary: "Deletes a chat with its messages, for the owner",
    params,
    reply: messageReply,
    errors: memberErrors,
  },
  "POST /chats/:chatId/leave": {
    ...common,
    summary: "The caller leaves a group; its owner cannot, and nobody leaves a direct chat",
    params,
    reply: messageReply,
    errors: [...memberErrors, "ERR_CHAT_LEAVE"],
  },
  "PUT /chats/:chatId/silence": {
    ...common,
    summary: "Silences a chat for the caller: only mentions count as unread",
    params,
    body: z.object({ isSilenced: z.boolean() }),
    reply: chat,
    errors: memberErrors,
  },
  "GET /chats/:chatId/messages": {
    ...common,
    summary:
      "Messages of a chat, newest page first, ascending inside; `beforeId` pages by position",
    params,
    query: z.object({
      pageNumber,
      beforeId: chatMessageId.optional(),
      /** A page that ends with messages up to this one and has later ones too, to show a quoted message. */
      aroundId: chatMessageId.optional(),
      afterId: chatMessageId.optional(),
    }),
    reply: z.object({
      records: z.array(chatMessage),
      count: z.number(),
      /** Older ones exist. */
      hasMore: z.boolean(),
      hasNewer: z.boolean(),
    }),
    errors: [...memberErrors, "ERR_NO_MESSAGE_FOUND"],
  },
  "GET /chats/:chatId/search": {
    ...common,
    summary: "The newest 200 messages of a chat that contain a text, newest first",
    params,
    query: z.object({ searchParam }),
    reply: z.object({ matches: z.array(z.object({ id: chatMessageId, createdAt: isoDate })) }),
    errors: memberErrors,
  },
  "POST /chats/:chatId/messages": {
    ...common,
    summary: "Writes a message, or one with a file as multipart",
    params,
    body: messageBody,
    upload: { field: "medias", maxFiles: 1, fields: uploadFields },
    reply: chatMessage,
    errors: [
      ...memberErrors,
      "ERR_MESSAGE_EMPTY",
      "ERR_NO_MESSAGE_FOUND",
      "ERR_NO_USER_FOUND",
      "ERR_NO_TICKET_FOUND",
      "ERR_TICKET_FORBIDDEN",
      ...fileErrors,
    ],
  },
  "POST /chats/:chatId/read": {
    ...common,
    summary: "The caller has read the chat",
    params,
    body: z.object({ userId: z.unknown().optional() }).optional(),
    reply: chat,
    errors: memberErrors,
  },
  "PUT /chats/messages/:chatMessageId": {
    ...common,
    summary: "Edits an own message, within 15 minutes of writing it",
    params: z.object({ chatMessageId }),
    body: z.object(written),
    reply: chatMessage,
    errors: [
      "UNAUTHORIZED",
      "ERR_NO_MESSAGE_FOUND",
      "ERR_MESSAGE_EMPTY",
      "ERR_NO_USER_FOUND",
      "ERR_CHAT_MESSAGE_TOO_OLD",
    ],
  },
  "GET /chats/messages/:chatMessageId/ticket": {
    ...common,
    summary: "The ticket of a message as the caller may see it; null without access",
    params: z.object({ chatMessageId }),
    reply: z.object({ ticket: chatTicket.nullable() }),
    errors: ["UNAUTHORIZED", "ERR_NO_MESSAGE_FOUND"],
  },
});
