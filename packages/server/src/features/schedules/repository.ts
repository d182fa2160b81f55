import type { ContactId, ScheduleId, UserId } from "@balcao/contract";
import { pageSizes } from "@balcao/contract";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { ScheduleRow, ScheduleValues, Waiting } from "./schedule.ts";

/** Select list of `ScheduleRow` for a row `s` of schedules joined by `scheduleJoins`. */
export const scheduleColumns = `
  s.id, s.company_id as "companyId", s.contact_id as "contactId", c.name as "contactName",
  s.ticket_id as "ticketId", s.user_id as "userId", u.name as "userName", s.body, s.send_at as "sendAt",
  s.sent_at as "sentAt", s.status, s.error_code as "errorCode", s.due_at as "dueAt", s.attempts,
  s.locked_at as "lockedAt", s.message_id as "messageId", s.file_key as "fileKey",
  s.file_name as "fileName", s.created_at as "createdAt", s.updated_at as "updatedAt"`;

/** What `scheduleColumns` reads beside `s`. */
export const scheduleJoins = `
  join contacts c on c.company_id = s.company_id and c.id = s.contact_id
  left join users u on u.company_id = s.company_id and u.id = s.user_id`;

export type ScheduleListQuery = {
  searchParam: string;
  pageNumber: number;
  contactId: ContactId | null;
  /** Whose; null is everybody's. Both must hold. */
  userId: UserId | null;
  ownerId: UserId | null;
  /** Days in the company's time zone, both included; with one of them the order is that of the calendar. */
  dateStart: string | null;
  dateEnd: string | null;
  /** Without those that were sent, in the order of the calendar. */
  isUnsent: boolean;
};

export async function listSchedules(
  ctx: Ctx,
  tx: Tx,
  query: ScheduleListQuery,
): Promise<{ rows: ScheduleRow[]; total: number }> {
  const isCalendar = query.isUnsent || query.dateStart !== null || query.dateEnd !== null;
  const rows = await tx.query<{ total: number } & (ScheduleRow | { id: null })>(
    isCalendar ? calendarStatement : pageStatement,
    [
      ctx.companyId,
      query.searchParam,
      query.contactId,
      query.userId,
      query.ownerId,
      pageSizes.schedules,
      (query.pageNumber - 1) * pageSizes.schedules,
      ...(isCalendar ? [query.dateStart, query.dateEnd, query.isUnsent] : []),
    ],
  );
  return { rows: rows.filter((row) => row.id !== null), total: rows[0]?.total ?? 0 };
}

/** A schedule with what decides whether it can still be changed. */
export type SeenSchedule = ScheduleRow & { isMessageFailed: boolean };

export async function findSchedule(
  ctx: Ctx,
  tx: Tx,
  id: ScheduleId,
): Promise<SeenSchedule | undefined> {
  const [row] = await tx.query<SeenSchedule>(findStatement, [ctx.companyId, id]);
  return row;
}

export async function lockSchedule(
  ctx: Ctx,
  tx: Tx,
  id: ScheduleId,
): Promise<SeenSchedule | undefined> {
  const [row] = await tx.query<SeenSchedule>(lockStatement, [ctx.companyId, id]);
  return row;
}

/** What a schedule of a contact needs to know; `isContact` is false for an id that the company does not have. */
export async function findPlanning(
  ctx: Ctx,
  tx: Tx,
  contactId: ContactId,
): Promise<{ timeZone: string; isContact: boolean }> {
  const [row] = await tx.query<{ timeZone: string; isContact: boolean }>(planningStatement, [
    ctx.companyId,
    contactId,
  ]);
  if (!row) throw new Error("the company is gone");
  return row;
}

export async function insertSchedule(
  ctx: Ctx,
  tx: Tx,
  { body, contactId, sendAt }: ScheduleValues,
  { userId, now }: { userId: UserId; now: Date },
): Promise<ScheduleRow> {
  const values = [ctx.companyId, contactId, userId, body, sendAt, now];
  const [row] = await tx.query<ScheduleRow>(insertStatement, values);
  if (!row) throw new Error("the schedule was not stored");
  return row;
}

/** What others than the user have scheduled for the contact waits for its author, who looks at the contact's new number. */
export async function holdSchedules(
  ctx: UserCtx,
  tx: Tx,
  contactId: ContactId,
  now: Date,
): Promise<ScheduleRow[]> {
  const values = [ctx.companyId, contactId, ctx.actor.userId, now];
  return tx.query<ScheduleRow>(holdStatement, values);
}

/** It waits again, whatever became of it before. */
export async function saveSchedule(
  ctx: Ctx,
  tx: Tx,
  id: ScheduleId,
  { body, contactId, sendAt, dueAt, attempts, errorCode }: ScheduleValues & Waiting,
  now: Date,
): Promise<ScheduleRow> {
  const [row] = await tx.query<ScheduleRow>(saveStatement, [
    ctx.companyId,
    id,
    body,
    contactId,
    sendAt,
    dueAt,
    attempts,
    errorCode,
    now,
  ]);
  if (!row) throw new Error("the locked schedule is gone");
  return row;
}

