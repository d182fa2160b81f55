import type { TicketId, TicketPin } from "@balcao/contract";
import { limits } from "@balcao/contract";
import { subDays } from "date-fns/subDays";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import { requireVisible } from "./audience.ts";
import type { TicketDeps } from "./deps.ts";
import { findVisibility } from "./read-tickets.ts";

/** Pins of tickets that have been closed for so long are removed with the user's next one. */
const KEPT_DAYS = 30;

/** Puts a ticket at the top of the caller's own lists. Throws ERR_PIN_LIMIT_REACHED. */
export function pinTicket(deps: TicketDeps, ctx: UserCtx, ticketId: TicketId): Promise<TicketPin> {
  return deps.db.transaction(ctx, async (tx) => {
    requireVisible(ctx, await findVisibility(ctx, tx, ticketId));
    const now = deps.sources.clock.now();
    const mine = [ctx.companyId, ctx.actor.userId];
    await tx.query(forgetStatement, [...mine, subDays(now, KEPT_DAYS)]);
    const pinned = await tx.query(pinStatement, [...mine, ticketId, now, limits.pinsMax]);
    if (pinned.length === 0) throw new DomainError("ERR_PIN_LIMIT_REACHED");
    return publishPin(deps, ctx, tx, { ticketId, isPinned: true });
  });
}

/** Removes the caller's pin; without one nothing changes. */
export function unpinTicket(
  deps: TicketDeps,
  ctx: UserCtx,
  ticketId: TicketId,
): Promise<TicketPin> {
  return deps.db.transaction(ctx, async (tx) => {
    requireVisible(ctx, await findVisibility(ctx, tx, ticketId));
    await tx.query(unpinStatement, [ctx.companyId, ctx.actor.userId, ticketId]);
    return publishPin(deps, ctx, tx, { ticketId, isPinned: false });
  });
}

/** Tells the user's other windows. */
function publishPin({ realtime }: TicketDeps, ctx: UserCtx, tx: Tx, pin: TicketPin): TicketPin {
  const { companyId, actor } = ctx;
  const mine = [rooms.user(companyId, actor.userId)];
  tx.onCommit(() => realtime.publish(companyId, "ticketPin", pin, mine));
  return pin;
}

/** Returns no row at the limit. A pinned ticket is pinned again. */
const pinStatement = {
  name: "tickets.pin",
  text: `
insert into ticket_pins (company_id, user_id, ticket_id, created_at)
select $1, $2, $3, $4
where (select count(*) from ticket_pins p
  join tickets t on t.company_id = p.company_id and t.id = p.ticket_id and t.status <> 'closed'
  where p.company_id = $1 and p.user_id = $2 and p.ticket_id <> $3) < $5
on conflict (company_id, user_id, ticket_id) do update set created_at = excluded.created_at
returning 1`,
};

const unpinStatement = {
  name: "tickets.unpin",
  text: "delete from ticket_pins where company_id = $1 and user_id = $2 and ticket_id = $3",
};

const forgetStatement = {
  name: "tickets.forget-pins",
  text: `
delete from ticket_pins p using tickets t
where p.company_id = $1 and p.user_id = $2 and p.created_at < $3
  and t.company_id = $1 and t.id = p.ticket_id and t.status = 'closed' and t.updated_at < $3`,
};
