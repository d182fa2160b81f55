import type { ConnectionId, MessageId, TicketId } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { TicketRow } from "../tickets/index.ts";
import { LAST_MESSAGE_MAX } from "../tickets/index.ts";
import type { MessageRow, QuotedMessage } from "./message-row.ts";
import {
  messageColumns,
  messageJoins,
  quotedColumn,
  readableBesideMessage,
} from "./message-row.ts";

/** Whether a message of the connection is there already. */
export async function isStored(
  ctx: Ctx,
  tx: Tx,
  connectionId: ConnectionId,
  providerId: string,
): Promise<boolean> {
  const rows = await tx.query(storedStatement, [ctx.companyId, connectionId, providerId]);
  return rows.length > 0;
}

/** The message that another one quotes by its id on the network; null when it is not known. */
export async function findQuoted(
  ctx: Ctx,
  tx: Tx,
  connectionId: ConnectionId,
  providerId: string,
): Promise<QuotedMessage | null> {
  const [row] = await tx.query<{ quoted: QuotedMessage }>(quotedStatement, [
    ctx.companyId,
    connectionId,
    providerId,
  ]);
  return row?.quoted ?? null;
}

/** What decides who hears of a change to a message of the ticket. */
export type TicketOfMessage = Pick<
  TicketRow,
  "id" | "companyId" | "status" | "userId" | "queueId" | "servedByUserId" | "servedByQueueId"
>;

/** A message that changed, with its ticket as far as its live event asks. */
export type ChangedMessage = { message: MessageRow; ticket: TicketOfMessage };

type ChangedRow = MessageRow & TicketOfMessage;

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

/** Removes a failed message that certainly never left; null when it is no such message. */
export async function deleteFailed(
  ctx: Ctx,
  tx: Tx,
  messageId: MessageId,
): Promise<ChangedMessage | null> {
  const message = await findMessage(ctx, tx, messageId);
  if (!message) return null;
  const gone = await tx.query(deleteStatement, [ctx.companyId, messageId]);
  return gone.length === 0 ? null : message;
}

/** A message with what decides who may see its ticket. */
export async function findMessage(
  ctx: Ctx,
  tx: Tx,
  messageId: MessageId,
): Promise<ChangedMessage | null> {
  const [row] = await tx.query<ChangedRow>(findStatement, [ctx.companyId, messageId]);
  return row ? changedMessage(row) : null;
}

/** Puts the newest message on the ticket's card after the one that stood there was removed. */
export async function restoreLastMessage(
  ctx: Ctx,
  tx: Tx,
  ticketId: TicketId,
  removed: MessageId,
): Promise<void> {
  await tx.query(restoreStatement, [ctx.companyId, ticketId, removed]);
}

function changedMessage(row: ChangedRow): ChangedMessage {
  const { companyId, ticketId, status, userId, queueId, servedByUserId, servedByQueueId } = row;
  const ticket = {
    id: ticketId,
    companyId,
    status,
    userId,
    queueId,
    servedByUserId,
    servedByQueueId,
  };
  return { message: row, ticket };
}

const storedStatement = {
  name: "messages.is-stored",
  text: "select 1 from messages where company_id = $1 and connection_id = $2 and provider_id = $3",
};

const quotedStatement = {
  name: "messages.quoted",
  text: `
select ${quotedColumn("true")}
from (select $1::int as company_id, id as quoted_message_id
  from messages where company_id = $1 and connection_id = $2 and provider_id = $3) m`,
};

/** Select list and joins of `ChangedRow` for a row `m` of messages. */
const changedColumns = `${messageColumns}, ${quotedColumn(readableBesideMessage)},
  t.company_id as "companyId", t.status, t.user_id as "userId", t.queue_id as "queueId",
  served.user_id as "servedByUserId", served.queue_id as "servedByQueueId"`;
const changedJoins = `${messageJoins}
  join tickets t on t.company_id = m.company_id and t.id = m.ticket_id
  left join attendances served on served.company_id = t.company_id and served.id = t.last_attendance_id`;

const findStatement = {
  name: "messages.find",
  text: `select ${changedColumns} from messages m ${changedJoins} where m.company_id = $1 and m.id = $2`,
};

const byId = "id = $2";
const byProviderId = "connection_id = $5 and provider_id = $2";

/** One statement changes the message and, where it is the last one, the ticket's card; it answers the whole message. */
const changeText = (which: string, set: string): string => `
with m as (
  update messages set ${set}, updated_at = greatest(updated_at, $4)
  where company_id = $1 and ${which}
  returning *
), card as (
  update tickets t set last_message_ack = m.ack, last_message_failed = m.failed_code is not null
  from m where t.company_id = $1 and t.id = m.ticket_id and t.last_message_id = m.id
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

const deleteStatement = {
  name: "messages.delete-failed",
  // An unconfirmed send may have reached the customer: that message stays.
  text: `
delete from messages m
where company_id = $1 and id = $2 and from_me and failed_code is not null
  and not exists (select from outbound o
    where o.company_id = $1 and o.message_id = $2 and o.state = 'unconfirmed')
returning id`,
};

const restoreStatement = {
  name: "messages.restore-last",
  // A message that came meanwhile is the last one already: then nothing is to be done.
  text: `
update tickets t set
  last_message = coalesce(left(newest.body, ${LAST_MESSAGE_MAX}), ''), last_message_id = newest.id,
  last_message_at = newest.created_at, last_message_from_me = coalesce(newest.from_me, false),
  last_message_ack = coalesce(newest.ack, 0), last_message_failed = newest.failed_code is not null
from (values (1)) as one(row) left join lateral (
  select id, body, created_at, from_me, ack, failed_code from messages
  where company_id = $1 and ticket_id = $2
  order by created_at desc nulls last, seq desc nulls last limit 1
) newest on true
where t.company_id = $1 and t.id = $2 and t.last_message_id = $3`,
};
