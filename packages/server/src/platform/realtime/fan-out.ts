import type { CompanyId, TicketId, UserId } from "@balcao/contract";
import { createAdapter } from "@socket.io/postgres-adapter";
import pg from "pg";
import type { DefaultEventsMap } from "socket.io";
import { Server } from "socket.io";
import type { Logger } from "../logging/logger.ts";
import type { DisconnectLimit, Room } from "./hub.ts";

/** What processes tell each other. */
export type FanOutMessages = {
  /** One event under each of its names. */
  publish: (
    events: readonly string[],
    payload: unknown,
    to: readonly Room[],
    except: readonly Room[],
  ) => void;
  refreshUser: (companyId: CompanyId, userId: UserId) => void;
  refreshTicket: (companyId: CompanyId, ticketId: TicketId, told: readonly Room[]) => void;
  disconnectUser: (companyId: CompanyId, userId: UserId, limit: DisconnectLimit | null) => void;
  /** Events were lost on the way: whoever listens must start afresh. */
  gap: () => void;
  isConnected: (
    companyId: CompanyId,
    userId: UserId,
    answer: (isConnected: boolean) => void,
  ) => void;
};

type Told = Omit<FanOutMessages, "isConnected">;

export type FanOut = {
  /** To all other processes, in the order of the calls. */
  tell<M extends keyof Told>(message: M, ...args: Parameters<Told[M]>): void;
  isConnectedElsewhere(companyId: CompanyId, userId: UserId): Promise<boolean>;
  close(): Promise<void>;
};

export type FanOutDeps = { serviceUrl: string; log: Logger; receive: FanOutMessages };

const GAP_RETRY_MS = 1_000;

/**
 * Carries live events between the processes of one database, by the library's PostgreSQL adapter on a server of its
 * own that no client connects to. Local sockets do not wait for it, and one notification serves all namespaces.
 *
 * The adapter does not notice what it loses, so this does: a session that listens again after a break, or a
 * notification that could not be sent, makes the processes concerned drop their sockets' transports; clients connect
 * again and fetch what they missed.
 */
export async function createFanOut({ serviceUrl, log, receive }: FanOutDeps): Promise<FanOut> {
  const pool = new pg.Pool({
    connectionString: serviceUrl,
    // One session listens, the other sends: with more, notifications would overtake each other.
    max: 2,
    connectionTimeoutMillis: 5_000,
    statement_timeout: 10_000,
    application_name: "balcao-realtime",
  });
  pool.on("error", (error) => log.warn({ err: error }, "idle realtime connection lost"));
  let gapTimer: ReturnType<typeof setTimeout> | undefined;
  let isClosing = false;

  /** Tells the others, until it succeeds, that they missed something. */
  const announceGap = (): void => {
    if (isClosing) return;
    gapTimer ??= setTimeout(() => {
      gapTimer = undefined;
      bus.serverSideEmit("gap");
    }, GAP_RETRY_MS);
  };
  const listening = listenedPool(pool, log, {
    onReceiveGap: () => receive.gap(),
    onSendFailure: announceGap,
  });

  const bus = new Server<DefaultEventsMap, DefaultEventsMap, FanOutMessages>({
    serveClient: false,
    adapter: createAdapter(listening.pool, {
      tableName: "socket_attachments",
      // The server takes notifications of less than 8000 bytes.
      payloadThreshold: 7_900,
      errorHandler: (error) => {
        if (!isClosing) log.warn({ err: error }, "realtime fan-out failed");
      },
    }),
  });
  bus.on("publish", receive.publish);
  bus.on("refreshUser", receive.refreshUser);
  bus.on("refreshTicket", receive.refreshTicket);
  bus.on("disconnectUser", receive.disconnectUser);
  bus.on("gap", receive.gap);
  bus.on("isConnected", receive.isConnected);
  await listening.started;

  return {
    tell: (message, ...args) => {
      bus.serverSideEmit<keyof FanOutMessages>(message, ...args);
    },
    async isConnectedElsewhere(companyId, userId) {
      const answers = await bus.serverSideEmitWithAck("isConnected", companyId, userId);
      return answers.some(Boolean);
    },
    async close() {
      isClosing = true;
      clearTimeout(gapTimer);
      await bus.of("/").adapter.close();
      await pool.end();
    },
  };
}

type PoolWatch = { onReceiveGap: () => void; onSendFailure: () => void };

/**
 * The pool as the adapter uses it: `connect` once per listening session, `query` for everything else. The adapter
 * leaves a lost session's error without a listener, which would end the process, and never gives its place back.
 */
function listenedPool(
  pool: pg.Pool,
  log: Logger,
  watch: PoolWatch,
): { pool: pg.Pool; started: Promise<void> } {
  let hasListened = false;
  let markStarted: () => void = () => undefined;
  const started = new Promise<void>((resolve) => {
    markStarted = resolve;
  });

  const used = Object.create(pool) as pg.Pool;
  used.connect = async () => {
    const client = await pool.connect();
    client.on("error", (error) => log.warn({ err: error }, "realtime listener lost"));
    client.once("end", () => client.release(true));
    // Before the adapter itself does: from here on nothing is missed, so what was missed ends here.
    await client.query('listen "socket.io#/"');
    if (hasListened) watch.onReceiveGap();
    hasListened = true;
    markStarted();
    return client;
  };
  const send = async (text: string, values?: unknown[]): Promise<pg.QueryResult> => {
    try {
      return await pool.query(text, values);
    } catch (error) {
      if (text.startsWith("SELECT payload")) watch.onReceiveGap();
      else if (!text.startsWith("DELETE")) watch.onSendFailure();
      throw error;
    }
  };
  Object.defineProperty(used, "query", { value: send });
  return { pool: used, started };
}
