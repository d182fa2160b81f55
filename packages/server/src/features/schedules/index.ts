import type {
  ContactId,
  InputOf,
  ReplyOf,
  Schedule,
  ScheduleBody,
  ScheduleId,
} from "@balcao/contract";
import { pageSizes } from "@balcao/contract";
import { and, desc, eq, getTableColumns, ne, or, sql } from "drizzle-orm";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError, hasPermission } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import {
  contains,
  hasId,
  holdReferences,
  listTotal,
  readPage,
  requireRow,
} from "../../platform/db/records.ts";
import { companies, contacts, schedules, users } from "../../platform/db/schema/index.ts";
import type { DomainEvents } from "../../platform/events.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { IncomingFile, MediaFiles, StoredFile } from "../media/index.ts";
import { attachFile, detachFile } from "../media/index.ts";
import { instantOf } from "./local-time.ts";
import type { ScheduleRow, SeenSchedule } from "./schedule.ts";
import {
  changedSchedules,
  changeSchedule,
  readersOf,
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
      routes.handle("GET /schedules/:scheduleId", ({ ctx, params }) =>
        showSchedule(deps, ctx, params.scheduleId),
      );
      routes.handle("POST /schedules", ({ ctx, body }) => createSchedule(deps, ctx, body));
      routes.handle("PUT /schedules/:scheduleId", ({ ctx, params, body }) =>
        updateSchedule(deps, ctx, params.scheduleId, body),
      );
      routes.handle("DELETE /schedules/:scheduleId", async ({ ctx, params }) => {
        await removeSchedule(deps, ctx, params.scheduleId);
        return { message: "Schedule deleted" };
      });
      routes.handle("POST /schedules/:scheduleId/media-upload", async ({ ctx, params, upload }) => {
        await attachScheduleFile(deps, ctx, params.scheduleId, upload.files());
        return { mensagem: "Arquivo Anexado" };
      });
      routes.handle("DELETE /schedules/:scheduleId/media-upload", async ({ ctx, params }) => {
        const { scheduleId: id } = params;
        await detachFile(deps.media, ctx, (file) => saveFile(deps, ctx, id, file));
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
  const isCalendar = unsent !== undefined || dateStart != null || dateEnd != null;
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
  );
  const order = isCalendar
    ? [schedules.sendAt, schedules.id]
    : [desc(schedules.createdAt), desc(schedules.id)];
  const names = {
    contactName: contacts.name,
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
  { db, sources, realtime }: SchedulesDeps,
  ctx: UserCtx,
  body: ScheduleBody,
): Promise<Schedule> {
  requireBody(body.body);
  const { userId, name: userName } = ctx.actor;
  return db.transaction(ctx, async (tx) => {
    const { contactName, ...values } = await plan(ctx, tx, body);
    const { sendAt } = values;
    const now = sources.clock.now();
    requireAhead(sendAt, now);
    const { companyId } = ctx;
    const rows = await tx.orm
      .insert(schedules)
      .values({ ...values, companyId, userId, dueAt: sendAt, createdAt: now, updatedAt: now })
      .returning();
    const row = { ...requireRow(rows), contactName, isOptedOut: false, userName };
    return tellSaved(realtime, tx, row, "create");
  });
}

async function updateSchedule(
  deps: SchedulesDeps,
  ctx: UserCtx,
  id: ScheduleId,
  body: ScheduleBody,
): Promise<Schedule> {
  requireBody(body.body);
  return deps.db.transaction(ctx, async (tx) => {
    const before = await lockOwn(ctx, tx, id);
    const { contactName, ...values } = await plan(ctx, tx, body);
    const waiting = changeSchedule(before, values.sendAt, deps.sources.clock.now());
    return saveSchedule(
      deps,
      ctx,
      tx,
      { ...before, contactName, isOptedOut: false },
      {
        ...{ ...values, ...waiting, status: "PENDENTE" },
        ...{ lockedAt: null, messageId: null, ticketId: null },
      },
    );
  });
}

async function removeSchedule(
  { db, realtime, media }: SchedulesDeps,
  ctx: UserCtx,
  id: ScheduleId,
): Promise<void> {
  const { fileKey } = await db.transaction(ctx, async (tx) => {
    const row = await lockOwn(ctx, tx, id);
    await tx.orm.delete(schedules).where(hasId(ctx, schedules, id));
    const payload = { action: "delete", scheduleId: id } as const;
    tx.onCommit(() => realtime.publish(ctx.companyId, "schedule", payload, readersOf(row)));
    return row;
  });
  if (fileKey !== null) await media.removeUnused(ctx.companyId, [fileKey]);
}

/** Checks whether the schedule can change before a file is stored. */
async function attachScheduleFile(
  deps: SchedulesDeps,
  ctx: UserCtx,
  id: ScheduleId,
  incoming: AsyncIterable<IncomingFile>,
): Promise<void> {
  requireUnsent(await findOwn(deps, ctx, id));
  await attachFile(deps.media, ctx, incoming, "image", (file) => saveFile(deps, ctx, id, file));
}

/** A process that is about to send the schedule has the former file: its claim ends, and the schedule waits again. */
async function saveFile(
  deps: SchedulesDeps,
  ctx: UserCtx,
  id: ScheduleId,
  file: StoredFile | null,
): Promise<string | null> {
  return deps.db.transaction(ctx, async (tx) => {
    const before = await lockOwn(ctx, tx, id);
    requireUnsent(before);
    const status = before.status === "AGENDADA" ? "PENDENTE" : before.status;
    const values = { fileKey: file?.key ?? null, fileName: file?.name ?? null };
    await saveSchedule(deps, ctx, tx, before, { ...values, status, lockedAt: null });
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
  const { name: contactName, optedOutAt } = requireRow(held);
  if (optedOutAt !== null) throw new DomainError("ERR_CONTACT_OPTED_OUT");
  const { companyId } = ctx;
  const zones = await tx.orm
    .select({ timeZone: companies.timeZone })
    .from(companies)
    .where(eq(companies.id, companyId));
  const { timeZone } = requireRow(zones);
  const sendAt = instantOf(time, timeZone);
  if (sendAt === null) {
    const issues = [{ path: "body.sendAt", message: "is no time of the calendar" }];
    throw new DomainError("ERR_INVALID_REQUEST", { issues });
  }
  return { body, contactId, sendAt, contactName };
}

async function findOwn({ db }: SchedulesDeps, ctx: UserCtx, id: ScheduleId): Promise<SeenSchedule> {
  const rows = await db.transaction(ctx, (tx) =>
    tx.query<SeenSchedule>(findStatement, [ctx.companyId, id]),
  );
  return requireOwn(ctx, rows);
}

async function lockOwn(ctx: UserCtx, tx: Tx, id: ScheduleId): Promise<SeenSchedule> {
  return requireOwn(ctx, await tx.query<SeenSchedule>(lockStatement, [ctx.companyId, id]));
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
with locked as materialized (
  select * from schedules where company_id = $1 and id = $2 for update
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
