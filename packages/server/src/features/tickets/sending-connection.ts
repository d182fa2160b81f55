import type { ConnectionId, UserId } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";

/**
 * Which connection sends where no ticket says so (behaviour 10.4): the user's own, else the company's default, else any,
 * of those that are connected. Throws ERR_NO_DEF_WAPP_FOUND.
 */
export async function pickConnection(
  ctx: Ctx,
  tx: Tx,
  userId: UserId | null,
): Promise<ConnectionId> {
  const [row] = await tx.query<{ id: ConnectionId }>(pickStatement, [ctx.companyId, userId]);
  if (!row) throw new DomainError("ERR_NO_DEF_WAPP_FOUND");
  return row.id;
}

const pickStatement = {
  name: "tickets.pick-connection",
  text: `
select w.id from connections w
left join users u on u.company_id = w.company_id and u.id = $2 and u.connection_id = w.id
where w.company_id = $1 and w.status = 'CONNECTED' and w.deleted_at is null
order by u.id is null, not w.is_default, w.id
limit 1`,
};
