import type {
  ContactListId,
  ContactListItem,
  ContactListItemChange,
  ContactListItemId,
  InputOf,
  NewContactListItem,
  SentFile,
  SheetLanguage,
} from "@balcao/contract";
import { pageSizes } from "@balcao/contract";
import { sql } from "drizzle-orm";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import {
  findRecord,
  hasId,
  lockRecord,
  refuseDuplicates,
  requireRow,
} from "../../platform/db/records.ts";
import { contactListItems, contactLists } from "../../platform/db/schema/index.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { SheetPages } from "../../platform/spreadsheets/write.ts";
import { writeSheet } from "../../platform/spreadsheets/write.ts";
import { readNumber, searchedDigits } from "../contacts/index.ts";
import type { ChecksDeps } from "./checks.ts";
import { wantCheck } from "./checks.ts";
import type { ItemRow } from "./lists.ts";
import {
  isOptedOut,
  itemColumns,
  NO_LIST,
  requireName,
  tellChanged,
  tellItem,
  toItem,
} from "./lists.ts";

const NO_ITEM = "ERR_NO_CONTACTLISTITEM_FOUND";

export async function listItems(
  { db }: ChecksDeps,
  ctx: UserCtx,
  query: InputOf<"GET /contact-list-items">["query"],
) {
  const { searchParam: term, pageNumber, contactListId, validity = null } = query;
  const size = pageSizes.contactListItems;
  const offset = (pageNumber - 1) * size;
  const words = [term, searchedDigits(term), validity];
  return db.transaction(ctx, async (tx) => {
    await findRecord(ctx, tx, contactLists, contactListId, NO_LIST);
    const values = [ctx.companyId, contactListId, ...words, size, offset];
    const found = await tx.query<{ total: number } & (ItemRow | { id: null })>(
      itemsStatement,
      values,
    );
    const count = found[0]?.total ?? 0;
    const rows = found.filter((row) => row.id !== null);
    return { contacts: rows.map(toItem), count, hasMore: count > offset + rows.length };
  });
}

export async function showItem(
  { db }: ChecksDeps,
  ctx: UserCtx,
  id: ContactListItemId,
): Promise<ContactListItem> {
  return toItem(await db.transaction(ctx, (tx) => findItem(ctx, tx, id)));
}

async function findItem(ctx: Ctx, tx: Tx, id: ContactListItemId): Promise<ItemRow> {
  return requireRow(await tx.query<ItemRow>(itemStatement, [ctx.companyId, id]), NO_ITEM);
}

/** Puts somebody on a list, or returns who is there with the number. */
export async function addItem(
  deps: ChecksDeps,
  ctx: UserCtx,
  { contactListId, name, number: written, email }: NewContactListItem,
): Promise<ContactListItem> {
  requireName(name, "ERR_CONTACTLISTITEM_INVALID_NAME");
  const number = readNumber(written);
  const now = deps.clock.now();
  return deps.db.transaction(ctx, async (tx) => {
    await lockRecord(ctx, tx, contactLists, contactListId, NO_LIST);
    const { companyId } = ctx;
    const rows = await tx.orm
      .insert(contactListItems)
      .values({ companyId, contactListId, name, number, email, createdAt: now, updatedAt: now })
      // The update changes nothing; it returns the row that is there. `xmax` is 0 in a new row.
      .onConflictDoUpdate({
        target: [
          contactListItems.companyId,
          contactListItems.contactListId,
          contactListItems.numberNormal,
        ],
        set: { name: sql`contact_list_items.name` },
      })
      .returning({ id: contactListItems.id, isNew: sql<boolean>`xmax = 0` });
    const { id, isNew } = requireRow(rows);
    const item = toItem(await findItem(ctx, tx, id));
    if (!isNew) return item;
    await wantCheck(deps, ctx, tx, contactListId);
    tellItem(deps.realtime, tx, "create", item);
    await tellChanged(deps, ctx, tx, contactListId);
    return item;
  });
}

export async function changeItem(
  deps: ChecksDeps,
  ctx: UserCtx,
  id: ContactListItemId,
  { name, number: written, email }: ContactListItemChange,
): Promise<ContactListItem> {
  const number = written === undefined ? undefined : readNumber(written);
  const work = deps.db.transaction(ctx, async (tx) => {
    const before = await lockRecord(ctx, tx, contactListItems, id, NO_ITEM);
    const isOther = number !== undefined && number !== before.number;
    await tx.orm
      .update(contactListItems)
      .set({
        ...{ name, email, updatedAt: deps.clock.now() },
        ...(isOther ? { number, isValid: null, checkedAt: null } : {}),
      })
      .where(hasId(ctx, contactListItems, id));
    if (isOther) {
      await wantCheck(deps, ctx, tx, before.contactListId);
      await tellChanged(deps, ctx, tx, before.contactListId);
    }
    const item = toItem(await findItem(ctx, tx, id));
    tellItem(deps.realtime, tx, "update", item);
    return item;
  });
  return work.catch(refuseDuplicates({ contact_list_items_number: "ERR_DUPLICATED_CONTACT" }));
}

