import type { CampaignId, CampaignReport } from "@balcao/contract";
import { forecast, wallClock } from "@balcao/contract";
import type { UserCtx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { requireRow, toIso, toIsoOrNull } from "../../platform/db/records.ts";
import { instantOf } from "../schedules/index.ts";
import type { Frame, SeenCampaign } from "./campaign.ts";
import { findSeen, lineOf, readFrame, toCampaign } from "./campaign.ts";
import { sentToday } from "./line-settings.ts";
import type { ReadingDeps } from "./reading.ts";
import { countRecipients } from "./recipients.ts";
import { limitOfLine, today } from "./settings.ts";

type Chart = CampaignReport["chart"];
type Step = Chart["step"];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DAYS_UNTIL_WEEKS = 31;
/** More bars are drawn by nobody. */
const BARS_MAX = 60;

/** The numbers of a campaign as they are now, and what it did and will do over time. */
export async function reportCampaign(
  deps: ReadingDeps,
  ctx: UserCtx,
  id: CampaignId,
): Promise<CampaignReport> {
  return deps.db.transaction(ctx, async (tx) => {
    const row = await findSeen(ctx, tx, id);
    const frame = await readFrame(deps, ctx, tx);
    const counts = await countRecipients(tx, ctx, id);
    const campaign = { ...toCampaign(row, frame), counts };
    const values = [ctx.companyId, row.contactListId, row.connectionId];
    const facts = requireRow(await tx.query<Facts>(factsStatement, values));
    const line = lineOf(row);
    const day = today(frame.rules, frame.now);
    const sent = sentToday(row, day);
    const goesOn = row.status === "EM_ANDAMENTO" && campaign.hold === null;
    return {
      campaign,
      chart: await chartOf(ctx, tx, row, frame, campaign.endsAt),
      nextAt: goesOn ? toIsoOrNull(facts.dueAt) : null,
      line:
        line === null
          ? null
          : {
              ...{ newToday: sent.new, knownToday: sent.known },
              newMax: limitOfLine(line, frame, day).new,
            },
      listed: facts.listed,
    };
  });
}

type Facts = { listed: number; dueAt: Date | null };

async function chartOf(
  { companyId }: UserCtx,
  tx: Tx,
  row: SeenCampaign,
  frame: Frame,
  endsAt: string | null,
): Promise<Chart> {
  if (row.startedAt === null) return { step: "day", bars: [] };
  const { rules, now } = frame;
  const end = new Date(endsAt ?? row.completedAt ?? row.cancelledAt ?? now);
  const ms = end.getTime() - row.startedAt.getTime();
  const step: Step = ms < DAY_MS ? "hour" : ms <= DAYS_UNTIL_WEEKS * DAY_MS ? "day" : "week";
  const startOf = starts(step, rules.timeZone);
  type Done = { at: Date; count: number };
  // By the quarter of an hour, which no bar divides in any time zone.
  const sent = await tx.query<Done>(doneStatement, [companyId, row.id]);
  const done = totals(sent.map(({ at, count }) => [startOf(at.getTime()), count]));
  const foreseen = endsAt === null ? null : foresee(row, frame, startOf);
  const planned = foreseen?.planned ?? new Map<number, number>();
  const places = [startOf(row.startedAt.getTime()), ...done.keys(), ...planned.keys()];
  const first = Math.min(...places);
  const last = Math.max(...places, startOf(Math.min(now.getTime(), end.getTime())));
  const width = { hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS }[step];
  const count = Math.min(BARS_MAX, Math.floor((last - first) / width) + 1);
  const bars = Array.from({ length: count }, (_, place) => {
    const wall = first + place * width;
    return {
      at: toIso(
        instantOf(new Date(wall).toISOString().slice(0, -1), rules.timeZone) ?? new Date(wall),
      ),
      done: done.get(wall) ?? 0,
      planned: planned.get(wall) ?? 0,
      closed: step === "day" ? (foreseen?.closed.get(wall) ?? null) : null,
    };
  });
  return { step, bars };
}

/** What the campaign will do from now on; only called while it goes on by itself. */
function foresee(row: SeenCampaign, { rules, limitsByDay, now }: Frame, startOf: StartOf) {
  const line = lineOf(row);
  const planned = new Map<number, number>();
  const { days } = forecast(rules, {
    from: now,
    people: { new: row.newLeft, known: row.knownLeft },
    place: row.sentInRun,
    sentToday: sentToday(row, today(rules, now)),
    limitOn: (day) => (line ? limitOfLine(line, { limitsByDay }, day) : { new: null, known: null }),
    onSend(at) {
      const start = startOf(at);
      planned.set(start, (planned.get(start) ?? 0) + 1);
    },
  });
  const closed = new Map(days.map((one) => [Date.parse(`${one.day}T00:00:00Z`), one.closed]));
  return { planned, closed };
}

/** The beginning of a bar, in the time of the wall clock. */
type StartOf = (at: number) => number;

const QUARTER_MS = 15 * 60_000;
/** The first of January 1970 was a Thursday: weeks begin on Mondays. */
const THURSDAY = 3;

function starts(step: Step, timeZone: string): StartOf {
  const known = new Map<number, number>();
  return (at) => {
    const quarter = Math.floor(at / QUARTER_MS) * QUARTER_MS;
    const found = known.get(quarter);
    if (found !== undefined) return found;
    const wall = wallClock(new Date(quarter), timeZone);
    const day = wall - (wall % DAY_MS);
    const weekday = (day / DAY_MS + THURSDAY) % 7;
    const start = {
      hour: wall - (wall % HOUR_MS),
      day,
      week: day - weekday * DAY_MS,
    }[step];
    known.set(quarter, start);
    return start;
  };
}

function totals(counts: readonly (readonly [number, number])[]): Map<number, number> {
  const sums = new Map<number, number>();
  for (const [at, count] of counts) sums.set(at, (sums.get(at) ?? 0) + count);
  return sums;
}

const factsStatement = {
  name: "campaigns.report-facts",
  text: `
select (select count(*)::int from contact_list_items where company_id = $1 and contact_list_id = $2::int) as listed,
  (select due_at from campaign_lines where company_id = $1 and connection_id = $3::int) as "dueAt"`,
};

const doneStatement = {
  name: "campaigns.report-done",
  text: `
select date_bin('15 minutes', sent_at, timestamptz '2000-01-01Z') as at, count(*)::int as count
from campaign_recipients
where company_id = $1 and campaign_id = $2 and status in ('sent', 'delivered', 'read') and sent_at is not null
group by 1`,
};
