import { createHash, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { limits } from "@balcao/contract";
import type { MediaRef } from "../port.ts";
import { MediaForged, MediaGone } from "../port.ts";
import type { Graph, GraphAccess } from "./graph.ts";
import { GraphError } from "./graph.ts";
import { readLocator } from "./locator.ts";

const mediaInfo = z.looseObject({
  url: z.url(),
  sha256: z.string().optional(),
  file_size: z.coerce.number().int().nonnegative().optional(),
});

/** Hosts of Meta's that hold media; the bearer goes to no others but the configured one. */
const META_HOSTS = [".fbsbx.com", ".facebook.com", ".fbcdn.net", ".whatsapp.net"];

/** A file's address leads to somebody else: it is not fetched. */
class ForeignMediaHost extends Error {
  constructor(host: string) {
    super(`media at ${host} is not fetched`);
    this.name = "ForeignMediaHost";
  }
}

/**
 * A file as Meta has it, its size and hash checked at its end. Rejects with MediaGone when Meta has it no more or names a
 * foreign address; what is read is rejected when it is longer than said, or other than said.
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

/** Only the configured service itself may be plain HTTP. */
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
