import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { constants, zstdCompress, zstdDecompress } from "node:zlib";
import type { Entry, Headers } from "tar-stream";
import tar from "tar-stream";
import { z } from "zod";

/**
 * Archives of an installation or of one company: a tar file that is written and read as a stream, encrypted with a key as
 * `age` does it (age-encryption.org).
 *
 *     header.json                     what it is of; tables with their columns
 *     tables/<table>/<000001>.copy.zst  COPY's text format without generated columns, in parts, compressed by zstd
 *     files/<name>                    files as they are
 *     manifest.json                   rows, bytes and SHA-256 of each table, of the files, and of all that stands before
 *
 * Without its whole manifest an archive is damaged: it was cut off.
 */
const FORMAT = 1;
const PART_BYTES = 8 * 1024 * 1024;
const PART_LIMIT_BYTES = 1024 * 1024 * 1024;
const TABLE_PART = /^tables\/([a-z_0-9]{1,63})\/(\d{6,})\.copy\.zst$/;
const FILE_NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]*(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/;
const ENCRYPTED = "age-encryption.org/v1";

/** The archive is cut off, changed, of a later format, or no archive; the message says which. */
export class ArchiveDamaged extends Error {
  override name = "ArchiveDamaged";
}

/** The archive is encrypted, and the key is missing or another one. */
export class ArchiveKeyRefused extends Error {
  override name = "ArchiveKeyRefused";
}

const tableColumns = z.object({ name: z.string(), columns: z.array(z.string()).min(1) });
const facts = z.record(z.string(), z.json());

const archiveHeader = z.object({
  format: z.number().int(),
  kind: z.enum(["installation", "company"]),
  /** Version of the product that wrote it. */
  product: z.string(),
  /** Name of the newest migration of its database, such as `0058_note_authors`. */
  migration: z.string(),
  createdAt: z.iso.datetime(),
  tables: z.array(tableColumns),
  /** Whatever else the reader needs before the rows. */
  facts,
});
export type ArchiveHeader = z.infer<typeof archiveHeader>;
export type NewArchive = Omit<ArchiveHeader, "format">;

const sums = z.object({ rows: z.number(), bytes: z.number(), sha256: z.string() });

const archiveManifest = z.object({
  tables: z.record(z.string(), sums),
  files: z.object({ count: z.number(), bytes: z.number() }),
  facts,
  /** Of the names, sizes and contents of all entries before. */
  sha256: z.string(),
});
export type ArchiveManifest = z.infer<typeof archiveManifest>;

export type ArchiveWriter = {
  /** Writes a table of the header; `rows` is what `COPY … TO STDOUT` sends. */
  table(name: string, rows: AsyncIterable<Uint8Array>): Promise<{ rows: number; bytes: number }>;
  /** Writes a file that has exactly this many bytes. */
  file(name: string, file: { bytes: number; content: AsyncIterable<Uint8Array> }): Promise<void>;
};

/**
 * The bytes of an archive, written by `fill` while they are read; the facts that it answers are part of the manifest. What
 * `fill` throws is thrown to the reader of the bytes, who then keeps nothing.
 */
export async function* writeArchive(
  header: NewArchive,
  key: ArchiveKey | null,
  fill: (writer: ArchiveWriter) => Promise<ArchiveManifest["facts"]>,
): AsyncGenerator<Uint8Array> {
  yield* key === null ? packed(header, fill) : await encrypted(packed(header, fill), key);
}

async function* packed(
  header: NewArchive,
  fill: (writer: ArchiveWriter) => Promise<ArchiveManifest["facts"]>,
): AsyncGenerator<Uint8Array> {
  const pack = tar.pack();
  const filling = pour(pack, header, fill).catch((error: unknown) => {
    pack.destroy(error instanceof Error ? error : new Error(String(error)));
    throw error;
  });
  filling.catch(() => undefined);
  try {
    for await (const chunk of pack) yield chunk;
    await filling;
  } finally {
    pack.destroy();
  }
}

async function pour(
  pack: tar.Pack,
  header: NewArchive,
  fill: (writer: ArchiveWriter) => Promise<ArchiveManifest["facts"]>,
): Promise<void> {
  const whole = createHash("sha256");
  const manifest: ArchiveManifest = {
    ...{ tables: {}, files: { count: 0, bytes: 0 }, facts: {}, sha256: "" },
  };

  const add = async (name: string, content: Buffer): Promise<void> => {
    whole.update(entryLine(name, content.length)).update(content);
    await addBuffer(pack, name, content);
  };

  await add("header.json", Buffer.from(JSON.stringify({ format: FORMAT, ...header })));
  const writer: ArchiveWriter = {
    async table(name, rows) {
      if (!header.tables.some((table) => table.name === name))
        throw new Error(`the table ${name} is not in the header`);
      if (manifest.tables[name]) throw new Error(`the table ${name} is written twice`);
      const hash = createHash("sha256");
      const sum = { rows: 0, bytes: 0, sha256: "" };
      let part = 0;
      // One part is compressed and written while the next one is read.
      let writing: Promise<void> = Promise.resolve();
      for await (const content of inParts(rows)) {
        hash.update(content);
        sum.rows += countLines(content);
        sum.bytes += content.length;
        part += 1;
        const entry = `tables/${name}/${String(part).padStart(6, "0")}.copy.zst`;
        await writing;
        writing = compress(content).then((small) => add(entry, small));
        writing.catch(() => undefined);
      }
      await writing;
      manifest.tables[name] = { ...sum, sha256: hash.digest("hex") };
      return { rows: sum.rows, bytes: sum.bytes };
    },
    async file(name, { bytes, content }) {
      if (!FILE_NAME.test(name)) throw new Error("not a name of a file in an archive");
      whole.update(entryLine(`files/${name}`, bytes));
      await addStream(pack, entryHeader(`files/${name}`, bytes), content, (chunk) =>
        whole.update(chunk),
      );
      manifest.files.count += 1;
      manifest.files.bytes += bytes;
    },
  };
  manifest.facts = await fill(writer);
  manifest.sha256 = whole.digest("hex");
  await addBuffer(pack, "manifest.json", Buffer.from(JSON.stringify(manifest)));
  pack.finalize();
}

const addBuffer = (pack: tar.Pack, name: string, content: Buffer): Promise<void> =>
  new Promise((resolve, reject) => {
    pack.entry(entryHeader(name, content.length), content, (error) =>
      error ? reject(error) : resolve(),
    );
  });

async function addStream(
  pack: tar.Pack,
  header: Headers & { size: number },
  content: AsyncIterable<Uint8Array>,
  seen: (chunk: Uint8Array) => void,
): Promise<void> {
  const { promise: written, resolve, reject } = Promise.withResolvers<void>();
  written.catch(() => undefined);
  const entry = pack.entry(header, (error) => (error ? reject(error) : resolve()));
  entry.on("error", reject);
  let bytes = 0;
  for await (const chunk of content) {
    bytes += chunk.length;
    if (bytes > header.size) break;
    seen(chunk);
    if (!entry.write(chunk)) await Promise.race([drained(entry), written]);
  }
  if (bytes !== header.size) throw new Error(`${header.name} changed while it was read`);
  entry.end();
  await written;
}

const drained = (entry: NodeJS.EventEmitter): Promise<void> =>
  new Promise((resolve) => entry.once("drain", resolve));

const entryHeader = (name: string, size: number) => ({ name, size, mode: 0o600 });
const entryLine = (name: string, bytes: number): string => `${name}\0${bytes}\0`;

/** Gathers rows in parts that end with a row. */
async function* inParts(rows: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of rows) {
    const end = bytes + chunk.length < PART_BYTES ? -1 : chunk.lastIndexOf(10);
    if (end === -1) {
      parts.push(chunk);
      bytes += chunk.length;
      continue;
    }
    yield Buffer.concat([...parts, chunk.subarray(0, end + 1)]);
    const rest = chunk.subarray(end + 1);
    parts = rest.length > 0 ? [rest] : [];
    bytes = rest.length;
  }
  if (bytes > 0) yield Buffer.concat(parts);
}

