import { setTimeout as delay } from "node:timers/promises";
import type { CompanyId, ErrorCode, UserId } from "@balcao/contract";
import type { Namespace, Socket } from "socket.io";
import type { Authenticator, UserCtx } from "../context.ts";
import { DomainError } from "../context.ts";
import { isUnavailable } from "../db/database.ts";
import type { Logger } from "../logging/logger.ts";
import type { IdSource } from "../sources.ts";
import type { FanOutMessages } from "./fan-out.ts";
import type { Room } from "./hub.ts";
import type { SocketSession } from "./socket-session.ts";

type LocalSocketsDeps = {
  namespaces: readonly Namespace[];
  authenticator: Authenticator;
  ids: IdSource;
  log: Logger;
};

/** The sockets of this process, with the commands of this and other processes. */
export type LocalSockets = FanOutMessages & {
  add(session: SocketSession): void;
  /** The company's subscription changed, or it was disabled: reads the rights of all its sockets again. */
  refreshCompany(companyId: CompanyId): void;
  remove(session: SocketSession): void;
  has(companyId: CompanyId, userId: UserId): boolean;
  count(): number;
  /** Cancels delayed disconnections. */
  close(): void;
};

export function createLocalSockets(deps: LocalSocketsDeps): LocalSockets {
  const { namespaces, authenticator, ids, log } = deps;
  const sessions = new Set<SocketSession>();
  const timers = new Set<ReturnType<typeof setTimeout>>();

  const sessionsOf = (companyId: CompanyId, userId: UserId): SocketSession[] =>
    [...sessions].filter((session) => session.companyId === companyId && session.userId === userId);

  const later = (delayMs: number, action: () => void): void => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      action();
    }, delayMs);
    timers.add(timer);
  };

  async function refresh(companyId: CompanyId, userId: UserId): Promise<void> {
    const ctx = await authenticator.reload(companyId, userId, ids.uuid());
    for (const session of sessionsOf(companyId, userId)) {
      if (ctx) session.adopt(ctx);
      else session.end();
    }
  }

  function refreshUser(companyId: CompanyId, userId: UserId): void {
    if (sessionsOf(companyId, userId).length === 0) return;
    refresh(companyId, userId).catch((error: unknown) => {
      // Without known rights a socket may not stay; its client reconnects until the rights can be read.
      log.error({ err: error, companyId }, "a user's rights could not be read again");
      for (const session of sessionsOf(companyId, userId)) session.dropTransport();
    });
  }

  return {
    add: (session) => sessions.add(session),
    remove: (session) => sessions.delete(session),
    has: (companyId, userId) => sessionsOf(companyId, userId).length > 0,
    count: () => sessions.size,

    publish(events, payload, to, except, within) {
      for (const namespace of namespaces) {
        const audienceRooms =
          within.length === 0 ? [...to] : socketsInAll(namespace, [to, ...within]);
        // Without sockets, encoding the payload is a waste; without rooms, the library would send to everybody.
        if (namespace.sockets.size === 0 || audienceRooms.length === 0) continue;
        const audience = namespace.to(audienceRooms).except([...except]);
        for (const event of events) audience.emit(event, payload);
      }
    },

    refreshUser,

    refreshCompany(companyId) {
      const own = [...sessions].filter((session) => session.companyId === companyId);
      for (const userId of new Set(own.map((session) => session.userId))) {
        refreshUser(companyId, userId);
      }
    },

    refreshTicket(companyId, ticketId, told) {
      for (const session of sessions) {
        if (session.companyId === companyId) session.reviewTicket(ticketId, told);
      }
    },

    disconnectUser(companyId, userId, limit) {
      const end = (): void => {
        for (const session of sessionsOf(companyId, userId)) {
          if (!limit || session.tokenVersion < limit.olderThan) session.end();
        }
      };
      if (limit) later(limit.afterMs, end);
      else end();
    },

    gap() {
      log.warn({ sockets: sessions.size }, "live events were lost; clients fetch anew");
      for (const session of sessions) session.dropTransport();
    },

    isConnected(companyId, userId, answer) {
      answer(sessionsOf(companyId, userId).length > 0);
    },

    close() {
      for (const timer of timers) clearTimeout(timer);
      timers.clear();
    },
  };
}

/** The ids of the sockets that are in at least one room of each list. A socket's id is also its own room. */
function socketsInAll({ adapter }: Namespace, lists: readonly (readonly Room[])[]): string[] {
  const [first = new Set<string>(), ...others] = lists.map(
    (list) => new Set(list.flatMap((room) => [...(adapter.rooms.get(room) ?? [])])),
  );
  return [...first].filter((id) => others.every((other) => other.has(id)));
}

type HandshakeDeps = { authenticator: Authenticator; ids: IdSource; log: Logger };

type Admitted = { ctx: UserCtx; tokenVersion: number };
type Next = (error?: Error & { data?: unknown }) => void;

const UNAVAILABLE_TRIES = 10;
const UNAVAILABLE_RETRY_MS = 1_000;

/**
 * Admits clients by their access token, from `auth.token` or, for older clients, from the query. A refusal is a
 * connect_error with the code in the message and in `data.code`, after which the client does not retry by itself. So while
 * the database is unavailable nobody is refused: the client waits, then its transport is closed.
 */
export function createHandshake({ authenticator, ids, log }: HandshakeDeps) {
  const admitted = new WeakMap<Socket, Admitted>();

  async function prove(socket: Socket): Promise<Admitted> {
    const token = tokenOf(socket);
    if (token === null) throw new DomainError("ERR_SESSION_EXPIRED");
    const identity = await authenticator.identify(token);
    if (identity === null) throw new DomainError("ERR_TOKEN_EXPIRED");
    const ctx = await authenticator.authorise(identity, null, ids.uuid());
    return { ctx, tokenVersion: identity.tokenVersion };
  }

  async function proveWhenAvailable(socket: Socket): Promise<Admitted | null> {
    for (let attempt = 1; attempt <= UNAVAILABLE_TRIES && isOpen(socket); attempt += 1) {
      try {
        return await prove(socket);
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        if (attempt === 1) log.warn({ err: error }, "sockets wait for the database");
        await delay(UNAVAILABLE_RETRY_MS, undefined, { ref: false });
      }
    }
    return null;
  }

  return {
    admit(socket: Socket, next: Next): void {
      proveWhenAvailable(socket).then(
        (result) => {
          if (result === null) {
            socket.conn.close();
            return;
          }
          admitted.set(socket, result);
          next();
        },
        (error: unknown) => {
          if (!(error instanceof DomainError)) log.error({ err: error }, "handshake failed");
          next(refusal(error instanceof DomainError ? error.code : "ERR_INTERNAL"));
        },
      );
    },
    /** The identity that `admit` found for a socket. */
    take(socket: Socket): Admitted {
      const result = admitted.get(socket);
      if (!result) throw new Error("a socket connected without a handshake");
      admitted.delete(socket);
      return result;
    },
  };
}

function isOpen(socket: Socket): boolean {
  return socket.conn.readyState === "open";
}

function refusal(code: ErrorCode): Error & { data: { code: ErrorCode } } {
  return Object.assign(new Error(code), { data: { code } });
}

function tokenOf(socket: Socket): string | null {
  const { auth, query } = socket.handshake;
  for (const token of [auth["token"], query["token"]]) {
    if (typeof token === "string" && token !== "") return token;
  }
  return null;
}
