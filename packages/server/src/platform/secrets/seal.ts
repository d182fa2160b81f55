import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";

/** Encrypts what must not be readable in the database or in its backups. */
export type Seal = {
  /** `purpose` (what it is and whose) is bound to the text: it opens with the same one only. */
  close(plain: Uint8Array, purpose: string): Buffer;
  /** Throws when it was changed, closed with another key, or for another purpose. */
  open(sealed: Uint8Array, purpose: string): Buffer;
};

const CIPHER = "aes-256-gcm";
const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM with a fresh nonce each; `secret` is any text of enough entropy. */
export function createSeal(secret: string): Seal {
  const key = createHash("sha256").update(`balcao:seal:${secret}`).digest();
  return {
    close(plain, purpose) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv(CIPHER, key, nonce);
      cipher.setAAD(Buffer.from(purpose));
      const body = Buffer.concat([cipher.update(plain), cipher.final()]);
      return Buffer.concat([Buffer.from([VERSION]), nonce, cipher.getAuthTag(), body]);
    },
    open(sealed, purpose) {
      const bytes = Buffer.from(sealed);
      if (bytes[0] !== VERSION || bytes.length < 1 + NONCE_BYTES + TAG_BYTES) {
        throw new Error("what is sealed is not of this version");
      }
      const tagAt = 1 + NONCE_BYTES;
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(1, tagAt));
      decipher.setAAD(Buffer.from(purpose));
      decipher.setAuthTag(bytes.subarray(tagAt, tagAt + TAG_BYTES));
      return Buffer.concat([decipher.update(bytes.subarray(tagAt + TAG_BYTES)), decipher.final()]);
    },
  };
}
