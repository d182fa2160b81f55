import { setTimeout as delay } from "node:timers/promises";
import type { AgentState, ErrorCode, TicketId } from "@balcao/contract";
import { clientEvents, HEARTBEAT_EVENT, isAllowed, ticketViewing } from "@balcao/contract";
import type { Socket } from "socket.io";
import type { Authenticator, UserCtx } from "../context.ts";
import { DomainError } from "../context.ts";
import { isUnavailable } from "../db/database.ts";
import type { Logger } from "../logging/logger.ts";
import type { Clock, IdSource } from "../sources.ts";
import type { Interest, Room, SocketSession } from "./hub.ts";
import {
  createInterests,
  listInterest,
  listRooms,
  ownRooms,
  rooms,
  ticketInterest,
} from "./hub.ts";

export type SessionDeps = {
  log: Logger;
  clock: Clock;
  /** Whether the user may see the ticket now; the ticket feature decides. */
  canSeeTicket: (ctx: UserCtx, ticketId: TicketId) => Promise<boolean>;
  /** The client has sent its heartbeat. */
  onSeen: (ctx: UserCtx) => void;
  /** The client views or edits a ticket that it has open, or left it. */
  onViewing: (ctx: UserCtx, viewing: Viewing) => void;
  /** The company's subscription ends now, by the rights read last. */
  onExpiry: (ctx: UserCtx) => void;
};

/** The longest delay of a timer. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export function createSocketSession(
  socket: Socket,
  start: { ctx: UserCtx; tokenVersion: number; isOtherClient: boolean },
  deps: SessionDeps,
): SocketSession {
  let { ctx } = start;
  const interests = createInterests();
  const isLetThrough = createEventAllowance();
  let hasExceeded = false;
  const ownRoomsNow = (): Room[] => [
    ...ownRooms(ctx),
    ...(start.isOtherClient ? [rooms.otherClients(ctx.companyId)] : []),
  ];
  /** Joins and leaves of one socket take effect in the order of the requests, though some query the database. */
  let last: Promise<void> = Promise.resolve();

  let expiry: NodeJS.Timeout | undefined;
  function watchExpiry(): void {
    clearTimeout(expiry);
    const { worksUntil } = ctx.actor;
    if (!worksUntil) return;
    const leftMs = worksUntil.getTime() - deps.clock.now().getTime();
    const delayMs = Math.min(Math.max(leftMs, 0), LONGEST_TIMER_MS);
    const end = ctx.actor.isVisitor ? () => socket.disconnect(true) : () => deps.onExpiry(ctx);
    expiry = setTimeout(end, delayMs).unref();
  }
  watchExpiry();

  function inOrder(step: () => Promise<void> | void): void {
    last = last
      .then(step)
      .then(() => viewing.review())
      .catch((error: unknown) => {
        deps.log.error({ err: error, companyId: ctx.companyId }, "joining rooms failed");
      });
  }

  /** All rooms of a subscription, allowed or not. */
  function roomsOf(interest: Interest): Room[] {
    if (interest.kind !== "ticket") return listRooms(ctx, interest);
    return [roomOf(interest.ticketId)];
  }

  const roomOf = (ticketId: TicketId): Room => rooms.ticket(ctx.companyId, ticketId);
  const viewing = createViewing({
    isInRoom: (ticketId) => socket.rooms.has(roomOf(ticketId)),
    // Colleagues would read the name of the admin.
    relay: (told) => (ctx.actor.isVisitor ? undefined : deps.onViewing(ctx, told)),
  });

  async function allowedRooms(interest: Interest): Promise<Room[]> {
    if (interest.kind !== "ticket") return roomsOf(interest);
    return (await deps.canSeeTicket(ctx, interest.ticketId)) ? roomsOf(interest) : [];
  }

  async function join(interest: Interest): Promise<void> {
    interests.add(interest);
    const allowed = await allowedRooms(interest);
    if (socket.connected) await socket.join(allowed);
  }

  async function leave(interest: Interest): Promise<void> {
    interests.remove(interest);
    if (interests.has(interest)) return;
    for (const room of roomsOf(interest)) await socket.leave(room);
  }

  async function review(interest: Interest): Promise<void> {
    const allowed = new Set(await allowedRooms(interest));
    if (!socket.connected || !interests.has(interest)) return;
    for (const room of roomsOf(interest)) {
      if (allowed.has(room)) await socket.join(room);
      else await socket.leave(room);
    }
  }

  /** Updates the rooms to the present rights and subscriptions. */
  async function settle(): Promise<void> {
    const wanted = new Set<string>([socket.id, ...ownRoomsNow()]);
    for (const interest of interests.all()) {
      for (const room of await allowedRooms(interest)) wanted.add(room);
    }
    if (!socket.connected) return;
    for (const room of socket.rooms) if (!wanted.has(room)) await socket.leave(room);
    await socket.join([...wanted]);
  }

  function listen(event: string, read: (argument: unknown) => Interest | null, apply: typeof join) {
    socket.on(event, (argument: unknown) => {
      const interest = read(argument);
      if (interest) inOrder(() => apply(interest));
    });
  }

  socket.use((_packet, next) => {
    if (isLetThrough(deps.clock.now().getTime())) {
      next();
      return;
    }
    if (!hasExceeded) deps.log.warn({ companyId: ctx.companyId }, "a socket sends too many events");
    hasExceeded = true; // the event is dropped: `next` is not called
  });
  const notification = (): Interest => ({ kind: "notification" });
  listen(clientEvents.joinChatBox, ticketInterest, join);
  listen(clientEvents.leaveChatBox, ticketInterest, leave);
  listen(clientEvents.joinTickets, listInterest, join);
  listen(clientEvents.leaveTickets, listInterest, leave);
  listen(clientEvents.joinNotification, notification, join);
  listen(clientEvents.leaveNotification, notification, leave);
  socket.on(clientEvents.userStatus, () => deps.onSeen(ctx));
  socket.on(clientEvents.heartbeat, () => socket.emit(HEARTBEAT_EVENT));
  // In order with the joins: a client sends it right after it has joined the ticket.
  socket.on(clientEvents.ticketViewing, (argument: unknown) =>
    inOrder(() => viewing.tell(argument)),
  );

  return {
    companyId: ctx.companyId,
    userId: ctx.actor.userId,
    tokenVersion: start.tokenVersion,
    sessionId: start.ctx.actor.sessionId ?? null,
    visitId: start.ctx.actor.visitId ?? null,
    current: () => ctx,
    enter: () => socket.join(ownRoomsNow()),
    adopt(changed: UserCtx): void {
      inOrder(async () => {
        ctx = ctx.actor.isVisitor ? asVisitor(changed, ctx) : inSession(changed, ctx);
        if (socket.connected) watchExpiry();
        await settle();
      });
    },
    reviewTicket(ticketId: TicketId, told: readonly Room[]): void {
      const interest: Interest = { kind: "ticket", ticketId };
      if (!interests.has(interest) || isAllowed(ctx.actor, "tickets:see-all")) return;
      const own = [...ownRooms(ctx), ...listRooms(ctx, { kind: "notification" })];
      // At once: the next message of the ticket is not for a user who has just lost it.
      if (!own.some((room) => told.includes(room))) {
        for (const room of roomsOf(interest)) void socket.leave(room);
        viewing.review();
      }
      inOrder(() => review(interest));
    },
    left(): void {
      clearTimeout(expiry);
      viewing.review();
    },
    end: () => socket.disconnect(true),
    dropTransport: () => socket.conn.close(),
  };
}

