import type { TicketListQuery } from "@balcao/contract";
import { pageSizes } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { PreparedStatement } from "../../platform/db/database.ts";
import { cappedCount } from "../../platform/db/paging.ts";
import { listedRows } from "./list-filters.ts";
import { ticketColumns, ticketJoins } from "./ticket-row.ts";
import { foundTickets, hitColumns, hitJoins, isNarrow, NEAR_TICKETS } from "./ticket-search.ts";
import type { Placeholder } from "./visibility.ts";

export type Statement = { statement: PreparedStatement; values: unknown[] };

export type CountsQuery = Pick<TicketListQuery, "showAll" | "queueIds">;

/** In the order of the index, nulls included, so that a page is read from it without sorting. */
const newestFirst = "order by t.updated_at desc nulls last, t.id desc nulls last";

/**
 * One page with the first row of the next one, and the number of all rows (`cappedCount`), in one statement: at least one
 * row, whose ticket is null on an empty page.
 */
export function listStatement(ctx: Ctx, query: TicketListQuery): Statement {
  if (query.searchParam !== "") return searchStatement(ctx, query);
  const { values, placeholder } = startValues(ctx);
  const lists = listedRows(ctx, query, "tickets", placeholder);
  const text = `
select n.total, page.*, null as "hitId"
${pageWithTotal(lists, query.pageNumber)}
${pageOrder}`;
  return { statement: prepared(text), values };
}

/** The same of what a search found. */
function searchStatement(ctx: Ctx, query: TicketListQuery): Statement {
  const { values, placeholder } = startValues(ctx);
  const near = isNarrow(query)
    ? `select id from (${pageOf(listedRows(ctx, query, "tickets", placeholder), { offset: 0, size: NEAR_TICKETS })}) near`
    : null;
  const found = foundTickets(ctx, query.searchParam, near, placeholder);
  const lists = listedRows(ctx, query, "found", placeholder);
  const text = `
with ${found}
select n.total, page.*, ${hitColumns}
${pageWithTotal(lists, query.pageNumber)}
${hitJoins(placeholder(query.searchParam))}
${pageOrder}`;
  return { statement: prepared(text), values };
}

function pageWithTotal(lists: readonly string[], pageNumber: number): string {
  const size = pageSizes.tickets;
  return `from (select ${cappedCount(lists)} as total) n
left join lateral (
  select ${ticketColumns}
  from (${pageOf(lists, { offset: (pageNumber - 1) * size, size: size + 1 })}) t
  ${ticketJoins}
) page on true`;
}

const pageOrder = `order by page."updatedAt" desc nulls last, page.id desc nulls last`;

/**
 * A page of several lists is in the beginnings of each, which are read in order. Numbers of rows stand in the text: with
 * a parameter the planner guesses a tenth of the table and sorts it.
 */
function pageOf(
  lists: readonly string[],
  { offset, size }: { offset: number; size: number },
): string {
  const [only, ...others] = lists;
  if (only !== undefined && others.length === 0) {
    return `select t.* ${only} ${newestFirst} limit ${size} offset ${offset}`;
  }
  const beginnings = lists.map(
    (list) => `(select t.* ${list} ${newestFirst} limit ${offset + size})`,
  );
  return `select t.* from (${beginnings.join(" union all ")}) t ${newestFirst} limit ${size} offset ${offset}`;
}

/** How many open and pending tickets the caller's lists hold. */
export function countsStatement(ctx: Ctx, query: CountsQuery): Statement {
  const { values, placeholder } = startValues(ctx);
  const count = (status: "open" | "pending"): string => {
    const lists = listedRows(ctx, { ...noFilter, ...query, status }, "tickets", placeholder);
    return `${lists.map((list) => `(select count(*)::int ${list})`).join(" + ")} as ${status}`;
  };
  return { statement: prepared(`select ${count("open")}, ${count("pending")}`), values };
}

const noFilter: TicketListQuery = {
  searchParam: "",
  pageNumber: 1,
  status: undefined,
  showAll: false,
  queueIds: undefined,
  tags: undefined,
  users: undefined,
  date: undefined,
  updatedAt: undefined,
  withUnreadMessages: false,
};

function startValues(ctx: Ctx): { values: unknown[]; placeholder: Placeholder } {
  const values: unknown[] = [ctx.companyId];
  return {
    values,
    placeholder: (value) => {
      values.push(value);
      return `$${values.length}`;
    },
  };
}

/** Statement names by their texts: as many as there are combinations of filters in use. */
const names = new Map<string, string>();
/** Beyond these (far pages, rare combinations) a statement is planned each time instead of being kept. */
const NAMES_MAX = 60;

function prepared(text: string): PreparedStatement {
  const known = names.get(text);
  if (known !== undefined) return { name: known, text };
  if (names.size >= NAMES_MAX) return { name: "", text };
  const name = `tickets.list.${names.size + 1}`;
  names.set(text, name);
  return { name, text };
}
