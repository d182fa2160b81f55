import type { Server as NodeServer } from "node:http";
import { isDeepStrictEqual } from "node:util";
import type { CompanyId, TicketId, UserId } from "@balcao/contract";
import {
  addressedEventName,
  companyEventNames,
  companyEvents,
  limits,
  READY_EVENT,
} from "@balcao/contract";
import { createAdapter } from "@socket.io/postgres-adapter";
import pg from "pg";
import { Gauge } from "prom-client";
import type { DefaultEventsMap, Socket } from "socket.io";
import { Server } from "socket.io";
import type { z } from "zod";
import type { Authenticator, UserCtx } from "../context.ts";
import type { Logger } from "../logging/logger.ts";
import type { Metrics } from "../metrics/metrics.ts";
import { markMoment } from "../observing/work.ts";
import type { Clock, IdSource } from "../sources.ts";
import type {
  AddressedRealtime,
  FanOutMessages,
  LocalSockets,
  Presence,
  PresenceListener,
  Realtime,
  RealtimeRights,
  Room,
} from "./hub.ts";
import { createLocalSockets, rooms, roomsAt } from "./hub.ts";
import type { Viewing } from "./socket-session.ts";
import { createHandshake, createSocketSession } from "./socket-session.ts";

/** Clients whose base URL ends in `/api` connect to the second one; both behave the same. */
const NAMESPACES = ["/", "/api"] as const;

/** Clients' events have a few short fields. */
const MAX_CLIENT_EVENT_BYTES = 10_000;

type RealtimeOptions = {
  /** Several processes share the database: events reach the sockets of all processes. */
  distributed: boolean;
  serviceUrl: string;
  /** Compare every payload with the contract (tests and development). */
  checkPayloads: boolean;
};

export type RealtimeDeps = {
  options: RealtimeOptions;
  server: NodeServer;
  log: Logger;
  clock: Clock;
  ids: IdSource;
  metrics: Metrics;
  authenticator: Authenticator;
  /** Whether a user may see a ticket now; the ticket feature decides. */
  canSeeTicket: (ctx: UserCtx, ticketId: TicketId) => Promise<boolean>;
  /** Called after a viewing event was sent to the other viewers of the ticket. */
  onViewing?: (ctx: UserCtx, viewing: Viewing) => void;
};

export type RealtimeServer = Realtime &
  AddressedRealtime &
  RealtimeRights &
  Presence & {
    /** The company's subscription changed, or it was disabled: its sockets in this process get or lose their rights. */
    refreshCompany(companyId: CompanyId): void;
    /** Closes all sockets and stops; clients reconnect to another process or after the restart. */
    close(): Promise<void>;
  };

/** The live channel (wire-contract 7), attached to the HTTP server. Room names carry the company. */
export async function createRealtimeServer(deps: RealtimeDeps): Promise<RealtimeServer> {
  const { options, log } = deps;
  const io = openSockets(deps.server);
  const sockets = createLocalSockets({
    ...deps,
    namespaces: NAMESPACES.map((name) => io.of(name)),
  });
  const fanOut = options.distributed
    ? await createFanOut({ serviceUrl: options.serviceUrl, log, receive: sockets })
    : null;
  const presence: PresenceListener[] = [];
  let isClosing = false;

  function tellPresence(what: keyof PresenceListener, ctx: UserCtx): void {
    if (isClosing) return; // the clients will reconnect
    for (const listener of presence) {
      listener[what](ctx).catch((error: unknown) => {
        log.error({ err: error, companyId: ctx.companyId, what }, "presence was not recorded");
      });
    }
  }

  const sending = createSending(sockets, fanOut, options);
  const tellViewers: TellViewers = (ctx, viewing, own) => {
    if (isClosing) return;
    const { companyId, actor } = ctx;
    const { ticketId, windowId, state } = viewing;
    const payload = { ticketId, user: { id: actor.userId, name: actor.name }, windowId, state };
    sending.publish(
      companyId,
      "ticketViewers",
      payload,
      [rooms.ticket(companyId, ticketId)],
      [own],
    );
    deps.onViewing?.(ctx, viewing);
  };
  acceptClients(io, sockets, { tellPresence, tellViewers }, deps);
  countSockets(deps.metrics, sockets);

  return {
    ...sending,

    onPresence(listener) {
      presence.push(listener);
    },
    refreshCompany: (companyId) => sockets.refreshCompany(companyId),
    async isConnected(companyId, userId) {
      if (sockets.has(companyId, userId)) return true;
      return fanOut ? fanOut.isConnectedElsewhere(companyId, userId) : false;
    },

    async close() {
      isClosing = true;
      sockets.close();
      // Not io.close(): it would also close the HTTP server, which closes separately.
      io.engine.close();
      await fanOut?.close();
    },
  };
}

function openSockets(server: NodeServer): Server {
  return new Server(server, {
    transports: ["websocket"],
    pingInterval: limits.socketPingMs,
    pingTimeout: limits.socketPingMs,
    perMessageDeflate: false,
    maxHttpBufferSize: MAX_CLIENT_EVENT_BYTES,
    connectTimeout: 20_000,
    serveClient: false,
  });
}

type TellPresence = (what: keyof PresenceListener, ctx: UserCtx) => void;
/** Sends to the other sockets that have the ticket open; `own` is the room of the sending socket. */
type TellViewers = (ctx: UserCtx, viewing: Viewing, own: Room) => void;

