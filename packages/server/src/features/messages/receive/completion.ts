import type { ConnectionId } from "@balcao/contract";
import { renderVariables } from "@balcao/contract";
import type { Ctx } from "../../../platform/context.ts";
import type { Tx } from "../../../platform/db/database.ts";
import type { TicketRow } from "../../tickets/index.ts";
import { isSameText } from "./own-phone.ts";

/**
 * Whether a text of the company's own is the connection's completion message that stands in the ticket already, sent
 * once more by another installation on the number (behaviour 1.7): everything is read and it was the last thing said.
 */
export async function repeatsCompletion(
  ctx: Ctx,
  tx: Tx,
  { ticket, connectionId }: { ticket: TicketRow; connectionId: ConnectionId },
  { text, now }: { text: string; now: Date },
): Promise<boolean> {
  if (ticket.unreadMessages > 0 || !ticket.lastMessageFromMe || text.trim() === "") return false;
  if (!isSameText(ticket.lastMessage, text)) return false;
  const [connection] = await tx.query<{ completion: string; timeZone: string }>(
    completionStatement,
    [ctx.companyId, connectionId],
  );
  if (!connection) return false;
  const { completion, timeZone } = connection;
  const { contactName } = ticket;
  return isSameText(renderVariables(completion, { contactName, now, timeZone }), text);
}

const completionStatement = {
  name: "messages.completion",
  text: `
select w.complation_message as completion, c.time_zone as "timeZone"
from connections w join companies c on c.id = w.company_id
where w.company_id = $1 and w.id = $2 and w.deleted_at is null`,
};
