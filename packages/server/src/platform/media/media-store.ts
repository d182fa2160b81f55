import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import type { CompanyId } from "@balcao/contract";
import type { IdSource } from "../sources.ts";

/** Where a stored file is: `<uuid>.<extension>`; it tells nothing about the original name. */
export type MediaKey = string;

export type StoredMedia = { key: MediaKey; bytes: number; sha256: string };

/** The content was longer than allowed; nothing was kept. */
export class MediaTooLarge extends Error {
  constructor(maxBytes: number) {
    super(`the content is longer than ${maxBytes} bytes`);
    this.name = "MediaTooLarge";
  }
}

/**
 * Files of companies. A file is whole or absent: it gets its name only when all of it is on the disk. A company's key
 * finds nothing in another company.
 */
export type MediaStore = {
  /** Streams the content to the disk. `extension` is letters and digits, decided by the content's sniffed type. */
  put(
    scope: { companyId: CompanyId },
    content: AsyncIterable<Uint8Array>,
    options: { extension: string; maxBytes: number },
  ): Promise<StoredMedia>;
  /** The content from `start` to `end` (bytes, inclusive), or null when there is no such file. */
  open(
    scope: { companyId: CompanyId },
    key: MediaKey,
    range?: { start: number; end: number },
  ): Promise<{ stream: Readable; bytes: number } | null>;
  /** Removing what is not there is no error. */
  remove(scope: { companyId: CompanyId }, key: MediaKey): Promise<void>;
};

const KEY = /^[0-9a-f-]{36}\.[a-z0-9]{1,8}$/;
const EXTENSION = /^[a-z0-9]{1,8}$/;

/** A media store in a folder, readable by its owner only. What an interrupted write left behind is removed. */
export async function openMediaFolder(folder: string, ids: IdSource): Promise<MediaStore> {
  const incoming = join(folder, "incoming");
  await rm(incoming, { recursive: true, force: true });
  await mkdir(incoming, { recursive: true, mode: 0o700 });

  const pathOf = (companyId: CompanyId, key: MediaKey): string | null =>
    KEY.test(key) ? join(folder, `company${Number(companyId)}`, key) : null;

  return {
    async put({ companyId }, content, { extension, maxBytes }) {
      if (!EXTENSION.test(extension)) throw new Error("not a file extension");
      const key = `${ids.uuid()}.${extension}`;
      const path = pathOf(companyId, key);
      if (path === null) throw new Error("the id source made a key that is none");
      const partial = join(incoming, key);
      try {
        const facts = await writeWhole(partial, content, maxBytes);
        await mkdir(join(folder, `company${Number(companyId)}`), { recursive: true, mode: 0o700 });
        await rename(partial, path);
        return { key, ...facts };
      } catch (error) {
        await rm(partial, { force: true });
        throw error;
      }
    },

    async open({ companyId }, key, range) {
      const path = pathOf(companyId, key);
      if (path === null) return null;
      const facts = await stat(path).catch(nullWhenAbsent);
      if (!facts?.isFile()) return null;
      return { stream: createReadStream(path, range), bytes: facts.size };
    },

    async remove({ companyId }, key) {
      const path = pathOf(companyId, key);
      if (path !== null) await rm(path, { force: true });
    },
  };
}

async function writeWhole(
  path: string,
  content: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash("sha256");
  const file = await open(path, "wx", 0o600);
  let bytes = 0;
  try {
    for await (const chunk of content) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) throw new MediaTooLarge(maxBytes);
      hash.update(chunk);
      await file.write(chunk);
    }
    await file.sync();
  } finally {
    await file.close();
  }
  return { bytes, sha256: hash.digest("hex") };
}

function nullWhenAbsent(error: NodeJS.ErrnoException): null {
  if (error.code === "ENOENT") return null;
  throw error;
}
