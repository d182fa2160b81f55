import type { MessageId, SearchHit, TicketListQuery, TicketStatus } from "@balcao/contract";
import { ticketStatuses } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import { toIso } from "../../platform/db/records.ts";
import { searchedDigits } from "../contacts/index.ts";
import type { Placeholder, Viewer } from "./audience.ts";
import { readQueuesOf, viewerOf, visibleCondition } from "./audience.ts";

/**
 * What a list shows; `onlyLiving`: of all statuses only those that wait or are served; `after`: only what comes after this ticket in
 * the order of activity.
 */
export type ListQuery = TicketListQuery & {
  onlyLiving?: true;
  after?: { updatedAt: string; id: number };
};

/**
 * The tickets that a list shows (wire-contract 5.6.1, behaviour 2.15), as `from … where …` over `t`, one or more for each
 * status, which have no ticket in common: a condition on a single status is what the indexes serve. `$1` is the company.
 * A search reads from `found`.
 */
export function listedRows(
  ctx: Ctx,
  query: ListQuery,
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
function listedStatuses(query: ListQuery, isAll: boolean): readonly TicketStatus[] {
  if (query.status !== undefined) return [query.status];
  return isAll && query.onlyLiving !== true ? ticketStatuses : ["pending", "open"];
}

/**
 * Only visible tickets of the agent's own queues (or without queue), and every ticket that is assigned to the agent, whatever
 * its queue. The closed ones of a queue, and those without queue that the agent served, are separate lists: each is read from
 * an index.
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
    // The caller's own queues have their predecessors with them already.
    const servedBy =
      query.queueIds === undefined
        ? placeholder(queues)
        : `array(select q.id from queues q where q.company_id = $1 and ${isOrFollows(placeholder(queues))})`;
    const ofDeletedQueues = () => [
      "t.status = 'closed'",
      `t.served_queue_id = any(${placeholder(ownerlessQueueIds)})`,
      `t.served_user_id = ${placeholder(userId)}`,
    ];
    return [
      ...(ownerlessQueueIds.length === 0 ? [] : [ofDeletedQueues()]),
      ["t.status = 'closed'", `t.served_queue_id = any(${servedBy})`],
      [
        "t.status = 'closed'",
        "t.served_queue_id is null",
        `t.served_user_id = ${placeholder(viewer.userId)}`,
      ],
    ];
  }
  const visible = visibleCondition(viewer, status, placeholder);
  if (status === "open") return [[visible, ...ownOrInQueues(viewer, query, placeholder)]];
  return [[visible, inQueues(queues, status, placeholder)]];
}

/**
 * The filter by queues of an agent's open tickets. A queue that the agent is not in cannot be chosen, so no choice hides
 * the agent's own tickets of such a queue.
 */
function ownOrInQueues(
  { userId, queueIds }: Viewer,
  query: TicketListQuery,
  placeholder: Placeholder,
): string[] {
  if (query.queueIds === undefined) return [];
  const isOwnElsewhere = `t.user_id = ${placeholder(userId)} and t.queue_id <> all(${placeholder(queueIds)})`;
  const chosen = query.queueIds.filter((id) => queueIds.includes(id));
  return [`(${inQueues(chosen, "open", placeholder)} or (${isOwnElsewhere}))`];
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

/**
 * In one of the queues or in none. A closed ticket is in the queue that served it last; where that one was deleted, in the
 * queue that took its place, or in none.
 */
function inQueues(
  queueIds: readonly number[],
  status: TicketStatus,
  placeholder: Placeholder,
): string {
  const given = placeholder(queueIds);
  if (status !== "closed") return `(t.queue_id = any(${given}) or t.queue_id is null)`;
  return `(t.served_queue_id is null or t.served_queue_id = any(array(
      select q.id from queues q where q.company_id = $1
        and (${isOrFollows(given)} or (q.deleted_at is not null and q.successor_id is null)))))`;
}

/** Queue `q` is one of the given ones, or was deleted in favour of one. */
const isOrFollows = (given: string): string =>
  `(q.id = any(${given}) or (q.deleted_at is not null and q.successor_id = any(${given})))`;

/** The filters that are open to every user. */
function filterConditions(query: ListQuery, placeholder: Placeholder): string[] {
  const parts: string[] = [];
  if (query.withUnreadMessages) parts.push("t.unread_messages > 0");
  if (query.waitMinutes !== undefined) {
    parts.push(
      `t.waiting_since <= now() - make_interval(mins => ${placeholder(query.waitMinutes)})`,
    );
  }
  if (query.snoozed !== undefined) {
    parts.push(`t.snooze_id is ${query.snoozed ? "not " : ""}null`);
  }
  if (query.whatsappIds !== undefined && query.whatsappIds.length > 0) {
    parts.push(`t.connection_id = any(${placeholder(query.whatsappIds)})`);
  }
  if (query.tags !== undefined && query.tags.length > 0) {
    const tags = [...new Set(query.tags)];
    parts.push(`t.id in (select tt.ticket_id from ticket_tags tt
      join tags g on g.company_id = tt.company_id and g.id = tt.tag_id and g.deleted_at is null
      where tt.company_id = $1 and tt.tag_id = any(${placeholder(tags)})
      group by ticket_id having count(*) = ${placeholder(tags.length)})`);
  }
  if (query.after !== undefined) {
    const { updatedAt, id } = query.after;
    parts.push(
      `(t.updated_at, t.id) < (${placeholder(updatedAt)}::timestamptz, ${placeholder(id)}::int)`,
    );
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

/** Characters that are shown on both sides of what a search found. */
const AROUND = 60;
/** This many first tickets of a filtered list are searched, whatever else matches the text. */
export const NEAR_TICKETS = 2_000;

/** Whether a list shows less than all that its reader may see; a queue's list is not taken for small. */
export function isNarrow(query: TicketListQuery): boolean {
  return (
    query.withUnreadMessages ||
    query.snoozed === true ||
    query.waitMinutes !== undefined ||
    query.date !== undefined ||
    query.updatedAt !== undefined ||
    query.status !== undefined ||
    (query.tags?.length ?? 0) > 0 ||
    (query.whatsappIds?.length ?? 0) > 0 ||
    (query.users?.length ?? 0) > 0
  );
}

/**
 * `hits` and `found`: the tickets in which the searched text stands, in the contact's name or number or in a message that
 * the caller may read, and the newest such message of each. They are found by a function of the database (its migration
 * says how, and how far it looks), because under row-level security text indexes are not used, and read once, by their
 * ids. `near` selects the ids of the first tickets of a narrow list; null for none.
 */
export function foundTickets(
  ctx: Ctx,
  term: string,
  near: string | null,
  placeholder: Placeholder,
): string {
  const viewer = viewerOf(ctx);
  const readerQueues = viewer === "everything" ? null : readQueuesOf(viewer);
  const readerId = viewer === "everything" ? null : viewer.userId;
  const given = [term, searchedDigits(term), readerQueues, readerId].map(placeholder);
  const ids = near === null ? "null::int[]" : `array(${near})`;
  return `hits as materialized (
    select distinct on (ticket_id) ticket_id, message_id
    from search_tickets(${[...given, ids].join(", ")})
    order by ticket_id, sent_at desc nulls last, message_id desc
  ), found as materialized (
    select * from tickets where company_id = $1 and id = any(array(select ticket_id from hits)))`;
}

/**
 * The place where a search found its text, beside a ticket; all null where it did not look or found the contact only.
 */
export type HitColumns =
  | { hitId: null }
  | {
      hitId: MessageId;
      hitFromMe: boolean;
      hitAt: Date;
      hitBefore: string;
      hitMatch: string;
      hitAfter: string;
    };

/** Select list of `HitColumns`, and what it reads beside `page` and `hits`. */
export const hitColumns = `
  m.id as "hitId", m.from_me as "hitFromMe", m.created_at as "hitAt",
  x.before as "hitBefore", x.match as "hitMatch", x.after as "hitAfter"`;
export const hitJoins = (term: string): string => `
left join hits h on h.ticket_id = page.id
left join messages m on m.company_id = $1 and m.id = h.message_id
left join message_media mf on mf.company_id = $1 and mf.message_id = m.id and mf.transcript <> ''
  and strpos(f_norm(m.body), f_norm(${term})) = 0
left join lateral search_excerpt(coalesce(mf.transcript, m.body), f_norm(${term}), ${AROUND}) x on m.id is not null`;

export function toSearchHit(row: HitColumns): SearchHit | null {
  if (row.hitId === null) return null;
  return {
    messageId: row.hitId,
    fromMe: row.hitFromMe,
    createdAt: toIso(row.hitAt),
    before: row.hitBefore,
    match: row.hitMatch,
    after: row.hitAfter,
  };
}
