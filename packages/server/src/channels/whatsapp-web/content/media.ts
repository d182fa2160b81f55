import { DEFAULT_ORIGIN, getMediaKeys } from "baileys";
import { limits } from "@balcao/contract";
import type { MediaRef } from "../../port.ts";
import { MediaGone } from "../../port.ts";
import { decrypted } from "./decryption.ts";
import type { MediaLocator } from "./locator.ts";
import { decodeLocator } from "./locator.ts";
import { allowedUrl, placeOf } from "./media-hosts.ts";

export type MediaDeps = {
  signal: AbortSignal;
  /** An origin (`http://host:port`) that is fetched from as well as from the network's hosts; none by default. */
  extraOrigin?: string;
  /** Largest file that is fetched; default: the product's limit for documents. */
  maxBytes?: number;
  /**
   * Asks the phone to upload the file again and answers where it lies then; null when it cannot. Asked once, after the
   * network no longer has it.
   */
  renew?: (locator: MediaLocator) => Promise<{ directPath: string } | null>;
};

/** Nobody stores a file of this size. */
export class MediaTooBig extends MediaGone {
  constructor() {
    super();
    this.message = "the file is larger than what is stored";
    this.name = "MediaTooBig";
  }
}

/** MAC and padding. */
const OVERHEAD_BYTES = 26;
const REDIRECTS = 3;
const GONE = new Set([404, 410]);
/** Also 403: the address is no longer signed. */
const RENEWABLE = new Set([403, ...GONE]);

/**
 * A file of the network as it was before encryption. Its MAC and both hashes are checked at its end, so nothing may be
 * used before it ended. Rejects with MediaGone, or breaks off with it.
 */
export async function openMedia(
  file: MediaRef,
  deps: MediaDeps,
): Promise<AsyncIterable<Uint8Array>> {
  const locator = decodeLocator(file.locator);
  if (!locator || locator.mediaKey === "") throw new MediaGone();
  const { maxBytes = limits.documentMaxBytes } = deps;
  const response = await fetchOrRenew(locator, deps);
  if (Number(response.headers.get("content-length")) > maxBytes + OVERHEAD_BYTES) {
    await response.body?.cancel();
    throw new MediaTooBig();
  }
  const { cipherKey, iv, macKey } = await getMediaKeys(bytes(locator.mediaKey), locator.type);
  if (!response.body || !macKey) throw new Error("the media host answered nothing");
  return decrypted(upTo(maxBytes + OVERHEAD_BYTES, response.body), {
    cipherKey,
    iv,
    macKey,
    fileSha256: bytes(locator.fileSha256),
    fileEncSha256: bytes(locator.fileEncSha256),
  });
}

async function fetchOrRenew(locator: MediaLocator, deps: MediaDeps): Promise<Response> {
  const response = await fetchFrom(locator, deps);
  if (response.ok) return response;
  await response.body?.cancel();
  const { status } = response;
  const renewed = RENEWABLE.has(status) ? await deps.renew?.(locator) : undefined;
  if (renewed) {
    const again = await fetchFrom({ ...locator, directPath: renewed.directPath }, deps);
    if (again.ok) return again;
    await again.body?.cancel();
  }
  if (GONE.has(status)) throw new MediaGone();
  throw new Error(`the media host answered ${status}`);
}

/** Follows a few redirects, each to an allowed host. An address that is not allowed will never be. */
async function fetchFrom(
  locator: MediaLocator,
  { extraOrigin, signal }: MediaDeps,
): Promise<Response> {
  let url = placeOf(locator, extraOrigin);
  for (let redirects = 0; redirects <= REDIRECTS; redirects += 1) {
    if (!url) throw new MediaGone();
    const response = await fetch(url, {
      headers: { origin: DEFAULT_ORIGIN },
      redirect: "manual",
      signal,
    });
    const location = response.status >= 300 && response.status < 400 && headerOf(response);
    if (!location) return response;
    await response.body?.cancel();
    url = allowedUrl(location, url, extraOrigin);
  }
  throw new Error("the media host redirects again and again");
}

function headerOf(response: Response): string | null {
  return response.headers.get("location");
}

async function* upTo(
  maxBytes: number,
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let seen = 0;
  for await (const piece of content) {
    seen += piece.length;
    if (seen > maxBytes) throw new MediaTooBig();
    yield piece;
  }
}

function bytes(base64 = ""): Buffer {
  return Buffer.from(base64, "base64");
}
