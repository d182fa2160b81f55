import type { CampaignId, ConnectionId, ErrorCode, Message, MessageId } from "@balcao/contract";
import { acks } from "@balcao/contract";
import type {
  AckEvent,
  ProviderErrorKind,
  ProviderFailure,
  SendFailedEvent,
} from "../../channels/port.ts";
import type { ConnectionRef, DeliveryOutcome } from "../../channels/runtime/index.ts";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError, systemCtx } from "../../platform/context.ts";
import type { PreparedStatement, Tx } from "../../platform/db/database.ts";
import { lockTicket } from "../tickets/index.ts";
import type { MessagesDeps } from "./deps.ts";
import { publishDeleted, publishUpdated, toMessageDto } from "./events.ts";
import type { MessageRow } from "./message.ts";
import { UNCONFIRMED } from "./message.ts";
import type { ChangedMessage, ChangedRow, LockedMessage } from "./stored-messages.ts";
import {
  changedColumns,
  changedJoins,
  changedMessage,
  deleteMessage,
  keepEarly,
  lockMessage,
  requireLocked,
  restoreLastMessage,
} from "./stored-messages.ts";

// The network's reports about sent messages, and what users can do with messages that were not sent.

/** Raises a message's ack, which never goes down. The ack of an unknown message is kept until the message is stored. */
export async function recordAck(
  deps: MessagesDeps,
  tx: Tx,
  { companyId, connectionId }: ConnectionRef,
  event: AckEvent,
): Promise<void> {
  const ctx = systemCtx(companyId, "channel", "report");
  const { providerId, level } = event;
  const of = { connectionId, providerId };
  const raised = await raiseAck(ctx, tx, of, level, deps.sources.clock.now());
  if (raised) await tellDelivery(deps, ctx, tx, raised);
  else await keepEarly(ctx, tx, connectionId, event);
}

/** Records that the network rejected a message after it had accepted it. */
export async function recordSendFailure(
  deps: MessagesDeps,
  tx: Tx,
  { companyId, connectionId }: ConnectionRef,
  { providerId, failure }: SendFailedEvent,
): Promise<void> {
  const ctx = systemCtx(companyId, "channel", "report");
  const of = { connectionId, providerId };
  const failed = await noteFailure(ctx, tx, of, codeOf[failure.kind], deps.sources.clock.now());
  if (failed) await tellDelivery(deps, ctx, tx, failed, failure);
}

/** Records the outcome of sending a message. */
export async function recordSent(
  deps: MessagesDeps,
  tx: Tx,
  { companyId }: ConnectionRef,
  outcome: DeliveryOutcome,
): Promise<void> {
  const ctx = systemCtx(companyId, "channel", "report");
  const now = deps.sources.clock.now();
  const changed =
    outcome.result === "failed"
      ? await noteFailure(ctx, tx, outcome.messageId, codeOf[outcome.failure.kind], now)
      : await raiseAck(ctx, tx, outcome.messageId, levelOf[outcome.result], now);
  const failure = outcome.result === "failed" ? outcome.failure : null;
  if (changed) await tellDelivery(deps, ctx, tx, changed, failure);
}

/** What became of a message; `campaignId` is that of the campaign which sent it. */
type ChangedDelivery = ChangedMessage & { campaignId: CampaignId | null };

/** Tells the users who see the ticket, and the campaign that sent the message. */
export async function tellDelivery(
  deps: MessagesDeps,
  ctx: Ctx,
  tx: Tx,
  { campaignId, ...changed }: ChangedDelivery,
  failure: ProviderFailure | null = null,
): Promise<void> {
  publishUpdated(deps, tx, changed);
  if (campaignId === null) return;
  const { messageId, ack, failedCode, isUnconfirmed } = changed.message;
  await deps.domainEvents.publish(tx, ctx, "message.delivery", {
    ...{ messageId, campaignId, ack, failure },
    failedCode: isUnconfirmed ? UNCONFIRMED : failedCode,
  });
}

const levelOf = { written: acks.written, accepted: acks.server } as const;

