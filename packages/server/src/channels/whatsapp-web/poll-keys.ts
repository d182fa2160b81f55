import type { SignalKeyStore, WAMessage } from "baileys";
import { z } from "zod";
import type { Self } from "./content/addresses.ts";
import { pollKeyOf, readPollVote, votedPollId } from "./content/polls.ts";

const pollKey = z.object({
  id: z.string(),
  secret: z.string(),
  options: z.array(z.string()),
  creators: z.array(z.string()),
});

const KIND = "poll";

/** Secrets of polls, kept among the session's keys: a vote can only be read with its poll's. */
export class PollKeys {
  readonly #keys: SignalKeyStore;

  constructor(keys: SignalKeyStore) {
    this.#keys = keys;
  }

  /** Keeps a poll; answers the options of a vote, null when the message is none or cannot be read. */
  async take(message: WAMessage, self: Self): Promise<readonly string[] | null> {
    const poll = pollKeyOf(message, self);
    // A kind of key that the library does not know.
    if (poll) await this.#keys.set({ [KIND]: { [poll.id]: poll } } as object);
    const id = votedPollId(message);
    if (id === null) return null;
    const { [id]: kept } = await this.#keys.get(KIND as "session", [id]);
    const known = pollKey.safeParse(kept);
    return known.success ? readPollVote(message, known.data, self) : null;
  }
}
