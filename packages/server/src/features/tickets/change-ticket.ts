import type {
  ChangedTicket,
  NewTicket,
  QueueId,
  TicketChange,
  TicketId,
  UserId,
} from "@balcao/contract";
import { limits } from "@balcao/contract";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { actingUser, DomainError, hasPermission } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { holdReferences } from "../../platform/db/records.ts";
import {
  connections,
  integrations,
  prompts,
  queues,
  resolveReasons,
  users,
} from "../../platform/db/schema/index.ts";
import { readSetting, readText } from "../settings/index.ts";
import type { TicketDeps } from "./deps.ts";
import { findTicket } from "./read-tickets.ts";
import type { Transition, WantedChange } from "./ticket.ts";
import {
  assigned,
  awaitRating,
  changeTicket,
  continueOn,
  expires,
  waitsInQueue,
} from "./ticket.ts";
import type { ShownTicketRow, TicketRow } from "./ticket-row.ts";
import { holderOf, transferText } from "./ticket-row.ts";
import { canSee, readerOf, requireVisible } from "./audience.ts";
import { lockTicket, lockTicketOnConnection, saveTicket } from "./save-ticket.ts";
import type { MacroSteps, Undo } from "./undo.ts";
import { beginUndo, completeUndo } from "./undo.ts";

/**
 * Accepts, returns, resolves, reopens or transfers a ticket (wire-contract 6.1). Only one of concurrent accepts
 * succeeds. With `undoSeconds` the change can be undone (`undo.ts`), unless it goes on in another ticket of the contact.
 */
export async function updateTicket(
  deps: TicketDeps,
  ctx: UserCtx,
  id: TicketId,
  change: TicketChange,
): Promise<ChangedTicket> {
  const { note = "" } = change;
  if (note !== "" && note.length < limits.noteMin) {
    throw new DomainError("ERR_TICKETNOTE_INVALID_NAME");
  }
  const changed = await deps.db.transaction(ctx, (tx) => changeWithin(deps, ctx, tx, id, change));
  return toChangedDto(deps, ctx, changed);
}

/** A ticket after its change. */
export type Changed = { row: ShownTicketRow; undo: Undo | null };

export function toChangedDto(
  { dto }: Pick<TicketDeps, "dto">,
  ctx: Ctx,
  { row, undo }: Changed,
): ChangedTicket {
  return { ...dto.shown(row, readerOf(ctx)), ...(undo && { undo }) };
}

/** The steps of a macro that do not change a ticket's state. Returns the ticket after them. */
export type FirstSteps = (
  ticket: ShownTicketRow,
) => Promise<MacroSteps & { ticket: ShownTicketRow }>;

/**
 * The same inside of a transaction. `first` acts on the locked ticket before its state changes, and is undone with it; then a ticket
 * that is resolved with another queue is resolved in that one.
 */
