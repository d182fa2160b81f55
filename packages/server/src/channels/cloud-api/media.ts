import { limits } from "@balcao/contract";
import { createHash, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import type { MediaRef } from "../port.ts";
import { MediaForged, MediaGone } from "../port.ts";
import type { Graph, GraphAccess } from "./graph.ts";
import { GraphError } from "./graph.ts";

const mediaInfo = z.looseObject({
  url: z.url(),
  sha256: z.string().optional(),
  file_size: z.coerce.number().int().nonnegative().optional(),
});

/** Meta's media hosts; the bearer token is sent only to them and to the configured host. */
const META_HOSTS = [".fbsbx.com", ".facebook.com", ".fbcdn.net", ".whatsapp.net"];

/** A file's address is not one of Meta's: it is not fetched. */
class ForeignMediaHost extends Error {
  constructor(host: string) {
    super(`media at ${host} is not fetched`);
    this.name = "ForeignMediaHost";
  }
}

/**
 * A file of Meta's, with its size and hash checked at its end. Rejects with MediaGone when Meta no longer has it or
 * names a foreign address; reading it throws when its length or hash differs.
 */
export async function openMedia(
  graph: Graph,
  access: GraphAccess,
  file: MediaRef,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array>> {
  const located = readLocator(file.locator);
  const info = await describe(graph, access, located.id, signal);
  const url = new URL(info.url);
  if (!isTrusted(url, graph.settings.baseUrl)) throw gone(new ForeignMediaHost(url.hostname));
  const bytes = info.file_size ?? null;
  if (bytes !== null && bytes > limits.documentMaxBytes) throw gone(new Error("too large"));
  const reply = await fetch(url, {
    headers: { authorization: `Bearer ${access.accessToken}` },
    redirect: "error",
    signal,
  });
  if (reply.status === 404 || reply.status === 410) {
    await reply.body?.cancel();
    throw new MediaGone();
  }
  if (!reply.ok || !reply.body) {
    await reply.body?.cancel();
    throw new Error(`the file's host answered ${reply.status}`);
  }
  return checked(reply.body, { bytes, sha256: info.sha256 ?? located.sha256 ?? null });
}

async function describe(graph: Graph, access: GraphAccess, id: string, signal: AbortSignal) {
  try {
    const path = encodeURIComponent(id);
    return mediaInfo.parse(await graph.call(access, { method: "GET", path, signal }));
  } catch (error) {
    const isGone =
      error instanceof GraphError &&
      error.isCertain &&
      (error.failure.kind === "bad-request" || error.failure.kind === "media-missing");
    throw isGone ? gone(error) : error;
  }
}

function gone(cause: unknown): MediaGone {
  const error = new MediaGone();
  error.cause = cause;
  return error;
}

/** Only the configured service may use plain HTTP. */
export function isTrusted(url: URL, baseUrl: string): boolean {
  if (url.origin === new URL(baseUrl).origin) return true;
  if (url.protocol !== "https:" || url.port !== "") return false;
  return META_HOSTS.some((host) => url.hostname.endsWith(host));
}

async function* checked(
  content: AsyncIterable<Uint8Array>,
  { bytes, sha256 }: { bytes: number | null; sha256: string | null },
): AsyncGenerator<Uint8Array> {
  const hash = createHash("sha256");
  const limit = bytes ?? limits.documentMaxBytes;
  let read = 0;
  for await (const piece of content) {
    read += piece.byteLength;
    if (read > limit) throw new MediaForged("length");
    hash.update(piece);
    yield piece;
  }
  if (bytes !== null && read !== bytes) throw new MediaForged("length");
  const found = hash.digest();
  if (sha256 !== null && !matches(found, sha256)) throw new MediaForged("hash");
}

/** Meta writes a hash in hex in one place and in base64 in another. */
function matches(found: Buffer, given: string): boolean {
  const isHex = /^[0-9a-f]{64}$/i.test(given);
  const wanted = Buffer.from(given, isHex ? "hex" : "base64");
  return wanted.byteLength === found.byteLength && timingSafeEqual(wanted, found);
}

const locator = z.object({ id: z.string(), sha256: z.string().optional() });

/** The location of a file at Meta and its expected hash; only this adapter reads it. */
type Locator = { id: string; sha256: string | undefined };

export function locatorOf({ id, sha256 }: Locator): string {
  return JSON.stringify({ id, ...(sha256 === undefined ? {} : { sha256 }) });
}

/** Throws for a text that this adapter has not written. */
function readLocator(text: string): Locator {
  const { id, sha256 } = locator.parse(JSON.parse(text));
  return { id, sha256 };
}
