import type { ChannelKind, CompanyId, ConnectionId, ConnectionStatus } from "@balcao/contract";
import type { Database, Tx } from "../../platform/db/database.ts";
import { LeaseLost } from "../port.ts";
import { within } from "./concurrency.ts";
import type { ConnectionRef, Lease, RuntimeDeps } from "./deps.ts";

/**
 * Begins every write of a session: takes parameters 1 to 4 (`leaseValues`) and returns one row while the lease is ours.
 * A take-over waits for this lock, so the rest of the transaction commits before the next owner starts, or not at all
 * (channels.md 5).
 */
export const heldLease = `held as materialized (
  select 1 from connection_leases
   where company_id = $1 and connection_id = $2 and owner = $3 and fence = $4
     for key share
)`;

/**
 * Precedes an update of outbound rows whose messages the product changes in the same transaction: tickets are locked
 * before messages and outbound rows (docs/people.md, "Locks"). `isLocked` makes the update wait for it. No join: before a
 * new database has statistics, one of three tables took half a second among a few hundred messages.
 */
export const lockedTickets = (rows: string): string => `tickets_of_rows as materialized (
  select t.id from tickets t
   where t.company_id = $1 and exists (select 1 from held)
     and t.id = any (array(
       select (select m.ticket_id from messages m where m.company_id = $1 and m.id = o.message_id)
         from outbound o where o.company_id = $1 and ${rows}))
   order by t.id
     for no key update
)`;
export const isLocked = "(select count(*) from tickets_of_rows) >= 0";

export function leaseValues(lease: Lease): unknown[] {
  return [lease.companyId, lease.connectionId, lease.owner, lease.fence];
}

const holdLease = {
  name: "lease-hold",
  text: `with ${heldLease} select 1 from held`,
};

/** Runs a company's transaction while the lease is ours; throws LeaseLost otherwise. */
export async function transactionUnderLease<T>(
  db: Database,
  lease: Lease,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  return db.transaction({ companyId: lease.companyId }, async (tx) => {
    const held = await tx.query(holdLease, leaseValues(lease));
    if (held.length === 0) throw new LeaseLost();
    return work(tx);
  });
}

const addLease = {
  name: "lease-add",
  text: `insert into connection_leases (connection_id, company_id) values ($1, $2)
         on conflict (connection_id) do nothing`,
};
// The pool also serves the renewals, so it must not wait long for a paused process.
const limitWait = {
  name: "lease-limit-wait",
  text: `select set_config('lock_timeout', '2s', true)`,
};
// Waits for all writers of the old owner (they hold the row `for key share`), so none commits after the change.
// A process that could not renew its own lease has stopped its session, and need not wait until the lease expires.
const lockFreeLease = {
  name: "lease-lock",
  text: `select 1 from connection_leases
          where connection_id = $1 and (expires_at < now() or owner = $2) for update`,
};
const takeLease = {
  name: "lease-take",
  text: `update connection_leases
            set owner = $2, fence = fence + 1, expires_at = now() + $3::int * interval '1 ms'
          where connection_id = $1 and (expires_at < now() or owner = $2)
      returning fence`,
};
// Skips rows that are locked now, so that one cannot delay the others.
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

type LeaseKeeperDeps = Pick<RuntimeDeps, "db" | "owner" | "settings" | "log">;