/** Rights that were read again do not know of the session. */
function inSession(changed: UserCtx, { actor: { sessionId } }: UserCtx): UserCtx {
  return sessionId === undefined ? changed : { ...changed, actor: { ...changed.actor, sessionId } };
}

/** Rights that were read again do not know of the visit. */
function asVisitor(changed: UserCtx, { actor }: UserCtx): UserCtx {
  const { worksUntil = null, visitId } = actor;
  const visit = { isVisitor: true, worksUntil, ...(visitId === undefined ? {} : { visitId }) };
  return { ...changed, actor: { ...changed.actor, ...visit } };
}

/** The state of one window that has a ticket open, sent to the others that have it open. */
export type Viewing = { ticketId: TicketId; windowId: string; state: AgentState };

type ViewingDeps = {
  /** Whether the socket is in the ticket's own room now. */
  isInRoom: (ticketId: TicketId) => boolean;
  /** Sends it to the other sockets that have the ticket open. */
  relay: (viewing: Viewing) => void;
};

/**
 * Relays the viewing events of one socket (wire-contract 7.2). It remembers only the tickets it has relayed, to send `left`
 * when the client does not; clients repeat the rest.
 */
function createViewing({ isInRoom, relay }: ViewingDeps) {
  /** The window by the ticket: a socket belongs to one window. */
  const told = new Map<TicketId, string>();

  function leave(ticketId: TicketId, windowId: string): void {
    told.delete(ticketId);
    relay({ ticketId, windowId, state: "left" });
  }

  return {
    /** Ignored when it is invalid, or when the socket is not in the ticket's room. */
    tell(argument: unknown): void {
      const parsed = ticketViewing.safeParse(argument);
      if (!parsed.success || !isInRoom(parsed.data.ticketId)) return;
      const { ticketId, windowId, state } = parsed.data;
      const before = told.get(ticketId);
      if (before !== undefined && before !== windowId) leave(ticketId, before);
      if (state === "left") {
        // Ignored when this window was never there.
        if (before === windowId) leave(ticketId, windowId);
        return;
      }
      told.set(ticketId, windowId);
      relay({ ticketId, windowId, state });
    },

    /** Sends `left` for the tickets whose rooms the socket is no longer in. */
    review(): void {
      for (const [ticketId, windowId] of told) {
        if (!isInRoom(ticketId)) leave(ticketId, windowId);
      }
    },
  };
}

