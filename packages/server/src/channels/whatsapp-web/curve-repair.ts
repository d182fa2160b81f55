import { createRequire } from "node:module";
import { Curve, WA_CERT_DETAILS, generateSignalPubKey, proto } from "baileys";

type LibsignalCurve = {
  /** The answer says it; it throws only for what has the wrong shape. */
  verifySignature(publicKey: Buffer, message: Uint8Array, signature: Uint8Array): unknown;
};

let isRepaired = false;
/** The other side of the key agreement that was computed last in this run of the event loop. */
let agreedWith: Uint8Array | null = null;

/**
 * Makes the library's signature check a check: as delivered it accepts every signature of the right length, so that
 * anybody could answer in the service's place. Also binds the service's certificate to the key it speaks with, without
 * which a copied certificate would do. Throws when a forged signature still passes. `rootKey` is the public key in which
 * certificates are trusted; the service's own without it.
 */
export function repairCurve(rootKey?: Uint8Array): void {
  if (!isRepaired) replaceChecks();
  isRepaired = true;
  if (rootKey) WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(rootKey);
  assertForgeryFails();
}

/** Whether the key (32 bytes, or 33 with its prefix) has signed the message. */
export function isSigned(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  try {
    const key = Buffer.from(generateSignalPubKey(publicKey));
    return libsignalCurve().verifySignature(key, message, signature) === true;
  } catch {
    return false;
  }
}

function replaceChecks(): void {
  const { sharedKey } = Curve;
  Curve.sharedKey = (privateKey, publicKey) => {
    agreedWith = publicKey;
    // The handshake checks the certificate before anything else can run.
    queueMicrotask(() => {
      agreedWith = null;
    });
    return sharedKey(privateKey, publicKey);
  };
  Curve.verify = (publicKey, message, signature) => {
    const speaker = agreedWith;
    agreedWith = null;
    if (speaker && !isCertificateOf(speaker, message)) return false;
    return isSigned(publicKey, message, signature);
  };
}

/** Right after the agreement with the service's static key, its own certificate is checked first. */
function isCertificateOf(speaker: Uint8Array, details: Uint8Array): boolean {
  const { key } = proto.CertChain.NoiseCertificate.Details.decode(details);
  return key !== null && key !== undefined && Buffer.from(key).equals(Buffer.from(speaker));
}

function assertForgeryFails(): void {
  const [signer, other] = [Curve.generateKeyPair(), Curve.generateKeyPair()];
  const message = Buffer.from("balcao");
  const signature = Curve.sign(signer.private, message);
  const forged = Buffer.from(signature);
  forged[0] = (forged[0] ?? 0) ^ 1;
  const passes = [
    Curve.verify(signer.public, message, forged),
    Curve.verify(other.public, message, signature),
    Curve.verify(signer.public, Buffer.from("balcão"), signature),
    Curve.verify(signer.public, message, Buffer.alloc(64)),
  ];
  if (passes.includes(true) || !Curve.verify(signer.public, message, signature)) {
    throw new Error("signatures of the chat service cannot be checked: the adapter does not start");
  }
}

let loaded: LibsignalCurve | undefined;

/** The very copy that the library uses. */
function libsignalCurve(): LibsignalCurve {
  if (!loaded) {
    const library = createRequire(import.meta.url).resolve("baileys");
    // Typed nowhere.
    loaded = createRequire(library)("libsignal/src/curve.js") as LibsignalCurve;
  }
  return loaded;
}
