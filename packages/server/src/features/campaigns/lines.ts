import type {
  CampaignHoldReason,
  CampaignId,
  CampaignRecipientId,
  ConnectionId,
} from "@balcao/contract";
import { addMilliseconds } from "date-fns/addMilliseconds";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { Wake } from "../../platform/db/wake.ts";
import { inUseSinceText } from "./settings.ts";

// The rows of campaign_lines, through which the campaigns of a connection send one message at a time (behaviour 5.5).

/** Wakes the processes that send campaigns. */
export const CAMPAIGNS_TOPIC = "campaigns";

/** An outcome further ahead was written before the clock was set back; a pause that the network wants is shorter. */
export const CLOCK_SECONDS = 5 * 60;

/** A locked line, with what its connection and its company's plan say. */
export type Line = {
  connectionId: ConnectionId;
  sendingId: CampaignRecipientId | null;
  endedAt: Date | null;
  chance: number;
  holdReason: CampaignHoldReason | null;
  holdUntil: Date | null;
  fixedLimit: number | null;
  inUseSince: string;
  day: string | null;
  newSent: number;
  knownSent: number;
  /** Null: the connection was deleted. */
  status: string | null;
  channel: string;
  hasPlan: boolean;
};

/** The line if it is due and no other process works on it. */
export async function lockLine(
  { companyId }: Ctx,
  tx: Tx,
  connectionId: ConnectionId,
  now: Date,
): Promise<Line | null> {
  const [line] = await tx.query<Line>(lockStatement, [companyId, connectionId, now]);
  return line ?? null;
}

/** What holds all campaigns of a line, and until when. */
export type LineHold = { reason: CampaignHoldReason; until: Date | null };

/**
 * When the line is looked at next, and what holds it; `dueAt` null: when something wakes it. Where the clock was set back since the last
 * outcome, the gap begins now.
 */
export async function setLine(
  { companyId }: Ctx,
  tx: Tx,
  connectionId: ConnectionId,
  {
    dueAt,
    now,
    hold = null,
  }: {
    dueAt: Date | null;
    now: Date;
    hold?: LineHold | null;
  },
): Promise<void> {
  const values = [companyId, connectionId, dueAt, now, hold?.reason ?? null, hold?.until ?? null];
  await tx.query(setStatement, values);
}

/** A message is handed over: the line waits for its outcome, and the day's count grows. */
export async function noteSending(
  { companyId }: Ctx,
  tx: Tx,
  connectionId: ConnectionId,
  sent: {
    id: CampaignRecipientId;
    dueAt: Date;
    now: Date;
    day: string;
    isKnown: boolean;
    chance: number;
  },
): Promise<void> {
  const { id, dueAt, now, day, isKnown, chance } = sent;
  await tx.query(sendingStatement, [companyId, connectionId, id, dueAt, now, day, isKnown, chance]);
}

/**
 * The message of a recipient has its outcome, at this moment: the gap before the next one begins. Nothing changes when the line
 * does not wait for it. `isSent` false: the message was pulled back, and no gap follows.
 */
export async function endSending(
  { companyId }: Ctx,
  tx: Tx,
  id: CampaignRecipientId,
  { now, isSent = true, pauseMs = 0 }: { now: Date; isSent?: boolean; pauseMs?: number },
): Promise<void> {
  await tx.query(endStatement, [companyId, id, now, isSent, addMilliseconds(now, pauseMs)]);
}

/**
 * The network restricts the number: the second time in a row, or at once (`isFinal`), nothing is sent any more until a person says so
 * (`releaseLine`). `isForComplaints`: the network thinks badly of the number.
 */
export async function noteRestriction(
  { companyId }: Ctx,
  tx: Tx,
  campaignId: CampaignId,
  { now, isFinal, isForComplaints }: { now: Date; isFinal: boolean; isForComplaints: boolean },
): Promise<void> {
  const values = [companyId, campaignId, now, isFinal, isForComplaints];
  await tx.query(restrictStatement, values);
}

/** The network has taken a message: what restricted the number is over. */
export async function forgetRestrictions(
  { companyId }: Ctx,
  tx: Tx,
  campaignId: CampaignId,
): Promise<void> {
  await tx.query(forgetStatement, [companyId, campaignId]);
}

/** A campaign starts or goes on: its line is looked at now. A restriction stays (`releaseLine`). */
export async function startLine(
  { wake }: { wake: Wake },
  { companyId }: Ctx,
  tx: Tx,
  connectionId: ConnectionId,
  now: Date,
): Promise<void> {
  await tx.query(startStatement, [companyId, connectionId, now]);
  wake.notify(tx, CAMPAIGNS_TOPIC);
}

/** A person has a restricted line go on: it is looked at now. */
export async function releaseLine(
  { wake }: { wake: Wake },
  { companyId }: Ctx,
  tx: Tx,
  connectionId: ConnectionId,
  now: Date,
): Promise<void> {
  const released = await tx.query(releaseStatement, [companyId, connectionId, now]);
  if (released.length > 0) wake.notify(tx, CAMPAIGNS_TOPIC);
}

