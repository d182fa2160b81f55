import type { ContactId, ReplyOf } from "@balcao/contract";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { hasPermission } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { requireRow, toIsoOrNull } from "../../platform/db/records.ts";
import { addressKey } from "./address.ts";
import type { ContactsDeps } from "./book.ts";
import { duplicateOf } from "./duplicates.ts";

type Summary = ReplyOf<"GET /contacts/:contactId/summary">;

type SummaryRow = Pick<Summary, "openTicketId" | "duplicateId"> & {
  number: string | null;
  tags: Summary["tags"] | null;
  connections: Summary["connections"] | null;
  lastContactAt: Date | null;
  numbers: string[] | null;
};

/** What the page of a contact shows beside the contact's own fields. */
export function showSummary(
  { db, tickets }: ContactsDeps,
  ctx: UserCtx,
  id: ContactId,
): Promise<Summary> {
  return db.transaction(ctx, async (tx) => {
    const values = [ctx.companyId, id];
    const row = requireRow(
      await tx.query<SummaryRow>(summaryStatement, values),
      "ERR_NO_CONTACT_FOUND",
    );
    const { number, numbers, tags, connections, openTicketId, duplicateId } = row;
    const keyOf = (value: string): string => addressKey({ kind: "pn", value });
    const others = (numbers ?? []).filter((one) => number === null || keyOf(one) !== keyOf(number));
    return {
      ...{ tags: tags ?? [], connections: connections ?? [], otherNumbers: others },
      ...{ lastContactAt: toIsoOrNull(row.lastContactAt), openTicketId, duplicateId },
      ...(await listsOf(ctx, tx, id)),
      noteTicketId: await tickets.newestVisible(ctx, tx, id),
    };
  });
}

const LISTS_SHOWN_MAX = 10;

async function listsOf(
  ctx: Ctx,
  tx: Tx,
  id: ContactId,
): Promise<Pick<Summary, "lists" | "listCount">> {
  if (!hasPermission(ctx, "contact-lists:manage")) return { lists: [], listCount: 0 };
  const rows = await tx.query<Summary["lists"][number] & { total: number }>(listsStatement, [
    ...[ctx.companyId, id, LISTS_SHOWN_MAX],
  ]);
  const lists = rows.map((row) => ({ id: row.id, name: row.name }));
  return { lists, listCount: rows[0]?.total ?? 0 };
}

const summaryStatement = {
  name: "contacts.summary",
  text: `
select c.number, its."lastContactAt", its."openTicketId",
  (select json_agg(json_build_object('id', g.id, 'name', g.name, 'color', g.color) order by g.id)
    from ticket_tags tt join tags g on g.company_id = $1 and g.id = tt.tag_id and g.deleted_at is null
    where tt.company_id = $1 and tt.ticket_id = its.newest_id) as tags,
  (select json_agg(json_build_object('id', w.id, 'name', w.name) order by u.last_at desc nulls last, w.id)
    from (
      select t.connection_id, max(t.last_message_at) as last_at from tickets t
      where t.company_id = $1 and t.contact_id = c.id and t.connection_id is not null group by t.connection_id
    ) u join connections w on w.company_id = $1 and w.id = u.connection_id) as connections,
  (select array_agg(a.value order by a.value) from contact_addresses a
    where a.company_id = $1 and a.contact_id = c.id and a.kind = 'pn') as numbers,
  ${duplicateOf("c")} as "duplicateId"
from contacts c
left join lateral (
  select max(t.last_message_at) as "lastContactAt",
    (array_agg(t.id order by t.last_message_at desc nulls last, t.id desc))[1] as newest_id,
    (array_agg(t.id order by t.last_message_at desc nulls last, t.id desc) filter (where t.status = 'open'))[1] as "openTicketId"
  from tickets t where t.company_id = $1 and t.contact_id = c.id
) its on true
where c.company_id = $1 and c.id = $2`,
};

const listsStatement = {
  name: "contacts.lists-of",
  text: `
select l.id, l.name, count(*) over ()::int as total
from contact_lists l
where l.company_id = $1 and exists (
  select from contact_addresses a join contact_list_items i
    on i.company_id = $1 and i.contact_list_id = l.id and i.number_normal = a.key
  where a.company_id = $1 and a.contact_id = $2 and a.kind = 'pn')
order by l.name, l.id limit $3`,
};
