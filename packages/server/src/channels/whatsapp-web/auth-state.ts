import type {
  AuthenticationCreds,
  SignalDataSet,
  SignalDataTypeMap,
  SignalKeyStore,
} from "baileys";
import { BufferJSON, initAuthCreds, proto } from "baileys";
import type { Database } from "../../platform/db/database.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Seal } from "../../platform/secrets/seal.ts";
import type { ProviderContext } from "../port.ts";
import { LeaseLost } from "../port.ts";
import type { KeyRow, PlaintextRow } from "./auth-rows.ts";
import {
  readCredentialsRow,
  readKeyRows,
  saveCredentialsRow,
  wipeLink,
  writeKeyRows,
} from "./auth-rows.ts";
import { KeyCache } from "./key-cache.ts";

export type AuthDeps = {
  db: Database;
  seal: Seal;
  context: Pick<ProviderContext, "companyId" | "connectionId" | "transaction">;
  log: Logger;
  /** Keys could not be read or written: the session has to end before it says anything more to the network. */
  onFailure: (error: unknown) => void;
};

/**
 * A kind of key of our own: what was decrypted, to be stored together with the state of the encryption that can no
 * longer decrypt it.
 */
export const PLAINTEXT = "plaintext";

/** A value that a caller reads back as it was; kinds that the library does not know are kept as well. */
type KeyValue = SignalDataTypeMap[keyof SignalDataTypeMap] | null;

const CACHED_KEYS = 1_000;
const RETRY_MS = 500;
const KEY_TRIES = 20;
const KEY_RETRY_MS = 250;
/** Read once in their life, and there are hundreds. */
const NEVER_CACHED = new Set(["pre-key"]);

/** Opens the connection's credentials and keys; fresh credentials when it is not linked. */
export async function openAuthState(deps: AuthDeps): Promise<AuthState> {
  const { db, seal, context } = deps;
  const row = await db.transaction(context, (tx) => readCredentialsRow(tx, context));
  if (!row) return new AuthState(deps, initAuthCreds());
  const text = seal.open(row, credentialsPurpose(context)).toString();
  return new AuthState(deps, JSON.parse(text, BufferJSON.reviver));
}

/** One session's credentials and keys, written in order and under the lease (behaviour 10.3). */
export class AuthState {
  /** The library changes it in place. */
  readonly creds: AuthenticationCreds;
  readonly keys: SignalKeyStore;
  readonly #deps: AuthDeps;
  readonly #cache = new KeyCache(CACHED_KEYS);
  readonly #writing = new Set<Promise<void>>();
  #saving: Promise<void> | null = null;
  #isDirty = false;
  #isClosed = false;
  /** Grows with each write: what was read before it began may be old. */
  #writes = 0;

  constructor(deps: AuthDeps, creds: AuthenticationCreds) {
    this.#deps = deps;
    this.creds = creds;
    this.keys = {
      get: (type, ids) => this.#get(type, ids),
      set: (data) => this.#tracked(this.#set(data)),
    };
  }

  /** Whether a phone has confirmed these credentials; a code that was never typed leaves them half filled. */
  get isLinked(): boolean {
    return this.creds.account !== undefined && this.creds.me !== undefined;
  }

