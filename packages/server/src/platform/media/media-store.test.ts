import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import type { CompanyId } from "@balcao/contract";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemSources } from "../sources.ts";
import { MediaTooLarge, openMediaFolder } from "./media-store.ts";

const own = { companyId: 7 as CompanyId };
const other = { companyId: 8 as CompanyId };
const png = { extension: "png", maxBytes: 1_000 };
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "balcao-media-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const bytesOf = (text: string) => Readable.from([Buffer.from(text)]);

test("what was put comes back whole, in part, and only for its company", async () => {
  const store = await openMediaFolder(folder, systemSources.ids);
  const { key, bytes } = await store.put(own, bytesOf("uma imagem"), png);
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
  const store = await openMediaFolder(folder, systemSources.ids);
  await expect(store.put(own, bytesOf("x".repeat(1_001)), png)).rejects.toThrow(MediaTooLarge);
  const broken = async function* () {
    yield Buffer.from("half");
    throw new Error("connection lost");
  };
  await expect(store.put(own, broken(), png)).rejects.toThrow("connection lost");
  expect(await readdir(join(folder, "incoming"))).toEqual([]);
});

test("a key with path parts finds nothing, an extension with path parts is refused", async () => {
  const store = await openMediaFolder(folder, systemSources.ids);
  await writeFile(join(folder, "secret.txt"), "secret");
  expect(await store.open(own, "../secret.txt")).toBeNull();
  await expect(store.put(own, bytesOf("x"), { ...png, extension: "../x" })).rejects.toThrow(
    "not a file extension",
  );
});

test("the folder is closed to others and forgets what an interrupted write left", async () => {
  await openMediaFolder(join(folder, "media"), systemSources.ids);
  await writeFile(join(folder, "media", "incoming", "half"), "half");
  await openMediaFolder(join(folder, "media"), systemSources.ids);
  expect(await readdir(join(folder, "media", "incoming"))).toEqual([]);
  expect((await stat(join(folder, "media", "incoming"))).mode & 0o077).toBe(0);
});
