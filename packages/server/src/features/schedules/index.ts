import type {
  ContactId,
  InputOf,
  ReplyOf,
  Schedule,
  ScheduleBody,
  ScheduleId,
  ScheduleScope,
} from "@balcao/contract";
import { movedRepeat, pageSizes } from "@balcao/contract";
import { isBefore } from "date-fns/isBefore";
import { and, desc, eq, getTableColumns, ne, or, sql } from "drizzle-orm";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError, hasPermission } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import {
  contains,
  holdReferences,
  listTotal,
  readPage,
  requireRow,
  timeZoneOf,
} from "../../platform/db/records.ts";
import { contacts, schedules, users } from "../../platform/db/schema/index.ts";
import type { DomainEvents } from "../../platform/events.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { IncomingFile, MediaFiles, StoredFile } from "../media/index.ts";
import { attachFile, detachFile } from "../media/index.ts";
import { isListed, readCalendar } from "./calendar.ts";
import { instantOf, localTextOf } from "./local-time.ts";
import type { ScheduleRow, SeenSchedule } from "./schedule.ts";
import {
  changedSchedules,
  changeSchedule,
  isUnsent,
  requireAhead,
  requireBody,
  requireUnsent,
  saveSchedule,
  scheduleColumns,
  scheduleJoins,
  tellSaved,
  toSchedule,
} from "./schedule.ts";
import type { SendingDeps } from "./sending.ts";
import { createSender } from "./sending.ts";
import { cutSeries, deleteSchedules, insertLater, planSeries, saveFileOf } from "./series.ts";

export { instantOf } from "./local-time.ts";

export type SchedulesDeps = SendingDeps & {
  media: Pick<MediaFiles, "storeFiles" | "removeUnused">;
  domainEvents: DomainEvents;
  /** Pause between two rounds. */
  lookEveryMs?: number;
};

export type SchedulesFeature = {
  register(routes: Routes): void;
  /** Sends due schedules while it runs; several processes may run it. */
  sending: { start(): void; stop(): Promise<void> };
};

const LOOK_EVERY_MS = 5_000;

/** Scheduled messages (wire-contract 5.14, behaviour 4). */
export function createSchedulesFeature(deps: SchedulesDeps): SchedulesFeature {
  const { lookEveryMs = LOOK_EVERY_MS } = deps;
  deps.domainEvents.on("contact.numberChanging", (ctx, tx, { contactId }) =>
    holdSchedules(deps, ctx, tx, contactId),
  );
  return {
    register(routes) {
      routes.handle("GET /schedules", ({ ctx, query }) => listSchedules(deps, ctx, query));
      routes.handle("GET /schedules/calendar", ({ ctx, query }) => readCalendar(deps, ctx, query));
      routes.handle("GET /schedules/:scheduleId", ({ ctx, params }) =>
        showSchedule(deps, ctx, params.scheduleId),
      );
      routes.handle("POST /schedules", ({ ctx, body }) => createSchedule(deps, ctx, body));
      routes.handle("PUT /schedules/:scheduleId", ({ ctx, params, query, body }) =>
        updateSchedule(deps, ctx, { id: params.scheduleId, ...query }, body),
      );
      routes.handle("DELETE /schedules/:scheduleId", async ({ ctx, params, query }) => {
        await removeSchedule(deps, ctx, { id: params.scheduleId, ...query });
        return { message: "Schedule deleted" };
      });
      routes.handle("POST /schedules/:scheduleId/media-upload", async (request) => {
        const { ctx, params, query, upload } = request;
        const of = { id: params.scheduleId, ...query };
        await attachScheduleFile(deps, ctx, of, upload.files());
        return { mensagem: "Arquivo Anexado" };
      });
      routes.handle("DELETE /schedules/:scheduleId/media-upload", async (request) => {
        const { ctx, params, query } = request;
        const of = { id: params.scheduleId, ...query };
        await detachFile(deps.media, ctx, (file) => saveFile(deps, ctx, of, file));
        return { mensagem: "Arquivo Excluído" };
      });
    },
    sending: createSender(deps, lookEveryMs),
  };
}

