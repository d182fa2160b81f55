import type { FileListId, FileListOptionId, UploadFieldsOf } from "@balcao/contract";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import { findRecord, hasId, lockRecord } from "../../platform/db/records.ts";
import { fileLists } from "../../platform/db/schema/index.ts";
import type { Clock } from "../../platform/sources.ts";
import type { IncomingFile, MediaFiles, StoredFile } from "../media/index.ts";

type UploadDeps = {
  db: Database;
  clock: Clock;
  media: Pick<MediaFiles, "storeFiles" | "removeUnused">;
  /** Publishes the list as it is then. */
  tell: (tx: Tx) => Promise<unknown>;
};

type Fields = UploadFieldsOf<"POST /files/uploadList/:fileListId">;

/** A multipart request while it arrives. */
type FilesUpload = { fields(): Promise<Fields>; files(): AsyncIterable<IncomingFile> };

export const NO_FILE = "ERR_NO_FILE_FOUND";

/**
 * Stores the files of options, all of them or none; a file that was there before is removed. The ids of the options may stand
 * between the files or behind them, as clients of the family send them. Throws ERR_NO_FILE_FOUND for a list that is not there
 * and for an option that is not the list's.
 */
export async function uploadFiles(
  deps: UploadDeps,
  ctx: UserCtx,
  id: FileListId,
  upload: FilesUpload,
): Promise<void> {
  const { db, media } = deps;
  const { companyId } = ctx;
  await db.transaction(ctx, (tx) => findRecord(ctx, tx, fileLists, id, NO_FILE));
  const stored = await media.storeFiles(companyId, upload.files(), {
    ...{ accept: "any", mayBeNone: true },
  });
  const unneeded = stored.flatMap(({ thumbnailKey }) => thumbnailKey ?? []);
  try {
    const ids = optionIds(id, stored, await upload.fields());
    if (stored.length > 0) unneeded.push(...(await putFiles(deps, ctx, id, ids, stored)));
  } catch (error) {
    await media.removeUnused(companyId, [...stored.map(({ key }) => key), ...unneeded]);
    throw error;
  }
  await media.removeUnused(companyId, unneeded);
}

/** The option of each file. Throws ERR_INVALID_REQUEST unless there is one for each, and the list is the one of the path. */
function optionIds(
  listId: FileListId,
  stored: readonly StoredFile[],
  { fileId, id = [] }: Fields,
): FileListOptionId[] {
  if (fileId !== undefined && fileId !== listId) throw malformed("fileId", "is another list");
  const ids = [id].flat();
  if (stored.length === 0) return [];
  if (ids.length !== stored.length) throw malformed("id", "names one option for each file");
  if (new Set(ids).size < ids.length) throw malformed("id", "names an option twice");
  return ids;
}

/** Returns the files that these replace. */
async function putFiles(
  { db, clock, tell }: UploadDeps,
  ctx: UserCtx,
  listId: FileListId,
  ids: readonly FileListOptionId[],
  stored: readonly StoredFile[],
): Promise<string[]> {
  const given = stored.map(({ key, name }, at) => ({ id: ids[at], key, name }));
  return db.transaction(ctx, async (tx) => {
    await lockRecord(ctx, tx, fileLists, listId, NO_FILE);
    const values = [ctx.companyId, listId, JSON.stringify(given)];
    const put = await tx.query<{ before: string | null }>(putFilesStatement, values);
    if (put.length < ids.length) throw new DomainError(NO_FILE);
    await tx.orm
      .update(fileLists)
      .set({ updatedAt: clock.now() })
      .where(hasId(ctx, fileLists, listId));
    await tell(tx);
    return put.flatMap(({ before }) => before ?? []);
  });
}

const malformed = (field: string, message: string): DomainError<"ERR_INVALID_REQUEST"> =>
  new DomainError("ERR_INVALID_REQUEST", { issues: [{ path: `body.${field}`, message }] });

const putFilesStatement = {
  name: "file-lists.put-files",
  text: `
with given as materialized (
  select * from jsonb_to_recordset($3::jsonb) as g(id int, key text, name text)
), before as materialized (
  select o.id, o.file_key from file_list_options o join given g on g.id = o.id
  where o.company_id = $1 and o.file_list_id = $2
  for update of o
)
update file_list_options o set file_key = g.key, file_name = g.name
from given g, before b
where o.company_id = $1 and o.file_list_id = $2 and o.id = g.id and b.id = o.id
returning b.file_key as before`,
};
