/**
 * The contents of unsent files in the browser's storage, by the `clientId` of their message. They outlive the page; the
 * messages themselves stand in `unsent-messages.ts`.
 */
const DATABASE = "balcao.unsent";
const STORE = "files";

type KeptFile = { file: File; keptAtMs: number };

/** Whether the browser keeps the file. It refuses when its storage is full, and in some private windows always. */
export async function keepFile(clientId: string, file: File, nowMs: number): Promise<boolean> {
  const kept: KeptFile = { file, keptAtMs: nowMs };
  try {
    await run("readwrite", (store) => store.put(kept, clientId));
    return true;
  } catch {
    return false; // the message says so
  }
}

/** The content of a file; null when it is not there any more. */
export async function keptFile(clientId: string): Promise<File | null> {
  try {
    const kept = await run<KeptFile | undefined>("readonly", (store) => store.get(clientId));
    return kept?.file ?? null;
  } catch {
    return null;
  }
}

/** Removes contents whose messages were sent or given up. One that cannot be removed now is swept later. */
export async function forgetFile(clientId: string): Promise<void> {
  await run("readwrite", (store) => store.delete(clientId)).catch(() => undefined);
}

/** A content this young may be there before its message is. */
const SWEEP_AFTER_MS = 3_600_000;

/** Removes the contents without a message: the page went between the two. */
export async function sweepFiles(
  hasMessage: (clientId: string) => boolean,
  nowMs: number,
): Promise<void> {
  const keys = await run("readonly", (store) => store.getAllKeys()).catch(() => []);
  for (const key of keys) {
    if (typeof key !== "string" || hasMessage(key)) continue;
    const kept = await run<KeptFile | undefined>("readonly", (store) => store.get(key)).catch(
      () => undefined,
    );
    if (kept && nowMs - kept.keptAtMs > SWEEP_AFTER_MS) await forgetFile(key);
  }
}

/** One request in a transaction of its own; resolves when it is committed. */
async function run<T>(
  mode: IDBTransactionMode,
  ask: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const database = await open();
  try {
    return await new Promise<T>((resolve, reject) => {
      const transaction = database.transaction(STORE, mode);
      const request = ask(transaction.objectStore(STORE));
      transaction.addEventListener("complete", () => resolve(request.result));
      transaction.addEventListener("abort", () =>
        reject(transaction.error ?? new Error("aborted")),
      );
    });
  } finally {
    database.close();
  }
}

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(DATABASE, 1);
    opening.addEventListener("upgradeneeded", () => opening.result.createObjectStore(STORE));
    opening.addEventListener("success", () => resolve(opening.result));
    opening.addEventListener("error", () => reject(opening.error ?? new Error("no database")));
  });
}
