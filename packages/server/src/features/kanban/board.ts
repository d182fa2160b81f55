import type { BoardFilter, InputOf, Lane, ReplyOf, TagId } from "@balcao/contract";
import { limits, pageSizes } from "@balcao/contract";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database, PreparedStatement } from "../../platform/db/database.ts";
import { searchedDigits } from "../contacts/index.ts";
import type { TicketRow, TicketsFeature } from "../tickets/index.ts";
import {
  listedRows,
  noTicketFilter,
  preparedByText,
  readerOf,
  startValues,
  ticketColumns,
  ticketJoins,
} from "../tickets/index.ts";

type BoardDeps = { db: Database; tickets: Pick<TicketsFeature, "toListedDto"> };

type LaneRow = { laneId: TagId | null; laneName: string; laneColor: string; count: number };
type CardRow = TicketRow | { id: null };

/** The board in one statement: at least one row for each lane, whose ticket is null in an empty one. */
export async function readBoard(
  { db, tickets }: BoardDeps,
  ctx: UserCtx,
  filter: BoardFilter,
): Promise<ReplyOf<"GET /kanban">> {
  const { values, placed } = placedCards(ctx, filter);
  const cardsMax = `least(${pageSizes.kanbanFirstCards}, ${limits.boardCardsMax} / (select count(*) from lanes))`;
  // Each card is read by its id: the planner would take the number of firsts for that of all cards, and read whole tables.
  const statement = preparedByText(`
with ${placed}, firsts as (
  select id, place from (
    select id, place, row_number() over (partition by place order by updated_at desc, id desc) as n from placed) numbered
  where n <= ${cardsMax}
), counts as (
  select place, count(*)::int as count from placed group by place
)
select l.id as "laneId", l.name as "laneName", l.color as "laneColor", coalesce(n.count, 0) as count, card.*
from lanes l
left join counts n on n.place = l.place
left join firsts f on f.place = l.place
left join lateral (
  select ${ticketColumns} from tickets t ${ticketJoins} where t.company_id = $1 and t.id = f.id limit 1) card on true
order by l.place, card."updatedAt" desc, card.id desc`);
  const rows = await db.read<LaneRow & CardRow>(ctx, statement, values, onePlan);
  const reader = readerOf(ctx);
  const lanes = new Map<TagId | null, Lane>();
  for (const row of rows) {
    const { laneId: id, laneName: name, laneColor: color, count } = row;
    const lane = lanes.get(id) ?? { id, name, color, count, cards: [] };
    lanes.set(id, lane);
    if (row.id !== null) lane.cards.push(tickets.toListedDto(row, reader));
  }
  return { lanes: [...lanes.values()] };
}

/** The exact count of every lane. */
export async function countCards(
  { db }: Pick<BoardDeps, "db">,
  ctx: UserCtx,
  filter: BoardFilter,
): Promise<ReplyOf<"GET /kanban/counts">> {
  const { values, placed } = placedCards(ctx, filter);
  const statement = preparedByText(`
with ${placed}
select l.id as "laneId", coalesce(n.count, 0) as count
from lanes l left join (select place, count(*)::int as count from placed group by place) n on n.place = l.place
order by l.place`);
  const rows = await db.read<Pick<LaneRow, "laneId" | "count">>(ctx, statement, values, onePlan);
  return { lanes: rows.map(({ laneId, count }) => ({ id: laneId, count })) };
}

/** The next cards of a lane. */
export async function readCards(
  { db, tickets }: BoardDeps,
  ctx: UserCtx,
  query: InputOf<"GET /kanban/cards">["query"],
): Promise<ReplyOf<"GET /kanban/cards">> {
  const { values, placeholder } = startValues(ctx);
  const size = pageSizes.kanbanCards;
  const after = `(t.updated_at, t.id) < (${placeholder(query.before)}::timestamptz, ${placeholder(query.beforeId)}::int)`;
  const wanted = `l.id is not distinct from ${placeholder(query.laneId)}::int`;
  const order = `order by t.updated_at desc nulls last, t.id desc nulls last limit ${size + 1}`;
  // Read from the index of the lists, and no further than the page.
  const beginnings = boardLists(ctx, query, placeholder).map(
    (list) =>
      `(select t.* ${list} and ${after} and (${placeOf("t.id")}) = (select place from wanted) ${order})`,
  );
  const statement = preparedByText(`
with ${laneList}, wanted as materialized (select place from lanes l where ${wanted})
select w.place as "wantedPlace", page.*
from wanted w left join lateral (
  select ${ticketColumns}
  from (select t.* from (${beginnings.join(" union all ")}) t ${order}) t ${ticketJoins}
) page on true
order by page."updatedAt" desc, page.id desc`);
  const rows = await db.read<{ wantedPlace: number } & CardRow>(ctx, statement, values, onePlan);
  if (rows.length === 0) throw new DomainError("ERR_NO_TAG_FOUND");
  const reader = readerOf(ctx);
  const cards = rows.flatMap((row) => (row.id === null ? [] : [tickets.toListedDto(row, reader)]));
  return { cards: cards.slice(0, size), hasMore: cards.length > size };
}

