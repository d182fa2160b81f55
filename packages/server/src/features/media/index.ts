import { limits } from "@balcao/contract";
import { DomainError } from "../../platform/context.ts";
import type { Database } from "../../platform/db/database.ts";
import type { FindPublicFile } from "../../platform/http/public-files.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Ffmpeg } from "../../platform/media/ffmpeg.ts";
import type { MediaKey, MediaStore } from "../../platform/media/media-store.ts";
import { isMediaKey } from "../../platform/media/media-store.ts";
import type { Clock, IdSource } from "../../platform/sources.ts";
import { createKeeper } from "./keeper.ts";
import type { MediaFiles, StoredFile } from "./media.ts";
import { findFile, findShownFile } from "./repository.ts";
import { createSignedPaths } from "./signed-path.ts";
import { storedFileType } from "./file-type.ts";
import { examineIfPossible, finish, storeAgentFile, storeCustomerFile } from "./store-files.ts";
import { sweepOrphans } from "./sweep.ts";

export type { IncomingFile, MediaFiles, StoredFile } from "./media.ts";

export type MediaDeps = {
  db: Database;
  clock: Clock;
  ids: IdSource;
  store: MediaStore;
  ffmpeg: Ffmpeg;
  log: Logger;
  /** A secret of the installation; the one for addresses is derived from it. */
  secret: string;
  /** Where browsers reach the installation, for absolute addresses; undefined makes them relative. */
  publicUrl: string | undefined;
};

export type MediaFeature = MediaFiles & {
  /** For the HTTP side: the file of an address, when whoever asks may have it. */
  findPublicFile: FindPublicFile;
  /** Removes files that nothing refers to; runs every hour. */
  sweepOrphans(): Promise<void>;
};

export function createMediaFeature(deps: MediaDeps): MediaFeature {
  const { db, clock, store, ffmpeg } = deps;
  const keeper = createKeeper(deps);
  const signedPaths = createSignedPaths(deps.secret);
  const storing = { keeper, ffmpeg };
  const addressPrefix = deps.publicUrl ?? "";

  return {
    storeFile: (companyId, file, rules) => storeAgentFile(storing, companyId, file, rules),

    async storeFiles(companyId, files, rules) {
      const stored: StoredFile[] = [];
      try {
        for await (const file of files) {
          stored.push(await storeAgentFile(storing, companyId, file, rules));
        }
      } catch (error) {
        await keeper.discard(companyId, stored.flatMap(keysOf));
        throw error;
      }
      if (stored.length === 0) throw new DomainError("ERR_FILE_MISSING");
      return stored;
    },

    storeCustomerFile: (companyId, file) => storeCustomerFile(storing, companyId, file),

    async describeFile(companyId, key, name) {
      const scope = { companyId };
      const row = await db.transaction(scope, (tx) => findFile(scope, tx, key));
      if (!row) return null;
      const type = storedFileType(row);
      const facts = await examineIfPossible(ffmpeg, store.pathOf(scope, key), type);
      const { kind } = facts;
      return keeper.keep(companyId, (write) => finish(write, { file: row, kind, name, facts }));
    },

    signedPath: (companyId, key) =>
      `${addressPrefix}${signedPaths.of(companyId, key, clock.now())}`,

    lastingPath: (companyId, key) => `${addressPrefix}${signedPaths.lasting(companyId, key)}`,

    async openFile(companyId, key) {
      const opened = await store.open({ companyId }, key);
      return opened && { content: opened.stream, bytes: opened.bytes };
    },

    async copyFile(companyId, key) {
      const scope = { companyId };
      const row = await db.transaction(scope, (tx) => findFile(scope, tx, key));
      const opened = row ? await store.open(scope, key) : null;
      if (!row || !opened) throw new Error("there is no such file to copy");
      const { extension } = storedFileType(row);
      return keeper.keep(companyId, async (write) => {
        const maxBytes = limits.documentMaxBytes;
        const copy = await write(opened.stream, { mime: row.mime, extension, maxBytes });
        return { result: copy.key, kept: [copy] };
      });
    },

    removeUnused: keeper.discard,

    async findPublicFile({ companyId, key, signature, bearerCompanyId }) {
      if (!isMediaKey(key)) return null;
      const isSigned =
        signature !== null && signedPaths.isValid(companyId, key, signature, clock.now());
      if (!isSigned && (await bearerCompanyId()) !== companyId) return null;
      const scope = { companyId };
      const row = await db.transaction(scope, (tx) => findShownFile(scope, tx, key));
      if (!row) return null;
      const open = async (range?: { start: number; end: number }) =>
        (await store.open(scope, key, range))?.stream ?? null;
      return { mime: row.mime, bytes: row.bytes, tag: row.sha256, name: row.name, open };
    },

    sweepOrphans: () => sweepOrphans({ db, clock, store, keeper }),
  };
}

function keysOf({ key, thumbnailKey }: StoredFile): MediaKey[] {
  return thumbnailKey === null ? [key] : [key, thumbnailKey];
}
