import type { InputOf, ReplyOf, ReportFilter, ReportRow } from "@balcao/contract";
import { pageSizes } from "@balcao/contract";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import type { MediaKey } from "../../platform/media/media-store.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import { requireRow, toIso, toIsoOrNull } from "../../platform/db/records.ts";
import { pictureUrl } from "../contacts/index.ts";
import type { SignFile } from "../media/index.ts";
import type { FiguresDeps, Period, Sums } from "../dashboard/index.ts";
import {
  chosenBy,
  chosenValues,
  readPeriod,
  resolvedAt,
  sums,
  timed,
  toMeasures,
} from "../dashboard/index.ts";

export type ReportsDeps = FiguresDeps & {
  /** The address of a stored file. */
  sign: SignFile;
};

type Page = ReplyOf<"GET /reports/attendances">;

/** One page of a report; the first one has the sums of all pages. */
export async function listReport(
  { db, clock, sign }: ReportsDeps,
  ctx: UserCtx,
  { after, ...filter }: InputOf<"GET /reports/attendances">["query"],
): Promise<Page> {
  const period = await readPeriod(db, ctx, filter, clock.now());
  const [at, id] = after?.split("_").map(Number) ?? [null, null];
  const values = reportValues(ctx, filter, period);
  const size = pageSizes.reportRows;
  return db.transaction(ctx, async (tx) => {
    const keys = await tx.query<{ id: number; at: number }>(pageStatements[filter.by], [
      ...values,
      ...[at, id, size + 1],
    ]);
    const page = keys.slice(0, size);
    const last = keys.length > size ? page.at(-1) : undefined;
    const { from, to, timeZone } = period;
    return {
      period: { from, to, timeZone },
      attendances: await readRows(
        { sign },
        ctx,
        tx,
        page.map((key) => key.id),
      ),
      next: last ? `${last.at}_${last.id}` : null,
      sums:
        after === undefined
          ? toMeasures(requireRow(await tx.query<Sums>(sumStatements[filter.by], values)))
          : null,
    };
  });
}

/** The sums of a report and the ids of its attendances, newest first. */
export async function readWholeReport(
  db: Database,
  ctx: UserCtx,
  filter: ReportFilter,
  period: Period,
): Promise<Sums & { ids: string | null }> {
  const values = reportValues(ctx, filter, period);
  return requireRow(
    await db.read<Sums & { ids: string | null }>(ctx, wholeStatements[filter.by], values),
  );
}

function reportValues(ctx: Ctx, filter: ReportFilter, period: Period): unknown[] {
  const { state, time, rates, waitOver, weekday, hour, contactId, protocol, searchParam } = filter;
  return [
    ...[ctx.companyId, period.fromAt, period.untilAt, period.timeZone],
    ...chosenValues(filter),
    ...[state, time ?? null, rates?.length ? rates : null, waitOver ?? null],
    ...[weekday ?? null, hour ?? null, contactId ?? null, protocol ?? null, searchParam],
  ];
}

const VALUES = 17;

/** The moment that the period is about. */
const moments = { queued: "a.queued_at", resolved: resolvedAt } as const;

/** Conditions of an attendance `a`, on the values of `reportValues`. Each is left out by the planner where it is not asked for. */
const conditions = (
  moment: string,
): string => `a.company_id = $1 and ${moment} >= $2 and ${moment} < $3
    and a.queued_at is not null and ${chosenBy(5)}
    and case $9::text when 'resolved' then ${resolvedAt} is not null when 'running' then ${resolvedAt} is null
      when 'reopened' then a.is_reopened when 'new' then a.is_first when 'rated' then a.rate is not null else true end
    and case $10::text when 'wait' then ${timed("wait")} when 'firstAnswer' then ${timed("firstAnswer")}
      when 'support' then ${timed("support")} else true end
    and ($11::int[] is null or a.rate = any($11::int[]))
    and ($12::int is null or a.started_at - a.queued_at > make_interval(mins => $12::int))
    and ($13::int is null or extract(isodow from ${moment} at time zone $4)::int - 1 = $13::int)
    and ($14::int is null or extract(hour from ${moment} at time zone $4)::int = $14::int)
    and ($15::int is null or a.ticket_id in (select t.id from tickets t where t.company_id = $1 and t.contact_id = $15::int))
    and ($16::int is null or a.ticket_id = $16::int or a.id = $16::int)
    and ($17::text = '' or a.ticket_id in (
      select t.id from tickets t join contacts k on k.company_id = $1 and k.id = t.contact_id
      where t.company_id = $1
        and (position(f_norm($17::text) in f_norm(k.name)) > 0 or position($17::text in k.number) > 0)))`;

const milliseconds = (moment: string): string => `(extract(epoch from ${moment}) * 1000)::bigint`;

