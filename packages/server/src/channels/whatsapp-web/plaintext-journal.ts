import type { BinaryNode, Contact, SignalKeyStoreWithTransaction, WAMessage } from "baileys";
import { cleanMessage, decodeMessageNode, proto, unpadRandomMax16 } from "baileys";
import { z } from "zod";
import type { Database } from "../../platform/db/database.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Seal } from "../../platform/secrets/seal.ts";
import type { ProviderContext } from "../port.ts";
import { PLAINTEXT } from "./auth-state.ts";
import type { StoredPlaintext } from "./plaintext-rows.ts";
import { dropPlaintextRows, dropPlaintextRowsUpTo, readPlaintextRows } from "./plaintext-rows.ts";

export type JournalDeps = {
  db: Database;
  seal: Seal;
  context: Pick<ProviderContext, "companyId" | "connectionId" | "transaction">;
  log: Logger;
};

export type Decryption = {
  keys: SignalKeyStoreWithTransaction;
  /** The library's name for what is changed. */
  lock: string;
  me: Contact | undefined;
  decrypt: () => Promise<Uint8Array>;
};

const stored = z.object({
  attrs: z.record(z.string(), z.string()),
  me: z.object({ id: z.string(), lid: z.string() }),
  plaintext: z.base64(),
});
type Stored = z.infer<typeof stored>;

/** A message as it was decrypted by an earlier session, with what stood around it. */
export type Replayed = { message: WAMessage; isOffline: boolean; me: Stored["me"] };

const PAGE = 200;

/**
 * Keeps what was decrypted until the product has it (channels.md 2.1). The plaintext is stored in the transaction that
 * stores the state of the encryption: after a crash either both are there, or the network's repetition can be decrypted.
 */
export class PlaintextJournal {
  readonly #deps: JournalDeps;
  /** Which stanza a ciphertext came in. */
  readonly #stanzas = new WeakMap<object, BinaryNode>();
  /** Ids of messages that the service had kept for us. */
  readonly #late = new Set<string>();
  #count = 0;

  constructor(deps: JournalDeps) {
    this.#deps = deps;
  }

  /** A message arrives: to be called before anybody else sees it. */
  note(stanza: BinaryNode): void {
    // What our own phone says to its companions is asked for again by them.
    if (stanza.attrs["category"] === "peer" || !Array.isArray(stanza.content)) return;
    const { id, offline } = stanza.attrs;
    if (id !== undefined && offline !== undefined) this.#late.add(id);
    for (const { tag, content } of stanza.content) {
      if (tag === "enc" && content instanceof Uint8Array) this.#stanzas.set(content, stanza);
    }
  }

  /**
   * Decrypts, and keeps the result together with the change that this makes to the keys. What did not come in a stanza
   * that was noted is only decrypted.
   */
  async decrypted(
    ciphertext: Uint8Array,
    { keys, lock, me, decrypt }: Decryption,
  ): Promise<Uint8Array> {
    const stanza = this.#stanzas.get(ciphertext);
    if (!stanza) return decrypt();
    return keys.transaction(async () => {
      const plaintext = await decrypt();
      this.#count += 1;
      const row = this.#rowOf(stanza, me, plaintext);
      // A kind of key that the library does not know.
      await keys.set({ [PLAINTEXT]: { [`${this.#count}`]: row } } as object);
      return plaintext;
    }, lock);
  }

  /** Whether the service had kept this message for us; known until it is forgotten. */
  wasLate(messageId: string): boolean {
    return this.#late.has(messageId);
  }

  /** The product has these messages. */
  async forget(messageIds: readonly string[]): Promise<void> {
    const { context } = this.#deps;
    await context.transaction((tx) => dropPlaintextRows(tx, context, messageIds));
    for (const id of messageIds) this.#late.delete(id);
  }

  /** What earlier sessions left, in order; each page is forgotten once `take` has resolved. */
  async replay(take: (messages: Replayed[]) => Promise<void>): Promise<void> {
    const { db, context } = this.#deps;
    for (let afterId = 0; ;) {
      const page = { afterId, limit: PAGE };
      const rows = await db.transaction(context, (tx) => readPlaintextRows(tx, context, page));
      const last = rows.at(-1);
      if (!last) return;
      await take(this.#decode(rows));
      await context.transaction((tx) => dropPlaintextRowsUpTo(tx, context, last.id));
      afterId = last.id;
    }
  }

  #rowOf(stanza: BinaryNode, me: Contact | undefined, plaintext: Uint8Array) {
    const { attrs } = stanza;
    const facts: Stored = {
      attrs,
      me: { id: me?.id ?? "", lid: me?.lid ?? "" },
      plaintext: Buffer.from(plaintext).toString("base64"),
    };
    const plain = Buffer.from(JSON.stringify(facts));
    return { messageId: attrs["id"] ?? "", data: this.#deps.seal.close(plain, this.#purpose) };
  }

  /** Rows of one stanza are one message: a group's first one comes in two parts. */
  #decode(rows: readonly StoredPlaintext[]): Replayed[] {
    const found = new Map<string, Replayed>();
    for (const row of rows) {
      this.#readable(row.id, () => {
        const facts = stored.parse(
          JSON.parse(this.#deps.seal.open(row.data, this.#purpose).toString()),
        );
        const { from, participant, id } = facts.attrs;
        const key = JSON.stringify([from, participant, id]);
        found.set(key, rebuilt(facts, found.get(key)?.message));
      });
    }
    // Throws for what a customer's phone can say and no right one does.
    for (const [key, { message, me }] of found) {
      const isRight = this.#readable(null, () => cleanMessage(message, me.id, me.lid));
      if (!isRight) found.delete(key);
    }
    return [...found.values()];
  }

  /** What cannot be read now cannot be read later. */
  #readable(plaintextId: number | null, read: () => void): boolean {
    try {
      read();
      return true;
    } catch (error) {
      const { connectionId } = this.#deps.context;
      this.#deps.log.error(
        { err: error, connectionId, plaintextId },
        "a decrypted message cannot be read",
      );
      return false;
    }
  }

  get #purpose(): string {
    return `whatsapp-plaintext:${this.#deps.context.connectionId}`;
  }
}

/** The message that the library would have emitted. */
function rebuilt({ attrs, me, plaintext }: Stored, earlier: WAMessage | undefined): Replayed {
  const { fullMessage } = decodeMessageNode({ tag: "message", attrs }, me.id, me.lid);
  const decoded = proto.Message.decode(unpadRandomMax16(Buffer.from(plaintext, "base64")));
  const part = decoded.deviceSentMessage?.message ?? decoded;
  const message = earlier ?? fullMessage;
  message.message = { ...message.message, ...part };
  return { message, isOffline: attrs["offline"] !== undefined, me };
}
