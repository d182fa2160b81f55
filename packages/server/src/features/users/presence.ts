import type { CompanyId, UserId } from "@balcao/contract";
import { subMilliseconds } from "date-fns/subMilliseconds";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Presence, PresenceListener, Realtime } from "../../platform/realtime/hub.ts";
import type { Clock } from "../../platform/sources.ts";
import { publishUser } from "./events.ts";
import { markOffline, markOnline, markSilentOfflineAcrossCompanies } from "./repository.ts";
import { findAccount } from "./session-user.ts";

/** Without a sign of life for two signals of the client and some slack, a user is away (wire-contract 3.6). */
const SILENT_AFTER_MS = 10 * 60_000;
/** Signs of life are written down no more often than this. */
const SEEN_EVERY_MS = 60_000;
/** A page that reloads is back within this time and was never away. */
const DEFAULT_AWAY_DELAY_MS = 3_000;

export type UserPresenceDeps = {
  db: Database;
  clock: Clock;
  log: Logger;
  realtime: Realtime & Presence;
  awayDelayMs?: number;
};

/** Keeps `online` true to the sockets: on with the first one, off a moment after the last one, in any process. */
export function createUserPresence(deps: UserPresenceDeps) {
  const { db, clock, log, realtime, awayDelayMs = DEFAULT_AWAY_DELAY_MS } = deps;
  const leaving = new Map<UserId, ReturnType<typeof setTimeout>>();

  async function announce(tx: Tx, companyId: CompanyId, userId: UserId): Promise<void> {
    const account = await findAccount(tx, companyId, userId);
    if (account) tx.onCommit(() => publishUser(realtime, account));
  }

  async function setOnline(companyId: CompanyId, userId: UserId): Promise<void> {
    const now = clock.now();
    const staleSince = subMilliseconds(now, SEEN_EVERY_MS);
    await db.transaction({ companyId }, async (tx) => {
      const changed = await markOnline(tx, companyId, userId, { now, staleSince });
      if (changed) await announce(tx, companyId, userId);
    });
  }

  async function setOffline(companyId: CompanyId, userId: UserId): Promise<void> {
    await db.transaction({ companyId }, async (tx) => {
      if (await markOffline(tx, companyId, userId)) await announce(tx, companyId, userId);
    });
  }

  async function leaveUnlessBack(companyId: CompanyId, userId: UserId): Promise<void> {
    leaving.delete(userId);
    if (await realtime.isConnected(companyId, userId)) return;
    await setOffline(companyId, userId);
    // He may have come back while this was written.
    if (await realtime.isConnected(companyId, userId)) await setOnline(companyId, userId);
  }

  const listener: PresenceListener = {
    async connected({ companyId, actor: { userId } }) {
      clearTimeout(leaving.get(userId));
      leaving.delete(userId);
      await setOnline(companyId, userId);
    },
    seen: ({ companyId, actor }) => setOnline(companyId, actor.userId),
    async left({ companyId, actor: { userId } }) {
      clearTimeout(leaving.get(userId));
      const timer = setTimeout(() => {
        leaveUnlessBack(companyId, userId).catch((error: unknown) => {
          // He stays online until the job for silent users looks.
          log.warn({ err: error, companyId }, "a user who left was not marked offline");
        });
      }, awayDelayMs);
      leaving.set(userId, timer);
    },
  };
  realtime.onPresence(listener);

  return {
    setOffline,

    /** For the job runner: users whose clients have been silent too long, in all companies. */
    async markSilentUsersOffline(): Promise<void> {
      const silentSince = subMilliseconds(clock.now(), SILENT_AFTER_MS);
      await db.acrossCompanies(async (tx) => {
        const users = await markSilentOfflineAcrossCompanies(tx, silentSince);
        for (const { companyId, userId } of users) await announce(tx, companyId, userId);
      });
    },

    /** Forgets who was about to leave; for the stop of the process. */
    close(): void {
      for (const timer of leaving.values()) clearTimeout(timer);
      leaving.clear();
    },
  };
}
