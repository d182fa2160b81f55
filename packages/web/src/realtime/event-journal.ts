/**
 * Keeps the live events that arrive while a reply is under way. The reply shows the server as it was before them, so
 * whoever puts it into the cache applies them again (every event can be applied twice).
 */
export type EventJournal<E> = {
  record(event: E): void;
  /** Runs `load`; `missed` are the events recorded meanwhile, in their order. */
  during<T>(load: () => Promise<T>): Promise<{ reply: T; missed: readonly E[] }>;
};

export function createEventJournal<E>(): EventJournal<E> {
  const underWay = new Set<E[]>();
  return {
    record(event) {
      for (const missed of underWay) missed.push(event);
    },
    async during(load) {
      const missed: E[] = [];
      underWay.add(missed);
      try {
        return { reply: await load(), missed };
      } finally {
        underWay.delete(missed);
      }
    },
  };
}
