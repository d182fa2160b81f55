import type { CompanyId } from "@balcao/contract";
import { DomainError } from "../../platform/context.ts";
import type { Database } from "../../platform/db/database.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { MediaKey, MediaStore, StoredMedia } from "../../platform/media/media-store.ts";
import { newMediaKey } from "../../platform/media/media-store.ts";
import type { Clock, IdSource } from "../../platform/sources.ts";
import { addFile, deleteFile, lockUnused, markWhole } from "./repository.ts";

export type KeeperDeps = {
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
  /** Lets `work` write files; of these the `kept` ones stay, and none when it throws. */
  keep<T>(
    companyId: CompanyId,
    work: (write: Write) => Promise<{ result: T; kept: readonly Written[] }>,
  ): Promise<T>;
  /** Where the file lies on this machine. */
  pathOf(companyId: CompanyId, key: MediaKey): string;
  /** Removes the file, then its row, unless something refers to it. Answers whether it did. */
  removeIfUnused(companyId: CompanyId, key: MediaKey): Promise<boolean>;
  /** The same for several; one that cannot be removed now is swept later. */
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
        // Swept meanwhile: it took longer than anything may.
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

    pathOf: (companyId, key) => store.pathOf({ companyId }, key),
    removeIfUnused,
    discard,
  };
}

async function* stream(
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* content;
}