export async function saveAttachment(
  ctx: Ctx,
  tx: Tx,
  id: ScheduleId,
  file: { key: string; name: string } | null,
  now: Date,
): Promise<ScheduleRow> {
  const [row] = await tx.query<ScheduleRow>(attachStatement, [
    ctx.companyId,
    id,
    file?.key ?? null,
    file?.name ?? null,
    now,
  ]);
  if (!row) throw new Error("the locked schedule is gone");
  return row;
}

export async function deleteSchedule(ctx: Ctx, tx: Tx, id: ScheduleId): Promise<void> {
  await tx.query(deleteStatement, [ctx.companyId, id]);
}

/** The schedules of a statement that inserts or updates them, as `ScheduleRow`; `before` is what it looks up first. */
export const changedSchedules = (change: string, before = ""): string => `
with ${before} s as (${change} returning schedules.*)
select ${scheduleColumns} from s ${scheduleJoins}`;

const found = (days: string): string => `
  s.company_id = $1
  and ($2 = '' or position(f_norm($2) in f_norm(s.body)) > 0 or position(f_norm($2) in f_norm(c.name)) > 0)
  and ($3::int is null or s.contact_id = $3) and ($4::int is null or s.user_id = $4)
  and ($5::int is null or s.user_id = $5) ${days}`;

/** The page may be empty while there are others: the total is there all the same. */
const pageText = (days: string, order: string): string => `
with found as (
  select s.id, s.created_at, s.send_at from schedules s
  join contacts c on c.company_id = s.company_id and c.id = s.contact_id
  where ${found(days)}
)
select (select count(*) from found) as total, ${scheduleColumns}
from (select 1) as always
left join (
  (select id from found order by ${order} limit $6 offset $7) page
  join schedules s on s.company_id = $1 and s.id = page.id ${scheduleJoins}
) on true
order by ${order.replaceAll(/\b(created_at|send_at|id)\b/g, "s.$1")}`;

const pageStatement = {
  name: "schedules.page",
  text: pageText("", "created_at desc, id desc"),
};

const calendarStatement = {
  name: "schedules.calendar",
  text: pageText(
    `
  and ($8::date is null or s.send_at >= $8::date::timestamp at time zone
    (select time_zone from companies where id = $1))
  and ($9::date is null or s.send_at < ($9::date + 1)::timestamp at time zone
    (select time_zone from companies where id = $1))
  and (not $10 or s.status <> 'ENVIADA')`,
    "send_at, id",
  ),
};

const seen = (s: string): string => `
select ${scheduleColumns}, m.failed_code is not null as "isMessageFailed"
from ${s} s ${scheduleJoins}
left join messages m on m.company_id = s.company_id and m.id = s.message_id`;

const findStatement = {
  name: "schedules.find",
  text: `${seen("schedules")} where s.company_id = $1 and s.id = $2`,
};

const lockStatement = {
  name: "schedules.lock",
  // The lock comes first, in its own step: what is joined to the row must belong to the version that was locked.
  text: `
with locked as materialized (
  select * from schedules where company_id = $1 and id = $2 for update
) ${seen("locked")}`,
};

const planningStatement = {
  name: "schedules.planning",
  text: `
select co.time_zone as "timeZone", exists (
    select from contacts c where c.company_id = $1 and c.id = $2
  ) as "isContact"
from companies co where co.id = $1`,
};

const insertStatement = {
  name: "schedules.insert",
  text: changedSchedules(`
insert into schedules (company_id, contact_id, user_id, body, send_at, due_at, created_at, updated_at)
values ($1, $2, $3, $4, $5, $5, $6, $6)`),
};

const saveStatement = {
  name: "schedules.save",
  text: changedSchedules(`
update schedules set
  body = $3, contact_id = $4, send_at = $5, due_at = $6, attempts = $7, error_code = $8, status = 'PENDENTE',
  locked_at = null, message_id = null, ticket_id = null, updated_at = $9
where company_id = $1 and id = $2`),
};

const attachStatement = {
  name: "schedules.attach",
  // Whoever is about to hand it over has an old file: he finds it waiting again.
  text: changedSchedules(`
update schedules set
  file_key = $3, file_name = $4, updated_at = $5, locked_at = null,
  status = case when status = 'AGENDADA' then 'PENDENTE' else status end
where company_id = $1 and id = $2`),
};

const holdStatement = {
  name: "schedules.hold",
  // One that is being handed over is locked: it is a message, or is here, when that transaction has ended.
  text: changedSchedules(`
update schedules set
  status = 'ERRO', error_code = 'ERR_CONTACT_NUMBER_CHANGED', locked_at = null, updated_at = $4
where company_id = $1 and contact_id = $2 and user_id is distinct from $3
  and status in ('PENDENTE', 'AGENDADA') and message_id is null`),
};

const deleteStatement = {
  name: "schedules.delete",
  text: "delete from schedules where company_id = $1 and id = $2",
};
