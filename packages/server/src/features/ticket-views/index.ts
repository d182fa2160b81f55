import type {
  InputOf,
  ReplyOf,
  TicketListQuery,
  TicketView,
  TicketViewId,
  ViewFilter,
} from "@balcao/contract";
import { limits } from "@balcao/contract";
import type { SQL } from "drizzle-orm";
import { and, eq, isNull, or } from "drizzle-orm";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError, hasPermission } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import {
  hideRecord,
  holdReferences,
  lockRecord,
  requireRow,
  restoreRecord,
  wireDates,
} from "../../platform/db/records.ts";
import {
  companies,
  connections,
  queues,
  tags,
  ticketViews,
  users,
} from "../../platform/db/schema/index.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { Clock } from "../../platform/sources.ts";
import type { TicketsFeature } from "../tickets/index.ts";

export type TicketViewsDeps = {
  db: Database;
  clock: Clock;
  realtime: Realtime;
  tickets: Pick<TicketsFeature, "countLists">;
};

/** Saved views of the ticket lists: of one user, or shared with the team. */
export function createTicketViewsFeature(deps: TicketViewsDeps) {
  return {
    register(routes: Routes): void {
      routes.handle("GET /ticket-views", ({ ctx }) => listViews(deps, ctx));
      routes.handle("GET /ticket-views/counts", ({ ctx }) => countViews(deps, ctx));
      routes.handle("POST /ticket-views", ({ ctx, body }) => saveView(deps, ctx, body));
      routes.handle("PUT /ticket-views/:ticketViewId", ({ ctx, params, body }) =>
        changeView(deps, ctx, params.ticketViewId, body),
      );
      routes.handle("DELETE /ticket-views/:ticketViewId", async ({ ctx, params }) => {
        await removeView(deps, ctx, params.ticketViewId);
        return { message: "View deleted" };
      });
      routes.handle("POST /ticket-views/:ticketViewId/undo", ({ ctx, params }) =>
        restoreView(deps, ctx, params.ticketViewId),
      );
    },
  };
}

type ViewRow = typeof ticketViews.$inferSelect;

/** The caller's own views and the shared ones. */
function isVisible({ companyId, actor }: UserCtx): SQL | undefined {
  return and(
    eq(ticketViews.companyId, companyId),
    isNull(ticketViews.deletedAt),
    or(eq(ticketViews.isShared, true), eq(ticketViews.userId, actor.userId)),
  );
}

function readVisible(ctx: UserCtx, tx: Tx): Promise<ViewRow[]> {
  return tx.orm.select().from(ticketViews).where(isVisible(ctx)).orderBy(ticketViews.id);
}

async function listViews({ db }: TicketViewsDeps, ctx: UserCtx): Promise<TicketView[]> {
  return (await db.transaction(ctx, (tx) => readVisible(ctx, tx))).map(toView);
}

/** All counts in one statement, beside the one that reads the views. */
async function countViews(
  { db, tickets }: TicketViewsDeps,
  ctx: UserCtx,
): Promise<ReplyOf<"GET /ticket-views/counts">> {
  const views = await db.transaction(ctx, (tx) => readVisible(ctx, tx));
  const snoozed = { showAll: false, snoozed: true };
  const lists = [
    { ...snoozed, status: "open" as const },
    { ...snoozed, status: "pending" as const },
    ...views.map(({ filter }) => toQuery(filter)),
  ];
  const [open = 0, pending = 0, ...counts] = await tickets.countLists(
    ctx,
    lists,
    limits.viewCountMax + 1,
  );
  return {
    views: views.map(toView),
    counts: views.map(({ id }, index) => ({ id, count: counts[index] ?? 0 })),
    snoozed: { open, pending },
  };
}

/** The list of a view, as `GET /tickets` takes it. */
function toQuery(filter: ViewFilter): Partial<TicketListQuery> {
  const some = <Id>(ids: Id[]): Id[] | undefined => (ids.length === 0 ? undefined : ids);
  return {
    status: filter.status,
    showAll: filter.showAll,
    queueIds: some(filter.queueIds),
    tags: some(filter.tagIds),
    users: some(filter.userIds),
    whatsappIds: some(filter.connectionIds),
    withUnreadMessages: filter.isUnread,
    waitMinutes: filter.waitMinutes ?? undefined,
    snoozed: filter.status === "closed" && !filter.isSnoozed ? undefined : filter.isSnoozed,
  };
}

type NewView = InputOf<"POST /ticket-views">["body"];

async function saveView(deps: TicketViewsDeps, ctx: UserCtx, view: NewView): Promise<TicketView> {
  const now = deps.clock.now();
  return deps.db.transaction(ctx, async (tx) => {
    await holdFilter(ctx, tx, view.filter);
    await requireRoom(ctx, tx, view.isShared);
    const { companyId, actor } = ctx;
    const rows = await tx.orm
      .insert(ticketViews)
      .values({ ...view, companyId, userId: actor.userId, createdAt: now, updatedAt: now })
      .returning();
    return tellSaved(deps, tx, requireRow(rows), "create");
  });
}

