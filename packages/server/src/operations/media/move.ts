import { createHash } from "node:crypto";
import type { CompanyId } from "@balcao/contract";
import type { MediaKey, MediaStore } from "../../platform/media/media-store.ts";

const AT_ONCE = 4;
/** Files in one place are as long as they are; the limits were kept when they were stored. */
const NO_LIMIT = { maxBytes: Number.MAX_SAFE_INTEGER };

export type Moved = { copied: number; bytes: number; alreadyThere: number };

/** A copy that differs from its file. */
export class CopyDiffers extends Error {
  override name = "CopyDiffers";
}

/**
 * Copies all files of all companies into another store and reads each copy again. Files that are there with the same length are
 * left alone, because a file is complete or absent: a run that was interrupted goes on where it was. Removes nothing.
 */
export async function copyMedia(
  from: MediaStore,
  to: MediaStore,
  onFile: (sum: Moved) => void = () => undefined,
): Promise<Moved> {
  const sum: Moved = { copied: 0, bytes: 0, alreadyThere: 0 };
  for (const companyId of await from.companies()) {
    const there = new Map<MediaKey, number>();
    for await (const { key, bytes } of to.list({ companyId })) there.set(key, bytes);
    let copying: Promise<void>[] = [];
    for await (const { key, bytes } of from.list({ companyId })) {
      if (there.get(key) === bytes) {
        sum.alreadyThere += 1;
        continue;
      }
      copying.push(
        copyFile(from, to, companyId, key).then((copied) => {
          if (copied === null) return;
          sum.copied += 1;
          sum.bytes += copied;
          onFile(sum);
        }),
      );
      if (copying.length < AT_ONCE) continue;
      await Promise.all(copying);
      copying = [];
    }
    await Promise.all(copying);
  }
  return sum;
}

/** The bytes that were copied; null when the file was deleted meanwhile. */
async function copyFile(
  from: MediaStore,
  to: MediaStore,
  companyId: CompanyId,
  key: MediaKey,
): Promise<number | null> {
  const scope = { companyId };
  const original = await from.open(scope, key);
  if (original === null) return null;
  const { bytes, sha256 } = await to.put(scope, key, original.stream, NO_LIMIT);
  const copy = await to.open(scope, key);
  const hash = createHash("sha256");
  let length = 0;
  for await (const chunk of (copy?.stream ?? []) as AsyncIterable<Uint8Array>) {
    hash.update(chunk);
    length += chunk.byteLength;
  }
  if (bytes === original.bytes && length === bytes && hash.digest("hex") === sha256) return bytes;
  await to.remove(scope, key);
  throw new CopyDiffers(`The copy of company${Number(companyId)}/${key} differs from the file.`);
}
