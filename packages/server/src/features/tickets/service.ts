import type {
  QueueId,
  ReplyOf,
  Ticket,
  TicketChange,
  TicketId,
  TicketListQuery,
} from "@balcao/contract";
import { pageSizes } from "@balcao/contract";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError, hasPermission } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import { pageTotals } from "../../platform/db/paging.ts";
import type { Clock } from "../../platform/sources.ts";
import { readSetting } from "../settings/index.ts";
import type { TicketEvents } from "./events.ts";
import type { CountsQuery } from "./list-statement.ts";
import { requireReferences } from "./references.ts";
import {
  countTickets,
  findSight,
  findTicket,
  findTicketByUuid,
  listTickets,
  lockTicket,
  lockTicketOnConnection,
} from "./repository.ts";
import type { Transition } from "./ticket.ts";
import { awaitRating, changeTicket, continueOn } from "./ticket.ts";
import type { ShownTicketRow, TicketRow } from "./ticket-row.ts";
import { toShownTicketDto, toTicketDto } from "./ticket-row.ts";
import { toSearchHit } from "./ticket-search.ts";
import { transferText } from "./transfer-text.ts";
import { isUnsendable } from "./unsendable.ts";
import { canSee, requireVisible } from "./visibility.ts";
import { saveTicket } from "./write-repository.ts";

/** Sends a text to the ticket's customer as the product itself, and stores it. */
export type TellCustomer = (ctx: UserCtx, tx: Tx, ticket: TicketRow, text: string) => Promise<void>;

/**
 * Tells the customer of a locked ticket, which an agent is about to resolve, what there is to tell (behaviour 2.8, 2.9).
 * Answers whether he has been asked for a rating.
 */
export type SayGoodbye = (
  ctx: UserCtx,
  tx: Tx,
  ticket: TicketRow,
) => Promise<{ awaitsRating: boolean }>;

export type TicketServiceDeps = {
  db: Database;
  clock: Clock;
  events: TicketEvents;
  tellCustomer: TellCustomer;
  sayGoodbye: SayGoodbye;
};

const uuidForm = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

