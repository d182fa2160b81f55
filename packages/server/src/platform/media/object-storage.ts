import { createHash, randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, readdir, rm, stat } from "node:fs/promises";
import { Agent as HttpAgent } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { S3Client } from "@aws-sdk/client-s3";
import type { CompanyId } from "@balcao/contract";
import { companyId as companyIdSchema } from "@balcao/contract";
import type { Config, S3Access, S3Place } from "../config/config.ts";
import { DomainError } from "../context.ts";
import type { MediaKey, MediaStore } from "./media-store.ts";
import { COMPANY_FOLDER, isMediaKey, MediaTooLarge, openMediaFolder } from "./media-store.ts";

/** Limits of one call to the storage. Those of an answer include its repetitions; a part of a file is tried three times. */
const CONNECT_MS = 3_000;
const ANSWER_MS = 15_000;
const PART_MS = 30_000;
/** A download from which nothing arrives for so long, while somebody wants to read it, has failed. */
const STALL_MS = 15_000;
/** An upload lasts as long as its parts. */
const NO_LIMIT = 0;
const ATTEMPTS = 3;
/** Slow browsers keep a connection busy until they have their file. */
const MOST_CONNECTIONS = 256;
/** The smallest size that the protocol allows. A file in portions has at most two of them in memory. */
const PART_BYTES = 5 * 1024 * 1024;
const PARTS_AT_ONCE = 2;
const REMOVED_AT_ONCE = 8;
/** A copy for a program that is older was left by a process that crashed. */
const COPY_MS = 3_600_000;

/** The storage refuses, or does not answer in time: answered with 503; files of customers are fetched again later. */
export class StorageUnavailable extends DomainError<"ERR_UNAVAILABLE"> {
  constructor(operation: StorageOperation, cause: unknown) {
    super("ERR_UNAVAILABLE");
    this.name = "StorageUnavailable";
    this.message = `the object storage failed: ${operation}`;
    this.cause = cause;
  }
}

export type StorageOperation = "put" | "open" | "remove" | "list" | "abandoned";

/** Told of each call to the storage, for the metrics. */
export type OnStorageCall = (operation: StorageOperation, isDone: boolean, seconds: number) => void;

/** The objects of a bucket whose names begin with one prefix; names are without it. Fails with StorageUnavailable. */
export type Bucket = {
  /**
   * Streams an object into the storage. It appears when all of it is there. Throws MediaTooLarge, or what the content throws.
   * `partBytes` limits the size: 10,000 parts are the most that the protocol allows.
   */
  put(
    name: string,
    content: AsyncIterable<Uint8Array>,
    options: { maxBytes: number; partBytes?: number },
  ): Promise<{ bytes: number; sha256: string }>;
  /** The content from `start` to `end` (inclusive), with the size of the whole; null when there is no such object. */
  open(
    name: string,
    range?: { start: number; end: number },
  ): Promise<{ stream: Readable; bytes: number } | null>;
  /** A missing object is no error. */
  remove(name: string): Promise<void>;
  /** The objects whose names begin with `start`, in order of their names, read in pages. */
  list(start: string): AsyncGenerator<{ name: string; bytes: number; changedAt: Date }>;
  /** The first parts, up to a slash, of all names. */
  folders(): Promise<string[]>;
  /** Ends uploads that began before and never ended. */
  removeAbandoned(begunBefore: Date): Promise<void>;
  /** Resolves when the storage lets us list. */
  check(): Promise<void>;
  /** The same storage under a longer prefix. */
  under(folder: string): Bucket;
  close(): void;
};

