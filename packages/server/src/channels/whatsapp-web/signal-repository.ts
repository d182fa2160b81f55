import type { Contact, SignalKeyStoreWithTransaction, SocketConfig } from "baileys";
import { DEFAULT_CONNECTION_CONFIG, jidDecode } from "baileys";
import { AsyncLocalStorage } from "node:async_hooks";
import { isOneAtATime, isSigned } from "./library-repairs.ts";
import type { PlaintextJournal } from "./plaintext-journal.ts";

type MakeRepository = SocketConfig["makeSignalRepository"];

/**
 * The library's end-to-end encryption, with three additions: plaintexts are journalled with the ratchet state; a
 * person's keys must be signed by that person; and the state of a person or group is used under a lock, each use
 * committed before the next one starts. As delivered, concurrent incoming and outgoing messages overwrite each other's
 * change of that state.
 */
export function signalRepository(
  journal: PlaintextJournal,
  me: () => Contact | undefined,
): MakeRepository {
  return (auth, logger, lidsOf) => {
    const repository = DEFAULT_CONNECTION_CONFIG.makeSignalRepository(auth, logger, lidsOf);
    // The socket passes one with transactions.
    const keys = auth.keys as SignalKeyStoreWithTransaction;
    const locks = new KeyedLocks();
    // The send of a message is one transaction of the library; this context is outside of it.
    const outside = AsyncLocalStorage.snapshot();
    const locked = <T>(key: string, work: () => Promise<T>): Promise<T> =>
      outside(() => locks.run(key, () => isOneAtATime.run(true, work)));
    const withPerson = async <T>(jid: string, work: () => Promise<T>): Promise<T> =>
      locked(await outside(() => personOf(repository.lidMapping, jid)), work);
    const journalled = (
      ciphertext: Uint8Array,
      lock: string,
      decrypt: () => Promise<Uint8Array>,
    ): Promise<Uint8Array> => journal.decrypted(ciphertext, { keys, lock, me: me(), decrypt });

    return {
      ...repository,
      decryptMessage: (given) =>
        withPerson(given.jid, () =>
          journalled(given.ciphertext, given.jid, () => repository.decryptMessage(given)),
        ),
      encryptMessage: (given) => withPerson(given.jid, () => repository.encryptMessage(given)),
      injectE2ESession: (given) => {
        const { identityKey, signedPreKey } = given.session;
        if (!isSigned(identityKey, signedPreKey.publicKey, signedPreKey.signature)) {
          return Promise.reject(new Error("a person's keys are not signed by that person"));
        }
        return withPerson(given.jid, () => repository.injectE2ESession(given));
      },
      migrateSession: (from, to) => withPerson(to, () => repository.migrateSession(from, to)),
      deleteSession: (jids) => locked("", () => repository.deleteSession(jids)),
      decryptGroupMessage: (given) =>
        locked(given.group, () =>
          journalled(given.msg, given.group, () => repository.decryptGroupMessage(given)),
        ),
      encryptGroupMessage: (given) =>
        locked(given.group, () => repository.encryptGroupMessage(given)),
      getSenderKeyDistributionMessage: (given) =>
        locked(given.group, () => repository.getSenderKeyDistributionMessage(given)),
      processSenderKeyDistributionMessage: (given) =>
        locked(given.item.groupId ?? "", () =>
          repository.processSenderKeyDistributionMessage(given),
        ),
    };
  };
}

type Mapping = ReturnType<typeof DEFAULT_CONNECTION_CONFIG.makeSignalRepository>["lidMapping"];

/**
 * One lock name for all devices and both addresses of a person, as far as known. Asks the library's own mapping,
 * because a pair that it has just learned may not be stored yet.
 */
async function personOf(mapping: Mapping, jid: string): Promise<string> {
  const { user = jid, server } = jidDecode(jid) ?? {};
  if (server === "lid" || server === "hosted.lid") return user;
  // Without an answer the number is the lock's name.
  const lid = await mapping.getLIDForPN(jid).catch(() => null);
  return jidDecode(lid ?? undefined)?.user ?? user;
}

/** Runs work under one key one after the other, in the order of the calls. */
export class KeyedLocks {
  readonly #last = new Map<string, Promise<unknown>>();

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    // A failure rejects only its own caller.
    const held = before ? before.then(work, work) : work();
    this.#last.set(key, held);
    try {
      return await held;
    } finally {
      if (this.#last.get(key) === held) this.#last.delete(key);
    }
  }
}
