import type { InputOf, ReplyOf, TagId, Ticket, TicketId } from "@balcao/contract";
import { pageSizes } from "@balcao/contract";
import { and, eq, sql } from "drizzle-orm";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import { holdReferences, toIso, toIsoOrNull } from "../../platform/db/records.ts";
import { tags, ticketTags } from "../../platform/db/schema/index.ts";
import type { DomainEvents } from "../../platform/events.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { Clock } from "../../platform/sources.ts";
import { toTag } from "../tags/index.ts";
import type { ShownTicketRow, TicketsFeature } from "../tickets/index.ts";
import { findShownTicket, lockTicket, readerOf, requireVisible } from "../tickets/index.ts";
import type { Standing } from "./board.ts";
import { countCards, moveStatement, readBoard, readCards, standingStatement } from "./board.ts";

export type KanbanDeps = {
  db: Database;
  clock: Clock;
  realtime: Realtime;
  domainEvents: DomainEvents;
  tickets: Pick<TicketsFeature, "listTickets" | "toListedDto" | "toShownDto">;
};

/** The board of a company's tickets by tag (wire-contract 5.7, behaviour 8.4). */
export function createKanbanFeature(deps: KanbanDeps) {
  return {
    register(routes: Routes): void {
      routes.handle("GET /kanban", ({ ctx, query }) => readBoard(deps, ctx, query));
      routes.handle("GET /kanban/counts", ({ ctx, query }) => countCards(deps, ctx, query));
      routes.handle("GET /kanban/cards", ({ ctx, query }) => readCards(deps, ctx, query));
      routes.handle("PUT /kanban/cards/:ticketId", ({ ctx, params, body }) =>
        moveCard(deps, ctx, params.ticketId, body),
      );
      routes.handle("PUT /kanban/lanes", ({ ctx, body }) => orderLanes(deps, ctx, body.tagIds));
      routes.handle("GET /ticket/kanban", ({ ctx, query }) => listCards(deps, ctx, query));
      routes.handle("PUT /ticket-tags/:ticketId/:tagId", ({ ctx, params }) =>
        addTicketTag(deps, ctx, params.ticketId, params.tagId),
      );
      routes.handle("DELETE /ticket-tags/:ticketId", async ({ ctx, params }) => {
        await removeLaneTags(deps, ctx, params.ticketId);
        return { message: "Ticket tags removed successfully." };
      });
    },
  };
}

/** The board of older clients, which read one page: their own tickets and those that wait, unless they ask for more. */
async function listCards(
  { tickets }: KanbanDeps,
  ctx: UserCtx,
  query: InputOf<"GET /ticket/kanban">["query"],
): Promise<ReplyOf<"GET /ticket/kanban">> {
  if (query.status === "closed") return { tickets: [], count: 0, hasMore: false };
  return tickets.listTickets(ctx, { ...query, onlyLiving: true }, pageSizes.kanbanTickets);
}

/**
 * Moves a card in one transaction. Of two people who move it at the same time the first one wins; the other one is told who
 * that was. The same move again changes nothing.
 */
async function moveCard(
  deps: KanbanDeps,
  ctx: UserCtx,
  ticketId: TicketId,
  { from, to }: { from: TagId | null; to: TagId | null },
): Promise<Ticket> {
  return deps.db.transaction(ctx, async (tx) => {
    const ticket = requireVisible(ctx, await lockTicket(ctx, tx, ticketId));
    if (ticket.status === "closed") throw new DomainError("ERR_TICKET_CLOSED");
    if (to !== null) await holdLane(ctx, tx, to);
    const standing = await findStanding(ctx, tx, ticketId);
    if (standing.laneId === to) return deps.tickets.toShownDto(ticket, readerOf(ctx));
    if (standing.laneId !== from) throw new DomainError("ERR_CARD_MOVED", movedBefore(standing));
    const moved = await writeMove(deps, ctx, tx, { ticketId, to });
    return deps.tickets.toShownDto(moved, readerOf(ctx));
  });
}

function movedBefore({ laneId, name, userId, userName, movedAt }: Standing) {
  const by = userId === null ? null : { id: userId, name: userName ?? "" };
  return { lane: { id: laneId, name }, by, at: toIsoOrNull(movedAt) };
}

async function findStanding(ctx: UserCtx, tx: Tx, ticketId: TicketId): Promise<Standing> {
  const [row] = await tx.query<Standing>(standingStatement, [ctx.companyId, ticketId]);
  if (!row) throw new Error("the ticket has no lane");
  return row;
}

/** The tag, which stays a lane of the board until the transaction ends. */
async function holdLane(ctx: UserCtx, tx: Tx, tagId: TagId): Promise<void> {
  const isLane = and(eq(tags.companyId, ctx.companyId), eq(tags.id, tagId), eq(tags.kanban, 1));
  const rows = await tx.orm
    .select({ id: tags.id, deletedAt: tags.deletedAt })
    .from(tags)
    .where(isLane)
    .for("share");
  if (rows.every(({ deletedAt }) => deletedAt !== null)) throw new DomainError("ERR_NO_TAG_FOUND");
}

