import pg from "pg";
import type { Logger } from "../logging/logger.ts";
import type { Tx } from "./database.ts";

export type WakeListener = (topic: string) => void;

/**
 * Wake-ups between processes: "look again at this topic", nothing more. They make things quick and are never relied on
 * alone: one that is lost (a broken connection, a crash between commit and sending) is made good by the listener's poll.
 */
export type Wake = {
  /** Wakes once the transaction has committed, and not if it does not. */
  notify(tx: Tx, topic: string): void;
  /** Wakes now: listeners of this process at once, those of others in about a millisecond. */
  send(topic: string): void;
  /** Calls the listener with every topic that begins with the prefix; answers how to stop it. */
  on(prefix: string, listener: WakeListener): () => void;
  /** Resolves when the wake-ups of other processes arrive here. */
  ready(): Promise<void>;
  close(): Promise<void>;
};

export type WakeOptions = { url: string; log: Logger };

const CHANNEL = "balcao_wake";
const HEARTBEAT_MS = 15_000;
const ANSWER_MS = 5_000;
const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 5_000;

const listenStatement = `listen ${CHANNEL}`;
const sendStatement = {
  name: "wake-send",
  text: `select pg_notify('${CHANNEL}', topic) from unnest($1::text[]) as topic`,
};

/**
 * One connection of its own, which listens and sends, and is made again when it breaks.
 *
 * `notify` sends after the commit instead of inside the transaction: PostgreSQL lets only one transaction with a NOTIFY
 * commit at a time, which would put all writers of the installation in one line.
 */
export function startWake({ url, log }: WakeOptions): Wake {
  const listeners = new Set<{ prefix: string; listener: WakeListener }>();
  const waitingForReady: (() => void)[] = [];
  /** Topics not sent yet; several commits of a moment are one statement, and a topic is in it once. */
  let unsent = new Set<string>();
  let isSending = false;
  let client: pg.Client | null = null;
  let isClosed = false;
  let retryMs = FIRST_RETRY_MS;
  let retryTimer: NodeJS.Timeout | undefined;
  let attempt: Promise<void> = Promise.resolve();

  const heartbeat = setInterval(() => void beat(), HEARTBEAT_MS);
  heartbeat.unref();
  connect();

  function deliver(topic: string): void {
    for (const { prefix, listener } of listeners) {
      if (!topic.startsWith(prefix)) continue;
      try {
        listener(topic);
      } catch (error) {
        log.error({ err: error, topic }, "a listener of wake-ups failed");
      }
    }
  }

  function connect(): void {
    attempt = open().catch((error: unknown) => {
      if (isClosed) return;
      log.warn({ err: error, retryMs }, "no connection for wake-ups");
      retryTimer = setTimeout(connect, retryMs);
      retryTimer.unref();
      retryMs = Math.min(retryMs * 2, LONGEST_RETRY_MS);
    });
  }

  async function open(): Promise<void> {
    const opened = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: ANSWER_MS,
      query_timeout: ANSWER_MS,
      keepAlive: true,
      application_name: "balcao wake",
    });
    opened.on("error", (error) => drop(opened, error));
    opened.on("end", () => drop(opened));
    try {
      await opened.connect();
      const { rows } = await opened.query<{ id: number }>("select pg_backend_pid() as id");
      const ownId = rows[0]?.id;
      opened.on("notification", ({ processId, payload }) => {
        // Notifications of this process were delivered here already.
        if (payload !== undefined && processId !== ownId) deliver(payload);
      });
      await opened.query(listenStatement);
    } catch (error) {
      void opened.end().catch(() => undefined);
      throw error;
    }
    if (isClosed) {
      await opened.end();
      return;
    }
    client = opened;
    retryMs = FIRST_RETRY_MS;
    for (const resolve of waitingForReady.splice(0)) resolve();
    void flush();
  }

  function drop(broken: pg.Client, error?: Error): void {
    if (client !== broken) return;
    client = null;
    void broken.end().catch(() => undefined);
    if (isClosed) return;
    log.warn({ err: error }, "connection for wake-ups lost");
    connect();
  }

  /** A connection whose other end vanished says nothing; a question finds it out. */
  async function beat(): Promise<void> {
    const beating = client;
    if (!beating) return;
    try {
      await beating.query("select 1");
    } catch (error) {
      drop(beating, error instanceof Error ? error : undefined);
    }
  }

  async function flush(): Promise<void> {
    if (isSending) return;
    isSending = true;
    while (client && unsent.size > 0) {
      const sending = client;
      const topics = [...unsent];
      unsent = new Set();
      try {
        await sending.query({ ...sendStatement, values: [topics] });
      } catch (error) {
        drop(sending, error instanceof Error ? error : undefined);
      }
    }
    // Kept for a later connection they would be stale by then: the polls have seen to them.
    if (!client) unsent = new Set();
    isSending = false;
  }

  function send(topic: string): void {
    if (isClosed) return;
    if (client) {
      unsent.add(topic);
      void flush();
    }
    deliver(topic);
  }

  return {
    notify: (tx, topic) => tx.onCommit(() => send(topic)),
    send,
    on: (prefix, listener) => {
      const entry = { prefix, listener };
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
    ready: () =>
      client ? Promise.resolve() : new Promise((resolve) => void waitingForReady.push(resolve)),
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      clearInterval(heartbeat);
      clearTimeout(retryTimer);
      listeners.clear();
      await attempt;
      const closing = client;
      client = null;
      await closing?.end().catch(() => undefined);
    },
  };
}
