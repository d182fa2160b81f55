import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { sql } from "drizzle-orm";
import { createFfmpeg } from "../../../platform/media/ffmpeg.ts";
import { openMediaFolder } from "../../../platform/media/media-store.ts";
import { systemSources } from "../../../platform/sources.ts";
import { quietLog } from "../../../testing/app.ts";
import { testDatabase } from "../../../testing/database.ts";
import { atEndOfFile } from "../../../testing/end-of-file.ts";
import type { Given } from "../../../testing/given.ts";
import { createGiven } from "../../../testing/given.ts";
import type { MediaFeature } from "../index.ts";
import { createMediaFeature } from "../index.ts";

export type Storage = {
  media: MediaFeature;
  given: Given;
  database: Awaited<ReturnType<typeof testDatabase>>;
  clock: { now(): Date; advance(ms: number): void };
  /** Everything that lies in the folder and in the table. */
  stored(): Promise<{ files: string[]; rows: string[] }>;
  contentOf(companyId: Parameters<MediaFeature["openFile"]>[0], key: string): Promise<Buffer>;
  folder: string;
};

/** The files of companies on a real disk and a real database, without the rest of the product. */
export async function storage(): Promise<Storage> {
  const database = await testDatabase();
  const folder = await mkdtemp(join(tmpdir(), "balcao-media-"));
  atEndOfFile(() => rm(folder, { recursive: true, force: true }));
  let offsetMs = 0;
  const clock = {
    now: () => new Date(Date.now() + offsetMs),
    advance: (ms: number) => {
      offsetMs += ms;
    },
  };
  const media = createMediaFeature({
    db: database.db,
    clock,
    ids: systemSources.ids,
    store: await openMediaFolder(folder),
    ffmpeg: createFfmpeg(undefined),
    log: quietLog(),
    secret: database.secrets.accessToken,
    publicUrl: undefined,
  });
  const sources = { ...systemSources, clock };
  return {
    media,
    clock,
    database,
    folder,
    given: createGiven({ ...database, sources, idle: async () => undefined }),
    async stored() {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      const rows = await database.db.acrossCompanies((tx) =>
        tx.query<{ key: string }>(sql`select key from files order by key`),
      );
      return {
        files: entries.flatMap((entry) => (entry.isFile() ? [entry.name] : [])).toSorted(byText),
        rows: rows.map(({ key }) => key).toSorted(byText),
      };
    },
    async contentOf(companyId, key) {
      const opened = await media.openFile(companyId, key);
      if (!opened) throw new Error("there is no such file");
      return buffer(opened.content);
    },
  };
}

function byText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
