import type { QueueId, UserId } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import { readQueuesOf, viewerOf } from "../tickets/index.ts";

/** Whose messages a reader gets: null for all; else those without queue, of his queues, and of the ticket he serves. */
export type Reader = { userId: UserId; queueIds: readonly QueueId[] } | null;

export function readerOf(ctx: Ctx): Reader {
  const viewer = viewerOf(ctx);
  if (viewer === "everything") return null;
  return { userId: viewer.userId, queueIds: readQueuesOf(viewer) };
}

/** The ticket of a message, as far as reading asks. */
export type ReadTicket = { userId: UserId | null; queueId: QueueId | null };

/**
 * Whether a reader who sees the ticket may read a message of it (wire-contract 5.8): one without queue, of one of his
 * queues, or of the present queue of the ticket that is his, whatever queues he has. `readableCondition` is the same in SQL.
 */
export function canRead(
  reader: Reader,
  ticket: ReadTicket,
  message: { queueId: QueueId | null },
): boolean {
  if (reader === null || message.queueId === null) return true;
  if (reader.queueIds.includes(message.queueId)) return true;
  return ticket.userId === reader.userId && ticket.queueId === message.queueId;
}

/** `canRead` over a row `m` of messages and the ticket `t` as `TicketRow` has it; the others are placeholders. */
export function readableCondition(m: string, given: { queues: string; user: string }): string {
  const { queues, user } = given;
  return `(${m}.queue_id is null or ${m}.queue_id = any(${queues})
    or (t."userId" = ${user} and t."queueId" = ${m}.queue_id))`;
}
