import type { WASocket } from "baileys";
import type { Address, ProfilePicture } from "../port.ts";
import { toJid } from "./content/addresses.ts";
import type { WhatsAppWebSettings } from "./settings.ts";

const MAX_BYTES = 2 * 1024 * 1024;
const HOST = /^([a-z0-9-]+\.)*whatsapp\.net$/;

/** Null when the person has none or does not show it to us. */
export async function fetchPicture(
  socket: WASocket,
  { address, signal }: { address: Address; signal: AbortSignal },
  { queryMs, mediaHost }: WhatsAppWebSettings,
): Promise<ProfilePicture | null> {
  const place = await placeOf(socket, address, queryMs);
  if (place === null) return null;
  const url = new URL(place);
  if (!isOfNetwork(url, mediaHost)) throw new Error("a picture lies outside the chat network");
  const limit = AbortSignal.any([signal, AbortSignal.timeout(queryMs)]);
  const response = await fetch(url, { redirect: "error", signal: limit });
  if (response.status === 404 || response.status === 410) return null;
  if (!response.ok || !response.body)
    throw new Error(`a picture's host answered ${response.status}`);
  const content = await readAtMost(response.body, MAX_BYTES);
  return { content, mime: response.headers.get("content-type") ?? "image/jpeg" };
}

async function placeOf(
  socket: WASocket,
  address: Address,
  queryMs: number,
): Promise<string | null> {
  try {
    return (await socket.profilePictureUrl(toJid(address), "image", queryMs)) ?? null;
  } catch (error) {
    if (isNotShown(error)) return null;
    throw error;
  }
}

/** The network's "there is none" and "not for you". */
function isNotShown(error: unknown): boolean {
  if (!(error instanceof Error) || !("data" in error)) return false;
  return error.data === 404 || error.data === 401 || error.data === 403;
}

function isOfNetwork({ protocol, hostname, host }: URL, mediaHost: string | null): boolean {
  return protocol === "https:" && (host === mediaHost || HOST.test(hostname));
}

async function readAtMost(body: AsyncIterable<Uint8Array>, limit: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.byteLength;
    if (size > limit) throw new Error("a picture is too large");
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
