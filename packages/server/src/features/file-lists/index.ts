import type {
  FileList,
  FileListChange,
  FileListId,
  FileListOption,
  FileListOptionId,
  InputOf,
  ListedFileList,
  NewFileList,
} from "@balcao/contract";
import { pageSizes } from "@balcao/contract";
import { and, eq, getTableColumns, sql } from "drizzle-orm";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import {
  contains,
  findRecord,
  hasId,
  listTotal,
  lockRecord,
  readPage,
  refuseDuplicates,
  requireRow,
  wireDates,
} from "../../platform/db/records.ts";
import { fileListOptions, fileLists, files } from "../../platform/db/schema/index.ts";
import type { DomainEvents } from "../../platform/events.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { Clock } from "../../platform/sources.ts";
import type { MediaFiles } from "../media/index.ts";
import { NO_FILE, uploadFiles } from "./upload.ts";

declare module "../../platform/events.ts" {
  interface EventPayloads {
    /** Published twice: before the list is locked, and under the lock. A subscriber that throws keeps the list. */
    "fileList.removing": { fileListId: FileListId };
  }
}

export type FileListsDeps = {
  db: Database;
  clock: Clock;
  realtime: Realtime;
  domainEvents: DomainEvents;
  media: Pick<MediaFiles, "storeFiles" | "removeUnused" | "signedPath">;
};

/** Lists of files that campaigns send (wire-contract 5.23, behaviour 8.6). */
export function createFileListsFeature(deps: FileListsDeps) {
  return {
    register(routes: Routes): void {
      routes.handle("GET /files", ({ ctx, query }) => listFileLists(deps, ctx, query));
      routes.handle("GET /files/:fileListId", ({ ctx, params }) =>
        showFileList(deps, ctx, params.fileListId),
      );
      routes.handle("POST /files", ({ ctx, body }) => createFileList(deps, ctx, body));
      routes.handle("PUT /files/:fileListId", ({ ctx, params, body }) =>
        updateFileList(deps, ctx, params.fileListId, body),
      );
      routes.handle("DELETE /files/:fileListId", async ({ ctx, params }) => {
        await removeFileList(deps, ctx, params.fileListId);
        return { message: "File List deleted" };
      });
      routes.handle("POST /files/uploadList/:fileListId", async ({ ctx, params, upload }) => {
        const tell = (tx: Tx) => tellSaved(deps, ctx, tx, params.fileListId, "update");
        await uploadFiles({ ...deps, tell }, ctx, params.fileListId, upload);
        return { mensagem: "Arquivos atualizados" };
      });
    },
  };
}

/** A file of a list, as it is sent. */
export type SentListFile = {
  key: string;
  /** The caption; "" for none. */
  name: string;
  /** The original name. */
  fileName: string;
  mime: string;
};

/** The files of a list in their order, without the options that have none; no files for a list that is not there. */
export async function filesOfList(
  ctx: Pick<Ctx, "companyId">,
  tx: Tx,
  id: FileListId,
): Promise<SentListFile[]> {
  return (await readOptions(ctx, tx, id)).flatMap(({ name, fileKey, fileName, mime }) =>
    fileKey === null || mime === null
      ? []
      : [{ key: fileKey, name, fileName: fileName ?? fileKey, mime }],
  );
}

const refuseSameName = refuseDuplicates({ file_lists_name: "ERR_RATING_NAME_ALREADY_EXISTS" });

