import type { QueueId, TicketStatus, UserId } from "@balcao/contract";
import type { Ctx, UserActor } from "../../platform/context.ts";
import { DomainError, hasPermission } from "../../platform/context.ts";

/** What of a ticket decides who may see it. */
export type TicketSight = {
  status: TicketStatus;
  userId: UserId | null;
  queueId: QueueId | null;
  /** Who served a closed ticket last: resolving clears user and queue. */
  servedByUserId: UserId | null;
  servedByQueueId: QueueId | null;
};

/** Select list of `TicketSight` for a row `t` of tickets. */
export const sightColumns = `
  t.status, t.user_id as "userId", t.queue_id as "queueId",
  t.served_user_id as "servedByUserId", t.served_queue_id as "servedByQueueId"`;

/** Who besides admins may see a ticket: one user, and the agents of a queue (`id` null: those who see "no queue"). */
export type Readers = { userId: UserId | null; queue: { id: QueueId | null } | null };

/** The one rule of who sees a ticket (wire-contract 4.4, architecture D6); `visibleCondition` is the same in SQL. */
export function readersOf(ticket: TicketSight): Readers {
  const { status, userId, queueId, servedByUserId, servedByQueueId } = ticket;
  switch (status) {
    case "pending":
      return { userId: null, queue: { id: queueId } };
    case "open":
      if (userId !== null) return { userId, queue: null };
      return { userId: null, queue: queueId === null ? null : { id: queueId } };
    case "closed":
      return {
        userId: servedByUserId,
        queue: servedByQueueId === null ? null : { id: servedByQueueId },
      };
  }
}

/** Whether the actor may see the ticket and act on it. */
export function canSee(ctx: Ctx, ticket: TicketSight): boolean {
  const viewer = viewerOf(ctx);
  if (viewer === "everything") return true;
  const { userId, queue } = readersOf(ticket);
  if (userId === viewer.userId) return true;
  if (queue === null) return false;
  return queue.id === null ? viewer.seesNoQueue : viewer.queueIds.includes(queue.id);
}

/** The ticket, unless it is not there (404) or not for this user's eyes (403). */
export function requireVisible<T extends TicketSight>(ctx: Ctx, row: T | undefined): T {
  if (!row) throw new DomainError("ERR_NO_TICKET_FOUND");
  if (!canSee(ctx, row)) throw new DomainError("ERR_TICKET_FORBIDDEN");
  return row;
}

/** The facts about the actor that the rule asks for; admins and the product itself see everything. */
export function viewerOf(ctx: Ctx): Viewer | "everything" {
  const { actor } = ctx;
  if (actor.kind === "system" || hasPermission(ctx, "tickets:see-all")) return "everything";
  const { userId, queueIds, ownerlessQueueIds, seesNoQueue } = actor;
  return { userId, queueIds, ownerlessQueueIds, seesNoQueue };
}

export type Viewer = Pick<UserActor, "userId" | "queueIds" | "ownerlessQueueIds" | "seesNoQueue">;

/** The queues whose messages a viewer reads in every ticket that he sees. */
export const readQueuesOf = ({ queueIds, ownerlessQueueIds }: Viewer): QueueId[] => [
  ...queueIds,
  ...ownerlessQueueIds,
];

/** Keeps a value for the statement and answers its placeholder (`$4`). */
export type Placeholder = (value: unknown) => string;

/**
 * `canSee` as SQL over a ticket `t`, for one status: lists ask for one or a few, and
 * a condition without OR over statuses can use the indexes.
 */
export function visibleCondition(
  viewer: Viewer,
  status: TicketStatus,
  placeholder: Placeholder,
): string {
  const queues = placeholder(viewer.queueIds);
  switch (status) {
    case "pending":
      return viewer.seesNoQueue
        ? `t.status = 'pending' and (t.queue_id = any(${queues}) or t.queue_id is null)`
        : `t.status = 'pending' and t.queue_id = any(${queues})`;
    case "open":
      return `t.status = 'open' and (t.user_id = ${placeholder(viewer.userId)}
        or (t.user_id is null and t.queue_id = any(${queues})))`;
    case "closed":
      return `t.status = 'closed' and (t.served_user_id = ${placeholder(viewer.userId)}
        or t.served_queue_id = any(${queues}))`;
  }
}
