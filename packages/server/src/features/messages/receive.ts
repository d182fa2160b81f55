import type { ConnectionId, MessageId } from "@balcao/contract";
import { acks } from "@balcao/contract";
import type { InboundMessage } from "../../channels/port.ts";
import type { ConnectionRef } from "../../channels/runtime/handlers.ts";
import type { Ctx } from "../../platform/context.ts";
import { systemCtx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { Sources } from "../../platform/sources.ts";
import type {
  ContactRow,
  ContactService,
  JoinTickets,
  KnownContact,
  Person,
} from "../contacts/index.ts";
import { toContactRef } from "../contacts/index.ts";
import type { TicketEvents, TicketRow } from "../tickets/index.ts";
import {
  customerWroteAgain,
  findOnlyQueue,
  insertTicket,
  joinTickets,
  newTicketRow,
} from "../tickets/index.ts";
import type { EarlyAcks } from "./early-acks.ts";
import type { MessageEvents } from "./events.ts";
import { withLastMessage } from "./last-message.ts";
import { findQuoted, isStored } from "./message-repository.ts";
import { newMessageRow } from "./message-row.ts";
import type { TicketEffect } from "./receive-statements.ts";
import {
  ignoresGroups,
  lockConversation,
  markInboundRead,
  storeMessage,
} from "./receive-statements.ts";
import { chatPartner, groupAuthor } from "./sender.ts";
import { storedTime } from "./stored-time.ts";

export type ReceiverDeps = {
  sources: Sources;
  contacts: ContactService;
  ticketEvents: TicketEvents;
  events: MessageEvents;
  earlyAcks: EarlyAcks;
};

/** A contact with its locked ticket; `isNew` when the ticket was made for this message. */
type OpenConversation = {
  contact: ContactRow;
  ticket: TicketRow;
  isNew: boolean;
  attendanceId: number | null;
};

/** The first turn looks, the second makes what is missing; each loss of a race takes one more. */
const TURNS = 6;

/** Stores what customers write, and what the company writes on its phone (behaviour 1). */
export function createReceiver(deps: ReceiverDeps) {
  const { sources, contacts, ticketEvents, events, earlyAcks } = deps;
  const { clock, ids } = sources;

  /**
   * One message in the runtime's transaction: contact, ticket, attendance, message, unread count, last message. The same
   * message twice is one. A known customer's text takes two statements.
   */
  async function receive(tx: Tx, connection: ConnectionRef, event: InboundMessage): Promise<void> {
    const { companyId, connectionId } = connection;
    const ctx = systemCtx(companyId, "channel", event.ref.id);
    const isGroup = event.ref.chat.kind === "group";
    if (isGroup && (await ignoresGroups(ctx, tx))) return;

    const author = isGroup ? groupAuthor(event) : null;
    const member = author && (await contacts.findOrCreate(ctx, tx, author, joinIn(ctx, tx)));
    const conversation = await openConversation(ctx, tx, connectionId, event);
    if (!conversation) return;
    const writer = isGroup ? member : conversation.contact;
    await store(ctx, tx, { connectionId, event, conversation, writer });
  }

  /**
   * The chat partner's contact and its ticket on the connection, made where missing, the ticket locked. Null for a known
   * message that comes by an unknown address.
   */
  async function openConversation(
    ctx: Ctx,
    tx: Tx,
    connectionId: ConnectionId,
    event: InboundMessage,
  ): Promise<OpenConversation | null> {
    const person = chatPartner(event);
    for (let turn = 1; turn <= TURNS; turn += 1) {
      const found = await lockConversation(ctx, tx, connectionId, person.addresses);
      const known = found.map((one) => one.contact);
      const ticket = found[0]?.ticket;
      if (ticket) {
        const { contact, isChanged } = await contacts.recognise(
          ctx,
          tx,
          known,
          person,
          joinIn(ctx, tx),
        );
        if (!isChanged) return { contact, ticket, isNew: false, attendanceId: null };
      } else if (turn === 1) {
        await contacts.lock(ctx, tx, person);
      } else {
        const contact = await whoIs(ctx, tx, known, person);
        const started = contact && (await startTicket(ctx, tx, connectionId, contact, event));
        if (started) return started;
        if (await isStored(ctx, tx, connectionId, event.ref.id)) return null;
      }
    }
    throw new Error("the conversation keeps changing under our hands");
  }

  /** The contact of an unknown person, or of one without a ticket on this connection; null when a race was lost. */
  async function whoIs(
    ctx: Ctx,
    tx: Tx,
    known: readonly KnownContact[],
    person: Person,
  ): Promise<ContactRow | null> {
    if (known.length === 0) return contacts.create(ctx, tx, person);
    const { contact } = await contacts.recognise(ctx, tx, known, person, joinIn(ctx, tx));
    return contact;
  }

  const joinIn =
    (ctx: Ctx, tx: Tx): JoinTickets =>
    (keep, drop) =>
      joinTickets(ctx, tx, ticketEvents, { keep, drop }, clock.now());

  /**
   * The first ticket of a contact on the connection: waiting, in the connection's queue if it has exactly one. What the
   * company wrote on its phone is no waiting customer, and history is over.
   */
  async function startTicket(
    ctx: Ctx,
    tx: Tx,
    connectionId: ConnectionId,
    contact: ContactRow,
    event: InboundMessage,
  ): Promise<OpenConversation | null> {
    const ticket = {
      companyId: ctx.companyId,
      uuid: ids.uuid(),
      contactId: contact.id,
      connectionId,
      status: firstStatus(event),
      isGroup: contact.isGroup,
      now: clock.now(),
    };
    const inserted = await insertTicket(ctx, tx, ticket, event.ref.id);
    if (!inserted) return null;
    const { attendanceId, ...made } = inserted;
    return {
      contact,
      ticket: newTicketRow({ ...ticket, ...made }, contact),
      isNew: true,
      attendanceId,
    };
  }

  type Arrival = {
    connectionId: ConnectionId;
    event: InboundMessage;
    conversation: OpenConversation;
    writer: ContactRow | null;
  };

  async function store(ctx: Ctx, tx: Tx, arrival: Arrival): Promise<void> {
    const { connectionId, event, conversation, writer } = arrival;
    const { ticket: before, isNew, attendanceId } = conversation;
    const { ref, origin } = event;
    const now = clock.now();
    const isHistory = origin === "history";
    const isReopened = before.status === "closed" && !ref.fromMe && !isHistory;
    const waiting = isReopened ? await waitAgain(ctx, tx, connectionId, before) : before;
    const quoted = event.quoted ? await findQuoted(ctx, tx, connectionId, event.quoted.id) : null;

    const sentAt = storedTime(event, before.lastMessageAt, now);
    const isNewest = before.lastMessageAt === null || sentAt >= before.lastMessageAt;
    const row = newMessageRow(waiting, {
      id: ids.uuid() as MessageId, // our own new id gets its brand
      body: event.content.text,
      fromMe: ref.fromMe,
      read: ref.fromMe || isHistory,
      ack: ref.fromMe ? ackOfOwn(connectionId, ref.id, now) : acks.delivered,
      sentAt,
      now,
      author: ref.fromMe || writer === null ? null : toContactRef(writer),
      clientId: null,
      quoted,
    });
    const effect: TicketEffect = {
      unread: unreadEffect(event),
      touch: !isHistory,
      attendanceId,
      reopen: isReopened ? { queueId: waiting.queueId } : null,
    };
    const stored = await storeMessage(ctx, tx, {
      row,
      connectionId,
      providerId: ref.id,
      isNewest,
      effect,
    });
    if (!stored && isNew) throw new Error("the same message came by two unknown addresses at once");
    if (!stored) return;
    if (effect.unread === "clear" && before.unreadMessages > 0) {
      await markInboundRead(ctx, tx, before.id, now);
    }

    const waitingNow: TicketRow = { ...waiting, ...stored };
    const after = isNewest ? withLastMessage(waitingNow, row) : waitingNow;
    if (isNew) ticketEvents.updated(tx, after);
    else if (isReopened) ticketEvents.changed(tx, before, after);
    events.created(tx, { message: row, ticket: after, isHistory });
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
      servedByQueueId: state.queueId,
    };
  }

  function ackOfOwn(connectionId: ConnectionId, providerId: string, now: Date): number {
    return Math.max(acks.server, earlyAcks.levelOf(connectionId, providerId, now));
  }

  return { receive };
}

function firstStatus({ ref, origin }: InboundMessage): TicketRow["status"] {
  if (origin === "history") return "closed";
  return ref.fromMe ? "open" : "pending";
}

function unreadEffect({ ref, origin }: InboundMessage): TicketEffect["unread"] {
  if (origin === "history") return "keep";
  return ref.fromMe ? "clear" : "add";
}
