import type { InputOf, ReplyOf, Schedule, ScheduleBody, ScheduleId } from "@balcao/contract";
import { pageSizes } from "@balcao/contract";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError, hasPermission } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { Clock } from "../../platform/sources.ts";
import type { MediaFiles } from "../media/index.ts";
import type { ScheduleEvents } from "./events.ts";
import { instantOf } from "./local-time.ts";
import type { SeenSchedule } from "./repository.ts";
import {
  deleteSchedule,
  findPlanning,
  findSchedule,
  insertSchedule,
  listSchedules,
  lockSchedule,
  saveSchedule,
} from "./repository.ts";
import type { ScheduleValues } from "./schedule.ts";
import { changeSchedule, requireAhead, requireBody, toScheduleDto } from "./schedule.ts";

export type ScheduleServiceDeps = {
  db: Database;
  clock: Clock;
  media: Pick<MediaFiles, "removeUnused">;
  events: ScheduleEvents;
};

export function createScheduleService({ db, clock, media, events }: ScheduleServiceDeps) {
  /** The caller's schedules; all of them for who manages all. */
  async function page(
    ctx: UserCtx,
    query: InputOf<"GET /schedules">["query"],
  ): Promise<ReplyOf<"GET /schedules">> {
    const wanted = {
      searchParam: query.searchParam,
      pageNumber: query.pageNumber,
      contactId: query.contactId ?? null,
      userId: query.userId ?? null,
      isUnsent: query.unsent !== undefined,
      ownerId: managesAll(ctx) ? null : ctx.actor.userId,
      dateStart: query.dateStart ?? null,
      dateEnd: query.dateEnd ?? null,
    };
    const { rows, total } = await db.transaction(ctx, (tx) => listSchedules(ctx, tx, wanted));
    const end = (query.pageNumber - 1) * pageSizes.schedules + rows.length;
    return {
      schedules: rows.map(toScheduleDto),
      count: total,
      hasMore: rows.length > 0 && total > end,
    };
  }

  async function show(ctx: UserCtx, id: ScheduleId): Promise<Schedule> {
    const row = await db.transaction(ctx, (tx) => findSchedule(ctx, tx, id));
    return toScheduleDto(requireOwn(ctx, row));
  }

  async function create(ctx: UserCtx, body: ScheduleBody): Promise<Schedule> {
    requireBody(body.body);
    return db.transaction(ctx, async (tx) => {
      const values = await plan(ctx, tx, body);
      const now = clock.now();
      requireAhead(values.sendAt, now);
      const row = await insertSchedule(ctx, tx, values, { userId: ctx.actor.userId, now });
      events.saved(tx, row, "create");
      return toScheduleDto(row);
    });
  }

  async function update(ctx: UserCtx, id: ScheduleId, body: ScheduleBody): Promise<Schedule> {
    requireBody(body.body);
    return db.transaction(ctx, async (tx) => {
      const before = requireOwn(ctx, await lockSchedule(ctx, tx, id));
      const values = await plan(ctx, tx, body);
      const now = clock.now();
      const waiting = changeSchedule(before, values.sendAt, now);
      const row = await saveSchedule(ctx, tx, id, { ...values, ...waiting }, now);
      events.saved(tx, row, "update");
      return toScheduleDto(row);
    });
  }

  async function remove(ctx: UserCtx, id: ScheduleId): Promise<void> {
    const { fileKey } = await db.transaction(ctx, async (tx) => {
      const row = requireOwn(ctx, await lockSchedule(ctx, tx, id));
      await deleteSchedule(ctx, tx, id);
      events.deleted(tx, row);
      return row;
    });
    if (fileKey !== null) await media.removeUnused(ctx.companyId, [fileKey]);
  }

  /** What the body says, in the company's terms: the contact is there, the time is an instant. */
  async function plan(
    ctx: UserCtx,
    tx: Tx,
    { body, contactId, sendAt: time }: ScheduleBody,
  ): Promise<ScheduleValues> {
    const { timeZone, isContact } = await findPlanning(ctx, tx, contactId);
    if (!isContact) throw new DomainError("ERR_NO_CONTACT_FOUND");
    const sendAt = instantOf(time, timeZone);
    if (sendAt === null) {
      const issues = [{ path: "body.sendAt", message: "is no time of the calendar" }];
      throw new DomainError("ERR_INVALID_REQUEST", { issues });
    }
    return { body, contactId, sendAt };
  }

  return { page, show, create, update, remove };
}

export type ScheduleService = ReturnType<typeof createScheduleService>;

function managesAll(ctx: UserCtx): boolean {
  return hasPermission(ctx, "schedules:manage-all");
}

/** The schedule; somebody else's is as if it were not there. */
export function requireOwn(ctx: UserCtx, row: SeenSchedule | undefined): SeenSchedule {
  if (!row || (row.userId !== ctx.actor.userId && !managesAll(ctx))) {
    throw new DomainError("ERR_NO_SCHEDULE_FOUND");
  }
  return row;
}
