import { createReadStream } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import type { CompanyId, MediaKind } from "@balcao/contract";
import { sql } from "drizzle-orm";
import type { MediaFiles } from "../../features/media/index.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database } from "../../platform/db/database.ts";
import { isUnavailable } from "../../platform/db/database.ts";
import type { Conversations } from "./messages.ts";
import { timeOf } from "./messages.ts";
import type { Source } from "./source.ts";
import { ONLY_COMPANY } from "./source.ts";
import type { SourceRow } from "./values.ts";
import { fileNameOf, messageUuid, textOf } from "./values.ts";

type MediaDeps = {
  source: Source;
  db: Database;
  files: Pick<MediaFiles, "storeCustomerFile" | "removeUnused">;
  /** The `public` folder of the other product; null: there is none, and no file is copied. */
  folder: string | null;
  isDry: boolean;
};

const AT_ONCE = 4;
const BATCH = 500;

type Wanted = { company: Conversations; from: string; id: string; file: string; row: SourceRow };

/**
 * Copies the files of the messages that wait for one. Each becomes a file of the product before its message shows it, so that a
 * run that was ended is continued. A file that is missing is told, and its message says so.
 */
export async function bringMedia(
  deps: MediaDeps,
  companies: ReadonlyMap<string, Conversations>,
  onProgress: (files: number) => void,
): Promise<void> {
  const { source, folder } = deps;
  const root = folder === null ? null : await realpath(folder);
  let done = 0;
  for await (const page of source.messages([...companies.keys()], "files")) {
    const wanted = page.flatMap((row) => wantedOf(deps, companies, row));
    for (let at = 0; at < wanted.length; at += BATCH) {
      const batch = await stillWaiting(deps, wanted.slice(at, at + BATCH));
      if (root === null) {
        await leaveFiles(deps, batch);
        continue;
      }
      let next = 0;
      const worker = async (): Promise<void> => {
        for (let one = batch[next++]; one; one = batch[next++]) {
          await bringFile(deps, root, one);
          done += 1;
          if (done % 100 === 0) onProgress(done);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, worker));
    }
  }
  onProgress(done);
}

function wantedOf(
  { source }: MediaDeps,
  companies: ReadonlyMap<string, Conversations>,
  row: SourceRow,
): Wanted[] {
  const from = row["ticketCompanyId"] ?? ONLY_COMPANY;
  const company = companies.get(from);
  const file = textOf(row["mediaUrl"], 2_000).trim();
  if (!company?.tickets.has(row["ticketId"] ?? "") || file === "") return [];
  return [{ company, from, row, file, id: messageUuid(source.id, row["id"] ?? "", timeOf(row)) }];
}

async function stillWaiting(
  { db, isDry }: MediaDeps,
  wanted: readonly Wanted[],
): Promise<Wanted[]> {
  if (isDry) return [...wanted];
  const rows = await db.acrossCompanies((tx) =>
    tx.query<{ companyId: CompanyId; id: string }>(sql`
      select company_id as "companyId", message_id as id from message_media
      where state = 'loading' and company_id = any(${sql.param([...new Set(wanted.map(({ company }) => company.move.companyId))])}::int[])
        and message_id = any(${sql.param(wanted.map(({ id }) => id))}::uuid[])`),
  );
  const waiting = new Set(rows.map(({ id }) => id));
  return wanted.filter(({ id }) => waiting.has(id));
}

/** Without a folder no file can be had. */
async function leaveFiles({ db, isDry }: MediaDeps, batch: readonly Wanted[]): Promise<void> {
  const byCompany = new Map<CompanyId, string[]>();
  for (const { company, id } of batch) {
    const { tally, companyId } = company.move;
    tally.count("file", { read: 1, left: 1 });
    byCompany.set(companyId, [...(byCompany.get(companyId) ?? []), id]);
  }
  if (isDry) return;
  for (const [companyId, ids] of byCompany) await setUnavailable(db, companyId, ids);
}

