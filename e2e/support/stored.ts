import type { ListedTicket, Message, ReplyOf, Ticket } from "@balcao/contract";
import type { Api } from "./api.ts";
import type { Shown, ShownCard, ShownConversation, ShownMessage } from "./shown.ts";

/** The viewer: the session, and whether the lists hold all users' tickets. */
export type Viewer = { api: Api; showsAll: boolean };

/**
 * The expected content of a screen: the same lists and the same ticket as the server's reply to this user. A longer
 * list is cut to the length of the screen's.
 */
export async function storedFor({ api, showsAll }: Viewer, shown: Shown): Promise<Shown> {
  const showAll = showsAll ? "true" : "false";
  const [counts, list, conversation] = await Promise.all([
    api("GET /tickets/counts", { query: { showAll, queueIds: undefined } }),
    storedList(api, showAll, shown.list),
    shown.ticketUuid === null ? null : storedConversation(api, shown.ticketUuid),
  ]);
  return {
    counts: shown.counts === null ? null : { open: counts.open, pending: counts.pending },
    list,
    // A user who may no longer see the ticket has to leave it.
    ticketUuid: conversation === null ? null : shown.ticketUuid,
    conversation:
      conversation === null
        ? null
        : { ...conversation, unsent: notStored(shown.conversation, conversation) },
  };
}

async function storedList(
  api: Api,
  showAll: "true" | "false",
  { tab, order, cards: shownCards }: Shown["list"],
): Promise<Shown["list"]> {
  const cards: ShownCard[] = [];
  for (let page = 1; ; page += 1) {
    const { tickets, count, hasMore } = await api("GET /tickets", {
      query: {
        status: tab,
        showAll,
        order,
        pageNumber: String(page),
        queueIds: undefined,
        tags: undefined,
        users: undefined,
      },
    });
    cards.push(...tickets.map(cardOf));
    if (!hasMore) return { tab, order, total: count, cards };
    // A part of a long list is enough, but not less than a page.
    if (cards.length >= shownCards.length) {
      const length = Math.max(shownCards.length, tickets.length);
      return { tab, order, total: count, cards: cards.slice(0, length) };
    }
  }
}

async function storedConversation(
  api: Api,
  ticketUuid: string,
): Promise<Omit<ShownConversation, "unsent"> | null> {
  const ticket = await orNothing(api("GET /tickets/u/:ticketUuid", { params: { ticketUuid } }));
  if (ticket === null) return null;
  const params = { ticketId: ticket.id };
  const messages: Message[] = [];
  for (let beforeId: string | undefined; ; beforeId = messages[0]?.id) {
    const page: ReplyOf<"GET /messages/:ticketId"> | null = await orNothing(
      api("GET /messages/:ticketId", { params, query: { markRead: "false", beforeId } }),
    );
    if (page === null) return null;
    messages.unshift(...page.messages);
    if (page.hasMore) continue;
    const canWrite = ticket.status === "open";
    return { canWrite, total: page.count, messages: messages.map(messageOf) };
  }
}

/** Null where the server refuses: 403 and 404 say that the ticket is no longer this user's to see. */
async function orNothing<T>(call: Promise<T>): Promise<T | null> {
  return call.catch((error: unknown) => {
    if (error instanceof Error && /answered 40[34]/.test(error.message)) return null;
    throw error;
  });
}

/** A text that is stored must not be shown as not sent beside it. */
function notStored(
  shown: ShownConversation | null,
  stored: Omit<ShownConversation, "unsent">,
): string[] {
  const texts = new Set(stored.messages.map(({ text }) => text));
  return (shown?.unsent ?? []).filter((text) => !texts.has(text));
}

function cardOf(ticket: ListedTicket): ShownCard {
  const { lastMessageFromMe: isOwn, lastMessageFailed: isFailed } = ticket;
  const isUnconfirmed = ticket.lastMessageUnconfirmed;
  const body = isOwn ? withoutSignature(ticket.lastMessage) : ticket.lastMessage;
  const text = isHidden(ticket) ? "Mensagem de outra fila" : plain(body);
  return {
    id: ticket.id,
    name: ticket.contact.name,
    text: shownText(),
    unread: ticket.unreadMessages,
    ack: isOwn && !isFailed ? ackLabel(ticket.lastMessageAck, isUnconfirmed) : null,
    // A resolved one shows where it was served.
    queue: (ticket.queue ?? ticket.servedQueue)?.name ?? "Sem fila",
  };

  function shownText(): string {
    if (isFailed) return `Não enviada: ${text}`;
    return isUnconfirmed ? `Não confirmada: ${text}` : text || "Sem mensagens";
  }
}

/** The last message was said in a queue that the reader is not in. */
export function isHidden(ticket: Ticket): boolean {
  const { lastMessage, lastMessageKind, lastMessageAt } = ticket;
  return lastMessage === "" && lastMessageKind === "text" && lastMessageAt !== null;
}

function messageOf(message: Message): ShownMessage {
  const { fromMe: isOwn, isDeleted } = message;
  return {
    isOwn,
    text: isDeleted ? "" : plain(isOwn ? withoutSignature(message.body) : message.body),
    ack: isOwn && !isDeleted ? ackLabel(message.ack, message.isUnconfirmed) : null,
    isEdited: message.isEdited && !isDeleted,
    isDeleted,
    reactions: isDeleted
      ? []
      : [...new Set(message.reactions.map(({ emoji }) => emoji))].toSorted(),
  };
}

/** The meaning of the checks beside a message (spec 4). */
function ackLabel(ack: number, isUnconfirmed: boolean): string {
  if (isUnconfirmed) return "não confirmada";
  if (ack >= 4) return "lida";
  if (ack === 3) return "entregue";
  return ack >= 1 ? "enviada" : "na fila de envio";
}

function withoutSignature(body: string): string {
  return body.replace(/^\*[^*\n]+:\*\n/, "");
}

/** As on the screen: one line, without the marks of its format. */
function plain(body: string): string {
  return body
    .replaceAll(/[*_~`]/g, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}
