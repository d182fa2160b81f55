import type { EndpointName, ReplyOf, RequestOf } from "@balcao/contract";
import { ApiError } from "./api-error.ts";
import { exchange } from "./http.ts";
import { renewToken } from "./renewal.ts";
import { currentSession, endSession } from "./session-store.ts";

export { ApiError, hasCode } from "./api-error.ts";

/** Calls whose 401 says something about the request, not about the session. */
const callsWithoutSession: ReadonlySet<EndpointName> = new Set(["POST /auth/login"]);

/**
 * Makes one call of the contract. Adds the bearer; an expired token is renewed once and the call repeated; a 401 ends
 * the session. Throws `ApiError` (also when the network fails or 20 s pass). With `keepalive` it outlives the page.
 */
export async function call<K extends EndpointName>(
  name: K,
  request: RequestOf<K>,
  options: { signal?: AbortSignal | undefined; keepalive?: boolean } = {},
): Promise<ReplyOf<K>> {
  if (callsWithoutSession.has(name)) {
    return await exchange(name, request, { ...options, token: null });
  }
  return await withSession((token) => exchange(name, request, { ...options, token }));
}

/** Runs `send` with the session's token by the rules of `call`; `send` runs a second time after a renewal. */
export async function withSession<T>(send: (token: string | null) => Promise<T>): Promise<T> {
  const session = currentSession();
  if (!session) return await send(null);
  try {
    return await send(session.token);
  } catch (error) {
    if (!isTokenExpired(error)) throw endedBy(error, session.id);
  }
  await renewToken(session.token);
  const renewed = currentSession();
  // Somebody else may have signed in meanwhile; what this call does must not be done in his name.
  if (renewed?.id !== session.id) throw new ApiError({ status: 401, code: "ERR_SESSION_EXPIRED" });
  try {
    return await send(renewed.token);
  } catch (error) {
    throw endedBy(error, session.id);
  }
}

function isTokenExpired(error: unknown): boolean {
  return error instanceof ApiError && error.status === 403 && error.code === "ERR_TOKEN_EXPIRED";
}

/** A 401 of a session that is still the current one ends it; late replies of an older one do not. */
function endedBy(error: unknown, sessionId: string): unknown {
  const isRefused = error instanceof ApiError && error.status === 401;
  if (isRefused && currentSession()?.id === sessionId) endSession("expired");
  return error;
}
