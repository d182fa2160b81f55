import type { Logger } from "../../platform/logging/logger.ts";
import type { DurableEvent, ProviderContext } from "../port.ts";
import type { Delivery } from "./delivery.ts";
import { readDelivery } from "./delivery.ts";
import type { KnownId } from "./inbound.ts";
import { idsLearned, toEvents, wamidsIn } from "./inbound.ts";
import type { DeliveryRow } from "./rows.ts";
import { deleteDeliveries, failDeliveries, learnIds, readDeliveries, readOurs } from "./rows.ts";

export type DeliveriesDeps = {
  context: ProviderContext;
  phoneNumberId: string;
  log: Logger;
  /** Told what is about to be stored. */
  onEvents: (events: readonly DurableEvent[]) => void;
};

const AT_ONCE = 50;

/**
 * Takes what Meta delivered into the journal, the oldest first. A row goes after its events are stored: a crash in between
 * stores them once more, which is harmless. Answers whether there may be more.
 */
export async function takeDeliveries(deps: DeliveriesDeps): Promise<boolean> {
  const { context, phoneNumberId, log, onEvents } = deps;
  const rows = await context.transaction((tx) => readDeliveries(tx, context, AT_ONCE));
  if (rows.length === 0) return false;
  const read = rows.map((row) => ({ row, delivery: readDelivery(row.body, phoneNumberId) }));
  const readable = read.flatMap(({ delivery }) => delivery ?? []);
  for (const { notices } of readable) {
    for (const { field, event } of notices) {
      log.info({ connectionId: context.connectionId, field, event }, "news from Meta");
    }
  }
  const ours = await idsOf(context, readable);
  const events = readable.flatMap((delivery) => toEvents(delivery, ours));
  onEvents(events);
  await context.sink.store(events);
  await settle(deps, read);
  return rows.length === AT_ONCE;
}

async function idsOf(
  context: ProviderContext,
  deliveries: readonly Delivery[],
): Promise<ReadonlyMap<string, string>> {
  const learned: KnownId[] = deliveries.flatMap(idsLearned);
  const asked = [...new Set(deliveries.flatMap(wamidsIn))];
  if (asked.length === 0) return new Map();
  return context.transaction(async (tx) => {
    await learnIds(tx, context, learned);
    return readOurs(tx, context, asked);
  });
}

async function settle(
  { context, log }: DeliveriesDeps,
  read: readonly { row: DeliveryRow; delivery: Delivery | null }[],
): Promise<void> {
  const isGood = ({ delivery }: { delivery: Delivery | null }) => delivery?.faults === 0;
  const good = read.filter((one) => isGood(one)).map(({ row }) => row.id);
  const bad = read.filter((one) => !isGood(one)).map(({ row }) => row.id);
  if (bad.length > 0) {
    const { connectionId } = context;
    log.error({ connectionId, deliveries: bad }, "deliveries from Meta could not be read");
  }
  await context.transaction(async (tx) => {
    if (good.length > 0) await deleteDeliveries(tx, context, good);
    if (bad.length > 0) await failDeliveries(tx, context, bad);
  });
}
