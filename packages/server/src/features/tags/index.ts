import type { InputOf, NewTag, Tag, TagChange, TagId, Ticket, TicketId } from "@balcao/contract";
import { limits, pageSizes } from "@balcao/contract";
import { subSeconds } from "date-fns/subSeconds";
import { and, eq, getTableColumns, gt, isNull, or, sql } from "drizzle-orm";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError, hasPermission, requirePermission } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import {
  contains,
  findRecord,
  hasId,
  holdReferences,
  listTotal,
  lockRecord,
  readPage,
  readWhole,
  refuseDuplicates,
  requireRow,
} from "../../platform/db/records.ts";
import { tags, ticketTags } from "../../platform/db/schema/index.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { DomainEvents } from "../../platform/events.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { Clock } from "../../platform/sources.ts";
import type { TicketRow, TicketsFeature } from "../tickets/index.ts";
import {
  lockTicket,
  readerOf,
  requireVisible,
  ticketColumns,
  ticketJoins,
} from "../tickets/index.ts";

import type { TagRow } from "./tag.ts";
import { toTag } from "./tag.ts";

export { toTag } from "./tag.ts";
export { importTags, missingTags } from "./import.ts";

export type TagsDeps = {
  db: Database;
  clock: Clock;
  realtime: Realtime;
  domainEvents: DomainEvents;
  tickets: Pick<TicketsFeature, "toShownDto">;
};

/** The tags ("etiquetas") of a company and of its tickets (wire-contract 5.11, behaviour 8.4). */
export function createTagsFeature(deps: TagsDeps) {
  return {
    replaceOfTicket: replaceTicketTags.bind(null, deps),
    register(routes: Routes): void {
      routes.handle("GET /tags", ({ ctx, query }) => listTags(deps, ctx, query));
      routes.handle("GET /tags/list", async ({ ctx, query }) =>
        allTags(deps, ctx, query.searchParam),
      );
      routes.handle("GET /tags/kanban", ({ ctx }) => listLanes(deps, ctx));
      routes.handle("GET /tags/:tagId", ({ ctx, params }) => showTag(deps, ctx, params.tagId));
      routes.handle("POST /tags", ({ ctx, body }) => createTag(deps, ctx, body));
      routes.handle("PUT /tags/:tagId", ({ ctx, params, body }) =>
        updateTag(deps, ctx, params.tagId, body),
      );
      routes.handle("DELETE /tags/:tagId", async ({ ctx, params, query }) => {
        await removeTag(deps, ctx, params.tagId, { canBeUndone: query.undo });
        return { message: "Tag deleted" };
      });
      routes.handle("POST /tags/:tagId/undo", ({ ctx, params }) =>
        restoreTag(deps, ctx, params.tagId),
      );
      routes.handle("POST /tags/sync", ({ ctx, body }) => {
        const tagIds = body.tags.map(({ id }) => id);
        return replaceTicketTags(deps, ctx, body.ticketId, tagIds);
      });
    },
  };
}

const tagColumns = getTableColumns(tags);

/** Removing a tag from more tickets than this publishes no event per ticket: clients drop the tag by its own event. */
const TICKETS_TOLD_MAX = 50;

async function listTags(
  { db }: TagsDeps,
  ctx: UserCtx,
  { searchParam, pageNumber }: InputOf<"GET /tags">["query"],
) {
  return db.transaction(ctx, async (tx) => {
    const ofTag = and(eq(ticketTags.companyId, ctx.companyId), eq(ticketTags.tagId, tags.id));
    const ticketsCount = tx.orm.$count(ticketTags, ofTag);
    const { rows, ...totals } = await readPage(pageNumber, pageSizes.tags, (limit, offset) =>
      tx.orm
        .select({ ...tagColumns, ticketsCount, total: listTotal })
        .from(tags)
        .where(isFound(ctx, searchParam))
        .orderBy(sql`f_norm(${tags.name})`, tags.id)
        .limit(limit)
        .offset(offset),
    );
    const listed = rows.map((row) => ({ ...toTag(row), ticketsCount: row.ticketsCount }));
    return { tags: listed, ...totals };
  });
}

function allTags({ db }: TagsDeps, ctx: UserCtx, searchParam: string) {
  const normal = sql`f_norm(${tags.name})`;
  const read = (limit: number, last: TagRow | undefined) => {
    const isLater = last && sql`(${normal}, ${tags.id}) > (f_norm(${last.name}), ${last.id})`;
    return db.transaction(ctx, (tx) =>
      tx.orm
        .select()
        .from(tags)
        .where(and(isFound(ctx, searchParam), isLater))
        .orderBy(normal, tags.id)
        .limit(limit),
    );
  };
  return readWhole(read, toTag);
}

