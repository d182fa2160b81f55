import type { ConnectionId, MessageId } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { ChangedMessage, ChangedRow } from "./message-repository.ts";
import { UNCONFIRMED } from "./message-row.ts";
import { changedColumns, changedJoins, changedMessage } from "./message-repository.ts";

/** Raises a message's acknowledgement; null when it is not known or not lower. The company's own messages only. */
export async function raiseAck(
  ctx: Ctx,
  tx: Tx,
  ack: {
    of: { connectionId: ConnectionId; providerId: string } | MessageId;
    level: number;
    now: Date;
  },
): Promise<ChangedMessage | null> {
  const { of, level, now } = ack;
  const [row] =
    typeof of === "string"
      ? await tx.query<ChangedRow>(raiseByIdStatement, [ctx.companyId, of, level, now])
      : await tx.query<ChangedRow>(raiseByProviderIdStatement, [
          ctx.companyId,
          of.providerId,
          level,
          now,
          of.connectionId,
        ]);
  return row ? changedMessage(row) : null;
}

/** Notes why a message was not sent, unless the customer has it; null when there is none to note it at. */
export async function noteFailure(
  ctx: Ctx,
  tx: Tx,
  failure: {
    of: { connectionId: ConnectionId; providerId: string } | MessageId;
    code: string;
    now: Date;
  },
): Promise<ChangedMessage | null> {
  const { of, code, now } = failure;
  const [row] =
    typeof of === "string"
      ? await tx.query<ChangedRow>(failByIdStatement, [ctx.companyId, of, code, now])
      : await tx.query<ChangedRow>(failByProviderIdStatement, [
          ctx.companyId,
          of.providerId,
          code,
          now,
          of.connectionId,
        ]);
  return row ? changedMessage(row) : null;
}

/** Whether nobody can say if a message was sent. The lock makes two who ask at once wait for each other. */
export async function isUnconfirmed(ctx: Ctx, tx: Tx, messageId: MessageId): Promise<boolean> {
  const rows = await tx.query(unconfirmedStatement, [ctx.companyId, messageId]);
  return rows.length > 0;
}

/** Takes a failure back before a message is sent again; null when it has not failed. */
export async function clearFailure(
  ctx: Ctx,
  tx: Tx,
  messageId: MessageId,
  now: Date,
): Promise<ChangedMessage | null> {
  const [row] = await tx.query<ChangedRow>(clearStatement, [ctx.companyId, messageId, null, now]);
  return row ? changedMessage(row) : null;
}

/** Whether a message has failed and certainly never left: one that may have been sent stays. */
export async function isDiscardable(ctx: Ctx, tx: Tx, messageId: MessageId): Promise<boolean> {
  const rows = await tx.query(discardableStatement, [ctx.companyId, messageId]);
  return rows.length > 0;
}

const byId = "id = $2";
const byProviderId = "connection_id = $5 and provider_id = $2";

/**
 * One statement changes the message and, where it is the last one, the ticket's card; it answers the whole message. The
 * ticket is locked before the message, as everywhere (docs/people.md, "Locks"); which message is the last one says the
 * row as it is then.
 */
const changeText = (which: string, set: string): string => `
with locked as materialized (
  select id, last_message_id from tickets
  where company_id = $1 and id = (select ticket_id from messages where company_id = $1 and ${which})
  for no key update
), m as (
  update messages set ${set}, updated_at = greatest(updated_at, $4)
  where company_id = $1 and ${which} and (select count(*) from locked) > 0
  returning *
), card as (
  update tickets t set last_message_ack = m.ack,
    last_message_failed = coalesce(m.failed_code <> '${UNCONFIRMED}', false)
  from m join locked on locked.last_message_id = m.id
  where t.company_id = $1 and t.id = locked.id
)
select ${changedColumns} from m ${changedJoins}`;

/** Whoever the network has it from does not have it failed: from the server's acknowledgement on. */
const raise = "ack = $3, failed_code = case when $3 >= 2 then null else failed_code end";

const raiseByIdStatement = {
  name: "messages.raise-ack-by-id",
  text: changeText(`${byId} and from_me and ack < $3`, raise),
};
const raiseByProviderIdStatement = {
  name: "messages.raise-ack",
  text: changeText(`${byProviderId} and from_me and ack < $3`, raise),
};
const failByIdStatement = {
  name: "messages.fail-by-id",
  text: changeText(`${byId} and from_me and ack < 3`, "failed_code = $3"),
};
const failByProviderIdStatement = {
  name: "messages.fail",
  text: changeText(`${byProviderId} and from_me and ack < 3`, "failed_code = $3"),
};
const clearStatement = {
  name: "messages.clear-failure",
  text: changeText(`${byId} and failed_code is not null`, "failed_code = $3::text"),
};

/** Of a message `m`: the code, or, where it is older than the code, the state of its sending. */
const mayHaveLeft = `(m.failed_code = '${UNCONFIRMED}' or exists (select from outbound o
    where o.company_id = $1 and o.message_id = $2 and o.command = 'message' and o.state = 'unconfirmed'))`;

const unconfirmedStatement = {
  name: "messages.unconfirmed",
  text: `
select 1 from messages m
where company_id = $1 and id = $2 and from_me and failed_code is not null and ${mayHaveLeft}
for update`,
};
const discardableStatement = {
  name: "messages.discardable",
  // The lock waits for a new attempt that is being asked for at the same time.
  text: `
select 1 from messages m
where company_id = $1 and id = $2 and from_me and failed_code is not null and not ${mayHaveLeft}
for update`,
};
