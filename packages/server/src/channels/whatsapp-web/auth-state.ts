import type {
  AuthenticationCreds,
  SignalDataSet,
  SignalDataTypeMap,
  SignalKeyStore,
} from "baileys";
import { BufferJSON, initAuthCreds, proto } from "baileys";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Seal } from "../../platform/secrets/seal.ts";
import type { ProviderContext } from "../port.ts";
import { LeaseLost } from "../port.ts";

type KeyRow = { type: string; id: string; data: Buffer };
type PlaintextRow = { messageId: string; data: Buffer };

const readCredentials = {
  name: "whatsapp-credentials-read",
  text: `select data from whatsapp_credentials where company_id = $1 and connection_id = $2`,
};
const saveCredentials = {
  name: "whatsapp-credentials-save",
  text: `insert into whatsapp_credentials (company_id, connection_id, data) values ($1, $2, $3)
         on conflict (connection_id) do update set data = excluded.data, updated_at = now()`,
};
const readKeys = {
  name: "whatsapp-keys-read",
  text: `select id, data from whatsapp_keys
          where company_id = $1 and connection_id = $2 and type = $3 and id = any ($4)`,
};
const saveKeys = {
  name: "whatsapp-keys-save",
  text: `insert into whatsapp_keys (company_id, connection_id, type, id, data)
         select $1, $2, given.type, given.id, given.data
           from unnest($3::text[], $4::text[], $5::bytea[]) as given (type, id, data)
         on conflict (company_id, connection_id, type, id) do update set data = excluded.data`,
};
const dropKeys = {
  name: "whatsapp-keys-drop",
  text: `delete from whatsapp_keys k using unnest($3::text[], $4::text[]) as gone (type, id)
          where k.company_id = $1 and k.connection_id = $2 and k.type = gone.type and k.id = gone.id`,
};
const savePlaintexts = {
  name: "whatsapp-plaintexts-save",
  text: `insert into whatsapp_plaintexts (company_id, connection_id, message_id, data)
         select $1, $2, given.id, given.data from unnest($3::text[], $4::bytea[]) as given (id, data)`,
};
const wipe = {
  name: "whatsapp-wipe",
  text: `with keys as (delete from whatsapp_keys where company_id = $1 and connection_id = $2)
         delete from whatsapp_credentials where company_id = $1 and connection_id = $2`,
};

export type AuthDeps = {
  db: Database;
  seal: Seal;
  context: Pick<ProviderContext, "companyId" | "connectionId" | "transaction">;
  log: Logger;
  /** Keys could not be read or written: the session must end before it sends anything else to the network. */
  onFailure: (error: unknown) => void;
};

/** A key type of our own: a plaintext, to be stored together with the ratchet state that can no longer decrypt it. */
export const PLAINTEXT = "plaintext";

type KeyValue = SignalDataTypeMap[keyof SignalDataTypeMap] | null;

const CACHED_KEYS = 1_000;
const RETRY_MS = 500;
const KEY_TRIES = 20;
const KEY_RETRY_MS = 250;
/** There are hundreds, and each is read once. */
const NEVER_CACHED = new Set(["pre-key"]);

/** Opens the connection's credentials and keys; fresh credentials when it is not linked. */
export async function openAuthState(deps: AuthDeps): Promise<AuthState> {
  const { db, seal, context } = deps;
  const [row] = await db.transaction(context, (tx) =>
    tx.query<{ data: Buffer }>(readCredentials, [context.companyId, context.connectionId]),
  );
  if (!row) return new AuthState(deps, initAuthCreds());
  const text = seal.open(row.data, credentialsPurpose(context)).toString();
  return new AuthState(deps, JSON.parse(text, BufferJSON.reviver));
}

/** One session's credentials and keys, written in order and under the lease (behaviour 10.3). */
export class AuthState {
  /** The library changes this object in place. */
  readonly creds: AuthenticationCreds;
  readonly keys: SignalKeyStore;
  readonly #deps: AuthDeps;
  readonly #cache = new KeyCache(CACHED_KEYS);
  readonly #writing = new Set<Promise<void>>();
  #saving: Promise<void> | null = null;
  #isDirty = false;
  #isClosed = false;
  /** Counts writes: a read that began before the last one may be stale. */
  #writes = 0;

  constructor(deps: AuthDeps, creds: AuthenticationCreds) {
    this.#deps = deps;
    this.creds = creds;
    this.keys = {
      get: (type, ids) => this.#get(type, ids),
      set: (data) => this.#tracked(this.#set(data)),
    };
  }

  /** Whether a phone has confirmed these credentials; an unused pairing code leaves them half filled. */
  get isLinked(): boolean {
    return this.creds.account !== undefined && this.creds.me !== undefined;
  }

