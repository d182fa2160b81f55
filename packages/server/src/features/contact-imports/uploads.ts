import type { ContactListId } from "@balcao/contract";
import { contactLists, contactImports } from "../../platform/db/schema/index.ts";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { holdReferences, requireRow } from "../../platform/db/records.ts";
import { limitedContent } from "../../platform/documents/content.ts";
import type { IncomingFile, StoredFile } from "../media/index.ts";
import type { ContactImportsDeps, ImportRecord } from "./imports.ts";
import { tellImport, TOPIC } from "./imports.ts";

type Upload = {
  maxBytes: number;
  contactListId: ContactListId | null;
  columns?: Partial<ImportRecord>;
};

/** Stores the file of a new import, which is read afterwards. Throws ERR_FILE_MISSING and ERR_FILE_TOO_LARGE. */
export async function addImport(
  deps: ContactImportsDeps,
  ctx: UserCtx,
  files: AsyncIterable<IncomingFile>,
  { maxBytes, contactListId, columns = {} }: Upload,
): Promise<ImportRecord> {
  const { companyId, actor } = ctx;
  if (contactListId !== null) await requireList(deps, ctx, contactListId);
  const file = await storeSheet(deps, ctx, files, maxBytes);
  try {
    return await deps.db.transaction(ctx, async (tx) => {
      await holdList(ctx, tx, contactListId);
      const now = deps.clock.now();
      const rows = await tx.orm
        .insert(contactImports)
        .values({
          ...{ companyId, contactListId, userId: actor.userId, state: "reading", dueAt: now },
          ...{ fileKey: file.key, fileName: file.name, fileBytes: file.bytes },
          ...{ createdAt: now, updatedAt: now, ...columns },
        })
        .returning();
      const row = { ...requireRow(rows), userName: actor.name };
      tellImport(deps, tx, "create", row);
      if (!row.isAtOnce) deps.wake.notify(tx, TOPIC);
      return row;
    });
  } catch (error) {
    await deps.media.removeUnused(companyId, [file.key]);
    throw error;
  }
}

async function holdList(ctx: UserCtx, tx: Tx, id: ContactListId | null): Promise<void> {
  await holdReferences(ctx, tx, contactLists, id === null ? [] : [id], "ERR_NO_CONTACTLIST_FOUND");
}

/** Before the file is received. */
const requireList = ({ db }: ContactImportsDeps, ctx: UserCtx, id: ContactListId): Promise<void> =>
  db.transaction(ctx, (tx) => holdList(ctx, tx, id));

/** Stores the one file as it is; whether it is a spreadsheet is found out when it is read. */
async function storeSheet(
  { media }: ContactImportsDeps,
  { companyId }: UserCtx,
  files: AsyncIterable<IncomingFile>,
  maxBytes: number,
): Promise<StoredFile> {
  for await (const { name, content } of files) {
    const file = await media.storeCustomerFile(companyId, {
      ...{ name, claimedKind: "document", content: limitedContent(content, { name, maxBytes }) },
    });
    // A picture that is called a spreadsheet has one.
    if (file.thumbnailKey !== null) await media.removeUnused(companyId, [file.thumbnailKey]);
    return file;
  }
  throw new DomainError("ERR_FILE_MISSING");
}