/**
 * The caller's schedules, or all of them with `schedules:manage-all`. Days are days in the company's time zone, both
 * included; with one of them, or without sent schedules, the order is that of the calendar.
 */
async function listSchedules(
  { db }: SchedulesDeps,
  ctx: UserCtx,
  query: InputOf<"GET /schedules">["query"],
): Promise<ReplyOf<"GET /schedules">> {
  const { searchParam, contactId, userId, dateStart, dateEnd, unsent, pageNumber } = query;
  const isByTime = unsent !== undefined || dateStart != null || dateEnd != null;
  const { companyId } = ctx;
  const zone = sql`(select time_zone from companies where id = ${companyId})`;
  const found = and(
    eq(schedules.companyId, companyId),
    or(contains(schedules.body, searchParam), contains(contacts.name, searchParam)),
    contactId == null ? undefined : eq(schedules.contactId, contactId),
    userId == null ? undefined : eq(schedules.userId, userId),
    managesAll(ctx) ? undefined : eq(schedules.userId, ctx.actor.userId),
    dateStart == null
      ? undefined
      : sql`${schedules.sendAt} >= ${dateStart}::date::timestamp at time zone ${zone}`,
    dateEnd == null
      ? undefined
      : sql`${schedules.sendAt} < (${dateEnd}::date + 1)::timestamp at time zone ${zone}`,
    unsent === undefined ? undefined : ne(schedules.status, "ENVIADA"),
    isListed(query.states, query.whatsappId),
  );
  const order = isByTime
    ? [schedules.sendAt, schedules.id]
    : [desc(query.latestFirst ? schedules.sendAt : schedules.createdAt), desc(schedules.id)];
  const names = {
    contactName: contacts.name,
    contactNumber: contacts.number,
    isOptedOut: sql<boolean>`${contacts.optedOutAt} is not null`,
    userName: users.name,
  };
  const { rows, ...totals } = await db.transaction(ctx, (tx) =>
    readPage(pageNumber, pageSizes.schedules, (limit, offset) =>
      tx.orm
        .select({ ...getTableColumns(schedules), ...names, total: listTotal })
        .from(schedules)
        .innerJoin(
          contacts,
          and(eq(contacts.companyId, companyId), eq(contacts.id, schedules.contactId)),
        )
        .leftJoin(users, and(eq(users.companyId, companyId), eq(users.id, schedules.userId)))
        .where(found)
        .orderBy(...order)
        .limit(limit)
        .offset(offset),
    ),
  );
  return { schedules: rows.map(toSchedule), ...totals };
}

async function showSchedule(deps: SchedulesDeps, ctx: UserCtx, id: ScheduleId): Promise<Schedule> {
  return toSchedule(await findOwn(deps, ctx, id));
}

async function createSchedule(
  deps: SchedulesDeps,
  ctx: UserCtx,
  body: ScheduleBody,
): Promise<Schedule> {
  requireBody(body.body);
  const { userId, name: userName } = ctx.actor;
  return deps.db.transaction(ctx, async (tx) => {
    const { contactName, contactNumber, timeZone, ...values } = await plan(ctx, tx, body);
    const series = body.repeat ? planSeries(deps, { ...values, timeZone }, body.repeat) : null;
    const sendAt = series?.times[0] ?? values.sendAt;
    const now = deps.sources.clock.now();
    requireAhead(sendAt, now);
    const rows = await tx.orm
      .insert(schedules)
      .values({
        ...values,
        ...{ companyId: ctx.companyId, userId, sendAt, dueAt: sendAt },
        ...{ seriesId: series?.seriesId ?? null, repeat: series?.repeat ?? null },
        ...{ createdAt: now, updatedAt: now },
      })
      .returning();
    const row = { ...requireRow(rows), contactName, contactNumber, isOptedOut: false, userName };
    if (series) await insertLater(deps, tx, row, series);
    return tellSaved(deps.realtime, tx, row, "create");
  });
}

