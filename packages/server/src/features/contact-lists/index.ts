import type {
  ContactList,
  ContactListId,
  ContactSelection,
  InputOf,
  ListedContactList,
  ShownContactList,
} from "@balcao/contract";
import { contactListReload, pageSizes } from "@balcao/contract";
import { and, eq, getTableColumns, sql } from "drizzle-orm";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import {
  columnsOf,
  contains,
  hasId,
  listTotal,
  lockRecord,
  readPage,
  readWhole,
  requireRow,
  toIsoOrNull,
} from "../../platform/db/records.ts";
import { contactListItems, contactLists } from "../../platform/db/schema/index.ts";
import type { DomainEvents } from "../../platform/events.ts";
import type { Routes } from "../../platform/http/routes.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import { chosenContacts } from "../contacts/index.ts";
import type { ChecksDeps } from "./checks.ts";
import { createChecks, wantCheck } from "./checks.ts";
import { addItem, changeItem, exportItems, listItems, removeItem, showItem } from "./items.ts";
import { NO_LIST, requireName, tellChanged, tellList, toList } from "./lists.ts";

export { saveFailedList, saveTagList, taggedContacts } from "./for-campaigns.ts";
export { countMembers, importMembers, readMembers, tellImported } from "./import.ts";

export type ContactListsDeps = ChecksDeps & { domainEvents: DomainEvents };

/** The lists of people that campaigns write to (wire-contract 5.12, behaviour 6). */
export function createContactListsFeature(deps: ContactListsDeps) {
  return {
    /** Looks up the numbers of lists on the chat network, in the background. */
    checks: createChecks(deps),
    register(routes: Routes): void {
      routes.handle("GET /contact-lists", ({ ctx, query }) => listContactLists(deps, ctx, query));
      routes.handle("GET /contact-lists/list", async ({ ctx }) => allContactLists(deps, ctx));
      routes.handle("GET /contact-lists/:contactListId", ({ ctx, params }) =>
        showContactList(deps, ctx, params.contactListId),
      );
      routes.handle("POST /contact-lists", ({ ctx, body }) =>
        createContactList(deps, ctx, body.name),
      );
      routes.handle("PUT /contact-lists/:contactListId", ({ ctx, params, body }) =>
        renameContactList(deps, ctx, params.contactListId, body.name),
      );
      routes.handle("DELETE /contact-lists/:contactListId", async ({ ctx, params }) => {
        await removeContactList(deps, ctx, params.contactListId);
        return { message: "Contact list deleted" };
      });
      routes.handle("POST /contact-lists/:contactListId/contacts", ({ ctx, params, body }) =>
        fillContactList(deps, ctx, params.contactListId, body),
      );
      routes.handle("POST /contact-lists/:contactListId/refresh", ({ ctx, params }) =>
        refreshContactList(deps, ctx, params.contactListId),
      );
      routes.handle("POST /contact-lists/:contactListId/check", async ({ ctx, params }) => {
        await checkContactList(deps, ctx, params.contactListId);
        return { message: "Numbers are checked" };
      });
      routes.handle("POST /contact-lists/:contactListId/export", ({ ctx, params, body }) =>
        exportItems(deps, ctx, params.contactListId, body),
      );
      routes.handle("GET /contact-list-items", ({ ctx, query }) => listItems(deps, ctx, query));
      routes.handle("GET /contact-list-items/:contactListItemId", ({ ctx, params }) =>
        showItem(deps, ctx, params.contactListItemId),
      );
      routes.handle("POST /contact-list-items", ({ ctx, body }) => addItem(deps, ctx, body));
      routes.handle("PUT /contact-list-items/:contactListItemId", ({ ctx, params, body }) =>
        changeItem(deps, ctx, params.contactListItemId, body),
      );
      routes.handle("DELETE /contact-list-items/:contactListItemId", async ({ ctx, params }) => {
        await removeItem(deps, ctx, params.contactListItemId);
        // Clients of the family show this text.
        return { message: "Contact deleted" };
      });
    },
  };
}

async function listContactLists(
  { db }: ContactListsDeps,
  ctx: UserCtx,
  { searchParam, pageNumber }: InputOf<"GET /contact-lists">["query"],
) {
  return db.transaction(ctx, async (tx) => {
    const ofList = and(
      eq(contactListItems.companyId, ctx.companyId),
      eq(contactListItems.contactListId, contactLists.id),
    );
    const contactsCount = tx.orm.$count(contactListItems, ofList);
    const { rows, ...totals } = await readPage(
      pageNumber,
      pageSizes.contactLists,
      (limit, offset) =>
        tx.orm
          .select({ ...getTableColumns(contactLists), contactsCount, total: listTotal })
          .from(contactLists)
          .where(
            and(
              eq(contactLists.companyId, ctx.companyId),
              contains(contactLists.name, searchParam),
            ),
          )
          .orderBy(sql`f_norm(${contactLists.name})`, contactLists.id)
          .limit(limit)
          .offset(offset),
    );
    const records = rows.map((row) => ({ ...toList(row), contactsCount: row.contactsCount }));
    return { records, ...totals };
  });
}

