import type {
  CompanyEvents,
  CompanyId,
  QueueId,
  Ticket,
  TicketId,
  TicketStatus,
  UserId,
} from "@balcao/contract";
import type { Ctx, UserActor } from "../../platform/context.ts";
import { DomainError, hasPermission } from "../../platform/context.ts";
import type { DomainEvents, EventPayloads } from "../../platform/events.ts";
import type { Realtime, RealtimeRights, Room } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";

/** The fields of a ticket that decide who may see it. */
export type TicketVisibility = {
  status: TicketStatus;
  userId: UserId | null;
  queueId: QueueId | null;
  /** The last user and queue of a closed ticket: resolving clears `userId` and `queueId`. */
  servedByUserId: UserId | null;
  servedByQueueId: QueueId | null;
};

/** Select list of `TicketVisibility` for a row `t` of tickets. */
export const visibilityColumns = `
  t.status, t.user_id as "userId", t.queue_id as "queueId",
  t.served_user_id as "servedByUserId", t.served_queue_id as "servedByQueueId"`;

/** The non-admins who may see a ticket: one user, and the agents of a queue (`id` null: those who see "no queue"). */
type Readers = { userId: UserId | null; queue: { id: QueueId | null } | null };

/** The rule who sees a ticket (wire-contract 4.4, architecture D6); `visibleCondition` is the same in SQL. */
function readersOf(ticket: TicketVisibility): Readers {
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
export function canSee(ctx: Ctx, ticket: TicketVisibility): boolean {
  return isSeenBy(viewerOf(ctx), ticket);
}

/** `canSee` for any user. */
export function isSeenBy(viewer: Viewer | "everything", ticket: TicketVisibility): boolean {
  if (viewer === "everything") return true;
  const { userId, queue } = readersOf(ticket);
  if (userId === viewer.userId) return true;
  if (queue === null) return false;
  return queue.id === null ? viewer.seesNoQueue : viewer.queueIds.includes(queue.id);
}

/** Returns the ticket; throws when it does not exist (404) or the actor may not see it (403). */
export function requireVisible<T extends TicketVisibility>(ctx: Ctx, row: T | undefined): T {
  if (!row) throw new DomainError("ERR_NO_TICKET_FOUND");
  if (!canSee(ctx, row)) throw new DomainError("ERR_TICKET_FORBIDDEN");
  return row;
}

/** The actor's fields that the rule needs; admins and the product itself see everything. */
export function viewerOf(ctx: Ctx): Viewer | "everything" {
  const { actor } = ctx;
  if (actor.kind === "system" || hasPermission(ctx, "tickets:see-all")) return "everything";
  const { userId, queueIds, ownerlessQueueIds, seesNoQueue } = actor;
  return { userId, queueIds, ownerlessQueueIds, seesNoQueue };
}

export type Viewer = Pick<UserActor, "userId" | "queueIds" | "ownerlessQueueIds" | "seesNoQueue">;

/** The queues whose messages a viewer may read in every visible ticket. */
export const readQueuesOf = ({ queueIds, ownerlessQueueIds }: Viewer): QueueId[] => [
  ...queueIds,
  ...ownerlessQueueIds,
];

/** A user's right to read messages and notes: without queue, of these queues, and of the queue of an own ticket; null reads all. */
export type Reader = { userId: UserId; queueIds: readonly QueueId[] } | null;

export function readerOf(ctx: Ctx): Reader {
  const viewer = viewerOf(ctx);
  if (viewer === "everything") return null;
  return { userId: viewer.userId, queueIds: readQueuesOf(viewer) };
}

/** The fields of a ticket that decide who may read its messages and notes. */
export type ReadTicket = Pick<TicketVisibility, "userId" | "queueId">;

/**
 * Whether a reader who sees the ticket may read its message or note of a queue (wire-contract 5.8): without queue, of one of
 * the reader's queues, or of the present queue of the reader's own ticket. `readableCondition` is the same in SQL.
 */
export function canRead(reader: Reader, ticket: ReadTicket, queueId: QueueId | null): boolean {
  if (reader === null || queueId === null) return true;
  if (reader.queueIds.includes(queueId)) return true;
  return ticket.userId === reader.userId && ticket.queueId === queueId;
}

/** `canRead` as SQL for a row `m` of messages or notes; the other expressions are two of its ticket and two of the reader. */
export function readableCondition(
  m: string,
  given: { ticketUser: string; ticketQueue: string; queues: string; user: string },
): string {
  const { ticketUser, ticketQueue, queues, user } = given;
  return `(${m}.queue_id is null or ${m}.queue_id = any(${queues})
    or (${ticketUser} = ${user} and ${ticketQueue} = ${m}.queue_id))`;
}

/** Adds a value to the statement and returns its placeholder (`$4`). */
export type Placeholder = (value: unknown) => string;

/**
 * `canSee` as SQL for a ticket `t` of one status: lists ask for one or a few, and a condition without OR over statuses can
 * use the indexes.
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

/** `canSee` as SQL for a ticket `t` of any status: for the few tickets of one contact. */
export function visibleToCaller(ctx: Ctx, placeholder: Placeholder): string {
  const viewer = viewerOf(ctx);
  if (viewer === "everything") return "true";
  const visible = (["pending", "open", "closed"] as const).map(
    (status) => `(${visibleCondition(viewer, status, placeholder)})`,
  );
  return `(${visible.join(" or ")})`;
}

/** The fields of a ticket that its rooms depend on. */
export type TicketInRooms = TicketVisibility & { id: TicketId; companyId: CompanyId };

/**
 * The rooms that get a ticket's content (wire-contract 7.4, "ticket rooms"): sockets that have it open, admins, and others
 * who may read it. A queue's agents get no events of a ticket that one of them serves.
 */
export function ticketRooms(ticket: TicketInRooms): Room[] {
  return [rooms.ticket(ticket.companyId, ticket.id), ...listRooms(ticket)];
}

/** `ticketRooms` without the ticket's own room. */
function listRooms(ticket: TicketInRooms): Room[] {
  const { companyId, status } = ticket;
  const { userId, queue } = readersOf(ticket);
  const told = [rooms.status(companyId, status), rooms.notification(companyId)];
  if (userId !== null) told.push(rooms.user(companyId, userId));
  if (queue === null) return told;
  if (status === "pending") told.push(rooms.queuePending(companyId, queue.id));
  told.push(rooms.queueNotification(companyId, queue.id));
  return told;
}

/**
 * The rooms of users who may read messages of this queue (`canRead`); null when all who see the ticket may. Everybody who
 * sees a waiting or open ticket may read its present queue. A closed ticket is also seen by the agent who served it, who may
 * lack that queue.
 */
export function readerRooms(ticket: TicketInRooms, queueId: QueueId | null): Room[] | null {
  const isPresent = ticket.status !== "closed" && ticket.queueId === queueId;
  if (queueId === null || isPresent) return null;
  const { companyId } = ticket;
  return [rooms.holders(companyId, "tickets:see-all"), rooms.queueReaders(companyId, queueId)];
}

/** The rooms of one change, in the order of the events. */
export type ChangeAudience = {
  /** Lists that lose the ticket; they get its id only. Empty when none does. */
  lose: Room[];
  /** Lists that show it now. */
  told: Room[];
  /** Sockets that have it open, without `told` and without those that may have lost it. */
  viewers: { to: Room; except: Room[] };
};

/**
 * The old and the new audience of a change (wire-contract 7.5). A client closes its view of a ticket on `delete`, so `lose`
 * never contains the ticket's own room, nor that of the user who has the ticket now.
 */
export function changeAudience(before: TicketInRooms, after: TicketInRooms): ChangeAudience {
  const { companyId } = before;
  const told = listRooms(after);
  const isOtherList = before.status !== after.status || before.userId !== after.userId;
  const isOtherQueue = lastQueue(before) !== lastQueue(after);
  const losers = isOtherList || isOtherQueue ? queueRooms(companyId, lastQueue(before)) : [];
  const userId = lastUser(before);
  if (isOtherList && userId !== null && userId !== after.userId) {
    losers.push(rooms.user(companyId, userId));
  }
  return {
    lose: isOtherList ? [rooms.status(companyId, before.status), ...losers] : losers,
    told,
    // Admins see it even when a list loses it.
    viewers: { to: rooms.ticket(companyId, after.id), except: [...new Set([...told, ...losers])] },
  };
}

/** The rooms of all who may still show a deleted ticket. */
export function roomsOfRemoved(ticket: TicketInRooms): Room[] {
  return [...new Set([...ticketRooms(ticket), ...queueRooms(ticket.companyId, lastQueue(ticket))])];
}

function queueRooms(companyId: CompanyId, queueId: QueueId | null): Room[] {
  return [rooms.queuePending(companyId, queueId), rooms.queueNotification(companyId, queueId)];
}

/** A closed ticket is in the lists of its last queue and user. */
function lastQueue(ticket: TicketVisibility): QueueId | null {
  return ticket.status === "closed" ? ticket.servedByQueueId : ticket.queueId;
}

function lastUser(ticket: TicketVisibility): UserId | null {
  return ticket.status === "closed" ? ticket.servedByUserId : ticket.userId;
}

type Audience = {
  to: readonly Room[];
  except?: readonly Room[];
  within?: readonly (readonly Room[])[];
};

/** A ticket as its events carry it. */
type ToldTicket = EventPayloads["ticket.updated"]["ticket"];

type LiveDeps = {
  realtime: Realtime & Pick<RealtimeRights, "refreshTicket">;
  dto: { whole(row: ToldTicket): Ticket };
};

/**
 * Publishes a live event that contains a ticket: with its last message to the sockets that may read it, without it to the
 * others in the rooms. Each socket gets one of the two.
 */
export function publishWithTicket<S extends "ticket" | "appMessage">(
  { realtime, dto }: LiveDeps,
  row: ToldTicket,
  { subject, payloadOf }: { subject: S; payloadOf: (ticket: Ticket) => CompanyEvents[S] },
  { to, except = [], within = [] }: Audience,
): void {
  const { companyId } = row;
  const ticket = dto.whole(row);
  const readers = readerRooms(row, row.lastMessageQueueId);
  if (readers === null) {
    realtime.publish(companyId, subject, payloadOf(ticket), to, except, within);
    return;
  }
  realtime.publish(companyId, subject, payloadOf(ticket), to, except, [...within, readers]);
  const blank = payloadOf(withoutLastMessage(ticket));
  realtime.publish(companyId, subject, blank, to, [...except, ...readers], within);
}

/** The time, the side and the ack of the last message are known to all who see the ticket. */
export function withoutLastMessage(ticket: Ticket): Ticket {
  return { ...ticket, lastMessage: "", lastMessageKind: "text" };
}

/** Publishes changes of tickets after the commit, to the sockets that may know them. */
export function subscribeLiveTickets(deps: LiveDeps & { domainEvents: DomainEvents }): void {
  const { domainEvents, realtime } = deps;
  const tell = (row: ToldTicket, audience: Audience): void => {
    const payloadOf = (ticket: Ticket) => ({ action: "update", ticket }) as const;
    publishWithTicket(deps, row, { subject: "ticket", payloadOf }, audience);
  };

  domainEvents.on("message.stored", async (ctx, tx, { ticket, arrival }) => {
    if (!arrival) return;
    const { before } = arrival;
    if (!before) await domainEvents.publish(tx, ctx, "ticket.updated", { ticket });
    else if (before.status !== ticket.status) {
      await domainEvents.publish(tx, ctx, "ticket.changed", { before, after: ticket });
    }
  });
  domainEvents.afterCommit("ticket.updated", (_ctx, { ticket }) =>
    tell(ticket, { to: ticketRooms(ticket) }),
  );
  // `delete` for the lists that lose it, then `update` for those that have it now.
  domainEvents.afterCommit("ticket.changed", ({ companyId }, { before, after }) => {
    const { lose, told, viewers } = changeAudience(before, after);
    if (lose.length > 0) {
      // Sockets that may no longer see it leave the ticket's own room. Other clients close the view of a ticket on `delete`: those
      // that stay in the room have it open, and get none (wire-contract 7.5, ADR 24).
      realtime.refreshTicket(companyId, after.id, told);
      const gone = { action: "delete", ticketId: after.id } as const;
      const others = rooms.otherClients(companyId);
      realtime.publish(companyId, "ticket", gone, lose, [others]);
      realtime.publish(companyId, "ticket", gone, lose, [viewers.to], [[others]]);
    }
    tell(after, { to: told });
    tell(after, { to: [viewers.to], except: viewers.except });
  });
  domainEvents.afterCommit("ticket.removed", ({ companyId }, { ticket }) => {
    const gone = { action: "delete", ticketId: ticket.id } as const;
    realtime.publish(companyId, "ticket", gone, roomsOfRemoved(ticket));
  });
  // Only its id, to everybody (wire-contract 7.4).
  domainEvents.afterCommit("ticket.read", ({ companyId }, { ticketId }) => {
    const update = { action: "updateUnread", ticketId } as const;
    realtime.publish(companyId, "ticket", update, [rooms.main(companyId)]);
  });
}
