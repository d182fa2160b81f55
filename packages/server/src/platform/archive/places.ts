import { createReadStream } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { S3Access } from "../config/config.ts";
import { parseS3Address } from "../config/config.ts";
import { openBucket } from "../media/object-storage.ts";

/** Where archives are kept: a folder of this machine, or an object storage. */
export type ArchivePlace = {
  /** As people write it; the address of an object storage has no secret. */
  address: string;
  /** Stores an archive. It gets its name when all of it is there; what the content throws is thrown, and nothing stays. */
  put(name: string, content: AsyncIterable<Uint8Array>): Promise<{ bytes: number }>;
  /** Throws when there is none with this name. */
  open(name: string): Promise<AsyncIterable<Uint8Array>>;
  list(): Promise<string[]>;
  remove(name: string): Promise<void>;
  /** Removes what an interrupted writer left an hour ago or longer. */
  sweep(): Promise<void>;
  close(): void;
};

/** Writers write more often than this. */
const ABANDONED_MS = 3_600_000;
const PARTIAL = /^\.balcao-.*\.partial$/;
/** 10,000 parts of this size are the largest archive of an object storage; two of them are in memory. */
const PART_BYTES = 64 * 1024 * 1024;
const MOST_BYTES = 10_000 * PART_BYTES;

/** Opens a place: the path of a folder, or `s3://bucket/prefix`. */
export async function openPlace(address: string, access: S3Access): Promise<ArchivePlace> {
  if (!address.startsWith("s3://")) return openFolder(resolve(address));
  const place = parseS3Address(address);
  if (place === null) throw new Error(`${address} is not s3://bucket or s3://bucket/prefix.`);
  const bucket = await openBucket(place, access);
  return {
    address,
    put: (name, content) =>
      bucket.put(name, content, { maxBytes: MOST_BYTES, partBytes: PART_BYTES }),
    async open(name) {
      const found = await bucket.open(name);
      if (found === null) throw new Error(`There is no ${address}/${name}.`);
      return found.stream as AsyncIterable<Uint8Array>;
    },
    async list() {
      const names: string[] = [];
      for await (const { name } of bucket.list("")) if (!name.includes("/")) names.push(name);
      return names;
    },
    remove: (name) => bucket.remove(name),
    sweep: () => bucket.removeAbandoned(new Date(Date.now() - ABANDONED_MS)),
    close: () => bucket.close(),
  };
}

/** Splits the address of an archive into its place and its name there. */
export function splitAddress(address: string): { place: string; name: string } {
  if (!address.startsWith("s3://"))
    return { place: dirname(resolve(address)), name: basename(address) };
  const at = address.lastIndexOf("/");
  return { place: address.slice(0, at), name: address.slice(at + 1) };
}

function openFolder(folder: string): ArchivePlace {
  return {
    address: folder,
    async put(name, content) {
      // Others of this machine neither list nor read it; a folder that was there keeps its mode.
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const partial = join(folder, `.${name}.partial`);
      const file = await open(partial, "w", 0o600);
      let bytes = 0;
      try {
        try {
          for await (const chunk of content) {
            bytes += chunk.length;
            await file.writeFile(chunk);
          }
          await file.sync();
        } finally {
          await file.close();
        }
        await rename(partial, join(folder, name));
        await syncFolder(folder);
      } catch (error) {
        await rm(partial, { force: true });
        throw error;
      }
      return { bytes };
    },
    async open(name) {
      const path = join(folder, name);
      await stat(path);
      return createReadStream(path, { highWaterMark: 1024 * 1024 });
    },
    list: () => namesIn(folder),
    remove: (name) => rm(join(folder, name), { force: true }),
    async sweep() {
      for (const name of await namesIn(folder)) {
        if (!PARTIAL.test(name)) continue;
        const path = join(folder, name);
        const facts = await stat(path).catch(() => null);
        if (facts && facts.mtimeMs < Date.now() - ABANDONED_MS) await rm(path, { force: true });
      }
    },
    close: () => undefined,
  };
}

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