function allContactLists({ db }: ContactListsDeps, ctx: UserCtx): AsyncIterable<ContactList[]> {
  type Row = typeof contactLists.$inferSelect;
  const normal = sql`f_norm(${contactLists.name})`;
  const read = (limit: number, last: Row | undefined) => {
    const isLater =
      last && sql`(${normal}, ${contactLists.id}) > (f_norm(${last.name}), ${last.id})`;
    return db.transaction(ctx, (tx) =>
      tx.orm
        .select()
        .from(contactLists)
        .where(and(eq(contactLists.companyId, ctx.companyId), isLater))
        .orderBy(normal, contactLists.id)
        .limit(limit),
    );
  };
  return readWhole(read, toList);
}

async function showContactList(
  { db, clock }: ContactListsDeps,
  ctx: UserCtx,
  id: ContactListId,
): Promise<ShownContactList> {
  return db.transaction(ctx, async (tx) => {
    const values = [ctx.companyId, id];
    const rows = await tx.query<ListRow & StateRow>(showStatement, values);
    const { valid, invalid, unchecked, optedOut, ...row } = requireRow(rows, NO_LIST);
    return {
      ...toList(row),
      contactsCount: valid + invalid + unchecked,
      counts: { valid, invalid, unchecked, optedOut },
      check: {
        state: checkState(row),
        connection: row.connectionName,
        checkedAt: toIsoOrNull(row.checkedAt),
      },
      filter: row.filter,
      fitting: row.filter === null ? 0 : await countFitting(ctx, tx, row, clock.now()),
    };
  });
}

type ListRow = typeof contactLists.$inferSelect;
type StateRow = Record<"valid" | "invalid" | "unchecked" | "optedOut", number> & {
  connectionName: string | null;
  checkedAt: Date | null;
};

function checkState({ checkDueAt, isCheckStopped }: ListRow): ShownContactList["check"]["state"] {
  if (checkDueAt === null) return "idle";
  return isCheckStopped ? "stopped" : "running";
}

/** The contacts that fit the list's filter and are not on it. */
export async function countFitting(
  ctx: Ctx,
  tx: Tx,
  list: Pick<ListRow, "id" | "filter">,
  now: Date,
): Promise<number> {
  const values: unknown[] = [ctx.companyId, list.id];
  const placeholder = (value: unknown): string => `$${values.push(value)}`;
  const selection = { filter: list.filter ?? {}, except: [] };
  const text = `
with ${chosenContacts(selection, now, placeholder)}
select count(*)::int as count from chosen o join contacts c on c.company_id = $1 and c.id = o.id
where c.number is not null and not exists (
  select from contact_list_items i join contact_addresses a on a.company_id = $1 and a.kind = 'pn' and a.key = i.number_normal
  where i.company_id = $1 and i.contact_list_id = $2 and a.contact_id = c.id)`;
  const [row] = await tx.query<{ count: number }>({ name: "", text }, values);
  return row?.count ?? 0;
}

async function createContactList(
  deps: ContactListsDeps,
  ctx: UserCtx,
  name: string,
): Promise<ListedContactList> {
  requireName(name, "ERR_CONTACTLIST_INVALID_NAME");
  const now = deps.clock.now();
  const values = { companyId: ctx.companyId, name, createdAt: now, updatedAt: now };
  return deps.db.transaction(ctx, async (tx) => {
    const rows = await tx.orm.insert(contactLists).values(values).returning();
    const created = { ...toList(requireRow(rows)), contactsCount: 0 };
    tellList(deps.realtime, tx, "create", created);
    return created;
  });
}

async function renameContactList(
  deps: ContactListsDeps,
  ctx: UserCtx,
  id: ContactListId,
  name: string,
): Promise<ListedContactList> {
  requireName(name, "ERR_CONTACTLIST_INVALID_NAME");
  return deps.db.transaction(ctx, async (tx) => {
    await lockRecord(ctx, tx, contactLists, id, NO_LIST);
    await tx.orm
      .update(contactLists)
      .set({ name, updatedAt: deps.clock.now() })
      .where(hasId(ctx, contactLists, id));
    return tellChanged(deps, ctx, tx, id);
  });
}