  /** Stores changed credentials, unless they are not linked yet. */
  saveCredentials(): void {
    if (!this.isLinked || this.#isClosed) return;
    this.#isDirty = true;
    this.#saving ??= this.#save().finally(() => {
      this.#saving = null;
    });
  }

  /** Accepts no further writes; resolves when the running ones have ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#saving;
    await Promise.allSettled(this.#writing);
  }

  /** Deletes the credentials and all keys; decrypted and sent messages stay. */
  async wipe(): Promise<void> {
    await this.close();
    const { companyId, connectionId, transaction } = this.#deps.context;
    await transaction((tx) => tx.query(wipe, [companyId, connectionId]));
  }

  /**
   * Retries while the database is away. A session that still cannot use its keys has to end: it would confirm messages
   * to the network that it has not stored.
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
    const { companyId, connectionId } = context;
    while (this.#isDirty) {
      this.#isDirty = false;
      const plain = Buffer.from(JSON.stringify(this.creds, BufferJSON.replacer));
      const data = seal.close(plain, credentialsPurpose(context));
      try {
        await context.transaction((tx) =>
          tx.query(saveCredentials, [companyId, connectionId, data]),
        );
      } catch (error) {
        if (error instanceof LeaseLost) return;
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
    // The library would take a failed read for a missing key.
    const rows = await this.insist(() =>
      db.transaction(context, (tx) =>
        tx.query<Omit<KeyRow, "type">>(readKeys, [
          context.companyId,
          context.connectionId,
          type,
          ids,
        ]),
      ),
    );
    const texts = new Map(
      rows.map(({ id, data }) => [id, seal.open(data, keyPurpose(context, type, id)).toString()]),
    );
    if (writes === this.#writes && !NEVER_CACHED.has(type)) {
      for (const id of ids) this.#cache.set(type, id, texts.get(id) ?? null);
    }
    return texts;
  }

  /** Writes all types in one transaction; null deletes a key. */
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
    // One order for all writers avoids deadlocks.
    changes.sort((one, other) => compare(one.type, other.type) || compare(one.id, other.id));
    const saved: KeyRow[] = changes.flatMap(({ type, id, text }) => {
      if (text === null) return [];
      const sealed = seal.close(Buffer.from(text), keyPurpose(context, type, id));
      return [{ type, id, data: sealed }];
    });
    const dropped = changes.filter(({ text }) => text === null);
    this.#writes += 1;
    // A failed write may have been committed: only the database knows.
    for (const { type, id } of changes) this.#cache.forget(type, id);
    await this.insist(() =>
      context.transaction((tx) => this.#write(tx, { saved, dropped, plaintexts })),
    );
    this.#writes += 1;
    for (const { type, id, text } of changes) {
      if (!NEVER_CACHED.has(type)) this.#cache.set(type, id, text);
    }
  }

  async #write(
    tx: Tx,
    {
      saved,
      dropped,
      plaintexts,
    }: {
      saved: readonly KeyRow[];
      dropped: readonly Omit<KeyRow, "data">[];
      plaintexts: readonly PlaintextRow[];
    },
  ): Promise<void> {
    const { companyId, connectionId } = this.#deps.context;
    const placesOf = (rows: readonly Omit<KeyRow, "data">[]) => [
      ...[companyId, connectionId],
      ...[rows.map((row) => row.type), rows.map((row) => row.id)],
    ];
    if (saved.length > 0) {
      await tx.query(saveKeys, [...placesOf(saved), saved.map((row) => row.data)]);
    }
    if (dropped.length > 0) await tx.query(dropKeys, placesOf(dropped));
    if (plaintexts.length > 0) {
      const columns = [plaintexts.map((row) => row.messageId), plaintexts.map((row) => row.data)];
      await tx.query(savePlaintexts, [companyId, connectionId, ...columns]);
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

/** Stored texts of keys by type and id, without the least recently used ones; null: known to be absent. */
class KeyCache {
  readonly #texts = new Map<string, string | null>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(type: string, id: string): string | null | undefined {
    const place = placeOf(type, id);
    const text = this.#texts.get(place);
    if (text === undefined) return undefined;
    this.#texts.delete(place);
    this.#texts.set(place, text);
    return text;
  }

  set(type: string, id: string, text: string | null): void {
    const place = placeOf(type, id);
    this.#texts.delete(place);
    this.#texts.set(place, text);
    if (this.#texts.size <= this.#limit) return;
    const [oldest] = this.#texts.keys();
    if (oldest !== undefined) this.#texts.delete(oldest);
  }

  forget(type: string, id: string): void {
    this.#texts.delete(placeOf(type, id));
  }
}

function placeOf(type: string, id: string): string {
  return `${type}\n${id}`;
}
