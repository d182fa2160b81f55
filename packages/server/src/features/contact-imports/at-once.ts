import type { Contact, ContactListId, ContactListItem } from "@balcao/contract";
import { limits } from "@balcao/contract";
import type { UserCtx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { DomainError } from "../../platform/context.ts";
import { hasId, requireRow } from "../../platform/db/records.ts";
import { contactImports } from "../../platform/db/schema/index.ts";
import { readMembers } from "../contact-lists/index.ts";
import { readImported } from "../contacts/index.ts";
import type { IncomingFile } from "../media/index.ts";
import type { ContactImportsDeps, ImportRecord } from "./imports.ts";
import { faultOf } from "./imports.ts";
import { newClaim, readImport } from "./reading.ts";
import { readMade } from "./rows.ts";
import { goOn } from "./running.ts";
import { addImport } from "./uploads.ts";

const BUSY_MS = 20;
/** Far more than so many rows take. */
const LIMIT_MS = 180_000;
const PAGE = 500;

/**
 * Imports a small spreadsheet while the caller waits, by the titles of its columns; known ones are kept. Answers the new contacts, in pages. It is an
 * import as any other, so that one that a crash interrupts is finished in the background, but stands in no list of imports and waits for no other
 * one. Throws one of `sheetErrors`.
 */
export async function uploadContacts(
  deps: ContactImportsDeps,
  ctx: UserCtx,
  files: AsyncIterable<IncomingFile>,
): Promise<AsyncIterable<Contact[]>> {
  const row = await importAtOnce(deps, ctx, files, null);
  const sign = deps.media.signedPath;
  return madePages(deps, ctx, row, (tx, ids) => readImported(sign, ctx, tx, ids));
}

/** The same for a contact list; answers who is new on it. */
export async function uploadMembers(
  deps: ContactImportsDeps,
  ctx: UserCtx,
  contactListId: ContactListId,
  files: AsyncIterable<IncomingFile>,
): Promise<AsyncIterable<ContactListItem[]>> {
  const row = await importAtOnce(deps, ctx, files, contactListId);
  return madePages(deps, ctx, row, (tx, ids) => readMembers(ctx, tx, ids));
}

async function importAtOnce(
  deps: ContactImportsDeps,
  ctx: UserCtx,
  files: AsyncIterable<IncomingFile>,
  contactListId: ContactListId | null,
): Promise<ImportRecord> {
  const claim = newClaim(deps);
  const added = await addImport(deps, ctx, files, {
    maxBytes: limits.smallSheetMaxBytes,
    contactListId,
    columns: { isAtOnce: true, ...claim },
  });
  const { id, companyId, fileKey } = added;
  if (fileKey === null) throw new Error("a new import has no file");
  await readImport(deps, { id, companyId, fileKey, reader: claim.reader, isAtOnce: true });
  const endMs = performance.now() + LIMIT_MS;
  // Another process may have taken it up when this one stood still.
  while (performance.now() < endMs) {
    const row = await readRow(deps, ctx, added);
    if (row.errorCode !== null) {
      await forget(deps, ctx, row);
      throw faultOf(row);
    }
    if (row.state === "done") return row;
    if (row.state === "reading" || (await goOn(deps, row)) === "busy") await pause(BUSY_MS);
  }
  // It is finished in the background.
  throw new DomainError("ERR_UNAVAILABLE");
}

async function readRow(
  { db }: ContactImportsDeps,
  ctx: UserCtx,
  { id, userName }: ImportRecord,
): Promise<ImportRecord> {
  const rows = await db.transaction(ctx, ({ orm }) =>
    orm
      .select()
      .from(contactImports)
      .where(hasId(ctx, contactImports, id)),
  );
  return { ...requireRow(rows, "ERR_UNAVAILABLE"), userName };
}

async function* madePages<Wire>(
  deps: ContactImportsDeps,
  ctx: UserCtx,
  row: ImportRecord,
  read: (tx: Tx, ids: readonly number[]) => Promise<Wire[]>,
): AsyncGenerator<Wire[]> {
  let after = 0;
  for (let count = PAGE; count === PAGE;) {
    const { made, page } = await deps.db.transaction(ctx, async (tx) => {
      const some = await readMade(ctx, tx, row.id, after, PAGE);
      return {
        made: some,
        page: await read(
          tx,
          some.map(({ madeId }) => madeId),
        ),
      };
    });
    yield page;
    count = made.length;
    after = made.at(-1)?.line ?? after;
  }
  await forget(deps, ctx, row);
}

/** Removes an import whose reply was sent. The sweep removes one that a crash leaves. */
async function forget({ db }: ContactImportsDeps, ctx: UserCtx, { id }: ImportRecord) {
  await db.transaction(ctx, ({ orm }) =>
    orm.delete(contactImports).where(hasId(ctx, contactImports, id)),
  );
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
