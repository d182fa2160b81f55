import type { CompanyId } from "@balcao/contract";
import { subHours } from "date-fns/subHours";
import type { SQL } from "drizzle-orm";
import { sql } from "drizzle-orm";
import { DomainError } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { FileReference } from "../../platform/db/references.ts";
import { fileReferences } from "../../platform/db/references.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { MediaKey, MediaStore, StoredMedia } from "../../platform/media/media-store.ts";
import { newMediaKey } from "../../platform/media/media-store.ts";
import type { Clock, IdSource } from "../../platform/sources.ts";

type KeeperDeps = {
  db: Database;
  clock: Clock;
  ids: IdSource;
  store: MediaStore;
  log: Logger;
};

export type Written = StoredMedia & { mime: string };

/** Writes one file: first its row, then its content. Throws MediaTooLarge, or what the content throws. */
export type Write = (
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: { mime: string; extension: string; maxBytes: number },
) => Promise<Written>;

/** Keeps rows and files together: no file is ever without a row. */
export type Keeper = {
  /** Lets `work` write files. The `kept` ones stay; if it throws, none does. */
  keep<T>(
    companyId: CompanyId,
    work: (write: Write) => Promise<{ result: T; kept: readonly Written[] }>,
  ): Promise<T>;
  /** Runs a program that reads the file by its path on this machine. */
  withLocalFile<T>(
    companyId: CompanyId,
    key: MediaKey,
    work: (path: string) => Promise<T>,
  ): Promise<T>;
  /** Removes the file, then its row, unless a row refers to it. Returns whether it was removed. */
  removeIfUnused(companyId: CompanyId, key: MediaKey): Promise<boolean>;
  /** The same for several files; one that cannot be removed now is swept later. */
  discard(companyId: CompanyId, keys: readonly MediaKey[]): Promise<void>;
};

export function createKeeper({ db, clock, ids, store, log }: KeeperDeps): Keeper {
  async function removeIfUnused(companyId: CompanyId, key: MediaKey): Promise<boolean> {
    const scope = { companyId };
    return db.transaction(scope, async (tx) => {
      if (!(await lockUnused(scope, tx, key))) return false;
      await store.remove(scope, key);
      await deleteFile(scope, tx, key);
      return true;
    });
  }

  async function discard(companyId: CompanyId, keys: readonly MediaKey[]): Promise<void> {
    for (const key of keys) {
      await removeIfUnused(companyId, key).catch((error: unknown) =>
        log.warn({ err: error, companyId }, "a file is left to be swept"),
      );
    }
  }

  return {
    async keep(companyId, work) {
      const scope = { companyId };
      const begun: MediaKey[] = [];
      const write: Write = async (content, { mime, extension, maxBytes }) => {
        const key = newMediaKey(ids, extension);
        await db.transaction(scope, (tx) => addFile(scope, tx, { key, mime, now: clock.now() }));
        begun.push(key);
        return { ...(await store.put(scope, key, stream(content), { maxBytes })), mime };
      };
      try {
        const { result, kept } = await work(write);
        const whole = await db.transaction(scope, (tx) => markWhole(scope, tx, kept));
        // The file was swept meanwhile, because writing took too long.
        if (whole < kept.length) throw new DomainError("ERR_UNAVAILABLE");
        const keptKeys = new Set(kept.map(({ key }) => key));
        await discard(
          companyId,
          begun.filter((key) => !keptKeys.has(key)),
        );
        return result;
      } catch (error) {
        await discard(companyId, begun);
        throw error;
      }
    },

    withLocalFile: (companyId, key, work) => store.withLocalFile({ companyId }, key, work),
    removeIfUnused,
    discard,
  };
}

async function* stream(
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* content;
}

/** A complete file without references may still become part of a message. */
const WHOLE_HOURS = 1;
/** No request and no download takes longer. */
const PARTIAL_HOURS = 1;
const PORTION = 1_000;

type SweepDeps = { db: Database; clock: Clock; store: MediaStore; keeper: Keeper };

/**
 * Removes files without references, files whose writing was interrupted, and files of deleted companies. Reads all files
 * in portions; failures are retried in the next sweep.
 */