/** The specification's code for a message that was not sent. */
const codeOf: Record<ProviderErrorKind, ErrorCode> = {
  "not-connected": "ERR_WAPP_NOT_INITIALIZED",
  "logged-out": "ERR_WAPP_NOT_INITIALIZED",
  "lease-lost": "ERR_WAPP_NOT_INITIALIZED",
  "recipient-unknown": "ERR_WAPP_INVALID_CONTACT",
  "recipient-unchecked": "ERR_WAPP_CHECK_CONTACT",
  "rate-limited": "ERR_SENDING_WAPP_MSG",
  "bad-request": "ERR_SENDING_WAPP_MSG",
  auth: "ERR_WAPP_NOT_INITIALIZED",
  banned: "ERR_WAPP_ACCOUNT_BANNED",
  restricted: "ERR_WAPP_ACCOUNT_RESTRICTED",
  "window-closed": "ERR_WAPP_WINDOW_CLOSED",
  unsupported: "ERR_SENDING_WAPP_MSG",
  "media-missing": "ERR_SENDING_WAPP_MSG",
  "media-too-big": "ERR_FILE_TOO_LARGE",
  temporary: "ERR_SENDING_WAPP_MSG",
  unconfirmed: UNCONFIRMED,
};

/** Removes a message that is still queued; the ticket's card shows the message before it again. */
export async function undoMessage(
  deps: MessagesDeps,
  ctx: UserCtx,
  messageId: MessageId,
): Promise<void> {
  await removeForGood(deps, ctx, messageId, removeQueued, "ERR_MESSAGE_SENT");
}

/**
 * Sends a failed message again, with its id and file. If it may have been sent, the customer could get it twice, so the
 * user must confirm.
 */
export async function retryMessage(
  deps: MessagesDeps,
  ctx: UserCtx,
  messageId: MessageId,
  { confirmed }: { confirmed: boolean },
): Promise<Message> {
  return deps.db.transaction(ctx, async (tx) => {
    await requireLocked(ctx, tx, messageId);
    if (!confirmed) {
      const unconfirmed = await tx.query(unconfirmedStatement, [ctx.companyId, messageId]);
      if (unconfirmed.length > 0) throw new DomainError("ERR_MESSAGE_UNCONFIRMED");
    }
    const again = await clearFailure(ctx, tx, messageId, deps.sources.clock.now());
    const isQueued = again !== null && (await deps.outbox.requeueFailed(tx, ctx, messageId));
    if (!isQueued) throw new DomainError("ERR_MESSAGE_NOT_FAILED");
    publishUpdated(deps, tx, again);
    return toMessageDto(deps, again.message);
  });
}

/** Removes a failed message; the ticket's card shows the message before it again. */
export async function discardMessage(
  deps: MessagesDeps,
  ctx: UserCtx,
  messageId: MessageId,
): Promise<void> {
  await removeForGood(deps, ctx, messageId, removeFailed, "ERR_MESSAGE_NOT_FAILED");
}

async function removeForGood(
  deps: MessagesDeps,
  ctx: UserCtx,
  messageId: MessageId,
  remove: typeof removeQueued,
  refusal: ErrorCode,
): Promise<void> {
  const gone = await deps.db.transaction(ctx, async (tx) => {
    const locked = await requireLocked(ctx, tx, messageId);
    if (!(await remove(deps, ctx, tx, locked))) throw new DomainError(refusal);
    return locked.message;
  });
  await removeFile(deps, gone);
}

/** Removes a queued message of the company, in the transaction that has locked it; false when it is not queued. */
export async function removeQueued(
  deps: MessagesDeps,
  ctx: Ctx,
  tx: Tx,
  locked: LockedMessage,
): Promise<boolean> {
  const { message } = locked;
  const isQueued = message.fromMe && (await deps.outbox.cancelQueued(tx, ctx, message.messageId));
  if (isQueued) await removeMessage(deps, ctx, tx, locked);
  return isQueued;
}

/** `WithdrawMessage` of tickets. */
export async function withdrawMessage(
  deps: MessagesDeps,
  ctx: Ctx,
  tx: Tx,
  messageId: MessageId,
): Promise<boolean> {
  const locked = await lockMessage(ctx, tx, messageId);
  return locked === null || removeQueued(deps, ctx, tx, locked);
}

/** Removes a failed message that certainly was not sent; false for all others. */
export async function removeFailed(
  deps: MessagesDeps,
  ctx: Ctx,
  tx: Tx,
  locked: LockedMessage,
): Promise<boolean> {
  const rows = await tx.query(discardableStatement, [ctx.companyId, locked.message.messageId]);
  if (rows.length === 0) return false;
  await removeMessage(deps, ctx, tx, locked);
  return true;
}

