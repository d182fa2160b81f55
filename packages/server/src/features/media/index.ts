import type { CompanyId } from "@balcao/contract";
import { limits } from "@balcao/contract";
import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { DomainError } from "../../platform/context.ts";
import type { Database } from "../../platform/db/database.ts";
import type { FindPublicFile } from "../../platform/http/files.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Ffmpeg } from "../../platform/media/ffmpeg.ts";
import type { MediaKey, MediaStore } from "../../platform/media/media-store.ts";
import { isMediaKey } from "../../platform/media/media-store.ts";
import type { Clock, IdSource } from "../../platform/sources.ts";
import { storedFileType } from "./file-type.ts";
import { createKeeper, findFile, findShownFile, sweepOrphans } from "./files.ts";
import type { MediaFiles, StoredFile } from "./media.ts";
import { examineIfPossible, finish, storeAgentFile, storeCustomerFile } from "./store-files.ts";

export { attachFile, detachFile } from "./media.ts";
export type { IncomingFile, MediaFiles, SignFile, StoredFile } from "./media.ts";

type MediaDeps = {
  db: Database;
  clock: Clock;
  ids: IdSource;
  store: MediaStore;
  ffmpeg: Ffmpeg;
  log: Logger;
  /** The installation's secret; the key for signed addresses is derived from it. */
  secret: string;
  /** The installation's address for browsers; undefined makes file addresses relative. */
  publicUrl: string | undefined;
};

export type MediaFeature = MediaFiles & {
  /** For HTTP: the file of an address, if the request may read it. */
  findPublicFile: FindPublicFile;
  /** Removes files without references; runs every hour. */
  sweepOrphans(signal?: AbortSignal): Promise<void>;
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
      if (stored.length === 0 && !rules.mayBeNone) throw new DomainError("ERR_FILE_MISSING");
      return stored;
    },

    storeCustomerFile: (companyId, file) => storeCustomerFile(storing, companyId, file),

    async describeFile(companyId, key, name) {
      const scope = { companyId };
      const row = await db.transaction(scope, (tx) => findFile(scope, tx, key));
      if (!row) return null;
      const type = storedFileType(row);
      const facts = await examineIfPossible(storing, companyId, key, type);
      const { kind } = facts;
      return keeper.keep(companyId, (write) => finish(write, { file: row, kind, name, facts }));
    },

    signedPath: (companyId, key) =>
      `${addressPrefix}${signedPaths.of(companyId, key, clock.now())}`,

    async openFile(companyId, key) {
      const opened = await store.open({ companyId }, key);
      return opened && { content: opened.stream, bytes: opened.bytes };
    },

    withLocalFile: keeper.withLocalFile,

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
      const row = await db.transaction(scope, (tx) => findShownFile(scope, tx, key, { isSigned }));
      if (!row) return null;
      const open = async (range?: { start: number; end: number }) =>
        (await store.open(scope, key, range))?.stream ?? null;
      return { mime: row.mime, bytes: row.bytes, tag: row.sha256, name: row.name, open };
    },

    sweepOrphans: (signal) => sweepOrphans({ db, clock, store, keeper }, signal),
  };
}

function keysOf({ key, thumbnailKey }: StoredFile): MediaKey[] {
  return thumbnailKey === null ? [key] : [key, thumbnailKey];
}

const HOUR_SECONDS = 3_600;
const PURPOSE = "balcao: addresses of files";

type SignedPaths = {
  /** The path below the server's root. It changes only once an hour, so that browsers can cache the file. */
  of(companyId: CompanyId, key: MediaKey, now: Date): string;
  /** False also for an expiry later than any issued one, because addresses without expiry once existed. */
  isValid(companyId: CompanyId, key: MediaKey, signature: Signature, now: Date): boolean;
};

/** The query parameters. */
type Signature = { exp: string; sig: string };

/** Addresses that open one file without authentication until they expire. */
export function createSignedPaths(installationSecret: string): SignedPaths {
  const secret = Buffer.from(hkdfSync("sha256", installationSecret, "", PURPOSE, 32));
  const sign = (path: string, exp: string): Buffer =>
    createHmac("sha256", secret).update(`${path}\n${exp}`).digest();

  function signed(companyId: CompanyId, key: MediaKey, exp: number): string {
    const path = pathOf(companyId, key);
    return `${path}?exp=${exp}&sig=${sign(path, String(exp)).toString("base64url")}`;
  }

  return {
    of: (companyId, key, now) => signed(companyId, key, expiryOf(now)),

    isValid(companyId, key, { exp, sig }, now) {
      if (!/^\d{1,12}$/.test(exp) || Number(exp) * 1_000 <= now.getTime()) return false;
      // Another process's clock may be ahead.
      if (Number(exp) > expiryOf(now) + HOUR_SECONDS) return false;
      const given = Buffer.from(sig, "base64url");
      const right = sign(pathOf(companyId, key), exp);
      return given.byteLength === right.byteLength && timingSafeEqual(given, right);
    },
  };
}

function pathOf(companyId: CompanyId, key: MediaKey): string {
  return `/public/company${Number(companyId)}/${key}`;
}

/** On the full hour, at least a whole day ahead. */
function expiryOf(now: Date): number {
  const earliest = now.getTime() / 1_000 + limits.signedPathSeconds;
  return Math.ceil(earliest / HOUR_SECONDS) * HOUR_SECONDS;
}
