import type { TagId, Ticket, TicketId } from "@balcao/contract";
import { pageSizes } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { TicketRow } from "../tickets/index.ts";
import { ticketColumns, ticketJoins } from "../tickets/index.ts";
import type { TagRow, TagValues } from "./tag.ts";

/** The key that keeps the tags of a company different from each other. */
export const sameTag = "tags_company_name_color_kanban";

export type ListedTagRow = TagRow & { ticketsCount: number };

/** One page by name, and how many tags all pages have. */
export async function listTags(
  ctx: Ctx,
  tx: Tx,
  { searchParam, pageNumber }: { searchParam: string; pageNumber: number },
): Promise<{ rows: ListedTagRow[]; total: number }> {
  const offset = (pageNumber - 1) * pageSizes.tags;
  const rows = await tx.query<{ total: number } & (ListedTagRow | { id: null })>(pageStatement, [
    ctx.companyId,
    searchParam,
    pageSizes.tags,
    offset,
  ]);
  return { rows: rows.filter((row) => row.id !== null), total: rows[0]?.total ?? 0 };
}

export async function allTags(ctx: Ctx, tx: Tx, searchParam: string): Promise<TagRow[]> {
  return tx.query<TagRow>(allStatement, [ctx.companyId, searchParam]);
}

export async function findTag(ctx: Ctx, tx: Tx, id: TagId): Promise<TagRow | undefined> {
  const [row] = await tx.query<TagRow>(findStatement, [ctx.companyId, id]);
  return row;
}

export async function lockTag(ctx: Ctx, tx: Tx, id: TagId): Promise<TagRow | undefined> {
  const [row] = await tx.query<TagRow>(lockStatement, [ctx.companyId, id]);
  return row;
}

/** The tag with these values, made if there is none; of several who make it at once one does. */
export async function findOrInsertTag(
  ctx: Ctx,
  tx: Tx,
  { name, color, kanban }: TagValues,
  now: Date,
): Promise<TagRow & { isNew: boolean }> {
  const [row] = await tx.query<TagRow & { isNew: boolean }>(insertStatement, [
    ctx.companyId,
    name,
    color,
    kanban,
    now,
  ]);
  if (!row) throw new Error("the tag was neither there nor made");
  return row;
}

/** Fails with a conflict of `sameTag` when another tag has these values. */
export async function saveTag(
  ctx: Ctx,
  tx: Tx,
  id: TagId,
  { name, color, kanban }: TagValues,
  now: Date,
): Promise<TagRow> {
  const [row] = await tx.query<TagRow>(saveStatement, [
    ctx.companyId,
    id,
    name,
    color,
    kanban,
    now,
  ]);
  if (!row) throw new Error("the locked tag is gone");
  return row;
}

export async function deleteTag(ctx: Ctx, tx: Tx, id: TagId): Promise<void> {
  await tx.query(deleteStatement, [ctx.companyId, id]);
}

/** Tickets that carry the tag, at most `limit` of them. */
export async function ticketsWithTag(
  ctx: Ctx,
  tx: Tx,
  id: TagId,
  limit: number,
): Promise<TicketId[]> {
  const rows = await tx.query<{ id: TicketId }>(carriersStatement, [ctx.companyId, id, limit]);
  return rows.map((row) => row.id);
}

export async function findTickets(
  ctx: Ctx,
  tx: Tx,
  ids: readonly TicketId[],
): Promise<TicketRow[]> {
  return tx.query<TicketRow>(ticketsStatement, [ctx.companyId, ids]);
}

/** Those of the tags that exist in the company; they stay until the transaction ends. */
export async function holdTags(ctx: Ctx, tx: Tx, ids: readonly number[]): Promise<Ticket["tags"]> {
  return tx.query<Ticket["tags"][number]>(holdStatement, [ctx.companyId, ids]);
}

/** Makes these the only tags of a ticket. */
export async function replaceTicketTags(
  ctx: Ctx,
  tx: Tx,
  ticketId: TicketId,
  tagIds: readonly number[],
): Promise<void> {
  await tx.query(replaceStatement, [ctx.companyId, ticketId, tagIds]);
}

const columns = `
  g.id, g.company_id as "companyId", g.name, g.color, g.kanban, g.created_at as "createdAt",
  g.updated_at as "updatedAt"`;

/** `$2` is part of the name or the colour. */
const isFound = `
  ($2 = '' or position(f_norm($2) in f_norm(g.name)) > 0 or position(lower($2) in lower(g.color)) > 0)`;

const pageStatement = {
  name: "tags.page",
  // The page may be empty while there are others: the total is there all the same.
  text: `
with found as (
  select g.* from tags g where g.company_id = $1 and ${isFound}
)
select (select count(*) from found) as total, ${columns}, coalesce(carried.tickets, 0) as "ticketsCount"
from (select 1) as always
left join lateral (
  select * from found order by f_norm(name), id limit $3 offset $4
) g on true
left join lateral (
  select count(*) as tickets from ticket_tags tt where tt.company_id = $1 and tt.tag_id = g.id
) carried on true
order by f_norm(g.name), g.id`,
};

const allStatement = {
  name: "tags.all",
  text: `
select ${columns} from tags g
where g.company_id = $1 and ${isFound}
order by f_norm(g.name), g.id
limit ${pageSizes.tags}`,
};

const findStatement = {
  name: "tags.find",
  text: `select ${columns} from tags g where g.company_id = $1 and g.id = $2`,
};

const lockStatement = { name: "tags.lock", text: `${findStatement.text} for no key update` };

const insertStatement = {
  name: "tags.find-or-insert",
  // The update changes nothing; it waits for whoever makes the same tag and returns his. `xmax` is 0 in a new row.
  text: `
insert into tags as g (company_id, name, color, kanban, created_at, updated_at)
values ($1, $2, $3, $4, $5, $5)
on conflict (company_id, name, color, kanban) do update set name = excluded.name
returning ${columns}, g.xmax = 0 as "isNew"`,
};

const saveStatement = {
  name: "tags.save",
  text: `
update tags g set name = $3, color = $4, kanban = $5, updated_at = $6
where g.company_id = $1 and g.id = $2
returning ${columns}`,
};

const deleteStatement = {
  name: "tags.delete",
  text: "delete from tags where company_id = $1 and id = $2",
};

const carriersStatement = {
  name: "tags.carriers",
  text: "select ticket_id as id from ticket_tags where company_id = $1 and tag_id = $2 limit $3",
};

const ticketsStatement = {
  name: "tags.tickets",
  text: `select ${ticketColumns} from tickets t ${ticketJoins} where t.company_id = $1 and t.id = any($2)`,
};

const holdStatement = {
  name: "tags.hold",
  text: `
select id, name, color from tags where company_id = $1 and id = any($2) order by id for key share`,
};

const replaceStatement = {
  name: "tags.replace",
  text: `
with gone as (
  delete from ticket_tags where company_id = $1 and ticket_id = $2 and tag_id <> all($3)
)
insert into ticket_tags (company_id, ticket_id, tag_id)
select $1, $2, tag_id from unnest($3::int[]) as tag_id
on conflict do nothing`,
};
