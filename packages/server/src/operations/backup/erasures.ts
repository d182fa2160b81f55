import { createHash, hkdfSync } from "node:crypto";
import type pg from "pg";
import { z } from "zod";
import type { ListedErasure } from "../../features/privacy/index.ts";
import { ArchiveDamaged } from "../../platform/archive/archive.ts";
import type { ArchivePlace } from "../../platform/archive/places.ts";
import { openPlace } from "../../platform/archive/places.ts";
import type { Config } from "../../platform/config/config.ts";

// An archive from before an erasure has the person's data. Each erasure is therefore kept as a small file beside the archives, and a
// restore lets the product repeat those that are newer than the archive. A file names nobody: it has hashes.

const entry = z.object({
  id: z.guid(),
  companyId: z.number().int(),
  salt: z.string(),
  hashes: z.array(z.string()),
  requesterName: z.string(),
  endedAt: z.iso.datetime(),
});
type Entry = z.output<typeof entry>;

/** `erasure-<installation>-<id>.json`; archives of the installation have the same letters in their names. */
const FILE = /^erasure-([0-9a-f]{8})-[0-9a-f-]{36}\.json$/;
const ARCHIVE = /^balcao-([0-9a-f]{8})-/;
const MOST_BYTES = 1024 * 1024;

const nameOf = (installation: string, id: string): string => `erasure-${installation}-${id}.json`;

/** The key of the hashes, from the installation's secret: the database alone does not give the numbers away. */
export const erasureKey = (secret: string): Buffer =>
  Buffer.from(hkdfSync("sha256", secret, "", "balcao:erasures", 32));

/** Writes an erasure to the configured place of backups; null where the product makes none. */
export function erasureKeeper(
  { backup, s3 }: Pick<Config, "backup" | "s3">,
  serviceUrl: string,
): ((erasure: ListedErasure) => Promise<void>) | null {
  const { to } = backup;
  if (to === null) return null;
  const { username, pathname } = new URL(serviceUrl);
  const database = decodeURIComponent(pathname.slice(1));
  const installation = createHash("sha256")
    .update(decodeURIComponent(username) + database)
    .digest("hex")
    .slice(0, 8);
  return async (erasure) => {
    const place = await openPlace(to, s3);
    try {
      await write(place, installation, erasure);
    } finally {
      place.close();
    }
  };
}

async function write(
  place: Pick<ArchivePlace, "put">,
  installation: string,
  { id, companyId, salt, hashes, requesterName, endedAt }: ListedErasure,
): Promise<void> {
  const text = JSON.stringify({ id, companyId, salt, hashes, requesterName, endedAt });
  await place.put(
    nameOf(installation, id),
    (async function* () {
      yield Buffer.from(text);
    })(),
  );
}

const doneText = `select id, company_id as "companyId", salt, hashes, requester_name as "requesterName", ended_at as "endedAt"
  from erasures where state = 'done' order by ended_at`;
/** One that still runs is lost with its database: it counts as made now. */
const allText = `select id, company_id as "companyId", salt, hashes, requester_name as "requesterName",
  coalesce(ended_at, now()) as "endedAt" from erasures order by created_at`;

async function readErasures(client: pg.Client, text: string): Promise<ListedErasure[]> {
  const { rowCount } = await client.query(
    "select 1 where to_regclass('public.erasures') is not null",
  );
  if (rowCount === 0) return [];
  return (await client.query<ListedErasure>(text)).rows;
}

/** Adds the erasures that a place of archives lacks, for archives that go elsewhere than the configured one. */
export async function keepErasures(
  client: pg.Client,
  place: Pick<ArchivePlace, "list" | "put">,
  beginning: string,
): Promise<void> {
  const installation = ARCHIVE.exec(beginning)?.[1];
  if (installation === undefined) return;
  const there = new Set(await place.list());
  for (const erasure of await readErasures(client, doneText)) {
    if (!there.has(nameOf(installation, erasure.id))) await write(place, installation, erasure);
  }
}

/** The erasures after the archive was made: those beside it, and those of the database that the restore replaces. */
export async function erasuresAfter(
  client: pg.Client,
  place: Pick<ArchivePlace, "list" | "open">,
  { name, createdAt }: { name: string; createdAt: string },
): Promise<Entry[]> {
  const installation = ARCHIVE.exec(name)?.[1];
  const found = new Map<string, Entry>();
  for (const file of await place.list()) {
    const [, owner] = FILE.exec(file) ?? [];
    if (owner === undefined || (installation !== undefined && owner !== installation)) continue;
    const one = readEntry(file, await readText(await place.open(file)));
    found.set(one.id, one);
  }
  for (const one of await readErasures(client, allText)) {
    const { endedAt } = one;
    if (endedAt) found.set(one.id, { ...one, endedAt: endedAt.toISOString() });
  }
  const made = Date.parse(createdAt);
  return [...found.values()].filter(({ endedAt }) => Date.parse(endedAt) > made);
}

/** A file that cannot be read stops the restore: without it somebody's data would come back. */
function readEntry(file: string, text: string): Entry {
  try {
    return entry.parse(JSON.parse(text));
  } catch (error) {
    throw new ArchiveDamaged(
      `The erasure in ${file} cannot be read. Restore that file, or move it away and erase the person again.`,
      {
        cause: error,
      },
    );
  }
}

async function readText(content: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of content) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) throw new Error("a list of erasures is too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/** Has the restored product repeat the erasures when it starts. Answers how many of them fit, which is none for an older archive. */
export async function repeatErasures(
  client: pg.Client,
  erasures: readonly Entry[],
): Promise<number> {
  const { rowCount } = await client.query(
    "select 1 where to_regclass('public.erasures') is not null",
  );
  if (rowCount === 0) return 0;
  for (const { id, companyId, salt, hashes, requesterName } of erasures) {
    // One of a company that is not in the archive has nothing to repeat.
    await client.query(
      `insert into erasures (id, company_id, state, requester_name, salt, hashes)
       select $1, id, 'waiting', $3, $4, $5 from companies where id = $2
       on conflict (id) do nothing`,
      [id, companyId, requesterName, salt, hashes],
    );
  }
  return erasures.length;
}