/** A client may send this many events at once, and as many again every ten seconds. */
const BURST = 100;
const REFILL_MS = 10_000;

/** A token bucket: returns whether the event is let through. */
export function createEventAllowance(): (nowMs: number) => boolean {
  let left = BURST;
  let countedAtMs: number | null = null;
  return (nowMs) => {
    const elapsedMs = nowMs - (countedAtMs ?? nowMs);
    left = Math.min(BURST, left + (elapsedMs / REFILL_MS) * BURST);
    countedAtMs = nowMs;
    if (left < 1) return false;
    left -= 1;
    return true;
  };
}

type HandshakeDeps = { authenticator: Authenticator; ids: IdSource; log: Logger };

type Admitted = {
  ctx: UserCtx;
  tokenVersion: number;
  /** The token came in the query, as other clients of the product family send it (ADR 24). */
  isOtherClient: boolean;
};
type Next = (error?: Error & { data?: unknown }) => void;

const UNAVAILABLE_TRIES = 10;
const UNAVAILABLE_RETRY_MS = 1_000;

/**
 * Admits clients by their access token, from `auth.token` or, for older clients, from the query. A refusal is a
 * connect_error with the code in the message and in `data.code`, after which the client does not retry by itself. So while
 * the database is unavailable nobody is refused: the client waits, then its transport is closed.
 */
export function createHandshake({ authenticator, ids, log }: HandshakeDeps) {
  const admitted = new WeakMap<Socket, Admitted>();

  async function prove(socket: Socket): Promise<Admitted> {
    const token = tokenOf(socket);
    if (token === null) throw new DomainError("ERR_SESSION_EXPIRED");
    const identity = await authenticator.identify(token);
    if (identity === null) throw new DomainError("ERR_TOKEN_EXPIRED");
    const ctx = await authenticator.authorise(identity, null, ids.uuid());
    const isOtherClient = socket.handshake.auth["token"] !== token;
    return { ctx, tokenVersion: identity.tokenVersion, isOtherClient };
  }

  async function proveWhenAvailable(socket: Socket): Promise<Admitted | null> {
    for (let attempt = 1; attempt <= UNAVAILABLE_TRIES && isOpen(socket); attempt += 1) {
      try {
        return await prove(socket);
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        if (attempt === 1) log.warn({ err: error }, "sockets wait for the database");
        await delay(UNAVAILABLE_RETRY_MS, undefined, { ref: false });
      }
    }
    return null;
  }

  return {
    admit(socket: Socket, next: Next): void {
      proveWhenAvailable(socket).then(
        (result) => {
          if (result === null) {
            socket.conn.close();
            return;
          }
          admitted.set(socket, result);
          next();
        },
        (error: unknown) => {
          if (!(error instanceof DomainError)) log.error({ err: error }, "handshake failed");
          next(refusal(error instanceof DomainError ? error.code : "ERR_INTERNAL"));
        },
      );
    },
    /** The identity that `admit` found for a socket. */
    take(socket: Socket): Admitted {
      const result = admitted.get(socket);
      if (!result) throw new Error("a socket connected without a handshake");
      admitted.delete(socket);
      return result;
    },
  };
}

function isOpen(socket: Socket): boolean {
  return socket.conn.readyState === "open";
}

function refusal(code: ErrorCode): Error & { data: { code: ErrorCode } } {
  return Object.assign(new Error(code), { data: { code } });
}

function tokenOf(socket: Socket): string | null {
  const { auth, query } = socket.handshake;
  for (const token of [auth["token"], query["token"]]) {
    if (typeof token === "string" && token !== "") return token;
  }
  return null;
}