/** `lanes` in their order, from place 0, and their ids without the first as one list. */
const laneList = `lanes as materialized (
  select null::int as id, '' as name, '' as color, 0 as place
  union all
  (select id, name, color, (row_number() over (order by lane_place nulls last, id))::int
   from tags where company_id = $1 and kanban = 1 and deleted_at is null
   order by lane_place nulls last, id limit ${limits.lanesMax})
), board as materialized (
  select coalesce(array_agg(id order by place) filter (where id is not null), '{}') as ids from lanes)`;

/** The place of the lane that the tags `tt` of a ticket lead to: the last one; null without any of the board. */
const lastPlace = "max(array_position((select ids from board), tt.tag_id))";

/** The place of one ticket, 0 for the first lane. */
const placeOf = (ticketId: string): string =>
  `select coalesce(${lastPlace}, 0) from ticket_tags tt where tt.company_id = $1 and tt.ticket_id = ${ticketId}`;

/** `lanes`, `board` and `placed`: every card of the board with the place of its lane. */
function placedCards(ctx: Ctx, filter: BoardFilter): { values: unknown[]; placed: string } {
  const { values, placeholder } = startValues(ctx);
  const lists = boardLists(ctx, filter, placeholder);
  const cards = lists.map((list) => `select t.id, t.updated_at ${list}`);
  // The tags are looked up by a list of ids: a join would read those of every resolved ticket.
  const placed = `${laneList}, cards as materialized (
  ${cards.join(" union all ")}
), tagged as materialized (
  select tt.ticket_id, ${lastPlace} as place
  from ticket_tags tt
  where tt.company_id = $1 and tt.ticket_id = any(array(select id from cards))
  group by tt.ticket_id
), placed as materialized (
  select t.id, t.updated_at, coalesce(g.place, 0) as place from cards t left join tagged g on g.ticket_id = t.id)`;
  return { values, placed };
}

/** All cards are read, so one plan fits every company, user and choice; planning takes as long as a board of 2,000 cards. */
const onePlan = { keepPlans: true };

/** The tickets of the board, all that the caller may see of those that wait or are served: as `from … where …` over `t`. */
function boardLists(
  ctx: Ctx,
  { searchParam, queueIds, users, whatsappIds }: BoardFilter,
  placeholder: (value: unknown) => string,
): string[] {
  const query = { ...noTicketFilter, queueIds, users, whatsappIds, showAll: true };
  const lists = (["pending", "open"] as const).flatMap((status) =>
    listedRows(ctx, { ...query, status }, "tickets", placeholder),
  );
  if (searchParam === "") return lists;
  const number = /^#?(\d{1,9})$/.exec(searchParam)?.[1];
  const isNumbered = number === undefined ? "" : ` or t.id = ${placeholder(Number(number))}`;
  const digits = searchedDigits(searchParam);
  const hasNumber = digits === "" ? "" : ` or c.number like '%' || ${placeholder(digits)} || '%'`;
  const found = `(exists (select from contacts c where c.company_id = $1 and c.id = t.contact_id
      and (position(f_norm(${placeholder(searchParam)}) in f_norm(c.name)) > 0${hasNumber}))${isNumbered})`;
  return lists.map((list) => `${list}\n    and ${found}`);
}

/** The lane in which a locked ticket stands now, and its last move if that led there. */
export type Standing = {
  laneId: TagId | null;
  name: string;
  userId: number | null;
  userName: string | null;
  movedAt: Date | null;
};

export const standingStatement: PreparedStatement = {
  name: "kanban.standing",
  text: `
with ${laneList}
select l.id as "laneId", l.name, u.id as "userId", u.name as "userName", m.moved_at as "movedAt"
from lanes l
left join lane_moves m on m.company_id = $1 and m.ticket_id = $2 and m.tag_id is not distinct from l.id
left join users u on u.company_id = $1 and u.id = m.user_id
where l.place = (${placeOf("$2")})`,
};

/** `$1` company, `$2` ticket, `$3` tag or null, `$4` user, `$5` now: the only tag of the board that the ticket has. */
export const moveStatement: PreparedStatement = {
  name: "kanban.move",
  text: `
with gone as (
  delete from ticket_tags tt using tags g
  where tt.company_id = $1 and tt.ticket_id = $2 and tt.tag_id is distinct from $3::int
    and g.company_id = $1 and g.id = tt.tag_id and g.kanban = 1 and g.deleted_at is null
), put as (
  insert into ticket_tags (company_id, ticket_id, tag_id, created_at)
  select $1, $2, $3::int, $5::timestamptz where $3::int is not null
  on conflict do nothing
), moved as (
  insert into lane_moves (company_id, ticket_id, tag_id, user_id, moved_at) values ($1, $2, $3::int, $4, $5::timestamptz)
  on conflict (company_id, ticket_id) do update
  set tag_id = excluded.tag_id, user_id = excluded.user_id, moved_at = excluded.moved_at
)
update tickets set updated_at = greatest(updated_at, $5::timestamptz) where company_id = $1 and id = $2`,
};
