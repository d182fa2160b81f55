import type {
  CampaignId,
  CampaignRecipientId,
  ConnectionId,
  ContactId,
  MessageId,
  RecipientStatus,
} from "@balcao/contract";
import { acks } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { Wake } from "../../platform/db/wake.ts";
import type { EventPayloads } from "../../platform/events.ts";
import type { Clock } from "../../platform/sources.ts";
import type { MessagesFeature } from "../messages/index.ts";
import { holdCampaign } from "./handing-over.ts";
import { CAMPAIGNS_TOPIC, endSending, forgetRestrictions, noteRestriction } from "./lines.ts";

export type OutcomesDeps = {
  clock: Clock;
  wake: Wake;
  messages: Pick<MessagesFeature, "withdrawMessage">;
  /** The contact wants no more campaigns. */
  optOut(ctx: Ctx, tx: Tx, contactId: ContactId): Promise<boolean>;
};

/** Tries of one message in all. */
const TRIES = 3;
const UNCONFIRMED = "ERR_MESSAGE_UNCONFIRMED";

/** What the network says about a message of a campaign, or what its row says where that was missed. */
export type Outcome = Omit<EventPayloads["message.delivery"], "campaignId">;

type Sent = {
  id: CampaignRecipientId;
  campaignId: CampaignId;
  status: RecipientStatus;
  attempts: number;
  contactId: ContactId | null;
  /** The message asks for the confirmation. */
  isAsk: boolean;
};

/**
 * Moves a person on by what became of the message (behaviour 5.6, 5.7); nothing for messages that are not the one which decides,
 * like the files that follow a text. The caller may hold the message's ticket, never its person.
 */
export async function applyOutcome(
  deps: OutcomesDeps,
  ctx: Ctx,
  tx: Tx,
  outcome: Outcome,
): Promise<void> {
  const { companyId } = ctx;
  const now = deps.clock.now();
  const [sent] = await tx.query<Sent>(ofMessageStatement, [companyId, outcome.messageId]);
  if (!sent) return;
  const isFailed = outcome.failedCode !== null && outcome.ack < acks.delivered;
  const step = isFailed ? afterFailure(sent, outcome) : afterAck(sent, outcome.ack);
  if (step === null) return;
  // The line first: who holds it may wait for the person.
  if (sent.status === "sending")
    await endSending(ctx, tx, sent.id, { now, pauseMs: step.pauseMs ?? 0 });
  const { restriction = null, hold = null } = step;
  if (restriction) {
    const isFinal = restriction !== "restricted";
    const isForComplaints = restriction === "complaints";
    await noteRestriction(ctx, tx, sent.campaignId, { now, isFinal, isForComplaints });
  } else if (!isFailed) await forgetRestrictions(ctx, tx, sent.campaignId);
  const { status, errorCode = null, isUncounted = false } = step;
  await tx.query(moveStatement, [
    ...[companyId, sent.id, outcome.messageId, sent.status, status, errorCode],
    ...[now, outcome.ack, isUncounted],
  ]);
  if (hold) await holdCampaign(ctx, tx, sent.campaignId, hold, now);
  if (status === "optedOut" && sent.contactId !== null) await deps.optOut(ctx, tx, sent.contactId);
  deps.wake.notify(tx, CAMPAIGNS_TOPIC);
}

type Step = {
  status: RecipientStatus;
  errorCode?: string;
  /** It was not the message's fault: the try does not count. */
  isUncounted?: boolean;
  restriction?: "restricted" | "banned" | "complaints";
  /** The network wants less: the gap before the next message begins so much later. */
  pauseMs?: number;
  /** The campaign does not go on. */
  hold?: "template";
};

const rank: Partial<Record<RecipientStatus, number>> = { sent: 1, delivered: 2, read: 3 };

/** Null: nothing new. */
function afterAck({ status, isAsk }: Sent, ack: number): Step | null {
  if (ack < acks.server) return null;
  if (isAsk) return status === "sending" || status === "failed" ? { status: "asked" } : null;
  const reached: RecipientStatus =
    ack >= acks.read ? "read" : ack >= acks.delivered ? "delivered" : "sent";
  const isReached = (rank[status] ?? 0) >= (rank[reached] ?? 0);
  const isSent = ["sending", "failed", "sent", "delivered"].includes(status);
  return isSent && !isReached ? { status: reached } : null;
}

