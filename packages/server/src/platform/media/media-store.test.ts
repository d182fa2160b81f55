import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import type { CompanyId } from "@balcao/contract";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { TestObjectStorage } from "../../testing/object-storage.ts";
import { startObjectStorage } from "../../testing/object-storage.ts";
import { readConfig } from "../config/config.ts";
import { systemSources } from "../sources.ts";
import type { MediaStore } from "./media-store.ts";
import { MediaTooLarge, newMediaKey, openMediaFolder } from "./media-store.ts";
import type { Bucket } from "./object-storage.ts";
import { openBucket, openMediaBucket, StorageUnavailable } from "./object-storage.ts";

const own = { companyId: 7 as CompanyId };
const other = { companyId: 8 as CompanyId };
const limit = { maxBytes: 1_000 };
const pngKey = () => newMediaKey(systemSources.ids, "png");
const bytesOf = (text: string) => Readable.from([Buffer.from(text)]);
const listed = async (store: MediaStore, scope: typeof own) => {
  const found: { key: string; bytes: number }[] = [];
  for await (const file of store.list(scope)) found.push(file);
  return found;
};

const storage: TestObjectStorage = await startObjectStorage();
const calls: [string, boolean][] = [];
let folder: string;
let bucket: Bucket;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "balcao-media-"));
  const { media, s3 } = readConfig(storage.environment);
  const own = { bucket: media?.bucket ?? "", prefix: `${systemSources.ids.uuid()}/` };
  bucket = await openBucket(own, s3, (operation, isDone) => calls.push([operation, isDone]));
});
afterEach(async () => {
  storage.behave(() => "serve");
  bucket.close();
  await rm(folder, { recursive: true, force: true });
});

const stores = {
  "a folder": () => openMediaFolder(folder),
  "an object storage": () => openMediaBucket(bucket, join(folder, "copies")),
};

describe.each(Object.entries(stores))("in %s", (_name, open) => {
  let store: MediaStore;
  beforeEach(async () => {
    store = await open();
  });

  test("a stored file is read whole or in part, and only by its company", async () => {
    const { key, bytes, sha256 } = await store.put(own, pngKey(), bytesOf("uma imagem"), limit);
    expect([bytes, sha256.slice(0, 8)]).toEqual([10, "7748791b"]);
    const opened = await store.open(own, key);
    expect(opened && (await buffer(opened.stream)).toString()).toBe("uma imagem");
    const part = await store.open(own, key, { start: 4, end: 9 });
    expect(part && [(await buffer(part.stream)).toString(), part.bytes]).toEqual(["imagem", 10]);
    expect(await store.open(other, key)).toBeNull();
    await store.remove(own, key);
    await store.remove(own, key);
    expect(await store.open(own, key)).toBeNull();
    await store.check();
  });

  test("content over the limit, or broken off, leaves nothing behind", async () => {
    const long = bytesOf("x".repeat(1_001));
    await expect(store.put(own, pngKey(), long, limit)).rejects.toThrow(MediaTooLarge);
    const broken = async function* () {
      yield Buffer.from("half");
      throw new Error("connection lost");
    };
    await expect(store.put(own, pngKey(), broken(), limit)).rejects.toThrow("connection lost");
    expect(await listed(store, own)).toEqual([]);
  });

  test("an empty file is a file", async () => {
    const { key } = await store.put(own, pngKey(), Readable.from([]), limit);
    const opened = await store.open(own, key);
    expect(opened && (await buffer(opened.stream)).byteLength).toBe(0);
    expect(await listed(store, own)).toEqual([{ key, bytes: 0 }]);
  });

  test("a program reads the file by a path while it runs", async () => {
    const { key } = await store.put(own, pngKey(), bytesOf("uma imagem"), limit);
    const text = await store.withLocalFile(own, key, (path) => readFile(path, "utf8"));
    expect(text).toBe("uma imagem");
    await expect(store.withLocalFile(other, key, async () => 0)).rejects.toThrow();
    const failing = store.withLocalFile(own, key, () => Promise.reject(new Error("damaged")));
    await expect(failing).rejects.toThrow("damaged");
    expect(await readdir(join(folder, "copies")).catch(() => [])).toEqual([]);
  });

  test("a key with path parts finds nothing, an extension with path parts is refused", async () => {
    await writeFile(join(folder, "secret.txt"), "secret");
    expect(await store.open(own, "../secret.txt")).toBeNull();
    const put = store.put(own, "../x.png", bytesOf("x"), limit);
    await expect(put).rejects.toThrow("not a media key");
    const reading = store.withLocalFile(own, "../secret.txt", (path) => readFile(path));
    await expect(reading).rejects.toThrow("not a media key");
    expect(() => newMediaKey(systemSources.ids, "../x")).toThrow("not a file extension");
  });

  test("the companies with files are known, and all of one's files go at once", async () => {
    const keys = Array.from({ length: 10 }, pngKey);
    for (const key of keys) await store.put(own, key, bytesOf("x"), limit);
    await store.put(other, pngKey(), bytesOf("x"), limit);
    expect(new Set((await listed(store, own)).map(({ key }) => key))).toEqual(new Set(keys));
    expect(new Set(await store.companies())).toEqual(new Set([7, 8]));
    await store.removeCompany(own);
    expect(await listed(store, own)).toEqual([]);
    expect(await store.companies()).toEqual([8]);
  });
});