/**
 * Takes connections for this process and renews their leases. A lease's times are the database's. The age of our last
 * renewal is measured on this process's monotonic clock, from before the statement was sent.
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

  /** Null when another process owns it. Call it only when no session of this process uses the connection. `onLost` is called once if the lease is lost before its release. */
  async take(connection: ConnectionRef, onLost: () => void): Promise<Lease | null> {
    const { db, owner, settings } = this.#deps;
    const renewedAtMs = performance.now();
    const fence = await db.forLeases(async (tx) => {
      await tx.query(addLease, [connection.connectionId, connection.companyId]);
      await tx.query(limitWait);
      const free = await tx.query(lockFreeLease, [connection.connectionId, owner]);
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

  /** Makes the connection free for others at once. Call it after the last write under the lease. */
  async release(lease: Lease): Promise<void> {
    if (this.#held.get(lease.connectionId)?.lease === lease) this.#held.delete(lease.connectionId);
    await this.#deps.db.forLeases((tx) =>
      tx.query(releaseLease, [lease.connectionId, lease.owner, lease.fence]),
    );
  }

  /** Ends a lease that a refused write has shown to be lost. */
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

  /** Also closes sessions after this process was paused. */
  #dropUnrenewed(): void {
    const latest = performance.now() - this.#deps.settings.closeAfterMs;
    for (const { lease, renewedAtMs } of this.#held.values()) {
      if (renewedAtMs < latest) this.lose(lease);
    }
  }
}

const freeLeases = {
  name: "lease-free-all",
  text: "update connection_leases set expires_at = '-infinity' where expires_at > '-infinity'",
};

/**
 * Makes all connections free, for a process that starts alone on its database: every other owner was killed, and
 * customers need not wait until its leases expire. The fences stay, so writes of a living owner would still be refused.
 */
export async function freeAllLeases(db: Database): Promise<void> {
  await db.acrossCompanies((tx) => tx.query(freeLeases));
}

/** The state that users asked for, and the work that is waiting. */
export type DesiredConnection = {
  connectionId: ConnectionId;
  companyId: CompanyId;
  /** The channel whose adapter is needed now: that of the link to be removed, else the connection's. */
  channel: ChannelKind;
  /** The connection's own channel, used once the old link is removed. */
  nextChannel: ChannelKind;
  status: ConnectionStatus;
  /** A user has started the connection, and the company is active. */
  shouldRun: boolean;
  startGeneration: number;
  unlinkRequested: boolean;
  /** The phone to be linked by a typed code. */
  pairingPhone: string | null;
  /** The journal holds unhandled events. */
  hasJournal: boolean;
  hasOutbound: boolean;
  /** How long the oldest waiting message has been due; null for none. */
  outboundLagSeconds: number | null;
  hasReceipts: boolean;
  /** Files are due to be fetched. */
  hasMedia: boolean;
  hasQuestions: boolean;
  /** The process whose lease has not expired. */
  owner: string | null;
};

const readDesired = {
  name: "connections-wanted",
  text: `select c.id as "connectionId", c.company_id as "companyId", c.status,
                case when c.unlink_requested then coalesce(c.unlink_channel, c.channel) else c.channel end as channel,
                c.channel as "nextChannel",
                c.wanted and company.status as "shouldRun", c.start_generation as "startGeneration",
                c.unlink_requested as "unlinkRequested", c.pairing_phone as "pairingPhone",
                exists (select 1 from inbound_journal j
                         where j.connection_id = c.id and j.failed_at is null) as "hasJournal",
                first.id is not null as "hasOutbound",
                greatest(0, extract(epoch from now() - first.due_at))::float8 as "outboundLagSeconds",
                exists (select 1 from read_receipts r where r.connection_id = c.id) as "hasReceipts",
                exists (select 1 from media_downloads d
                         where d.connection_id = c.id and d.due_at <= now()) as "hasMedia",
                exists (select 1 from channel_questions q
                         where q.connection_id = c.id and q.answer is null
                           and q.created_at > now() - interval '20 s') as "hasQuestions",
                case when l.expires_at >= now() then l.owner end as owner
           from connections c
           join companies company on company.id = c.company_id
           left join connection_leases l on l.connection_id = c.id
           left join lateral (
             select o.id, o.due_at from outbound o
              where o.connection_id = c.id and o.state = 'queued'
              order by o.id limit 1) first on true
          where c.deleted_at is null
            and ((c.wanted and company.status) or c.unlink_requested or c.id = any ($1)
                 or exists (select 1 from inbound_journal j
                             where j.connection_id = c.id and j.failed_at is null))
          order by c.id`,
};
const clearUnlink = {
  name: "connections-clear-unlink",
  text: `with ${heldLease}
         update connections set unlink_requested = false, unlink_channel = null
          where company_id = $1 and id = $2 and start_generation = $5
            and exists (select 1 from held)`,
};
const endWanted = {
  name: "connections-end-wanted",
  text: `with ${heldLease}
         update connections set wanted = false
          where company_id = $1 and id = $2 and start_generation = $5
            and exists (select 1 from held)`,
};

/** Connections that a process must serve, and those with the given ids (owned here). */
export async function readDesiredAcrossCompanies(
  db: Database,
  owned: readonly ConnectionId[],
): Promise<DesiredConnection[]> {
  return db.acrossCompanies((tx) => tx.query<DesiredConnection>(readDesired, [owned]));
}

/** Records that the unlink requested with this start is done. */
export async function clearUnlinkRequest(db: Database, lease: Lease, generation: number) {
  await db.transaction({ companyId: lease.companyId }, (tx) =>
    tx.query(clearUnlink, [...leaseValues(lease), generation]),
  );
}

/** The connection stays closed until a user starts it, unless a user has requested another start meanwhile. */
export async function disableAutoStart(tx: Tx, lease: Lease, generation: number): Promise<void> {
  await tx.query(endWanted, [...leaseValues(lease), generation]);
}
