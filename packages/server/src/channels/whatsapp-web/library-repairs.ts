import { Curve, generateSignalPubKey, proto, WA_CERT_DETAILS } from "baileys";
import { SessionBuilder, SessionCipher } from "libsignal";
import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
import { createRequire } from "node:module";

let isRepaired = false;

/**
 * Repairs Baileys and libsignal, once for the process. Throws when a forged signature still passes. `rootKey` (hex) is
 * the public key in which the service's certificates are trusted; null: the service's own.
 */
export function repairLibrary(rootKey: string | null): void {
  if (!isRepaired) {
    silenceLibsignal();
    keepCallersContext();
    tryOnCopies();
    checkSignatures();
  }
  isRepaired = true;
  if (rootKey !== null) WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(rootKey, "hex");
  assertForgeryFails();
}

// The check of signatures

type LibsignalCurve = {
  /** Throws only for arguments of the wrong shape. */
  verifySignature(publicKey: Buffer, message: Uint8Array, signature: Uint8Array): unknown;
};

/** The copy that Baileys uses; it has no types. */
const libsignalCurve = createRequire(createRequire(import.meta.url).resolve("baileys"))(
  "libsignal/src/curve.js",
) as LibsignalCurve;

/** The public key of the last key agreement in this run of the event loop. */
let agreedWith: Uint8Array | null = null;

/** Whether the key (32 bytes, or 33 with its prefix) has signed the message. */
export function isSigned(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  try {
    const key = Buffer.from(generateSignalPubKey(publicKey));
    return libsignalCurve.verifySignature(key, message, signature) === true;
  } catch {
    return false;
  }
}

/**
 * As delivered, the library accepts every signature of the right length, so any server could pose as the service. Also
 * binds the service's certificate to the key of the handshake, so that a copied certificate is refused.
 */
function checkSignatures(): void {
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
    const peer = agreedWith;
    agreedWith = null;
    if (peer && !isCertificateOf(peer, message)) return false;
    return isSigned(publicKey, message, signature);
  };
}

/** The first check after the agreement with the service's static key is that of its certificate. */
function isCertificateOf(peer: Uint8Array, details: Uint8Array): boolean {
  const { key } = proto.CertChain.NoiseCertificate.Details.decode(details);
  return key !== null && key !== undefined && Buffer.from(key).equals(Buffer.from(peer));
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

// libsignal's queue

type Storage = Record<string, unknown>;
/** Missing in the library's own types. */
type BuilderPrototype = {
  initOutgoing(this: { storage: Storage }, device: unknown): Promise<void>;
};
type CipherPrototype = {
  queueJob(job: () => Promise<unknown>): Promise<unknown>;
  doDecryptWhisperMessage(message: Buffer, session: Session | undefined): Promise<Buffer>;
};

/** Set while the caller holds the lock of the person's state, so that libsignal's own queue is not needed. */
export const isOneAtATime = new AsyncLocalStorage<true>();

/**
 * libsignal has one queue per remote address for the whole process, and runs queued work in the asynchronous context of
 * the first caller. That context is the key store's transaction: other callers' writes go to a transaction that is
 * already committed, and are lost with the decrypted message. Here each job keeps the context of its caller. Under
 * `isOneAtATime` nothing is queued, so a person who writes to two connections does not make them wait for each other.
 */
function keepCallersContext(): void {
  const cipher = SessionCipher.prototype as unknown as CipherPrototype;
  const { queueJob } = cipher;
  cipher.queueJob = function (job) {
    return isOneAtATime.getStore() ? job() : queueJob.call(this, AsyncResource.bind(job));
  };
  const builder: BuilderPrototype = SessionBuilder.prototype;
  const { initOutgoing } = builder;
  // It queues its own function, which we cannot wrap: only the storage that it calls can be bound to the context.
  builder.initOutgoing = function (device) {
    const bound = Object.create(this, {
      storage: { value: inContext(this.storage) },
    }) as { storage: Storage };
    return initOutgoing.call(bound, device);
  };
}

function inContext(storage: Storage): Storage {
  const run = AsyncLocalStorage.snapshot();
  return Object.fromEntries(
    Object.entries(storage).map(([name, member]) => [
      name,
      typeof member === "function"
        ? (...given: unknown[]) => run(() => member.apply(storage, given) as unknown)
        : member,
    ]),
  );
}

// libsignal's sessions

/** Missing in the library's own types. */
type Session = { pendingPreKey?: unknown; serialize(): object };
type SessionClass = { deserialize(stored: object): Session };

/**
 * Two people may have several sessions, for instance after both have started one, and libsignal tries a message with
 * each. It advances the ratchet before it knows that the message belongs to that session, and stores the advance with
 * the session that fits: the other one can never read a later message. Here each attempt uses a copy, which is kept
 * only if it could read the message.
 */
function tryOnCopies(): void {
  const cipher = SessionCipher.prototype as unknown as CipherPrototype;
  const { doDecryptWhisperMessage } = cipher;
  cipher.doDecryptWhisperMessage = async function (message, session) {
    if (!session) return doDecryptWhisperMessage.call(this, message, session);
    // The library does not export the class.
    const { deserialize } = session.constructor as unknown as SessionClass;
    const copy = deserialize.call(session.constructor, session.serialize());
    const plaintext = await doDecryptWhisperMessage.call(this, message, copy);
    Object.assign(session, copy);
    // The other side has answered, so it has the session.
    if (!("pendingPreKey" in copy)) delete session.pendingPreKey;
    return plaintext;
  };
}

// libsignal's prints

const CONSOLE_METHODS = ["log", "info", "warn", "error", "debug", "trace"] as const;
const LIBSIGNAL = /[\\/]node_modules[\\/]libsignal[\\/]/;

/** libsignal prints whole sessions with their private keys: none of its output reaches the console. */
function silenceLibsignal(): void {
  for (const method of CONSOLE_METHODS) {
    const original = globalThis.console[method].bind(globalThis.console);
    globalThis.console[method] = (...given: unknown[]) => {
      if (!isCalledByLibsignal()) original(...given);
    };
  }
}

function isCalledByLibsignal(): boolean {
  const lines = new Error().stack?.split("\n") ?? [];
  // The error's own line, this function, the replaced method, its caller.
  return LIBSIGNAL.test(lines[3] ?? "");
}
