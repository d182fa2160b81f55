import { createHash } from "node:crypto";
import { constants, createReadStream } from "node:fs";
import { access, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import type { CompanyId } from "@balcao/contract";
import { companyId as companyIdSchema } from "@balcao/contract";
import type { IdSource } from "../sources.ts";

/** A stored file's name: `<uuid>.<extension>`, independent of the original name. */
export type MediaKey = string;

export type StoredMedia = { key: MediaKey; bytes: number; sha256: string };

/** The content was longer than allowed; nothing was stored. */
export class MediaTooLarge extends Error {
  constructor(maxBytes: number) {
    super(`the content is longer than ${maxBytes} bytes`);
    this.name = "MediaTooLarge";
  }
}

/**
 * Files of companies, in a folder or in an object storage. A file is complete or absent: it gets its name when all of it is
 * stored. A company's key finds nothing in another company.
 */
export type MediaStore = {
  /** Streams the content into the store. The key comes from `newMediaKey` and is used once. */
  put(
    scope: { companyId: CompanyId },
    key: MediaKey,
    content: AsyncIterable<Uint8Array>,
    options: { maxBytes: number },
  ): Promise<StoredMedia>;
  /** The content from `start` to `end` (bytes, inclusive), or null when there is no such file. */
  open(
    scope: { companyId: CompanyId },
    key: MediaKey,
    range?: { start: number; end: number },
  ): Promise<{ stream: Readable; bytes: number } | null>;
  /**
   * Runs a program that reads a path: the file itself, or a copy that is removed afterwards. Throws when there is no such file.
   * Do not write there.
   */
  withLocalFile<T>(
    scope: { companyId: CompanyId },
    key: MediaKey,
    work: (path: string) => Promise<T>,
  ): Promise<T>;
  /** A missing file is no error. */
  remove(scope: { companyId: CompanyId }, key: MediaKey): Promise<void>;
  /** All companies that ever had a file. */
  companies(): Promise<CompanyId[]>;
  removeCompany(scope: { companyId: CompanyId }): Promise<void>;
  /** All complete files of a company, in no order that means anything. */
  list(scope: { companyId: CompanyId }): AsyncIterable<{ key: MediaKey; bytes: number }>;
  /** Removes partial files of interrupted writes that were not written to since. */
  removeAbandoned(notWrittenSince: Date): Promise<void>;
  /** Resolves when the store can be used. */
  check(): Promise<void>;
};

const KEY = /^[0-9a-f-]{36}\.[a-z0-9]{1,8}$/;
const EXTENSION = /^[a-z0-9]{1,8}$/;
/** The name of a company's folder. */
export const COMPANY_FOLDER = /^company(\d{1,10})$/;

/** A new key. `extension` is letters and digits, from the content's sniffed type. */
export function newMediaKey(ids: IdSource, extension: string): MediaKey {
  if (!EXTENSION.test(extension)) throw new Error("not a file extension");
  return `${ids.uuid()}.${extension}`;
}

/** Whether an untrusted text can be a key. */
export function isMediaKey(text: string): text is MediaKey {
  return KEY.test(text);
}

/** Opens a media store in a folder, readable by its owner only. Any number of processes may share it. */
export async function openMediaFolder(folder: string): Promise<MediaStore> {
  const incoming = join(folder, "incoming");
  await mkdir(incoming, { recursive: true, mode: 0o700 });

  const folderOf = (companyId: CompanyId): string => join(folder, `company${Number(companyId)}`);
  const pathOf = (companyId: CompanyId, key: MediaKey): string | null =>
    isMediaKey(key) ? join(folderOf(companyId), key) : null;

  return {
    async put({ companyId }, key, content, { maxBytes }) {
      const path = pathOf(companyId, key);
      if (path === null) throw new Error("not a media key");
      const partial = join(incoming, key);
      try {
        const facts = await writeWhole(partial, content, maxBytes);
        await mkdir(folderOf(companyId), { recursive: true, mode: 0o700 });
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

    async withLocalFile({ companyId }, key, work) {
      const path = pathOf(companyId, key);
      if (path === null) throw new Error("not a media key");
      await access(path);
      return work(path);
    },

    async remove({ companyId }, key) {
      const path = pathOf(companyId, key);
      if (path !== null) await rm(path, { force: true });
    },

    async companies() {
      const names = await readdir(folder);
      const numbers = names.flatMap((name) => COMPANY_FOLDER.exec(name)?.[1] ?? []);
      return numbers.map((number) => companyIdSchema.parse(number));
    },

    async *list({ companyId }) {
      const names = await readdir(folderOf(companyId)).catch(nullWhenAbsent);
      for (const key of names ?? []) {
        const facts = await stat(join(folderOf(companyId), key)).catch(nullWhenAbsent);
        if (facts?.isFile()) yield { key, bytes: facts.size };
      }
    },

    removeCompany: ({ companyId }) =>
      rm(folderOf(companyId), { recursive: true, force: true, maxRetries: 3 }),

    async removeAbandoned(notWrittenSince) {
      for (const name of await readdir(incoming)) {
        const path = join(incoming, name);
        const facts = await stat(path).catch(nullWhenAbsent);
        if (facts && facts.mtime < notWrittenSince) await rm(path, { force: true });
      }
    },

    check: () => access(incoming, constants.W_OK),
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

/** The part of a file that is sniffed. */
const HEAD_BYTES = 64 * 1024;

export type Sniffed = { mime: string; extension: string };

/** The type of a file by its first bytes; null without a known signature. */
export async function sniff(head: Uint8Array): Promise<Sniffed | null> {
  // Loaded with the first file: it takes 10 MB.
  const { fileTypeFromBuffer } = await import("file-type");
  const found = await fileTypeFromBuffer(head);
  return found ? { mime: found.mime, extension: found.ext } : null;
}

/** Reads the beginning of a stream, and returns it with the whole stream. */
export async function peek(
  content: AsyncIterable<Uint8Array>,
): Promise<{ head: Uint8Array; content: AsyncGenerator<Uint8Array> }> {
  const chunks = content[Symbol.asyncIterator]();
  const parts: Uint8Array[] = [];
  let bytes = 0;
  let isAtEnd = false;
  while (bytes < HEAD_BYTES && !isAtEnd) {
    const next = await chunks.next();
    if (next.done === true) {
      isAtEnd = true;
    } else {
      parts.push(next.value);
      bytes += next.value.byteLength;
    }
  }
  const head = Buffer.concat(parts);

  async function* again(): AsyncGenerator<Uint8Array> {
    try {
      if (head.byteLength > 0) yield head;
      while (!isAtEnd) {
        const next = await chunks.next();
        if (next.done === true) isAtEnd = true;
        else yield next.value;
      }
    } finally {
      await chunks.return?.();
    }
  }
  return { head, content: again() };
}