/** Opens a bucket of an S3-compatible object storage. Nothing is sent yet. */
export async function openBucket(
  place: S3Place,
  access: S3Access,
  onCall: OnStorageCall = () => undefined,
): Promise<Bucket> {
  // Loaded only where it is configured: it takes 30 MB.
  const [{ S3Client }] = await Promise.all([import("@aws-sdk/client-s3"), loadUpload()]);
  const agent = { keepAlive: true, maxSockets: MOST_CONNECTIONS };
  const client = new S3Client({
    region: access.region,
    maxAttempts: ATTEMPTS,
    // Only Amazon's own service has the newer ways.
    ...(access.endpoint === null ? {} : { endpoint: access.endpoint, forcePathStyle: true }),
    ...(access.keys === null ? {} : { credentials: access.keys }),
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      requestTimeout: PART_MS,
      throwOnRequestTimeout: true,
      httpAgent: new HttpAgent(agent),
      httpsAgent: new HttpsAgent(agent),
    },
  });
  return bucketOf(client, place, onCall);
}

const loadUpload = () => import("@aws-sdk/lib-storage");

function bucketOf(client: S3Client, place: S3Place, onCall: OnStorageCall): Bucket {
  const { bucket: Bucket, prefix } = place;
  const sdk = () => import("@aws-sdk/client-s3");
  const nameOf = (name: string) => ({ Bucket, Key: `${prefix}${name}` });

  /** Measures a call and turns its failure into StorageUnavailable. `answered` ends when the answer's head is there. */
  async function call<T>(
    operation: StorageOperation,
    answered: (options: { abortSignal: AbortSignal }) => Promise<T>,
    limitMs = ANSWER_MS,
  ): Promise<T> {
    const since = performance.now();
    const late = new AbortController();
    const timer = limitMs === NO_LIMIT ? undefined : setTimeout(() => late.abort(), limitMs);
    let isDone = false;
    try {
      const answer = await answered({ abortSignal: late.signal });
      isDone = true;
      return answer;
    } catch (error) {
      if (error instanceof ContentFailed) {
        isDone = true;
        throw error.cause;
      }
      throw new StorageUnavailable(operation, error);
    } finally {
      clearTimeout(timer);
      onCall(operation, isDone, (performance.now() - since) / 1_000);
    }
  }

  async function* pages(of: { Prefix: string; Delimiter?: string; MaxKeys?: number }) {
    const { ListObjectsV2Command } = await sdk();
    let position = {};
    for (;;) {
      const next = new ListObjectsV2Command({ Bucket, ...of, ...position });
      const page = await call("list", (options) => client.send(next, options));
      yield page;
      if (page.IsTruncated !== true || page.NextContinuationToken === undefined) return;
      position = { ContinuationToken: page.NextContinuationToken };
    }
  }

  return {
    async put(name, content, { maxBytes, partBytes = PART_BYTES }) {
      const { Upload } = await loadUpload();
      const measured = measure(content, maxBytes);
      const Body = Readable.from(measured.content, { objectMode: false });
      const upload = new Upload({
        client,
        params: { ...nameOf(name), Body },
        partSize: partBytes,
        queueSize: PARTS_AT_ONCE,
      });
      // Each part has its own time limit; the content comes as fast as its sender wants.
      const sent = () =>
        upload
          .done()
          .catch((error: unknown) => Promise.reject(measured.fault() ?? error))
          .finally(() => Body.destroy());
      await call("put", sent, NO_LIMIT);
      return measured.facts();
    },

    async open(name, range) {
      const { GetObjectCommand } = await sdk();
      const Range = range && { Range: `bytes=${range.start}-${range.end}` };
      const get = new GetObjectCommand({ ...nameOf(name), ...Range });
      const found = await call("open", (options) => orNull(client.send(get, options)));
      if (found === null) return null;
      const whole = /\/(\d+)$/.exec(found.ContentRange ?? "")?.[1];
      const bytes = whole === undefined ? (found.ContentLength ?? 0) : Number(whole);
      // In Node the body is always a stream of Node.
      const body = found.Body as Readable;
      return { stream: Readable.from(unlessItStalls(body), { objectMode: false }), bytes };
    },

    async remove(name) {
      const { DeleteObjectCommand } = await sdk();
      const gone = new DeleteObjectCommand(nameOf(name));
      await call("remove", (options) => client.send(gone, options));
    },

    async *list(start) {
      for await (const { Contents = [] } of pages({ Prefix: `${prefix}${start}` })) {
        for (const { Key = "", Size = 0, LastModified = new Date(0) } of Contents) {
          yield { name: Key.slice(prefix.length), bytes: Size, changedAt: LastModified };
        }
      }
    },

    async folders() {
      const names: string[] = [];
      for await (const { CommonPrefixes = [] } of pages({ Prefix: prefix, Delimiter: "/" })) {
        names.push(...CommonPrefixes.map(({ Prefix = "" }) => Prefix.slice(prefix.length, -1)));
      }
      return names;
    },

    async removeAbandoned(begunBefore) {
      const { AbortMultipartUploadCommand, ListMultipartUploadsCommand } = await sdk();
      let position: { KeyMarker: string; UploadIdMarker: string } | undefined;
      do {
        const next = new ListMultipartUploadsCommand({ Bucket, Prefix: prefix, ...position });
        const page = await call("abandoned", (options) => orNull(client.send(next, options)));
        for (const { Key, UploadId, Initiated } of page?.Uploads ?? []) {
          if (Key === undefined || UploadId === undefined) continue;
          if (Initiated === undefined || Initiated >= begunBefore) continue;
          const end = new AbortMultipartUploadCommand({ Bucket, Key, UploadId });
          await call("abandoned", (options) => orNull(client.send(end, options)));
        }
        const { IsTruncated, NextKeyMarker = "", NextUploadIdMarker = "" } = page ?? {};
        position =
          IsTruncated === true
            ? { KeyMarker: NextKeyMarker, UploadIdMarker: NextUploadIdMarker }
            : undefined;
      } while (position !== undefined);
    },

    async check() {
      await pages({ Prefix: prefix, MaxKeys: 1 }).next();
    },

    under: (folder) => bucketOf(client, { ...place, prefix: `${prefix}${folder}/` }, onCall),
    close: () => client.destroy(),
  };
}

