import type { Server as NodeServer } from "node:http";
import { isDeepStrictEqual } from "node:util";
import type { CompanyId, TicketId } from "@balcao/contract";
import {
  addressedEventName,
  companyEventNames,
  companyEvents,
  limits,
  READY_EVENT,
} from "@balcao/contract";
import { Gauge } from "prom-client";
import type { Socket } from "socket.io";
import { Server } from "socket.io";
import type { z } from "zod";
import type { Authenticator, UserCtx } from "../context.ts";
import type { Logger } from "../logging/logger.ts";
import type { Metrics } from "../metrics/metrics.ts";
import type { Clock, IdSource } from "../sources.ts";
import type { FanOut } from "./fan-out.ts";
import { createFanOut } from "./fan-out.ts";
import type {
  AddressedRealtime,
  Presence,
  PresenceListener,
  Realtime,
  RealtimeRights,
  Room,
} from "./hub.ts";
import { rooms, roomsAt } from "./hub.ts";
import type { LocalSockets } from "./local-sockets.ts";
import { createHandshake, createLocalSockets } from "./local-sockets.ts";
import type { Viewing } from "./socket-session.ts";
import { createSocketSession } from "./socket-session.ts";

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
      onSeen: (ctx) => tellPresence("seen", ctx),
      // Reading the rights again ends the sockets, or finds a later end.
      onExpiry: ({ companyId, actor }) => sockets.refreshUser(companyId, actor.userId),
      // The library's own room of a socket. It is used in `except` only, so its name needs no company.
      onViewing: (ctx, viewing) => tellViewers(ctx, viewing, socket.id as Room),
    });
    sockets.add(session);
    socket.on("disconnect", () => {
      sockets.remove(session);
      session.left();
      if (!sockets.has(session.companyId, session.userId)) tellPresence("left", session.current());
    });
    // The in-memory adapter joins synchronously, so no event can be missed in between.
    void session.enter();
    socket.emit(READY_EVENT);
    tellPresence("connected", session.current());
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
      emit(companyEventNames(companyId, subject), payload, to, except, within);
    },
    send({ subject, payload: schema }, destination, payload) {
      if (options.checkPayloads) checkPayload(subject, schema, payload);
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