async function removeContactList(
  { db, realtime, domainEvents }: ContactListsDeps,
  ctx: UserCtx,
  id: ContactListId,
): Promise<void> {
  await db.transaction(ctx, async (tx) => {
    await lockRecord(ctx, tx, contactLists, id, NO_LIST);
    await domainEvents.publish(tx, ctx, "contactList.removing", { contactListId: id });
    await tx.orm.delete(contactLists).where(hasId(ctx, contactLists, id));
    tx.onCommit(() => {
      const { companyId } = ctx;
      realtime.publish(companyId, "ContactList", { action: "delete", id }, [rooms.main(companyId)]);
    });
  });
}

type Filling = { selection: ContactSelection; keepsFilter: boolean };
type Added = { added: number; chosen: number };

/** Copies the chosen contacts that have a number to the list; those with a number that stands there are left as they are. */
async function fillContactList(
  deps: ContactListsDeps,
  ctx: UserCtx,
  id: ContactListId,
  { selection, keepsFilter }: Filling,
): Promise<Added> {
  return deps.db.transaction(ctx, async (tx) => {
    await lockRecord(ctx, tx, contactLists, id, NO_LIST);
    if (keepsFilter && "filter" in selection) {
      await tx.orm
        .update(contactLists)
        .set({ filter: selection.filter })
        .where(hasId(ctx, contactLists, id));
    }
    return addChosen(deps, ctx, tx, id, selection);
  });
}

async function refreshContactList(
  deps: ContactListsDeps,
  ctx: UserCtx,
  id: ContactListId,
): Promise<Added> {
  return deps.db.transaction(ctx, async (tx) => {
    const { filter } = await lockRecord(ctx, tx, contactLists, id, NO_LIST);
    // A list that was made by hand has nothing to be filled from.
    if (filter === null) return { added: 0, chosen: 0 };
    return addChosen(deps, ctx, tx, id, { filter, except: [] });
  });
}

async function addChosen(
  deps: ContactListsDeps,
  ctx: UserCtx,
  tx: Tx,
  id: ContactListId,
  selection: ContactSelection,
): Promise<Added> {
  const now = deps.clock.now();
  const added = await copyContacts(ctx, tx, { id, selection, now });
  if (added.added > 0) {
    await wantCheck(deps, ctx, tx, id);
    await tellChanged(deps, ctx, tx, id);
    const { companyId } = ctx;
    // Thousands of people are read page by page, by those who show the list.
    const to = { to: "list", companyId, listId: id } as const;
    tx.onCommit(() => deps.realtime.send(contactListReload, to, { action: "reload", records: [] }));
  }
  return added;
}

/** Puts the chosen contacts on a list in one statement. */
export async function copyContacts(
  ctx: Ctx,
  tx: Tx,
  { id, selection, now }: { id: ContactListId; selection: ContactSelection; now: Date },
): Promise<Added> {
  const values: unknown[] = [ctx.companyId, id, now];
  const placeholder = (value: unknown): string => `$${values.push(value)}`;
  const text = `
with ${chosenContacts(selection, now, placeholder)}, copied as (
  insert into contact_list_items (company_id, contact_list_id, name, number, email, created_at, updated_at)
  select $1, $2, c.name, c.number, c.email, $3, $3
  from chosen join contacts c on c.company_id = $1 and c.id = chosen.id
  where c.number is not null
  order by c.id
  on conflict (company_id, contact_list_id, number_normal) do nothing
  returning id
)
select (select count(*)::int from copied) as added, (select count(*)::int from chosen) as chosen`;
  return requireRow(await tx.query<Added>({ name: "", text }, values));
}

async function checkContactList(
  deps: ContactListsDeps,
  ctx: UserCtx,
  id: ContactListId,
): Promise<void> {
  await deps.db.transaction(ctx, async (tx) => {
    await lockRecord(ctx, tx, contactLists, id, NO_LIST);
    await wantCheck(deps, ctx, tx, id, { isAsked: true });
    await tellChanged(deps, ctx, tx, id);
  });
}

const showStatement = {
  name: "contact-lists.show",
  text: `
select ${columnsOf(contactLists, "l")}, n.valid, n.invalid, n.unchecked, n."checkedAt", w.name as "connectionName", (
    select count(*)::int from contacts o
    join contact_addresses a on a.company_id = $1 and a.contact_id = o.id and a.kind = 'pn'
    join contact_list_items i on i.company_id = $1 and i.contact_list_id = l.id and i.number_normal = a.key
    where o.company_id = $1 and o.opted_out_at is not null) as "optedOut"
from contact_lists l
left join connections w on w.company_id = $1 and w.id = l.connection_id
cross join lateral (
  select count(*) filter (where is_valid)::int as valid, count(*) filter (where not is_valid)::int as invalid,
    count(*) filter (where is_valid is null)::int as unchecked, max(checked_at) as "checkedAt"
  from contact_list_items i where i.company_id = $1 and i.contact_list_id = l.id) n
where l.company_id = $1 and l.id = $2`,
};
