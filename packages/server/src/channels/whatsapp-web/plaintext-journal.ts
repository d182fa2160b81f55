import type { BinaryNode, Contact, SignalKeyStoreWithTransaction, WAMessage } from "baileys";
import { cleanMessage, decodeMessageNode, proto, unpadRandomMax16 } from "baileys";
import { z } from "zod";
import type { Database } from "../../platform/db/database.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Seal } from "../../platform/secrets/seal.ts";
import type { ProviderContext } from "../port.ts";
import { PLAINTEXT } from "./auth-state.ts";

type StoredPlaintext = { id: number; messageId: string; data: Buffer };

const readPlaintexts = {
  name: "whatsapp-plaintexts-read",
  text: `select id, message_id as "messageId", data from whatsapp_plaintexts
          where company_id = $1 and connection_id = $2 and id > $3 order by id limit $4`,
};
const dropPlaintexts = {
  name: "whatsapp-plaintexts-drop",
  text: `delete from whatsapp_plaintexts
          where company_id = $1 and connection_id = $2 and message_id = any ($3)`,
};
const dropEarlier = {
  name: "whatsapp-plaintexts-drop-earlier",
  text: `delete from whatsapp_plaintexts where company_id = $1 and connection_id = $2 and id <= $3`,
};

type JournalDeps = {
  db: Database;
  seal: Seal;
  context: Pick<ProviderContext, "companyId" | "connectionId" | "transaction">;
  log: Logger;
};

type Decryption = {
  keys: SignalKeyStoreWithTransaction;
  /** The library's name of the changed state. */
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

/** A message that an earlier session has decrypted, with the facts of its stanza. */
export type Replayed = { message: WAMessage; isOffline: boolean; me: Stored["me"] };

const PAGE = 200;

/**
 * Keeps plaintexts until their messages are stored (channels.md 2.1). A plaintext is written in the transaction that
 * writes the ratchet state: after a crash either both are stored, or the network's repetition can be decrypted.
 */
export class PlaintextJournal {
  readonly #deps: JournalDeps;
  /** The stanza of a ciphertext. */
  readonly #stanzas = new WeakMap<object, BinaryNode>();
  /** Ids of messages that the service had queued for us. */
  readonly #late = new Set<string>();
  /** Ids of stanzas that change another message. */
  readonly #changes = new Set<string>();
  #count = 0;

  constructor(deps: JournalDeps) {
    this.#deps = deps;
  }

  /** Records an arriving message; call it before any other listener. */
  note(stanza: BinaryNode): void {
    // Companion devices request messages of our own phone again.
    if (stanza.attrs["category"] === "peer" || !Array.isArray(stanza.content)) return;
    const { id, offline } = stanza.attrs;
    if (id !== undefined && offline !== undefined) this.#late.add(id);
    if (id !== undefined && isChange(stanza)) this.#changes.add(id);
    for (const { tag, content } of stanza.content) {
      if (tag === "enc" && content instanceof Uint8Array) this.#stanzas.set(content, stanza);
    }
  }

  /** Decrypts, and stores the result with the change of the keys. Without a recorded stanza it only decrypts. */
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
      // A key type that the library does not know.
      await keys.set({ [PLAINTEXT]: { [`${this.#count}`]: row } } as object);
      return plaintext;
    }, lock);
  }

  /** Whether the service had queued this message for us; known until `forget`. */
  wasLate(messageId: string): boolean {
    return this.#late.has(messageId);
  }

  /** Whether it is a reaction, an edit or a deletion, decrypted or not; known until `forget`. */
  isChange(messageId: string): boolean {
    return this.#changes.has(messageId);
  }

  /** Drops messages that are stored now. */
  async forget(messageIds: readonly string[]): Promise<void> {
    const { companyId, connectionId, transaction } = this.#deps.context;
    await transaction((tx) => tx.query(dropPlaintexts, [companyId, connectionId, messageIds]));
    for (const id of messageIds) {
      this.#late.delete(id);
      this.#changes.delete(id);
    }
  }

  /** Hands over the messages of earlier sessions, in order; each page is deleted once `take` has resolved. */
  async replay(take: (messages: Replayed[]) => Promise<void>): Promise<void> {
    const { db, context } = this.#deps;
    const { companyId, connectionId } = context;
    for (let afterId = 0; ;) {
      const page = [companyId, connectionId, afterId, PAGE];
      const rows = await db.transaction(context, (tx) =>
        tx.query<StoredPlaintext>(readPlaintexts, page),
      );
      const last = rows.at(-1);
      if (!last) return;
      await take(this.#decode(rows));
      await context.transaction((tx) => tx.query(dropEarlier, [companyId, connectionId, last.id]));
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
        const text = this.#deps.seal.open(row.data, this.#purpose).toString();
        const facts = stored.parse(JSON.parse(text));
        const { from, participant, id } = facts.attrs;
        const key = JSON.stringify([from, participant, id]);
        found.set(key, rebuilt(facts, found.get(key)?.message));
      });
    }
    // Throws for forged messages.
    for (const [key, { message, me }] of found) {
      const isRight = this.#readable(null, () => cleanMessage(message, me.id, me.lid));
      if (!isRight) found.delete(key);
    }
    return [...found.values()];
  }

  /** False for a message that can never be read. */
  #readable(plaintextId: number | null, read: () => void): boolean {
    try {
      read();
      return true;
    } catch (error) {
      const { connectionId } = this.#deps.context;
      const facts = { err: error, connectionId, plaintextId };
      this.#deps.log.error(facts, "a decrypted message cannot be read");
      return false;
    }
  }

  get #purpose(): string {
    return `whatsapp-plaintext:${this.#deps.context.connectionId}`;
  }
}

/** Read from the stanza's unencrypted parts: its attributes, or that phones must hide it if they cannot decrypt it. */
function isChange({ attrs, content }: BinaryNode): boolean {
  if (attrs["type"] === "reaction" || attrs["edit"] !== undefined) return true;
  return (
    Array.isArray(content) &&
    content.some(({ tag, attrs: own }) => tag === "enc" && own["decrypt-fail"] === "hide")
  );
}

/** Builds the message as the library would have emitted it. */
function rebuilt({ attrs, me, plaintext }: Stored, earlier: WAMessage | undefined): Replayed {
  const { fullMessage } = decodeMessageNode({ tag: "message", attrs }, me.id, me.lid);
  const decoded = proto.Message.decode(unpadRandomMax16(Buffer.from(plaintext, "base64")));
  const part = decoded.deviceSentMessage?.message ?? decoded;
  const message = earlier ?? fullMessage;
  message.message = { ...message.message, ...part };
  return { message, isOffline: attrs["offline"] !== undefined, me };
}
