import type { GroupMetadata, WASocket } from "baileys";
import { within } from "../runtime/within.ts";

const KEPT_MS = 10 * 60_000;
const QUERY_MS = 5_000;
const MAX_GROUPS = 500;

/** What the network says of groups, until it says that it has changed. */
export class Groups {
  readonly #known = new Map<string, { metadata: GroupMetadata; atMs: number }>();

  /** For sending: without it the library asks before each message. */
  find(jid: string): GroupMetadata | undefined {
    const known = this.#known.get(jid);
    if (!known || performance.now() - known.atMs > KEPT_MS) return undefined;
    return known.metadata;
  }

  /** Also when it is old: a name is better than none. */
  nameOf(jid: string): string | undefined {
    return this.#known.get(jid)?.metadata.subject;
  }

  /** Asks for the groups that are not known. One that is not told soon stays without a name. */
  async learn(socket: WASocket, jids: Iterable<string>): Promise<void> {
    const missing = [...new Set(jids)].filter((jid) => !this.#known.has(jid));
    await Promise.all(
      missing.map(async (jid) => {
        try {
          this.#keep(jid, await within(QUERY_MS, socket.groupMetadata(jid)));
        } catch {
          // We may have left it; its messages are worth having all the same.
        }
      }),
    );
  }

  renamed(jid: string, subject: string | undefined): void {
    const known = this.#known.get(jid);
    if (known && subject !== undefined) {
      this.#known.set(jid, { ...known, metadata: { ...known.metadata, subject } });
    }
    this.changed(jid);
  }

  /** Its members, or how it is addressed: the next message asks again. */
  changed(jid: string): void {
    const known = this.#known.get(jid);
    if (known) known.atMs = -Infinity;
  }

  #keep(jid: string, metadata: GroupMetadata): void {
    this.#known.set(jid, { metadata, atMs: performance.now() });
    if (this.#known.size <= MAX_GROUPS) return;
    const [oldest] = this.#known.keys();
    if (oldest !== undefined) this.#known.delete(oldest);
  }
}
