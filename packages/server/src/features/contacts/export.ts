import type { ContactId, InputOf, SentFile, SheetLanguage } from "@balcao/contract";
import type { UserCtx } from "../../platform/context.ts";
import { requireRow } from "../../platform/db/records.ts";
import type { SheetPages } from "../../platform/spreadsheets/write.ts";
import { writeSheet } from "../../platform/spreadsheets/write.ts";
import { chosenContacts } from "./book-lists.ts";
import type { ContactsDeps } from "./book.ts";

/** Contacts that are read at once. */
const PAGE = 1_000;

/** Names of additional fields that get a column of their own; the others share the last one. */
const EXTRA_COLUMNS = 50;

type ExportedRow = {
  name: string;
  number: string;
  email: string;
  tags: string;
  isOptedOut: boolean;
  lastContact: string;
  created: string;
  extraInfo: { name: string; value: string }[] | null;
};

/**
 * The chosen contacts by name, read page by page while the file is fetched. The ids are kept from the beginning: who is
 * added or renamed meanwhile neither doubles nor hides another. Importing the file again gives the same address book.
 */
export async function exportContacts(
  { db, clock }: Pick<ContactsDeps, "db" | "clock">,
  ctx: UserCtx,
  { selection, format, language }: InputOf<"POST /contacts/export">["body"],
): Promise<SentFile> {
  const values: unknown[] = [ctx.companyId, EXTRA_COLUMNS];
  const placeholder = (value: unknown): string => `$${values.push(value)}`;
  const text = `
with ${chosenContacts(selection, clock.now(), placeholder)}
select (select string_agg(c.id::text, ',' order by c.name_normal, c.id) from chosen o join contacts c on c.company_id = $1 and c.id = o.id) as ids,
  array(
    select x.name from contact_extra_info x join chosen o on o.id = x.contact_id
    where x.company_id = $1 group by x.name order by min(x.id) limit $2) as extras`;
  const { ids, extras } = await db.transaction(ctx, async (tx) =>
    requireRow(
      await tx.query<{ ids: string | null; extras: string[] }>({ name: "", text }, values),
    ),
  );
  const chosen = Int32Array.from(ids?.split(",") ?? [], Number);
  const words = titles[language];
  const head = [...words.columns, ...extras];

  const pages = async function* (): SheetPages {
    yield [[...head, words.others]];
    for (let from = 0; from < chosen.length; from += PAGE) {
      const portion = [...chosen.subarray(from, from + PAGE)] as ContactId[]; // as they were read
      const rows = await db.transaction(ctx, (tx) =>
        tx.query<ExportedRow>(exportStatement, [ctx.companyId, portion]),
      );
      yield rows.map((row) => toCells(row, extras, words));
    }
  };
  return writeSheet(words.file, format, pages());
}

type Words = { file: string; columns: readonly string[]; others: string; yes: string; no: string };

/** The titles by which an import knows the columns again. */
const titles: Record<SheetLanguage, Words> = {
  pt: {
    file: "contatos",
    columns: [
      ...["nome", "número", "e-mail", "etiquetas", "aceita mensagens"],
      ...["último contato", "criado em"],
    ],
    others: "outras informações",
    yes: "sim",
    no: "não",
  },
  en: {
    file: "contacts",
    columns: [
      ...["name", "number", "email", "tags", "accepts messages"],
      ...["last contact", "created"],
    ],
    others: "other information",
    yes: "yes",
    no: "no",
  },
  es: {
    file: "contactos",
    columns: [
      ...["nombre", "número", "correo", "etiquetas", "acepta mensajes"],
      ...["último contacto", "creado"],
    ],
    others: "otra información",
    yes: "sí",
    no: "no",
  },
};

function toCells(row: ExportedRow, extras: readonly string[], { yes, no }: Words): string[] {
  const { name, number, email, tags, isOptedOut, lastContact, created } = row;
  const extraInfo = row.extraInfo ?? [];
  const known = new Set(extras);
  const others = extraInfo.filter((one) => !known.has(one.name));
  return [
    ...[name, number, email, tags, isOptedOut ? no : yes, lastContact, created],
    ...extras.map((extra) => textOf(extraInfo.filter((one) => one.name === extra))),
    others.map((one) => `${one.name}: ${one.value}`).join("; "),
  ];
}

const textOf = (rows: readonly { value: string }[]): string =>
  rows.map(({ value }) => value).join("; ");

const localTime = (moment: string): string =>
  `coalesce(to_char(${moment} at time zone z.time_zone, 'DD/MM/YYYY HH24:MI'), '')`;

const exportStatement = {
  name: "contacts.export",
  text: `
select c.name, coalesce(c.number, '') as number, c.email, coalesce((
    select string_agg(g.name, ', ' order by g.id) from tags g
    where g.company_id = $1 and g.deleted_at is null and (
      g.id in (select tt.tag_id from ticket_tags tt where tt.company_id = $1 and tt.ticket_id = its.id)
      or g.id in (select ct.tag_id from contact_tags ct where ct.company_id = $1 and ct.contact_id = c.id))), '') as tags, c.opted_out_at is not null as "isOptedOut",
  ${localTime("its.last_at")} as "lastContact", ${localTime("c.created_at")} as created, (
    select json_agg(json_build_object('name', x.name, 'value', x.value) order by x.id)
    from contact_extra_info x where x.company_id = $1 and x.contact_id = c.id) as "extraInfo"
from unnest($2::int[]) with ordinality as chosen(id, place)
join contacts c on c.company_id = $1 and c.id = chosen.id
join companies z on z.id = $1
left join lateral (
  select t.id, t.last_message_at as last_at
  from tickets t where t.company_id = $1 and t.contact_id = c.id
  order by t.last_message_at desc nulls last, t.id desc limit 1) its on true
order by chosen.place`,
};
