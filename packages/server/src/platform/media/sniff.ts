/** How much of a file is looked at. */
const HEAD_BYTES = 64 * 1024;

/** What the beginning of a file says it is; null when it carries no known signature. */
export type Sniffed = { mime: string; extension: string };

export async function sniff(head: Uint8Array): Promise<Sniffed | null> {
  // Loaded when the first file comes: it takes 10 MB.
  const { fileTypeFromBuffer } = await import("file-type");
  const found = await fileTypeFromBuffer(head);
  return found ? { mime: found.mime, extension: found.ext } : null;
}

/** The beginning of a stream, and the stream as if nothing had been read. */
export async function peek(
  content: AsyncIterable<Uint8Array>,
): Promise<{ head: Uint8Array; content: AsyncGenerator<Uint8Array> }> {
  const chunks = content[Symbol.asyncIterator]();
  const parts: Uint8Array[] = [];
  let bytes = 0;
  let isAtEnd = false;
  while (bytes < HEAD_BYTES && !isAtEnd) {
    const next = await chunks.next();
    if (next.done === true) {
      isAtEnd = true;
    } else {
      parts.push(next.value);
      bytes += next.value.byteLength;
    }
  }
  const head = Buffer.concat(parts);

  async function* again(): AsyncGenerator<Uint8Array> {
    try {
      if (head.byteLength > 0) yield head;
      while (!isAtEnd) {
        const next = await chunks.next();
        if (next.done === true) isAtEnd = true;
        else yield next.value;
      }
    } finally {
      await chunks.return?.();
    }
  }
  return { head, content: again() };
}
