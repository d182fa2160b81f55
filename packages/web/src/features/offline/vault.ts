/**
 * Keeps the data of the last screens, encrypted in the browser's storage (AES-GCM). No script can read the key, which is removed with the
 * rows. It stands in the same storage, so it does not keep out who has the files of the browser (docs/phone-and-push.md).
 */
const DATABASE = "balcao.kept";
const KEYS = "keys";
const ROWS = "rows";
const KEY = "key";

/** All kept rows together, the conversations among them, and their age: a lost phone without network never hears of the end of its session. */
export const keptLimits = { bytes: 8_000_000, conversations: 30, ms: 3 * 86_400_000 } as const;

type KeyRow = { owner: string; key: CryptoKey };
type Row = {
  id: string;
  at: number;
  isConversation: boolean;
  iv: Uint8Array<ArrayBuffer>;
  sealed: ArrayBuffer;
};
type Known = Pick<Row, "at" | "isConversation"> & { bytes: number };

export type Kept = { value: unknown; at: number };
export type Vault = Awaited<ReturnType<typeof openVault>>;

/** Opens what this session has kept; what another session has left is removed. Rejects where the browser keeps nothing. */
export async function openVault(owner: string, nowMs: () => number) {
  let database = await open();
  let own = await ask<KeyRow | undefined>(database, KEYS, "readonly", (keys) => keys.get(KEY));
  if (own?.owner !== owner) {
    database.close();
    await removeVault();
    database = await open();
    const key = await crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, [
      ...(["encrypt", "decrypt"] as const),
    ]);
    const made: KeyRow = { owner, key };
    await ask(database, KEYS, "readwrite", (keys) => keys.put(made, KEY));
    own = made;
  }
  const { key } = own;
  const known = new Map<string, Known>();
  for (const { id, ...row } of await ask<Row[]>(database, ROWS, "readonly", (rows) =>
    rows.getAll(),
  )) {
    known.set(id, { at: row.at, isConversation: row.isConversation, bytes: row.sealed.byteLength });
  }

  async function prune(): Promise<void> {
    const all = [...known].toSorted(([, one], [, other]) => other.at - one.at);
    const oldest = nowMs() - keptLimits.ms;
    let [bytes, conversations] = [0, 0];
    for (const [id, row] of all) {
      bytes += row.bytes;
      conversations += row.isConversation ? 1 : 0;
      const isTooMany = row.isConversation && conversations > keptLimits.conversations;
      if (bytes <= keptLimits.bytes && !isTooMany && row.at > oldest) continue;
      known.delete(id);
      await ask(database, ROWS, "readwrite", (rows) => rows.delete(id));
    }
  }

  await prune();
  return {
    /** Keeps a value under a name; the oldest goes where there is no room. */
    async put(
      name: string,
      value: unknown,
      { at, isConversation }: { at: number; isConversation: boolean },
    ): Promise<void> {
      const id = await idOf(name);
      const iv = crypto.getRandomValues(new Uint8Array(12));
      const plain = new TextEncoder().encode(JSON.stringify(value));
      // The id is bound to the content: rows cannot be exchanged.
      const additionalData = new TextEncoder().encode(id);
      const sealed = await crypto.subtle.encrypt(
        { name: "AES-GCM", iv, additionalData },
        key,
        plain,
      );
      const row: Row = { id, at, isConversation, iv, sealed };
      await ask(database, ROWS, "readwrite", (rows) => rows.put(row));
      known.set(id, { at, isConversation, bytes: sealed.byteLength });
      await prune();
    },

    /** A kept value; null when there is none, or it cannot be opened. */
    async get(name: string): Promise<Kept | null> {
      const id = await idOf(name);
      const row = known.get(id);
      if (!row || row.at <= nowMs() - keptLimits.ms) return null;
      try {
        const own = await ask<Row | undefined>(database, ROWS, "readonly", (rows) => rows.get(id));
        if (!own) return null;
        const additionalData = new TextEncoder().encode(id);
        const how = { name: "AES-GCM", iv: own.iv, additionalData };
        const plain = await crypto.subtle.decrypt(how, key, own.sealed);
        return { value: JSON.parse(new TextDecoder().decode(plain)) as unknown, at: row.at };
      } catch {
        return null;
      }
    },

    count: () => known.size,
    close: () => database.close(),
  };
}

/** Removes everything that was kept, with its key. */
export function removeVault(): Promise<void> {
  return new Promise((resolve, reject) => {
    const removing = indexedDB.deleteDatabase(DATABASE);
    removing.addEventListener("success", () => resolve());
    removing.addEventListener("error", () => reject(removing.error ?? new Error("not removed")));
    // Another tab closes it: see `open`.
    removing.addEventListener("blocked", () => undefined);
  });
}

/** Names of queries say what was searched for: only a hash of them is stored. */
async function idOf(name: string): Promise<string> {
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(name));
  return Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(DATABASE, 1);
    opening.addEventListener("upgradeneeded", () => {
      opening.result.createObjectStore(KEYS);
      opening.result.createObjectStore(ROWS, { keyPath: "id" });
    });
    opening.addEventListener("success", () => {
      const { result } = opening;
      // Another tab signs out.
      result.addEventListener("versionchange", () => result.close());
      resolve(result);
    });
    opening.addEventListener("error", () => reject(opening.error ?? new Error("no database")));
  });
}

/** One request in a transaction of its own; resolves when it is committed. */
async function ask<T = unknown>(
  database: IDBDatabase,
  name: string,
  mode: IDBTransactionMode,
  request: (store: IDBObjectStore) => IDBRequest,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const transaction = database.transaction(name, mode);
    const asked = request(transaction.objectStore(name));
    transaction.addEventListener("complete", () => resolve(asked.result as T)); // what was put there
    transaction.addEventListener("abort", () => reject(transaction.error ?? new Error("aborted")));
  });
}
