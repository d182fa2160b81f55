import type {
  Chat,
  ChatId,
  ChatMember,
  ChatMessage,
  ChatMessageId,
  Message,
  MessageId,
  ReplyOf,
  TicketId,
} from "@balcao/contract";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { currentSession } from "../../api/session-store.ts";
import { upload } from "../../api/upload.ts";
import { batchPerFrame, onCompanyEvent, readAgain } from "../../realtime/live.ts";
import {
  loadedHistory,
  setTeamSource,
  settleUnsent,
  writeMessageEvent,
} from "../messages/index.ts";
import { conversationOf, listedChats, othersOf, ownId, putChat } from "./api.ts";

// The messages of chats in the shape that the message list of tickets draws, under a negative id.

const chatIdOf = (conversation: number): ChatId => -conversation as ChatId;

export type ShownMessage = Message & { chatMessage: ChatMessage };

/** The chat's message behind one of the list. */
export function chatMessageOf(message: Message | null): ChatMessage | null {
  return message !== null && "chatMessage" in message
    ? (message as ShownMessage).chatMessage
    : null;
}

/** Read by all others, or by none of them yet. */
const READ = 4;
const DELIVERED = 3;

type Plain = Omit<ChatMessage, "quoted">;

function shownMessage(message: ChatMessage, members: readonly ChatMember[]): ShownMessage {
  const quoted = message.quoted === null ? null : plainMessage(message.quoted, members);
  return { ...plainMessage(message, members), quotedMsg: quoted, chatMessage: message };
}

function plainMessage(message: Plain, members: readonly ChatMember[]): Omit<Message, "quotedMsg"> {
  const { id, chatId, senderId, sender, media } = message;
  const fromMe = senderId === ownId();
  const others = members.filter(({ userId }) => userId !== senderId);
  const own = members.find(({ userId }) => userId === ownId());
  const isReadByAll = others.length > 0 && others.every((one) => (one.lastReadId ?? 0) >= id);
  return {
    id: String(id) as MessageId,
    ticketId: conversationOf(chatId) as TicketId,
    companyId: currentSession()?.user.companyId as Message["companyId"],
    contactId: senderId as unknown as Message["contactId"],
    body: message.message,
    fromMe,
    read: fromMe || (own?.lastReadId ?? 0) >= id,
    ...{ isDeleted: false, isEdited: message.editedAt !== null, isForwarded: false },
    ...{ isAutomatic: false, ack: isReadByAll ? READ : DELIVERED, failedCode: null },
    ...{ isUnconfirmed: false, changeFailedCode: null, undoUntil: null, user: null },
    media,
    ...{
      transcript: null,
      details: null,
      reactions: [],
      clientId: message.clientId,
      mediaType: null,
    },
    mediaUrl: media?.url ?? null,
    quotedMsgId: message.quotedId === null ? null : (String(message.quotedId) as MessageId),
    ...{ queueId: null, queue: null },
    contact: { id: senderId, name: sender.name } as unknown as Message["contact"],
    ...{ createdAt: message.createdAt, updatedAt: message.updatedAt },
  };
}

function membersOf(chatId: number): readonly ChatMember[] {
  const chats = queryClient.getQueriesData<Chat>({ queryKey: ["chat"] });
  const known = chats.find(([, chat]) => chat?.id === chatId)?.[1];
  return known?.users ?? listedChats().find(({ id }) => id === chatId)?.users ?? [];
}

/** The checks and the unread mark of loaded messages follow the members' reading. */
function showReading({ id, users }: Chat): void {
  for (const message of loadedHistory(conversationOf(id))?.messages ?? []) {
    const own = chatMessageOf(message);
    if (own === null) continue;
    const next = shownMessage(own, users);
    if (next.ack > message.ack || next.read !== message.read) {
      writeMessageEvent({ action: "update", message: next });
    }
  }
}

/** The last own message, of the loaded ones, that somebody else has read. */
export function lastReadOwn(chat: Chat): number | null {
  const readUntil = Math.max(0, ...othersOf(chat).map(({ lastReadId }) => lastReadId ?? 0));
  const messages = loadedHistory(conversationOf(chat.id))?.messages ?? [];
  const last = messages.findLast(({ id, fromMe }) => fromMe && Number(id) <= readUntil);
  return last === undefined ? null : Number(last.id);
}

