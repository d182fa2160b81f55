import type { TicketId, UserId } from "@balcao/contract";
import { clientEvents, isAllowed } from "@balcao/contract";
import type { Socket } from "socket.io";
import type { UserCtx } from "../context.ts";
import type { Logger } from "../logging/logger.ts";
import type { Clock } from "../sources.ts";
import { createEventAllowance } from "./event-allowance.ts";
import type { Room } from "./hub.ts";
import { rooms } from "./hub.ts";
import type { Interest } from "./memberships.ts";
import {
  createInterests,
  listInterest,
  listRooms,
  ownRooms,
  ticketInterest,
} from "./memberships.ts";
import type { Viewing } from "./viewing.ts";
import { createViewing } from "./viewing.ts";

export type SessionDeps = {
  log: Logger;
  clock: Clock;
  /** Whether the user may see the ticket now; the ticket feature decides. */
  canSeeTicket: (ctx: UserCtx, ticketId: TicketId) => Promise<boolean>;
  /** The client's sign of life. */
  onSeen: (ctx: UserCtx) => void;
  /** What the client does with a ticket that it has open. */
  onViewing: (ctx: UserCtx, viewing: Viewing) => void;
  /** The company's subscription ends now, or seemed to when the rights were read. */
  onExpiry: (ctx: UserCtx) => void;
};

/** The longest that a timer can be set to. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** One connected client: who it is, what it wants to hear, and the rooms that follow from both. */
export type SocketSession = ReturnType<typeof createSocketSession>;

export function createSocketSession(
  socket: Socket,
  start: { ctx: UserCtx; tokenVersion: number },
  deps: SessionDeps,
) {
  let { ctx } = start;
  const interests = createInterests();
  const isLetThrough = createEventAllowance();
  let hasExceeded = false;
  /** Joins and leaves of one socket take effect in the order they were asked for, though some look at the database. */
  let last: Promise<void> = Promise.resolve();

  let expiry: NodeJS.Timeout | undefined;
  function watchExpiry(): void {
    clearTimeout(expiry);
    const { worksUntil } = ctx.actor;
    if (!worksUntil) return;
    const leftMs = worksUntil.getTime() - deps.clock.now().getTime();
    const delayMs = Math.min(Math.max(leftMs, 0), LONGEST_TIMER_MS);
    expiry = setTimeout(() => deps.onExpiry(ctx), delayMs).unref();
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

  /** All rooms of an interest, allowed or not. */
  function roomsOf(interest: Interest): Room[] {
    if (interest.kind !== "ticket") return listRooms(ctx, interest);
    const { ticketId } = interest;
    const ofQueues = ctx.actor.queueIds.map((queueId) =>
      rooms.ticketForQueue(ctx.companyId, ticketId, queueId),
    );
    return [roomOf(ticketId), ...ofQueues];
  }

  const roomOf = (ticketId: TicketId): Room => rooms.ticket(ctx.companyId, ticketId);
  const viewing = createViewing({
    isInRoom: (ticketId) => socket.rooms.has(roomOf(ticketId)),
    relay: (told) => deps.onViewing(ctx, told),
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

  /** Brings the rooms to what rights and interests say now. */
  async function settle(): Promise<void> {
    const wanted = new Set<string>([socket.id, ...ownRooms(ctx)]);
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
  // In line with the joins: a client tells right after it has asked to hear the ticket.
  socket.on(clientEvents.ticketViewing, (argument: unknown) =>
    inOrder(() => viewing.tell(argument)),
  );

  return {
    companyId: ctx.companyId,
    userId: ctx.actor.userId satisfies UserId,
    tokenVersion: start.tokenVersion,
    current: () => ctx,
    enter: () => socket.join(ownRooms(ctx)),
    /** The user's rights changed. */
    adopt(changed: UserCtx): void {
      inOrder(async () => {
        ctx = changed;
        if (socket.connected) watchExpiry();
        await settle();
      });
    },
    /** A ticket changed hands; who sees every ticket keeps it. */
    reviewTicket(ticketId: TicketId, told: readonly Room[]): void {
      const interest: Interest = { kind: "ticket", ticketId };
      if (!interests.has(interest) || isAllowed(ctx.actor, "tickets:see-all")) return;
      const own = [...ownRooms(ctx), ...listRooms(ctx, { kind: "notification" })];
      // At once: what is said in the ticket next is not for somebody who has just lost it.
      if (!own.some((room) => told.includes(room))) {
        for (const room of roomsOf(interest)) void socket.leave(room);
        viewing.review();
      }
      inOrder(() => review(interest));
    },
    /** Disconnected: the tickets it had open are told so. */
    left(): void {
      clearTimeout(expiry);
      viewing.review();
    },
    /** For good: the client must sign in again. */
    end: () => socket.disconnect(true),
    /** The transport only: the client connects again by itself and fetches what it missed. */
    dropTransport: () => socket.conn.close(),
  };
}
