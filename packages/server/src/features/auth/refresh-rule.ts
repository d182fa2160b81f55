import { differenceInMilliseconds } from "date-fns/differenceInMilliseconds";
import type { RefreshClaims } from "./tokens.ts";

/** Tabs of one browser renew at the same moment with the same cookie; only one of them is the first. */
const PARALLEL_GRACE_MS = 60_000;

export type StoredSession = {
  tokenVersion: number;
  refreshGeneration: number;
  refreshedAt: Date | null;
};

/**
 * What a genuine refresh token is worth. `rotate`: the newest one, it is replaced. `repeat`: the one before, used by
 * another tab a moment ago; it gets the current one. `reuse`: an older one came back, so somebody holds a copy and the
 * session ends for all. `ended`: of a session that is over already.
 */
export function judgeRefresh(
  claims: Pick<RefreshClaims, "tokenVersion" | "generation">,
  stored: StoredSession,
  now: Date,
): "rotate" | "repeat" | "reuse" | "ended" {
  if (claims.tokenVersion !== stored.tokenVersion) return "ended";
  const age = stored.refreshGeneration - claims.generation;
  if (age === 0) return "rotate";
  if (age < 0) return "ended";
  const isParallel =
    age === 1 &&
    stored.refreshedAt !== null &&
    differenceInMilliseconds(now, stored.refreshedAt) <= PARALLEL_GRACE_MS;
  return isParallel ? "repeat" : "reuse";
}