export async function changeWithin(
  deps: TicketDeps,
  ctx: Ctx,
  tx: Tx,
  id: TicketId,
  change: WantedChange,
  first?: FirstSteps,
): Promise<Changed> {
  const locked = await lockTicket(ctx, tx, id);
  if (!locked) throw new DomainError("ERR_NO_TICKET_FOUND");
  refuseIfOutrun(ctx, locked, change);
  requireVisible(ctx, locked);
  await holdTicketReferences(ctx, tx, change);

  // A resolved ticket has lost its queue; its newest attendance knows it.
  const lastQueueId = locked.queueId ?? locked.servedByQueueId;
  const endsElsewhere = first && change.status === "closed" && change.queueId != null;
  const from = endsElsewhere ? { ...locked, queueId: change.queueId ?? null } : locked;
  const outcome = changeTicket(from, change, changerOf(ctx), lastQueueId);
  if (outcome.result === "taken") throw otherOpenTicket(locked);
  if (outcome.result === "unchanged" && !first) return { row: locked, undo: null };
  const { undoSeconds = 0, note = "" } = change;
  const canUndo = undoSeconds > 0 && isOfUser(ctx);
  const undo = canUndo ? await beginUndo(deps, ctx, tx, id, undoSeconds) : null;
  const steps = (await first?.(locked)) ?? { ticket: locked, messageId: null, tagId: null };
  const { ticket: before } = steps;
  if (outcome.result === "unchanged") return ended(before, undo);
  const { transition } = outcome;
  if (before.status !== "closed" && transition.state.status === "closed") {
    // Nobody can ask another program for a reason.
    if (isOfUser(ctx) || change.reasonId != null) await requireReason(ctx, tx, change);
    // Sent while the ticket is still served: its readers are those of the conversation.
    // The customer no longer waits, so the card shows the message.
    const answered = { ...before, waitingSince: null };
    const { awaitsRating } = await deps.sendClosingMessage(ctx, tx, answered, undoSeconds);
    const closed = awaitsRating ? awaitRating(transition) : transition;
    return ended(await save(deps, ctx, tx, before, closed), undo);
  }
  const moved = await move(deps, ctx, tx, before, transition);
  const isSame = moved.id === before.id;
  if (change.tellCustomer !== false) {
    await publishTransfer(deps, ctx, tx, before, moved, isSame ? undoSeconds : 0);
  }
  if (note !== "")
    await deps.domainEvents.publish(tx, ctx, "ticket.noted", { ticket: moved, note });
  const after = await offerToTeam(deps, ctx, tx, moved);
  return ended(after, isSame ? undo : null);

  async function ended(row: ShownTicketRow, undoOfRow: Undo | null): Promise<Changed> {
    if (undoOfRow && isOfUser(ctx)) await completeUndo(ctx, tx, id, steps);
    return { row, undo: undoOfRow };
  }
}

/** Lets a queue assign a ticket that waits in it now; returns the ticket as it is then. */
async function offerToTeam(
  { domainEvents }: TicketDeps,
  ctx: Ctx,
  tx: Tx,
  ticket: ShownTicketRow,
): Promise<ShownTicketRow> {
  if (ticket.status !== "pending" || ticket.queueId === null) return ticket;
  await domainEvents.publish(tx, ctx, "ticket.waits", { ticket });
  return (await findTicket(ctx, tx, ticket.id)) ?? ticket;
}

/** Throws ERR_REASON_REQUIRED where the company wants a reason, has listed some, and none is given. */
async function requireReason(ctx: Ctx, tx: Tx, { reasonId }: WantedChange): Promise<void> {
  if (reasonId != null) {
    await holdReferences(ctx, tx, resolveReasons, [reasonId], "ERR_NO_REASON_FOUND");
    return;
  }
  const rows = await tx.query(requiredStatement, [ctx.companyId]);
  if (rows.length > 0) throw new DomainError("ERR_REASON_REQUIRED");
}

const requiredStatement = {
  name: "tickets.reason-required",
  text: `
select 1 from settings s
where s.company_id = $1 and s.key = 'resolveReasonRequired' and s.value = 'enabled'
  and exists (select from resolve_reasons r where r.company_id = $1 and r.deleted_at is null)`,
};

type ReferringFields = Partial<
  Pick<TicketChange, "userId" | "queueId" | "promptId" | "integrationId"> &
    Pick<TicketChange | NewTicket, "whatsappId">
>;

/** Checks what the body refers to, and prevents their deletion until the commit. The caller exists. */
export async function holdTicketReferences(
  ctx: Ctx,
  tx: Tx,
  { userId, queueId, whatsappId, promptId, integrationId }: ReferringFields,
): Promise<void> {
  const given = (id: number | null | undefined): number[] => (id == null ? [] : [id]);
  const others = given(userId).filter((id) => id !== actingUser(ctx));
  await holdReferences(ctx, tx, users, others, "ERR_NO_USER_FOUND");
  await holdReferences(ctx, tx, queues, given(queueId), "ERR_QUEUE_NOT_FOUND");
  await holdReferences(ctx, tx, connections, given(whatsappId), "ERR_NO_WAPP_FOUND");
  await holdReferences(ctx, tx, prompts, given(promptId), "ERR_NO_PROMPT_FOUND");
  await holdReferences(ctx, tx, integrations, given(integrationId), "ERR_NO_DIALOG_FOUND");
}

