import type { ScheduleId, ScheduleRepeat } from "@balcao/contract";
import { repeatDays } from "@balcao/contract";
import { isAfter } from "date-fns/isAfter";
import { and, eq, inArray, sql } from "drizzle-orm";
import type { Ctx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { schedules } from "../../platform/db/schema/index.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import type { Clock, IdSource } from "../../platform/sources.ts";
import { instantOf, localTextOf } from "./local-time.ts";
import type { ScheduleRow } from "./schedule.ts";
import { readersOf, tellSaved } from "./schedule.ts";

export type SeriesDeps = { sources: { clock: Clock; ids: IdSource }; realtime: Realtime };

/** The messages of a series: the time of each, and what they have in common. */
export type Series = {
  /** The first is the message that the user edits. */
  times: readonly [Date, ...Date[]];
  seriesId: string;
  repeat: ScheduleRepeat;
};

/**
 * The times of a repeated message, from `sendAt` on: the same local time on each day that fits, whatever the clocks do in
 * between. Throws ERR_SCHEDULE_REPEAT for no message, too many, or more than a year.
 */
export function planSeries(
  { sources }: Pick<SeriesDeps, "sources">,
  { sendAt, timeZone }: { sendAt: Date; timeZone: string },
  repeat: ScheduleRepeat,
): Series {
  const local = localTextOf(sendAt, timeZone);
  const days = repeatDays(repeat, local.slice(0, 10)) ?? [];
  const [first, ...later] = days.flatMap((day) => instantOf(day + local.slice(10), timeZone) ?? []);
  if (first === undefined) throw new DomainError("ERR_SCHEDULE_REPEAT");
  return { times: [first, ...later], seriesId: sources.ids.uuid(), repeat };
}

/** Stores the later messages of a series like its first one, which is stored already, and publishes them. */
export async function insertLater(
  { sources, realtime }: SeriesDeps,
  tx: Tx,
  first: ScheduleRow,
  { times }: Pick<Series, "times">,
): Promise<void> {
  const now = sources.clock.now();
  const later = times.slice(1).filter((time) => isAfter(time, now));
  if (later.length === 0) return;
  const { companyId, contactId, userId, body, fileKey, fileName, seriesId, repeat } = first;
  const common = { companyId, contactId, userId, body, fileKey, fileName, seriesId, repeat };
  const rows = await tx.orm
    .insert(schedules)
    .values(
      later.map((sendAt) => ({ ...common, sendAt, dueAt: sendAt, createdAt: now, updatedAt: now })),
    )
    .returning();
  const { contactName, contactNumber, isOptedOut, userName } = first;
  for (const row of rows) {
    tellSaved(realtime, tx, { ...row, contactName, contactNumber, isOptedOut, userName }, "create");
  }
}

/** Ends a locked series the day before one of its messages, and deletes these messages of it. */
export async function cutSeries(
  deps: SeriesDeps,
  ctx: Ctx,
  tx: Tx,
  { seriesId, sendAt }: ScheduleRow,
  gone: readonly ScheduleRow[],
): Promise<void> {
  await deleteSchedules(deps, ctx, tx, gone);
  if (seriesId !== null) await tx.query(cutStatement, [ctx.companyId, seriesId, sendAt]);
}

/** Deletes locked schedules and publishes that. */
export async function deleteSchedules(
  { realtime }: Pick<SeriesDeps, "realtime">,
  { companyId }: Ctx,
  tx: Tx,
  rows: readonly ScheduleRow[],
): Promise<void> {
  if (rows.length === 0) return;
  await tx.orm.delete(schedules).where(
    and(
      eq(schedules.companyId, companyId),
      inArray(
        schedules.id,
        rows.map(({ id }) => id),
      ),
    ),
  );
  tx.onCommit(() => {
    for (const row of rows) {
      const payload = { action: "delete", scheduleId: row.id } as const;
      realtime.publish(companyId, "schedule", payload, readersOf(row));
    }
  });
}

/**
 * Gives a file, or none, to locked schedules that are not sent. A process that is about to send one has the former file:
 * its claim ends, and the schedule waits again.
 */
export async function saveFileOf(
  { sources, realtime }: SeriesDeps,
  { companyId }: Ctx,
  tx: Tx,
  rows: readonly ScheduleRow[],
  file: { key: string; name: string } | null,
): Promise<void> {
  const known = new Map<ScheduleId, ScheduleRow>(rows.map((row) => [row.id, row]));
  const saved = await tx.orm
    .update(schedules)
    .set({
      fileKey: file?.key ?? null,
      fileName: file?.name ?? null,
      status: sql`case when ${schedules.status} = 'AGENDADA' then 'PENDENTE' else ${schedules.status} end`,
      lockedAt: null,
      updatedAt: sources.clock.now(),
    })
    .where(and(eq(schedules.companyId, companyId), inArray(schedules.id, [...known.keys()])))
    .returning();
  for (const row of saved) {
    const before = known.get(row.id);
    if (before) tellSaved(realtime, tx, { ...before, ...row });
  }
}

const cutStatement = {
  name: "schedules.cut-series",
  // By hand: the day before is one of the company's calendar.
  text: `
update schedules set repeat = jsonb_set(repeat, '{until}', to_jsonb(to_char(
  ($3::timestamptz at time zone (select time_zone from companies where id = $1))::date - 1,
  'YYYY-MM-DD')))
where company_id = $1 and series_id = $2 and send_at < $3 and repeat is not null`,
};
