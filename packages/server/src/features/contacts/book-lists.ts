import type { ContactId, ContactSelection, InputOf } from "@balcao/contract";
import { pageSizes, placeholderName } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { isoText } from "../../platform/db/records.ts";
import { searchedDigits } from "./address.ts";
import type { ContactRow, ListedContactRow } from "./contact.ts";
import { contactColumns, fullColumns } from "./contact.ts";
import { duplicateOf } from "./duplicates.ts";

/** The search words, filters, order and page number of the address book. */
export type ContactListQuery = Partial<InputOf<"GET /contacts">["query"]> &
  Pick<InputOf<"GET /contacts">["query"], "searchParam" | "pageNumber">;

/** The same with days that count back from today. */
type BookQuery = {
  [K in keyof ContactListQuery]?:
    | (K extends "dateStart" | "lastStart" | "lastEnd" ? Day : ContactListQuery[K])
    | undefined;
};

type Page = { rows: ListedContactRow[]; total: number };
type Placeholder = (value: unknown) => string;

/**
 * One page of the company's contacts, names without case and accents, and how many all pages have. By last contact those
 * without any message come last.
 */
export async function listContacts(ctx: Ctx, tx: Tx, query: ContactListQuery): Promise<Page> {
  const isNarrowed = query.searchParam !== "" || createdOf(query) !== null || isFiltered(query);
  if (query.sort === "lastContact" && !isNarrowed) return listByLastContact(ctx, tx, query);
  const values: unknown[] = [ctx.companyId];
  const placeholder: Placeholder = (value) => `$${values.push(value)}`;
  const listed = listedContacts(query, placeholder);
  const lastAt = query.sort === "lastContact" ? `, ${lastContactOf("o.id")} as last_at` : "";
  const page = `
    select o.id, (row_number() over (order by ${orderOf(query)}))::int as place from (
      select o.* from (select o.id, o.name_normal, o.created_at${lastAt} from listed o) o
      order by ${orderOf(query)} ${portionOf(query)}
    ) o`;
  // The first page by name is asked for all day: its statement is kept.
  const isKept = query.pageNumber === 1 && (query.sort ?? "name") === "name" && !isFiltered(query);
  const name = isKept ? firstPageName(query) : "";
  return readPage(tx, { name, text: `with ${listed}${pageWithTotal(page)}` }, values);
}

/** From the index of the tickets: the newest one of each contact, newest first, and then contacts without messages. */
async function listByLastContact(ctx: Ctx, tx: Tx, query: ContactListQuery): Promise<Page> {
  const direction = directionOf(query);
  const order = `o.last_message_at ${direction}, o.ticket_id ${direction}`;
  const listed = `
with listed as not materialized (select c.id from contacts c where c.company_id = $1 and not c.is_group)`;
  const talked = `
    select o.id, (row_number() over (order by ${order}))::int as place from (
      select t.contact_id as id, t.last_message_at, t.id as ticket_id
      from tickets t where t.company_id = $1 and ${isNewestTicket}
      order by t.last_message_at ${direction}, t.id ${direction} ${portionOf(query)}
    ) o`;
  const silent = (missing: number): string => `
    select o.id, (row_number() over (order by o.name_normal, o.id))::int as place from (
      select c.id, c.name_normal from contacts c
      where c.company_id = $1 and not c.is_group and not exists (
        select from tickets t
        where t.company_id = $1 and t.contact_id = c.id and t.last_message_at is not null)
      order by c.name_normal, c.id limit ${missing}
      offset greatest(0, ${offsetOf(query)} - (
        select count(*) from tickets t where t.company_id = $1 and ${isNewestTicket}))
    ) o`;
  const found: Page = { rows: [], total: 0 };
  for (const page of [() => talked, silent]) {
    const missing = pageSizes.contacts - found.rows.length;
    const text = `${listed}${pageWithTotal(page(missing))}`;
    const { rows, total } = await readPage(tx, { name: "", text }, [ctx.companyId]);
    found.rows.push(...rows);
    found.total = total;
    if (rows.length === missing || offsetOf(query) + found.rows.length >= total) break;
  }
  return found;
}

/** The ticket with the contact's newest message. */
const isNewestTicket = `t.last_message_at is not null and not t.is_group and not exists (
      select from tickets n where n.company_id = t.company_id and n.contact_id = t.contact_id
        and n.last_message_at is not null and (n.last_message_at, n.id) > (t.last_message_at, t.id))`;

const lastContactOf = (contactId: string): string => `(
      select max(t.last_message_at) from tickets t where t.company_id = $1 and t.contact_id = ${contactId})`;

const newestTicketOf = (contactId: string): string => `(
      select l.id from tickets l where l.company_id = $1 and l.contact_id = ${contactId}
      order by l.last_message_at desc nulls last, l.id desc limit 1)`;

