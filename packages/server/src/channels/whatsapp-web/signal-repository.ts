import { AsyncLocalStorage } from "node:async_hooks";
import type { Contact, SignalKeyStoreWithTransaction, SocketConfig } from "baileys";
import { DEFAULT_CONNECTION_CONFIG, jidDecode } from "baileys";
import { isSigned } from "./curve-repair.ts";
import { isOneAtATime } from "./queue-repair.ts";
import type { PlaintextJournal } from "./plaintext-journal.ts";
import { Turns } from "./turns.ts";

type MakeRepository = SocketConfig["makeSignalRepository"];

/**
 * The library's own encryption between people, with what it lacks: what is decrypted is journalled with the state that
 * decrypted it; the keys that are handed out for a person are checked to be signed by that person; and whatever uses a
 * person's or a group's state does so in turns, each of which is committed before the next one begins. As delivered, a
 * message that goes out and one that comes in at the same time lose each other's change of that state.
 */
export function signalRepository(
  journal: PlaintextJournal,
  me: () => Contact | undefined,
): MakeRepository {
  return (auth, logger, lidsOf) => {
    const repository = DEFAULT_CONNECTION_CONFIG.makeSignalRepository(auth, logger, lidsOf);
    // As the socket gives it.
    const keys = auth.keys as SignalKeyStoreWithTransaction;
    const turns = new Turns();
    // The send of a message is one transaction of the library: here is a place outside of it.
    const outside = AsyncLocalStorage.snapshot();
    const inTurn = <T>(key: string, work: () => Promise<T>): Promise<T> =>
      outside(() => turns.run(key, () => isOneAtATime.run(true, work)));
    const withPerson = async <T>(jid: string, work: () => Promise<T>): Promise<T> =>
      inTurn(await outside(() => personOf(repository.lidMapping, jid)), work);

    return {
      ...repository,
      decryptMessage: (given) =>
        withPerson(given.jid, () =>
          journal.decrypted(given.ciphertext, {
            ...{ keys, me: me(), lock: given.jid },
            decrypt: () => repository.decryptMessage(given),
          }),
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
      deleteSession: (jids) => inTurn("", () => repository.deleteSession(jids)),
      decryptGroupMessage: (given) =>
        inTurn(given.group, () =>
          journal.decrypted(given.msg, {
            ...{ keys, me: me(), lock: given.group },
            decrypt: () => repository.decryptGroupMessage(given),
          }),
        ),
      encryptGroupMessage: (given) =>
        inTurn(given.group, () => repository.encryptGroupMessage(given)),
      getSenderKeyDistributionMessage: (given) =>
        inTurn(given.group, () => repository.getSenderKeyDistributionMessage(given)),
      processSenderKeyDistributionMessage: (given) =>
        inTurn(given.item.groupId ?? "", () =>
          repository.processSenderKeyDistributionMessage(given),
        ),
    };
  };
}

type Mapping = ReturnType<typeof DEFAULT_CONNECTION_CONFIG.makeSignalRepository>["lidMapping"];

/**
 * One name for all devices and both addresses of a person, as far as they are known to be one's. Found as the library
 * finds the place of a person's state: what it has just learned may not be stored yet.
 */
async function personOf(mapping: Mapping, jid: string): Promise<string> {
  const { user = jid, server } = jidDecode(jid) ?? {};
  if (server === "lid" || server === "hosted.lid") return user;
  // Whoever cannot be asked for now is known by the number.
  const lid = await mapping.getLIDForPN(jid).catch(() => null);
  return jidDecode(lid ?? undefined)?.user ?? user;
}