function countLines(content: Buffer): number {
  let count = 0;
  for (let at = content.indexOf(10); at !== -1; at = content.indexOf(10, at + 1)) count += 1;
  return count;
}

const compress = (content: Buffer): Promise<Buffer> =>
  promisify(zstdCompress)(content, { params: { [constants.ZSTD_c_compressionLevel]: 3 } });

const decompress = (content: Buffer): Promise<Buffer> =>
  promisify(zstdDecompress)(content, { maxOutputLength: PART_LIMIT_BYTES });

export type ArchiveEntry =
  | { type: "header"; header: ArchiveHeader }
  /** The next rows of a table; all of a table come one after the other. */
  | { type: "rows"; table: string; content: Buffer }
  /** Read the content to its end before the next entry. */
  | { type: "file"; name: string; bytes: number; content: AsyncIterable<Uint8Array> }
  /** The last one: all sums have been compared. */
  | { type: "manifest"; manifest: ArchiveManifest };

/**
 * Reads an archive from its beginning. Throws ArchiveDamaged where it is not what was written, ArchiveKeyRefused without its
 * key. Only the manifest at the end proves that all is there: whatever is done with earlier entries must be undone without.
 */
export async function* readArchive(
  content: AsyncIterable<Uint8Array>,
  key: ArchiveKey | null,
): AsyncGenerator<ArchiveEntry> {
  const extract = tar.extract();
  const pouring = pourInto(extract, content, key);
  try {
    yield* entriesOf(extract, pouring);
  } catch (error) {
    if (error instanceof ArchiveDamaged || error instanceof ArchiveKeyRefused) throw error;
    throw new ArchiveDamaged("The archive is damaged, or it is none.", { cause: error });
  } finally {
    extract.destroy();
  }
}