/** A person has a campaign go on: its line, if it has a connection, is looked at now and forgets a restriction. */
export async function startLineOf(
  deps: { wake: Wake },
  ctx: Ctx,
  tx: Tx,
  campaignId: CampaignId,
  now: Date,
): Promise<void> {
  const [campaign] = await tx.query<{ connectionId: ConnectionId | null }>(connectionStatement, [
    ctx.companyId,
    campaignId,
  ]);
  const connectionId = campaign?.connectionId ?? null;
  if (connectionId === null) return;
  await releaseLine(deps, ctx, tx, connectionId, now);
  await startLine(deps, ctx, tx, connectionId, now);
}

/** Has the lines of a company, or one of them, looked at soon: its settings, or somebody's answer, may let them go on. */
export async function wakeLines(
  { wake }: { wake: Wake },
  { companyId }: Ctx,
  tx: Tx,
  { connectionId = null, at }: { connectionId?: ConnectionId | null; at: Date },
): Promise<void> {
  await tx.query(wakeStatement, [companyId, connectionId, at]);
  wake.notify(tx, CAMPAIGNS_TOPIC);
}

/** SQL: a line is due at `now`, or was looked at in the future: the clock was set back since. */
export const isDue = (n: string, now: string): string =>
  `${n}.due_at is not null and (${n}.due_at <= ${now}::timestamptz or ${n}.updated_at > ${now}::timestamptz + interval '1 minute')`;

const lockStatement = {
  name: "campaigns.lock-line",
  text: `
with n as materialized (
  select * from campaign_lines
  where company_id = $1 and connection_id = $2 and ${isDue("campaign_lines", "$3")}
  for no key update skip locked
)
select n.connection_id as "connectionId", n.sending_id as "sendingId", n.ended_at as "endedAt", n.chance,
  n.hold_reason as "holdReason", n.hold_until as "holdUntil", n.fixed_limit as "fixedLimit", n.day::text as day,
  ${inUseSinceText("n", "w")} as "inUseSince", n.new_sent as "newSent", n.known_sent as "knownSent",
  case when w.deleted_at is null then w.status end as status, w.channel, coalesce(p.use_campaigns, false) as "hasPlan"
from n
join connections w on w.company_id = $1 and w.id = n.connection_id
join companies o on o.id = $1
left join plans p on p.id = o.plan_id`,
};

const setStatement = {
  name: "campaigns.set-line",
  text: `
update campaign_lines
set due_at = $3, updated_at = $4, hold_reason = $5, hold_until = $6,
  ended_at = case when ended_at > $4::timestamptz + interval '${CLOCK_SECONDS} seconds' then $4 else ended_at end,
  hold_since = case when $5::text is null then null when hold_reason = $5 then coalesce(hold_since, $4) else $4 end
where company_id = $1 and connection_id = $2`,
};

const sendingStatement = {
  name: "campaigns.note-sending",
  text: `
update campaign_lines
set sending_id = $3, due_at = $4, updated_at = $5, chance = $8, hold_reason = null, hold_until = null, hold_since = null,
  new_sent = case when day = $6::date then new_sent else 0 end + case when $7::bool then 0 else 1 end,
  known_sent = case when day = $6::date then known_sent else 0 end + case when $7::bool then 1 else 0 end,
  day = $6::date
where company_id = $1 and connection_id = $2`,
};

const endStatement = {
  name: "campaigns.end-sending",
  text: `
update campaign_lines
set sending_id = null, due_at = $3, ended_at = case when $4::bool then $5::timestamptz else ended_at end
where company_id = $1 and sending_id = $2`,
};

const connectionOf = `(select connection_id from campaigns where company_id = $1 and id = $2)`;

const restrictStatement = {
  name: "campaigns.restrict-line",
  text: `
update campaign_lines
set restrictions = restrictions + 1,
  hold_reason = case when $4::bool or restrictions > 0 then 'restricted' else hold_reason end,
  hold_since = case when $4::bool or restrictions > 0 then $3::timestamptz else hold_since end,
  hold_until = case when $4::bool or restrictions > 0 then null else hold_until end,
  quality = case when $5::bool then 'low' else quality end
where company_id = $1 and connection_id = ${connectionOf}`,
};

const forgetStatement = {
  name: "campaigns.forget-restrictions",
  text: `
update campaign_lines set restrictions = 0
where company_id = $1 and connection_id = ${connectionOf} and restrictions > 0`,
};

const connectionStatement = {
  name: "campaigns.connection",
  text: `select connection_id as "connectionId" from campaigns where company_id = $1 and id = $2`,
};

const startStatement = {
  name: "campaigns.start-line",
  text: `
insert into campaign_lines (company_id, connection_id, due_at, updated_at) values ($1, $2, $3, $3)
on conflict (company_id, connection_id) do update set due_at = excluded.due_at`,
};

const releaseStatement = {
  name: "campaigns.release-line",
  text: `
update campaign_lines
set due_at = $3, hold_reason = null, hold_until = null, hold_since = null, restrictions = 0, quality = null
where company_id = $1 and connection_id = $2 and (hold_reason = 'restricted' or restrictions > 0 or quality is not null)
returning connection_id`,
};

const wakeStatement = {
  name: "campaigns.wake-lines",
  // Without waiting: who holds the line looks at what there is anyway, and again within seconds.
  text: `
update campaign_lines set due_at = $3
where (company_id, connection_id) in (
  select company_id, connection_id from campaign_lines
  where company_id = $1 and ($2::int is null or connection_id = $2) and due_at > $3
  for no key update skip locked)`,
};