/** What the content threw while it was sent: no failure of the storage. */
class ContentFailed extends Error {}

/** Counts and hashes a content while it is read. */
function measure(content: AsyncIterable<Uint8Array>, maxBytes: number) {
  const hash = createHash("sha256");
  let bytes = 0;
  let fault: ContentFailed | undefined;
  async function* counted(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of content) {
        bytes += chunk.byteLength;
        if (bytes > maxBytes) throw new MediaTooLarge(maxBytes);
        hash.update(chunk);
        yield chunk;
      }
    } catch (error) {
      fault = new ContentFailed("the content failed", { cause: error });
      throw error;
    }
  }
  return {
    content: counted(),
    fault: () => fault,
    facts: () => ({ bytes, sha256: hash.digest("hex") }),
  };
}

/** Ends with an error when nothing arrives; a reader that waits before it reads on has all the time. */
async function* unlessItStalls(body: Readable): AsyncGenerator<Uint8Array> {
  const late = () =>
    body.destroy(new StorageUnavailable("open", new Error("the content does not arrive")));
  let timer = setTimeout(late, STALL_MS);
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      clearTimeout(timer);
      yield chunk;
      timer = setTimeout(late, STALL_MS);
    }
  } catch (error) {
    throw error instanceof StorageUnavailable ? error : new StorageUnavailable("open", error);
  } finally {
    clearTimeout(timer);
  }
}

/** A storage that lists no uploads ends them by itself. */
const ABSENT = new Set(["NoSuchKey", "NotFound", "NoSuchUpload", "NotImplemented"]);

async function orNull<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof Error && ABSENT.has(error.name)) return null;
    throw error;
  }
}

/**
 * The files of companies in a bucket: `company<id>/<key>`. Programs that need a path get a copy in `copies`, a folder of this
 * machine that is gone when they have ended.
 */