/** Meta's codes: the template is to be looked after by a person before the campaign goes on. */
const templateCodes: ReadonlySet<string> = new Set(["132015", "132016"]);
/** Meta: too many people have complained of the number. */
const COMPLAINTS_CODE = "131048";
/** Meta: too much to one person; too much from one number. */
const pausesByCode: Readonly<Record<string, number>> = { "131056": 6_000, "130429": 60_000 };
const SLOWER_MS = 60_000;
/** Meta: the person wants no marketing of this company; enough marketing for today. */
const OPTED_OUT_CODE = "131050";
const ENOUGH_CODE = "131049";

/** What a message that was not sent, or perhaps was, means for the person; null: nothing new. */
export function afterFailure(
  { status, attempts }: Pick<Sent, "status" | "attempts">,
  { failedCode, failure }: Outcome,
): Step | null {
  if (!["sending", "sent", "asked"].includes(status)) return null;
  const code = failedCode ?? UNCONFIRMED;
  const providerCode = failure?.code ?? "";
  if (templateCodes.has(providerCode)) {
    return { status: "waiting", hold: "template", isUncounted: true };
  }
  if (providerCode === COMPLAINTS_CODE) {
    return { status: "waiting", restriction: "complaints", isUncounted: true };
  }
  if (providerCode === OPTED_OUT_CODE) return { status: "optedOut" };
  if (providerCode === ENOUGH_CODE) return { status: "failed", errorCode: ENOUGH_CODE };
  if (code === "ERR_WAPP_ACCOUNT_BANNED" || code === "ERR_WAPP_ACCOUNT_RESTRICTED") {
    const restriction = code === "ERR_WAPP_ACCOUNT_BANNED" ? "banned" : "restricted";
    return { status: "failed", errorCode: code, restriction };
  }
  if (code === "ERR_WAPP_INVALID_CONTACT") return { status: "invalid", errorCode: code };
  const mayWait = mayRetry(code, failure?.kind) && attempts < TRIES;
  const pauseMs = pausesByCode[providerCode] ?? (failure?.kind === "rate-limited" ? SLOWER_MS : 0);
  return { status: mayWait ? "waiting" : "failed", errorCode: code, pauseMs };
}

const lasting = new Set(["bad-request", "unsupported", "media-missing", "media-too-big", "auth"]);

/** Whether another try may succeed. One that may have arrived is never repeated. */
function mayRetry(code: string, kind: string | undefined): boolean {
  if (code === UNCONFIRMED || code === "ERR_WAPP_WINDOW_CLOSED") return false;
  return kind === undefined ? code !== "ERR_FILE_TOO_LARGE" : !lasting.has(kind);
}

/** What the row of a message says, for a line that waits for its outcome. */
type Waiting = {
  status: RecipientStatus;
  /** Null: the message is gone. */
  ack: number | null;
  failedCode: string | null;
  messageId: MessageId | null;
  sentAt: Date | null;
};

/** A message that has left and that the network says nothing of counts as sent after this. */
const SILENT_MS = 5 * 60_000;

/** Looks after a message whose outcome was not told. False: it is still on its way. */
export async function settleSending(
  deps: OutcomesDeps,
  ctx: Ctx,
  tx: Tx,
  id: CampaignRecipientId,
): Promise<boolean> {
  const now = deps.clock.now();
  const [found] = await tx.query<Waiting>(waitingStatement, [ctx.companyId, id]);
  if (!found || found.status !== "sending" || found.messageId === null) {
    await endSending(ctx, tx, id, { now });
    return true;
  }
  const { messageId, failedCode, sentAt } = found;
  if (found.ack === null) {
    // Somebody has removed the message, or its ticket; it may have been sent.
    await endSending(ctx, tx, id, { now });
    await tx.query(removedStatement, [ctx.companyId, id, now]);
    return true;
  }
  const isSilent =
    found.ack >= acks.written && now.getTime() - (sentAt?.getTime() ?? 0) > SILENT_MS;
  const ack = isSilent ? Math.max(found.ack, acks.server) : found.ack;
  if (failedCode === null && ack < acks.server) return false;
  await applyOutcome(deps, ctx, tx, { messageId, ack, failedCode, failure: null });
  return true;
}

type Queued = { id: CampaignRecipientId; messageId: MessageId; others: MessageId[] };

/**
 * Pulls back what is queued of a campaign, or of all campaigns on a connection, and was not attempted yet: its people wait again.
 * `isGone`: the connection goes, so what was attempted has no outcome any more.
 */
