import type { ConnectionId } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { Person } from "./contact.ts";

/**
 * Keeps the name under which a phone reports somebody, for a later import of its address book (behaviour 6.7). People
 * without a number, and groups, are left out; each number stands there once.
 */
export async function noteInPhoneBook(
  ctx: Ctx,
  tx: Tx,
  entry: { connectionId: ConnectionId; person: Person; now: Date },
): Promise<void> {
  const { addresses, pushName = "", isGroup } = entry.person;
  const phone = addresses.find(({ kind }) => kind === "pn");
  const name = pushName.replaceAll("\u0000", "").trim();
  if (isGroup || phone === undefined || name === "") return;
  const values = [ctx.companyId, entry.connectionId, phone.key, phone.value, name, entry.now];
  await tx.query(noteStatement, values);
}

const noteStatement = {
  name: "contacts.note-in-phone-book",
  text: `
insert into phone_book_entries (company_id, connection_id, number_normal, number, name, updated_at)
values ($1, $2, $3, $4, $5, $6)
on conflict (company_id, connection_id, number_normal)
do update set number = excluded.number, name = excluded.name, updated_at = excluded.updated_at
where phone_book_entries.name <> excluded.name`,
};
