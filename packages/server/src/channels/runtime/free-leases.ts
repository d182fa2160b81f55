import type { Database } from "../../platform/db/database.ts";

const freeLeases = {
  name: "lease-free-all",
  text: "update connection_leases set expires_at = '-infinity' where expires_at > '-infinity'",
};

/**
 * Gives all connections free, for a process that starts alone on its database: whoever still holds one was killed, and
 * its customers need not wait until the lease runs out. The fences stay, so even a mistake about that harms nothing.
 */
export async function freeAllLeases(db: Database): Promise<void> {
  await db.acrossCompanies((tx) => tx.query(freeLeases));
}
