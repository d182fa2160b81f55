import type { BaileysEventMap, WASocket } from "baileys";
import type { Logger } from "../../platform/logging/logger.ts";

const MAX_WATCHED = 2_000;

/** People whose typing the network tells us: it has to be asked for each of them, once a session. */
export class WatchedPeople {
  readonly #watched = new Set<string>();
  readonly #log: Logger;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** Whoever writes to us now. */
  writers(socket: WASocket, { type, messages }: BaileysEventMap["messages.upsert"]): void {
    if (type !== "notify") return;
    for (const { key } of messages) {
      if (key.remoteJid && !key.fromMe) this.watch(socket, key.remoteJid);
    }
  }

  watch(socket: WASocket, jid: string): void {
    if (this.#watched.has(jid) || jid.endsWith("@g.us")) return;
    if (this.#watched.size >= MAX_WATCHED) this.#watched.clear();
    this.#watched.add(jid);
    socket.presenceSubscribe(jid).catch((error: unknown) => {
      this.#watched.delete(jid);
      this.#log.debug({ err: error }, "a person's typing is not heard");
    });
  }
}