/** A link to a ticket makes its card; it does not stand in the text. */
const TICKET_LINK =
  /(?:https?:\/\/[^\s/]+)?\/tickets\/([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\/?/i;

/** A text as it is written, and what the server is told of it. */
function writtenOf(text: string, members: readonly ChatMember[]) {
  const link = TICKET_LINK.exec(text);
  const message = link === null ? text : text.replace(link[0], "").trim();
  const mentionedUserIds = members
    .filter(({ user }) => message.includes(`@${user.name}`))
    .map(({ userId }) => userId);
  return { message, mentionedUserIds, ...(link?.[1] && { ticketUuid: link[1] }) };
}

setTeamSource({
  async readPage(id, query, signal) {
    const chatId = chatIdOf(id);
    const request = { params: { chatId }, query };
    const page = await call("GET /chats/:chatId/messages", request, { signal });
    const members = membersOf(chatId);
    const { count, hasMore, hasNewer, records } = page;
    return {
      messages: records.map((message) => shownMessage(message, members)),
      ...{ count, hasMore, hasNewer },
    };
  },
  async search(id, words, signal) {
    const request = { params: { chatId: chatIdOf(id) }, query: { searchParam: words } };
    const { matches } = await call("GET /chats/:chatId/search", request, { signal });
    return { matches: matches.map((one) => ({ id: String(one.id) })), nextBeforeId: null };
  },
  async post({ ticketId, clientId, body, quotedMsgId }, file, { signal, onProgress }) {
    const chatId = chatIdOf(ticketId);
    const { message, mentionedUserIds, ticketUuid } = writtenOf(body, membersOf(chatId));
    const params = { chatId };
    const quoted = quotedMsgId === null ? {} : { quotedId: Number(quotedMsgId) };
    const link = ticketUuid === undefined ? {} : { ticketUuid };
    const stored =
      file === null
        ? await call(
            "POST /chats/:chatId/messages",
            { params, body: { message, mentionedUserIds, clientId, ...quoted, ...link } },
            { signal },
          )
        : await upload(
            "POST /chats/:chatId/messages",
            {
              params,
              fields: {
                ...{ message, clientId, ...link },
                mentionedUserIds: mentionedUserIds.map(String),
                ...(quotedMsgId === null ? {} : { quotedId: quotedMsgId }),
              },
              files: { medias: [file] },
            },
            { signal, onProgress },
          );
    return shownMessage(stored, membersOf(chatId));
  },
  async edit({ id, ticketId }, body) {
    const members = membersOf(chatIdOf(ticketId));
    const { message, mentionedUserIds } = writtenOf(body, members);
    const params = { chatMessageId: Number(id) as ChatMessageId };
    const edited = await call("PUT /chats/messages/:chatMessageId", {
      params,
      body: { message, mentionedUserIds },
    });
    return shownMessage(edited, members);
  },
  async markRead(id) {
    putChat(await call("POST /chats/:chatId/read", { params: { chatId: chatIdOf(id) }, body: {} }));
  },
});

/** The card of a linked ticket, by the own rights; read again when the ticket changes. */
export function useLinkedTicket({ id, hasTicket }: ChatMessage) {
  return useQuery<ReplyOf<"GET /chats/messages/:chatMessageId/ticket">>({
    queryKey: ["chat tickets", id],
    queryFn: ({ signal }) =>
      call(
        "GET /chats/messages/:chatMessageId/ticket",
        { params: { chatMessageId: id } },
        { signal },
      ),
    enabled: hasTicket,
  });
}

onCompanyEvent("chat", (event) =>
  batchPerFrame(() => {
    if (event.action === "delete") return;
    const { chat, newMessage } = event;
    showReading(chat);
    if (newMessage === undefined) return;
    const action = event.action === "new-message" ? "create" : "update";
    writeMessageEvent({ action, message: shownMessage(newMessage, chat.users) });
    if (newMessage.clientId !== null) settleUnsent(conversationOf(chat.id), newMessage.clientId);
  }),
);

onCompanyEvent("ticket", () => {
  if (
    queryClient.getQueryCache().findAll({ queryKey: ["chat tickets"], type: "active" }).length > 0
  )
    void readAgain({ queryKey: ["chat tickets"], type: "active" });
});