// By hand and unnamed: planned for what is asked, and read from an index in the order of the list.
const pageText = (moment: string): string => `
select a.id, ${milliseconds(moment)} as at
from attendances a
where ${conditions(moment)}
  and ($${VALUES + 1}::bigint is null or ${moment} <= to_timestamp($${VALUES + 1}::bigint / 1000.0)
    and (${milliseconds(moment)}, a.id) < ($${VALUES + 1}::bigint, $${VALUES + 2}::int))
order by ${moment} desc, a.id desc limit $${VALUES + 3}`;
const pageStatements = {
  queued: { name: "", text: pageText(moments.queued) },
  resolved: { name: "", text: pageText(moments.resolved) },
};

const sumText = (moment: string): string => `
select ${sums} from attendances a where ${conditions(moment)}`;
const sumStatements = {
  queued: { name: "", text: sumText(moments.queued) },
  resolved: { name: "", text: sumText(moments.resolved) },
};

const wholeText = (moment: string): string => `
select ${sums}, string_agg(a.id::text, ',' order by ${moment} desc, a.id desc) as ids
from attendances a where ${conditions(moment)}`;
const wholeStatements = {
  queued: { name: "", text: wholeText(moments.queued) },
  resolved: { name: "", text: wholeText(moments.resolved) },
};

type Row = Omit<
  ReportRow,
  | ("createdAt" | "queuedAt" | "startedAt" | "firstAnswerAt" | "resolvedAt")
  | ("waitSeconds" | "firstAnswerSeconds" | "supportSeconds" | "contact")
> & {
  contact:
    | (Omit<NonNullable<ReportRow["contact"]>, "profilePicUrl"> & { pictureKey: MediaKey | null })
    | null;
  createdAt: Date;
  queuedAt: Date;
  startedAt: Date | null;
  askedAt: Date | null;
  firstAnswerAt: Date | null;
  resolvedAt: Date | null;
};

/** The attendances with these ids, in this order. */
export async function readRows(
  { sign }: Pick<ReportsDeps, "sign">,
  ctx: Ctx,
  tx: Tx,
  ids: readonly number[],
): Promise<ReportRow[]> {
  const rows = await tx.query<Row>(rowsStatement, [ctx.companyId, ids]);
  return rows.map(({ askedAt, contact, ...row }) => ({
    ...row,
    contact: contact && {
      ...contact,
      profilePicUrl: pictureUrl(sign, ctx.companyId, contact.pictureKey),
    },
    createdAt: toIso(row.createdAt),
    queuedAt: toIso(row.queuedAt),
    startedAt: toIsoOrNull(row.startedAt),
    firstAnswerAt: toIsoOrNull(row.firstAnswerAt),
    resolvedAt: toIsoOrNull(row.resolvedAt),
    waitSeconds: secondsBetween(row.queuedAt, row.startedAt),
    firstAnswerSeconds: secondsBetween(askedAt, row.firstAnswerAt),
    supportSeconds: secondsBetween(row.startedAt, row.resolvedAt),
  }));
}

function secondsBetween(from: Date | null, to: Date | null): number | null {
  return from === null || to === null || to <= from ? null : (to.getTime() - from.getTime()) / 1000;
}

const named = (alias: string, more = ""): string =>
  `case when ${alias}.id is not null then json_build_object('id', ${alias}.id, 'name', ${alias}.name,
    'isRemoved', ${alias}.deleted_at is not null${more}) end`;

const rowsStatement = {
  name: "reports.rows",
  text: `
select a.id, t.id as "ticketId", t.uuid as "ticketUuid",
  case when k.id is not null then json_build_object('id', k.id, 'name', k.name, 'number', coalesce(k.number, ''),
    'isGroup', k.is_group, 'pictureKey', k.picture_key) end as contact,
  ${named("u")} as "user", ${named("q", ", 'color', q.color")} as queue, ${named("w")} as whatsapp,
  ${named("b")} as "closedBy", r.name as reason,
  a.created_at as "createdAt", coalesce(a.queued_at, a.created_at) as "queuedAt", a.started_at as "startedAt", a.asked_at as "askedAt",
  a.answered_at as "firstAnswerAt", ${resolvedAt} as "resolvedAt", a.rate, a.is_reopened as "isReopened",
  a.is_first as "isNew"
from unnest($2::int[]) with ordinality as chosen (id, place)
join attendances a on a.company_id = $1 and a.id = chosen.id
left join tickets t on t.company_id = $1 and t.id = a.ticket_id
left join contacts k on k.company_id = $1 and k.id = t.contact_id
left join users u on u.company_id = $1 and u.id = a.user_id
left join queues q on q.company_id = $1 and q.id = a.queue_id
left join connections w on w.company_id = $1 and w.id = a.connection_id
left join users b on b.company_id = $1 and b.id = a.closed_by
left join resolve_reasons r on r.company_id = $1 and r.id = a.reason_id
order by chosen.place`,
};