function orderOf({ sort, descending }: Pick<ContactListQuery, "sort" | "descending">): string {
  const way = descending ? "desc" : "asc";
  if (sort === "lastContact") return `o.last_at ${way} nulls last, o.name_normal, o.id`;
  if (sort !== "createdAt") return `o.name_normal ${way}, o.id ${way}`;
  const direction = directionOf({ descending });
  return `o.created_at ${direction}, o.id ${direction}`;
}

/** As the indexes by time have it. */
const directionOf = ({ descending }: { descending?: boolean | undefined }): string =>
  descending ? "desc nulls last" : "asc nulls first";

const offsetOf = ({ pageNumber }: Pick<ContactListQuery, "pageNumber">): number =>
  (pageNumber - 1) * pageSizes.contacts;
const portionOf = (query: ContactListQuery): string =>
  `limit ${pageSizes.contacts} offset ${offsetOf(query)}`;

/** The rows of a page (`id`, `place`) as `ListedContactRow`, with the number of all rows of `listed`. */
const pageWithTotal = (page: string): string => `
select n.total, page.*
from (select count(*)::int as total from listed) n
left join lateral (
  select ${fullColumns("c")}, o.place, its.tickets, its."lastContactAt", ${tagsColumn},
    ${duplicateOf("c")} as "duplicateId"
  from (${page}) o
  join contacts c on c.company_id = $1 and c.id = o.id
  left join lateral (${ticketsOfContact}) its on true
) page on true
order by page.place`;

/** With the number of all rows of the list; the place within the page orders it. */
type Counted = { total: number; place: number | null };

async function readPage(
  tx: Tx,
  statement: { name: string; text: string },
  values: unknown[],
): Promise<Page> {
  const rows = await tx.query<Counted & (ListedContactRow | { id: null })>(statement, values);
  return { rows: rows.filter((row) => row.id !== null), total: rows[0]?.total ?? 0 };
}

/** Named by what the page is narrowed by. */
function firstPageName(query: ContactListQuery): string {
  const { from, to } = createdOf(query) ?? {};
  const search = query.searchParam === "" ? "" : "-found";
  const order = query.descending ? "-descending" : "";
  const since = from === undefined ? "" : "-since";
  return `contacts.first${order}${search}${since}${to === undefined ? "" : "-until"}`;
}

function isFiltered(query: ContactListQuery): boolean {
  const { tags, whatsappIds, lastStart, lastEnd, optedOut, unnamed } = query;
  return [tags, whatsappIds, lastStart, lastEnd, optedOut, unnamed].some(
    (one) => one !== undefined,
  );
}

/** A day as `YYYY-MM-DD`, or so many days before the company's today. */
type Day = string | { daysAgo: number; now: Date };
type Days = { from?: Day | undefined; to?: Day | undefined };

