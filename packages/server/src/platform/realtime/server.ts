import type { Server as NodeServer } from "node:http";
import type { TicketId } from "@balcao/contract";
import { companyEventNames, limits, READY_EVENT } from "@balcao/contract";
import { Gauge } from "prom-client";
import type { Socket } from "socket.io";
import { Server } from "socket.io";
import type { Authenticator } from "../authenticator.ts";
import type { UserCtx } from "../context.ts";
import type { Logger } from "../logging/logger.ts";
import type { Metrics } from "../metrics/metrics.ts";
import type { Clock, IdSource } from "../sources.ts";
import type { FanOut } from "./fan-out.ts";
import { createFanOut } from "./fan-out.ts";
import { createHandshake } from "./handshake.ts";
import type { Presence, PresenceListener, Realtime, RealtimeRights, Room } from "./hub.ts";
import { rooms } from "./hub.ts";
import type { LocalSockets } from "./local-sockets.ts";
import { createLocalSockets } from "./local-sockets.ts";
import { checkPayload } from "./payload-check.ts";
import { createSocketSession } from "./socket-session.ts";
import type { Viewing } from "./viewing.ts";

/** Clients of the family whose base URL ends in `/api` connect to the second one; both are the same to the product. */
const NAMESPACES = ["/", "/api"] as const;

/** The events of clients are a few short fields at most. */
const MAX_CLIENT_EVENT_BYTES = 10_000;

type RealtimeOptions = {
  /** Several processes share the database: events reach the sockets of all. */
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
  /** Told what a window does with a ticket that its user may see, after his colleagues were told. */
  onViewing?: (ctx: UserCtx, viewing: Viewing) => void;
};

export type RealtimeServer = Realtime &
  RealtimeRights &
  Presence & {
    /** Drops all sockets and stops; clients connect again to another process or after the restart. */
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
    if (isClosing) return; // the clients are about to come back
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
    async isConnected(companyId, userId) {
      if (sockets.has(companyId, userId)) return true;
      return fanOut ? fanOut.isConnectedElsewhere(companyId, userId) : false;
    },

    async close() {
      isClosing = true;
      sockets.close();
      // Not io.close(): that would close the HTTP server as well, which ends by itself.
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
/** To whoever else has the ticket open; `own` is the room of the socket that says it. */
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
      onSeen: (ctx) => tellPresence("seen", ctx),
      // Reading the rights anew ends the sockets, or finds a later end.
      onExpiry: ({ companyId, actor }) => sockets.refreshUser(companyId, actor.userId),
      // The library's own room of a socket: in `except` only, so no company is in its name.
      onViewing: (ctx, viewing) => tellViewers(ctx, viewing, socket.id as Room),
    });
    sockets.add(session);
    socket.on("disconnect", () => {
      sockets.remove(session);
      session.left();
      if (!sockets.has(session.companyId, session.userId)) tellPresence("left", session.current());
    });
    // The in-memory adapter joins at once; nothing is awaited, so no event can fall in between.
    void session.enter();
    socket.emit(READY_EVENT);
    tellPresence("connected", session.current());
  }

  for (const name of NAMESPACES) {
    io.of(name).use((socket, next) => handshake.admit(socket, next));
    io.of(name).on("connection", connect);
  }
}

/** What others do with all sockets of the installation: here at once, in the other processes by notification. */
function createSending(
  sockets: LocalSockets,
  fanOut: FanOut | null,
  options: RealtimeOptions,
): Realtime & RealtimeRights {
  return {
    publish(companyId, subject, payload, to, except = []) {
      if (options.checkPayloads) checkPayload(subject, payload);
      // Without a room the library would send to every socket of every company.
      if (to.length === 0) return;
      const events = companyEventNames(companyId, subject);
      sockets.publish(events, payload, to, except);
      fanOut?.tell("publish", events, payload, to, except);
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