async function listFileLists(
  { db }: FileListsDeps,
  ctx: UserCtx,
  { searchParam, pageNumber }: InputOf<"GET /files">["query"],
) {
  return db.transaction(ctx, async (tx) => {
    const ofList = and(
      eq(fileListOptions.companyId, ctx.companyId),
      eq(fileListOptions.fileListId, fileLists.id),
    );
    const optionsCount = tx.orm.$count(fileListOptions, ofList);
    const found = and(
      eq(fileLists.companyId, ctx.companyId),
      contains(fileLists.name, searchParam),
    );
    const { rows, ...totals } = await readPage(pageNumber, pageSizes.fileLists, (limit, offset) =>
      tx.orm
        .select({ ...getTableColumns(fileLists), optionsCount, total: listTotal })
        .from(fileLists)
        .where(found)
        .orderBy(sql`f_norm(${fileLists.name})`, fileLists.id)
        .limit(limit)
        .offset(offset),
    );
    const listed = rows.map((row): ListedFileList => ({
      ...toHead(row),
      optionsCount: row.optionsCount,
    }));
    return { files: listed, ...totals };
  });
}

async function showFileList(deps: FileListsDeps, ctx: UserCtx, id: FileListId): Promise<FileList> {
  return deps.db.transaction(ctx, (tx) => readFileList(deps, ctx, tx, id));
}

/** Throws ERR_RATING_NAME_ALREADY_EXISTS. */
async function createFileList(
  deps: FileListsDeps,
  ctx: UserCtx,
  { name, message, options }: NewFileList,
): Promise<FileList> {
  const now = deps.clock.now();
  const values = { companyId: ctx.companyId, name, message, createdAt: now, updatedAt: now };
  const work = deps.db.transaction(ctx, async (tx) => {
    const rows = await tx.orm.insert(fileLists).values(values).returning();
    const { id } = requireRow(rows);
    await saveOptions(ctx, tx, id, options);
    return tellSaved(deps, ctx, tx, id, "create");
  });
  return work.catch(refuseSameName);
}

/**
 * Replaces a file list; an option keeps its file. Throws ERR_NO_FILE_FOUND, also for an option that is not the list's, and
 * ERR_RATING_NAME_ALREADY_EXISTS.
 */
async function updateFileList(
  deps: FileListsDeps,
  ctx: UserCtx,
  id: FileListId,
  { name, message, options }: FileListChange,
): Promise<FileList> {
  const work = deps.db.transaction(ctx, async (tx) => {
    await lockRecord(ctx, tx, fileLists, id, NO_FILE);
    await tx.orm
      .update(fileLists)
      .set({ name, message, updatedAt: deps.clock.now() })
      .where(hasId(ctx, fileLists, id));
    const unneeded = await saveOptions(ctx, tx, id, options);
    return { saved: await tellSaved(deps, ctx, tx, id, "update"), unneeded };
  });
  const { saved, unneeded } = await work.catch(refuseSameName);
  await deps.media.removeUnused(ctx.companyId, unneeded);
  return saved;
}

/** Throws ERR_NO_RATING_FOUND, and what a subscriber of `fileList.removing` throws. */
export async function removeFileList(deps: FileListsDeps, ctx: Ctx, id: FileListId): Promise<void> {
  const { db, media, realtime, domainEvents } = deps;
  const { companyId } = ctx;
  const unneeded = await db.transaction(ctx, async (tx) => {
    await findRecord(ctx, tx, fileLists, id, "ERR_NO_RATING_FOUND");
    // What refers to the list is locked before it; once it is locked, nothing can begin to.
    await domainEvents.publish(tx, ctx, "fileList.removing", { fileListId: id });
    const locked = await tx.orm
      .select({ id: fileLists.id })
      .from(fileLists)
      .where(hasId(ctx, fileLists, id))
      .for("update");
    requireRow(locked, "ERR_NO_RATING_FOUND");
    await domainEvents.publish(tx, ctx, "fileList.removing", { fileListId: id });
    const options = await readOptions(ctx, tx, id);
    await tx.orm.delete(fileLists).where(hasId(ctx, fileLists, id));
    tx.onCommit(() => {
      const gone = { action: "delete", fileId: id } as const;
      realtime.publish(companyId, "file", gone, [rooms.main(companyId)]);
    });
    return options.flatMap(({ fileKey }) => (fileKey === null ? [] : [fileKey]));
  });
  await media.removeUnused(companyId, unneeded);
}

type SavedOption = { id?: FileListOptionId | null | undefined; name: string };

