import { ApiError } from "./api-error.ts";
import { exchange } from "./http.ts";
import { adoptStoredSession, currentSession, endSession, renewSession } from "./session-store.ts";

let running: Promise<void> | null = null;

/**
 * Makes sure the current token is newer than `staleToken`: takes another tab's, joins a renewal under way, or asks the
 * server by the refresh cookie. A refused renewal ends the session. Throws `ApiError`.
 */
export async function renewToken(staleToken: string | null): Promise<void> {
  adoptStoredSession();
  const session = currentSession();
  if (!session) throw new ApiError({ status: 401, code: "ERR_SESSION_EXPIRED" });
  if (session.token !== staleToken) return;
  running ??= askServer(session.id).finally(() => {
    running = null;
  });
  await running;
}

async function askServer(sessionId: string): Promise<void> {
  try {
    const reply = await exchange("POST /auth/refresh_token", { body: {} }, { token: null });
    // Somebody signed out, or in again, while the reply was under way: it belongs to a session that is over.
    if (currentSession()?.id !== sessionId) return;
    const { token, user } = reply;
    renewSession(token, user);
  } catch (error) {
    const isRefused = error instanceof ApiError && error.status === 401;
    if (isRefused && currentSession()?.id === sessionId) endSession("expired");
    throw error;
  }
}

/** Seconds until the access token ends by its own `exp`; 0 when it cannot be read. */
export function tokenSecondsLeft(token: string, nowMs: number): number {
  try {
    const payload = token.split(".")[1] ?? "";
    const claims: unknown = JSON.parse(atob(payload.replaceAll("-", "+").replaceAll("_", "/")));
    if (typeof claims !== "object" || claims === null) return 0;
    if (!("exp" in claims) || typeof claims.exp !== "number") return 0;
    return Math.max(0, claims.exp - nowMs / 1000);
  } catch {
    return 0; // unreadable is as good as expired: the server decides after a renewal
  }
}