export async function sweepOrphans(
  { db, clock, store, keeper }: SweepDeps,
  signal?: AbortSignal,
): Promise<void> {
  const now = clock.now();
  const before = { whole: subHours(now, WHOLE_HOURS), partial: subHours(now, PARTIAL_HOURS) };
  let position: FilePosition | null = null;
  let isAtEnd = false;
  while (!isAtEnd) {
    const after: FilePosition | null = position;
    const portion: SweptFile[] = await db.acrossCompanies((tx) =>
      nextFilesAcrossCompanies(tx, after, before, PORTION),
    );
    for (const { companyId, key, isOrphan } of portion) {
      signal?.throwIfAborted();
      if (isOrphan) await keeper.removeIfUnused(companyId, key);
    }
    position = portion.at(-1) ?? null;
    isAtEnd = portion.length < PORTION;
  }
  await store.removeAbandoned(before.partial);
  await removeGoneCompanies(db, store);
}

/** Removes the folders of deleted companies; their rows are deleted with the company. */
async function removeGoneCompanies(db: Database, store: MediaStore): Promise<void> {
  const stored = await store.companies();
  const existing = await db.acrossCompanies((tx) => existingCompanies(tx, stored));
  for (const companyId of stored) {
    if (!existing.has(companyId)) await store.removeCompany({ companyId });
  }
}

type Scope = { companyId: CompanyId };

/** Inserts the row of a file before it is written. */
async function addFile(
  { companyId }: Scope,
  tx: Tx,
  file: { key: MediaKey; mime: string; now: Date },
): Promise<void> {
  await tx.query(sql`
    insert into files (company_id, key, mime, created_at)
    values (${companyId}, ${file.key}, ${file.mime}, ${file.now})`);
}

/** Marks files as completely written. Returns how many of their rows still exist. */
async function markWhole(
  { companyId }: Scope,
  tx: Tx,
  written: readonly (StoredMedia & { mime: string })[],
): Promise<number> {
  const rows = await tx.query(sql`
    update files f set is_whole = true, mime = w.mime, bytes = w.bytes, sha256 = w.sha256
      from jsonb_to_recordset(${JSON.stringify(written)}::jsonb) as w(key text, mime text, bytes bigint, sha256 text)
     where f.company_id = ${companyId} and f.key = w.key
    returning f.key`);
  return rows.length;
}

type FileRow = { key: MediaKey; mime: string; bytes: number; sha256: string };

/** A complete file of the company, with its name in a message or quick message. */
export async function findFile(
  { companyId }: Scope,
  tx: Tx,
  key: MediaKey,
): Promise<(FileRow & { name: string | null }) | undefined> {
  const [row] = await tx.query<FileRow & { name: string | null }>(sql`
    select f.key, f.mime, f.bytes, f.sha256,
           coalesce(
             (select name from message_media m
               where m.company_id = f.company_id and m.file_key = f.key limit 1),
             ${namesElsewhere}) as name
      from files f
     where f.company_id = ${companyId} and f.key = ${key} and f.is_whole`);
  return row;
}

/**
 * The same for serving: only while an existing record shows the file. Browsers lose access with its message, ticket or
 * contact, or when the message is deleted for everyone, even before the disk is freed.
 */
export async function findShownFile(
  scope: Scope,
  tx: Tx,
  key: MediaKey,
  { isSigned }: { isSigned: boolean },
): Promise<(FileRow & { name: string | null }) | undefined> {
  const [shown] = await tx.query(sql`
    select 1 from files f where f.company_id = ${scope.companyId} and f.key = ${key} and ${isShown}
      and (${isSigned} or not ${isInChat})`);
  return shown === undefined ? undefined : findFile(scope, tx, key);
}

/** Locks the row of a file without references, so that none can be added; false if there is no such file. */
async function lockUnused({ companyId }: Scope, tx: Tx, key: MediaKey): Promise<boolean> {
  const [held] = await tx.query(sql`
    select 1 from files where company_id = ${companyId} and key = ${key} for update`);
  if (!held) return false;
  // Checked under the lock: earlier references have been committed.
  const [unused] = await tx.query(sql`
    select 1 from files f where f.company_id = ${companyId} and f.key = ${key} and ${isUnused}`);
  return unused !== undefined;
}

