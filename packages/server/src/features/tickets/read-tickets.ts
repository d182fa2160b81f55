import type {
  ConnectionId,
  ContactId,
  InputOf,
  ReplyOf,
  Ticket,
  TicketId,
  TicketListQuery,
  TicketOrder,
  UserId,
} from "@balcao/contract";
import { pageSizes } from "@balcao/contract";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { PreparedStatement, Tx } from "../../platform/db/database.ts";
import { cappedCount, pageTotals } from "../../platform/db/records.ts";
import type { TicketDeps } from "./deps.ts";
import type { HitColumns, ListQuery } from "./list-filters.ts";
import {
  foundTickets,
  hitColumns,
  hitJoins,
  isNarrow,
  listedRows,
  NEAR_TICKETS,
  toSearchHit,
} from "./list-filters.ts";
import type { ShownTicketRow, TicketRow } from "./ticket-row.ts";
import { shownTicketColumns, ticketColumns, ticketJoins } from "./ticket-row.ts";
import type { Placeholder, TicketVisibility } from "./audience.ts";
import { canSee, readerOf, requireVisible, visibilityColumns } from "./audience.ts";

type ReadDeps = Pick<TicketDeps, "db" | "dto">;
type CountsQuery = InputOf<"GET /tickets/counts">["query"];

/** One page of a list in the wanted order, and how many tickets all pages have (`cappedCount`). */
export async function listTickets(
  { db, dto }: ReadDeps,
  ctx: Ctx,
  query: ListQuery,
  size: number = pageSizes.tickets,
): Promise<ReplyOf<"GET /tickets">> {
  const { statement, values } = listStatement(ctx, query, size);
  type Row = { total: number; isPinned: boolean | null } & HitColumns & (TicketRow | { id: null });
  const keepPlans = readsLivingTickets(query);
  const read = await db.read<Row>(ctx, statement, values, { keepPlans });
  const rows = read.filter((row) => row.id !== null);
  const shown = rows.slice(0, size);
  const offset = (query.pageNumber - 1) * size;
  const page = { offset, rows: shown.length, hasMore: rows.length > size };
  const reader = readerOf(ctx);
  return {
    tickets: shown.map((row) => ({
      ...dto.ofReader(row, reader),
      hit: toSearchHit(row),
      isPinned: row.isPinned ?? false,
    })),
    ...pageTotals(read[0]?.total ?? 0, page),
  };
}

/** How many open and pending tickets the caller's lists hold. */
export async function countTickets(
  { db }: Pick<TicketDeps, "db">,
  ctx: UserCtx,
  query: CountsQuery,
): Promise<ReplyOf<"GET /tickets/counts">> {
  const { statement, values } = countsStatement(ctx, query);
  type Counts = { open: number; pending: number };
  const [row] = await db.read<Counts>(ctx, statement, values);
  return row ?? { open: 0, pending: 0 };
}

/** How many tickets each of these lists has for the caller, `max` at most; in one statement. */
export async function countLists(
  { db }: Pick<TicketDeps, "db">,
  ctx: UserCtx,
  queries: readonly Partial<TicketListQuery>[],
  max: number,
): Promise<number[]> {
  const { values, placeholder } = startValues(ctx);
  const counts = queries.map((query) =>
    cappedCount(listedRows(ctx, { ...noFilter, ...query }, "tickets", placeholder), max),
  );
  // Planned each time: there are as many texts as sets of views.
  const statement = { name: "", text: `select array[${counts.join(", ")}]::int[] as counts` };
  const [row] = await db.read<{ counts: number[] }>(ctx, statement, values);
  return row?.counts ?? [];
}

export async function showTicket({ db, dto }: ReadDeps, ctx: Ctx, id: TicketId): Promise<Ticket> {
  const row = await db.transaction(ctx, (tx) => findTicket(ctx, tx, id));
  return dto.shown(requireVisible(ctx, row), readerOf(ctx));
}

const uuidForm = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

