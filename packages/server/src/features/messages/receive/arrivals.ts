import type { ConnectionId, MessageId } from "@balcao/contract";
import type { ConnectionRef, Outbox } from "../../../channels/runtime/index.ts";
import type { InboundMessage, MediaRef } from "../../../channels/port.ts";
import type { Ctx } from "../../../platform/context.ts";
import type { Tx } from "../../../platform/db/database.ts";
import type { Sources } from "../../../platform/sources.ts";
import type { ContactRow } from "../../contacts/index.ts";
import { toContactRef } from "../../contacts/index.ts";
import type { TicketEvents, TicketRow } from "../../tickets/index.ts";
import { customerWroteAgain, findOnlyQueue } from "../../tickets/index.ts";
import type { MessageEvents } from "../events.ts";
import { withLastMessage } from "../last-message.ts";
import { insertMedia } from "../media-repository.ts";
import type { QuotedRow } from "../message-row.ts";
import { AUTOMATIC_MARK, CAMPAIGN_MARK } from "../marks.ts";
import { newMessageRow } from "../message-row.ts";
import type { StoredContent } from "./inbound-content.ts";
import { PENDING } from "./inbound-content.ts";
import type { AttendantEffect, QuietTimes, TicketEffect } from "./receive-statements.ts";
import { markInboundRead, storeMessage } from "./receive-statements.ts";
import { storedTime } from "./stored-time.ts";

export type ArrivalsDeps = {
  sources: Pick<Sources, "clock" | "ids">;
  outbox: Pick<Outbox, "enqueueMediaDownload">;
  ticketEvents: TicketEvents;
  events: MessageEvents;
  attendant: CalledAttendant;
  /** Handles what came before its message. */
  applyEarly: (tx: Tx, connection: ConnectionRef, providerId: string) => Promise<void>;
};

/** The automatic attendant, as those see it who have something for it. */
export type CalledAttendant = {
  quiet: QuietTimes;
  /** Its turn at a ticket was begun or put off in the transaction. */
  customerCalled(tx: Tx): void;
};

/** A contact with its locked ticket; `isNew` when the ticket was made for this message. */
export type OpenConversation = {
  contact: ContactRow;
  ticket: TicketRow;
  isNew: boolean;
  attendanceId: number | null;
};

/** A message that comes from the chat network. */
export type Arrival = {
  connectionId: ConnectionId;
  conversation: OpenConversation;
  providerId: string;
  content: StoredContent;
  /** Where the content's file is to be fetched. */
  file: MediaRef | null;
  fromMe: boolean;
  origin: InboundMessage["origin"];
  /** A customer has turned to the company just now (`isCustomerCalling`): a closed ticket waits again. */
  isCalling: boolean;
  isForwarded: boolean;
  at: Date;
  ack: number;
  unread: TicketEffect["unread"];
  /** Null for what the company wrote, and where nobody is named. */
  writer: ContactRow | null;
  quoted: QuotedRow | null;
};

/** Stores what arrives in its conversation. */
export function createArrivals(deps: ArrivalsDeps) {
  const { sources, outbox, ticketEvents, events, attendant, applyEarly } = deps;
  const { clock, ids } = sources;

  /**
   * Message, unread count, last message, and a closed ticket waits again; one statement for a text. Answers the ticket
   * afterwards; null, and nothing has changed, when the connection's message of this id is there already.
   */
  async function store(ctx: Ctx, tx: Tx, arrival: Arrival): Promise<TicketRow | null> {
    const { connectionId, conversation, providerId, content, fromMe, origin } = arrival;
    const isHistory = origin === "history";
    const { ticket: before, isNew, attendanceId } = conversation;
    const now = clock.now();
    const isReopened = before.status === "closed" && arrival.isCalling;
    const waiting = isReopened ? await waitAgain(ctx, tx, connectionId, before) : before;

    const sentAt = storedTime(arrival, before.lastMessageAt, now);
    const isNewest = before.lastMessageAt === null || sentAt >= before.lastMessageAt;
    const row = newMessageRow(waiting, {
      ...content,
      id: ids.uuid() as MessageId, // our own new id gets its brand
      fromMe,
      read: arrival.unread !== "add",
      ack: arrival.ack,
      isForwarded: arrival.isForwarded,
      sentAt,
      now,
      author: fromMe || arrival.writer === null ? null : toContactRef(arrival.writer),
      writer: null,
      clientId: null,
      undoUntil: null,
      quoted: arrival.quoted,
    });
    const effect: TicketEffect = {
      unread: arrival.unread,
      touch: !isHistory,
      attendanceId,
      reopen: isReopened ? { queueId: waiting.queueId } : null,
      attendant: attendantEffect(arrival, waiting),
    };
    const { quiet } = attendant;
    const arrived = { row, connectionId, providerId, isNewest, effect, quiet };
    const stored = await storeMessage(ctx, tx, arrived);
    if (!stored && isNew) throw new Error("the same message came by two unknown addresses at once");
    if (!stored) return null;
    if (effect.attendant === "called") attendant.customerCalled(tx);
    if (row.media !== null && arrival.file !== null) {
      await insertMedia(ctx, tx, row.messageId, row.media);
      const { messageId } = row;
      await outbox.enqueueMediaDownload(tx, ctx, { connectionId, messageId, file: arrival.file });
    }
    if (effect.unread === "clear" && before.unreadMessages > 0) {
      await markInboundRead(ctx, tx, before.id, now);
    }

    const { hasEarly, ...effects } = stored;
    const waitingNow: TicketRow = { ...waiting, ...effects };
    const after = isNewest ? withLastMessage(waitingNow, row) : waitingNow;
    if (isNew) ticketEvents.updated(tx, after);
    else if (isReopened) ticketEvents.changed(tx, before, after);
    events.created(tx, { message: row, ticket: after, isHistory });
    if (hasEarly) await applyEarly(tx, { companyId: ctx.companyId, connectionId }, providerId);
    return after;
  }

  /** A closed ticket whose customer writes: as `customerWroteAgain` says, with the name of its queue. */
  async function waitAgain(
    ctx: Ctx,
    tx: Tx,
    connectionId: ConnectionId,
    closed: TicketRow,
  ): Promise<TicketRow> {
    const queue = await findOnlyQueue(ctx, tx, connectionId);
    const { state } = customerWroteAgain(closed, queue?.id ?? null);
    return {
      ...closed,
      ...state,
      userName: null,
      queueName: queue?.name ?? null,
      queueColor: queue?.color ?? null,
      servedByUserId: null,
      servedByQueueId: null,
    };
  }

  return { store };
}

/**
 * A customer whose ticket waits calls the automatic attendant, unless another bot wrote in his place, or the call was
 * refused, which has its own answer. What people write on the company's phone silences it.
 */
function attendantEffect(arrival: Arrival, waiting: TicketRow): AttendantEffect {
  const { isCalling, origin, content } = arrival;
  if (isCalling) {
    const isWaiting = waiting.status === "pending" && waiting.userId === null && !waiting.isGroup;
    const isAnswered = content.mediaType === "call_log" || content.body.startsWith(AUTOMATIC_MARK);
    // A placeholder asks nothing: its content calls when it comes.
    const asks = !isAnswered && content.mediaType !== PENDING;
    return isWaiting && asks ? "called" : "untouched";
  }
  const isPersons = origin === "own-device" && !content.body.startsWith(CAMPAIGN_MARK);
  return isPersons ? "silenced" : "untouched";
}

export type Arrivals = ReturnType<typeof createArrivals>;
