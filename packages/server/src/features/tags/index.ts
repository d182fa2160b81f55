import type { InputOf, NewTag, Tag, TagChange, TagId } from "@balcao/contract";
import { limits, pageSizes } from "@balcao/contract";
import { and, eq, getTableColumns, isNull, or, sql } from "drizzle-orm";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError, hasPermission, requirePermission } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import {
  contains,
  findRecord,
  hasId,
  hideRecord,
  listTotal,
  lockRecord,
  readPage,
  readWhole,
  refuseDuplicates,
  requireRow,
  restoreRecord,
  wireDates,
} from "../../platform/db/records.ts";
import { tags, ticketTags } from "../../platform/db/schema/index.ts";
import type { DomainEvents } from "../../platform/events.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { Clock } from "../../platform/sources.ts";
import type { TicketsFeature } from "../tickets/index.ts";
import { publishTagged } from "../tickets/index.ts";

export type TagsDeps = {
  db: Database;
  clock: Clock;
  realtime: Realtime;
  domainEvents: DomainEvents;
  tickets: Pick<TicketsFeature, "replaceTags">;
};

type TagRow = typeof tags.$inferSelect;

/** The tags ("etiquetas") of a company (wire-contract 5.11, behaviour 8.4). */
export function createTagsFeature(deps: TagsDeps) {
  return {
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
        return deps.tickets.replaceTags(ctx, body.ticketId, tagIds);
      });
    },
  };
}

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
        .select({ ...getTableColumns(tags), ticketsCount, total: listTotal })
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
      .returning({ ...getTableColumns(tags), isNew: sql<boolean>`xmax = 0` });
    const { isNew, ...row } = requireRow(rows);
    const created = toTag(row);
    if (isNew) tellTag(deps, tx, created, "create");
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
    tellTag(deps, tx, saved, "update");
    return saved;
  });
  return work.catch(refuseTaken);
}

/** Deletes a tag, also from its tickets, or hides it while the caller can undo that. */
async function removeTag(
  deps: TagsDeps,
  ctx: UserCtx,
  tagId: TagId,
  { canBeUndone }: { canBeUndone: boolean },
): Promise<void> {
  await deps.db.transaction(ctx, async (tx) => {
    await lockRecord(ctx, tx, tags, tagId, "ERR_NO_TAG_FOUND");
    tx.onCommit(() => {
      const everybody = [rooms.main(ctx.companyId)];
      deps.realtime.publish(ctx.companyId, "tag", { action: "delete", tagId }, everybody);
    });
    await publishTagged(deps, ctx, tx, tagId, async () => {
      if (canBeUndone) await hideRecord(ctx, tx, tags, tagId, deps.clock.now());
      else await tx.orm.delete(tags).where(hasId(ctx, tags, tagId));
    });
  });
}

/** Undoes the caller's deletion of a tag within its time; the tickets that had it have it again. */
async function restoreTag(deps: TagsDeps, ctx: UserCtx, tagId: TagId): Promise<Tag> {
  const work = deps.db.transaction(ctx, (tx) =>
    publishTagged(deps, ctx, tx, tagId, async () => {
      const restored = toTag(await restoreRecord(ctx, tx, tags, tagId, deps.clock.now()));
      tellTag(deps, tx, restored, "create");
      return restored;
    }),
  );
  return work.catch(refuseTaken);
}

const refuseTaken = refuseDuplicates({ tags_company_name_color_kanban: "ERR_TAG_EXISTS" });

/** The text is part of the name or of the colour. */
function isFound({ companyId }: Ctx, text: string) {
  const hasColor = sql`position(lower(${text}) in lower(${tags.color})) > 0`;
  const isThere = and(eq(tags.companyId, companyId), isNull(tags.deletedAt));
  return and(isThere, or(contains(tags.name, text), hasColor));
}

function requireName(name: string): void {
  if (name.length < limits.tagNameMin) throw new DomainError("ERR_TAG_INVALID_NAME");
}

/** A tag as the wire has it. */
export function toTag(row: TagRow): Tag {
  const { id, companyId, name, color, kanban } = row;
  return { id, companyId, name, color, kanban, ...wireDates(row) };
}

/** Publishes a new or changed tag to the company. */
export function tellTag(
  { realtime }: Pick<TagsDeps, "realtime">,
  tx: Tx,
  tag: Tag,
  action: "create" | "update",
): void {
  tx.onCommit(() => {
    const payload = { action, tag, tags: tag, tagId: tag.id };
    realtime.publish(tag.companyId, "tag", payload, [rooms.main(tag.companyId)]);
  });
}