export async function pullBack(
  deps: OutcomesDeps,
  ctx: Ctx,
  tx: Tx,
  of: { campaignId: CampaignId } | { connectionId: ConnectionId },
): Promise<void> {
  const { companyId } = ctx;
  const now = deps.clock.now();
  const isGone = "connectionId" in of;
  const values = isGone ? [companyId, null, of.connectionId] : [companyId, of.campaignId, null];
  for (const { id, messageId, others } of await tx.query<Queued>(queuedStatement, values)) {
    if (await deps.messages.withdrawMessage(ctx, tx, messageId)) {
      // The files that follow it wait behind it.
      for (const other of others) await deps.messages.withdrawMessage(ctx, tx, other);
      await tx.query(waitAgainStatement, [companyId, id, now]);
      await endSending(ctx, tx, id, { now, isSent: false });
    } else if (isGone) {
      await tx.query(unknownStatement, [companyId, id, now, UNCONFIRMED]);
    }
  }
}

/** Ends the campaigns of which nobody is left; returns them. `campaignIds` null: all that run on the connection. */
export async function finishCampaigns(
  { companyId }: Ctx,
  tx: Tx,
  of: { connectionId: ConnectionId | null; campaignIds: readonly CampaignId[] | null },
  now: Date,
): Promise<CampaignId[]> {
  const values = [companyId, of.connectionId, of.campaignIds, now];
  const rows = await tx.query<{ id: CampaignId }>(finishStatement, values);
  return rows.map(({ id }) => id);
}

const ofMessageStatement = {
  name: "campaigns.of-message",
  text: `
select id, campaign_id as "campaignId", status, attempts, contact_id as "contactId",
  requested_at is not null and confirmed_at is null as "isAsk"
from campaign_recipients where company_id = $1 and message_id = $2`,
};

const moveStatement = {
  name: "campaigns.move-recipient",
  text: `
update campaign_recipients
set status = $5, error_code = $6, changed_at = $7,
  delivered_at = case when $5 in ('delivered', 'read') then coalesce(delivered_at, $7) else delivered_at end,
  read_at = case when $5 = 'read' then coalesce(read_at, $7) else read_at end,
  requested_at = case when $5 in ('waiting', 'failed') and confirmed_at is null and $8::int < 2 then null else requested_at end,
  attempts = attempts - case when $9::bool then 1 else 0 end
where company_id = $1 and id = $2 and message_id = $3 and status = $4`,
};

const waitingStatement = {
  name: "campaigns.awaited",
  text: `
select r.status, m.ack, m.failed_code as "failedCode", r.message_id as "messageId", r.sent_at as "sentAt"
from campaign_recipients r left join messages m on m.company_id = $1 and m.id = r.message_id
where r.company_id = $1 and r.id = $2`,
};

const removedStatement = {
  name: "campaigns.message-removed",
  text: `
update campaign_recipients set status = 'removed', changed_at = $3
where company_id = $1 and id = $2 and status = 'sending'`,
};

const queuedStatement = {
  name: "campaigns.queued",
  text: `
select r.id, r.message_id as "messageId", array(
    select o.id from messages o
    where o.company_id = $1 and o.ticket_id = r.ticket_id and o.campaign_id = r.campaign_id and o.id <> r.message_id
      and o.seq > m.seq and o.ack = 0 order by o.seq) as others
from campaign_recipients r
join campaigns c on c.company_id = $1 and c.id = r.campaign_id
join messages m on m.company_id = $1 and m.id = r.message_id
where r.company_id = $1 and r.status = 'sending' and ($2::int is null or r.campaign_id = $2) and ($3::int is null or c.connection_id = $3)
order by r.id`,
};

const waitAgainStatement = {
  name: "campaigns.wait-again",
  text: `
update campaign_recipients
set status = 'waiting', message_id = null, sent_at = null, attempts = greatest(0, attempts - 1), changed_at = $3,
  requested_at = case when confirmed_at is null then null else requested_at end
where company_id = $1 and id = $2 and status = 'sending'`,
};

const unknownStatement = {
  name: "campaigns.outcome-unknown",
  text: `
update campaign_recipients set status = 'failed', error_code = $4, changed_at = $3
where company_id = $1 and id = $2 and status = 'sending'`,
};

const finishStatement = {
  name: "campaigns.finish",
  text: `
update campaigns c set status = 'FINALIZADA', completed_at = $4, updated_at = $4, hold_reason = null, hold_since = null
where c.company_id = $1 and c.status = 'EM_ANDAMENTO' and c.deleted_at is null
  and ($2::int is null or c.connection_id = $2) and ($3::int[] is null or c.id = any($3))
  and not exists (
    select from campaign_recipients r
    where r.company_id = $1 and r.campaign_id = c.id and r.status in ('waiting', 'asked', 'sending'))
returning c.id`,
};
