import type {
  AddressedEvent,
  CompanyEvents,
  CompanyEventSubject,
  CompanyId,
  TicketId,
  TicketStatus,
  UserId,
} from "@balcao/contract";
import { isAllowed, ticketId, ticketStatuses } from "@balcao/contract";
import { z } from "zod";
import type { UserCtx } from "../context.ts";

/** A room's name. Only `rooms` creates those of a company, so each carries the company's id. */
export type Room = string & { readonly brand: "Room" };

/** Every room of the product (wire-contract 7.3, with the company in each name). */
export const rooms = {
  /** Every socket of the company. */
  main: (companyId: CompanyId) => `c${companyId}:main` as Room,
  /** Admins of the company: QR texts and other secrets. */
  admins: (companyId: CompanyId) => `c${companyId}:admins` as Room,
  user: (companyId: CompanyId, userId: UserId | number) => `c${companyId}:user:${userId}` as Room,
  ticket: (companyId: CompanyId, ticketId: number) => `c${companyId}:ticket:${ticketId}` as Room,
  /** Agents of a queue, who read what was said in it; only beside rooms of those who see a ticket. */
  queueReaders: (companyId: CompanyId, queueId: number) =>
    `c${companyId}:queue:${queueId}:readers` as Room,
  /** Admins watching a list. */
  status: (companyId: CompanyId, status: string) => `c${companyId}:status:${status}` as Room,
  /** Agents of a queue watching pending tickets; `null` is "no queue". */
  queuePending: (companyId: CompanyId, queueId: number | null) =>
    `c${companyId}:queue:${queueId ?? "none"}:pending` as Room,
  notification: (companyId: CompanyId) => `c${companyId}:notification` as Room,
  queueNotification: (companyId: CompanyId, queueId: number | null) =>
    `c${companyId}:queue:${queueId ?? "none"}:notification` as Room,
};

/** Rooms across companies. No company's event may go there, so they are not in `rooms`. */
const installationRooms = {
  everybody: "installation" as Room,
  supers: "installation:supers" as Room,
};

/** The destination of an addressed event. */
export type Destination =
  | { to: "installation"; audience: "everybody" | "supers" | "all but supers" }
  | { to: "user"; companyId: CompanyId; userId: UserId }
  | { to: "chat"; companyId: CompanyId; chatId: number; memberIds: readonly UserId[] }
  /** Everybody in the company reads lists. */
  | { to: "list"; companyId: CompanyId; listId: number };

/** Sends events that are named after their destination, only to the sockets there. */
export type AddressedRealtime = {
  send<E extends AddressedEvent>(
    event: E,
    destination: Extract<Destination, { to: E["to"] }>,
    payload: z.output<E["payload"]>,
  ): void;
};

/** The rooms of a destination. */
export function roomsAt(destination: Destination): { to: Room[]; except: Room[] } {
  const { everybody, supers } = installationRooms;
  switch (destination.to) {
    case "installation":
      return {
        to: [destination.audience === "supers" ? supers : everybody],
        except: destination.audience === "all but supers" ? [supers] : [],
      };
    case "user":
      return { to: [rooms.user(destination.companyId, destination.userId)], except: [] };
    case "chat": {
      const { companyId, memberIds } = destination;
      return { to: memberIds.map((userId) => rooms.user(companyId, userId)), except: [] };
    }
    case "list":
      return { to: [rooms.main(destination.companyId)], except: [] };
  }
}

/**
 * Sends the company's live events. A socket in several of the rooms gets an event once. It must also be in at least one
 * room of each list in `within`.
 */
export type Realtime = {
  publish<S extends CompanyEventSubject>(
    companyId: CompanyId,
    subject: S,
    payload: CompanyEvents[S],
    to: readonly Room[],
    except?: readonly Room[],
    within?: readonly (readonly Room[])[],
  ): void;
};

/** Adapts the rooms of sockets to the changed rights of their users, in every process of the installation. */
export type RealtimeRights = {
  /** A user's profile, queues, company or activity changed: reads the rights again and updates the rooms of the sockets. */
  refreshUser(companyId: CompanyId, userId: UserId): void;
  /**
   * A ticket's assignee, queue or status changed: checks the sockets that have it open. Sockets in none of the rooms `told`
   * have left the ticket's room when this returns; those whose users may still see it join again.
   */
  refreshTicket(companyId: CompanyId, ticketId: TicketId, told: readonly Room[]): void;
  /** Ends a user's sockets; with `olderThan` only those of sessions before that token version. */
  disconnectUser(companyId: CompanyId, userId: UserId, limit?: DisconnectLimit | null): void;
};

