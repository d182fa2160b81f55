import type { ContactChange, ContactId, NewContact } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { addressKey } from "./address.ts";
import type { FullContactRow, ShownContactRow } from "./contact-row.ts";
import { fullColumns, shownColumns } from "./contact-row.ts";

export async function findContact(
  ctx: Ctx,
  tx: Tx,
  id: ContactId,
): Promise<ShownContactRow | undefined> {
  const [row] = await tx.query<ShownContactRow>(findStatement, [ctx.companyId, id]);
  return row;
}

/** The contact, locked until the transaction ends. */
export async function lockContact(
  ctx: Ctx,
  tx: Tx,
  id: ContactId,
): Promise<FullContactRow | undefined> {
  const [row] = await tx.query<FullContactRow>(lockStatement, [ctx.companyId, id]);
  return row;
}

/** Whose number one of these is, in either form of the Brazilian ninth digit. */
export async function findByNumber(
  ctx: Ctx,
  tx: Tx,
  forms: readonly string[],
): Promise<ShownContactRow | undefined> {
  const keys = forms.map((value) => addressKey({ kind: "pn", value }));
  const [row] = await tx.query<ShownContactRow>(byNumberStatement, [ctx.companyId, keys, forms]);
  return row;
}

/** What is written of a contact; what is left out stays. */
export type ContactValues = Pick<ContactChange, "name" | "email" | "active" | "disableBot">;

export async function saveContact(
  ctx: Ctx,
  tx: Tx,
  id: ContactId,
  { name, email, active, disableBot }: ContactValues,
  now: Date,
): Promise<void> {
  await tx.query(saveStatement, [
    ctx.companyId,
    id,
    name ?? null,
    email ?? null,
    active ?? null,
    disableBot ?? null,
    now,
  ]);
}

/**
 * From now on the person is known by this number, and no more by the one before, nor by the private ids that belong to
 * that one: what its owner writes is not the contact's any more. Without a number before, private ids stay.
 */
export async function saveNumber(ctx: Ctx, tx: Tx, id: ContactId, number: string): Promise<void> {
  const key = addressKey({ kind: "pn", value: number });
  await tx.query(forgetNumberStatement, [ctx.companyId, id, key]);
  await tx.query(numberStatement, [ctx.companyId, id, key, number]);
}

/** Makes the contact's additional fields these: those with an id of its own stay, all others are new. */
export async function saveExtraInfo(
  ctx: Ctx,
  tx: Tx,
  contactId: ContactId,
  list: NewContact["extraInfo"],
): Promise<void> {
  const rows = list.map(({ id, name, value }, place) => ({ id: id ?? null, name, value, place }));
  await tx.query(extraInfoStatement, [ctx.companyId, contactId, JSON.stringify(rows)]);
}

const findStatement = {
  name: "contacts.show",
  text: `select ${shownColumns("c")} from contacts c where c.company_id = $1 and c.id = $2`,
};

const lockStatement = {
  name: "contacts.lock",
  text: `select ${fullColumns("c")} from contacts c where c.company_id = $1 and c.id = $2 for update`,
};

const byNumberStatement = {
  name: "contacts.by-number",
  text: `
select ${shownColumns("c")} from contacts c
where c.company_id = $1 and c.id = (
  select contact_id as id from contact_addresses
  where company_id = $1 and kind = 'pn' and key = any($2::text[])
  union all
  select id from contacts where company_id = $1 and number = any($3::text[])
  order by id limit 1)`,
};

const saveStatement = {
  name: "contacts.save",
  text: `
update contacts set
  name = coalesce($3, name), email = coalesce($4, email), active = coalesce($5, active),
  disable_bot = coalesce($6, disable_bot), updated_at = $7
where company_id = $1 and id = $2`,
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
update contacts set number = $4 where company_id = $1 and id = $2`,
};

const extraInfoStatement = {
  name: "contacts.extra-info",
  text: `
with wanted as (
  select w.*, x.id as own_id
  from jsonb_to_recordset($3::jsonb) as w(id int, name text, value text, place int)
  left join contact_extra_info x on x.company_id = $1 and x.contact_id = $2 and x.id = w.id
), gone as (
  delete from contact_extra_info
  where company_id = $1 and contact_id = $2
    and not exists (select from wanted where own_id = contact_extra_info.id)
), changed as (
  update contact_extra_info x set name = w.name, value = w.value
  from wanted w where x.company_id = $1 and x.id = w.own_id
)
insert into contact_extra_info (company_id, contact_id, name, value)
select $1, $2, name, value from wanted where own_id is null order by place`,
};
