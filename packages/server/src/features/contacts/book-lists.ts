import type { ContactRef } from "@balcao/contract";
import { pageSizes } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { ContactRow } from "./contact.ts";
import { toContactRef } from "./contact.ts";
import type { ListedContactRow } from "./contact-row.ts";
import { fullColumns } from "./contact-row.ts";
import { searchedDigits } from "./number.ts";

export type ContactListQuery = {
  searchParam: string;
  pageNumber: number;
  date?: string | undefined;
  dateStart?: string | undefined;
  dateEnd?: string | undefined;
};

/** As many as somebody looks through to choose one. */
const CHOICES = 100;

/** One page of the company's contacts by name, without case and accents, and how many all pages have. */
export async function listContacts(
  ctx: Ctx,
  tx: Tx,
  query: ContactListQuery,
): Promise<{ rows: ListedContactRow[]; total: number }> {
  const values: unknown[] = [ctx.companyId];
  const where = contactConditions(query, (value) => `$${values.push(value)}`).join("\n    and ");
  const size = pageSizes.contacts;
  const text = `
select n.total, page.*
from (select count(*)::int as total from contacts c where ${where}) n
left join lateral (
  select ${fullColumns("c")}, f_norm(c.name) as sorted, ${ticketsColumn}
  from (
    select c.* from contacts c where ${where}
    order by f_norm(c.name), c.id limit ${size} offset ${(query.pageNumber - 1) * size}
  ) c
) page on true
order by page.sorted, page.id`;
  const rows = await tx.query<{ total: number } & (ListedContactRow | { id: null })>(
    { name: "", text },
    values,
  );
  return { rows: rows.filter((row) => row.id !== null), total: rows[0]?.total ?? 0 };
}

/** Contacts by name, for choosing one. */
export async function listChoices(ctx: Ctx, tx: Tx, name: string): Promise<ContactRef[]> {
  const values: unknown[] = [ctx.companyId];
  const where = contactConditions({ searchParam: name }, (value) => `$${values.push(value)}`);
  const text = `
select c.id, c.name, c.number, c.email, c.profile_pic_url as "profilePicUrl", c.is_group as "isGroup"
from contacts c where ${where.join(" and ")}
order by f_norm(c.name), c.id limit ${CHOICES}`;
  const rows = await tx.query<ContactRow>({ name: "", text }, values);
  return rows.map(toContactRef);
}

/** Groups are left out unless the search names them; days are those of the company. */
function contactConditions(
  query: Omit<ContactListQuery, "pageNumber">,
  placeholder: (value: unknown) => string,
): string[] {
  const { searchParam: term, date, dateStart = date, dateEnd = date } = query;
  const parts = ["c.company_id = $1"];
  if (term === "") parts.push("not c.is_group");
  else {
    // As the owner: under row-level security text indexes are not used (see the function's migration).
    const found = `search_contacts(${placeholder(term)}, ${placeholder(searchedDigits(term))})`;
    parts.push(`c.id = any(array(select ${found}))`);
  }
  const zone = "(select time_zone from companies where id = $1)";
  if (dateStart !== undefined) {
    parts.push(`c.created_at >= ${startOf(dateStart, placeholder)} at time zone ${zone}`);
  }
  if (dateEnd !== undefined) {
    parts.push(
      `c.created_at < (${startOf(dateEnd, placeholder)} + interval '1 day') at time zone ${zone}`,
    );
  }
  return parts;
}

/** There is no year 0; nothing is older than the year 1. */
function startOf(day: string, placeholder: (value: unknown) => string): string {
  return `${placeholder(day.startsWith("0000") ? "0001-01-01" : day)}::date::timestamp`;
}

const isoText = (moment: string): string =>
  `to_char(${moment} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Ascending: clients of the family read the last one's time as that of the last message. */
const ticketsColumn = `(
    select json_agg(json_build_object('id', t.id, 'status', t.status,
      'createdAt', ${isoText("t.created_at")}, 'updatedAt', ${isoText("t.updated_at")}) order by t.updated_at, t.id)
    from tickets t where t.company_id = c.company_id and t.contact_id = c.id) as tickets`;
