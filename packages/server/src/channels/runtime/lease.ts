import type { ConnectionId } from "@balcao/contract";
import type { Database } from "../../platform/db/database.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Lease } from "./fence.ts";
import type { ConnectionRef } from "./handlers.ts";
import type { ChannelSettings } from "./settings.ts";
import { within } from "./within.ts";

const addLease = {
  name: "lease-add",
  text: `insert into connection_leases (connection_id, company_id) values ($1, $2)
         on conflict (connection_id) do nothing`,
};
// The pool also serves the renewals: it must not wait long for a paused process.
const limitWait = {
  name: "lease-limit-wait",
  text: `select set_config('lock_timeout', '2s', true)`,
};
// Waits for every writer of the old owner (they hold the row `for key share`), so none can commit after the change.
const lockFreeLease = {
  name: "lease-lock",
  text: `select 1 from connection_leases where connection_id = $1 and expires_at < now() for update`,
};
const takeLease = {
  name: "lease-take",
  text: `update connection_leases
            set owner = $2, fence = fence + 1, expires_at = now() + $3::int * interval '1 ms'
          where connection_id = $1 and expires_at < now()
      returning fence`,
};
// A row that somebody else locks at this moment is left for the next round, so that it cannot hold up the others.
const renewLeases = {
  name: "lease-renew",
  text: `with ours as materialized (
           select l.connection_id
             from connection_leases l
             join unnest($2::int[], $3::bigint[]) as held (connection_id, fence)
               on held.connection_id = l.connection_id and held.fence = l.fence
            where l.owner = $1 and l.expires_at > now()
         ), unlocked as materialized (
           select connection_id from connection_leases
            where connection_id in (select connection_id from ours) and owner = $1 and expires_at > now()
              for no key update skip locked
         ), renewed as (
           update connection_leases l set expires_at = now() + $4::int * interval '1 ms'
             from unlocked where unlocked.connection_id = l.connection_id
           returning l.connection_id
         )
         select ours.connection_id as "connectionId", renewed.connection_id is not null as renewed
           from ours left join renewed using (connection_id)`,
};
const releaseLease = {
  name: "lease-release",
  text: `update connection_leases set expires_at = '-infinity'
          where connection_id = $1 and owner = $2 and fence = $3`,
};

type Held = { lease: Lease; renewedAtMs: number; onLost: () => void };

export type LeaseKeeperDeps = {
  db: Database;
  /** New at each start of a process: a restarted one must not inherit a fence. */
  owner: string;
  settings: ChannelSettings;
  log: Logger;
};

/**
 * Takes connections for this process and keeps them by renewal. All times of the lease are the database's; whether our
 * own renewals still succeed is measured on this process's monotonic clock, from before the statement was sent.
 */
export class LeaseKeeper {
  readonly #deps: LeaseKeeperDeps;
  readonly #held = new Map<ConnectionId, Held>();
  readonly #renewing: NodeJS.Timeout;
  readonly #watching: NodeJS.Timeout;
  #isRenewing = false;

  constructor(deps: LeaseKeeperDeps) {
    this.#deps = deps;
    const { renewEveryMs, closeAfterMs } = deps.settings;
    this.#renewing = setInterval(() => void this.#renew(), renewEveryMs);
    this.#watching = setInterval(() => this.#dropUnrenewed(), Math.max(10, closeAfterMs / 12));
  }

  /** Null when somebody else has it. `onLost` is called once if it is lost before its release. */
  async take(connection: ConnectionRef, onLost: () => void): Promise<Lease | null> {
    const { db, owner, settings } = this.#deps;
    const renewedAtMs = performance.now();
    const fence = await db.forLeases(async (tx) => {
      await tx.query(addLease, [connection.connectionId, connection.companyId]);
      await tx.query(limitWait);
      const free = await tx.query(lockFreeLease, [connection.connectionId]);
      if (free.length === 0) return null;
      const taken = await tx.query<{ fence: number }>(takeLease, [
        connection.connectionId,
        owner,
        settings.leaseMs,
      ]);
      return taken[0]?.fence ?? null;
    });
    if (fence === null) return null;
    const { companyId, connectionId } = connection;
    const lease = { companyId, connectionId, owner, fence };
    this.#held.set(connectionId, { lease, renewedAtMs, onLost });
    return lease;
  }

  /** Gives the connection free for others, at once. Call it when nothing writes under the lease any more. */
  async release(lease: Lease): Promise<void> {
    if (this.#held.get(lease.connectionId)?.lease === lease) this.#held.delete(lease.connectionId);
    await this.#deps.db.forLeases((tx) =>
      tx.query(releaseLease, [lease.connectionId, lease.owner, lease.fence]),
    );
  }

  /** For whoever learns of the loss first: a refused write. */
  lose(lease: Lease): void {
    const held = this.#held.get(lease.connectionId);
    if (held?.lease !== lease) return;
    this.#held.delete(lease.connectionId);
    this.#deps.log.warn({ connectionId: lease.connectionId, fence: lease.fence }, "lease lost");
    held.onLost();
  }

  stop(): void {
    clearInterval(this.#renewing);
    clearInterval(this.#watching);
  }

  async #renew(): Promise<void> {
    const { db, owner, settings, log } = this.#deps;
    const asked = [...this.#held.values()];
    if (this.#isRenewing || asked.length === 0) return;
    this.#isRenewing = true;
    const renewedAtMs = performance.now();
    try {
      const renewal = db.forLeases((tx) =>
        tx.query<{ connectionId: ConnectionId; renewed: boolean }>(renewLeases, [
          owner,
          asked.map(({ lease }) => lease.connectionId),
          asked.map(({ lease }) => lease.fence),
          settings.leaseMs,
        ]),
      );
      const ours = await within(settings.closeAfterMs / 2, renewal);
      const found = new Map(ours.map((row) => [row.connectionId, row.renewed]));
      for (const held of asked) {
        const renewed = found.get(held.lease.connectionId);
        if (renewed) held.renewedAtMs = renewedAtMs;
        if (renewed === undefined) this.lose(held.lease);
      }
    } catch (error) {
      log.warn({ err: error }, "leases were not renewed");
    } finally {
      this.#isRenewing = false;
    }
  }

  /** Also what a process finds that stood still for a while. */
  #dropUnrenewed(): void {
    const latest = performance.now() - this.#deps.settings.closeAfterMs;
    for (const { lease, renewedAtMs } of this.#held.values()) {
      if (renewedAtMs < latest) this.lose(lease);
    }
  }
}