async function* entriesOf(
  extract: tar.Extract,
  pouring: Promise<void>,
): AsyncGenerator<ArchiveEntry> {
  const whole = createHash("sha256");
  const found = new Map<string, z.infer<typeof sums> & { hash: ReturnType<typeof createHash> }>();
  const files = { count: 0, bytes: 0 };
  let header: ArchiveHeader | undefined;
  let manifest: ArchiveManifest | undefined;
  for await (const entry of extract) {
    const { name, size = 0 } = entry.header;
    if (manifest) throw new ArchiveDamaged("The archive goes on after its end.");
    if (name === "manifest.json") {
      manifest = archiveManifest.parse(JSON.parse(String(await contentOf(entry))));
      continue;
    }
    whole.update(entryLine(name, size));
    if (name === "header.json") {
      const read = await contentOf(entry);
      whole.update(read);
      header = parseHeader(String(read));
      for (const table of header.tables)
        found.set(table.name, { rows: 0, bytes: 0, sha256: "", hash: createHash("sha256") });
      yield { type: "header", header };
      continue;
    }
    if (!header) throw new ArchiveDamaged("The archive is none of Balcão.");
    const table = TABLE_PART.exec(name)?.[1];
    const sum = table === undefined ? undefined : found.get(table);
    if (table !== undefined && sum) {
      const small = await contentOf(entry);
      whole.update(small);
      const rows = await decompress(small);
      sum.hash.update(rows);
      sum.rows += countLines(rows);
      sum.bytes += rows.length;
      yield { type: "rows", table, content: rows };
      continue;
    }
    const file = name.startsWith("files/") ? name.slice("files/".length) : "";
    if (!FILE_NAME.test(file)) throw new ArchiveDamaged(`The archive has an unknown part: ${name}`);
    files.count += 1;
    files.bytes += size;
    const content = seen(entry, (chunk) => whole.update(chunk));
    yield { type: "file", name: file, bytes: size, content };
    for await (const rest of content) void rest;
  }
  await pouring;
  if (!manifest) throw new ArchiveDamaged("The archive is cut off: its end is missing.");
  const isSame =
    manifest.sha256 === whole.digest("hex") &&
    manifest.files.count === files.count &&
    manifest.files.bytes === files.bytes &&
    [...found].every(([name, sum]) => isSameSum(manifest.tables[name], sum));
  if (!isSame) throw new ArchiveDamaged("The archive was changed: its checksums are others.");
  yield { type: "manifest", manifest };
}

function isSameSum(
  written: z.infer<typeof sums> | undefined,
  { rows, bytes, hash }: { rows: number; bytes: number; hash: ReturnType<typeof createHash> },
): boolean {
  if (!written) return rows === 0;
  return written.rows === rows && written.bytes === bytes && written.sha256 === hash.digest("hex");
}

function parseHeader(text: string): ArchiveHeader {
  const { format } = z.object({ format: z.number() }).parse(JSON.parse(text));
  if (format > FORMAT)
    throw new ArchiveDamaged("The archive was written by a later version of Balcão.");
  return archiveHeader.parse(JSON.parse(text));
}

async function contentOf(entry: Entry): Promise<Buffer> {
  if ((entry.header.size ?? 0) > PART_LIMIT_BYTES)
    throw new ArchiveDamaged("The archive has a part that is too large.");
  const chunks: Uint8Array[] = [];
  for await (const chunk of entry) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function* seen(
  entry: Entry,
  see: (chunk: Uint8Array) => void,
): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of entry) {
    see(chunk);
    yield chunk;
  }
}

