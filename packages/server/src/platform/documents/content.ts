import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { DomainError } from "../context.ts";

/** Does something with a file that has this content, and removes it. */
export async function inTemporaryFile<Result>(
  content: AsyncIterable<Uint8Array>,
  use: (path: string) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), "balcao-file-"));
  try {
    const path = join(folder, "file");
    await pipeline(content, createWriteStream(path));
    return await use(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The content of a file as long as it is no larger; else throws ERR_FILE_TOO_LARGE. */
export async function* limitedContent(
  content: AsyncIterable<Uint8Array>,
  { name, maxBytes }: { name: string; maxBytes: number },
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const chunk of content) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw new DomainError("ERR_FILE_TOO_LARGE", { name, maxBytes });
    yield chunk;
  }
}
