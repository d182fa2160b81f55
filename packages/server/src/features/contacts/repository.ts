import type { ContactId } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { requireRow } from "../../platform/db/records.ts";
import type { KeyedAddress } from "./address.ts";
import { addressKey, numberOf } from "./address.ts";
import type { ContactRow, FullContactRow, Person, ShownContactRow } from "./contact.ts";
import { contactColumns, fullColumns, shownColumns } from "./contact.ts";

// By hand and prepared: each message from a customer runs some of these.

/** A contact with those of the asked addresses that are known to be its own. */
export type KnownContact = ContactRow & { known: KeyedAddress[] };

/** The contacts that own any of the addresses, oldest first: none, one, or several to be merged. */
export async function findByAddresses(
  ctx: Ctx,
  tx: Tx,
  addresses: readonly KeyedAddress[],
): Promise<KnownContact[]> {
  return tx.query<KnownContact>(findStatement, [
    ctx.companyId,
    addresses.map((address) => address.kind),
    addresses.map((address) => address.key),
  ]);
}

/**
 * One transaction at a time creates or extends the contact of any of the addresses. The others wait here, before they take
 * any other lock, and read again afterwards.
 */
export async function lockAddresses(
  ctx: Ctx,
  tx: Tx,
  addresses: readonly KeyedAddress[],
): Promise<void> {
  const names = addresses.map(({ kind, key }) => `${kind} ${key}`);
  await tx.query(lockStatement, [ctx.companyId, names.toSorted()]);
}

/** A contact that was inserted, or found by its number, and the owners of the person's addresses afterwards. */
type InsertedContact = FullContactRow & { isNew: boolean; owners: ContactId[] };

/**
 * Inserts the person; if another transaction has just inserted the number or an address, waits for it and returns its
 * contact.
 */
export async function insertContact(
  ctx: Ctx,
  tx: Tx,
  person: Person & { name: string; email?: string; now: Date },
): Promise<InsertedContact> {
  const { addresses } = person;
  const rows = await tx.query<InsertedContact>(insertStatement, [
    ctx.companyId,
    person.name,
    numberOf(addresses),
    person.isGroup,
    person.now,
    ...addressLists(addresses),
    person.email ?? "",
  ]);
  return requireRow(rows);
}

/**
 * Adds addresses to a contact (or writes their newer form), its number if it had none, and its name if one is given.
 * Returns the contact as it is now; null when it was deleted at this moment.
 */
export async function updateContact(
  ctx: Ctx,
  tx: Tx,
  change: { id: ContactId; name: string | null; addresses: readonly KeyedAddress[]; now: Date },
): Promise<FullContactRow | null> {
  const [row] = await tx.query<FullContactRow>(updateStatement, [
    ctx.companyId,
    change.id,
    change.name,
    numberOf(change.addresses),
    change.now,
    ...addressLists(change.addresses),
  ]);
  return row ?? null;
}

/** Throws ERR_NO_CONTACT_FOUND. */
export async function findContact(ctx: Ctx, tx: Tx, id: ContactId): Promise<ShownContactRow> {
  const rows = await tx.query<ShownContactRow>(showStatement, [ctx.companyId, id]);
  return requireRow(rows, "ERR_NO_CONTACT_FOUND");
}

/**
 * Replaces the contact's number. The former number and the private ids that belong to it are no longer the contact's:
 * messages of their owner are another person's. Without a former number, private ids stay.
 */
export async function saveNumber(
  ctx: Ctx,
  tx: Tx,
  id: ContactId,
  number: string,
  now: Date,
): Promise<void> {
  const key = addressKey({ kind: "pn", value: number });
  await tx.query(forgetNumberStatement, [ctx.companyId, id, key]);
  await tx.query(numberStatement, [ctx.companyId, id, key, number, now]);
}

function addressLists(addresses: readonly KeyedAddress[]): [string[], string[], string[]] {
  // The same order in every transaction: two that add the same addresses cannot deadlock.
  const sorted = addresses.toSorted((a, b) =>
    `${a.kind} ${a.key}` < `${b.kind} ${b.key}` ? -1 : 1,
  );
  return [
    sorted.map((address) => address.kind),
    sorted.map((address) => address.key),
    sorted.map((address) => address.value),
  ];
}

const findStatement = {
  name: "contacts.find",
  text: `
select ${contactColumns("c")},
  json_agg(json_build_object('kind', a.kind, 'key', a.key, 'value', a.value)) as known
from contact_addresses a
join unnest($2::text[], $3::text[]) as wanted(kind, key) on wanted.kind = a.kind and wanted.key = a.key
join contacts c on c.company_id = a.company_id and c.id = a.contact_id
where a.company_id = $1
group by c.id
order by c.id`,
};

/** In the same order in every transaction. */
const lockStatement = {
  name: "contacts.lock-addresses",
  text: `
select pg_advisory_xact_lock(hashtextextended(company_id || ' ' || name, 4161))
from (values ($1::int)) as its(company_id), unnest($2::text[]) as name`,
};

const insertStatement = {
  name: "contacts.insert",
  text: `
with made as (
  insert into contacts (company_id, name, number, is_group, created_at, updated_at, email)
  values ($1, $2, $3, $4, $5, $5, $9)
  on conflict (company_id, number) do update set number = excluded.number
  returning *, xmax = 0 as is_new
), linked as (
  insert into contact_addresses (company_id, kind, key, value, contact_id)
  select $1, a.kind, a.key, a.value, made.id
  from made, unnest($6::text[], $7::text[], $8::text[]) as a(kind, key, value)
  on conflict (company_id, kind, key) do update set value = contact_addresses.value
  returning contact_id
)
select ${fullColumns("made")}, made.is_new as "isNew",
  (select array_agg(distinct contact_id) from linked) as owners
from made`,
};

const updateStatement = {
  name: "contacts.update",
  text: `
with linked as (
  insert into contact_addresses (company_id, kind, key, value, contact_id)
  select $1, a.kind, a.key, a.value, $2 from unnest($6::text[], $7::text[], $8::text[]) as a(kind, key, value)
  on conflict (company_id, kind, key) do update set value = excluded.value
)
update contacts c set
  name = coalesce($3, c.name),
  number = coalesce(c.number, (
    select $4::text where not exists (select 1 from contacts o where o.company_id = $1 and o.number = $4))),
  updated_at = $5
where c.company_id = $1 and c.id = $2
returning ${fullColumns("c")}`,
};

const showStatement = {
  name: "contacts.show",
  text: `select ${shownColumns("c")} from contacts c where c.company_id = $1 and c.id = $2`,
};

const forgetNumberStatement = {
  name: "contacts.forget-number",
  text: `
delete from contact_addresses a using contacts c
where c.company_id = $1 and c.id = $2 and c.number is not null
  and a.company_id = $1 and a.contact_id = $2 and not (a.kind = 'pn' and a.key = $3)`,
};

const numberStatement = {
  name: "contacts.number",
  text: `
with linked as (
  insert into contact_addresses (company_id, kind, key, value, contact_id) values ($1, 'pn', $3, $4, $2)
  on conflict (company_id, kind, key) do update set value = excluded.value
)
update contacts set number = $4, updated_at = $5 where company_id = $1 and id = $2`,
};
