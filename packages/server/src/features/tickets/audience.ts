import type { CompanyId, QueueId, TicketId, UserId } from "@balcao/contract";
import type { Room } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { TicketSight } from "./visibility.ts";
import { readersOf } from "./visibility.ts";

/** A ticket as far as its live events ask. */
export type TicketInRooms = TicketSight & { id: TicketId; companyId: CompanyId };

/**
 * Who is told what is in a ticket (wire-contract 7.4, "ticket rooms"): whoever has it open, admins, and of the others only
 * those who may read it. A queue's agents do not hear of a ticket that one of them serves.
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

/** The rooms of one change, in the order in which they are told. */
export type ChangeAudience = {
  /** Whose lists drop the ticket: told its id only. Empty when nobody loses it. */
  lose: Room[];
  /** Whose lists show it as it is now. */
  told: Room[];
  /** Whoever has it open: without those who were told already, and without those who may have lost it. */
  viewers: { to: Room; except: Room[] };
};

/**
 * Who hears of a change, the old audience and the new one (wire-contract 7.5). An open ticket view leaves when its ticket
 * is dropped: `lose` never has the ticket's own room, nor that of the user who holds the ticket now.
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
    // Admins who lose it from a list still see it.
    viewers: { to: rooms.ticket(companyId, after.id), except: [...new Set([...told, ...losers])] },
  };
}

/** Everybody who may hold a ticket that is no more. */
export function roomsOfRemoved(ticket: TicketInRooms): Room[] {
  return [...new Set([...ticketRooms(ticket), ...queueRooms(ticket.companyId, lastQueue(ticket))])];
}

function queueRooms(companyId: CompanyId, queueId: QueueId | null): Room[] {
  return [rooms.queuePending(companyId, queueId), rooms.queueNotification(companyId, queueId)];
}

/** A closed ticket stands in the lists of those who served it last. */
function lastQueue(ticket: TicketSight): QueueId | null {
  return ticket.status === "closed" ? ticket.servedByQueueId : ticket.queueId;
}

function lastUser(ticket: TicketSight): UserId | null {
  return ticket.status === "closed" ? ticket.servedByUserId : ticket.userId;
}
