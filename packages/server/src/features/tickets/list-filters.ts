import type { TicketListQuery, TicketStatus } from "@balcao/contract";
import { ticketStatuses } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Placeholder, Viewer } from "./visibility.ts";
import { viewerOf, visibleCondition } from "./visibility.ts";

/**
 * The tickets that a list shows (wire-contract 5.6.1, behaviour 2.15), as `from … where …` over `t`, one or more for each
 * status, which have no ticket in common: a condition on a single status is what the indexes serve. `$1` is the company.
 * A search reads from `found`.
 */
export function listedRows(
  ctx: Ctx,
  query: TicketListQuery,
  source: "tickets" | "found",
  placeholder: Placeholder,
): string[] {
  const viewer = viewerOf(ctx);
  const isAll = query.searchParam !== "" || (query.showAll && viewer === "everything");
  return listedStatuses(query, isAll).flatMap((status) => {
    const lists =
      viewer === "everything"
        ? [adminConditions(ctx, query, { status, isAll }, placeholder)]
        : agentConditions(viewer, query, status, placeholder);
    return lists.map((conditions) => {
      const all = ["t.company_id = $1", ...conditions, ...filterConditions(query, placeholder)];
      return `from ${source} t\n  where ${all.join("\n    and ")}`;
    });
  });
}

/** Without a status the list is "mine or waiting"; a search and "show all" reach everywhere the caller may look. */
function listedStatuses(query: TicketListQuery, isAll: boolean): readonly TicketStatus[] {
  if (query.status !== undefined) return [query.status];
  return isAll ? ticketStatuses : ["pending", "open"];
}

/**
 * Only tickets of the agent's own queues (or none), and of those only what he may see. The closed ones of a queue, and
 * those without one that he has served, are lists of their own: each is read from an index.
 */
function agentConditions(
  viewer: Viewer,
  query: TicketListQuery,
  status: TicketStatus,
  placeholder: Placeholder,
): string[][] {
  const queues = query.queueIds?.filter((id) => viewer.queueIds.includes(id)) ?? viewer.queueIds;
  if (status === "closed") {
    const { userId, ownerlessQueueIds } = viewer;
    const ofDeletedQueues = () => [
      "t.status = 'closed'",
      `t.served_queue_id = any(${placeholder(ownerlessQueueIds)})`,
      `t.served_user_id = ${placeholder(userId)}`,
    ];
    return [
      ...(ownerlessQueueIds.length === 0 ? [] : [ofDeletedQueues()]),
      ["t.status = 'closed'", `t.served_queue_id = any(${placeholder(queues)})`],
      [
        "t.status = 'closed'",
        "t.served_queue_id is null",
        `t.served_user_id = ${placeholder(viewer.userId)}`,
      ],
    ];
  }
  return [[visibleCondition(viewer, status, placeholder), inQueues(queues, status, placeholder)]];
}

/** Everything; unless it was asked for, without the open tickets of others. */
function adminConditions(
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
    const user = status === "closed" ? "t.served_user_id" : "t.user_id";
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
  const queue = status === "closed" ? "t.served_queue_id" : "t.queue_id";
  return `(${queue} = any(${placeholder(queueIds)}) or ${queue} is null)`;
}

/** What everybody can filter by. */
function filterConditions(query: TicketListQuery, placeholder: Placeholder): string[] {
  const parts: string[] = [];
  if (query.withUnreadMessages) parts.push("t.unread_messages > 0");
  if (query.tags !== undefined && query.tags.length > 0) {
    const tags = [...new Set(query.tags)];
    parts.push(`t.id in (select ticket_id from ticket_tags
      where company_id = $1 and tag_id = any(${placeholder(tags)})
      group by ticket_id having count(*) = ${placeholder(tags.length)})`);
  }
  if (query.date !== undefined) parts.push(onDay("t.created_at", query.date, placeholder));
  if (query.updatedAt !== undefined) {
    parts.push(onDay("t.updated_at", query.updatedAt, placeholder));
  }
  return parts;
}

/** On a calendar day of the company's time zone. There is no year 0. */
function onDay(column: string, day: string, placeholder: Placeholder): string {
  if (day.startsWith("0000")) return "false";
  const date = `${placeholder(day)}::date`;
  const zone = "(select time_zone from companies where id = $1)";
  return `${column} >= (${date}::timestamp at time zone ${zone})
    and ${column} < ((${date} + 1)::timestamp at time zone ${zone})`;
}
