import { setTimeout as delay } from "node:timers/promises";
import { DomainError } from "../../platform/context.ts";
import type { Database } from "../../platform/db/database.ts";
import type { Routes } from "../../platform/http/routes.ts";

/** A database that takes longer than this counts as unavailable. */
const DEFAULT_PING_LIMIT_MS = 2_000;

export type HealthDeps = {
  db: Pick<Database, "ping">;
  version: string;
  /** Whether the process is about to stop, so that a balancer sends nothing new. */
  isLeaving?: () => boolean;
  pingLimitMs?: number;
};

/** Probes for supervisors and load balancers, and the version. */
export function createHealthFeature(deps: HealthDeps) {
  const { db, version, isLeaving, pingLimitMs = DEFAULT_PING_LIMIT_MS } = deps;

  async function ready(): Promise<{ status: "ok" }> {
    if (isLeaving?.() === true) throw new DomainError("ERR_UNAVAILABLE");
    const limit = new AbortController();
    const isAnswered = await Promise.race([
      db.ping().then(
        () => true,
        () => false,
      ),
      delay(pingLimitMs, false, { signal: limit.signal, ref: false }).catch(() => false),
    ]);
    limit.abort();
    if (!isAnswered) throw new DomainError("ERR_UNAVAILABLE");
    return { status: "ok" };
  }

  return {
    register(routes: Routes): void {
      routes.handle("GET /health", ready);
      routes.handle("GET /health/ready", ready);
      routes.handle("GET /health/live", async () => ({ status: "ok" as const }));
      routes.handle("GET /version", async () => ({ version }));
    },
  };
}
