import type {
  AddressedEvent,
  CompanyEvents,
  CompanyEventSubject,
  CompanyId,
  Permission,
  SessionId,
  TicketId,
  TicketStatus,
  SupportVisitId,
  UserId,
} from "@balcao/contract";
import { isAllowed, ticketId, ticketStatuses } from "@balcao/contract";
import type { Namespace } from "socket.io";
import { z } from "zod";
import type { Authenticator, UserCtx } from "../context.ts";
import type { Logger } from "../logging/logger.ts";
import type { IdSource } from "../sources.ts";

/** A room's name. Only `rooms` creates those of a company, so each carries the company's id. */
export type Room = string & { readonly brand: "Room" };

/** The permissions that decide who gets an event. */
const livePermissions = [
  ...(["tickets:see-all", "connections:manage", "users:manage", "users:read-emails"] as const),
  ...(["schedules:manage-all", "contact-lists:manage", "integrations:manage"] as const),
  ...(["dashboard:view", "simulator:use"] as const),
] as const satisfies readonly Permission[];
type LivePermission = (typeof livePermissions)[number];

/** Every room of the product (wire-contract 7.3, with the company in each name). */
export const rooms = {
  /** Every socket of the company. */
  main: (companyId: CompanyId) => `c${companyId}:main` as Room,
  /** Users who hold a permission, by profile or role: for events that others must not get. */
  holders: (companyId: CompanyId, permission: LivePermission) =>
    `c${companyId}:may:${permission}` as Room,
  /** Sockets of other clients of the product family, beside rooms that say what they may know (ADR 24). */
  otherClients: (companyId: CompanyId) => `c${companyId}:other-clients` as Room,
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
  /** Ends a user's sockets; with `olderThan` only those of sessions before that token version. Visitors' sockets stay. */
  disconnectUser(companyId: CompanyId, userId: UserId, limit?: DisconnectLimit | null): void;
  /** Ends the sockets of one session of a user. */
  disconnectSession(companyId: CompanyId, sessionId: SessionId): void;
  /** Ends the sockets of a visit. */
  disconnectVisit(companyId: CompanyId, visitId: SupportVisitId): void;
};

export type DisconnectLimit = { olderThan: number; afterMs: number };

