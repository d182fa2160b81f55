import type { ContactId } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { KeyedAddress } from "./address.ts";
import { numberOf } from "./address.ts";
import type { FullContactRow, ShownContactRow } from "./contact-row.ts";
import { fullColumns, shownColumns } from "./contact-row.ts";
import type { ContactRow, Person } from "./contact.ts";

/** Columns of `ContactRow` from an alias of the table. */
function contactColumns(alias: string): string {
  return `${alias}.id, ${alias}.name, ${alias}.number, ${alias}.email,
    ${alias}.profile_pic_url as "profilePicUrl", ${alias}.is_group as "isGroup"`;
}

/** Messages that one statement moves: far below the time a statement may take. */
const MESSAGES_AT_ONCE = 5_000;

/** A contact with those of the asked addresses that are known to be its own. */
export type KnownContact = ContactRow & { known: KeyedAddress[] };

/** The contacts that own any of the addresses, oldest first: none, one, or several to be made one. */
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
 * Lets one transaction at a time make or extend the contact of any of the addresses; the others wait here, before they
 * hold anything that this one may want, and read again then.
 */
export async function lockAddresses(
  ctx: Ctx,
  tx: Tx,
  addresses: readonly KeyedAddress[],
): Promise<void> {
  const names = addresses.map(({ kind, key }) => `${kind} ${key}`);
  await tx.query(lockStatement, [ctx.companyId, names.toSorted()]);
}

/**
 * Lets one transaction of the company at a time make contacts one. Taken after the addresses (`lockAddresses`) and before
 * the tickets: see docs/people.md for the order of all locks.
 */
export async function lockMerging(ctx: Ctx, tx: Tx): Promise<void> {
  await tx.query(lockMergingStatement, [ctx.companyId]);
}

/** A contact that was inserted, or found by its number, and the owners of the person's addresses afterwards. */
export type InsertedContact = FullContactRow & { isNew: boolean; owners: ContactId[] };

/**
 * Inserts the person; where another transaction has just inserted the number or an address, waits for it and answers
 * what that one made.
 */
export async function insertContact(
  ctx: Ctx,
  tx: Tx,
  person: Person & { name: string; email?: string; now: Date },
): Promise<InsertedContact> {
  const { addresses } = person;
  const [row] = await tx.query<InsertedContact>(insertStatement, [
    ctx.companyId,
    person.name,
    numberOf(addresses),
    person.isGroup,
    person.now,
    ...addressLists(addresses),
    person.email ?? "",
  ]);
  if (!row) throw new Error("the contact was neither inserted nor found");
  return row;
}

export async function deleteContact(ctx: Ctx, tx: Tx, id: ContactId): Promise<void> {
  await tx.query(deleteStatement, [ctx.companyId, id]);
}

/**
 * Adds addresses to a contact (or writes their newer form), its number if it had none, and its name if one is given.
 * Answers the contact as it is now.
 */
export async function updateContact(
  ctx: Ctx,
  tx: Tx,
  change: { id: ContactId; name: string | null; addresses: readonly KeyedAddress[]; now: Date },
): Promise<FullContactRow> {
  const [row] = await tx.query<FullContactRow>(updateStatement, [
    ctx.companyId,
    change.id,
    change.name,
    numberOf(change.addresses),
    change.now,
    ...addressLists(change.addresses),
  ]);
  if (!row) throw new Error("the contact is gone");
  return row;
}

/**
 * Makes a contact whose tickets have moved already part of another one, and removes it. Fields that the other one lacks
 * are taken over, fields of its own stay; an additional field that both have the same is one. Answers the contact as it
 * is now.
 */
export async function absorbContact(
  ctx: Ctx,
  tx: Tx,
  absorbed: { from: ContactId; into: ContactId; name: string; now: Date },
): Promise<ShownContactRow> {
  const { from, into, name, now } = absorbed;
  await tx.query(moveStatement, [ctx.companyId, from, into]);
  for (let count = MESSAGES_AT_ONCE; count === MESSAGES_AT_ONCE;) {
    count = (await tx.query(moveMessages, [ctx.companyId, from, into])).length;
  }
  await tx.query(absorbStatement, [ctx.companyId, from, into, name, now]);
  await tx.query(deleteStatement, [ctx.companyId, from]);
  const [row] = await tx.query<ShownContactRow>(shownStatement, [ctx.companyId, into]);
  if (!row) throw new Error("the contact is gone");
  return row;
}

function addressLists(addresses: readonly KeyedAddress[]): [string[], string[], string[]] {
  // One order for everybody: two transactions that add the same addresses wait, they do not block each other.
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

/** In one order for everybody. */
const lockStatement = {
  name: "contacts.lock-addresses",
  text: `
select pg_advisory_xact_lock(hashtextextended(company_id || ' ' || name, 4161))
from (values ($1::int)) as its(company_id), unnest($2::text[]) as name`,
};

const lockMergingStatement = {
  name: "contacts.lock-merging",
  text: `
select pg_advisory_xact_lock(hashtextextended('people ' || company_id, 4162))
from (values ($1::int)) as its(company_id)`,
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

const deleteStatement = {
  name: "contacts.delete",
  text: "delete from contacts where company_id = $1 and id = $2",
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

const moveStatement = {
  name: "contacts.move",
  text: `
with addresses as (
  update contact_addresses set contact_id = $3 where company_id = $1 and contact_id = $2
), fields as (
  update contact_extra_info x set contact_id = $3
  where x.company_id = $1 and x.contact_id = $2 and not exists (select from contact_extra_info o
    where o.company_id = $1 and o.contact_id = $3 and o.name = x.name and o.value = x.value)
), notes as (
  update ticket_notes set contact_id = $3 where company_id = $1 and contact_id = $2
), scheduled as (
  update schedules set contact_id = $3 where company_id = $1 and contact_id = $2
)
update message_reactions r set contact_id = $3, author = 'contact:' || $3::int
where r.company_id = $1 and r.contact_id = $2 and not exists (select from message_reactions o
  where o.company_id = $1 and o.message_id = r.message_id and o.contact_id = $3)`,
};

const moveMessages = {
  name: "contacts.move-messages",
  text: `
update messages set contact_id = $3 where company_id = $1 and id in (
  select id from messages where company_id = $1 and contact_id = $2 limit ${MESSAGES_AT_ONCE})
returning 1`,
};

/** What somebody has switched off for the person stays off. */
const absorbStatement = {
  name: "contacts.absorb",
  text: `
update contacts k set
  name = $4,
  email = case when k.email = '' then g.email else k.email end,
  profile_pic_url = case when k.picture_key is null and k.profile_pic_url = '' then g.profile_pic_url else k.profile_pic_url end,
  picture_key = case when k.picture_key is null and k.profile_pic_url = '' then g.picture_key else k.picture_key end,
  disable_bot = k.disable_bot or g.disable_bot,
  active = k.active and g.active,
  created_at = least(k.created_at, g.created_at),
  updated_at = $5
from contacts g
where k.company_id = $1 and k.id = $3 and g.company_id = $1 and g.id = $2`,
};

const shownStatement = {
  name: "contacts.shown",
  text: `select ${shownColumns("c")} from contacts c where c.company_id = $1 and c.id = $2`,
};