/** Deletes messages of a person that is erased, out of conversations that stay. Their files are the caller's. */
export async function eraseMessages(
  deps: MessagesDeps,
  ctx: Ctx,
  tx: Tx,
  messageIds: readonly MessageId[],
): Promise<void> {
  for (const messageId of messageIds) {
    const locked = await lockMessage(ctx, tx, messageId);
    if (locked) await removeMessage(deps, ctx, tx, locked);
  }
}

async function removeMessage(
  deps: MessagesDeps,
  ctx: Ctx,
  tx: Tx,
  { message, ticket }: LockedMessage,
): Promise<void> {
  await deleteMessage(ctx, tx, message.messageId);
  await restoreLastMessage(ctx, tx, ticket.id, message.messageId);
  publishDeleted(deps, tx, { message, ticket });
  const after = await lockTicket(ctx, tx, ticket.id);
  if (after) await deps.domainEvents.publish(tx, ctx, "ticket.updated", { ticket: after });
}

/** Removes the file of a removed message, after the commit; if that fails, the sweep removes it. */
export async function removeFile(
  deps: MessagesDeps,
  { messageCompanyId, media }: MessageRow,
): Promise<void> {
  const keys = [media?.fileKey, media?.thumbnailKey].filter((key) => typeof key === "string");
  if (keys.length > 0) await deps.media.removeUnused(messageCompanyId, keys);
}

/** A message by our id, or by its id on the network. */
type MessageKey = MessageId | { connectionId: ConnectionId; providerId: string };

/** Raises the ack of one of the company's messages; null when the message is unknown or its ack is not lower. */
export async function raiseAck(
  ctx: Ctx,
  tx: Tx,
  of: MessageKey,
  level: number,
  now: Date,
): Promise<ChangedDelivery | null> {
  const statement = typeof of === "string" ? raiseByIdStatement : raiseByProviderIdStatement;
  return changeDelivery(ctx, tx, statement, of, level, now);
}

/** Records why a message was not sent, unless it was delivered; null when the message is unknown. */
async function noteFailure(
  ctx: Ctx,
  tx: Tx,
  of: MessageKey,
  code: ErrorCode,
  now: Date,
): Promise<ChangedDelivery | null> {
  const statement = typeof of === "string" ? failByIdStatement : failByProviderIdStatement;
  return changeDelivery(ctx, tx, statement, of, code, now);
}

/** Clears a message's failure before it is sent again; null when it has not failed. */
async function clearFailure(
  ctx: Ctx,
  tx: Tx,
  messageId: MessageId,
  now: Date,
): Promise<ChangedDelivery | null> {
  return changeDelivery(ctx, tx, clearStatement, messageId, null, now);
}

async function changeDelivery(
  { companyId }: Ctx,
  tx: Tx,
  statement: PreparedStatement,
  of: MessageKey,
  value: number | string | null,
  now: Date,
): Promise<ChangedDelivery | null> {
  const values: unknown[] =
    typeof of === "string"
      ? [companyId, of, value, now]
      : [companyId, of.providerId, value, now, of.connectionId];
  const [row] = await tx.query<ChangedRow & { campaignId: CampaignId | null }>(statement, values);
  return row ? { ...changedMessage(row), campaignId: row.campaignId } : null;
}

const byId = "id = $2";
const byProviderId = "connection_id = $5 and provider_id = $2";

/**
 * One statement changes the message and, where it is the last one, the ticket's card; it returns the whole message. The
 * ticket is locked before the message, as everywhere (docs/people.md, "Locks"); the locked row says which message is
 * the last one.
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
select ${changedColumns}, m.campaign_id as "campaignId" from m ${changedJoins}`;

/** From the server's ack on, a message has not failed. */
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

/** Whether a message `m` may have been sent: by its code or, for messages older than the code, by its outbound row. */
const maybeSent = `(m.failed_code = '${UNCONFIRMED}' or exists (select from outbound o
    where o.company_id = $1 and o.message_id = $2 and o.command = 'message' and o.state = 'unconfirmed'))`;

const unconfirmedStatement = {
  name: "messages.unconfirmed",
  // Concurrent retries of one message wait for this lock.
  text: `
select 1 from messages m
where company_id = $1 and id = $2 and from_me and failed_code is not null and ${maybeSent}
for update`,
};
const discardableStatement = {
  name: "messages.discardable",
  // Waits for a concurrent retry of the message.
  text: `
select 1 from messages m
where company_id = $1 and id = $2 and from_me and failed_code is not null and not ${maybeSent}
for update`,
};
