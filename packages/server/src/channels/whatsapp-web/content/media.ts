import { limits } from "@balcao/contract";
import { DEF_MEDIA_HOST, DEFAULT_ORIGIN, getMediaKeys } from "baileys";
import { createDecipheriv, createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { MediaRef } from "../../port.ts";
import { MediaForged, MediaGone } from "../../port.ts";
import type { MediaLocator } from "./files.ts";
import { decodeLocator } from "./files.ts";

export type MediaDeps = {
  signal: AbortSignal;
  /** A further origin (`http://host:port`) that files may be fetched from. */
  extraOrigin?: string;
  /** Default: the product's limit for documents. */
  maxBytes?: number;
  /** Asks the phone to upload a file that the network no longer has; null when it cannot. Called once. */
  renew?: (locator: MediaLocator) => Promise<{ directPath: string } | null>;
};

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
/** 403: the address's signature has expired. */
const RENEWABLE = new Set([403, ...GONE]);

/**
 * The decrypted content of a file. Its MAC and both hashes are checked at its end, so it may be used only after it has
 * ended. Rejects or ends early with MediaGone.
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

/** Follows a few redirects, each to an allowed host. */
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
    const isRedirect = response.status >= 300 && response.status < 400;
    const location = isRedirect && response.headers.get("location");
    if (!location) return response;
    await response.body?.cancel();
    url = allowedUrl(location, url, extraOrigin);
  }
  throw new Error("the media host redirects again and again");
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

const NETWORKS_HOST = /^([a-z0-9-]+\.)+whatsapp\.net$/;

/**
 * The address of a file: its path on the host that its URL names, else on the network's usual host. The sender of the
 * message chose both; null when neither is on a host of the network.
 */
export function placeOf({ url, directPath }: MediaLocator, extraOrigin?: string): URL | null {
  const whole = url ? allowedUrl(url, undefined, extraOrigin) : null;
  if (!directPath) return whole;
  const base = whole?.origin ?? extraOrigin ?? `https://${DEF_MEDIA_HOST}`;
  return allowedUrl(directPath, new URL(base), extraOrigin);
}

/** An https address of the network, or one of the extra origin; null for any other. */
export function allowedUrl(text: string, base?: URL, extraOrigin?: string): URL | null {
  const url = URL.parse(text, base?.href);
  if (!url || url.username !== "" || url.password !== "") return null;
  if (extraOrigin && url.origin === URL.parse(extraOrigin)?.origin) return url;
  const isNetworks = NETWORKS_HOST.test(url.hostname) && url.port === "";
  return url.protocol === "https:" && isNetworks ? url : null;
}

type FileKeys = {
  cipherKey: Uint8Array;
  iv: Uint8Array;
  macKey: Uint8Array;
  /** Hashes of the plain and of the encrypted file; empty when the message has none. */
  fileSha256: Uint8Array;
  fileEncSha256: Uint8Array;
};

const MAC_BYTES = 10;

/**
 * Decrypts a file piece by piece. Yields the last block only after MAC and hashes are checked and else throws MediaForged,
 * so a file that ends is genuine.
 */
export async function* decrypted(
  encrypted: AsyncIterable<Uint8Array>,
  keys: FileKeys,
): AsyncGenerator<Uint8Array> {
  const decipher = createDecipheriv("aes-256-cbc", keys.cipherKey, keys.iv);
  const mac = createHmac("sha256", keys.macKey).update(keys.iv);
  const encryptedHash = createHash("sha256");
  const plainHash = createHash("sha256");
  // The last bytes are the MAC, so some bytes are always held back.
  let tail: Uint8Array = new Uint8Array();
  for await (const piece of encrypted) {
    encryptedHash.update(piece);
    const known = Buffer.concat([tail, piece]);
    const body = known.subarray(0, Math.max(0, known.length - MAC_BYTES));
    tail = known.subarray(body.length);
    mac.update(body);
    const plain = decipher.update(body);
    plainHash.update(plain);
    if (plain.length > 0) yield plain;
  }
  assertSame("MAC", mac.digest().subarray(0, MAC_BYTES), tail);
  assertHash("encrypted hash", encryptedHash.digest(), keys.fileEncSha256);
  const last = decipher.final();
  assertHash("hash", plainHash.update(last).digest(), keys.fileSha256);
  if (last.length > 0) yield last;
}

function assertHash(what: string, found: Uint8Array, said: Uint8Array): void {
  if (said.length > 0) assertSame(what, found, said);
}

function assertSame(what: string, found: Uint8Array, said: Uint8Array): void {
  if (found.length !== said.length || !timingSafeEqual(found, said)) throw new MediaForged(what);
}
