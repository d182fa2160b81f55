import { mkdtemp, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import type { CompanyId } from "@balcao/contract";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemSources } from "../sources.ts";
import { MediaTooLarge, newMediaKey, openMediaFolder } from "./media-store.ts";

const own = { companyId: 7 as CompanyId };
const other = { companyId: 8 as CompanyId };
const limit = { maxBytes: 1_000 };
const pngKey = () => newMediaKey(systemSources.ids, "png");
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "balcao-media-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const bytesOf = (text: string) => Readable.from([Buffer.from(text)]);

test("a stored file is read whole or in part, and only by its company", async () => {
  const store = await openMediaFolder(folder);
  const { key, bytes } = await store.put(own, pngKey(), bytesOf("uma imagem"), limit);
  expect(bytes).toBe(10);
  const opened = await store.open(own, key);
  expect(opened && (await buffer(opened.stream)).toString()).toBe("uma imagem");
  const part = await store.open(own, key, { start: 4, end: 9 });
  expect(part && (await buffer(part.stream)).toString()).toBe("imagem");
  expect(await store.open(other, key)).toBeNull();
  await store.remove(own, key);
  expect(await store.open(own, key)).toBeNull();
});

test("content over the limit, or broken off, leaves nothing behind", async () => {
  const store = await openMediaFolder(folder);
  const long = bytesOf("x".repeat(1_001));
  await expect(store.put(own, pngKey(), long, limit)).rejects.toThrow(MediaTooLarge);
  const broken = async function* () {
    yield Buffer.from("half");
    throw new Error("connection lost");
  };
  await expect(store.put(own, pngKey(), broken(), limit)).rejects.toThrow("connection lost");
  expect(await readdir(join(folder, "incoming"))).toEqual([]);
});

test("a key with path parts finds nothing, an extension with path parts is refused", async () => {
  const store = await openMediaFolder(folder);
  await writeFile(join(folder, "secret.txt"), "secret");
  expect(await store.open(own, "../secret.txt")).toBeNull();
  await expect(store.put(own, "../x.png", bytesOf("x"), limit)).rejects.toThrow("not a media key");
  expect(() => store.pathOf(own, "../secret.txt")).toThrow("not a media key");
  expect(() => newMediaKey(systemSources.ids, "../x")).toThrow("not a file extension");
});

test("the folder is closed to others", async () => {
  await openMediaFolder(join(folder, "media"));
  expect((await stat(join(folder, "media", "incoming"))).mode & 0o077).toBe(0);
});

test("the remains of an interrupted write are removed after a while", async () => {
  const store = await openMediaFolder(folder);
  await writeFile(join(folder, "incoming", "old"), "half");
  await writeFile(join(folder, "incoming", "new"), "half");
  const anHourAgo = new Date(Date.now() - 3_600_000);
  await utimes(join(folder, "incoming", "old"), anHourAgo, anHourAgo);
  await store.removeAbandoned(new Date(Date.now() - 60_000));
  expect(await readdir(join(folder, "incoming"))).toEqual(["new"]);
});

test("the companies with files are known, and all of one's files go at once", async () => {
  const store = await openMediaFolder(folder);
  const { key } = await store.put(own, pngKey(), bytesOf("x"), limit);
  await store.put(other, pngKey(), bytesOf("x"), limit);
  expect(new Set(await store.companies())).toEqual(new Set([7, 8]));
  await store.removeCompany(own);
  expect(await store.open(own, key)).toBeNull();
  expect(await store.companies()).toEqual([8]);
});
