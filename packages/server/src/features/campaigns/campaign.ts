import type {
  Campaign,
  CampaignHold,
  CampaignHoldReason,
  CampaignId,
  ConnectionId,
  SendingRules,
} from "@balcao/contract";
import { forecast, limits } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { columnsOf, requireRow, toIso, toIsoOrNull, wireDates } from "../../platform/db/records.ts";
import { campaigns } from "../../platform/db/schema/index.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { Clock } from "../../platform/sources.ts";
import type { SignFile } from "../media/index.ts";
import { noCounts } from "./recipients.ts";
import type { LimitedLine } from "./settings.ts";
import { inUseSinceText, limitOfLine, readRules, readSettings, today } from "./settings.ts";

declare module "../../platform/events.ts" {
  interface EventPayloads {
    /** A campaign has or lost a time at which it starts; the transaction has stored it. */
    "campaign.planned": { campaignId: CampaignId };
    /** A running campaign was stopped; what is queued and not yet on its way is to be pulled back. */
    "campaign.cancelled": { campaignId: CampaignId };
    /** What decides when the campaigns of a company, or of one connection, send has changed. */
    "campaign.settingsChanged": { connectionId: ConnectionId | null };
    /** A person says that a connection, which the chat network had restricted, may go on. */
    "campaign.released": { connectionId: ConnectionId };
    /** A cancelled campaign goes on: its people are prepared and its status is EM_ANDAMENTO. */
    "campaign.restarted": { campaignId: CampaignId };
  }
}

export type CampaignRow = typeof campaigns.$inferSelect;

/** What decides whether and why a campaign is held up. */
export type HeldCampaign = Pick<
  CampaignRow,
  "status" | "holdReason" | "holdSince" | "connectionId"
> & {
  /** Null: the connection was deleted. */
  connectionStatus: string | null;
  disconnectedAt: Date | null;
  lineHold: CampaignHoldReason | null;
  lineUntil: Date | null;
  lineSince: Date | null;
  /** The plan of the company includes campaigns. */
  hasPlan: boolean;
};

/** What keeps a running campaign from sending; null for one that goes on or does not run. */
export function holdOf(campaign: HeldCampaign): CampaignHold | null {
  if (campaign.status !== "EM_ANDAMENTO") return null;
  const { holdReason, holdSince, connectionId, connectionStatus, lineHold } = campaign;
  const held = (reason: CampaignHoldReason, since: Date | null, until: Date | null = null) => ({
    reason,
    until: toIsoOrNull(until),
    since: toIsoOrNull(since),
  });
  if (holdReason !== null) return held(holdReason, holdSince);
  if (!campaign.hasPlan) return held("plan", null);
  if (connectionId === null || connectionStatus === null) return held("noConnection", null);
  if (connectionStatus !== "CONNECTED") return held("disconnected", campaign.disconnectedAt);
  if (lineHold === null) return null;
  return held(lineHold, campaign.lineSince, campaign.lineUntil);
}

/** Whether the campaign can be changed (spec 3, behaviour 5.2). */
export function isEditable(
  { status, scheduledAt }: Pick<CampaignRow, "status" | "scheduledAt">,
  now: Date,
): boolean {
  if (status === "INATIVA" || status === "CANCELADA") return true;
  const isAhead =
    scheduledAt !== null && scheduledAt.getTime() - now.getTime() > limits.campaignLockedMs;
  return status === "PROGRAMADA" && isAhead;
}

/** A campaign with what its shape on the wire says of other things. */
export type SeenCampaign = CampaignRow &
  HeldCampaign & {
    listName: string | null;
    connectionName: string | null;
    createdByName: string | null;
    cancelledByName: string | null;
    channel: string | null;
    inUseSince: string | null;
    fixedLimit: number | null;
    day: string | null;
    newSent: number;
    knownSent: number;
    /** Who waits, while it runs. */
    newLeft: number;
    knownLeft: number;
  };

/** SQL: campaigns of the table or set `c` as `SeenCampaign`; `$1` is the company. Conditions and order follow; `more` are more columns. */
export const seenCampaigns = (c = "campaigns", more = ""): string => `
select ${columnsOf(campaigns, "c")}, l.name as "listName", w.name as "connectionName", w.channel, w.status as "connectionStatus",
  w.disconnected_at as "disconnectedAt", n.hold_reason as "lineHold", n.hold_until as "lineUntil", n.hold_since as "lineSince",
  ${inUseSinceText("n", "w")} as "inUseSince", n.fixed_limit as "fixedLimit", n.day::text as day,
  coalesce(n.new_sent, 0) as "newSent", coalesce(n.known_sent, 0) as "knownSent", p.use_campaigns as "hasPlan",
  made.name as "createdByName", stopped.name as "cancelledByName", r."newLeft", r."knownLeft"${more}
from ${c} c
join companies o on o.id = $1
join plans p on p.id = o.plan_id
left join contact_lists l on l.company_id = $1 and l.id = c.contact_list_id
left join connections w on w.company_id = $1 and w.id = c.connection_id and w.deleted_at is null
left join campaign_lines n on n.company_id = $1 and n.connection_id = c.connection_id
left join users made on made.company_id = $1 and made.id = c.created_by
left join users stopped on stopped.company_id = $1 and stopped.id = c.cancelled_by
cross join lateral (
  select count(*) filter (where not r.is_known)::int as "newLeft", count(*) filter (where r.is_known)::int as "knownLeft"
  from campaign_recipients r
  where r.company_id = $1 and r.campaign_id = c.id and c.status = 'EM_ANDAMENTO' and r.status = 'waiting') r`;

export type CampaignDeps = { clock: Clock; media: { signedPath: SignFile } };

