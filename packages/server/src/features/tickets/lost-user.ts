import type { TicketId, UserId } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { Clock } from "../../platform/sources.ts";
import type { TicketEvents } from "./events.ts";
import { lockTicket } from "./repository.ts";
import { changeTicket } from "./ticket.ts";
import { saveTicket } from "./write-repository.ts";

export type LostUserDeps = { clock: Clock; events: TicketEvents };

/** The tickets of a user who is about to be deleted (behaviour 8.7). */
export function createLostUsers({ clock, events }: LostUserDeps) {
  return {
    async countOpen(ctx: Ctx, tx: Tx, userId: UserId): Promise<number> {
      const [row] = await tx.query<{ count: number }>(countStatement, [ctx.companyId, userId]);
      return row?.count ?? 0;
    },

    /** His open tickets wait again in their queues, as if he had returned each of them. */
    async giveBack(ctx: Ctx, tx: Tx, userId: UserId): Promise<void> {
      const rows = await tx.query<{ id: TicketId }>(openStatement, [ctx.companyId, userId]);
      for (const { id } of rows) {
        const before = await lockTicket(ctx, tx, id);
        if (before?.status !== "open" || before.userId !== userId) continue;
        const by = { userId, mayAssignOthers: true };
        const outcome = changeTicket(before, { status: "pending" }, by, null);
        if (outcome.result !== "changed") continue;
        const { transition } = outcome;
        // People have served it, so the automatic attendant stays silent.
        const served = { clearUnread: false, isPersonsAct: true };
        const saved = { id, transition, now: clock.now(), ...served };
        const after = await saveTicket(ctx, tx, saved);
        events.changed(tx, before, after);
      }
    },
  };
}

export type LostUsers = ReturnType<typeof createLostUsers>;

const openStatement = {
  name: "tickets.open-of-user",
  text: "select id from tickets where company_id = $1 and user_id = $2 and status = 'open' order by id",
};

const countStatement = {
  name: "tickets.count-open-of-user",
  text: "select count(*)::int as count from tickets where company_id = $1 and user_id = $2 and status = 'open'",
};
