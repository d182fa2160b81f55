import { createDecipheriv, createHash, createHmac, timingSafeEqual } from "node:crypto";
import { MediaForged } from "../../port.ts";

export type FileKeys = {
  cipherKey: Uint8Array;
  iv: Uint8Array;
  macKey: Uint8Array;
  /** What the message says of the file, and of what lies on the network; empty: nothing. */
  fileSha256: Uint8Array;
  fileEncSha256: Uint8Array;
};

const MAC_BYTES = 10;

/**
 * The plain content of an encrypted file, piece by piece. The last block is given only after MAC and hashes were found
 * right; else it throws MediaForged, so a file that ends is genuine.
 */
export async function* decrypted(
  encrypted: AsyncIterable<Uint8Array>,
  keys: FileKeys,
): AsyncGenerator<Uint8Array> {
  const decipher = createDecipheriv("aes-256-cbc", keys.cipherKey, keys.iv);
  const mac = createHmac("sha256", keys.macKey).update(keys.iv);
  const encryptedHash = createHash("sha256");
  const plainHash = createHash("sha256");
  // The last bytes are the MAC, and only the end tells which are the last.
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
