import type {
  CompanyId,
  ContactList,
  ContactListId,
  ContactListItem,
  ListedContactList,
} from "@balcao/contract";
import { contactListReload, limits } from "@balcao/contract";
import { and, eq } from "drizzle-orm";
import type { Ctx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { findRecord, toIsoOrNull, wireDates } from "../../platform/db/records.ts";
import { contactListItems, contactLists } from "../../platform/db/schema/index.ts";
import type { AddressedRealtime, Realtime } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";

type StoredItem = typeof contactListItems.$inferSelect;

/** Somebody on a list, with whether campaigns leave the contact with this number out. */
export type ItemRow = Pick<
  StoredItem,
  | "id"
  | "companyId"
  | "contactListId"
  | "name"
  | "number"
  | "email"
  | "isValid"
  | "checkedAt"
  | "createdAt"
  | "updatedAt"
> & { isOptedOut: boolean };

/** Condition on an alias of the table of items: the contact with this number opted out. */
export const isOptedOut = (i: string): string => `exists (
    select from contact_addresses a join contacts o on o.company_id = $1 and o.id = a.contact_id
    where a.company_id = $1 and a.kind = 'pn' and a.key = ${i}.number_normal and o.opted_out_at is not null)`;

/** Select list of `ItemRow`; `$1` is the company. */
export const itemColumns = (i: string): string => `
  ${i}.id, ${i}.company_id as "companyId", ${i}.contact_list_id as "contactListId", ${i}.name, ${i}.number, ${i}.email,
  ${i}.is_valid as "isValid", ${i}.checked_at as "checkedAt", ${i}.created_at as "createdAt", ${i}.updated_at as "updatedAt",
  ${isOptedOut(i)} as "isOptedOut"`;

export function toItem(row: ItemRow): ContactListItem {
  const { id, companyId, contactListId, name, number, email, isValid, checkedAt, isOptedOut } = row;
  return {
    ...{ id, companyId, contactListId, name, number, email, isOptedOut },
    isWhatsappValid: isValid === true,
    checkedAt: toIsoOrNull(checkedAt),
    ...wireDates(row),
  };
}

export function toList(
  row: Pick<
    typeof contactLists.$inferSelect,
    "id" | "companyId" | "name" | "createdAt" | "updatedAt"
  >,
): ContactList {
  const { id, companyId, name } = row;
  return { id, companyId, name, ...wireDates(row) };
}

/** Publishes a list to the company, on commit. */
export function tellList(
  realtime: Realtime,
  tx: Tx,
  action: "create" | "update",
  record: ListedContactList,
): void {
  const { companyId } = record;
  tx.onCommit(() =>
    realtime.publish(companyId, "ContactList", { action, record }, everybody(companyId)),
  );
}

/** Publishes a list as it is now; throws ERR_CONTACTLIST_FULL where it has become too long. */
export async function tellChanged(
  { realtime }: { realtime: Realtime },
  ctx: Ctx,
  tx: Tx,
  id: ContactListId,
): Promise<ListedContactList> {
  const row = await findRecord(ctx, tx, contactLists, id, NO_LIST);
  const ofList = and(
    eq(contactListItems.companyId, ctx.companyId),
    eq(contactListItems.contactListId, id),
  );
  const contactsCount = await tx.orm.$count(contactListItems, ofList);
  if (contactsCount > limits.contactListMax) throw new DomainError("ERR_CONTACTLIST_FULL");
  const record = { ...toList(row), contactsCount };
  tellList(realtime, tx, "update", record);
  return record;
}

/** Publishes somebody on a list to the company, on commit. */
export function tellItem(
  realtime: Realtime,
  tx: Tx,
  action: "create" | "update",
  record: ContactListItem,
): void {
  const { companyId } = record;
  tx.onCommit(() =>
    realtime.publish(companyId, "ContactListItem", { action, record }, everybody(companyId)),
  );
}

/** Says, on commit, that people of a list changed together: whoever shows it reads it again. */
export function tellItems(
  realtime: AddressedRealtime,
  tx: Tx,
  { companyId, id }: Pick<ContactList, "companyId" | "id">,
  records: ContactListItem[],
): void {
  if (records.length === 0) return;
  const to = { to: "list", companyId, listId: id } as const;
  tx.onCommit(() => realtime.send(contactListReload, to, { action: "reload", records }));
}

const everybody = (companyId: CompanyId) => [rooms.main(companyId)];

/** At least two characters. */
export function requireName(
  name: string,
  code: "ERR_CONTACTLIST_INVALID_NAME" | "ERR_CONTACTLISTITEM_INVALID_NAME",
): void {
  if (name.length < limits.nameMin) throw new DomainError(code);
}

export const NO_LIST = "ERR_NO_CONTACTLIST_FOUND";
