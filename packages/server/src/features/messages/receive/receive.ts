import type { ConnectionId } from "@balcao/contract";
import { acks } from "@balcao/contract";
import type { AdContext, InboundMessage } from "../../../channels/port.ts";
import type { ConnectionRef, Outbox } from "../../../channels/runtime/index.ts";
import type { Ctx } from "../../../platform/context.ts";
import { systemCtx } from "../../../platform/context.ts";
import type { Tx } from "../../../platform/db/database.ts";
import type { Sources } from "../../../platform/sources.ts";
import type { ContactRow, ContactService } from "../../contacts/index.ts";
import type { TicketRow } from "../../tickets/index.ts";
import { insertTicket, newTicketRow } from "../../tickets/index.ts";
import { raiseAck } from "../delivery-repository.ts";
import type { MessageEvents } from "../events.ts";
import {
  deleteMessage,
  findQuoted,
  isStored,
  lockMessage,
  restoreLastMessage,
} from "../message-repository.ts";
import type { Arrivals, OpenConversation } from "./arrivals.ts";
import { repeatsCompletion } from "./completion.ts";
import type { Conversations } from "./conversations.ts";
import { describeContent, saysNothing } from "./inbound-content.ts";
import { isOtherBots, isOtherCampaigns } from "./own-phone.ts";
import type { TicketsOf } from "./people.ts";
import type { RatingAnswers, TakeAnswer } from "./rating-answers.ts";
import type { TicketEffect } from "./receive-statements.ts";
import {
  countOneLess,
  findPlaceholder,
  ignoresGroups,
  isAdIntroduced,
} from "./receive-statements.ts";
import { chatPartner, groupAuthor } from "./sender.ts";

export type ReceiverDeps = {
  sources: Sources;
  outbox: Pick<Outbox, "confirmSent">;
  contacts: ContactService;
  ticketsOf: TicketsOf;
  conversations: Conversations;
  arrivals: Arrivals;
  events: MessageEvents;
  ratings: RatingAnswers;
};