export async function showTicketByUuid(
  { db, dto }: ReadDeps,
  ctx: UserCtx,
  uuid: string,
): Promise<Ticket> {
  if (!uuidForm.test(uuid)) throw new DomainError("ERR_NO_TICKET_FOUND");
  const row = await db.transaction(ctx, (tx) => findTicketByUuid(ctx, tx, uuid));
  return dto.shown(requireVisible(ctx, row), readerOf(ctx));
}

/** For sockets: whether the user may see the ticket now. */
export async function canSeeTicket(
  { db }: Pick<TicketDeps, "db">,
  ctx: UserCtx,
  id: TicketId,
): Promise<boolean> {
  const ticket = await db.transaction(ctx, (tx) => findVisibility(ctx, tx, id));
  return ticket !== undefined && canSee(ctx, ticket);
}

type Statement = { statement: PreparedStatement; values: unknown[] };

/** In the order of an index, nulls included, so that a page is read from it without sorting. */
const rowOrders: Record<TicketOrder, string> = {
  activity: "order by t.updated_at desc nulls last, t.id desc nulls last",
  wait: "order by t.waiting_since asc nulls last, t.updated_at desc nulls last, t.id desc nulls last",
};
/** The same for the rows of a page, whose pinned ones come first. */
const pageOrders: Record<TicketOrder, string> = {
  activity: `order by page."isPinned" desc nulls last, page."updatedAt" desc nulls last, page.id desc nulls last`,
  wait: `order by page."isPinned" desc nulls last, page."waitingSince" asc nulls last, page."updatedAt" desc nulls last, page.id desc nulls last`,
};

/**
 * Whether a list is of tickets that wait or are served. Their number follows the company's work and not its history, so one
 * plan fits all companies.
 */
function readsLivingTickets({ searchParam, status }: TicketListQuery): boolean {
  return searchParam === "" && (status === "open" || status === "pending");
}

/**
 * One page with the first row of the next one, and the number of all rows (`cappedCount`), in one statement: at least one
 * row, whose ticket is null on an empty page.
 */
function listStatement(ctx: Ctx, query: ListQuery, size: number): Statement {
  if (query.searchParam !== "") return searchStatement(ctx, query, size);
  const { values, placeholder } = startValues(ctx);
  const lists = listedRows(ctx, query, "tickets", placeholder);
  // In other lists nobody waits, or an index for it would cost more than it brings.
  const order = readsLivingTickets(query) ? query.order : "activity";
  const pins = hasPinsFirst(ctx, query) ? pinsOf(ctx.actor.userId, placeholder) : null;
  const text = `
select n.total, page.*, null as "hitId"
${pageWithTotal(lists, { pageNumber: query.pageNumber, size }, order, pins)}
${pageOrders[order]}`;
  return { statement: prepared(text), values };
}

/** Only there, so that one plan fits all users: pins are of tickets that wait or are served. */
const hasPinsFirst = (ctx: Ctx, query: TicketListQuery): ctx is UserCtx =>
  query.pinnedFirst && readsLivingTickets(query) && ctx.actor.kind === "user";

/** The tickets that the user has pinned, read once in a statement; no more of them than one page shows. */
const pinsOf = (userId: UserId, placeholder: Placeholder): string =>
  `array(select p.ticket_id from ticket_pins p where p.company_id = $1 and p.user_id = ${placeholder(userId)}
      order by p.created_at desc limit ${pageSizes.tickets})`;

/** The same of what a search found. */
function searchStatement(ctx: Ctx, query: ListQuery, size: number): Statement {
  const { values, placeholder } = startValues(ctx);
  const near = isNarrow(query)
    ? `select id from (${pageOf(listedRows(ctx, query, "tickets", placeholder), { offset: 0, size: NEAR_TICKETS, order: "activity" })}) near`
    : null;
  const found = foundTickets(ctx, query.searchParam, near, placeholder);
  const lists = listedRows(ctx, query, "found", placeholder);
  const text = `
with ${found}
select n.total, page.*, ${hitColumns}
${pageWithTotal(lists, { pageNumber: query.pageNumber, size }, "activity")}
${hitJoins(placeholder(query.searchParam))}
${pageOrders.activity}`;
  return { statement: prepared(text), values };
}

