import type { proto } from "baileys";
import type { Arrival } from "./account.ts";
import { textOf } from "./contents.ts";

/** A message as a phone shows it. */
export type Received = {
  id: string;
  text: string | null;
  message: proto.IMessage;
  /** How often it came; a phone shows it once. */
  copies: number;
};

export function createInbox() {
  /** Null: there is a message that could not be read; its place is kept. */
  const kept = new Map<string, Received | null>();
  const tries = new Map<string, number>();
  return {
    /** Whether it was there before; then it has come once more. */
    drops: (id: string): boolean => {
      const known = kept.get(id);
      if (known) known.copies += 1;
      return Boolean(known);
    },
    /** A message came that cannot be read yet: when it can, it stands where it would have stood. */
    keepPlace: (id: string): void => {
      if (!kept.has(id)) kept.set(id, null);
    },
    /** How often it came and could not be read, this time included. */
    countTry: (id: string): number => {
      const count = (tries.get(id) ?? 0) + 1;
      tries.set(id, count);
      return count;
    },
    take: ({ id, message }: Arrival): void => {
      kept.set(id, { id, message, text: textOf(message), copies: 1 });
    },
    all: (): Received[] => [...kept.values()].filter((one) => one !== null),
    find: (id: string): Received | undefined => kept.get(id) ?? undefined,
  };
}

const WAIT_MS = 10_000;

/** Looks until `read` answers something; fails with `what` after ten seconds. */
export async function until<T>(what: string, read: () => T | undefined | null | false): Promise<T> {
  const deadline = performance.now() + WAIT_MS;
  for (;;) {
    const found = read();
    if (found !== undefined && found !== null && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`${what} did not come`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