  /** The credentials have changed. Before they are linked nothing of them is worth keeping. */
  saveCredentials(): void {
    if (!this.isLinked || this.#isClosed) return;
    this.#isDirty = true;
    this.#saving ??= this.#save().finally(() => {
      this.#saving = null;
    });
  }

  /** Nothing is written any more; resolves when all that was given is written, or cannot be. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#saving;
    await Promise.allSettled(this.#writing);
  }

  /** Forgets the link. Nothing is written afterwards. */
  async wipe(): Promise<void> {
    await this.close();
    const { context } = this.#deps;
    await context.transaction((tx) => wipeLink(tx, context));
  }

  /**
   * Tries again while the database is away. A session that cannot use its keys at last is of no use: it would answer the
   * network for messages that it has not kept.
   */
  async insist<T>(work: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await work();
      } catch (error) {
        const isOver = this.#isClosed || error instanceof LeaseLost || tries === KEY_TRIES;
        if (isOver) {
          this.#deps.onFailure(error);
          throw error;
        }
        await new Promise((resolve) => setTimeout(resolve, KEY_RETRY_MS));
      }
    }
  }

  async #save(): Promise<void> {
    const { seal, context, log } = this.#deps;
    while (this.#isDirty) {
      this.#isDirty = false;
      const plain = Buffer.from(JSON.stringify(this.creds, BufferJSON.replacer));
      const data = seal.close(plain, credentialsPurpose(context));
      try {
        await context.transaction((tx) => saveCredentialsRow(tx, context, data));
      } catch (error) {
        if (error instanceof LeaseLost) return;
        const { connectionId } = context;
        log.warn(
          { err: error, connectionId },
          "the credentials of a connection are not stored yet",
        );
        if (this.#isClosed) return;
        this.#isDirty = true;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  async #get<T extends keyof SignalDataTypeMap>(
    type: T,
    ids: string[],
  ): Promise<{ [id: string]: SignalDataTypeMap[T] }> {
    const found: { [id: string]: SignalDataTypeMap[T] } = {};
    const missing: string[] = [];
    for (const id of ids) {
      const text = this.#cache.get(type, id);
      if (text === undefined) missing.push(id);
      else if (text !== null) found[id] = decode(type, text);
    }
    if (missing.length === 0) return found;
    for (const [id, text] of await this.#read(type, missing)) found[id] = decode(type, text);
    return found;
  }

  async #read(type: string, ids: string[]): Promise<Map<string, string>> {
    const { db, seal, context } = this.#deps;
    const writes = this.#writes;
    // The library takes a failed read for a key that is not there.
    const rows = await this.insist(() =>
      db.transaction(context, (tx) => readKeyRows(tx, context, type, ids)),
    );
    const texts = new Map(
      rows.map(({ id, data }) => [id, seal.open(data, keyPurpose(context, type, id)).toString()]),
    );
    if (writes === this.#writes && !NEVER_CACHED.has(type)) {
      for (const id of ids) this.#cache.set(type, id, texts.get(id) ?? null);
    }
    return texts;
  }

  /** All kinds in one transaction; null takes a key away. */
  async #set(data: SignalDataSet): Promise<void> {
    if (this.#isClosed) throw new Error("the session is over");
    const { seal, context } = this.#deps;
    const changes: { type: string; id: string; text: string | null }[] = [];
    const plaintexts: PlaintextRow[] = [];
    for (const [type, values] of Object.entries(data)) {
      for (const [id, value] of Object.entries<KeyValue>(values ?? {})) {
        if (type === PLAINTEXT) plaintexts.push(value as unknown as PlaintextRow);
        else changes.push({ type, id, text: value === null ? null : encode(value) });
      }
    }
    changes.sort((one, other) => compare(one.type, other.type) || compare(one.id, other.id));
    const saved: KeyRow[] = changes.flatMap(({ type, id, text }) => {
      if (text === null) return [];
      const sealed = seal.close(Buffer.from(text), keyPurpose(context, type, id));
      return [{ type, id, data: sealed }];
    });
    const dropped = changes.filter(({ text }) => text === null);
    this.#writes += 1;
    // Whether a failed write has happened all the same is the database's to say.
    for (const { type, id } of changes) this.#cache.forget(type, id);
    await this.insist(() =>
      context.transaction((tx) => writeKeyRows(tx, context, { saved, dropped, plaintexts })),
    );
    this.#writes += 1;
    for (const { type, id, text } of changes) {
      if (!NEVER_CACHED.has(type)) this.#cache.set(type, id, text);
    }
  }

  async #tracked(work: Promise<void>): Promise<void> {
    this.#writing.add(work);
    try {
      await work;
    } finally {
      this.#writing.delete(work);
    }
  }
}

function credentialsPurpose({ connectionId }: AuthDeps["context"]): string {
  return `whatsapp-credentials:${connectionId}`;
}

function keyPurpose({ connectionId }: AuthDeps["context"], type: string, id: string): string {
  return `whatsapp-key:${connectionId}:${type}:${id}`;
}

function encode(value: KeyValue): string {
  return JSON.stringify(value, BufferJSON.replacer);
}

function decode<T extends keyof SignalDataTypeMap>(type: T, text: string): SignalDataTypeMap[T] {
  const value: SignalDataTypeMap[T] = JSON.parse(text, BufferJSON.reviver);
  if (type !== "app-state-sync-key") return value;
  const built: unknown = proto.Message.AppStateSyncKeyData.fromObject(value as object);
  return built as SignalDataTypeMap[T];
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