/** Makes these the options of a list, in this order. Returns the files of those that are removed. */
async function saveOptions(
  { companyId }: Ctx,
  tx: Tx,
  id: FileListId,
  options: readonly SavedOption[],
): Promise<string[]> {
  const given = options.map((option, place) => ({
    id: option.id ?? null,
    name: option.name,
    place,
  }));
  type Saved = { known: number; unneeded: string[] };
  const values = [companyId, id, JSON.stringify(given)];
  const { known, unneeded } = requireRow(await tx.query<Saved>(saveOptionsStatement, values));
  const ids = given.filter((option) => option.id !== null);
  // Another list's, removed meanwhile, or given twice.
  if (known < ids.length) throw new DomainError(NO_FILE);
  return unneeded;
}

type OptionRow = Pick<
  typeof fileListOptions.$inferSelect,
  "id" | "fileListId" | "name" | "fileKey" | "fileName"
> & { mime: string | null; bytes: number | null };

/** At most `limits.fileListOptionsMax`. */
function readOptions(
  { companyId }: Pick<Ctx, "companyId">,
  tx: Tx,
  fileListId: FileListId,
): Promise<OptionRow[]> {
  const { id, name, place, fileKey, fileName } = fileListOptions;
  return tx.orm
    .select({
      ...{ id, fileListId: fileListOptions.fileListId, name, fileKey, fileName },
      ...{ mime: files.mime, bytes: files.bytes },
    })
    .from(fileListOptions)
    .leftJoin(files, and(eq(files.companyId, fileListOptions.companyId), eq(files.key, fileKey)))
    .where(
      and(eq(fileListOptions.companyId, companyId), eq(fileListOptions.fileListId, fileListId)),
    )
    .orderBy(place, id);
}

async function readFileList(
  { media }: FileListsDeps,
  ctx: Ctx,
  tx: Tx,
  id: FileListId,
): Promise<FileList> {
  const row = await findRecord(ctx, tx, fileLists, id, NO_FILE);
  const options = await readOptions(ctx, tx, id);
  const toOption = (option: OptionRow): FileListOption => {
    const { fileKey, mime, bytes } = option;
    return {
      ...{ id: option.id, name: option.name, fileId: option.fileListId },
      ...{ path: fileKey, mediaType: mime, fileName: option.fileName, bytes },
      url: fileKey === null ? null : media.signedPath(ctx.companyId, fileKey),
    };
  };
  return { ...toHead(row), options: options.map(toOption) };
}

function toHead(row: typeof fileLists.$inferSelect) {
  const { id, companyId, name, message } = row;
  return { id, companyId, name, message, ...wireDates(row) };
}

/** Reads a list as it is now and publishes it to the company, on commit. */
async function tellSaved(
  deps: FileListsDeps,
  ctx: Ctx,
  tx: Tx,
  id: FileListId,
  action: "create" | "update",
): Promise<FileList> {
  const { companyId } = ctx;
  const saved = await readFileList(deps, ctx, tx, id);
  tx.onCommit(() => {
    const payload = { action, files: saved, fileList: saved };
    deps.realtime.publish(companyId, "file", payload, [rooms.main(companyId)]);
  });
  return saved;
}

const saveOptionsStatement = {
  name: "file-lists.save-options",
  text: `
with given as materialized (
  select * from jsonb_to_recordset($3::jsonb) as g(id int, name text, place int)
), removed as (
  delete from file_list_options o
  where o.company_id = $1 and o.file_list_id = $2 and not exists (select from given g where g.id = o.id)
  returning o.file_key
), changed as (
  update file_list_options o set name = g.name, place = g.place
  from given g
  where o.company_id = $1 and o.file_list_id = $2 and o.id = g.id
  returning o.id
), added as (
  insert into file_list_options (company_id, file_list_id, place, name)
  select $1, $2, place, name from given where id is null
)
select (select count(*)::int from changed) as known,
  array(select file_key from removed where file_key is not null) as unneeded`,
};
