import type { CompanyId, UserId } from "@balcao/contract";
import type { Namespace } from "socket.io";
import type { Authenticator } from "../authenticator.ts";
import type { Logger } from "../logging/logger.ts";
import type { IdSource } from "../sources.ts";
import type { FanOutMessages } from "./fan-out.ts";
import type { SocketSession } from "./socket-session.ts";

export type LocalSocketsDeps = {
  namespaces: readonly Namespace[];
  authenticator: Authenticator;
  ids: IdSource;
  log: Logger;
};

/** The sockets of this process, and what this or another process wants done with them. */
export type LocalSockets = FanOutMessages & {
  add(session: SocketSession): void;
  remove(session: SocketSession): void;
  has(companyId: CompanyId, userId: UserId): boolean;
  count(): number;
  /** Forgets what was to be done later. */
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

  return {
    add: (session) => sessions.add(session),
    remove: (session) => sessions.delete(session),
    has: (companyId, userId) => sessionsOf(companyId, userId).length > 0,
    count: () => sessions.size,

    publish(events, payload, to, except) {
      for (const namespace of namespaces) {
        if (namespace.sockets.size === 0) continue; // else the payload would be encoded for nobody
        const audience = namespace.to([...to]).except([...except]);
        for (const event of events) audience.emit(event, payload);
      }
    },

    refreshUser(companyId, userId) {
      if (sessionsOf(companyId, userId).length === 0) return;
      refresh(companyId, userId).catch((error: unknown) => {
        // Rights that cannot be read are no rights; the clients come back when they can.
        log.error({ err: error, companyId }, "a user's rights could not be read again");
        for (const session of sessionsOf(companyId, userId)) session.dropTransport();
      });
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
