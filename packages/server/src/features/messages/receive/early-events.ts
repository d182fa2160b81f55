import type { ConnectionId } from "@balcao/contract";
import type {
  AckEvent,
  DurableEvent,
  EditEvent,
  ReactionEvent,
  RevokeEvent,
} from "../../../channels/port.ts";
import type { ConnectionRef } from "../../../channels/runtime/index.ts";
import { decodeEvent, encodeEvent } from "../../../channels/runtime/index.ts";
import type { Ctx } from "../../../platform/context.ts";
import type { Tx } from "../../../platform/db/database.ts";

/** What can overtake its message: the network delivers by several addresses of a chat, and sends again what was lost. */
export type EarlyEvent = EditEvent | RevokeEvent | ReactionEvent | AckEvent;

/** So many wait for one message; a network that repeats itself fills no table. */
const KEPT_MAX = 50;

/**
 * Keeps an event until its message is stored (`takeEarly`), a day at most: then the daily sweep removes it. One of a
 * message that is there already is none.
 */
export async function keepEarly(
  ctx: Ctx,
  tx: Tx,
  connectionId: ConnectionId,
  event: EarlyEvent,
): Promise<void> {
  const providerId = event.type === "ack" ? event.providerId : event.target.id;
  const { text } = encodeEvent(event);
  await tx.query(keepStatement, [ctx.companyId, connectionId, providerId, text, KEPT_MAX]);
}

/** What came before a message that is stored now, in its order. */
export async function takeEarly(
  tx: Tx,
  { companyId, connectionId }: ConnectionRef,
  providerId: string,
): Promise<DurableEvent[]> {
  const rows = await tx.query<{ event: string }>(takeStatement, [
    companyId,
    connectionId,
    providerId,
  ]);
  return rows.map(({ event }) => decodeEvent(event));
}

const keepStatement = {
  name: "early-events.keep",
  text: `
insert into early_events (company_id, connection_id, provider_id, event)
select $1, $2, $3, $4
where not exists (select from messages where company_id = $1 and connection_id = $2 and provider_id = $3)
  and (select count(*) from early_events where company_id = $1 and connection_id = $2 and provider_id = $3) < $5`,
};
const takeStatement = {
  name: "early-events.take",
  text: `
with taken as (
  delete from early_events where company_id = $1 and connection_id = $2 and provider_id = $3 returning id, event
)
select event from taken order by id`,
};
