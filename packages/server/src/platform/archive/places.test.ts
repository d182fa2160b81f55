import { mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { atEndOfFile } from "../../testing/end-of-file.ts";
import { startObjectStorage } from "../../testing/object-storage.ts";
import { readConfig } from "../config/config.ts";
import { openPlace, splitAddress } from "./places.ts";

const folder = await mkdtemp(join(tmpdir(), "balcao-places-"));
atEndOfFile(() => rm(folder, { recursive: true, force: true }));
const { s3 } = readConfig((await startObjectStorage()).environment);
const NAME = "balcao-1-20261127T063000Z.tar";

async function* content(...parts: (string | Error)[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) {
    if (part instanceof Error) throw part;
    yield Buffer.from(part);
  }
}

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts).toString();
}

test.each([join(folder, "made/here"), "s3://balcao/copies"])(
  "an archive in %s is whole or absent",
  async (address) => {
    const place = await openPlace(address, s3);
    atEndOfFile(async () => place.close());
    expect(await place.list()).toEqual([]);
    await expect(place.put(NAME, content("half", new Error("cut")))).rejects.toThrow("cut");
    expect(await place.list()).toEqual([]);
    await expect(place.open(NAME)).rejects.toThrow(NAME);
    expect(await place.put(NAME, content("wh", "ole"))).toMatchObject({ bytes: 5 });
    await place.sweep();
    expect(await place.list()).toEqual([NAME]);
    expect(await textOf(await place.open(NAME))).toBe("whole");
    await place.remove(NAME);
    expect(await place.list()).toEqual([]);
  },
);

test("what an interrupted writer left an hour ago is removed from a folder, and nothing else", async () => {
  const place = await openPlace(folder, s3);
  const old = new Date(Date.now() - 3_700_000);
  for (const name of [".balcao-old.partial", ".balcao-new.partial", ".other.partial", "notes"]) {
    await writeFile(join(folder, name), "");
    if (name !== ".balcao-new.partial") await utimes(join(folder, name), old, old);
  }
  await place.sweep();
  const left = (await readdir(folder)).filter((name) => name !== "made");
  expect(left.sort()).toEqual([".balcao-new.partial", ".other.partial", "notes"]);
});

test("the address of an archive is its place and its name", () => {
  expect(splitAddress("s3://bucket/a/b.tar")).toEqual({ place: "s3://bucket/a", name: "b.tar" });
  expect(splitAddress("/mnt/copies/b.tar")).toEqual({ place: "/mnt/copies", name: "b.tar" });
});
