import { expect, vi } from "vitest";
import type { Installation } from "./installation.ts";

/** Resolves when nothing is on its way between the phones and the product, in either direction. */
export async function untilQuiet(installation: Installation): Promise<void> {
  await vi.waitFor(
    async () => {
      const [waiting] = await installation.query<Record<string, number>>(`
        select (select count(*) from inbound_journal)::int as journal,
               (select count(*) from outbound where state in ('queued', 'sending', 'sent'))::int as outbound,
               (select count(*) from simulator_messages where from_customer and not delivered)::int as undelivered,
               (select count(*) from simulator_messages
                 where not from_customer and reported_ack < ack)::int as unreported`);
      expect(waiting).toEqual({ journal: 0, outbound: 0, undelivered: 0, unreported: 0 });
    },
    { timeout: 60_000, interval: 200 },
  );
}