export type DisconnectLimit = { olderThan: number; afterMs: number };

/** Listens to the sockets of this process. Its errors are logged. */
export type PresenceListener = {
  connected(ctx: UserCtx): Promise<void>;
  /** The client's sign of life (wire-contract 3.6). */
  seen(ctx: UserCtx): Promise<void>;
  /** The user's last socket in this process disconnected; another process may still have one. */
  left(ctx: UserCtx): Promise<void>;
};

export type Presence = {
  onPresence(listener: PresenceListener): void;
  /** Whether any process has a socket of the user. */
  isConnected(companyId: CompanyId, userId: UserId): Promise<boolean>;
};

/** The subscriptions of clients (wire-contract 7.2). */
export type Interest =
  | { kind: "ticket"; ticketId: TicketId }
  | { kind: "list"; status: TicketStatus }
  | { kind: "notification" };

const statusArgument = z.enum(ticketStatuses);

/** The ticket of `joinChatBox`; null for an invalid id, such as the text `undefined` that some clients send. */
export function ticketInterest(argument: unknown): Interest | null {
  const parsed = ticketId.safeParse(argument);
  return parsed.success ? { kind: "ticket", ticketId: parsed.data } : null;
}

/** The list of `joinTickets`; null for an unknown status. */
export function listInterest(argument: unknown): Interest | null {
  const parsed = statusArgument.safeParse(argument);
  return parsed.success ? { kind: "list", status: parsed.data } : null;
}

/** Equal interests have equal keys. */
function keyOf(interest: Interest): string {
  if (interest.kind === "ticket") return `ticket:${interest.ticketId}`;
  return interest.kind === "list" ? `list:${interest.status}` : "notification";
}

/** The rooms that a socket joins without a subscription. */
export function ownRooms({ companyId, actor }: UserCtx): Room[] {
  const own = [
    rooms.main(companyId),
    rooms.user(companyId, actor.userId),
    installationRooms.everybody,
  ];
  if (actor.super) own.push(installationRooms.supers);
  // Everybody who sees a ticket may read the messages of a deleted queue without successor.
  for (const queueId of [...actor.queueIds, ...actor.ownerlessQueueIds]) {
    own.push(rooms.queueReaders(companyId, queueId));
  }
  if (isAllowed(actor, "connections:manage")) own.push(rooms.admins(companyId));
  return own;
}

/**
 * The rooms of a subscription to lists, by the user's rights (wire-contract 7.2): users who see all tickets get the
 * company's lists, others the pending tickets of their queues. A ticket's own room depends on the ticket.
 */
export function listRooms(
  { companyId, actor }: UserCtx,
  interest: Exclude<Interest, { kind: "ticket" }>,
): Room[] {
  const queues = actor.seesNoQueue ? [...actor.queueIds, null] : actor.queueIds;
  const seesAll = isAllowed(actor, "tickets:see-all");
  if (interest.kind === "notification") {
    if (seesAll) return [rooms.notification(companyId)];
    return queues.map((queueId) => rooms.queueNotification(companyId, queueId));
  }
  if (seesAll) return [rooms.status(companyId, interest.status)];
  if (interest.status !== "pending") return [];
  return queues.map((queueId) => rooms.queuePending(companyId, queueId));
}

/**
 * The subscriptions of one socket, counted: several parts of a page join and leave the same one independently; it ends
 * when the last has left (wire-contract 7.2 TRAP).
 */
export function createInterests() {
  const counted = new Map<string, { interest: Interest; count: number }>();
  return {
    add(interest: Interest): void {
      const entry = counted.get(keyOf(interest));
      if (entry) entry.count += 1;
      else counted.set(keyOf(interest), { interest, count: 1 });
    },
    /** Leaving more often than joining has no effect. */
    remove(interest: Interest): void {
      const entry = counted.get(keyOf(interest));
      if (!entry) return;
      entry.count -= 1;
      if (entry.count === 0) counted.delete(keyOf(interest));
    },
    has: (interest: Interest) => counted.has(keyOf(interest)),
    all: (): Interest[] => [...counted.values()].map((entry) => entry.interest),
  };
}
