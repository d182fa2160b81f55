import type { Address, DurableEvent } from "../port.ts";

/** Chats that are remembered; whoever was silent for so long that he is not is told nothing. */
const CHATS = 2_000;

/** The newest message of each customer: Meta is told of typing as an answer to one. */
export class LatestMessages {
  readonly #ids = new Map<string, string>();

  note(events: readonly DurableEvent[]): void {
    for (const event of events) {
      if (event.type !== "message" || event.ref.fromMe) continue;
      for (const address of event.from.addresses) {
        const key = keyOf(address);
        this.#ids.delete(key);
        this.#ids.set(key, event.ref.id);
      }
    }
    for (const key of this.#ids.keys()) {
      if (this.#ids.size <= CHATS) break;
      this.#ids.delete(key);
    }
  }

  of(chat: Address): string | null {
    return this.#ids.get(keyOf(chat)) ?? null;
  }
}

const keyOf = ({ kind, value }: Address): string => `${kind}:${value}`;