function pageWithTotal(
  lists: readonly string[],
  { pageNumber, size }: { pageNumber: number; size: number },
  order: TicketOrder,
  pins: string | null = null,
): string {
  const place = { offset: (pageNumber - 1) * size, size: size + 1, order };
  return `from (select ${cappedCount(lists)} as total) n
left join lateral (
  select ${ticketColumns}, t.is_pinned as "isPinned"
  from (${pageOf(lists, place, pins)}) t
  ${ticketJoins}
) page on true`;
}

/**
 * A page of several lists is in the beginnings of each, which are read in order. Numbers of rows stand in the text: with
 * a parameter the planner guesses a tenth of the table and sorts it.
 */
function pageOf(
  lists: readonly string[],
  { offset, size, order }: { offset: number; size: number; order: TicketOrder },
  pins: string | null = null,
): string {
  const rowOrder = rowOrders[order];
  const [only, ...others] = lists;
  if (pins === null && only !== undefined && others.length === 0) {
    return `select t.*, false as is_pinned ${only} ${rowOrder} limit ${size} offset ${offset}`;
  }
  const beginning = (list: string, isPinned: boolean): string =>
    `(select t.*, ${isPinned} as is_pinned ${list} ${rowOrder} limit ${offset + size})`;
  const beginnings = lists.flatMap((list) =>
    pins === null
      ? [beginning(list, false)]
      : [
          beginning(`${list}\n    and t.id = any(${pins})`, true),
          beginning(`${list}\n    and t.id <> all(${pins})`, false),
        ],
  );
  const ordered = pins === null ? rowOrder : rowOrder.replace("by", "by t.is_pinned desc,");
  return `select t.* from (${beginnings.join(" union all ")}) t ${ordered} limit ${size} offset ${offset}`;
}

function countsStatement(ctx: Ctx, query: CountsQuery): Statement {
  const { values, placeholder } = startValues(ctx);
  const count = (status: "open" | "pending"): string => {
    const lists = listedRows(ctx, { ...noFilter, ...query, status }, "tickets", placeholder);
    return `${lists.map((list) => `(select count(*)::int ${list})`).join(" + ")} as ${status}`;
  };
  return { statement: prepared(`select ${count("open")}, ${count("pending")}`), values };
}

export const noFilter: TicketListQuery = {
  searchParam: "",
  pageNumber: 1,
  status: undefined,
  showAll: false,
  queueIds: undefined,
  tags: undefined,
  users: undefined,
  whatsappIds: undefined,
  snoozed: undefined,
  waitMinutes: undefined,
  pinnedFirst: false,
  date: undefined,
  updatedAt: undefined,
  withUnreadMessages: false,
  order: "activity",
};