/** Deletes the locked row of an unused file, and clears it in messages that were deleted for everyone. */
async function deleteFile({ companyId }: Scope, tx: Tx, key: MediaKey): Promise<void> {
  await tx.query(sql`
    update message_media set state = 'unavailable', file_key = null, thumbnail_key = null
     where company_id = ${companyId} and (file_key = ${key} or thumbnail_key = ${key})`);
  await tx.query(sql`delete from files where company_id = ${companyId} and key = ${key}`);
}

/** The position of a sweep through all files. */
type FilePosition = { createdAt: Date; key: MediaKey };
type SweptFile = FilePosition & Scope & { isOrphan: boolean };

/** The next files of all companies, oldest first, and which of them have no references. */
async function nextFilesAcrossCompanies(
  tx: Tx,
  after: FilePosition | null,
  before: { whole: Date; partial: Date },
  count: number,
): Promise<SweptFile[]> {
  const from = after?.createdAt ?? null;
  return tx.query<SweptFile>(sql`
    select f.company_id as "companyId", f.key, f.created_at as "createdAt",
           (f.is_whole and f.created_at < ${before.whole}
             or not f.is_whole and f.created_at < ${before.partial}) and ${isUnused} as "isOrphan"
      from files f
     where f.created_at >= coalesce(${from}::timestamptz, '-infinity')
       and (f.created_at, f.key) > (coalesce(${from}::timestamptz, '-infinity'), ${after?.key ?? ""})
       and f.created_at < ${before.partial}
     order by f.created_at, f.key
     limit ${count}`);
}

/** Which of the companies exist. */
async function existingCompanies(
  tx: Tx,
  companyIds: readonly CompanyId[],
): Promise<Set<CompanyId>> {
  const rows = await tx.query<{ id: CompanyId }>(sql`
    select id from companies where id = any(${sql.param(companyIds)}::int[])`);
  return new Set(rows.map(({ id }) => id));
}

const ofMessages = fileReferences.filter(({ table }) => table === "message_media");
const elsewhere = fileReferences.filter(({ table }) => table !== "message_media");

/** The rows `r` that refer to file `f` by a column. */
const rowsBy = ({ table, companyColumn, column }: FileReference): SQL =>
  sql`from ${sql.identifier(table)} r where r.${sql.identifier(companyColumn)} = f.company_id and r.${sql.identifier(column)} = f.key`;

const namesElsewhere = sql.join(
  elsewhere.flatMap((by) =>
    by.nameColumn === null
      ? []
      : [sql`(select r.${sql.identifier(by.nameColumn)} ${rowsBy(by)} limit 1)`],
  ),
  sql`, `,
);

/** Condition: a message shows file `f`. */
const isShownByMessage = sql.join(
  ofMessages.map(
    (by) => sql`exists (select 1 ${rowsBy(by)} and exists (select 1 from messages m
      where m.company_id = r.company_id and m.id = r.message_id and not m.is_deleted))`,
  ),
  sql` or `,
);

/** Condition: a message of an internal chat has file `f`. Only its members get a signed address. */
const isInChat = sql`exists (select 1 from chat_messages m
    where m.company_id = f.company_id and (m.file_key = f.key or m.thumbnail_key = f.key))`;

/** Condition: no row of another table than messages refers to file `f`. */
const isUnusedElsewhere = sql.join(
  elsewhere.map((by) => sql`not exists (select 1 ${rowsBy(by)})`),
  sql` and `,
);

/**
 * Condition: message `r` may still show its file. It is not deleted for everyone, or the network may still refuse the
 * deletion. Some networks never confirm a written deletion; after an hour it counts as accepted.
 */
const keepsFile = sql`not exists (select 1 from messages m
    where m.company_id = r.company_id and m.id = r.message_id and m.is_deleted
      and not exists (select 1 from outbound o
        where o.company_id = m.company_id and o.message_id = m.id and o.command = 'revoke'
          and (o.state in ('queued', 'sending')
            or o.state = 'sent' and o.attempted_at > now() - interval '1 hour')))`;

const isUnused = sql.join(
  [
    ...ofMessages.map((by) => sql`not exists (select 1 ${rowsBy(by)} and ${keepsFile})`),
    isUnusedElsewhere,
  ],
  sql` and `,
);

const isShown = sql`(${isShownByMessage} or not (${isUnusedElsewhere}))`;