/** Stores what customers write, and what the company writes on its phone (behaviour 1). */
export function createReceiver(deps: ReceiverDeps) {
  const { sources, outbox, contacts, ticketsOf, conversations, arrivals, events } = deps;
  const { ratings } = deps;
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

    const isNews = !isOtherBots(event) && (await storeNews(ctx, tx, connectionId, event));
    if (!isNews && event.ref.fromMe) await confirm(ctx, tx, connection, event);
  }

  /** False when the message is there already, or repeats what is. */
  async function storeNews(
    ctx: Ctx,
    tx: Tx,
    connectionId: ConnectionId,
    event: InboundMessage,
  ): Promise<boolean> {
    const isGroup = event.ref.chat.kind === "group";
    const author = isGroup ? groupAuthor(event) : null;
    const member = author && (await contacts.findOrCreate(ctx, tx, author, ticketsOf(ctx, tx)));
    const conversation = await conversations.open(ctx, tx, connectionId, chatPartner(event), {
      start: (contact) => startTicket(ctx, tx, connectionId, contact, event),
      // Nothing of the company's own makes a contact twice: it may come back by another address of the chat.
      isOver: async (isStranger) =>
        (!isStranger || event.ref.fromMe) && isStored(ctx, tx, connectionId, event.ref.id),
    });
    if (!conversation) return false;
    const writer = isGroup ? member : conversation.contact;
    const place = { conversation, writer };
    if (await store(ctx, tx, connectionId, event, place)) return true;
    // The content of a message that had a placeholder takes its place, as if it had come only now.
    if (
      event.content.kind === "pending" ||
      !(await dropPlaceholder(ctx, tx, connectionId, event))
    ) {
      return false;
    }
    return store(ctx, tx, connectionId, event, place);
  }

  /** False when there is none. The ticket is locked. */
  async function dropPlaceholder(
    ctx: Ctx,
    tx: Tx,
    connectionId: ConnectionId,
    { ref }: InboundMessage,
  ): Promise<boolean> {
    const id = await findPlaceholder(ctx, tx, connectionId, ref.id);
    const placeholder = id && (await lockMessage(ctx, tx, id));
    if (!placeholder) return false;
    const { message, ticket } = placeholder;
    await deleteMessage(ctx, tx, id);
    await restoreLastMessage(ctx, tx, ticket.id, id);
    if (!message.read) await countOneLess(ctx, tx, ticket.id);
    events.deleted(tx, placeholder);
    return true;
  }

  /** What we sent comes back: the network has it, whatever became of its acknowledgement. */
  async function confirm(
    ctx: Ctx,
    tx: Tx,
    { connectionId }: ConnectionRef,
    { ref }: InboundMessage,
  ): Promise<void> {
    const of = { connectionId, providerId: ref.id };
    const raised = await raiseAck(ctx, tx, { of, level: acks.server, now: clock.now() });
    if (!raised) return;
    await outbox.confirmSent(tx, ctx, of);
    events.updated(tx, raised);
  }

  /**
   * The first ticket of a contact on the connection: waiting, in the connection's queue if it has exactly one. What the
   * company wrote on its phone is no waiting customer; history and campaigns are over.
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
  ): Promise<boolean> {
    const { ref, content, origin } = event;
    if (origin === "own-device" && content.kind === "text") {
      const { text } = content;
      const place = { ticket: conversation.ticket, connectionId };
      if (await repeatsCompletion(ctx, tx, place, { text, now: clock.now() })) return false;
    }
    const quoted = event.quoted ? await findQuoted(ctx, tx, connectionId, event.quoted.id) : null;
    const ad = "ad" in content ? content.ad : undefined;
    const stored = describeContent(content, {
      hasQuote: quoted !== null,
      introducesAd: ad !== undefined && !(await hasIntroduced(ctx, tx, conversation, ad)),
    });
    const takeRating = await ratingAnswer(ctx, tx, conversation, event);
    const after = await arrivals.store(ctx, tx, {
      connectionId,
      conversation,
      providerId: ref.id,
      content: stored,
      file: content.kind === "media" ? content.file : null,
      fromMe: ref.fromMe,
      origin,
      isCalling: isCustomerCalling(event) && takeRating === null,
      isForwarded: event.isForwarded ?? false,
      at: event.at,
      ack: ref.fromMe ? acks.server : acks.delivered,
      unread: takeRating === null ? unreadEffect(event) : "keep",
      writer,
      quoted,
    });
    if (after !== null) await takeRating?.(after);
    return after !== null;
  }

  /** Null for whatever is no answer to a rating request. */
  async function ratingAnswer(
    ctx: Ctx,
    tx: Tx,
    { ticket }: OpenConversation,
    event: InboundMessage,
  ): Promise<TakeAnswer | null> {
    const { content, origin } = event;
    if (!isCustomerCalling(event) || content.kind !== "text") return null;
    // Only what has been on its way for a while is old; the clock of a live one need not agree with ours.
    const at = origin === "offline" ? event.at : clock.now();
    return ratings(ctx, tx, ticket, { text: content.text, at });
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

  return { receive };
}

function firstStatus(event: InboundMessage): TicketRow["status"] {
  if (event.origin === "history" || isOtherCampaigns(event)) return "closed";
  return event.ref.fromMe ? "open" : "pending";
}

/**
 * Whether a customer has written just now, or while nobody was linked: it counts as unread and reopens a closed ticket,
 * and only such a message may ever be answered by the product itself. History is over, whenever it comes.
 */
function isCustomerCalling({ ref, origin }: InboundMessage): boolean {
  return !ref.fromMe && (origin === "live" || origin === "offline");
}

function unreadEffect(event: InboundMessage): TicketEffect["unread"] {
  if (isCustomerCalling(event)) return "add";
  const isRead = event.ref.fromMe && event.origin !== "history" && !isOtherCampaigns(event);
  return isRead ? "clear" : "keep";
}