/** Leaves the ticket this tag of the board alone, or none, keeps who did that, and publishes it. */
async function writeMove(
  { clock, domainEvents }: KanbanDeps,
  ctx: UserCtx,
  tx: Tx,
  { ticketId, to }: { ticketId: TicketId; to: TagId | null },
): Promise<ShownTicketRow> {
  const now = clock.now();
  await tx.query(moveStatement, [ctx.companyId, ticketId, to, ctx.actor.userId, now]);
  const ticket = await findShownTicket(ctx, tx, ticketId);
  if (!ticket) throw new Error("the locked ticket is gone");
  await domainEvents.publish(tx, ctx, "ticket.updated", { ticket });
  return ticket;
}

/** Gives the lanes this order; lanes that are not named lose their place and come after them. */
async function orderLanes(
  { db, realtime }: KanbanDeps,
  ctx: UserCtx,
  tagIds: readonly TagId[],
): Promise<ReplyOf<"PUT /kanban/lanes">> {
  return db.transaction(ctx, async (tx) => {
    await holdReferences(ctx, tx, tags, tagIds, "ERR_NO_TAG_FOUND");
    const places = [...new Set(tagIds)];
    await tx.query(orderStatement, [ctx.companyId, places]);
    const isLane = and(eq(tags.companyId, ctx.companyId), eq(tags.kanban, 1));
    const rows = await tx.orm
      .select()
      .from(tags)
      .where(and(isLane, sql`${tags.deletedAt} is null`))
      .orderBy(sql`${tags.lanePlace} nulls last`, tags.id)
      .limit(pageSizes.tags);
    tx.onCommit(() => {
      const order = { action: "order", tagIds: rows.map(({ id }) => id) } as const;
      realtime.publish(ctx.companyId, "kanban", order, [rooms.main(ctx.companyId)]);
    });
    return { tags: rows.map(toTag) };
  });
}

const orderStatement = {
  name: "kanban.order",
  text: `
update tags g set lane_place = array_position($2::int[], g.id)
where g.company_id = $1 and g.lane_place is distinct from array_position($2::int[], g.id)`,
};

/** Adds a tag to a ticket, also again. A tag of the board counts as a move, which older clients do in two steps. */
async function addTicketTag(
  { db, clock, domainEvents }: KanbanDeps,
  ctx: UserCtx,
  ticketId: TicketId,
  tagId: TagId,
): Promise<ReplyOf<"PUT /ticket-tags/:ticketId/:tagId">> {
  return db.transaction(ctx, async (tx) => {
    const ticket = requireVisible(ctx, await lockTicket(ctx, tx, ticketId));
    const [tag] = await holdReferences(ctx, tx, tags, [tagId], "ERR_NO_TAG_FOUND");
    const now = clock.now();
    const given = { companyId: ctx.companyId, ticketId, tagId };
    const added = await tx.orm
      .insert(ticketTags)
      .values({ ...given, createdAt: now })
      .onConflictDoNothing()
      .returning();
    if (added.length > 0) {
      if (tag?.kanban === 1) {
        const move = [ctx.companyId, ticketId, tagId, ctx.actor.userId, now];
        await tx.query(noteMoveStatement, move);
      }
      const after = (await findShownTicket(ctx, tx, ticketId)) ?? ticket;
      await domainEvents.publish(tx, ctx, "ticket.updated", { ticket: after });
    }
    const isIt = and(
      ...[eq(ticketTags.companyId, ctx.companyId)],
      ...[eq(ticketTags.ticketId, ticketId), eq(ticketTags.tagId, tagId)],
    );
    const [known] = await tx.orm.select().from(ticketTags).where(isIt);
    const at = toIso(known?.createdAt ?? now);
    return { ticketId, tagId, createdAt: at, updatedAt: at };
  });
}

const noteMoveStatement = {
  name: "kanban.note-move",
  text: `
with moved as (
  insert into lane_moves (company_id, ticket_id, tag_id, user_id, moved_at) values ($1, $2, $3, $4, $5::timestamptz)
  on conflict (company_id, ticket_id) do update
  set tag_id = excluded.tag_id, user_id = excluded.user_id, moved_at = excluded.moved_at
)
update tickets set updated_at = greatest(updated_at, $5::timestamptz) where company_id = $1 and id = $2`,
};

/** Takes a ticket off its lanes; other tags stay. */
async function removeLaneTags(deps: KanbanDeps, ctx: UserCtx, ticketId: TicketId): Promise<void> {
  await deps.db.transaction(ctx, async (tx) => {
    requireVisible(ctx, await lockTicket(ctx, tx, ticketId));
    await writeMove(deps, ctx, tx, { ticketId, to: null });
  });
}
