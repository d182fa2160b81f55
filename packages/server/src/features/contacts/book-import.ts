import type { Contact, ContactId, ImportRule, TagId, UserId } from "@balcao/contract";
import { limits, placeholderName } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { DomainEvents } from "../../platform/events.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { SignFile } from "../media/index.ts";
import { addressKey, keyedAddresses } from "./address.ts";
import type { FullContactRow } from "./contact.ts";
import { fullColumns, toContact } from "./contact.ts";
import { lockAddresses } from "./repository.ts";

/** A person of a spreadsheet. */
export type ImportedPerson = {
  /** "" where the sheet has none: then the number is the name. */
  name: string;
  /** Digits with country code; each number once, in either form of the ninth digit. */
  number: string;
  email: string;
  isOptedOut: boolean;
  tagIds: readonly TagId[];
  extra: readonly { name: string; value: string }[];
};

/** What became of a person: a new contact, a known one that was changed, or one that stayed as it was. */
export type ImportOutcome = { id: number; outcome: "added" | "filled" | "kept" };

type ImportWish = { rule: ImportRule; userId: UserId; now: Date };

/**
 * Writes some hundred people into the address book, in a few statements. Their addresses are locked as for messages, so that nobody becomes a
 * second contact who writes at this very moment. Who is known is kept, filled or replaced by the rule; an opt-out is stored whatever the rule is, and
 * an earlier one keeps its time and source. Their histories have what changed. Says in the order of `people` what became of each. Tells only open conversations; the rest is
 * told by `tellReload`.
 */
export async function importPeople(
  { domainEvents }: { domainEvents: DomainEvents },
  ctx: Ctx,
  tx: Tx,
  people: readonly ImportedPerson[],
  { rule, userId, now }: ImportWish,
): Promise<ImportOutcome[]> {
  if (people.length === 0) return [];
  const addresses = people.map(({ number }) => ({ kind: "pn" as const, value: number }));
  await lockAddresses(ctx, tx, keyedAddresses(addresses));
  const written: WrittenRow[] = [];
  let rows = people.map((person, place) => ({
    ...{ place, ...person },
    key: addressKey({ kind: "pn", value: person.number }),
  }));
  // A contact that is deleted at this moment is nobody's any more: the next turn makes a new one.
  while (rows.length > 0) {
    const values = [ctx.companyId, JSON.stringify(rows), rule, userId, now, limits.extraInfoMax];
    const some = await tx.query<WrittenRow>(writeStatement, values);
    if (some.length === 0) throw new Error("the contacts of an import keep disappearing");
    written.push(...some);
    const done = new Set(some.map(({ place }) => place));
    rows = rows.filter(({ place }) => !done.has(place));
  }
  written.sort((a, b) => a.place - b.place);
  const changed = new Set(written.filter(({ isOtherCard }) => isOtherCard).map(({ id }) => id));
  if (changed.size > 0) {
    const values = [ctx.companyId, [...changed]];
    const told = await tx.query<{ id: ContactId }>(servedStatement, values);
    for (const { id } of told) {
      await domainEvents.publish(tx, ctx, "contact.changed", { contactId: id, tickets: "living" });
    }
  }
  return written.map(({ id, outcome }) => ({ id, outcome }));
}

type WrittenRow = {
  place: number;
  id: ContactId;
  outcome: ImportOutcome["outcome"];
  /** Its conversations look different. */
  isOtherCard: boolean;
};

/** Some contacts as the wire has them, by id. */
export async function readImported(
  sign: SignFile,
  ctx: Ctx,
  tx: Tx,
  ids: readonly number[],
): Promise<Contact[]> {
  const rows = await tx.query<FullContactRow>(readStatement, [ctx.companyId, ids]);
  return rows.map((row) => toContact(row, sign));
}

/** Says, on commit, that many contacts changed: whoever shows the address book reads it again. */
export function tellReload(
  realtime: Realtime,
  tx: Tx,
  { companyId }: Pick<Ctx, "companyId">,
): void {
  tx.onCommit(() =>
    realtime.publish(companyId, "contact", { action: "reload", records: [] }, [
      rooms.main(companyId),
    ]),
  );
}