async function bringFile(
  deps: MediaDeps,
  root: string,
  { company, from, id, file, row }: Wanted,
): Promise<void> {
  const { db, files, isDry } = deps;
  const { tally, companyId } = company.move;
  tally.count("file", { read: 1 });
  const path = await findFile(root, from, file);
  if (path === null) {
    tally.count("file", { left: 1 });
    tally.problem("file", "fileMissing", `${row["id"]} (${file.slice(0, 100)})`);
    if (!isDry) await setUnavailable(db, companyId, [id]);
    return;
  }
  tally.count("file", { added: 1 });
  if (isDry) return;
  try {
    const [waiting] = await db.transaction({ companyId }, (tx) =>
      tx.query<{ kind: MediaKind; name: string }>(sql`
        select kind, name from message_media where company_id = ${companyId} and message_id = ${id}`),
    );
    const { kind: claimedKind = "document", name = fileNameOf(file) } = waiting ?? {};
    const stored = await files.storeCustomerFile(companyId, {
      name,
      claimedKind,
      content: createReadStream(path),
    });
    const shown = await db.transaction({ companyId }, (tx) =>
      tx.query(sql`
        update message_media set state = 'ready', file_key = ${stored.key}, thumbnail_key = ${stored.thumbnailKey}, name = ${stored.name},
          kind = ${stored.kind}, mime = ${stored.mime}, bytes = ${stored.bytes}, width = ${stored.width}, height = ${stored.height},
          duration_ms = ${stored.durationMs}, waveform = ${sql.param(stored.waveform)}::smallint[]
        where company_id = ${companyId} and message_id = ${id} and state = 'loading' returning message_id`),
    );
    if (shown.length === 0) {
      await files.removeUnused(companyId, [
        stored.key,
        ...(stored.thumbnailKey === null ? [] : [stored.thumbnailKey]),
      ]);
    }
  } catch (error) {
    if (isUnavailable(error) || !isFileFault(error)) throw error;
    tally.count("file", { added: -1, left: 1 });
    tally.problem("file", "fileUnreadable", `${row["id"]} (${file.slice(0, 100)})`);
    await setUnavailable(db, companyId, [id]);
  }
}

/** The errors that one file alone causes: by its content, its size, its rights on the disk. */
function isFileFault(error: unknown): boolean {
  if (error instanceof DomainError) return true;
  const code = error instanceof Error && "code" in error ? error.code : "";
  return ["EACCES", "EISDIR", "ENOENT", "EPERM"].includes(String(code));
}

async function setUnavailable(
  db: Database,
  companyId: CompanyId,
  ids: readonly string[],
): Promise<void> {
  await db.transaction({ companyId }, (tx) =>
    tx.query(sql`
      update message_media set state = 'unavailable'
      where company_id = ${companyId} and message_id = any(${sql.param(ids)}::uuid[]) and state = 'loading'`),
  );
}

/**
 * The file of a message: below `company{n}` or directly in the folder, as its path says or by its name alone, and an MP3 where an
 * OGG was converted. Never outside of the folder, whatever the path or a link says.
 */
async function findFile(root: string, company: string, mediaUrl: string): Promise<string | null> {
  const name = fileNameOf(mediaUrl);
  const path =
    mediaUrl
      .replace(/^https?:\/\/[^/]*/i, "")
      .replace(/^\/+(public\/)?/, "")
      .split(/[?#]/, 1)[0] ?? "";
  const own = `company${company}`;
  const asWritten = [join(own, path), path, join(own, name), name];
  const converted = asWritten.map((one) => one.replace(/\.(ogg|oga|opus)$/i, ".mp3"));
  for (const candidate of new Set([...asWritten, ...converted])) {
    if (name === "" || candidate.includes("\u0000")) continue;
    const found = await realpath(join(root, candidate)).catch(() => null);
    if (found === null || !found.startsWith(root + sep)) continue;
    if ((await stat(found).catch(() => null))?.isFile()) return found;
  }
  return null;
}