/** Customers are told of transfers where the company wants that (behaviour 2.7). */
async function publishTransfer(
  { domainEvents }: TicketDeps,
  ctx: Ctx,
  tx: Tx,
  before: TicketRow,
  after: TicketRow,
  delaySeconds: number,
): Promise<void> {
  const wanted = after.isGroup ? null : transferText(before, after);
  if (wanted === null) return;
  if ((await readSetting(tx, ctx, "sendMsgTransfTicket")) !== "enabled") return;
  const text = await readText(ctx, tx, wanted.key);
  const told = { ticket: after, text, names: wanted.names, delaySeconds };
  await domainEvents.publish(tx, ctx, "ticket.transferred", told);
}

async function save(
  { sources, domainEvents }: TicketDeps,
  ctx: Ctx,
  tx: Tx,
  before: TicketRow,
  transition: Transition,
): Promise<ShownTicketRow> {
  const userId = actingUser(ctx);
  const isOwn = before.userId === userId || transition.state.userId === userId;
  const after = await saveTicket(ctx, tx, {
    ...{ id: before.id, transition, now: sources.clock.now() },
    // A program of the company is no person: the customer still waits for one.
    ...{ isPersonsAct: userId !== null, clearUnread: userId !== null && isOwn },
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
  ctx: Ctx,
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
export async function expireTicket(
  deps: TimerDeps,
  ctx: Ctx,
  tx: Tx,
  ticket: TicketRow,
): Promise<void> {
  await saveQuietly(deps, ctx, tx, ticket, expires(ticket));
}

/** Puts a locked ticket that waits without a queue into this one (behaviour 2.11). */
export async function putTicketInQueue(
  deps: TimerDeps,
  ctx: Ctx,
  tx: Tx,
  before: TicketRow,
  queueId: QueueId,
): Promise<void> {
  const ticket = await saveQuietly(deps, ctx, tx, before, waitsInQueue(before, queueId));
  await deps.domainEvents.publish(tx, ctx, "ticket.waits", { ticket });
}

/** Gives a locked ticket that waits to a user; its messages stay unread. */
export async function assignTicketTo(
  deps: TimerDeps,
  ctx: Ctx,
  tx: Tx,
  ticket: TicketRow,
  userId: UserId,
): Promise<void> {
  await saveQuietly(deps, ctx, tx, ticket, assigned(ticket, userId));
}

/** Closes a locked ticket for a user, without a message to the customer. */
export const closeQuietly = (
  deps: TimerDeps,
  ctx: UserCtx,
  tx: Tx,
  ticket: TicketRow,
): Promise<ShownTicketRow> => {
  const closed = changeTicket(ticket, { status: "closed" }, changerOf(ctx), null);
  if (closed.result !== "changed") throw new Error("an open ticket can be closed");
  return saveQuietly(deps, ctx, tx, ticket, closed.transition);
};

async function saveQuietly(
  { sources, domainEvents }: TimerDeps,
  ctx: Ctx,
  tx: Tx,
  before: TicketRow,
  transition: Transition,
): Promise<ShownTicketRow> {
  const quietly = { clearUnread: false, isPersonsAct: false };
  const saved = { id: before.id, transition, now: sources.clock.now(), ...quietly };
  const after = await saveTicket(ctx, tx, saved);
  await domainEvents.publish(tx, ctx, "ticket.changed", { before, after });
  return after;
}

/**
 * A user who accepts a ticket that another took a moment before gets the name of the other, even if the user may no longer
 * see the ticket: the user could see it while it waited.
 */
function refuseIfOutrun(ctx: Ctx, ticket: TicketRow, change: WantedChange): void {
  const isAccept = change.status === "open";
  const isOthers =
    ticket.status === "open" && ticket.userId !== null && ticket.userId !== actingUser(ctx);
  if (isAccept && isOthers && canSee(ctx, { ...ticket, status: "pending" })) {
    const wanted = change.userId ?? actingUser(ctx);
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

const isOfUser = (ctx: Ctx): ctx is UserCtx => ctx.actor.kind === "user";

function changerOf(ctx: Ctx) {
  return {
    userId: actingUser(ctx),
    mayAssignOthers: hasPermission(ctx, "tickets:assign-others"),
  };
}
