import { subMinutes } from "date-fns/subMinutes";
import type { Database, PreparedStatement } from "../../platform/db/database.ts";
import type { Clock } from "../../platform/sources.ts";

type UsageDeps = { db: Database; clock: Clock };

/** Longer than any transaction: a message whose id is older than this is committed by now, whatever process stored it. */
const STORED_WITHIN_MINUTES = 5;

/**
 * Adds the messages that were stored since the last run to the months of their companies. The ids of messages grow with the time
 * of storage, so a run reads only new ones, by the primary key, also those that arrived late. It may run twice, also at the same time.
 */
export async function countMessagesAcrossCompanies(
  { db, clock }: UsageDeps,
  signal?: AbortSignal,
): Promise<void> {
  const until = subMinutes(clock.now(), STORED_WITHIN_MINUTES);
  for (let isBehind = true; isBehind;) {
    signal?.throwIfAborted();
    isBehind = await db.acrossCompanies(async (tx) => {
      await tx.query(lockStatement);
      const [row] = await tx.query<{ isBehind: boolean }>(messagesStatement, [until]);
      return row?.isBehind ?? false;
    });
  }
}

/** Sums the files of each company: a scan of all files, so less often than messages are counted. */
export async function countFilesAcrossCompanies({ db, clock }: UsageDeps): Promise<void> {
  await db.acrossCompanies(async (tx) => {
    await tx.query(lockStatement);
    await tx.query(filesStatement, [clock.now()]);
  });
}

/** Two runs at once would add the same messages twice. */
const lockStatement: PreparedStatement = {
  name: "companies.lock-usage",
  text: `select pg_advisory_xact_lock(hashtextextended('company usage', 5420))`,
};

/** SQL of the first day of a moment's month in a time zone, as `company_usage` has it. */
const monthOf = (moment: string, timeZone: string): string =>
  `to_char(${moment} at time zone ${timeZone}, 'YYYY-MM-01')`;

/** SQL of a company's usage at `$1`, from the last month that was counted: of an earlier month only its files are told. */
export const usageOf = (company: string): string => {
  const isOfMonth = `(g.month = ${monthOf("$1::timestamptz", `${company}.time_zone`)})::int`;
  return `
    select g.messages * ${isOfMonth} as messages, g.media * ${isOfMonth} as media, g.file_bytes, g.counted_at
    from company_usage g where g.company_id = ${company}.id order by g.month desc limit 1`;
};

/** SQL of the smallest id of a message that is stored at this moment: version 7 begins with the milliseconds. */
const firstIdAt = (moment: string): string =>
  `(lpad(to_hex((extract(epoch from ${moment}) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid`;

// Half a day at once: the first count of a month of millions of messages would take longer than a statement may. Without an
// earlier count it begins with the month, or with the company. Of the month before only what is new is added, at its end; older
// history that a phone brings is not counted.
const messagesStatement: PreparedStatement = {
  name: "companies.count-messages",
  text: `
with counting as materialized (
  select c.id, c.time_zone, coalesce(u.file_bytes, 0) as file_bytes, b.until,
    ${firstIdAt("b.since")} as from_id, ${firstIdAt("b.until")} as to_id,
    (z.month_start - interval '1 month') at time zone c.time_zone as not_before
  from companies c
  cross join lateral (select date_trunc('month', $1::timestamptz at time zone c.time_zone) as month_start) z
  left join lateral (
    select counted_at, file_bytes from company_usage where company_id = c.id
    order by counted_at desc, month desc limit 1) u on true
  cross join lateral (
    select since, least(greatest(since, $1), since + interval '12 hours') as until
    from (select coalesce(u.counted_at, least(greatest(z.month_start at time zone c.time_zone, c.created_at), $1)) as since) s) b
), added as (
  select c.id, ${monthOf("c.until", "c.time_zone")} as month, 0::bigint as messages, 0::bigint as media, c.file_bytes, c.until
  from counting c
  union all
  select c.id, n.month, n.messages, n.media, c.file_bytes, c.until
  from counting c
  cross join lateral (
    select ${monthOf("m.created_at", "c.time_zone")} as month, count(*) as messages, count(f.message_id) as media
    from messages m
    left join message_media f on f.company_id = m.company_id and f.message_id = m.id
      and f.company_id = c.id and f.message_id >= c.from_id and f.message_id < c.to_id
    where m.company_id = c.id and m.id >= c.from_id and m.id < c.to_id and m.created_at >= c.not_before
    group by 1) n
), counted as (
  insert into company_usage as u (company_id, month, messages, media, file_bytes, counted_at)
  select id, month, sum(messages), sum(media), max(file_bytes), max(until) from added group by id, month
  on conflict (company_id, month) do update set messages = u.messages + excluded.messages,
    media = u.media + excluded.media, counted_at = greatest(u.counted_at, excluded.counted_at)
)
select coalesce(bool_or(until < $1), false) as "isBehind" from counting`,
};

// A company that was not counted yet has no row, and gets its files with the next run.
const filesStatement: PreparedStatement = {
  name: "companies.count-files",
  text: `
with stored as materialized (select company_id, sum(bytes)::bigint as bytes from files group by company_id)
update company_usage u set file_bytes = coalesce(s.bytes, 0)
from companies c left join stored s on s.company_id = c.id
where u.company_id = c.id and u.month = ${monthOf("$1::timestamptz", "c.time_zone")}`,
};