export function createTicketService(deps: TicketServiceDeps) {
  const { db, clock, events, tellCustomer, sayGoodbye } = deps;

  async function list(ctx: UserCtx, query: TicketListQuery): Promise<ReplyOf<"GET /tickets">> {
    const { rows, hasMore, total } = await db.transaction(ctx, (tx) => listTickets(ctx, tx, query));
    const offset = (query.pageNumber - 1) * pageSizes.tickets;
    return {
      tickets: rows.map((row) => ({ ...toTicketDto(row), hit: toSearchHit(row) })),
      ...pageTotals(total, { offset, rows: rows.length, hasMore }),
    };
  }

  async function counts(
    ctx: UserCtx,
    query: CountsQuery,
  ): Promise<{ open: number; pending: number }> {
    return db.transaction(ctx, (tx) => countTickets(ctx, tx, query));
  }

  async function show(ctx: UserCtx, id: TicketId): Promise<Ticket> {
    const row = await db.transaction(ctx, (tx) => findTicket(ctx, tx, id));
    return toShownTicketDto(requireVisible(ctx, row));
  }

  async function showByUuid(ctx: UserCtx, uuid: string): Promise<Ticket> {
    if (!uuidForm.test(uuid)) throw new DomainError("ERR_NO_TICKET_FOUND");
    const row = await db.transaction(ctx, (tx) => findTicketByUuid(ctx, tx, uuid));
    return toShownTicketDto(requireVisible(ctx, row));
  }

  /** Accepts, returns, resolves, reopens, transfers (wire-contract 6.1). Of several who accept at once one succeeds. */
  async function update(ctx: UserCtx, id: TicketId, change: TicketChange): Promise<Ticket> {
    return db.transaction(ctx, async (tx) => {
      const before = await lockTicket(ctx, tx, id);
      if (!before) throw new DomainError("ERR_NO_TICKET_FOUND");
      refuseIfOutrun(ctx, before, change);
      requireVisible(ctx, before);
      await requireReferences(ctx, tx, {
        userId: change.userId ?? null,
        queueId: change.queueId ?? null,
        connectionId: change.whatsappId ?? null,
      });

      const outcome = changeTicket(before, change, changerOf(ctx), lastQueueOf(before));
      if (outcome.result === "taken") throw otherOpenTicket(before);
      if (outcome.result === "unchanged") return toShownTicketDto(before);
      if (isResolved(before, outcome.transition)) {
        return toShownTicketDto(await resolve(ctx, tx, before, outcome.transition));
      }
      const after = await move(ctx, tx, before, outcome.transition);
      await tellTransfer(ctx, tx, before, after);
      return toShownTicketDto(after);
    });
  }

  /** The goodbye is the last thing said while the ticket is still served: its readers are those of the conversation. */
  async function resolve(
    ctx: UserCtx,
    tx: Tx,
    before: TicketRow,
    transition: Transition,
  ): Promise<ShownTicketRow> {
    const { awaitsRating } = await sayGoodbye(ctx, tx, before);
    return save(ctx, tx, before, awaitsRating ? awaitRating(transition) : transition);
  }

  /** The customer hears of a transfer, where the company wants that (behaviour 2.7). */
  async function tellTransfer(
    ctx: UserCtx,
    tx: Tx,
    before: TicketRow,
    after: TicketRow,
  ): Promise<void> {
    const text = after.isGroup ? null : transferText(before, after);
    if (text === null) return;
    if ((await readSetting(tx, ctx, "sendMsgTransfTicket")) !== "enabled") return;
    try {
      await tellCustomer(ctx, tx, after, text);
    } catch (error) {
      // The ticket has nobody or nothing to send by, which is found out before anything is written: it moves all the same.
      if (!isUnsendable(error)) throw error;
    }
  }

  async function save(
    ctx: UserCtx,
    tx: Tx,
    before: TicketRow,
    transition: Transition,
  ): Promise<ShownTicketRow> {
    const { userId } = ctx.actor;
    const isAgent = before.userId === userId || transition.state.userId === userId;
    const saved = {
      ...{ id: before.id, transition, now: clock.now() },
      ...{ clearUnread: isAgent, isPersonsAct: true },
    };
    const after = await saveTicket(ctx, tx, saved);
    events.changed(tx, before, after);
    return after;
  }

  /**
   * Saves a transition that may lead to another connection. Where the contact has a closed ticket there, that one is
   * reopened with the new user and queue and this one is closed (behaviour F69).
   */
  async function move(
    ctx: UserCtx,
    tx: Tx,
    before: TicketRow,
    transition: Transition,
  ): Promise<ShownTicketRow> {
    const { connectionId, status } = transition.state;
    if (connectionId === null || connectionId === before.connectionId) {
      return save(ctx, tx, before, transition);
    }
    const there = await lockTicketOnConnection(ctx, tx, before.contactId, connectionId);
    if (!there) return save(ctx, tx, before, transition);
    if (there.status !== "closed") throw otherOpenTicket(there);
    if (status === "closed") return there;

    const closed = changeTicket(before, { status: "closed" }, changerOf(ctx), null);
    if (closed.result === "changed") await save(ctx, tx, before, closed.transition);
    return save(ctx, tx, there, continueOn(there, transition.state));
  }

  /** For sockets: whether the user may see the ticket now. */
  async function canSeeTicket(ctx: UserCtx, id: TicketId): Promise<boolean> {
    const sight = await db.transaction(ctx, (tx) => findSight(ctx, tx, id));
    return sight !== undefined && canSee(ctx, sight);
  }

  return { list, counts, show, showByUuid, update, canSeeTicket };
}

export type TicketService = ReturnType<typeof createTicketService>;

function isResolved(before: TicketRow, { state }: Transition): boolean {
  return before.status !== "closed" && state.status === "closed";
}

/**
 * Who accepts a ticket that somebody took a moment before is told who has it, though he may not see it any more: he
 * could see it while it waited.
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
  const { user, queue } = toTicketDto(ticket);
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

/** A resolved ticket has lost its queue; its newest attendance knows it. */
function lastQueueOf(ticket: TicketRow): QueueId | null {
  return ticket.queueId ?? ticket.servedByQueueId;
}
