import type { ConnectionId, TicketId } from "@balcao/contract";
import type { Address } from "../../../channels/port.ts";
import type { Outbox } from "../../../channels/runtime/index.ts";
import type { Ctx } from "../../../platform/context.ts";
import type { Tx } from "../../../platform/db/database.ts";
import type { Clock } from "../../../platform/sources.ts";
import type { TicketEvents } from "../../tickets/index.ts";
import { contactAddress } from "../send/send-repository.ts";

export type ReadingDeps = {
  clock: Clock;
  outbox: Pick<Outbox, "enqueueReadReceipt">;
  ticketEvents: TicketEvents;
};

/** What reading does: the agent's counts, and the customer's blue ticks. */
export function createReading({ clock, outbox, ticketEvents }: ReadingDeps) {
  /** Marks a ticket read that this transaction has locked; without effect when everything is read. */
  async function markRead(ctx: Ctx, tx: Tx, ticketId: TicketId): Promise<void> {
    const [last] = await tx.query<LastRead>(readStatement, [ctx.companyId, ticketId, clock.now()]);
    if (!last) return;
    const { connectionId, providerId, to } = last;
    if (connectionId !== null && to !== null) {
      await outbox.enqueueReadReceipt(tx, ctx, { connectionId, to, providerId });
    }
    ticketEvents.read(tx, ctx, ticketId);
  }

  return { markRead };
}

export type Reading = ReturnType<typeof createReading>;

/** The newest message that became read. */
type LastRead = { connectionId: ConnectionId | null; providerId: string; to: Address | null };

const readStatement = {
  name: "messages.mark-read",
  text: `
with seen as (
  update messages set read = true, updated_at = greatest(updated_at, $3)
  where company_id = $1 and ticket_id = $2 and not from_me and not read
  returning connection_id, provider_id, created_at, seq
), card as (
  update tickets set unread_messages = 0 where company_id = $1 and id = $2 and unread_messages <> 0
)
select seen.connection_id as "connectionId", seen.provider_id as "providerId", ${contactAddress("t")} as "to"
from seen join tickets t on t.company_id = $1 and t.id = $2
order by seen.created_at desc, seen.seq desc
limit 1`,
};