/** Listens to the sockets of this process. Its errors are logged. */
export type PresenceListener = {
  connected(ctx: UserCtx): Promise<void>;
  /** The client's heartbeat (wire-contract 3.6). */
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
  for (const permission of livePermissions) {
    if (isAllowed(actor, permission)) own.push(rooms.holders(companyId, permission));
  }
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

/** Messages between processes. */
export type FanOutMessages = {
  /** One event under each of its names. */
  publish: (
    events: readonly string[],
    payload: unknown,
    to: readonly Room[],
    except: readonly Room[],
    within: readonly (readonly Room[])[],
  ) => void;
  refreshUser: (companyId: CompanyId, userId: UserId) => void;
  refreshTicket: (companyId: CompanyId, ticketId: TicketId, told: readonly Room[]) => void;
  disconnectUser: (companyId: CompanyId, userId: UserId, limit: DisconnectLimit | null) => void;
  disconnectSession: (companyId: CompanyId, sessionId: SessionId) => void;
  disconnectVisit: (companyId: CompanyId, visitId: SupportVisitId) => void;
  /** Events were lost: clients must fetch again. */
  gap: () => void;
  isConnected: (
    companyId: CompanyId,
    userId: UserId,
    answer: (isConnected: boolean) => void,
  ) => void;
};

/** One connected client: its user, its subscriptions, and its rooms, which follow from both. */
export type SocketSession = {
  companyId: CompanyId;
  userId: UserId;
  tokenVersion: number;
  sessionId: SessionId | null;
  /** The visit of somebody of the provider, who is not the user. */
  visitId: SupportVisitId | null;
  current(): UserCtx;
  /** Joins the rooms that need no subscription. */
  enter(): Promise<void> | void;
  /** The user's rights changed. */
  adopt(changed: UserCtx): void;
  /** A ticket's assignee, queue or status changed; a user who sees every ticket keeps it. */
  reviewTicket(ticketId: TicketId, told: readonly Room[]): void;
  /** Disconnected: tells the other viewers of its open tickets. */
  left(): void;
  /** Permanently: the client must sign in again. */
  end(): void;
  /** Closes the transport only: the client reconnects by itself and fetches the events it missed. */
  dropTransport(): void;
};

type LocalSocketsDeps = {
  namespaces: readonly Namespace[];
  authenticator: Authenticator;
  ids: IdSource;
  log: Logger;
};

/** The sockets of this process, with the commands of this and other processes. */
export type LocalSockets = FanOutMessages & {
  add(session: SocketSession): void;
  /** The company's subscription changed, or it was disabled: reads the rights of all its sockets again. */
  refreshCompany(companyId: CompanyId): void;
  remove(session: SocketSession): void;
  has(companyId: CompanyId, userId: UserId): boolean;
  count(): number;
  /** Cancels delayed disconnections. */
  close(): void;
};

/** From the check of a socket's rights to its first event takes less. */
const ADMISSION_MS = 10_000;

export function createLocalSockets(deps: LocalSocketsDeps): LocalSockets {
  const { namespaces, authenticator, ids, log } = deps;
  const sessions = new Set<SocketSession>();
  const timers = new Set<ReturnType<typeof setTimeout>>();
  /** Sessions that ended a moment ago: a socket of one may have been admitted just before. */
  const endedSessions = new Set<SessionId>();

  const sessionsOf = (companyId: CompanyId, userId: UserId): SocketSession[] =>
    [...sessions].filter((session) => session.companyId === companyId && session.userId === userId);
  const ownSessionsOf = (companyId: CompanyId, userId: UserId): SocketSession[] =>
    sessionsOf(companyId, userId).filter(({ visitId }) => visitId === null);

  const later = (delayMs: number, action: () => void): void => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      action();
    }, delayMs);
    timers.add(timer);
  };

  async function refresh(companyId: CompanyId, userId: UserId): Promise<void> {
    const ctx = await authenticator.reload(companyId, userId, ids.uuid());
    for (const session of sessionsOf(companyId, userId)) {
      if (ctx) session.adopt(ctx);
      else session.end();
    }
  }

  function refreshUser(companyId: CompanyId, userId: UserId): void {
    if (sessionsOf(companyId, userId).length === 0) return;
    refresh(companyId, userId).catch((error: unknown) => {
      // Without known rights a socket may not stay; its client reconnects until the rights can be read.
      log.error({ err: error, companyId }, "a user's rights could not be read again");
      for (const session of sessionsOf(companyId, userId)) session.dropTransport();
    });
  }

  return {
    add(session) {
      sessions.add(session);
      if (session.sessionId !== null && endedSessions.has(session.sessionId)) session.end();
    },
    remove: (session) => sessions.delete(session),
    has: (companyId, userId) => ownSessionsOf(companyId, userId).length > 0,
    count: () => sessions.size,

    publish(events, payload, to, except, within) {
      for (const namespace of namespaces) {
        const audienceRooms =
          within.length === 0 ? [...to] : socketsInAll(namespace, [to, ...within]);
        // Without sockets, encoding the payload is a waste; without rooms, the library would send to everybody.
        if (namespace.sockets.size === 0 || audienceRooms.length === 0) continue;
        const audience = namespace.to(audienceRooms).except([...except]);
        for (const event of events) audience.emit(event, payload);
      }
    },

    refreshUser,

    refreshCompany(companyId) {
      const own = [...sessions].filter((session) => session.companyId === companyId);
      for (const userId of new Set(own.map((session) => session.userId))) {
        refreshUser(companyId, userId);
      }
    },

    refreshTicket(companyId, ticketId, told) {
      for (const session of sessions) {
        if (session.companyId === companyId) session.reviewTicket(ticketId, told);
      }
    },

    disconnectUser(companyId, userId, limit) {
      const end = (): void => {
        for (const session of ownSessionsOf(companyId, userId)) {
          if (!limit || session.tokenVersion < limit.olderThan) session.end();
        }
      };
      if (limit) later(limit.afterMs, end);
      else end();
    },

    disconnectSession(companyId, sessionId) {
      endedSessions.add(sessionId);
      later(ADMISSION_MS, () => endedSessions.delete(sessionId));
      for (const session of sessions) {
        if (session.companyId === companyId && session.sessionId === sessionId) session.end();
      }
    },

    disconnectVisit(companyId, visitId) {
      for (const session of sessions) {
        if (session.companyId === companyId && session.visitId === visitId) session.end();
      }
    },

    gap() {
      log.warn({ sockets: sessions.size }, "live events were lost; clients fetch anew");
      for (const session of sessions) session.dropTransport();
    },

    isConnected(companyId, userId, answer) {
      answer(ownSessionsOf(companyId, userId).length > 0);
    },

    close() {
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
    },
  };
}

/** The ids of the sockets that are in at least one room of each list. A socket's id is also its own room. */
function socketsInAll({ adapter }: Namespace, lists: readonly (readonly Room[])[]): string[] {
  const [first = new Set<string>(), ...others] = lists.map(
    (list) => new Set(list.flatMap((room) => [...(adapter.rooms.get(room) ?? [])])),
  );
  return [...first].filter((id) => others.every((other) => other.has(id)));
}