/** Writes the bytes into the reader of the tar; its failure becomes the reader's. */
function pourInto(
  extract: tar.Extract,
  content: AsyncIterable<Uint8Array>,
  key: ArchiveKey | null,
): Promise<void> {
  const pour = async (): Promise<void> => {
    for await (const chunk of await plain(content, key)) {
      if (extract.destroyed) return;
      if (!extract.write(chunk)) await nextWrite(extract);
    }
    extract.end();
  };
  const pouring = pour().catch((error: unknown) => {
    extract.destroy(error instanceof Error ? error : new Error(String(error)));
    throw error;
  });
  pouring.catch(() => undefined);
  return pouring;
}

const nextWrite = (extract: tar.Extract): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      extract.off("drain", done).off("close", done);
      resolve();
    };
    extract.once("drain", done).once("close", done);
  });

/** Reads an archive to its end and writes nothing; answers its header and manifest. */
export async function verifyArchive(
  content: AsyncIterable<Uint8Array>,
  key: ArchiveKey | null,
): Promise<{ header: ArchiveHeader; manifest: ArchiveManifest }> {
  let header: ArchiveHeader | undefined;
  for await (const entry of readArchive(content, key)) {
    if (entry.type === "header") ({ header } = entry);
    if (entry.type === "manifest" && header) return { header, manifest: entry.manifest };
  }
  throw new ArchiveDamaged("The archive is empty.");
}

/** A key as `age-keygen` writes it, the public half of one (encrypts only), or a passphrase. */
export type ArchiveKey =
  | { kind: "identity"; identity: string }
  | { kind: "recipient"; recipient: string }
  | { kind: "passphrase"; passphrase: string };

const PASSPHRASE_MIN = 12;

/** Reads a key file: lines that begin with # are comments. Throws a message without the key. */
export async function readKeyFile(path: string): Promise<ArchiveKey> {
  const lines = (await readFile(path, "utf8")).split("\n").map((line) => line.trim());
  const line = lines.find((one) => one !== "" && !one.startsWith("#")) ?? "";
  if (line.startsWith("AGE-SECRET-KEY-")) return { kind: "identity", identity: line };
  if (/^age1[a-z0-9]{50,}$/.test(line)) return { kind: "recipient", recipient: line };
  if (line.length >= PASSPHRASE_MIN) return { kind: "passphrase", passphrase: line };
  throw new ArchiveKeyRefused(
    `The key file ${path} has neither a key of age nor a passphrase of ${PASSPHRASE_MIN} characters.`,
  );
}

async function encrypted(
  content: AsyncIterable<Uint8Array>,
  key: ArchiveKey,
): Promise<AsyncIterable<Uint8Array>> {
  const { Encrypter, identityToRecipient } = await import("age-encryption");
  const encrypter = new Encrypter();
  if (key.kind === "passphrase") encrypter.setPassphrase(key.passphrase);
  if (key.kind === "recipient") encrypter.addRecipient(key.recipient);
  if (key.kind === "identity") encrypter.addRecipient(await identityToRecipient(key.identity));
  return encrypter.encrypt(ReadableStream.from<Uint8Array>(content));
}

/** The content, decrypted if it is encrypted. */
async function plain(
  content: AsyncIterable<Uint8Array>,
  key: ArchiveKey | null,
): Promise<AsyncIterable<Uint8Array>> {
  const chunks = content[Symbol.asyncIterator]();
  const head: Uint8Array[] = [];
  let bytes = 0;
  while (bytes < ENCRYPTED.length) {
    const next = await chunks.next();
    if (next.done) break;
    head.push(next.value);
    bytes += next.value.length;
  }
  const whole = joined(Buffer.concat(head), chunks);
  if (!Buffer.concat(head).toString("latin1").startsWith(ENCRYPTED)) return whole;
  if (key === null) throw new ArchiveKeyRefused("The archive is encrypted: it needs its key.");
  if (key.kind === "recipient")
    throw new ArchiveKeyRefused("The key file has the public half only; reading needs the other.");
  const { Decrypter } = await import("age-encryption");
  const decrypter = new Decrypter();
  if (key.kind === "passphrase") decrypter.addPassphrase(key.passphrase);
  else decrypter.addIdentity(key.identity);
  try {
    return await decrypter.decrypt(ReadableStream.from<Uint8Array>(whole));
  } catch (error) {
    throw new ArchiveKeyRefused("The archive is encrypted with another key.", { cause: error });
  }
}

async function* joined(
  head: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield head;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}