/** A schedule that a user changes or removes, alone or with the later ones of its series. */
type Wanted = { id: ScheduleId; scope: ScheduleScope };

async function updateSchedule(
  deps: SchedulesDeps,
  ctx: UserCtx,
  wanted: Wanted,
  body: ScheduleBody,
): Promise<Schedule> {
  requireBody(body.body);
  return deps.db.transaction(ctx, async (tx) => {
    const { before, later } = await lockWanted(ctx, tx, wanted);
    const { contactName, contactNumber, timeZone, ...values } = await plan(ctx, tx, body);
    requireUnsent(before);
    const isSeries = wanted.scope === "following" || before.seriesId === null;
    const repeat = isSeries ? repeatAfter(before, body, { ...values, timeZone }) : before.repeat;
    const series = isSeries && repeat ? planSeries(deps, { ...values, timeZone }, repeat) : null;
    const sendAt = series?.times[0] ?? values.sendAt;
    const waiting = changeSchedule(before, sendAt, deps.sources.clock.now());
    if (isSeries) await cutSeries(deps, ctx, tx, before, later.filter(isUnsent));
    const saved = await saveSchedule(
      deps,
      ctx,
      tx,
      { ...before, contactName, contactNumber, isOptedOut: false },
      {
        ...{ ...values, ...waiting, sendAt, status: "PENDENTE" },
        ...{ lockedAt: null, messageId: null, ticketId: null },
        ...(isSeries ? { seriesId: series?.seriesId ?? null, repeat } : {}),
      },
    );
    if (series) await insertLater(deps, tx, saved, series);
    return toSchedule(saved);
  });
}

/** How a message repeats after the change: as asked, or as before with its days moved. */
function repeatAfter(
  { repeat, sendAt: from }: SeenSchedule,
  body: ScheduleBody,
  { sendAt, timeZone }: { sendAt: Date; timeZone: string },
) {
  if (body.repeat !== undefined || repeat === null) return body.repeat ?? null;
  return movedRepeat(repeat, dayOf(from, timeZone), dayOf(sendAt, timeZone));
}

const dayOf = (instant: Date, timeZone: string): string =>
  localTextOf(instant, timeZone).slice(0, "2026-11-20".length);

async function removeSchedule(deps: SchedulesDeps, ctx: UserCtx, wanted: Wanted): Promise<void> {
  const removed = await deps.db.transaction(ctx, async (tx) => {
    const { before, later } = await lockWanted(ctx, tx, wanted);
    const rows = [before, ...later.filter(isUnsent)];
    if (wanted.scope === "following") await cutSeries(deps, ctx, tx, before, rows);
    else await deleteSchedules(deps, ctx, tx, rows);
    return rows;
  });
  const keys = new Set(removed.flatMap(({ fileKey }) => fileKey ?? []));
  if (keys.size > 0) await deps.media.removeUnused(ctx.companyId, [...keys]);
}

/** Checks whether the schedule can change before a file is stored. */
async function attachScheduleFile(
  deps: SchedulesDeps,
  ctx: UserCtx,
  wanted: Wanted,
  incoming: AsyncIterable<IncomingFile>,
): Promise<void> {
  requireUnsent(await findOwn(deps, ctx, wanted.id));
  await attachFile(deps.media, ctx, incoming, "image", (file) => saveFile(deps, ctx, wanted, file));
}

/** Returns the former file of the schedule. Other files of its series are removed with those that nothing needs. */
async function saveFile(
  deps: SchedulesDeps,
  ctx: UserCtx,
  wanted: Wanted,
  file: StoredFile | null,
): Promise<string | null> {
  return deps.db.transaction(ctx, async (tx) => {
    const { before, later } = await lockWanted(ctx, tx, wanted);
    requireUnsent(before);
    await saveFileOf(deps, ctx, tx, [before, ...later.filter(isUnsent)], file);
    return before.fileKey;
  });
}