describe("a folder", () => {
  test("is closed to others", async () => {
    await openMediaFolder(join(folder, "media"));
    expect((await stat(join(folder, "media", "incoming"))).mode & 0o077).toBe(0);
  });

  test("loses the remains of an interrupted write after a while", async () => {
    const store = await openMediaFolder(folder);
    await writeFile(join(folder, "incoming", "old"), "half");
    await writeFile(join(folder, "incoming", "new"), "half");
    const anHourAgo = new Date(Date.now() - 3_600_000);
    await utimes(join(folder, "incoming", "old"), anHourAgo, anHourAgo);
    await store.removeAbandoned(new Date(Date.now() - 60_000));
    expect(await readdir(join(folder, "incoming"))).toEqual(["new"]);
  });
});

describe("an object storage", () => {
  const large = { maxBytes: 20_000_000 };
  const megabytes = async function* (count: number, failsAfter = count) {
    const chunk = Buffer.alloc(1_048_576, "a");
    for (let sent = 0; sent < count; sent += 1) {
      if (sent === failsAfter) throw new Error("connection lost");
      yield chunk;
    }
  };
  const open = () => openMediaBucket(bucket, join(folder, "copies"));

  test("takes large files in parts, which go when the content breaks off", async () => {
    const store = await open();
    const { key, bytes } = await store.put(own, pngKey(), megabytes(11), large);
    expect(bytes).toBe(11 * 1_048_576);
    const tail = await store.open(own, key, { start: 11 * 1_048_576 - 3, end: bytes - 1 });
    expect(tail && (await buffer(tail.stream)).toString()).toBe("aaa");
    expect(storage.requests.filter((line) => line.includes("partNumber"))).toHaveLength(3);
    const broken = store.put(own, pngKey(), megabytes(11, 9), large);
    await expect(broken).rejects.toThrow("connection lost");
    expect(storage.openUploads()).toEqual([]);
    expect(await listed(store, own)).toEqual([{ key, bytes }]);
  });

  test("loses the parts that a crash left behind", async () => {
    const store = await open();
    storage.behave(({ method }) => (method === "DELETE" ? "cut" : "serve"));
    await expect(store.put(own, pngKey(), megabytes(11, 9), large)).rejects.toThrow("lost");
    storage.behave(() => "serve");
    expect(storage.openUploads()).toHaveLength(1);
    await store.removeAbandoned(new Date(Date.now() - 60_000));
    expect(storage.openUploads()).toHaveLength(1);
    await store.removeAbandoned(new Date(Date.now() + 60_000));
    expect(storage.openUploads()).toEqual([]);
  });

  test("is asked again after an error, and is unavailable when it stays", async () => {
    const store = await open();
    let fails = 1;
    storage.behave(() => (fails-- > 0 ? "fail" : "serve"));
    const { key } = await store.put(own, pngKey(), bytesOf("x"), limit);
    calls.splice(0);
    storage.behave(() => "cut");
    await expect(store.open(own, key)).rejects.toMatchObject({ code: "ERR_UNAVAILABLE" });
    await expect(store.put(own, pngKey(), bytesOf("x"), limit)).rejects.toThrow(StorageUnavailable);
    await expect(store.check()).rejects.toThrow(StorageUnavailable);
    const failed = ["open", "put", "list"].map((operation) => [operation, false]);
    expect(calls).toEqual(failed);
  });

  test("with other keys, or another bucket, is unavailable, and no file is missing", async () => {
    const { s3 } = readConfig(storage.environment);
    const keys = { accessKeyId: "S3RVER", secretAccessKey: "wrong" };
    const closed = await openBucket({ bucket: "balcao", prefix: "" }, { ...s3, keys });
    await expect(closed.open("a")).rejects.toThrow(StorageUnavailable);
    const none = await openBucket({ bucket: "nobodys", prefix: "" }, s3);
    await expect(none.open("a")).rejects.toThrow(StorageUnavailable);
    closed.close();
    none.close();
  });

  test("gets rid of copies that a crash left behind", async () => {
    await open();
    const [old, young] = [join(folder, "copies", "old"), join(folder, "copies", "young")];
    for (const path of [old, young]) await writeFile(path, "x");
    const hoursAgo = new Date(Date.now() - 2 * 3_600_000);
    await utimes(old, hoursAgo, hoursAgo);
    await open();
    expect(await readdir(join(folder, "copies"))).toEqual(["young"]);
  });
});