export async function openMediaBucket(bucket: Bucket, copies: string): Promise<MediaStore> {
  await mkdir(copies, { recursive: true, mode: 0o700 });
  await removeOldCopies(copies);
  const folderOf = (companyId: CompanyId): string => `company${Number(companyId)}/`;
  const nameOf = (companyId: CompanyId, key: MediaKey): string => {
    if (!isMediaKey(key)) throw new Error("not a media key");
    return `${folderOf(companyId)}${key}`;
  };

  return {
    async put({ companyId }, key, content, { maxBytes }) {
      return { key, ...(await bucket.put(nameOf(companyId, key), content, { maxBytes })) };
    },

    open: async ({ companyId }, key, range) =>
      isMediaKey(key) ? bucket.open(nameOf(companyId, key), range) : null,

    async withLocalFile({ companyId }, key, work) {
      const opened = await bucket.open(nameOf(companyId, key));
      if (opened === null) throw new Error("there is no such file");
      const copy = join(copies, `${randomUUID()}-${key}`);
      try {
        await pipeline(opened.stream, createWriteStream(copy, { flags: "wx", mode: 0o600 }));
        return await work(copy);
      } finally {
        await rm(copy, { force: true });
      }
    },

    remove: async ({ companyId }, key) =>
      isMediaKey(key) ? bucket.remove(nameOf(companyId, key)) : undefined,

    async companies() {
      const numbers = (await bucket.folders()).flatMap(
        (name) => COMPANY_FOLDER.exec(name)?.[1] ?? [],
      );
      return numbers.map((number) => companyIdSchema.parse(number));
    },

    async *list({ companyId }) {
      const folder = folderOf(companyId);
      for await (const { name, bytes } of bucket.list(folder)) {
        yield { key: name.slice(folder.length), bytes };
      }
    },

    async removeCompany({ companyId }) {
      let removing: Promise<void>[] = [];
      for await (const { name } of bucket.list(folderOf(companyId))) {
        removing.push(bucket.remove(name));
        if (removing.length < REMOVED_AT_ONCE) continue;
        await Promise.all(removing);
        removing = [];
      }
      await Promise.all(removing);
    },

    removeAbandoned: (notWrittenSince) => bucket.removeAbandoned(notWrittenSince),
    check: () => bucket.check(),
  };
}

async function removeOldCopies(copies: string): Promise<void> {
  for (const name of await readdir(copies)) {
    const path = join(copies, name);
    const facts = await stat(path).catch(() => null);
    if (facts && facts.mtimeMs < Date.now() - COPY_MS) await rm(path, { force: true });
  }
}

/** The stores of an installation: files of messages and records, those of the simulated network, and archives of companies. */
export type MediaStores = {
  media: MediaStore;
  simulator: MediaStore;
  archives: MediaStore;
  close(): void;
};

/** Opens them in the data folder, or in the bucket that the configuration names. */
export async function openMediaStores(
  { dataDir, media: place, s3 }: Pick<Config, "dataDir" | "media" | "s3">,
  onCall?: OnStorageCall,
): Promise<MediaStores> {
  if (place === null) {
    const [media, simulator, archives] = await Promise.all([
      openMediaFolder(join(dataDir, "media")),
      openMediaFolder(join(dataDir, "simulator")),
      openMediaFolder(join(dataDir, "company-archives")),
    ]);
    return { media, simulator, archives, close: () => undefined };
  }
  const bucket = await openBucket(place, s3, onCall);
  const copies = join(dataDir, "copies");
  const [media, simulator, archives] = await Promise.all([
    openMediaBucket(bucket.under("media"), copies),
    openMediaBucket(bucket.under("simulator"), copies),
    openMediaBucket(bucket.under("company-archives"), copies),
  ]);
  return { media, simulator, archives, close: () => bucket.close() };
}
