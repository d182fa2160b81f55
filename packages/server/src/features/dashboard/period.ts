import type { FiguresFilter, FiguresUnit } from "@balcao/contract";
import { limits } from "@balcao/contract";
import { differenceInCalendarDays } from "date-fns/differenceInCalendarDays";
import { parseISO } from "date-fns/parseISO";
import type { Ctx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database } from "../../platform/db/database.ts";
import { requireRow } from "../../platform/db/records.ts";

/** Calendar days in the company's time zone, and the moments at which they begin and end. */
export type Period = {
  from: string;
  to: string;
  days: number;
  timeZone: string;
  /** The days before it, as many. */
  beforeFrom: string;
  beforeTo: string;
  beforeAt: Date;
  fromAt: Date;
  /** The begin of the day after the last one. */
  untilAt: Date;
};

/** Longer periods are shown by week. */
const DAYS_SHOWN = 366;

export function unitOf({ days }: Period): FiguresUnit {
  if (days === 1) return "hour";
  return days <= DAYS_SHOWN ? "day" : "week";
}

export const toShownPeriod = (period: Period) => {
  const { from, to, days, timeZone } = period;
  return { from, to, days, timeZone, unit: unitOf(period) };
};

export type WantedPeriod = Partial<Pick<FiguresFilter, "days" | "dateFrom" | "dateTo">>;

/**
 * The period that a filter asks for. Throws ERR_PERIOD_REQUIRED without one, ERR_PERIOD_REVERSED, and ERR_PERIOD_TOO_LONG
 * above ten years, so that no read is unbounded.
 */
export async function readPeriod(
  db: Database,
  ctx: Ctx,
  { days, ...dates }: WantedPeriod,
  now: Date,
): Promise<Period> {
  const { dateFrom, dateTo }: WantedPeriod = days === undefined ? dates : {};
  if (days === undefined && dateFrom === undefined) throw new DomainError("ERR_PERIOD_REQUIRED");
  if (dateFrom !== undefined && dateTo !== undefined) {
    if (dateTo < dateFrom) throw new DomainError("ERR_PERIOD_REVERSED");
    const more = differenceInCalendarDays(parseISO(dateTo), parseISO(dateFrom));
    if (more >= limits.periodDaysMax) throw tooLong();
  }
  // The database has no year 0.
  if (dateFrom?.startsWith("0000")) throw tooLong();
  const period = requireRow(
    await db.read<Period>(ctx, periodStatement, [
      ctx.companyId,
      now,
      days ?? null,
      dateFrom ?? null,
      dateTo ?? null,
    ]),
  );
  if (period.days < 1) throw new DomainError("ERR_PERIOD_REVERSED");
  if (period.days > limits.periodDaysMax) throw tooLong();
  return period;
}

const tooLong = () => new DomainError("ERR_PERIOD_TOO_LONG", { maxDays: limits.periodDaysMax });

/** The same without choosing: the month until today, as other clients show it first. */
export async function readMonth(db: Database, ctx: Ctx, now: Date): Promise<Period> {
  const today = await readPeriod(db, ctx, { days: 1 }, now);
  return readPeriod(db, ctx, { dateFrom: `${today.to.slice(0, 8)}01`, dateTo: today.to }, now);
}

/**
 * The moment at which a local day begins. Where clocks go back from after midnight to before it, that is the first of two
 * midnights, which PostgreSQL takes for the second one.
 */
export const dayBegin = (day: string, zone: string): string => `(
  select case when ((x.s - interval '1 hour') at time zone ${zone})::date = (${day}) then x.s - interval '1 hour' else x.s end
  from (select (${day})::timestamp at time zone ${zone} as s) x)`;

const isoDay = (day: string): string => `to_char(${day}, 'YYYY-MM-DD')`;

const periodStatement = {
  name: "dashboard.period",
  text: `
select ${isoDay("p.first")} as "from", ${isoDay("p.last")} as "to", p.last - p.first + 1 as days,
  c.time_zone as "timeZone",
  ${isoDay("b.first")} as "beforeFrom", ${isoDay("p.first - 1")} as "beforeTo",
  ${dayBegin("b.first", "c.time_zone")} as "beforeAt", ${dayBegin("p.first", "c.time_zone")} as "fromAt",
  ${dayBegin("p.last + 1", "c.time_zone")} as "untilAt"
from companies c
cross join lateral (
  select coalesce($5::date, ($2::timestamptz at time zone c.time_zone)::date) as last) l
cross join lateral (select coalesce($4::date, l.last - $3::int + 1) as first, l.last) p
-- Reversed and endless periods are refused afterwards.
cross join lateral (select p.first - least(greatest(p.last - p.first + 1, 1), 4000) as first) b
where c.id = $1`,
};
