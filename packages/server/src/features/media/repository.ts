import type { CompanyId } from "@balcao/contract";
import { sql } from "drizzle-orm";
import type { Tx } from "../../platform/db/database.ts";
import type { MediaKey, StoredMedia } from "../../platform/media/media-store.ts";

type Scope = { companyId: CompanyId };

/** A row for a file that is about to be written. */
export async function addFile(
  { companyId }: Scope,
  tx: Tx,
  file: { key: MediaKey; mime: string; now: Date },
): Promise<void> {
  await tx.query(sql`
    insert into files (company_id, key, mime, created_at)
    values (${companyId}, ${file.key}, ${file.mime}, ${file.now})`);
}

/** The files are on the disk and what they should be. Answers how many rows were still there. */
export async function markWhole(
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

export type FileRow = { key: MediaKey; mime: string; bytes: number; sha256: string };

/** A whole file of the company, with the name under which some message or prepared answer has it. */
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
             (select file_name from quick_messages q
               where q.company_id = f.company_id and q.file_key = f.key limit 1),
             (select file_name from schedules s
               where s.company_id = f.company_id and s.file_key = f.key limit 1),
             (select file_name from queues q
               where q.company_id = f.company_id and q.file_key = f.key limit 1),
             (select file_name from queue_options o
               where o.company_id = f.company_id and o.file_key = f.key limit 1)) as name
      from files f
     where f.company_id = ${companyId} and f.key = ${key} and f.is_whole`);
  return row;
}

/**
 * The same as addresses serve it: for something that is there and shows it. A file is gone for browsers with its message,
 * ticket or contact, and with a message that was deleted for everyone, whenever the disk is freed.
 */
export async function findShownFile(
  scope: Scope,
  tx: Tx,
  key: MediaKey,
): Promise<(FileRow & { name: string | null }) | undefined> {
  const [shown] = await tx.query(sql`
    select 1 from files f where f.company_id = ${scope.companyId} and f.key = ${key} and ${isShown}`);
  return shown === undefined ? undefined : findFile(scope, tx, key);
}

/** Holds the row of a file that nothing refers to, so that nothing can; false when there is none such. */
export async function lockUnused({ companyId }: Scope, tx: Tx, key: MediaKey): Promise<boolean> {
  const [held] = await tx.query(sql`
    select 1 from files where company_id = ${companyId} and key = ${key} for update`);
  if (!held) return false;
  // Looked at once the row is held: whoever referred to it before has committed.
  const [unused] = await tx.query(sql`
    select 1 from files f where f.company_id = ${companyId} and f.key = ${key} and ${isUnused}`);
  return unused !== undefined;
}

export async function deleteFile({ companyId }: Scope, tx: Tx, key: MediaKey): Promise<void> {
  await tx.query(sql`delete from files where company_id = ${companyId} and key = ${key}`);
}

/** Where a walk over all files stands. */
export type FilePosition = { createdAt: Date; key: MediaKey };
export type SweptFile = FilePosition & Scope & { isOrphan: boolean };

/** The next files in the order of their age, all companies, and which of them nothing refers to. */
export async function nextFilesAcrossCompanies(
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

/** Which of the companies are there. */
export async function existingCompanies(
  tx: Tx,
  companyIds: readonly CompanyId[],
): Promise<Set<CompanyId>> {
  const rows = await tx.query<{ id: CompanyId }>(sql`
    select id from companies where id = any(${sql.param(companyIds)}::int[])`);
  return new Set(rows.map(({ id }) => id));
}

/** Some message shows file `f`. */
const isShownByMessage = sql`
  exists (select 1 from message_media r join messages m on m.company_id = r.company_id and m.id = r.message_id
    where r.company_id = f.company_id and r.file_key = f.key and not m.is_deleted)
  or exists (select 1 from message_media r join messages m on m.company_id = r.company_id and m.id = r.message_id
    where r.company_id = f.company_id and r.thumbnail_key = f.key and not m.is_deleted)`;

/** Nothing besides messages refers to file `f`. Each table that may must be named here. */
const isUnusedElsewhere = sql`
  not exists (select 1 from quick_messages r where r.company_id = f.company_id and r.file_key = f.key)
  and not exists (select 1 from schedules r where r.company_id = f.company_id and r.file_key = f.key)
  and not exists (select 1 from queues r where r.company_id = f.company_id and r.file_key = f.key)
  and not exists (select 1 from queue_options r where r.company_id = f.company_id and r.file_key = f.key)
  and not exists (select 1 from contacts r where r.company_id = f.company_id and r.picture_key = f.key)`;

const isUnused = sql`
  not exists (select 1 from message_media r where r.company_id = f.company_id and r.file_key = f.key)
  and not exists (select 1 from message_media r where r.company_id = f.company_id and r.thumbnail_key = f.key)
  and ${isUnusedElsewhere}`;

const isShown = sql`(${isShownByMessage} or not (${isUnusedElsewhere}))`;
