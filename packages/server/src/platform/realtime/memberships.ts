import type { TicketId, TicketStatus } from "@balcao/contract";
import { isAllowed, ticketId, ticketStatuses } from "@balcao/contract";
import { z } from "zod";
import type { UserCtx } from "../context.ts";
import type { Room } from "./hub.ts";
import { rooms } from "./hub.ts";

/** What a client can ask to hear (wire-contract 7.2). */
export type Interest =
  | { kind: "ticket"; ticketId: TicketId }
  | { kind: "list"; status: TicketStatus }
  | { kind: "notification" };

const statusArgument = z.enum(ticketStatuses);

/** The ticket of `joinChatBox`; null for what is no id, among others the text `undefined` of clients in a hurry. */
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

/** The rooms every socket is in without asking. */
export function ownRooms({ companyId, actor }: UserCtx): Room[] {
  const own = [rooms.main(companyId), rooms.user(companyId, actor.userId)];
  if (isAllowed(actor, "connections:manage")) own.push(rooms.admins(companyId));
  return own;
}

/**
 * The rooms that serve an interest in lists, by the user's rights (wire-contract 7.2): who sees all tickets hears the
 * company's lists, others hear the pending tickets of their queues. A ticket's own room is decided by looking at it.
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
 * The interests of one socket, counted: several parts of a page ask for the same one and leave it independently; it
 * ends when the last has left (wire-contract 7.2 TRAP).
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