/** What all campaigns of a company share for their shape on the wire. */
export type Frame = { rules: SendingRules; limitsByDay: boolean; now: Date; sign: SignFile };

export async function readFrame(
  { clock, media }: CampaignDeps,
  ctx: Pick<Ctx, "companyId">,
  tx: Tx,
): Promise<Frame> {
  const settings = await readSettings(ctx, tx);
  const rules = await readRules(ctx, tx, settings);
  const { limitsByDay } = settings;
  return { rules, limitsByDay, now: clock.now(), sign: media.signedPath };
}

export function toCampaign(row: SeenCampaign, frame: Frame): Campaign {
  const { id, companyId, name, status, confirmation, connectionId, contactListId } = row;
  const hold = holdOf(row);
  const person = (userId: number | null, userName: string | null) =>
    userId === null ? null : { id: userId, name: userName ?? "" };
  const { connectionName, channel, listName } = row;
  return {
    ...{ id, companyId, name, status, confirmation, contactListId, hold },
    ...textsOf(row),
    scheduledAt: toIsoOrNull(row.scheduledAt),
    startedAt: toIsoOrNull(row.startedAt),
    completedAt: toIsoOrNull(row.completedAt),
    cancelledAt: status === "CANCELADA" ? toIsoOrNull(row.cancelledAt) : null,
    cancelledBy: status === "CANCELADA" ? person(row.cancelledBy, row.cancelledByName) : null,
    createdBy: person(row.createdBy, row.createdByName),
    mediaPath: row.fileKey === null ? null : frame.sign(companyId, row.fileKey),
    mediaName: row.fileName,
    whatsappId: connectionId,
    fileListId: row.fileListId,
    tagListId: row.tagId,
    answerQueueId: row.answerQueueId,
    answerTagId: row.answerTagId,
    template: row.template,
    textInWindow: row.textInWindow,
    contactList:
      contactListId === null || listName === null ? null : { id: contactListId, name: listName },
    whatsapp:
      connectionId === null || connectionName === null || channel === null
        ? null
        : { id: connectionId, name: connectionName, channel },
    endsAt: endOf(row, frame),
    isEditable: isEditable(row, frame.now),
    counts: row.counts ?? noCounts,
    ...wireDates(row),
  };
}

/** The five texts and five confirmations, as the wire names them. */
function textsOf({ messages, confirmations }: Pick<CampaignRow, "messages" | "confirmations">) {
  const at = (texts: readonly string[], place: number): string => texts[place] ?? "";
  return {
    message1: at(messages, 0),
    message2: at(messages, 1),
    message3: at(messages, 2),
    message4: at(messages, 3),
    message5: at(messages, 4),
    confirmationMessage1: at(confirmations, 0),
    confirmationMessage2: at(confirmations, 1),
    confirmationMessage3: at(confirmations, 2),
    confirmationMessage4: at(confirmations, 3),
    confirmationMessage5: at(confirmations, 4),
  };
}

/** The line of a campaign that has a connection. */
export function lineOf({
  channel,
  inUseSince,
  fixedLimit,
}: Pick<SeenCampaign, "channel" | "inUseSince" | "fixedLimit">): LimitedLine | null {
  return channel === null || inUseSince === null ? null : { channel, inUseSince, fixedLimit };
}

/** When a running campaign ends if nothing changes; null where somebody has to act first, or it would take over a year. */
function endOf(row: SeenCampaign, { rules, limitsByDay, now }: Frame): string | null {
  const hold = holdOf(row);
  const line = lineOf(row);
  const goesOn = hold === null || ["hours", "holiday", "limit"].includes(hold.reason);
  if (row.status !== "EM_ANDAMENTO" || !goesOn || line === null) return null;
  const isToday = row.day === today(rules, now);
  const { endsAt } = forecast(rules, {
    from: now,
    people: { new: row.newLeft, known: row.knownLeft },
    place: row.sentInRun,
    sentToday: isToday ? { new: row.newSent, known: row.knownSent } : { new: 0, known: 0 },
    limitOn: (day) => limitOfLine(line, { limitsByDay }, day),
  });
  return endsAt === null ? null : toIso(endsAt);
}

/** The campaign as the wire has it. */
async function readCampaign(
  deps: CampaignDeps,
  ctx: Ctx,
  tx: Tx,
  id: CampaignId,
): Promise<Campaign> {
  return toCampaign(await findSeen(ctx, tx, id), await readFrame(deps, ctx, tx));
}

/** The campaign with what its shape on the wire needs; throws ERR_NO_CAMPAIGN_FOUND. */
export async function findSeen(ctx: Ctx, tx: Tx, id: CampaignId): Promise<SeenCampaign> {
  const rows = await tx.query<SeenCampaign>(seenStatement, [ctx.companyId, id]);
  return requireRow(rows, NO_CAMPAIGN);
}

export const NO_CAMPAIGN = "ERR_NO_CAMPAIGN_FOUND";

const seenStatement = {
  name: "campaigns.seen",
  text: `${seenCampaigns()} where c.company_id = $1 and c.id = $2 and c.deleted_at is null`,
};

/** Publishes a campaign as it is in this transaction, on commit, to the company; returns it. */
export async function tellCampaign(
  deps: CampaignDeps & { realtime: Realtime },
  ctx: Ctx,
  tx: Tx,
  id: CampaignId,
  action: "create" | "update" = "update",
): Promise<Campaign> {
  const record = await readCampaign(deps, ctx, tx, id);
  const { companyId } = ctx;
  tx.onCommit(() =>
    deps.realtime.publish(companyId, "campaign", { action, record }, [rooms.main(companyId)]),
  );
  return record;
}
