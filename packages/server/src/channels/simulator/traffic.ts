import { acks } from "@balcao/contract";
import type { Database } from "../../platform/db/database.ts";
import type { AckEvent, ProviderContext } from "../port.ts";
import { addressOf } from "./account.ts";
import { toEvent } from "./events-of-network.ts";
import type { UnreportedAck } from "./network.ts";
import {
  markDelivered,
  markReported,
  readUndeliveredMessages,
  readUnreportedAcks,
} from "./network.ts";

export type TrafficDeps = {
  db: Database;
  context: ProviderContext;
  /** A customer's chat changed. */
  onChange: (phone: string) => void;
  /** Whether the session can still take anything. */
  isOpen: () => boolean;
};

const BATCH = 200;

/**
 * Customers' messages and changes to the connection, in order; each has its receipt only after the sink has stored it. Answers the
 * wait until the next one is due, null when none waits.
 */
export async function deliver(
  { db, context, onChange, isOpen }: TrafficDeps,
  connectedAt: Date,
): Promise<number | null> {
  while (isOpen()) {
    const waiting = await db.transaction(context, (tx) =>
      readUndeliveredMessages(tx, context, BATCH),
    );
    // Up to the first that is not due: a chat's order must stay.
    const firstLater = waiting.findIndex(({ dueInMs }) => dueInMs > 0);
    const due = firstLater === -1 ? waiting : waiting.slice(0, firstLater);
    if (due.length > 0) {
      await context.sink.store(due.map((message) => toEvent(message, connectedAt)));
      const seqs = due.map(({ seq }) => seq);
      await db.transaction(context, (tx) => markDelivered(tx, context, seqs));
      for (const phone of new Set(due.map(({ phone }) => phone))) onChange(phone);
    }
    const next = waiting[due.length];
    if (next) return next.dueInMs;
    if (waiting.length < BATCH) return null;
  }
  return null;
}

/** What became of the company's messages, every level in its turn. */
export async function report({ db, context, isOpen }: TrafficDeps): Promise<void> {
  while (isOpen()) {
    const unreported = await db.transaction(context, (tx) =>
      readUnreportedAcks(tx, context, BATCH),
    );
    if (unreported.length === 0) return;
    await context.sink.store(unreported.flatMap(toAcks));
    await db.transaction(context, (tx) => markReported(tx, context, unreported));
    if (unreported.length < BATCH) return;
  }
}

function toAcks({ id, phone, ack, reported }: UnreportedAck): AckEvent[] {
  const levels = [acks.server, acks.delivered, acks.read] as const;
  return levels
    .filter((level) => level > reported && level <= ack)
    .map((level) => ({ type: "ack", providerId: id, chat: addressOf(phone), level }));
}
