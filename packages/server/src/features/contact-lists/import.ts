import type { ContactListId, ContactListItem, ImportRule } from "@balcao/contract";
import { contactListReload, limits } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { lockRecord, requireRow } from "../../platform/db/records.ts";
import { contactLists, normalNumber } from "../../platform/db/schema/index.ts";
import type { ImportedPerson, ImportOutcome } from "../contacts/index.ts";
import type { ChecksDeps } from "./checks.ts";
import { wantCheck } from "./checks.ts";
import type { ItemRow } from "./lists.ts";
import { itemColumns, tellList, toItem, toList } from "./lists.ts";

/**
 * Puts some hundred people of a spreadsheet on a list in one statement; who stands there is kept, filled or replaced by the
 * rule. Says in the order of `people` what became of each. Throws ERR_CONTACTLIST_FULL; then nobody is put there.
 */
export async function importMembers(
  ctx: Ctx,
  tx: Tx,
  id: ContactListId,
  people: readonly ImportedPerson[],
  { rule, now }: { rule: ImportRule; now: Date },
): Promise<ImportOutcome[]> {
  await lockRecord(ctx, tx, contactLists, id, "ERR_NO_CONTACTLIST_FOUND");
  const rows = people.map(({ name, number, email }, place) => ({ place, name, number, email }));
  const values = [ctx.companyId, id, JSON.stringify(rows), rule, now];
  const written = await tx.query<ImportOutcome>(writeStatement, values);
  if ((await countMembers(ctx, tx, id)) > limits.contactListMax)
    throw new DomainError("ERR_CONTACTLIST_FULL");
  return written;
}

/** Says, on commit, that people were put on a list together; at the end of an import their numbers are looked up soon. */
export async function tellImported(
  deps: Pick<ChecksDeps, "wake" | "clock" | "realtime">,
  ctx: Ctx,
  tx: Tx,
  id: ContactListId,
  { isOver }: { isOver: boolean },
): Promise<void> {
  const { companyId } = ctx;
  const list = await lockRecord(ctx, tx, contactLists, id, "ERR_NO_CONTACTLIST_FOUND");
  if (isOver) await wantCheck(deps, ctx, tx, id);
  const count = await countMembers(ctx, tx, id);
  tellList(deps.realtime, tx, "update", { ...toList(list), contactsCount: count });
  const to = { to: "list", companyId, listId: id } as const;
  tx.onCommit(() => deps.realtime.send(contactListReload, to, { action: "reload", records: [] }));
}

/** How many people are on a list. */
export async function countMembers(ctx: Ctx, tx: Tx, id: ContactListId): Promise<number> {
  const rows = await tx.query<{ count: number }>(countStatement, [ctx.companyId, id]);
  return requireRow(rows).count;
}

/** Some people of lists as the wire has them, by id. */
export async function readMembers(
  ctx: Ctx,
  tx: Tx,
  ids: readonly number[],
): Promise<ContactListItem[]> {
  return (await tx.query<ItemRow>(readStatement, [ctx.companyId, ids])).map(toItem);
}

const writeStatement = {
  name: "contact-lists.import",
  text: `
with given as materialized (
  select g.*, ${normalNumber("g.number")} as key
  from jsonb_to_recordset($3::jsonb) as g(place int, name text, number text, email text)
), known as materialized (
  select g.place, i.id, i.name as old_name, i.email as old_email,
    case when g.name <> '' and ($4 = 'replace' or $4 = 'fill' and i.name = i.number) then g.name else i.name end as name,
    case when g.email <> '' and ($4 = 'replace' or $4 = 'fill' and i.email = '') then g.email else i.email end as email
  from given g
  join contact_list_items i on i.company_id = $1 and i.contact_list_id = $2 and i.number_normal = g.key
), made as (
  insert into contact_list_items (company_id, contact_list_id, name, number, email, created_at, updated_at)
  select $1, $2, coalesce(nullif(g.name, ''), g.number), g.number, g.email, $5, $5
  from given g where not exists (select from known k where k.place = g.place) order by g.place
  returning id, number
), changed as (
  update contact_list_items i set name = k.name, email = k.email, updated_at = $5 from known k
  where i.company_id = $1 and i.id = k.id and (k.name <> k.old_name or k.email <> k.old_email)
  returning i.id
)
select o.id, o.outcome from (
  select g.place, m.id, 'added' as outcome from made m join given g on g.number = m.number
  union all
  select k.place, k.id, case when c.id is null then 'kept' else 'filled' end from known k left join changed c on c.id = k.id
) o order by o.place`,
};

const countStatement = {
  name: "contact-lists.count",
  text: `
select count(*)::int as count from contact_list_items i where i.company_id = $1 and i.contact_list_id = $2`,
};

const readStatement = {
  name: "contact-lists.imported",
  text: `
select ${itemColumns("i")} from contact_list_items i
where i.company_id = $1 and i.id = any($2::int[]) order by i.id`,
};
