import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import type { CompanyId } from "@balcao/contract";
import { expect, test } from "vitest";
import { readConfig } from "../../platform/config/config.ts";
import { newMediaKey } from "../../platform/media/media-store.ts";
import { openMediaStores } from "../../platform/media/object-storage.ts";
import { systemSources } from "../../platform/sources.ts";
import { atEndOfFile } from "../../testing/end-of-file.ts";
import { startObjectStorage } from "../../testing/object-storage.ts";
import { copyMedia, CopyDiffers } from "./move.ts";

const storage = await startObjectStorage();
const dataDir = await mkdtemp(join(tmpdir(), "balcao-move-"));
atEndOfFile(() => rm(dataDir, { recursive: true, force: true }));
const config = readConfig({ ...storage.environment, BALCAO_DATA: dataDir });
const { media: folder } = await openMediaStores({ ...config, media: null });
const { media: bucket } = await openMediaStores(config);
const scope = { companyId: 7 as CompanyId };
const limit = { maxBytes: 1_000 };

test("files go into the object storage, once, also after an interruption, and back", async () => {
  const keys = Array.from({ length: 6 }, () => newMediaKey(systemSources.ids, "txt"));
  for (const key of keys) await folder.put(scope, key, Readable.from([Buffer.from(key)]), limit);

  storage.behave(({ method, url }) =>
    method === "PUT" && url?.includes(keys.toSorted().at(-1) ?? "") ? "cut" : "serve",
  );
  await expect(copyMedia(folder, bucket)).rejects.toThrow("object storage failed");
  storage.behave(() => "serve");
  const second = await copyMedia(folder, bucket);
  expect(second.copied + second.alreadyThere).toBe(6);
  expect(second.alreadyThere).toBeGreaterThan(0);
  expect(await copyMedia(folder, bucket)).toEqual({ copied: 0, bytes: 0, alreadyThere: 6 });

  await folder.removeCompany(scope);
  expect(await copyMedia(bucket, folder)).toMatchObject({ copied: 6, bytes: 6 * 40 });
  for (const key of keys) {
    const opened = await folder.open(scope, key);
    expect(opened && (await text(opened.stream))).toBe(key);
  }
});

test("a copy that differs is refused and removed", async () => {
  const key = newMediaKey(systemSources.ids, "txt");
  await bucket.put(scope, key, Readable.from([Buffer.from("uma coisa")]), limit);
  const damaging = {
    ...folder,
    put: async (...args: Parameters<typeof folder.put>) => {
      const stored = await folder.put(...args);
      await writeFile(join(dataDir, "media", "company7", key), "uma outra");
      return stored;
    },
  };
  await expect(copyMedia(bucket, damaging)).rejects.toThrow(CopyDiffers);
  expect(await folder.open(scope, key)).toBeNull();
});
