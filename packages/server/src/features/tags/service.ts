import type { NewTag, ReplyOf, Tag, TagChange, TagId, Ticket, TicketId } from "@balcao/contract";
import { pageSizes } from "@balcao/contract";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError, hasPermission } from "../../platform/context.ts";
import { isConflict } from "../../platform/db/conflict.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { Clock } from "../../platform/sources.ts";
import type { TicketEvents } from "../tickets/index.ts";
import { lockTicket, requireVisible, toShownTicketDto } from "../tickets/index.ts";
import type { TagEvents } from "./events.ts";
import {
  allTags,
  deleteTag,
  findOrInsertTag,
  findTag,
  findTickets,
  holdTags,
  listTags,
  lockTag,
  replaceTicketTags,
  sameTag,
  saveTag,
  ticketsWithTag,
} from "./repository.ts";
import type { TagRow } from "./tag.ts";
import { changedValues, newTagValues, toListedTagDto, toTagDto } from "./tag.ts";

export type TagServiceDeps = {
  db: Database;
  clock: Clock;
  events: TagEvents;
  ticketEvents: TicketEvents;
};

/** Of more tickets than this it is not told one by one that a tag is gone: clients drop it by its own event. */
const TICKETS_TOLD_MAX = 50;

export function createTagService({ db, clock, events, ticketEvents }: TagServiceDeps) {
  async function page(
    ctx: UserCtx,
    query: { searchParam: string; pageNumber: number },
  ): Promise<ReplyOf<"GET /tags">> {
    const { rows, total } = await db.transaction(ctx, (tx) => listTags(ctx, tx, query));
    const offset = (query.pageNumber - 1) * pageSizes.tags;
    return {
      tags: rows.map(toListedTagDto),
      count: total,
      hasMore: total > offset + rows.length && rows.length > 0,
    };
  }

  async function list(ctx: UserCtx, searchParam: string): Promise<Tag[]> {
    const rows = await db.transaction(ctx, (tx) => allTags(ctx, tx, searchParam));
    return rows.map(toTagDto);
  }

  async function show(ctx: UserCtx, id: TagId): Promise<Tag> {
    const row = await db.transaction(ctx, (tx) => findTag(ctx, tx, id));
    return toTagDto(requireFound(row));
  }

  /** The tag with these values; a new one only where there is none. */
  async function create(ctx: UserCtx, tag: NewTag): Promise<Tag> {
    const values = newTagValues(tag);
    return db.transaction(ctx, async (tx) => {
      const row = await findOrInsertTag(ctx, tx, values, clock.now());
      if (row.isNew) events.saved(tx, row, "create");
      return toTagDto(row);
    });
  }

  async function update(ctx: UserCtx, id: TagId, change: TagChange): Promise<Tag> {
    const mayManage = hasPermission(ctx, "tags:manage");
    try {
      return await db.transaction(ctx, async (tx) => {
        const tag = requireFound(await lockTag(ctx, tx, id));
        const values = changedValues(tag, change, { mayManage });
        const saved = await saveTag(ctx, tx, id, values, clock.now());
        events.saved(tx, saved, "update");
        return toTagDto(saved);
      });
    } catch (error) {
      if (isConflict(error, sameTag)) throw new DomainError("ERR_TAG_EXISTS");
      throw error;
    }
  }

  async function remove(ctx: UserCtx, id: TagId): Promise<void> {
    await db.transaction(ctx, async (tx) => {
      requireFound(await lockTag(ctx, tx, id));
      const ticketIds = await ticketsWithTag(ctx, tx, id, TICKETS_TOLD_MAX + 1);
      await deleteTag(ctx, tx, id);
      events.deleted(tx, ctx, id);
      if (ticketIds.length <= TICKETS_TOLD_MAX) await tellTickets(ctx, tx, ticketIds);
    });
  }

  async function tellTickets(ctx: UserCtx, tx: Tx, ids: readonly TicketId[]): Promise<void> {
    if (ids.length === 0) return;
    for (const ticket of await findTickets(ctx, tx, ids)) ticketEvents.updated(tx, ticket);
  }

  /** Makes these the only tags of a ticket; nothing changes if one of them is not there. */
  async function sync(
    ctx: UserCtx,
    ticketId: TicketId,
    tagIds: readonly number[],
  ): Promise<Ticket> {
    const wanted = [...new Set(tagIds)];
    return db.transaction(ctx, async (tx) => {
      const ticket = requireVisible(ctx, await lockTicket(ctx, tx, ticketId));
      const tags = await holdTags(ctx, tx, wanted);
      if (tags.length < wanted.length) throw new DomainError("ERR_NO_TAG_FOUND");
      await replaceTicketTags(ctx, tx, ticketId, wanted);
      const after = { ...ticket, tags };
      ticketEvents.updated(tx, after);
      return toShownTicketDto(after);
    });
  }

  return { page, list, show, create, update, remove, sync };
}

export type TagService = ReturnType<typeof createTagService>;

function requireFound(row: TagRow | undefined): TagRow {
  if (!row) throw new DomainError("ERR_NO_TAG_FOUND");
  return row;
}