export async function removeItem(
  deps: ChecksDeps,
  ctx: UserCtx,
  id: ContactListItemId,
): Promise<void> {
  await deps.db.transaction(ctx, async (tx) => {
    const { contactListId } = await lockRecord(ctx, tx, contactListItems, id, NO_ITEM);
    await tx.orm.delete(contactListItems).where(hasId(ctx, contactListItems, id));
    const { companyId } = ctx;
    const payload = { action: "delete", id, contactListId } as const;
    tx.onCommit(() =>
      deps.realtime.publish(companyId, "ContactListItem", payload, [rooms.main(companyId)]),
    );
    await tellChanged(deps, ctx, tx, contactListId);
  });
}

/** Read while the file is fetched, page by page by name; who is renamed meanwhile may stand twice. */
export async function exportItems(
  { db }: Pick<ChecksDeps, "db">,
  ctx: UserCtx,
  contactListId: ContactListId,
  { format, language, validity }: InputOf<"POST /contact-lists/:contactListId/export">["body"],
): Promise<SentFile> {
  const { name } = await db.transaction(ctx, (tx) =>
    findRecord(ctx, tx, contactLists, contactListId, NO_LIST),
  );
  const words = titles[language];
  const pages = async function* (): SheetPages {
    yield [words.columns];
    let last: ExportedItem | undefined;
    do {
      const after = [last?.sorted ?? "", last?.id ?? 0];
      const values = [ctx.companyId, contactListId, validity ?? null, ...after, EXPORTED_AT_ONCE];
      const rows = await db.transaction(ctx, (tx) =>
        tx.query<ExportedItem>(exportStatement, values),
      );
      yield rows.map((row) => [row.name, row.number, row.email, words[row.state], row.checked]);
      last = rows.length < EXPORTED_AT_ONCE ? undefined : rows.at(-1);
    } while (last !== undefined);
  };
  return writeSheet(name, format, pages());
}

/** People that are read at once for a spreadsheet. */
const EXPORTED_AT_ONCE = 2_000;

type ExportedItem = Pick<ItemRow, "id" | "name" | "number" | "email"> & {
  /** What the pages are ordered by. */
  sorted: string;
  state: "valid" | "invalid" | "unchecked";
  checked: string;
};

type Words = { columns: readonly string[] } & Record<ExportedItem["state"], string>;

const titles: Record<SheetLanguage, Words> = {
  pt: {
    columns: ["nome", "número", "e-mail", "WhatsApp", "conferido em"],
    ...{ valid: "sim", invalid: "não", unchecked: "não conferido" },
  },
  en: {
    columns: ["name", "number", "email", "WhatsApp", "checked"],
    ...{ valid: "yes", invalid: "no", unchecked: "not checked" },
  },
  es: {
    columns: ["nombre", "número", "correo", "WhatsApp", "verificado"],
    ...{ valid: "sí", invalid: "no", unchecked: "sin verificar" },
  },
};

const hasValidity = (
  validity: string,
): string => `case ${validity}::text when 'valid' then i.is_valid when 'invalid' then not i.is_valid
      when 'unchecked' then i.is_valid is null when 'optedOut' then ${isOptedOut("i")} else true end`;

const exportStatement = {
  name: "contact-lists.export",
  text: `
select i.id, i.name, i.number, i.email, i.name_normal as sorted,
  case when i.is_valid is null then 'unchecked' when i.is_valid then 'valid' else 'invalid' end as state,
  coalesce(to_char(i.checked_at at time zone z.time_zone, 'DD/MM/YYYY HH24:MI'), '') as checked
from contact_list_items i join companies z on z.id = $1
where i.company_id = $1 and i.contact_list_id = $2 and ${hasValidity("$3")} and (i.name_normal, i.id) > ($4, $5)
order by i.name_normal, i.id limit $6`,
};

const itemsStatement = {
  name: "contact-lists.items",
  text: `
with found as not materialized (
  select i.id, i.name_normal from contact_list_items i
  where i.company_id = $1 and i.contact_list_id = $2
    and ($3::text = '' or position(f_norm($3) in i.name_normal) > 0
      or ($4::text <> '' and (position($4 in i.number) > 0 or position($4 in i.number_normal) > 0)))
    and ${hasValidity("$5")}
)
select n.total, page.* from (select count(*)::int as total from found) n
left join lateral (
  select ${itemColumns("i")}
  from (select f.id from found f order by f.name_normal, f.id limit $6 offset $7) f
  join contact_list_items i on i.company_id = $1 and i.id = f.id
) page on true
order by f_norm(page.name), page.id`,
};

const itemStatement = {
  name: "contact-lists.item",
  text: `select ${itemColumns("i")} from contact_list_items i where i.company_id = $1 and i.id = $2`,
};
