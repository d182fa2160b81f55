import type { NewTicket, QueueId, Ticket, TicketChange, TicketId, UserId } from "@balcao/contract";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError, hasPermission } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { holdReferences } from "../../platform/db/records.ts";
import { connections, queues, users } from "../../platform/db/schema/index.ts";
import { readSetting } from "../settings/index.ts";
import type { TicketDeps } from "./deps.ts";
import { lockTicket, lockTicketOnConnection, saveTicket } from "./repository.ts";
import type { Transition } from "./ticket.ts";
import { awaitRating, changeTicket, continueOn, expires, waitsInQueue } from "./ticket.ts";
import type { ShownTicketRow, TicketRow } from "./ticket-row.ts";
import { holderOf } from "./ticket-row.ts";
import { canSee, readerOf, requireVisible } from "./audience.ts";

/** Accepts, returns, resolves, reopens or transfers a ticket (wire-contract 6.1). Of concurrent accepts one succeeds. */
export async function updateTicket(
  deps: TicketDeps,
  ctx: UserCtx,
  id: TicketId,
  change: TicketChange,
): Promise<Ticket> {
  const { db, dto, sendClosingMessage } = deps;
  const row = await db.transaction(ctx, async (tx) => {
    const before = await lockTicket(ctx, tx, id);
    if (!before) throw new DomainError("ERR_NO_TICKET_FOUND");
    refuseIfOutrun(ctx, before, change);
    requireVisible(ctx, before);
    await holdTicketReferences(ctx, tx, change);

    // A resolved ticket has lost its queue; its newest attendance knows it.
    const lastQueueId = before.queueId ?? before.servedByQueueId;
    const outcome = changeTicket(before, change, changerOf(ctx), lastQueueId);
    if (outcome.result === "taken") throw otherOpenTicket(before);
    if (outcome.result === "unchanged") return before;
    const { transition } = outcome;
    if (before.status !== "closed" && transition.state.status === "closed") {
      // Sent while the ticket is still served: its readers are those of the conversation.
      const { awaitsRating } = await sendClosingMessage(ctx, tx, before);
      return save(deps, ctx, tx, before, awaitsRating ? awaitRating(transition) : transition);
    }
    const after = await move(deps, ctx, tx, before, transition);
    await publishTransfer(deps, ctx, tx, before, after);
    return after;
  });
  return dto.shown(row, readerOf(ctx));
}

type ReferringFields = Pick<TicketChange, "userId" | "queueId"> &
  Pick<TicketChange | NewTicket, "whatsappId">;

/** Checks user, queue and connection of the body, and prevents their deletion until the commit. The caller exists. */
export async function holdTicketReferences(
  ctx: UserCtx,
  tx: Tx,
  { userId, queueId, whatsappId }: ReferringFields,
): Promise<void> {
  const given = (id: number | null | undefined): number[] => (id == null ? [] : [id]);
  const others = given(userId).filter((id) => id !== ctx.actor.userId);
  await holdReferences(ctx, tx, users, others, "ERR_NO_USER_FOUND");
  await holdReferences(ctx, tx, queues, given(queueId), "ERR_QUEUE_NOT_FOUND");
  await holdReferences(ctx, tx, connections, given(whatsappId), "ERR_NO_WAPP_FOUND");
}

/** Customers are told of transfers where the company wants that (behaviour 2.7). */
async function publishTransfer(
  { domainEvents }: TicketDeps,
  ctx: UserCtx,
  tx: Tx,
  before: TicketRow,
  after: TicketRow,
): Promise<void> {
  const text = after.isGroup ? null : transferText(before, after);
  if (text === null) return;
  if ((await readSetting(tx, ctx, "sendMsgTransfTicket")) !== "enabled") return;
  await domainEvents.publish(tx, ctx, "ticket.transferred", { ticket: after, text });
}

async function save(
  { sources, domainEvents }: TicketDeps,
  ctx: UserCtx,
  tx: Tx,
  before: TicketRow,
  transition: Transition,
): Promise<ShownTicketRow> {
  const { userId } = ctx.actor;
  const after = await saveTicket(ctx, tx, {
    ...{ id: before.id, transition, now: sources.clock.now(), isPersonsAct: true },
    clearUnread: before.userId === userId || transition.state.userId === userId,
  });
  await domainEvents.publish(tx, ctx, "ticket.changed", { before, after });
  return after;
}

/**
 * Saves a transition that may change the connection. If the contact has a closed ticket there, that one is reopened with
 * the new user and queue, and this one is closed (behaviour F69).
 */