// A contact may have several of the numbers: then the first row that has a value gives it. Each set is read once, and each look-up is by an index: right after a start there are no statistics.
const writeStatement = {
  name: "contacts.import",
  text: `
with given as materialized (
  select * from jsonb_to_recordset($2::jsonb)
    as p(place int, name text, number text, key text, email text, "isOptedOut" boolean, "tagIds" jsonb, extra jsonb)
), owners as materialized (
  select g.place, coalesce(
    (select a.contact_id from contact_addresses a where a.company_id = $1 and a.kind = 'pn' and a.key = g.key),
    (select c.id from contacts c where c.company_id = $1 and c.number = g.number)) as id
  from given g
), held as materialized (
  select c.id, c.name, c.email, c.opted_out_at from contacts c
  where c.company_id = $1 and c.id = any(array(select o.id from owners o))
  order by c.id for no key update of c
), made as (
  insert into contacts (company_id, name, number, email, opted_out_at, opt_out_source, opted_out_by, created_at, updated_at)
  select $1, coalesce(nullif(g.name, ''), g.number), g.number, g.email, case when g."isOptedOut" then $5::timestamptz end,
    case when g."isOptedOut" then 'import' end, case when g."isOptedOut" then $4::int end, $5, $5
  from given g join owners o on o.place = g.place
  where o.id is null order by g.place
  returning id, number
), people as materialized (
  select g.place, m.id, true as is_new from made m join given g on g.number = m.number
  union all
  select o.place, h.id, false from owners o join held h on h.id = o.id
), linked as (
  insert into contact_addresses (company_id, kind, key, value, contact_id)
  select $1, 'pn', g.key, g.number, p.id from people p join given g on g.place = p.place order by g.key
  on conflict (company_id, kind, key) do nothing
), wanted as materialized (
  select w.id, w.old_name, w.old_email, w.is_out,
    case when $3 = 'replace' or $3 = 'fill' and w.old_name ~ '${placeholderName.source}' then coalesce(w.name, w.old_name) else w.old_name end as name,
    case when $3 = 'replace' or $3 = 'fill' and w.old_email = '' then coalesce(w.email, w.old_email) else w.old_email end as email
  from (
    select h.id, h.name as old_name, h.email as old_email,
      (array_agg(g.name order by g.place) filter (where g.name <> ''))[1] as name,
      (array_agg(g.email order by g.place) filter (where g.email <> ''))[1] as email,
      bool_or(g."isOptedOut") and h.opted_out_at is null as is_out
    from people p join held h on h.id = p.id join given g on g.place = p.place
    where not p.is_new
    group by h.id, h.name, h.email, h.opted_out_at
  ) w
), changed as (
  update contacts c set name = w.name, email = w.email, updated_at = $5,
    opted_out_at = case when w.is_out then $5::timestamptz else c.opted_out_at end,
    opt_out_source = case when w.is_out then 'import' else c.opt_out_source end,
    opted_out_by = case when w.is_out then $4::int else c.opted_out_by end
  from wanted w
  where c.company_id = $1 and c.id = w.id and (w.name <> w.old_name or w.email <> w.old_email or w.is_out)
  returning c.id
), fields as materialized (
  select f.id, f.is_new, f.name, f.value, row_number() over (partition by f.id order by f.row, f.place) as place
  from (
    select p.id, p.is_new, p.place as row, x.value ->> 'name' as name, x.value ->> 'value' as value, x.ordinality as place,
      rank() over (partition by p.id, x.value ->> 'name' order by p.place) as turn
    from people p join given g on g.place = p.place, jsonb_array_elements(g.extra) with ordinality x
    where p.is_new or $3 <> 'keep'
  ) f where f.turn = 1
), replaced as (
  update contact_extra_info e set value = f.value from fields f
  where $3 = 'replace' and not f.is_new and e.company_id = $1 and e.contact_id = f.id and e.name = f.name and e.value <> f.value
  returning e.contact_id, e.name
), noted as (
  insert into contact_extra_info (company_id, contact_id, name, value, created_at)
  select $1, f.id, f.name, f.value, $5 from fields f
  where f.is_new or not exists (
      select from contact_extra_info e where e.company_id = $1 and e.contact_id = f.id and e.name = f.name)
    and (select count(*) from contact_extra_info e where e.company_id = $1 and e.contact_id = f.id) + f.place <= $6::int
  order by f.id, f.place
  returning contact_id, name
), tagged as (
  insert into contact_tags (company_id, contact_id, tag_id, created_at)
  select distinct $1::int, p.id, t.value::int, $5::timestamptz
  from people p join given g on g.place = p.place, jsonb_array_elements_text(g."tagIds") t
  where p.is_new or $3 <> 'keep'
  on conflict do nothing
  returning contact_id
), edits as (
  select w.id, 'name' as field, '' as label, w.old_name as old, w.name as new from wanted w where w.name <> w.old_name
  union all
  select w.id, 'email', '', w.old_email, w.email from wanted w where w.email <> w.old_email
  union all
  select f.id, 'extraInfo', f.name, coalesce(e.value, ''), f.value
  from (select contact_id, name from replaced union select contact_id, name from noted) x
  join fields f on f.id = x.contact_id and f.name = x.name and not f.is_new
  left join contact_extra_info e on e.company_id = $1 and e.contact_id = f.id and e.name = f.name
), told as (
  insert into contact_events (company_id, contact_id, change, user_id, at)
  select $1, e.id, e.change, $4, $5 from (
    select id, jsonb_build_object('kind', 'edited', 'fields', jsonb_agg(
      jsonb_build_object('field', field, 'label', label, 'from', old, 'to', new))) as change
    from edits group by id
    union all
    select o.id, jsonb_build_object('kind', 'optedOut', 'source', 'import') from (
      select w.id from wanted w where w.is_out
      union
      select p.id from people p join given g on g.place = p.place where p.is_new and g."isOptedOut"
    ) o
  ) e order by e.id
)
select p.place, p.id, coalesce(c.id is not null, false) as "isOtherCard",
  case when p.is_new then 'added' when c.id is not null or o.contact_id is not null then 'filled' else 'kept' end as outcome
from people p
left join changed c on c.id = p.id
left join (
  select contact_id from replaced union select contact_id from noted union select contact_id from tagged
) o on o.contact_id = p.id
order by p.place`,
};

const servedStatement = {
  name: "contacts.import-served",
  text: `
select i.id from unnest($2::int[]) as i(id)
where exists (select from tickets t where t.company_id = $1 and t.contact_id = i.id and t.status <> 'closed')
order by i.id`,
};

const readStatement = {
  name: "contacts.imported",
  text: `
select ${fullColumns("c")} from contacts c
where c.company_id = $1 and c.id = any($2::int[]) order by c.id`,
};
