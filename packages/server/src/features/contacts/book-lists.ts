import { pageSizes } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { isoText } from "../../platform/db/records.ts";
import { searchedDigits } from "./address.ts";
import type { ContactRow, ListedContactRow } from "./contact.ts";
import { contactColumns, fullColumns } from "./contact.ts";

export type ContactListQuery = {
  searchParam: string;
  pageNumber: number;
  date?: string | undefined;
  dateStart?: string | undefined;
  dateEnd?: string | undefined;
};

/** One page of the company's contacts by name, without case and accents, and how many all pages have. */
export async function listContacts(
  ctx: Ctx,
  tx: Tx,
  query: ContactListQuery,
): Promise<{ rows: ListedContactRow[]; total: number }> {
  const values: unknown[] = [ctx.companyId];
  const size = pageSizes.contacts;
  const text = `
with ${listedContacts(query, (value) => `$${values.push(value)}`)}
select n.total, page.*
from (select count(*)::int as total from listed) n
left join lateral (
  select ${fullColumns("c")}, o.name_normal as sorted, ${ticketsColumn}
  from (
    select o.* from listed o
    order by o.name_normal, o.id limit ${size} offset ${(query.pageNumber - 1) * size}
  ) o
  join contacts c on c.company_id = $1 and c.id = o.id
) page on true
order by page.sorted, page.id`;
  const rows = await tx.query<
    { total: number; sorted: string | null } & (ListedContactRow | { id: null })
  >({ name: query.pageNumber === 1 ? firstPageName(query) : "", text }, values);
  return { rows: rows.filter((row) => row.id !== null), total: rows[0]?.total ?? 0 };
}

/** The first page is asked for all day: its statement is kept, by what it is narrowed by. */
function firstPageName({ searchParam, date, dateStart = date, dateEnd = date }: ContactListQuery) {
  const search = searchParam === "" ? "" : "-found";
  const since = dateStart === undefined ? "" : "-since";
  return `contacts.first${search}${since}${dateEnd === undefined ? "" : "-until"}`;
}

/** A contact of the short list, with what it is ordered by. */
export type ChoiceRow = ContactRow & { sorted: string };

/** Contacts by name, the first ones or those after a contact. */
export async function listChoices(
  ctx: Ctx,
  tx: Tx,
  name: string,
  { limit, last }: { limit: number; last: ChoiceRow | undefined },
): Promise<ChoiceRow[]> {
  const values: unknown[] = [ctx.companyId];
  const placeholder = (value: unknown) => `$${values.push(value)}`;
  const listed = listedContacts({ searchParam: name }, placeholder);
  const isLater = last
    ? `where (o.name_normal, o.id) > (${placeholder(last.sorted)}, ${placeholder(last.id)}::int)`
    : "";
  const text = `
with ${listed}
select ${contactColumns("c")}, o.name_normal as sorted
from (
  select o.* from listed o ${isLater} order by o.name_normal, o.id limit ${placeholder(limit)}::int
) o
join contacts c on c.company_id = $1 and c.id = o.id
order by o.name_normal, o.id`;
  return tx.query<ChoiceRow>({ name: "", text }, values);
}

/**
 * `listed`: what orders the contacts of a list. Groups are left out unless the search names them; days are those of the
 * company. A search finds each contact once; without a search the rows come from the address book's index.
 */
function listedContacts(
  query: Omit<ContactListQuery, "pageNumber">,
  placeholder: (value: unknown) => string,
): string {
  const { searchParam: term, date, dateStart = date, dateEnd = date } = query;
  const isSearch = term !== "";
  const parts = isSearch ? ["true"] : ["c.company_id = $1", "not c.is_group"];
  // As the owner: under row-level security text indexes are not used (see the function's migration).
  const source = isSearch
    ? `search_contacts(${placeholder(term)}, ${placeholder(searchedDigits(term))})`
    : "contacts";
  const zone = "(select time_zone from companies where id = $1)";
  if (dateStart !== undefined) {
    parts.push(`c.created_at >= ${startOf(dateStart, placeholder)} at time zone ${zone}`);
  }
  if (dateEnd !== undefined) {
    parts.push(
      `c.created_at < (${startOf(dateEnd, placeholder)} + interval '1 day') at time zone ${zone}`,
    );
  }
  return `listed as ${isSearch ? "materialized" : "not materialized"} (
  select c.id, c.name_normal from ${source} c where ${parts.join("\n    and ")}
)`;
}

/** There is no year 0; nothing is older than the year 1. */
function startOf(day: string, placeholder: (value: unknown) => string): string {
  return `${placeholder(day.startsWith("0000") ? "0001-01-01" : day)}::date::timestamp`;
}

/** Ascending: clients of the family read the last one's time as that of the last message. */
const ticketsColumn = `(
    select json_agg(json_build_object('id', t.id, 'status', t.status,
      'createdAt', ${isoText("t.created_at")}, 'updatedAt', ${isoText("t.updated_at")}) order by t.updated_at, t.id)
    from tickets t where t.company_id = c.company_id and t.contact_id = c.id) as tickets`;