function acceptClients(
  io: Server,
  sockets: LocalSockets,
  { tellPresence, tellViewers }: { tellPresence: TellPresence; tellViewers: TellViewers },
  deps: RealtimeDeps,
): void {
  const handshake = createHandshake(deps);

  function connect(socket: Socket): void {
    const session = createSocketSession(socket, handshake.take(socket), {
      ...deps,
      onSeen: (ctx) => (ctx.actor.isVisitor ? undefined : tellPresence("seen", ctx)),
      // Reading the rights again ends the sockets, or finds a later end.
      onExpiry: ({ companyId, actor }) => sockets.refreshUser(companyId, actor.userId),
      // The library's own room of a socket. It is used in `except` only, so its name needs no company.
      onViewing: (ctx, viewing) => tellViewers(ctx, viewing, socket.id as Room),
    });
    sockets.add(session);
    socket.on("disconnect", () => {
      sockets.remove(session);
      session.left();
      if (session.visitId !== null) return;
      if (!sockets.has(session.companyId, session.userId)) tellPresence("left", session.current());
    });
    // The in-memory adapter joins synchronously, so no event can be missed in between.
    void session.enter();
    socket.emit(READY_EVENT);
    // The user whose rights a visitor has is not there.
    if (session.visitId === null) tellPresence("connected", session.current());
  }

  for (const name of NAMESPACES) {
    io.of(name).use((socket, next) => handshake.admit(socket, next));
    io.of(name).on("connection", connect);
  }
}

/** Commands to all sockets of the installation: in this process at once, in the others by notification. */
function createSending(
  sockets: LocalSockets,
  fanOut: FanOut | null,
  options: RealtimeOptions,
): Realtime & AddressedRealtime & RealtimeRights {
  const emit: LocalSockets["publish"] = (events, payload, to, ...narrowed) => {
    // Without rooms, the library would send to every socket of every company.
    if (to.length === 0) return;
    sockets.publish(events, payload, to, ...narrowed);
    fanOut?.tell("publish", events, payload, to, ...narrowed);
  };
  return {
    publish(companyId, subject, payload, to, except = [], within = []) {
      if (options.checkPayloads) checkPayload(subject, companyEvents[subject], payload);
      markMoment(`event ${subject}`);
      const action = "action" in payload ? payload.action : "update";
      emit(companyEventNames(companyId, subject, action), payload, to, except, within);
    },
    send({ subject, payload: schema }, destination, payload) {
      if (options.checkPayloads) checkPayload(subject, schema, payload);
      markMoment(`event ${subject}`);
      const { to, except } = roomsAt(destination);
      emit([addressedEventName(subject, destination)], payload, to, except, []);
    },
    refreshUser(companyId, userId) {
      sockets.refreshUser(companyId, userId);
      fanOut?.tell("refreshUser", companyId, userId);
    },
    refreshTicket(companyId, ticketId, told) {
      sockets.refreshTicket(companyId, ticketId, told);
      fanOut?.tell("refreshTicket", companyId, ticketId, told);
    },
    disconnectUser(companyId, userId, limit = null) {
      sockets.disconnectUser(companyId, userId, limit);
      fanOut?.tell("disconnectUser", companyId, userId, limit);
    },
    disconnectSession(companyId, sessionId) {
      sockets.disconnectSession(companyId, sessionId);
      fanOut?.tell("disconnectSession", companyId, sessionId);
    },
    disconnectVisit(companyId, visitId) {
      sockets.disconnectVisit(companyId, visitId);
      fanOut?.tell("disconnectVisit", companyId, visitId);
    },
  };
}

function countSockets(metrics: Metrics, sockets: LocalSockets): void {
  const gauge: Gauge = new Gauge({
    name: "balcao_sockets",
    help: "Connected live clients of this process",
    registers: [metrics.registry],
    collect: () => gauge.set(sockets.count()),
  });
}

/**
 * Throws unless an event's payload is exactly as the contract declares. Events are sent without a reply schema, so an
 * undeclared field would be a leak.
 */
export function checkPayload(subject: string, schema: z.ZodType, payload: unknown): void {
  const sent: unknown = JSON.parse(JSON.stringify(payload));
  const result = schema.safeParse(sent);
  if (!result.success) {
    throw new Error(`event ${subject} does not fit the contract: ${result.error.message}`);
  }
  if (!isDeepStrictEqual(JSON.parse(JSON.stringify(result.data)), sent)) {
    throw new Error(`event ${subject} carries fields the contract does not declare`);
  }
}

type Told = Omit<FanOutMessages, "isConnected">;

type FanOut = {
  /** To all other processes, in the order of the calls. */
  tell<M extends keyof Told>(message: M, ...args: Parameters<Told[M]>): void;
  isConnectedElsewhere(companyId: CompanyId, userId: UserId): Promise<boolean>;
  close(): Promise<void>;
};

type FanOutDeps = { serviceUrl: string; log: Logger; receive: FanOutMessages };

const GAP_RETRY_MS = 1_000;

/**
 * Carries live events between the processes of one database, with the library's PostgreSQL adapter on a separate server
 * without clients. Local sockets do not wait for it, and one notification serves all namespaces.
 *
 * The adapter does not detect lost events, so this does: after a listening session was interrupted, or a notification
 * could not be sent, the affected processes close their sockets' transports; clients reconnect and fetch again.
 */
async function createFanOut({ serviceUrl, log, receive }: FanOutDeps): Promise<FanOut> {
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
  bus.on("disconnectSession", receive.disconnectSession);
  bus.on("disconnectVisit", receive.disconnectVisit);
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
