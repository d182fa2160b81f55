import type { AvailabilityChange, CompanyId, SessionUser, UserId } from "@balcao/contract";
import { subMilliseconds } from "date-fns/subMilliseconds";
import { sql } from "drizzle-orm";
import type { UserCtx } from "../../platform/context.ts";
import { systemCtx } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import { hasId } from "../../platform/db/records.ts";
import { users } from "../../platform/db/schema/index.ts";
import type { DomainEvents } from "../../platform/events.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Presence, PresenceListener, Realtime } from "../../platform/realtime/hub.ts";
import type { Clock } from "../../platform/sources.ts";
import { findAccount, publishUser, requireAccount, toSessionUser } from "./session-user.ts";

declare module "../../platform/events.ts" {
  interface EventPayloads {
    /** A user may be able to take more tickets: is online or available again, or has another limit or other queues. */
    "user.capacityChanged": { userId: UserId };
  }
}

/** A user without a heartbeat for this long is away: two missed heartbeats and some slack (wire-contract 3.6). */
const SILENT_AFTER_MS = 10 * 60_000;
/** Heartbeats are stored no more often than this. */
const SEEN_EVERY_MS = 60_000;
/** A user whose last socket closed is online for this long, and was never away if back by then (behaviour 8.7). */
const DEFAULT_AWAY_DELAY_MS = 5 * 60_000;

export type UserPresenceDeps = {
  db: Database;
  clock: Clock;
  log: Logger;
  realtime: Realtime & Presence;
  domainEvents: DomainEvents;
  awayDelayMs?: number;
};

/**
 * Sets `online` with a user's first socket, and clears it five minutes after the last one, in any process. Of a process that
 * ended meanwhile, the job for silent users clears it.
 */
export function createUserPresence(deps: UserPresenceDeps) {
  const { db, clock, log, realtime, domainEvents, awayDelayMs = DEFAULT_AWAY_DELAY_MS } = deps;
  const leaving = new Map<UserId, ReturnType<typeof setTimeout>>();

  async function announce(tx: Tx, companyId: CompanyId, userId: UserId): Promise<void> {
    const account = await findAccount(tx, companyId, userId);
    if (account) tx.onCommit(() => publishUser(realtime, account));
  }

  async function setOnline(companyId: CompanyId, userId: UserId): Promise<void> {
    const now = clock.now();
    const staleSince = subMilliseconds(now, SEEN_EVERY_MS);
    await db.transaction({ companyId }, async (tx) => {
      // No write while the stored heartbeat is recent.
      const [changed] = await tx.query<{ wasOnline: boolean }>(sql`
        update users u set online = true, last_seen_at = ${now}
        from (select id, online from users where company_id = ${companyId} and id = ${userId} and deleted_at is null for update) old
        where u.company_id = ${companyId} and u.id = old.id
          and (not old.online or u.last_seen_at is null or u.last_seen_at < ${staleSince})
        returning old.online as "wasOnline"`);
      if (!changed || changed.wasOnline) return;
      await announce(tx, companyId, userId);
      const ctx = systemCtx(companyId, "presence", "online");
      await domainEvents.publish(tx, ctx, "user.capacityChanged", { userId });
    });
  }

  async function setOffline(companyId: CompanyId, userId: UserId): Promise<void> {
    await db.transaction({ companyId }, async (tx) => {
      const changed = await tx.query(sql`
        update users set online = false where company_id = ${companyId} and id = ${userId} and online returning id`);
      if (changed.length > 0) await announce(tx, companyId, userId);
    });
  }

  async function leaveUnlessBack(companyId: CompanyId, userId: UserId): Promise<void> {
    leaving.delete(userId);
    if (await realtime.isConnected(companyId, userId)) return;
    await setOffline(companyId, userId);
    // The user may have come back while this was written.
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
          // The user stays online until the job for silent users runs.
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
        const users = await tx.query<{ companyId: CompanyId; userId: UserId }>(sql`
          update users set online = false
          where online and (last_seen_at is null or last_seen_at < ${silentSince})
          returning company_id as "companyId", id as "userId"`);
        for (const { companyId, userId } of users) await announce(tx, companyId, userId);
      });
    },

    /** Cancels the timers; for the stop of the process. */
    close(): void {
      for (const timer of leaving.values()) clearTimeout(timer);
      leaving.clear();
    },
  };
}

/** The caller takes new tickets from now on, or does not. Tickets that the caller has stay. */
export async function changeAvailability(
  { db, clock, realtime, domainEvents }: Omit<UserPresenceDeps, "log">,
  ctx: UserCtx,
  change: AvailabilityChange,
): Promise<SessionUser> {
  const { availability } = change;
  const pauseReason = change.availability === "paused" ? change.pauseReason : null;
  const { userId } = ctx.actor;
  return db.transaction(ctx, async (tx) => {
    await tx.orm
      .update(users)
      .set({ availability, pauseReason, availabilitySince: clock.now() })
      .where(hasId(ctx, users, userId));
    const account = await requireAccount(ctx, tx, userId);
    tx.onCommit(() => publishUser(realtime, account));
    await domainEvents.publish(tx, ctx, "user.capacityChanged", { userId });
    return toSessionUser(account);
  });
}