async function changeView(
  deps: TicketViewsDeps,
  ctx: UserCtx,
  id: TicketViewId,
  change: InputOf<"PUT /ticket-views/:ticketViewId">["body"],
): Promise<TicketView> {
  return deps.db.transaction(ctx, async (tx) => {
    const before = await lockOwn(ctx, tx, id);
    const { name = before.name, isShared = before.isShared, filter = before.filter } = change;
    if (change.filter) await holdFilter(ctx, tx, filter);
    if (isShared !== before.isShared) await requireRoom(ctx, tx, isShared);
    const rows = await tx.orm
      .update(ticketViews)
      .set({ name, isShared, filter, updatedAt: deps.clock.now() })
      .where(and(eq(ticketViews.companyId, ctx.companyId), eq(ticketViews.id, id)))
      .returning();
    const after = requireRow(rows);
    // The team loses it; its user keeps it.
    if (before.isShared && !after.isShared) tellRemoved(deps, tx, before);
    return tellSaved(deps, tx, after, "update");
  });
}

/** It is only hidden while the caller can undo the deletion. */
async function removeView(deps: TicketViewsDeps, ctx: UserCtx, id: TicketViewId): Promise<void> {
  await deps.db.transaction(ctx, async (tx) => {
    const view = await lockOwn(ctx, tx, id);
    await hideRecord(ctx, tx, ticketViews, id, deps.clock.now());
    tellRemoved(deps, tx, view);
  });
}

async function restoreView(
  deps: TicketViewsDeps,
  ctx: UserCtx,
  id: TicketViewId,
): Promise<TicketView> {
  return deps.db.transaction(ctx, async (tx) => {
    const restored = await restoreRecord(ctx, tx, ticketViews, id, deps.clock.now());
    return tellSaved(deps, tx, restored, "create");
  });
}

/** A view that the caller may change: the own ones, and admins the shared ones. Others do not exist for the caller. */
async function lockOwn(ctx: UserCtx, tx: Tx, id: TicketViewId): Promise<ViewRow> {
  const view = await lockRecord(ctx, tx, ticketViews, id, "ERR_NO_VIEW_FOUND");
  if (view.userId === ctx.actor.userId) return view;
  if (!view.isShared) throw new DomainError("ERR_NO_VIEW_FOUND");
  if (!hasPermission(ctx, "tickets:see-all")) throw new DomainError("ERR_NO_PERMISSION");
  return view;
}

/** The ids of a filter must be the company's. */
async function holdFilter(ctx: UserCtx, tx: Tx, filter: ViewFilter): Promise<void> {
  await holdReferences(ctx, tx, queues, filter.queueIds, "ERR_QUEUE_NOT_FOUND");
  await holdReferences(ctx, tx, tags, filter.tagIds, "ERR_NO_TAG_FOUND");
  await holdReferences(ctx, tx, users, filter.userIds, "ERR_NO_USER_FOUND");
  await holdReferences(ctx, tx, connections, filter.connectionIds, "ERR_NO_WAPP_FOUND");
}

/** Concurrent additions wait for each other at the company's row, so that none exceeds the limit. */
async function requireRoom(ctx: UserCtx, tx: Tx, isShared: boolean): Promise<void> {
  const { companyId, actor } = ctx;
  await tx.orm
    .select({ id: companies.id })
    .from(companies)
    .where(eq(companies.id, companyId))
    .for("no key update");
  const own = and(eq(ticketViews.isShared, false), eq(ticketViews.userId, actor.userId));
  const count = await tx.orm.$count(
    ticketViews,
    and(
      eq(ticketViews.companyId, companyId),
      isNull(ticketViews.deletedAt),
      isShared ? eq(ticketViews.isShared, true) : own,
    ),
  );
  if (count >= limits.viewsMax)
    throw new DomainError("ERR_VIEW_LIMIT_REACHED", { max: limits.viewsMax });
}

function toView({ id, companyId, userId, name, isShared, filter, ...row }: ViewRow): TicketView {
  return { id, companyId, userId, name, isShared, filter, ...wireDates(row) };
}

const audienceOf = ({ companyId, userId, isShared }: ViewRow) => [
  isShared ? rooms.main(companyId) : rooms.user(companyId, userId),
];

function tellSaved(
  { realtime }: TicketViewsDeps,
  tx: Tx,
  row: ViewRow,
  action: "create" | "update",
): TicketView {
  const view = toView(row);
  tx.onCommit(() =>
    realtime.publish(row.companyId, "ticketView", { action, view }, audienceOf(row)),
  );
  return view;
}

function tellRemoved({ realtime }: TicketViewsDeps, tx: Tx, row: ViewRow): void {
  const gone = { action: "delete", viewId: row.id } as const;
  tx.onCommit(() => realtime.publish(row.companyId, "ticketView", gone, audienceOf(row)));
}
