import {
  addTransactionCapability,
  Curve,
  DEFAULT_CONNECTION_CONFIG,
  encodeWAMessage,
  generateSignalPubKey,
  initAuthCreds,
  proto,
  unpadRandomMax16,
} from "baileys";
import { pino } from "pino";
import { isOneAtATime, repairLibrary } from "../library-repairs.ts";
import { KeyedLocks } from "../signal-repository.ts";
import { createMemoryKeys } from "./memory-keys.ts";

/** The keys with which others start a session with a device. */
export type KeyBundle = {
  registrationId: number;
  /** 32 bytes. */
  identity: Uint8Array;
  signedPreKey: { id: number; key: Uint8Array; signature: Uint8Array };
  preKey?: { id: number; key: Uint8Array };
};

export type Ciphertext = { type: "pkmsg" | "msg"; ciphertext: Uint8Array };

/** A phone or a linked device with keys and sessions of its own; whom it speaks to is a jid. */
export type SignalDevice = ReturnType<typeof createSignalDevice>;

const quiet = pino({ level: "silent" });

export function createSignalDevice() {
  const creds = initAuthCreds();
  const keys = addTransactionCapability(createMemoryKeys(), quiet, {
    maxCommitRetries: 1,
    delayBetweenTriesMs: 1,
  });
  const repository = DEFAULT_CONNECTION_CONFIG.makeSignalRepository({ creds, keys }, quiet);
  let nextPreKeyId = 1;
  // All phones are in one process here: the library's common queue would mix up their work.
  repairLibrary(null);
  const locks = new KeyedLocks();
  const alone = <T>(work: () => Promise<T>): Promise<T> =>
    locks.run("", () => isOneAtATime.run(true, work));

  async function forgetSession(jid: string): Promise<void> {
    await repository.deleteSession([jid]);
  }

  return {
    identity: creds.signedIdentityKey,
    /** With a pre-key that is used once. */
    bundle: async (): Promise<KeyBundle> => {
      const pair = Curve.generateKeyPair();
      const id = nextPreKeyId++;
      await keys.set({ "pre-key": { [String(id)]: pair } });
      const { keyId, keyPair, signature } = creds.signedPreKey;
      return {
        registrationId: creds.registrationId,
        identity: creds.signedIdentityKey.public,
        signedPreKey: { id: keyId, key: keyPair.public, signature },
        preKey: { id, key: pair.public },
      };
    },
    hasSession: async (jid: string): Promise<boolean> =>
      (await repository.validateSession(jid)).exists,
    forgetSession,
    /** A new session in the place of the one that may be there. */
    startSession: async (jid: string, bundle: KeyBundle): Promise<void> => {
      await forgetSession(jid);
      await repository.injectE2ESession({
        jid,
        session: {
          registrationId: bundle.registrationId,
          identityKey: generateSignalPubKey(bundle.identity),
          signedPreKey: {
            keyId: bundle.signedPreKey.id,
            publicKey: generateSignalPubKey(bundle.signedPreKey.key),
            signature: bundle.signedPreKey.signature,
          },
          ...(bundle.preKey && {
            preKey: {
              keyId: bundle.preKey.id,
              publicKey: generateSignalPubKey(bundle.preKey.key),
            },
          }),
        },
      });
    },
    encrypt: (jid: string, message: proto.IMessage): Promise<Ciphertext> =>
      alone(() => repository.encryptMessage({ jid, data: encodeWAMessage(message) })),
    decrypt: async (
      jid: string,
      type: "pkmsg" | "msg",
      ciphertext: Uint8Array,
    ): Promise<proto.Message> =>
      decode(
        await alone(() =>
          repository.decryptMessage({ jid, type, ciphertext: Buffer.from(ciphertext) }),
        ),
      ),
    /** Encrypts for a group; whoever is to read it needs the distribution message once. */
    encryptForGroup: async (group: string, meId: string, message: proto.IMessage) =>
      repository.encryptGroupMessage({ group, meId, data: encodeWAMessage(message) }),
    learnSenderKey: (authorJid: string, item: proto.Message.ISenderKeyDistributionMessage) =>
      repository.processSenderKeyDistributionMessage({ authorJid, item }),
    decryptOfGroup: async (
      group: string,
      authorJid: string,
      ciphertext: Uint8Array,
    ): Promise<proto.Message> =>
      decode(
        await repository.decryptGroupMessage({ group, authorJid, msg: Buffer.from(ciphertext) }),
      ),
  };
}

function decode(padded: Uint8Array): proto.Message {
  return proto.Message.decode(unpadRandomMax16(padded));
}
