import type { QueueId, TicketId } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { Clock } from "../../platform/sources.ts";
import type { TicketEvents } from "./events.ts";
import { lockLivingTickets } from "./repository.ts";
import type { ShownTicketRow } from "./ticket-row.ts";
import { shownTicketColumns, ticketJoins } from "./ticket-row.ts";

export type LostQueueDeps = { clock: Clock; events: TicketEvents };

/**
 * The waiting and open tickets of a queue that is about to be deleted: they go to another queue, or to none, and
 * keep their state and their user. The automatic attendant is where it is before any menu; that nobody served them stays true.
 */
export function createLostQueues({ clock, events }: LostQueueDeps) {
  return async (
    ctx: Ctx,
    tx: Tx,
    queueId: QueueId,
    targetQueueId: QueueId | null,
  ): Promise<void> => {
    for (;;) {
      const portion = await lockLivingTickets(ctx, tx, { queueId });
      if (portion.length === 0) return;
      const ids = portion.map(({ id }) => id);
      const moved = await movePortion(ctx, tx, ids, targetQueueId, clock.now());
      for (const before of portion) {
        const after = moved.get(before.id);
        if (!after) throw new Error("the locked ticket is gone");
        events.changed(tx, before, after);
      }
    }
  };
}

export type LostQueues = ReturnType<typeof createLostQueues>;

async function movePortion(
  ctx: Ctx,
  tx: Tx,
  ids: readonly TicketId[],
  queueId: QueueId | null,
  now: Date,
): Promise<Map<TicketId, ShownTicketRow>> {
  const rows = await tx.query<ShownTicketRow>(moveStatement, [ctx.companyId, ids, queueId, now]);
  return new Map(rows.map((row) => [row.id, row]));
}

/** In another queue the waiting time counts from now, as after every transfer. */
const moveStatement = {
  name: "tickets.move-from-queue",
  text: `
with cycle as (
  update attendances set queue_id = $3, queued_at = case when $3::int is null then queued_at else $4 end
  where company_id = $1 and ticket_id = any ($2::int[]) and finished_at is null
),
t as (
  update tickets set
    queue_id = $3, chatbot = false, queue_option_id = null, updated_at = greatest(updated_at, $4)
  where company_id = $1 and id = any ($2::int[])
  returning *
)
select ${shownTicketColumns} from t ${ticketJoins}`,
};
