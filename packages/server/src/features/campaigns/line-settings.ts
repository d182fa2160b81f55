import type { CampaignLine, ConnectionId, InputOf } from "@balcao/contract";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { lockRecord, requireRow, toIsoOrNull } from "../../platform/db/records.ts";
import { connections } from "../../platform/db/schema/index.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { Frame, HeldCampaign } from "./campaign.ts";
import { holdOf, readFrame } from "./campaign.ts";
import type { ReadingDeps } from "./reading.ts";
import type { SettingsDeps } from "./settings.ts";
import { inUseSinceText, isOfficial, limitOfLine, today } from "./settings.ts";

const CODE_NO_CONNECTION = "ERR_NO_WAPP_FOUND";

/** The connections as campaigns use them, those with running campaigns first. */
export async function listLines(deps: ReadingDeps, ctx: UserCtx): Promise<CampaignLine[]> {
  return deps.db.transaction(ctx, async (tx) => {
    const frame = await readFrame(deps, ctx, tx);
    return (await readLines(ctx, tx, null)).map((row) => toLine(row, frame));
  });
}

/**
 * What waits on the connection is looked at again at once. Throws ERR_CAMPAIGN_IN_USE_SINCE for a day after the first conversation on
 * it, or one that has not come.
 */
export async function changeLine(
  deps: ReadingDeps & SettingsDeps,
  ctx: UserCtx,
  id: ConnectionId,
  {
    inUseSince,
    fixedLimit,
    isRestrictionOver,
  }: InputOf<"PUT /campaign-lines/:connectionId">["body"],
): Promise<CampaignLine> {
  return deps.db.transaction(ctx, async (tx) => {
    await lockRecord(ctx, tx, connections, id, CODE_NO_CONNECTION);
    const frame = await readFrame(deps, ctx, tx);
    const [first] = await tx.query<{ day: string | null }>(firstDayStatement, [ctx.companyId, id]);
    const latest = first?.day ?? today(frame.rules, frame.now);
    if (inUseSince !== undefined && inUseSince > latest) {
      throw new DomainError("ERR_CAMPAIGN_IN_USE_SINCE");
    }
    const isLimitGiven = fixedLimit !== undefined;
    const given = [inUseSince ?? null, isLimitGiven, fixedLimit ?? null];
    await tx.query(saveStatement, [ctx.companyId, id, ...given, frame.now]);
    const of = { connectionId: id };
    if (isRestrictionOver) await deps.domainEvents.publish(tx, ctx, "campaign.released", of);
    await deps.domainEvents.publish(tx, ctx, "campaign.settingsChanged", of);
    const record = toLine(requireRow(await readLines(ctx, tx, id), CODE_NO_CONNECTION), frame);
    tx.onCommit(() =>
      deps.realtime.publish(ctx.companyId, "campaignLine", { action: "update", record }, [
        rooms.main(ctx.companyId),
      ]),
    );
    return record;
  });
}

export type LineRow = Omit<HeldCampaign, "status" | "holdReason" | "holdSince" | "connectionId"> & {
  id: ConnectionId;
  name: string;
  channel: string;
  connectionStatus: string;
  isDefault: boolean;
  inUseSince: string;
  fixedLimit: number | null;
  quality: CampaignLine["quality"];
  day: string | null;
  newSent: number;
  knownSent: number;
  running: number;
  planned: number;
};

/** The lines of all connections, or of one. */
export const readLines = (
  { companyId }: Pick<UserCtx, "companyId">,
  tx: Tx,
  id: ConnectionId | null,
): Promise<LineRow[]> => tx.query<LineRow>(linesStatement, [companyId, id]);

/** People written to on the company's day. */
export function sentToday(
  { day, newSent, knownSent }: Pick<LineRow, "day" | "newSent" | "knownSent">,
  now: string,
): { new: number; known: number } {
  return day === now ? { new: newSent, known: knownSent } : { new: 0, known: 0 };
}

function toLine(row: LineRow, { rules, limitsByDay, now }: Frame): CampaignLine {
  const { id, name, channel, connectionStatus: status, running, planned } = row;
  const day = today(rules, now);
  const sent = sentToday(row, day);
  const limit = limitOfLine(row, { limitsByDay }, day);
  const official = isOfficial(row);
  const held = { ...row, connectionId: id, holdReason: null, holdSince: null };
  return {
    connection: { id, name, channel, status, disconnectedAt: toIsoOrNull(row.disconnectedAt) },
    isOfficial: official,
    inUseSince: official ? null : row.inUseSince,
    fixedLimit: row.fixedLimit,
    ...{ newToday: sent.new, knownToday: sent.known, newMax: limit.new, knownMax: limit.known },
    quality: row.quality,
    hold: running > 0 ? holdOf({ ...held, status: "EM_ANDAMENTO" }) : null,
    ...{ running, planned },
  };
}

// A campaign without connection is planned for the default one.
const linesStatement = {
  name: "campaigns.lines",
  text: `
select w.id, w.name, w.channel, w.status as "connectionStatus", w.disconnected_at as "disconnectedAt", w.is_default as "isDefault",
  ${inUseSinceText("n", "w")} as "inUseSince", n.fixed_limit as "fixedLimit", n.quality, n.day::text as day,
  coalesce(n.new_sent, 0) as "newSent", coalesce(n.known_sent, 0) as "knownSent", n.hold_reason as "lineHold",
  n.hold_until as "lineUntil", n.hold_since as "lineSince", p.use_campaigns as "hasPlan", c.running, c.planned
from connections w
join companies o on o.id = $1
join plans p on p.id = o.plan_id
left join campaign_lines n on n.company_id = $1 and n.connection_id = w.id
cross join lateral (
  select count(*) filter (where c.status = 'EM_ANDAMENTO')::int as running, count(*) filter (where c.status = 'PROGRAMADA')::int as planned
  from campaigns c
  where c.company_id = $1 and c.deleted_at is null and coalesce(c.connection_id, case when w.is_default then w.id end) = w.id) c
where w.company_id = $1 and w.deleted_at is null and ($2::int is null or w.id = $2::int)
order by c.running desc, c.planned desc, f_norm(w.name), w.id`,
};

const firstDayStatement = {
  name: "campaigns.first-day-of-line",
  text: `
select min(t.created_at at time zone o.time_zone)::date::text as day
from tickets t join companies o on o.id = $1 where t.company_id = $1 and t.connection_id = $2`,
};

const saveStatement = {
  name: "campaigns.save-line",
  text: `
insert into campaign_lines (company_id, connection_id, in_use_since, fixed_limit, updated_at)
values ($1, $2, $3::date, $5::int, $6)
on conflict (company_id, connection_id) do update set
  in_use_since = coalesce(excluded.in_use_since, campaign_lines.in_use_since),
  fixed_limit = case when $4::bool then excluded.fixed_limit else campaign_lines.fixed_limit end, updated_at = excluded.updated_at`,
};