/** The days of creation; null for any. */
function createdOf({ date, dateStart = date, dateEnd = date }: BookQuery) {
  const days: Days = { from: dateStart, to: dateEnd };
  return days.from === undefined && days.to === undefined ? null : days;
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
  const placeholder: Placeholder = (value) => `$${values.push(value)}`;
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

/** `chosen(id)`: the people of a selection; `$1` is the company. Groups are never chosen. */
export function chosenContacts(
  selection: ContactSelection,
  now: Date,
  placeholder: Placeholder,
): string {
  const people = "c.company_id = $1 and not c.is_group";
  if ("ids" in selection) {
    const ids = placeholder(selection.ids);
    return `chosen as (select c.id from contacts c where ${people} and c.id = any(${ids}::int[]))`;
  }
  const { createdWithin, contactedWithin, contactedBefore, ...filter } = selection.filter;
  const ago = (daysAgo: number | undefined): Day | undefined =>
    daysAgo === undefined ? undefined : { daysAgo, now };
  const query: BookQuery = {
    ...filter,
    dateStart: ago(createdWithin),
    lastStart: ago(contactedWithin),
    lastEnd: ago(contactedBefore),
  };
  const except = placeholder(selection.except);
  return `${listedContacts(query, placeholder)}, chosen as (
  select c.id from listed o join contacts c on ${people} and c.id = o.id
  where c.id <> all(${except}::int[])
)`;
}

/** The next contacts of a selection after an id, by id. */
export async function readChosen(
  ctx: Ctx,
  tx: Tx,
  selection: ContactSelection,
  { afterId, limit, now }: { afterId: ContactId | null; limit: number; now: Date },
): Promise<ContactId[]> {
  const values: unknown[] = [ctx.companyId, afterId ?? 0, limit];
  const placeholder: Placeholder = (value) => `$${values.push(value)}`;
  const text = `
with ${chosenContacts(selection, now, placeholder)}
select id from chosen where id > $2 order by id limit $3`;
  const rows = await tx.query<{ id: ContactId }>({ name: "", text }, values);
  return rows.map(({ id }) => id);
}

/**
 * `listed`: what orders the contacts of a list. Groups are left out unless the search names them; days are those of the
 * company. A search finds each contact once; without a search the rows come from the address book's index.
 */
function listedContacts(query: BookQuery, placeholder: Placeholder): string {
  const { searchParam: term = "", optedOut, unnamed, tags, whatsappIds } = query;
  const isSearch = term !== "";
  const parts = isSearch ? ["true"] : ["c.company_id = $1", "not c.is_group"];
  // As the owner: under row-level security text indexes are not used (see the function's migration).
  const source = isSearch
    ? `search_contacts(${placeholder(term)}, ${placeholder(searchedDigits(term))})`
    : "contacts";
  parts.push(...within("c.created_at", createdOf(query) ?? {}, placeholder));
  if (optedOut !== undefined || unnamed !== undefined) {
    const is = [
      ...(optedOut === undefined ? [] : [`p.opted_out_at is ${optedOut ? "not " : ""}null`]),
      ...(unnamed === undefined ? [] : [`(p.name ~ '${placeholderName.source}') = ${unnamed}`]),
    ];
    const table = "select p.id from contacts p where p.company_id = $1";
    parts.push(`c.id in (${table} and ${is.join(" and ")})`);
  }
  // Each set is read once: where a table has no statistics yet, the planner would read it for every contact.
  const sets: string[] = [];
  const isIn = (name: string, text: string): void => {
    sets.push(`${name} as materialized (${text}), `);
    parts.push(`c.id in (select ${name}.contact_id from ${name})`);
  };
  if (tags && tags.length > 0) {
    const wanted = placeholder(tags);
    isIn(
      "tagged",
      `
      select t.contact_id from ticket_tags g join tickets t on t.company_id = $1 and t.id = g.ticket_id
      where g.company_id = $1 and g.tag_id = any(${wanted}::int[]) and t.id = ${newestTicketOf("t.contact_id")}
      union select g.contact_id from contact_tags g where g.company_id = $1 and g.tag_id = any(${wanted}::int[])`,
    );
  }
  if (whatsappIds && whatsappIds.length > 0) {
    isIn(
      "connected",
      `
      select distinct t.contact_id from tickets t
      where t.company_id = $1 and t.connection_id = any(${placeholder(whatsappIds)}::int[])`,
    );
  }
  const contacted = within(
    "t.last_message_at",
    { from: query.lastStart, to: query.lastEnd },
    placeholder,
  );
  if (contacted.length > 0) {
    isIn(
      "contacted",
      `
      select t.contact_id from tickets t
      where t.company_id = $1 and ${[isNewestTicket, ...contacted].join(" and ")}`,
    );
  }
  // What is found by more than the address book's index is found once, for the page and for the count.
  const isKept = isSearch || sets.length > 0;
  return `${sets.join("")}listed as ${isKept ? "" : "not "}materialized (
  select c.id, c.name_normal, c.created_at from ${source} c where ${parts.join("\n    and ")}
)`;
}

/** A moment within days of the company, both included. */
function within(moment: string, { from, to }: Days, placeholder: Placeholder): string[] {
  return [
    ...(from === undefined
      ? []
      : [`${moment} >= ${startOf(from, placeholder)} at time zone ${zone}`]),
    ...(to === undefined
      ? []
      : [`${moment} < (${startOf(to, placeholder)} + interval '1 day') at time zone ${zone}`]),
  ];
}

const zone = "(select time_zone from companies where id = $1)";

/** There is no year 0; nothing is older than the year 1. */
function startOf(day: Day, placeholder: Placeholder): string {
  if (typeof day !== "string") {
    const today = `(${placeholder(day.now)}::timestamptz at time zone ${zone})::date`;
    return `(${today} - ${placeholder(day.daysAgo)}::int)::timestamp`;
  }
  return `${placeholder(day.startsWith("0000") ? "0001-01-01" : day)}::date::timestamp`;
}

/** Ascending: clients of the family read the last one's time as that of the last message. */
const ticketsOfContact = `
    select json_agg(json_build_object('id', t.id, 'status', t.status,
        'createdAt', ${isoText("t.created_at")}, 'updatedAt', ${isoText("t.updated_at")}) order by t.updated_at, t.id) as tickets,
      max(t.last_message_at) as "lastContactAt",
      (array_agg(t.id order by t.last_message_at desc nulls last, t.id desc))[1] as "newestId"
    from tickets t where t.company_id = c.company_id and t.contact_id = c.id`;

const tagsColumn = `(
    select json_agg(json_build_object('id', g.id, 'name', g.name, 'color', g.color) order by g.id)
    from (
      select tt.tag_id from ticket_tags tt where tt.company_id = $1 and tt.ticket_id = its."newestId"
      union select ct.tag_id from contact_tags ct where ct.company_id = $1 and ct.contact_id = c.id
    ) its_tags join tags g on g.company_id = $1 and g.id = its_tags.tag_id and g.deleted_at is null) as tags`;
