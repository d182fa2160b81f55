/** What the library remembers for a while, in the form it wants; the oldest entries go first. */
export class TtlCache {
  readonly #entries = new Map<string, { value: unknown; untilMs: number }>();
  readonly #ttlMs: number;
  readonly #limit: number;

  constructor({ ttlMs, limit }: { ttlMs: number; limit: number }) {
    this.#ttlMs = ttlMs;
    this.#limit = limit;
  }

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as the library calls it
  get<T>(key: string): T | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    // The library reads what it has written under the same key.
    if (entry.untilMs > performance.now()) return entry.value as T;
    this.#entries.delete(key);
    return undefined;
  }

  set(key: string, value: unknown): void {
    this.#entries.delete(key);
    this.#entries.set(key, { value, untilMs: performance.now() + this.#ttlMs });
    if (this.#entries.size <= this.#limit) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }

  del(key: string): void {
    this.#entries.delete(key);
  }

  flushAll(): void {
    this.#entries.clear();
  }
}

/** What is worth keeping from one session of a connection to the next. */
export type SessionCaches = { retries: TtlCache; devices: TtlCache };

export function newSessionCaches(): SessionCaches {
  return {
    retries: new TtlCache({ ttlMs: 60 * 60_000, limit: 1_000 }),
    devices: new TtlCache({ ttlMs: 5 * 60_000, limit: 1_000 }),
  };
}
