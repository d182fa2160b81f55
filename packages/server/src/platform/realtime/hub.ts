import type {
  CompanyEventSubject,
  CompanyEvents,
  CompanyId,
  TicketId,
  UserId,
} from "@balcao/contract";
import type { UserCtx } from "../context.ts";

/** A room's name; only `rooms` makes them, so every one carries its company. */
export type Room = string & { readonly brand: "Room" };

/** Every room of the product (wire-contract 7.3, with the company in each name). */
export const rooms = {
  /** Every socket of the company. */
  main: (companyId: CompanyId) => `c${companyId}:main` as Room,
  /** Admins of the company: QR texts and other secrets. */
  admins: (companyId: CompanyId) => `c${companyId}:admins` as Room,
  user: (companyId: CompanyId, userId: UserId | number) => `c${companyId}:user:${userId}` as Room,
  ticket: (companyId: CompanyId, ticketId: number) => `c${companyId}:ticket:${ticketId}` as Room,
  /** Agents of a queue who have the ticket open, whatever queue it is in. */
  ticketForQueue: (companyId: CompanyId, ticketId: number, queueId: number) =>
    `c${companyId}:ticket:${ticketId}:queue:${queueId}` as Room,
  /** Admins watching a list. */
  status: (companyId: CompanyId, status: string) => `c${companyId}:status:${status}` as Room,
  /** Agents of a queue watching pending tickets; `null` is "no queue". */
  queuePending: (companyId: CompanyId, queueId: number | null) =>
    `c${companyId}:queue:${queueId ?? "none"}:pending` as Room,
  notification: (companyId: CompanyId) => `c${companyId}:notification` as Room,
  queueNotification: (companyId: CompanyId, queueId: number | null) =>
    `c${companyId}:queue:${queueId ?? "none"}:notification` as Room,
};

/** Sends the company's live events. A socket that is in several of the rooms gets an event once. */
export type Realtime = {
  publish<S extends CompanyEventSubject>(
    companyId: CompanyId,
    subject: S,
    payload: CompanyEvents[S],
    to: readonly Room[],
    except?: readonly Room[],
  ): void;
};

/** Keeps what sockets hear in step with what their users may know. Each works in every process of the installation. */
export type RealtimeRights = {
  /** A user's profile, queues, company or activity changed: reads him anew and moves his sockets to the right rooms. */
  refreshUser(companyId: CompanyId, userId: UserId): void;
  /**
   * A ticket's assignee, queue or status changed: those who have it open hear it only while they may see it. Who is in
   * none of the rooms `told` of it now has left its own room when this returns; whoever else may see it joins soon.
   */
  refreshTicket(companyId: CompanyId, ticketId: TicketId, told: readonly Room[]): void;
  /** Ends a user's sockets; with `olderThan` only those of sessions before that token version. */
  disconnectUser(companyId: CompanyId, userId: UserId, limit?: DisconnectLimit | null): void;
};

export type DisconnectLimit = { olderThan: number; afterMs: number };

/** Told of the sockets of this process. What they throw is logged. */
export type PresenceListener = {
  connected(ctx: UserCtx): Promise<void>;
  /** The client's sign of life (wire-contract 3.6). */
  seen(ctx: UserCtx): Promise<void>;
  /** The user's last socket in this process went; another process may still have one. */
  left(ctx: UserCtx): Promise<void>;
};

export type Presence = {
  onPresence(listener: PresenceListener): void;
  /** Whether any process has a socket of the user. */
  isConnected(companyId: CompanyId, userId: UserId): Promise<boolean>;
};
