import type { ConnectionId } from "@balcao/contract";
import { acks } from "@balcao/contract";
import type { AdContext, InboundMessage } from "../../../channels/port.ts";
import type { ConnectionRef } from "../../../channels/runtime/handlers.ts";
import type { Ctx } from "../../../platform/context.ts";
import { systemCtx } from "../../../platform/context.ts";
import type { Tx } from "../../../platform/db/database.ts";
import type { Sources } from "../../../platform/sources.ts";
import type {
  ContactRow,
  ContactService,
  JoinTickets,
  KnownContact,
  Person,
} from "../../contacts/index.ts";
import type { TicketEvents, TicketRow } from "../../tickets/index.ts";
import { insertTicket, joinTickets, newTicketRow } from "../../tickets/index.ts";
import { findQuoted, isStored } from "../message-repository.ts";
import type { Arrivals, OpenConversation } from "./arrivals.ts";
import type { EarlyAcks } from "./early-acks.ts";
import { describeContent, saysNothing } from "./inbound-content.ts";
import type { TicketEffect } from "./receive-statements.ts";
import { ignoresGroups, isAdIntroduced, lockConversation } from "./receive-statements.ts";
import { chatPartner, groupAuthor } from "./sender.ts";

export type ReceiverDeps = {
  sources: Sources;
  contacts: ContactService;
  ticketEvents: TicketEvents;
  arrivals: Arrivals;
  earlyAcks: EarlyAcks;
};

/** The first turn looks, the second makes what is missing; each loss of a race takes one more. */
const TURNS = 6;

/** Stores what customers write, and what the company writes on its phone (behaviour 1). */
export function createReceiver(deps: ReceiverDeps) {
  const { sources, contacts, ticketEvents, arrivals, earlyAcks } = deps;
  const { clock, ids } = sources;

  /**
   * One message in the runtime's transaction: contact, ticket, attendance, message, unread count, last message. The same
   * message twice is one. A known customer's text takes two statements.
   */
  async function receive(tx: Tx, connection: ConnectionRef, event: InboundMessage): Promise<void> {
    if (saysNothing(event.content)) return;
    const { companyId, connectionId } = connection;
    const ctx = systemCtx(companyId, "channel", event.ref.id);
    const isGroup = event.ref.chat.kind === "group";
    if (isGroup && (await ignoresGroups(ctx, tx))) return;

    const author = isGroup ? groupAuthor(event) : null;
    const member = author && (await contacts.findOrCreate(ctx, tx, author, joinIn(ctx, tx)));
    const conversation = await openConversation(ctx, tx, connectionId, event);
    if (!conversation) return;
    const writer = isGroup ? member : conversation.contact;
    await store(ctx, tx, connectionId, event, { conversation, writer });
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

  async function store(
    ctx: Ctx,
    tx: Tx,
    connectionId: ConnectionId,
    event: InboundMessage,
    { conversation, writer }: { conversation: OpenConversation; writer: ContactRow | null },
  ): Promise<void> {
    const { ref, content, origin } = event;
    const quoted = event.quoted ? await findQuoted(ctx, tx, connectionId, event.quoted.id) : null;
    const ad = content.kind === "text" ? content.ad : undefined;
    const stored = describeContent(content, {
      hasQuote: quoted !== null,
      introducesAd: ad !== undefined && !(await hasIntroduced(ctx, tx, conversation, ad)),
    });
    await arrivals.store(ctx, tx, {
      connectionId,
      conversation,
      providerId: ref.id,
      content: stored,
      file: content.kind === "media" ? content.file : null,
      fromMe: ref.fromMe,
      origin,
      isForwarded: event.isForwarded ?? false,
      at: event.at,
      ack: ref.fromMe ? ackOfOwn(connectionId, ref.id, clock.now()) : acks.delivered,
      unread: unreadEffect(event),
      writer,
      quoted,
    });
  }

  async function hasIntroduced(
    ctx: Ctx,
    tx: Tx,
    { ticket, isNew }: OpenConversation,
    ad: AdContext,
  ): Promise<boolean> {
    // Whoever comes back to a closed ticket has been brought anew.
    if (isNew || ticket.status === "closed") return false;
    const { sourceUrl } = ad;
    return isAdIntroduced(ctx, tx, ticket.id, { sourceUrl, now: clock.now() });
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