export function startValues(ctx: Ctx): { values: unknown[]; placeholder: Placeholder } {
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

export function prepared(text: string): PreparedStatement {
  const known = names.get(text);
  if (known !== undefined) return { name: known, text };
  if (names.size >= NAMES_MAX) return { name: "", text };
  const name = `tickets.list.${names.size + 1}`;
  names.set(text, name);
  return { name, text };
}

export async function findTicket(
  ctx: Ctx,
  tx: Tx,
  id: TicketId,
): Promise<ShownTicketRow | undefined> {
  const [row] = await tx.query<ShownTicketRow>(findStatement, [ctx.companyId, id]);
  return row;
}

async function findTicketByUuid(
  ctx: Ctx,
  tx: Tx,
  uuid: string,
): Promise<ShownTicketRow | undefined> {
  const [row] = await tx.query<ShownTicketRow>(findByUuidStatement, [ctx.companyId, uuid]);
  return row;
}

/** Only the columns that decide who may see the ticket. */
export async function findVisibility(
  ctx: Ctx,
  tx: Tx,
  id: TicketId,
): Promise<TicketVisibility | undefined> {
  const [row] = await tx.query<TicketVisibility>(visibilityStatement, [ctx.companyId, id]);
  return row;
}

/** The contact's tickets that wait or are served, on all connections, newest first. */
export async function findLivingTickets(
  ctx: Ctx,
  tx: Tx,
  contactId: ContactId,
): Promise<ShownTicketRow[]> {
  return tx.query<ShownTicketRow>(livingStatement, [ctx.companyId, contactId]);
}

/**
 * Throws ERR_CONTACT_NUMBER_FORBIDDEN unless the user may see every ticket of the contact that waits or is served:
 * another number redirects these conversations.
 */
export async function requireAllLivingVisible(
  ctx: Ctx,
  tx: Tx,
  contactId: ContactId,
): Promise<void> {
  const living = await findLivingTickets(ctx, tx, contactId);
  if (!living.every((ticket) => canSee(ctx, ticket))) {
    throw new DomainError("ERR_CONTACT_NUMBER_FORBIDDEN");
  }
}

/** Locks the contact's tickets, and throws ERR_CONTACT_HAS_TICKET while one of them is open: it is being answered. */
export async function requireNoneOpen(ctx: Ctx, tx: Tx, contactId: ContactId): Promise<void> {
  await lockTicketsOfContact(ctx, tx, contactId);
  const living = await findLivingTickets(ctx, tx, contactId);
  if (living.some(({ status }) => status === "open")) {
    throw new DomainError("ERR_CONTACT_HAS_TICKET");
  }
}

/** Locks all tickets of the contact, in the order of their ids. */
export async function lockTicketsOfContact(ctx: Ctx, tx: Tx, contactId: ContactId): Promise<void> {
  await tx.query(lockOfContactStatement, [ctx.companyId, contactId]);
}

/** All tickets of the contact, in the order of their ids. */
export async function findTicketsOfContact(
  ctx: Ctx,
  tx: Tx,
  contactId: ContactId,
): Promise<TicketRow[]> {
  return tx.query<TicketRow>(ofContactStatement, [ctx.companyId, contactId]);
}

/** The connection's queue when it has exactly one. */
export async function findOnlyQueue(
  ctx: Ctx,
  tx: Tx,
  connectionId: ConnectionId,
): Promise<Ticket["queue"]> {
  const rows = await tx.query<NonNullable<Ticket["queue"]>>(onlyQueueStatement, [
    ctx.companyId,
    connectionId,
  ]);
  const [only] = rows;
  return rows.length === 1 && only ? only : null;
}

const selectTicket = `select ${shownTicketColumns} from tickets t ${ticketJoins}`;

const findStatement = {
  name: "tickets.find",
  text: `${selectTicket} where t.company_id = $1 and t.id = $2`,
};

const findByUuidStatement = {
  name: "tickets.find-by-uuid",
  text: `${selectTicket} where t.company_id = $1 and t.uuid = $2`,
};

const visibilityStatement = {
  name: "tickets.visibility",
  text: `
select ${visibilityColumns} from tickets t where t.company_id = $1 and t.id = $2`,
};

const livingStatement = {
  name: "tickets.living",
  text: `${selectTicket}
where t.company_id = $1 and t.contact_id = $2 and t.status in ('open', 'pending')
order by t.id desc`,
};

const lockOfContactStatement = {
  name: "tickets.lock-of-contact",
  text: `
select id from tickets where company_id = $1 and contact_id = $2 order by id for no key update`,
};

const ofContactStatement = {
  name: "tickets.all-of-contact",
  text: `
select ${ticketColumns} from tickets t ${ticketJoins}
where t.company_id = $1 and t.contact_id = $2 order by t.id`,
};

const onlyQueueStatement = {
  name: "tickets.only-queue",
  text: `
select q.id, q.name, q.color
from connection_queues cq
join queues q on q.company_id = cq.company_id and q.id = cq.queue_id
where cq.company_id = $1 and cq.connection_id = $2
limit 2`,
};
