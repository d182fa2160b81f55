import type { ConnectionId } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";

/** Whether the connection is one of the company's. */
export async function hasConnection(
  ctx: Ctx,
  tx: Tx,
  connectionId: ConnectionId,
): Promise<boolean> {
  const rows = await tx.query(connectionStatement, [ctx.companyId, connectionId]);
  return rows.length > 0;
}

const connectionStatement = {
  name: "templates.connection",
  text: "select 1 from connections where company_id = $1 and id = $2 and deleted_at is null",
};
