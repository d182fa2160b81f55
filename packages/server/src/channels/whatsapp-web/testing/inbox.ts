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
  const kept = new Map<string, Received>();
  return {
    /** Whether it was there before; then it has come once more. */
    drops: (id: string): boolean => {
      const known = kept.get(id);
      if (known) known.copies += 1;
      return known !== undefined;
    },
    take: ({ id, message }: Arrival): void => {
      kept.set(id, { id, message, text: textOf(message), copies: 1 });
    },
    all: (): Received[] => [...kept.values()],
    find: (id: string): Received | undefined => kept.get(id),
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