async function listLanes({ db }: TagsDeps, ctx: UserCtx): Promise<{ lista: Tag[] }> {
  const isLane = and(
    ...[eq(tags.companyId, ctx.companyId), eq(tags.kanban, 1), isNull(tags.deletedAt)],
  );
  const rows = await db.transaction(ctx, (tx) =>
    tx.orm.select().from(tags).where(isLane).orderBy(tags.id).limit(pageSizes.tags),
  );
  return { lista: rows.map(toTag) };
}

async function showTag({ db }: TagsDeps, ctx: UserCtx, id: TagId): Promise<Tag> {
  return toTag(
    await db.transaction(ctx, (tx) => findRecord(ctx, tx, tags, id, "ERR_NO_TAG_FOUND")),
  );
}

/** Returns the existing tag with these values, or a new one. Concurrent creates of the same tag return the same row. */
async function createTag(deps: TagsDeps, ctx: UserCtx, tag: NewTag): Promise<Tag> {
  requireName(tag.name);
  if (tag.kanban === 1) requirePermission(ctx, "tags:set-kanban");
  const now = deps.clock.now();
  return deps.db.transaction(ctx, async (tx) => {
    const rows = await tx.orm
      .insert(tags)
      .values({ ...tag, companyId: ctx.companyId, createdAt: now, updatedAt: now })
      // The update changes nothing; it waits for a concurrent insert and returns its row. `xmax` is 0 in a new row.
      .onConflictDoUpdate({
        target: [tags.companyId, tags.name, tags.color, tags.kanban],
        targetWhere: isNull(tags.deletedAt),
        set: { name: sql`excluded.name` },
      })
      .returning({ ...tagColumns, isNew: sql<boolean>`xmax = 0` });
    const { isNew, ...row } = requireRow(rows);
    const created = toTag(row);
    if (isNew) tellSaved(deps, tx, created, "create");
    return created;
  });
}

/** Without `tags:manage`, a user can change only the kanban flag; clients send the other fields along unchanged. */
async function updateTag(deps: TagsDeps, ctx: UserCtx, id: TagId, change: TagChange): Promise<Tag> {
  const work = deps.db.transaction(ctx, async (tx) => {
    const tag = await lockRecord(ctx, tx, tags, id, "ERR_NO_TAG_FOUND");
    const { name = tag.name, color = tag.color, kanban = tag.kanban } = change;
    if ((name !== tag.name || color !== tag.color) && !hasPermission(ctx, "tags:manage")) {
      throw new DomainError("ERR_NO_PERMISSION");
    }
    if (change.name !== undefined) requireName(name);
    const rows = await tx.orm
      .update(tags)
      .set({ name, color, kanban, updatedAt: deps.clock.now() })
      .where(hasId(ctx, tags, id))
      .returning();
    const saved = toTag(requireRow(rows));
    tellSaved(deps, tx, saved, "update");
    return saved;
  });
  return work.catch(refuseDuplicates({ tags_company_name_color_kanban: "ERR_TAG_EXISTS" }));
}

/** A deletion that can be undone only hides the tag; its row is removed after that (`sweepDeletedTagsAcrossCompanies`). */
async function removeTag(
  deps: TagsDeps,
  ctx: UserCtx,
  tagId: TagId,
  { canBeUndone }: { canBeUndone: boolean },
): Promise<void> {
  const { db, clock, realtime } = deps;
  await db.transaction(ctx, async (tx) => {
    await lockRecord(ctx, tx, tags, tagId, "ERR_NO_TAG_FOUND");
    const carriers = await findCarriers(ctx, tx, tagId);
    const hidden = { deletedAt: clock.now(), deletedBy: ctx.actor.userId };
    if (canBeUndone)
      await tx.orm
        .update(tags)
        .set(hidden)
        .where(hasId(ctx, tags, tagId));
    else await tx.orm.delete(tags).where(hasId(ctx, tags, tagId));
    tx.onCommit(() => {
      const everybody = [rooms.main(ctx.companyId)];
      realtime.publish(ctx.companyId, "tag", { action: "delete", tagId }, everybody);
    });
    await tellCarriers(deps, ctx, tx, carriers);
  });
}

