import type { CompanyId, TicketId, UserId } from "@balcao/contract";
import { createAdapter } from "@socket.io/postgres-adapter";
import pg from "pg";
import type { DefaultEventsMap } from "socket.io";
import { Server } from "socket.io";
import type { Logger } from "../logging/logger.ts";
import type { DisconnectLimit, Room } from "./hub.ts";

/** Messages between processes. */
export type FanOutMessages = {
  /** One event under each of its names. */
  publish: (
    events: readonly string[],
    payload: unknown,
    to: readonly Room[],
    except: readonly Room[],
    within: readonly (readonly Room[])[],
  ) => void;
  refreshUser: (companyId: CompanyId, userId: UserId) => void;
  refreshTicket: (companyId: CompanyId, ticketId: TicketId, told: readonly Room[]) => void;
  disconnectUser: (companyId: CompanyId, userId: UserId, limit: DisconnectLimit | null) => void;
  /** Events were lost: clients must fetch again. */
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
 * Carries live events between the processes of one database, with the library's PostgreSQL adapter on a separate server
 * without clients. Local sockets do not wait for it, and one notification serves all namespaces.
 *
 * The adapter does not detect lost events, so this does: after a listening session was interrupted, or a notification
 * could not be sent, the affected processes close their sockets' transports; clients reconnect and fetch again.
 */
export async function createFanOut({ serviceUrl, log, receive }: FanOutDeps): Promise<FanOut> {
  const pool = new pg.Pool({
    connectionString: serviceUrl,
    // One session listens, the other sends: with more, notifications could arrive out of order.
    max: 2,
    connectionTimeoutMillis: 5_000,
    statement_timeout: 10_000,
    application_name: "balcao-realtime",
  });
  pool.on("error", (error) => log.warn({ err: error }, "idle realtime connection lost"));
  let gapTimer: ReturnType<typeof setTimeout> | undefined;
  let isClosing = false;

  /** Tells the other processes that events were lost, with retries until it succeeds. */
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
      // PostgreSQL accepts notifications of less than 8000 bytes.
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
 * The pool as the adapter uses it: `connect` once per listening session, `query` for everything else. The adapter does
 * not listen to the error of a lost session, which would end the process, and never releases its connection.
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
    // Listens before the adapter does: events can only have been lost before this point.
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
