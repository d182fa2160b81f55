import type { ConnectionId, ContactImportId, ImportSettings, UserId } from "@balcao/contract";
import { limits } from "@balcao/contract";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { hasId, requireRow } from "../../platform/db/records.ts";
import { connections, contactImports } from "../../platform/db/schema/index.ts";
import type { ContactImportsDeps } from "./imports.ts";
import { tellImport, TOPIC } from "./imports.ts";

export type PhoneBookDeps = ContactImportsDeps & {
  /** Throws ERR_NO_DEF_WAPP_FOUND. */
  pickConnection(ctx: Ctx, tx: Tx, userId: UserId): Promise<ConnectionId>;
};

/** A name that people gave stays; one of digits gives way to the phone's (behaviour 6.7). */
const settings: ImportSettings = {
  titleRow: 0,
  columns: [
    { target: "name", extraName: "" },
    { target: "number", extraName: "" },
  ],
  country: "BR",
  rule: "fill",
};

/**
 * Imports the address book of a linked phone (`phone_book_entries`) like a spreadsheet of names and numbers: in the background, in
 * turns with other imports of the company, seen on the same page. Null: the phone has not told any name.
 */
export async function importPhoneBook(
  deps: PhoneBookDeps,
  ctx: UserCtx,
): Promise<ContactImportId | null> {
  const { db, clock, wake, pickConnection } = deps;
  const { companyId, actor } = ctx;
  return db.transaction(ctx, async (tx) => {
    const connectionId = await pickConnection(ctx, tx, actor.userId);
    const [connection] = await tx.orm
      .select({ name: connections.name })
      .from(connections)
      .where(hasId(ctx, connections, connectionId));
    const now = clock.now();
    const made = await tx.orm
      .insert(contactImports)
      .values({
        ...{ companyId, contactListId: null, userId: actor.userId, settings, width: 2 },
        ...{ fileName: connection?.name ?? "", fileBytes: 0, state: "waiting", countedLine: 0 },
        ...{ dueAt: now, startedAt: now, createdAt: now, updatedAt: now },
      })
      .returning();
    const row = requireRow(made);
    const values = [companyId, row.id, connectionId, limits.sheetRowsMax];
    const { rows } = requireRow(await tx.query<{ rows: number }>(copyStatement, values));
    if (rows === 0) {
      await tx.orm.delete(contactImports).where(hasId(ctx, contactImports, row.id));
      return null;
    }
    await tx.orm
      .update(contactImports)
      .set({ rows })
      .where(hasId(ctx, contactImports, row.id));
    tellImport(deps, tx, "create", { ...row, rows, userName: actor.name });
    wake.notify(tx, TOPIC);
    return row.id;
  });
}

const copyStatement = {
  name: "contact-imports.copy-phone-book",
  text: `
with copied as (
  insert into contact_import_rows (company_id, contact_import_id, line, cells)
  select $1, $2, row_number() over (order by e.name, e.number_normal), jsonb_build_array(e.name, '+' || e.number)
  from phone_book_entries e
  where e.company_id = $1 and e.connection_id = $3
  order by e.name, e.number_normal limit $4
  returning line
)
select count(*)::int as rows from copied`,
};
