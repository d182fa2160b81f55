import type { TicketListQuery, TicketStatus } from "@balcao/contract";
import { pageSizes, ticketStatuses } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { PreparedStatement } from "../../platform/db/database.ts";
import { ticketColumns, ticketJoins } from "./ticket-row.ts";
import type { Placeholder, Viewer } from "./visibility.ts";
import { viewerOf, visibleCondition } from "./visibility.ts";

export type Statement = { statement: PreparedStatement; values: unknown[] };

export type CountsQuery = Pick<TicketListQuery, "showAll" | "queueIds">;

/** In the order of the indexes, nulls included, so that a page is read from them without sorting. */
const newestFirst = "order by t.updated_at desc nulls last, t.id desc nulls last";

/** One page and the exact number of all rows, in one statement: at least one row, whose ticket is null on an empty page. */
export function listStatement(ctx: Ctx, query: TicketListQuery): Statement {
  const { values, placeholder } = startValues(ctx);
  const search = searchSource(ctx, query, placeholder);
  const matching = matchingRows(ctx, query, placeholder);
  const offset = (query.pageNumber - 1) * pageSizes.tickets;
  // The number of rows stands in the text: with a parameter the planner guesses a tenth of the table and sorts it.
  const text = `
${search === null ? "" : `with hits as materialized (select id from ${search} as found(id))`}
select n.total, page.*
from (select count(*)::int as total ${matching}) n
left join lateral (
  select ${ticketColumns}
  from (select t.* ${matching} ${newestFirst} limit ${pageSizes.tickets} offset ${offset}) t
  ${ticketJoins}
) page on true
${newestFirst.replaceAll("t.updated_at", 'page."updatedAt"').replaceAll("t.id", "page.id")}`;
  return { statement: prepared(text), values };
}

/** How many open and pending tickets the caller's lists hold. */
export function countsStatement(ctx: Ctx, query: CountsQuery): Statement {
  const { values, placeholder } = startValues(ctx);
  const count = (status: TicketStatus) =>
    `(select count(*)::int ${matchingRows(ctx, { ...noFilter, ...query, status }, placeholder)})`;
  const text = `select ${count("open")} as open, ${count("pending")} as pending`;
  return { statement: prepared(text), values };
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

/** `from … where …` over the company's tickets that the list shows (wire-contract 5.6.1, behaviour 2.15). */
function matchingRows(ctx: Ctx, query: TicketListQuery, placeholder: Placeholder): string {
  const viewer = viewerOf(ctx);
  const conditions = ["t.company_id = $1"];
  const isAll = query.searchParam !== "" || (query.showAll && viewer === "everything");
  const lists = listedStatuses(query, isAll).map((status) => {
    const parts =
      viewer === "everything"
        ? adminCondition(ctx, query, { status, isAll }, placeholder)
        : agentCondition(viewer, query, status, placeholder);
    return `(${parts.join(" and ")})`;
  });
  conditions.push(lists.length === 1 ? lists.join() : `(${lists.join(" or ")})`);

  if (query.searchParam !== "") conditions.push("t.id in (select id from hits)");
  if (query.withUnreadMessages) conditions.push("t.unread_messages > 0");
  if (query.tags !== undefined && query.tags.length > 0) {
    const tags = [...new Set(query.tags)];
    conditions.push(`(select count(*) from ticket_tags tt where tt.company_id = t.company_id
      and tt.ticket_id = t.id and tt.tag_id = any(${placeholder(tags)})) = ${placeholder(tags.length)}`);
  }
  if (query.date !== undefined) conditions.push(onDay("t.created_at", query.date, placeholder));
  if (query.updatedAt !== undefined) {
    conditions.push(onDay("t.updated_at", query.updatedAt, placeholder));
  }
  const where = conditions.join("\n    and ");
  const served = where.includes("served.")
    ? "left join attendances served on served.company_id = t.company_id and served.id = t.last_attendance_id"
    : "";
  return `from tickets t ${served}\n  where ${where}`;
}

/** Without a status the list is "mine or waiting"; a search and "show all" reach everywhere the caller may look. */
function listedStatuses(query: TicketListQuery, isAll: boolean): readonly TicketStatus[] {
  if (query.status !== undefined) return [query.status];
  return isAll ? ticketStatuses : ["pending", "open"];
}

/** Only tickets of the agent's own queues (or none), and of those only what he may see. */
function agentCondition(
  viewer: Viewer,
  query: TicketListQuery,
  status: TicketStatus,
  placeholder: Placeholder,
): string[] {
  const queues = query.queueIds?.filter((id) => viewer.queueIds.includes(id)) ?? viewer.queueIds;
  return [visibleCondition(viewer, status, placeholder), inQueues(queues, status, placeholder)];
}

/** Everything; unless it was asked for, without the open tickets of others. */
function adminCondition(
  { actor }: Ctx,
  query: TicketListQuery,
  { status, isAll }: { status: TicketStatus; isAll: boolean },
  placeholder: Placeholder,
): string[] {
  const parts = [`t.status = '${status}'`];
  if (status === "open" && !isAll && actor.kind === "user") {
    parts.push(`(t.user_id = ${placeholder(actor.userId)} or t.user_id is null)`);
  }
  if (query.queueIds !== undefined) parts.push(inQueues(query.queueIds, status, placeholder));
  if (query.users !== undefined && query.users.length > 0) {
    const user = status === "closed" ? "served.user_id" : "t.user_id";
    parts.push(`${user} = any(${placeholder(query.users)})`);
  }
  return parts;
}

/** In one of the queues or in none; a closed ticket is in the queue that served it last. */
function inQueues(
  queueIds: readonly number[],
  status: TicketStatus,
  placeholder: Placeholder,
): string {
  const queue = status === "closed" ? "served.queue_id" : "t.queue_id";
  return `(${queue} = any(${placeholder(queueIds)}) or ${queue} is null)`;
}

/** On a calendar day of the company's time zone. There is no year 0. */
function onDay(column: string, day: string, placeholder: Placeholder): string {
  if (day.startsWith("0000")) return "false";
  const date = `${placeholder(day)}::date`;
  const zone = "(select time_zone from companies where id = $1)";
  return `${column} >= (${date}::timestamp at time zone ${zone})
    and ${column} < ((${date} + 1)::timestamp at time zone ${zone})`;
}

/**
 * The call that answers the ids of the tickets in which the text stands: in the contact's name or number or in a message
 * that the caller may read. It is a function of the database, because row-level security keeps text indexes from
 * being used (see its migration).
 */
function searchSource(ctx: Ctx, query: TicketListQuery, placeholder: Placeholder): string | null {
  const term = query.searchParam;
  if (term === "") return null;
  const viewer = viewerOf(ctx);
  const digits = /^[\d\s()+.-]+$/.test(term) ? term.replace(/\D/g, "") : "";
  const parts = [term, digits, ...(viewer === "everything" ? [null, null] : [viewer.queueIds, viewer.userId])];
  return `search_tickets(${parts.map(placeholder).join(", ")})`;
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