async function move(
  deps: TicketDeps,
  ctx: UserCtx,
  tx: Tx,
  before: TicketRow,
  transition: Transition,
): Promise<ShownTicketRow> {
  const { connectionId, status } = transition.state;
  const isElsewhere = connectionId !== null && connectionId !== before.connectionId;
  const there =
    isElsewhere && (await lockTicketOnConnection(ctx, tx, before.contactId, connectionId));
  if (!there) return save(deps, ctx, tx, before, transition);
  if (there.status !== "closed") throw otherOpenTicket(there);
  if (status === "closed") return there;

  const closed = changeTicket(before, { status: "closed" }, changerOf(ctx), null);
  if (closed.result === "changed") await save(deps, ctx, tx, before, closed.transition);
  return save(deps, ctx, tx, there, continueOn(there, transition.state));
}

type TimerDeps = Pick<TicketDeps, "sources" | "domainEvents">;

/** Closes a locked ticket whose time limit has passed, which the caller has checked (behaviour 2.10). */
export const expireTicket = (deps: TimerDeps, ctx: Ctx, tx: Tx, ticket: TicketRow): Promise<void> =>
  saveQuietly(deps, ctx, tx, ticket, expires(ticket));

/** Puts a locked ticket that waits without a queue into this one (behaviour 2.11). */
export const putTicketInQueue = (
  deps: TimerDeps,
  ctx: Ctx,
  tx: Tx,
  ticket: TicketRow,
  queueId: QueueId,
): Promise<void> => saveQuietly(deps, ctx, tx, ticket, waitsInQueue(ticket, queueId));

async function saveQuietly(
  { sources, domainEvents }: TimerDeps,
  ctx: Ctx,
  tx: Tx,
  before: TicketRow,
  transition: Transition,
): Promise<void> {
  const quietly = { clearUnread: false, isPersonsAct: false };
  const saved = { id: before.id, transition, now: sources.clock.now(), ...quietly };
  const after = await saveTicket(ctx, tx, saved);
  await domainEvents.publish(tx, ctx, "ticket.changed", { before, after });
}

/**
 * A user who accepts a ticket that another took a moment before gets the name of the other, even if the user may no longer
 * see the ticket: the user could see it while it waited.
 */
function refuseIfOutrun(ctx: UserCtx, ticket: TicketRow, change: TicketChange): void {
  const isAccept = change.status === "open";
  const isOthers =
    ticket.status === "open" && ticket.userId !== null && ticket.userId !== ctx.actor.userId;
  if (isAccept && isOthers && canSee(ctx, { ...ticket, status: "pending" })) {
    const wanted = change.userId ?? ctx.actor.userId;
    if (wanted !== ticket.userId) throw otherOpenTicket(ticket);
  }
}

function otherOpenTicket(ticket: TicketRow): DomainError<"ERR_OTHER_OPEN_TICKET"> {
  const { user, queue } = holderOf(ticket);
  return new DomainError("ERR_OTHER_OPEN_TICKET", {
    ticketId: ticket.id,
    user,
    queue: queue && { id: queue.id, name: queue.name },
  });
}

function changerOf(ctx: UserCtx) {
  return {
    userId: ctx.actor.userId,
    mayAssignOthers: hasPermission(ctx, "tickets:assign-others"),
  };
}

/** The queue and user of a ticket, before or after a change. */
export type Holder = { queueId: QueueId | null; userId: UserId | null };
export type NamedHolder = Holder & { queueName: string | null; userName: string | null };

/** The text for the customer of a transferred ticket (behaviour 2.7); null when it is no transfer. It has no variables. */
export function transferText(before: Holder, after: NamedHolder): string | null {
  const { queueName: queue, userName: user } = after;
  const isQueued = queue !== null && after.queueId !== before.queueId;
  const isOtherQueue = before.queueId !== null && isQueued;
  const isOtherUser = before.userId !== null && user !== null && after.userId !== before.userId;
  const isSameQueue = after.queueId === before.queueId;
  const isSameUser = after.userId === before.userId;
  const isGivenBack = before.userId !== null && after.userId === null;

  if (isOtherQueue && isOtherUser) {
    return automatic(
      `Você foi transferido para o departamento *${queue}* e contará com a presença de *${user}*`,
    );
  }
  if ((isOtherQueue && isSameUser) || (isQueued && isGivenBack)) {
    return automatic(`Você foi transferido para o departamento *${queue}*`);
  }
  if (isOtherUser && isSameQueue) return automatic(`Foi transferido para o atendente *${user}*`);
  return null;
}

function automatic(text: string): string {
  return `*Mensagem automática*:\n${text}\naguarde, já vamos te atender!`;
}
