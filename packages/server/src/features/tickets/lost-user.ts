import type { UserId } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { Clock } from "../../platform/sources.ts";
import type { TicketEvents } from "./events.ts";
import { lockLivingTickets } from "./repository.ts";
import { changeTicket } from "./ticket.ts";
import type { ContinuedTicket } from "./write-repository.ts";
import { saveContinued } from "./write-repository.ts";

export type LostUserDeps = { clock: Clock; events: TicketEvents };

/** The tickets of a user who is about to be deleted (behaviour 8.7). */
export function createLostUsers({ clock, events }: LostUserDeps) {
  return {
    async countOpen(ctx: Ctx, tx: Tx, userId: UserId): Promise<number> {
      const [row] = await tx.query<{ count: number }>(countStatement, [ctx.companyId, userId]);
      return row?.count ?? 0;
    },

    /** His open tickets wait again in their queues, as if he had returned each of them; some hundreds at a time. */
    async giveBack(ctx: Ctx, tx: Tx, userId: UserId): Promise<void> {
      const by = { userId, mayAssignOthers: true };
      for (;;) {
        const portion = await lockLivingTickets(ctx, tx, { userId });
        if (portion.length === 0) return;
        const returned = portion.map((before): ContinuedTicket => {
          const outcome = changeTicket(before, { status: "pending" }, by, null);
          if (outcome.result !== "changed") throw new Error("his ticket cannot be returned");
          return { id: before.id, transition: outcome.transition };
        });
        // People have served them, so the automatic attendant stays silent.
        const saved = { now: clock.now(), isPersonsAct: true };
        const after = await saveContinued(ctx, tx, returned, saved);
        for (const before of portion) events.changed(tx, before, after.get(before.id) ?? before);
      }
    },
  };
}

export type LostUsers = ReturnType<typeof createLostUsers>;

const countStatement = {
  name: "tickets.count-open-of-user",
  text: "select count(*)::int as count from tickets where company_id = $1 and user_id = $2 and status = 'open'",
};
