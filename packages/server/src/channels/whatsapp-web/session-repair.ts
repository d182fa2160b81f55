import { SessionCipher } from "libsignal";

/** What the library's own types leave out. */
type Stored = { pendingPreKey?: unknown };
type Entry = Stored & { serialize(): object };
type EntryClass = { deserialize(stored: object): Entry };
type CipherPrototype = {
  doDecryptWhisperMessage(message: Buffer, session: Entry | undefined): Promise<Buffer>;
};

let isRepaired = false;

/**
 * Two people may have several sessions at a time, for instance after both have begun one, and libsignal tries a message
 * with each of them. It takes the steps of the ratchet before it knows that the message is of that session, and stores
 * them with the one that fits: the other session is ruined, and what is written in it later is never readable. Here each
 * try is made on a copy, which counts only when the message could be read. Once for the process.
 */
export function repairSessionTries(): void {
  if (isRepaired) return;
  isRepaired = true;
  const cipher = SessionCipher.prototype as unknown as CipherPrototype;
  const { doDecryptWhisperMessage } = cipher;
  cipher.doDecryptWhisperMessage = async function (message, session) {
    if (!session) return doDecryptWhisperMessage.call(this, message, session);
    // The class is the record's own affair.
    const { deserialize } = session.constructor as unknown as EntryClass;
    const copy = deserialize.call(session.constructor, session.serialize());
    const plaintext = await doDecryptWhisperMessage.call(this, message, copy);
    Object.assign(session, copy);
    // An answer has come: the other side has the session.
    if (!("pendingPreKey" in copy)) delete session.pendingPreKey;
    return plaintext;
  };
}
