import { normalNumber } from "../../platform/db/schema/index.ts";
import { taggedContacts } from "../contact-lists/index.ts";
import { KNOWN_NUMBER_DAYS } from "../contacts/index.ts";

/**
 * SQL, for `with`: `audience`, all people of a list or, with a tag, of the tag, with why a campaign leaves them out: `left_out`, else
 * null. `place` is the place from 0 of those who are in, by name. A number that was checked some time ago counts as unchecked
 * (`checked_at` null). `$1` is the company, `$2` the list, `$3` the tag that wins over it, `$4` now.
 */
export const audience = `
tagged as materialized (${taggedContacts("$3::int")}),
members as materialized (
  select i.id, i.name, i.name_normal, i.number, i.number_normal, i.email, i.is_valid, i.checked_at
  from contact_list_items i
  where $3::int is null and i.company_id = $1 and i.contact_list_id = $2::int
  union all
  select c.id, c.name, c.name_normal, c.number, ${normalNumber("c.number")}, c.email, true, k.checked_at
  from tagged join contacts c on c.company_id = $1 and c.id = tagged.contact_id
  left join lateral (
    select checked_at from known_numbers
    where company_id = $1 and key = ${normalNumber("c.number")} limit 1) k on true
  where not c.is_group and c.number is not null
),
linked as materialized (
  select m.id, m.name, m.name_normal, m.number, m.number_normal, m.email, p.id as contact_id, p.opted_out_at is not null as is_out,
    m.is_valid, case when m.checked_at > $4::timestamptz - interval '${KNOWN_NUMBER_DAYS} days' then m.checked_at end as checked_at,
    row_number() over (
      partition by coalesce('c' || p.id::text, m.number_normal)
      order by m.is_valid is false, m.name_normal, m.id) > 1 as is_again
  from members m
  left join lateral (
    select c.id, c.opted_out_at, c.is_group from contact_addresses a
    join contacts c on c.company_id = $1 and c.id = a.contact_id
    where a.company_id = $1 and a.kind = 'pn' and a.key = m.number_normal limit 1) p on true
  where p.is_group is not true
),
sorted as materialized (
  select l.*, case
      when l.is_valid is false and l.checked_at is not null then 'invalid'
      when l.is_out then 'optedOut'
      when l.is_again then 'repeated' end as left_out
  from linked l
),
audience as materialized (
  select s.*, (row_number() over (partition by s.left_out order by s.name_normal, s.id))::int - 1 as place
  from sorted s
)`;

/** SQL: whether the contact has ever written to the company. */
export const hasWritten = (contactId: string): string => `exists (
    select from tickets t
    where t.company_id = $1 and t.contact_id = ${contactId} and t.last_customer_message_at is not null)`;