/** Pauses other users' schedules for the contact until their authors have checked the new number. */
async function holdSchedules(
  { sources, realtime }: SchedulesDeps,
  { companyId, actor }: Ctx,
  tx: Tx,
  contactId: ContactId,
): Promise<void> {
  const userId = actor.kind === "user" ? actor.userId : null;
  const values = [companyId, contactId, userId, sources.clock.now()];
  const held = await tx.query<ScheduleRow>(holdStatement, values);
  for (const row of held) tellSaved(realtime, tx, row);
}

/** The columns for a body: the contact exists and did not opt out, and the time is an instant. */
async function plan(ctx: UserCtx, tx: Tx, { body, contactId, sendAt: time }: ScheduleBody) {
  const held = await holdReferences(ctx, tx, contacts, [contactId], "ERR_NO_CONTACT_FOUND");
  const { name: contactName, number: contactNumber, optedOutAt } = requireRow(held);
  if (optedOutAt !== null) throw new DomainError("ERR_CONTACT_OPTED_OUT");
  const timeZone = await timeZoneOf(ctx, tx);
  const sendAt = instantOf(time, timeZone);
  if (sendAt === null) {
    const issues = [{ path: "body.sendAt", message: "is no time of the calendar" }];
    throw new DomainError("ERR_INVALID_REQUEST", { issues });
  }
  return { body, contactId, sendAt, contactName, contactNumber, timeZone };
}

async function findOwn({ db }: SchedulesDeps, ctx: UserCtx, id: ScheduleId): Promise<SeenSchedule> {
  const rows = await db.transaction(ctx, (tx) =>
    tx.query<SeenSchedule>(findStatement, [ctx.companyId, id]),
  );
  return requireOwn(ctx, rows);
}

/** Locks the schedule and, if they are wanted, the later ones of its series. */
async function lockWanted(
  ctx: UserCtx,
  tx: Tx,
  { id, scope }: Wanted,
): Promise<{ before: SeenSchedule; later: SeenSchedule[] }> {
  const values = [ctx.companyId, id, scope === "following"];
  const rows = await tx.query<SeenSchedule>(lockStatement, values);
  const before = requireOwn(
    ctx,
    rows.filter((row) => row.id === id),
  );
  // A change that came first may have put some into another series.
  const isLater = (row: SeenSchedule): boolean =>
    row.id !== id && row.seriesId === before.seriesId && !isBefore(row.sendAt, before.sendAt);
  return { before, later: rows.filter(isLater) };
}

/** Another user's schedule is not found. */
function requireOwn(ctx: UserCtx, [row]: readonly SeenSchedule[]): SeenSchedule {
  if (!row || (row.userId !== ctx.actor.userId && !managesAll(ctx))) {
    throw new DomainError("ERR_NO_SCHEDULE_FOUND");
  }
  return row;
}

function managesAll(ctx: UserCtx): boolean {
  return hasPermission(ctx, "schedules:manage-all");
}

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
  // By hand: the lock comes first, in its own step, because the joined rows must belong to the locked version.
  text: `
with one as materialized (
  select id, series_id from schedules where company_id = $1 and id = $2
), locked as materialized (
  select * from schedules
  where company_id = $1 and id = any (array(
    select id from one
    union
    select f.id from one join schedules f on f.company_id = $1 and f.series_id = one.series_id
    where $3
  ))
  order by id for update
) ${seen("locked")}`,
};

const holdStatement = {
  name: "schedules.hold",
  // A schedule that is being sent is locked: after that transaction it is a message, or this statement changes it.
  text: changedSchedules(`
update schedules set
  status = 'ERRO', error_code = 'ERR_CONTACT_NUMBER_CHANGED', locked_at = null, updated_at = $4
where company_id = $1 and contact_id = $2 and user_id is distinct from $3
  and status in ('PENDENTE', 'AGENDADA') and message_id is null`),
};
