import type { Database, Tx } from "../../platform/db/database.ts";
import type { Fence } from "../port.ts";
import { LeaseLost } from "../port.ts";
import type { ConnectionRef } from "./handlers.ts";

/** The right of this process to work for a connection, as taken; whether it still holds is the database's to say. */
export type Lease = ConnectionRef & { owner: string; fence: Fence };

/**
 * Begins every statement of a session's writes: takes parameters 1 to 4 (`leaseValues`) and yields one row as long as
 * the lease is ours. A take-over waits for this lock, so what follows in the transaction commits before the next owner
 * begins, or not at all (channels.md 5).
 */
export const heldLease = `held as materialized (
  select 1 from connection_leases
   where company_id = $1 and connection_id = $2 and owner = $3 and fence = $4
     for key share
)`;

/**
 * Comes before a statement changes outbound rows whose messages the product changes afterwards: their tickets are
 * locked before messages and outbound rows (docs/people.md, "Locks"). `isLocked` makes the change
 * wait for it.
 */
export const lockedTickets = (rows: string): string => `tickets_of_rows as materialized (
  select t.id from tickets t
   where t.company_id = $1 and exists (select 1 from held)
     and t.id in (select m.ticket_id from outbound o
                    join messages m on m.company_id = o.company_id and m.id = o.message_id
                   where o.company_id = $1 and ${rows})
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

/** A company's transaction that happens only while the lease is ours; throws LeaseLost otherwise. */
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
