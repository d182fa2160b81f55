import type { ContactId, DuplicateReason, ReplyOf } from "@balcao/contract";
import { pageSizes } from "@balcao/contract";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database } from "../../platform/db/database.ts";
import { readPage } from "../../platform/db/records.ts";
import { distinctContacts } from "../../platform/db/schema/index.ts";
import type { MediaFiles } from "../media/index.ts";
import type { ContactRow } from "./contact.ts";
import { toContactRef } from "./contact.ts";
import { findContact } from "./repository.ts";

type DuplicatesDeps = { db: Database; files: Pick<MediaFiles, "signedPath"> };

/** Pairs that one look finds; people merge them one by one. */
const PAIRS_MAX = 1_000;

type PairRow = { one: ContactRow; other: ContactRow; reason: DuplicateReason; total: number };

/** One page of the pairs that may be one person, by the older contact. */
export async function listDuplicates(
  { db, files }: DuplicatesDeps,
  ctx: UserCtx,
  pageNumber: number,
): Promise<ReplyOf<"GET /contacts/duplicates">> {
  const { rows, ...totals } = await db.transaction(ctx, (tx) =>
    readPage(pageNumber, pageSizes.duplicates, (limit, offset) =>
      tx.query<PairRow>(pairsStatement, [ctx.companyId, limit, offset]),
    ),
  );
  const pairs = rows.map(({ one, other, reason }) => ({
    contacts: [toContactRef(one, files.signedPath), toContactRef(other, files.signedPath)] as [
      ReturnType<typeof toContactRef>,
      ReturnType<typeof toContactRef>,
    ],
    reason,
  }));
  return { pairs, ...totals };
}

/** Two contacts are two people: the pair is never suggested again. */
export async function keepApart(
  { db }: DuplicatesDeps,
  ctx: UserCtx,
  id: ContactId,
  otherId: ContactId,
): Promise<void> {
  if (id === otherId) throw new DomainError("ERR_CONTACTS_NOT_MERGEABLE");
  await db.transaction(ctx, async (tx) => {
    await findContact(ctx, tx, id);
    await findContact(ctx, tx, otherId);
    const [first, second] = id < otherId ? [id, otherId] : [otherId, id];
    await tx.orm
      .insert(distinctContacts)
      .values({ companyId: ctx.companyId, contactId: first, otherId: second })
      .onConflictDoNothing();
  });
}

const isDistinct = (a: string, b: string): string => `exists (
      select from distinct_contacts d
      where d.company_id = $1 and d.contact_id = least(${a}, ${b}) and d.other_id = greatest(${a}, ${b}))`;

/** Two people `c` and `o` with the same name of two words at least: one word names many. */
const sameName = (c: string, o: string): string =>
  `${o}.company_id = $1 and ${o}.name_normal = ${c}.name_normal and not ${o}.is_group and ${o}.id <> ${c}.id`;

/**
 * The id of a contact that may be the same person as `c`, or null; `$1` is the company. Each part is a lookup in an index, and
 * `id + 0` keeps the planner from walking all contacts in the order of their ids instead.
 *
 * Two contacts never have one number in both forms of the Brazilian ninth digit: the key of an address is unique. What is left is
 * the same name with the same e-mail, and a contact with a private address alone beside the only one of its name that has a number.
 */
export const duplicateOf = (c: string): string => `case when not ${c}.is_group then coalesce(
    case when ${c}.email_normal <> '' then (
      select o.id from contacts o
      where ${sameName(c, "o")} and o.email_normal = ${c}.email_normal and o.email_normal <> '' and not ${isDistinct("o.id", `${c}.id`)}
      order by o.id + 0 limit 1) end,
    case when ${c}.name_normal not like '% %' then null when ${c}.number is null then (
      select n.id from (
        select min(o.id) as id, count(*) as found from (
          select o.id from contacts o where ${sameName(c, "o")} and o.number is not null limit 2) o
      ) n where n.found = 1 and not ${isDistinct("n.id", `${c}.id`)})
    else (
      select o.id from contacts o
      where ${sameName(c, "o")} and o.number is null and not ${isDistinct("o.id", `${c}.id`)}
        and not exists (select from contacts p where ${sameName(c, "p")} and p.number is not null)
      order by o.id + 0 limit 1)
    end) end`;

/** Why `a` and `b` may be one person. */
export const reasonOf = (a: string, b: string): string => `case
    when ${a}.name_normal <> ${b}.name_normal then null
    when ${a}.email_normal <> '' and ${a}.email_normal = ${b}.email_normal then 'nameAndEmail'
    when (${a}.number is null) <> (${b}.number is null) and ${a}.name_normal like '% %' then 'privateAddress' end`;

const refOf = (c: string): string => `json_build_object(
    'id', ${c}.id, 'companyId', ${c}.company_id, 'name', ${c}.name, 'number', ${c}.number, 'email', ${c}.email,
    'pictureKey', ${c}.picture_key, 'isGroup', ${c}.is_group, 'isOptedOut', ${c}.opted_out_at is not null)`;

const pairsStatement = {
  name: "contacts.duplicates",
  text: `
with candidates as materialized (
  select s.id from (
    select c.id, count(*) over (partition by c.email_normal, c.name_normal) as found from contacts c
    where c.company_id = $1 and c.email_normal <> '' and not c.is_group
  ) s where s.found > 1
  union
  select c.id from contacts c where c.company_id = $1 and c.number is null and not c.is_group
), pairs as materialized (
  select distinct least(c.id, d.id) as one_id, greatest(c.id, d.id) as other_id
  from candidates k join contacts c on c.company_id = $1 and c.id = k.id
  cross join lateral (select ${duplicateOf("c")} as id) d
  where d.id is not null order by 1, 2 limit ${PAIRS_MAX}
)
select ${refOf("a")} as one, ${refOf("b")} as other, ${reasonOf("a", "b")} as reason,
  (select count(*)::int from pairs) as total
from (select * from pairs order by one_id, other_id limit $2 offset $3) p
join contacts a on a.company_id = $1 and a.id = p.one_id
join contacts b on b.company_id = $1 and b.id = p.other_id
order by p.one_id, p.other_id`,
};