/** Undoes the caller's deletion of a tag within its time; the tickets that had it have it again. */
async function restoreTag(deps: TagsDeps, ctx: UserCtx, tagId: TagId): Promise<Tag> {
  const isOverAt = subSeconds(deps.clock.now(), limits.undoSecondsMax);
  const work = deps.db.transaction(ctx, async (tx) => {
    const hidden = and(
      ...[eq(tags.companyId, ctx.companyId), eq(tags.id, tagId)],
      ...[eq(tags.deletedBy, ctx.actor.userId), gt(tags.deletedAt, isOverAt)],
    );
    const shown = { deletedAt: null, deletedBy: null };
    const rows = await tx.orm.update(tags).set(shown).where(hidden).returning();
    const restored = toTag(requireRow(rows, "ERR_UNDO_OVER"));
    tellSaved(deps, tx, restored, "create");
    await tellCarriers(deps, ctx, tx, await findCarriers(ctx, tx, tagId));
    return restored;
  });
  return work.catch(refuseDuplicates({ tags_company_name_color_kanban: "ERR_TAG_EXISTS" }));
}

/** The tickets that have the tag, up to one more than are told. */
async function findCarriers(ctx: Ctx, tx: Tx, tagId: TagId): Promise<TicketId[]> {
  const carriers = await tx.orm
    .select({ ticketId: ticketTags.ticketId })
    .from(ticketTags)
    .where(and(eq(ticketTags.companyId, ctx.companyId), eq(ticketTags.tagId, tagId)))
    .limit(TICKETS_TOLD_MAX + 1);
  return carriers.map(({ ticketId }) => ticketId);
}

async function tellCarriers(
  { domainEvents }: TagsDeps,
  ctx: Ctx,
  tx: Tx,
  ids: readonly TicketId[],
): Promise<void> {
  if (ids.length === 0 || ids.length > TICKETS_TOLD_MAX) return;
  for (const ticket of await tx.query<TicketRow>(ticketsStatement, [ctx.companyId, ids])) {
    await domainEvents.publish(tx, ctx, "ticket.updated", { ticket });
  }
}

/** Makes these the only tags of a ticket; nothing changes if one of them does not exist. */
async function replaceTicketTags(
  { db, domainEvents, tickets }: TagsDeps,
  ctx: Ctx,
  ticketId: TicketId,
  tagIds: readonly number[],
): Promise<Ticket> {
  return db.transaction(ctx, async (tx) => {
    const ticket = requireVisible(ctx, await lockTicket(ctx, tx, ticketId));
    const held = await holdReferences(ctx, tx, tags, tagIds, "ERR_NO_TAG_FOUND");
    await tx.query(replaceStatement, [ctx.companyId, ticketId, held.map(({ id }) => id)]);
    const after = { ...ticket, tags: held.map(({ id, name, color }) => ({ id, name, color })) };
    await domainEvents.publish(tx, ctx, "ticket.updated", { ticket: after });
    return tickets.toShownDto(after, readerOf(ctx));
  });
}

/** Removes the tags whose deletion can no longer be undone, in all companies. */
export async function sweepDeletedTagsAcrossCompanies(tx: Tx): Promise<void> {
  await tx.query(sql`delete from tags where deleted_at < now() - interval '1 minute'`);
}

/** The text is part of the name or of the colour. */
function isFound({ companyId }: Ctx, text: string) {
  const hasColor = sql`position(lower(${text}) in lower(${tags.color})) > 0`;
  const isThere = and(eq(tags.companyId, companyId), isNull(tags.deletedAt));
  return and(isThere, or(contains(tags.name, text), hasColor));
}

function requireName(name: string): void {
  if (name.length < limits.tagNameMin) throw new DomainError("ERR_TAG_INVALID_NAME");
}

function tellSaved({ realtime }: TagsDeps, tx: Tx, tag: Tag, action: "create" | "update"): void {
  tx.onCommit(() => {
    const payload = { action, tag, tags: tag, tagId: tag.id };
    realtime.publish(tag.companyId, "tag", payload, [rooms.main(tag.companyId)]);
  });
}

const ticketsStatement = {
  name: "tags.tickets",
  text: `select ${ticketColumns} from tickets t ${ticketJoins} where t.company_id = $1 and t.id = any($2)`,
};

// By hand: one round trip.
const replaceStatement = {
  name: "tags.replace",
  text: `
with gone as (
  delete from ticket_tags tt where tt.company_id = $1 and tt.ticket_id = $2 and tt.tag_id <> all($3)
    and exists (select from tags g where g.company_id = $1 and g.id = tt.tag_id and g.deleted_at is null)
)
insert into ticket_tags (company_id, ticket_id, tag_id)
select $1, $2, tag_id from unnest($3::int[]) as tag_id
on conflict do nothing`,
};
