import type { Message, MessageId, ReplyOf, SendMessageBody, TicketId } from "@balcao/contract";
import { acks } from "@balcao/contract";
import type { Outbox } from "../../channels/runtime/index.ts";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { Sources } from "../../platform/sources.ts";
import type { TicketEvents } from "../tickets/index.ts";
import { lockTicket, requireVisible, toShownTicketDto } from "../tickets/index.ts";
import type { MessageEvents } from "./events.ts";
import { withLastMessage } from "./last-message.ts";
import { newMessageRow, toMessageDto } from "./message-row.ts";
import type { PageWish } from "./page-statement.ts";
import { findPage } from "./page-statement.ts";
import { canRead, readerOf } from "./readable.ts";
import type { Reading } from "./reading.ts";
import { findByClientId, findSending, insertOutgoing } from "./send-repository.ts";
import { renderVariables } from "./variables.ts";

export type MessageServiceDeps = {
  db: Database;
  sources: Sources;
  outbox: Outbox;
  ticketEvents: TicketEvents;
  events: MessageEvents;
  reading: Reading;
};

export function createMessageService(deps: MessageServiceDeps) {
  const { db, sources, outbox, events, reading } = deps;
  const { clock, ids, random } = sources;

  /**
   * Sends a text to the ticket's contact, whatever the ticket's state, which stays. The message is stored and queued for
   * the connection before the reply; the same client id again is the same message.
   */
  async function send(ctx: UserCtx, ticketId: TicketId, body: SendMessageBody): Promise<Message> {
    if (body.body.trim() === "") throw new DomainError("ERR_MESSAGE_EMPTY");
    return db.transaction(ctx, async (tx) => {
      const ticket = requireVisible(ctx, await lockTicket(ctx, tx, ticketId));
      const { connectionId } = ticket;
      if (connectionId === null) throw new DomainError("ERR_WAPP_NOT_INITIALIZED");
      const { to, timeZone, quoted } = await findSending(ctx, tx, ticketId, body.quotedMsg);
      if (to === null) throw new DomainError("ERR_WAPP_INVALID_CONTACT");
      const isQuotable = quoted !== null && canRead(readerOf(ctx), ticket, quoted);
      if (body.quotedMsg !== null && !isQuotable) throw new DomainError("ERR_FETCH_WAPP_MSG");

      const now = clock.now();
      const text = renderVariables(body.body, { contactName: ticket.contactName, now, timeZone });
      const row = newMessageRow(ticket, {
        id: ids.uuid() as MessageId, // our own new id gets its brand
        body: text,
        fromMe: true,
        read: true,
        ack: acks.waiting,
        // Never before what stands there already, also when another process's clock is ahead.
        sentAt: laterOf(now, ticket.lastMessageAt),
        now,
        author: null,
        clientId: body.clientId ?? null,
        quoted,
      });
      const providerId = `3EB0${random.hex(9).toUpperCase()}`;
      const { userId } = ctx.actor;
      const isAgent = ticket.userId === userId;
      const outgoing = { row, connectionId, providerId, userId, clearUnread: isAgent };
      const stored = await insertOutgoing(ctx, tx, outgoing);
      if (!stored) return repeated(ctx, tx, ticketId, body);

      await outbox.enqueueOutbound(tx, ctx, {
        connectionId,
        messageId: row.messageId,
        providerId,
        to,
        body: { kind: "text", text },
      });
      // Who answers has read. Not by the count: accepting clears that before anything was read.
      if (isAgent) await reading.markRead(ctx, tx, ticketId);
      const after = withLastMessage({ ...ticket, ...stored }, row);
      events.created(tx, { message: row, ticket: after, isHistory: false });
      return toMessageDto(row);
    });
  }

  /** The message that an earlier request with this client id made. */
  async function repeated(
    ctx: UserCtx,
    tx: Tx,
    ticketId: TicketId,
    { clientId }: SendMessageBody,
  ): Promise<Message> {
    const row = clientId === undefined ? null : await findByClientId(ctx, tx, ticketId, clientId);
    if (row) return toMessageDto(row);
    const issues = [{ path: "clientId", message: "belongs to a message of another ticket" }];
    throw new DomainError("ERR_INVALID_REQUEST", { issues });
  }

  /** One page; the assignee's reading marks the ticket read, unless the client keeps that for later. */
  async function page(
    ctx: UserCtx,
    ticketId: TicketId,
    wish: PageWish & { markRead: boolean },
  ): Promise<ReplyOf<"GET /messages/:ticketId">> {
    return db.transaction(ctx, async (tx) => {
      const found = await findPage(ctx, tx, ticketId, wish);
      const ticket = requireVisible(ctx, found?.ticket);
      const { total = 0, messages = [], hasMore = false } = found ?? {};
      const isRead =
        wish.markRead && found?.hasUnread === true && ticket.userId === ctx.actor.userId;
      if (isRead) {
        await lockTicket(ctx, tx, ticketId);
        await reading.markRead(ctx, tx, ticketId);
      }
      const shown = isRead ? { ...ticket, unreadMessages: 0 } : ticket;
      return {
        count: total,
        messages: messages.map((row) => toMessageDto({ ...row, read: row.read || isRead })),
        ticket: toShownTicketDto(shown),
        hasMore,
      };
    });
  }

  /** Marks the ticket read for its assignee; others only learn how many messages are unread. */
  async function read(ctx: UserCtx, ticketId: TicketId): Promise<{ unreadMessages: number }> {
    return db.transaction(ctx, async (tx) => {
      const ticket = requireVisible(ctx, await lockTicket(ctx, tx, ticketId));
      if (ticket.userId !== ctx.actor.userId) return { unreadMessages: ticket.unreadMessages };
      await reading.markRead(ctx, tx, ticketId);
      return { unreadMessages: 0 };
    });
  }

  return { send, page, read };
}

export type MessageService = ReturnType<typeof createMessageService>;

function laterOf(now: Date, last: Date | null): Date {
  return last !== null && last > now ? last : now;
}
