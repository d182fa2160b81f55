import type { EndpointName, ErrorCode, ReplyOf, RequestOf } from "@balcao/contract";
import { adoptStoredSession, currentSession, endSession, renewSession } from "./session-store.ts";

/** Failures that the browser detects, in addition to the server's codes; the last two are of messages that waited. */
export type LocalErrorCode =
  | "ERR_NETWORK"
  | "ERR_TIMEOUT"
  | "ERR_QUEUED_TOO_LONG"
  | "ERR_FILE_NOT_KEPT";

/**
 * A failed call. `code` is the contract's code, a local one, or the server's text when it sent no code; `message` is the
 * server's text; `status` is 0 without a reply.
 */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly code: ErrorCode | LocalErrorCode | (string & {});
  readonly data: unknown;

  constructor(failure: {
    status: number;
    code: string;
    message?: string;
    data?: unknown;
    cause?: unknown;
  }) {
    super(failure.message ?? failure.code, { cause: failure.cause });
    this.status = failure.status;
    this.code = failure.code;
    this.data = failure.data;
  }
}

/** Whether `error` is a failed call with this code. */
export function hasCode(error: unknown, code: ErrorCode | LocalErrorCode): boolean {
  return error instanceof ApiError && error.code === code;
}

/** Time limit of a call (architecture D10). */
const CALL_TIMEOUT_MS = 20_000;

const BASE = "/api";

/** `limitMs` is for calls that may take longer. */
type CallOptions = { signal?: AbortSignal | undefined; keepalive?: boolean; limitMs?: number };

type WireValue = string | number | boolean | null | undefined;

/** The request of any call; `call` narrows it per endpoint. */
type WireRequest = {
  params?: Readonly<Record<string, WireValue>>;
  query?: Readonly<Record<string, WireValue>>;
  body?: unknown;
};

/** Fills the path's `:parameters` and adds the query without empty and missing values. */
export function callUrl(path: string, request: WireRequest): string {
  const filled = path.replace(/:(\w+)/g, (_, parameter: string) => {
    const value = request.params?.[parameter];
    if (value === undefined || value === null) throw new Error(`missing ${parameter} for ${path}`);
    return encodeURIComponent(String(value));
  });
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(request.query ?? {})) {
    if (value === undefined || value === null || value === "") continue;
    search.set(key, String(value));
  }
  const text = search.toString();
  return text === "" ? BASE + filled : `${BASE}${filled}?${text}`;
}

/**
 * Makes one HTTP request without session rules. Resolves to the reply (undefined when empty). Throws `ApiError`; when the
 * caller aborts `signal`, throws the abort itself.
 */
async function exchange<K extends EndpointName>(
  name: K,
  request: WireRequest,
  options: CallOptions & { token: string | null },
): Promise<ReplyOf<K>> {
  const space = name.indexOf(" ");
  const headers = new Headers({ accept: "application/json" });
  if (options.token !== null) headers.set("authorization", `Bearer ${options.token}`);
  if (request.body !== undefined) headers.set("content-type", "application/json");

  const timeLimit = AbortSignal.timeout(options.limitMs ?? CALL_TIMEOUT_MS);
  const signal = options.signal ? AbortSignal.any([options.signal, timeLimit]) : timeLimit;
  try {
    const response = await fetch(callUrl(name.slice(space + 1), request), {
      method: name.slice(0, space),
      headers,
      credentials: "same-origin",
      signal,
      ...(options.keepalive ? { keepalive: true } : {}),
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
    });
    const text = await response.text();
    if (!response.ok) throw failureOf(response.status, text);
    // The server builds its replies with the contract's schemas; parsing them again would add all of zod to the page.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return parseJson(text) as ReplyOf<K>;
  } catch (cause) {
    if (cause instanceof ApiError) throw cause;
    if (options.signal?.aborted) throw cause;
    throw noReply(timeLimit.aborted ? "ERR_TIMEOUT" : "ERR_NETWORK", cause);
  }
}

const noReplyListeners = new Set<() => void>();

/** Calls `listener` after each request that got no reply: the line may be dead. Returns the way to stop. */
export function onNoReply(listener: () => void): () => void {
  noReplyListeners.add(listener);
  return () => noReplyListeners.delete(listener);
}

/** The error of a request that got no reply. */
export function noReply(code: LocalErrorCode, cause?: unknown): ApiError {
  for (const listener of noReplyListeners) listener();
  return new ApiError({ status: 0, code, cause });
}

/** The error of an unsuccessful reply. */
export function failureOf(status: number, text: string): ApiError {
  const body = parseJson(text);
  if (typeof body !== "object" || body === null) {
    // A proxy answered, not our server.
    return new ApiError({ status, code: status >= 502 ? "ERR_UNAVAILABLE" : "ERR_INTERNAL" });
  }
  const error = "error" in body && typeof body.error === "string" ? body.error : "ERR_INTERNAL";
  const code = "code" in body && typeof body.code === "string" ? body.code : error;
  return new ApiError({ status, code, message: error, data: "data" in body ? body.data : null });
}

export function parseJson(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // not JSON: the status decides
  }
}

/** Calls whose 401 concerns the request, not the session. */
const callsWithoutSession: ReadonlySet<EndpointName> = new Set(["POST /auth/login"]);

/**
 * Makes one call of the contract with the bearer. An expired token is renewed once and the call repeated; a 401 ends the
 * session. Throws `ApiError` (also on a network failure or after 20 s). With `keepalive` it outlives the page.
 */
export async function call<K extends EndpointName>(
  name: K,
  request: RequestOf<K>,
  options: CallOptions = {},
): Promise<ReplyOf<K>> {
  if (callsWithoutSession.has(name)) {
    return await exchange(name, request, { ...options, token: null });
  }
  if (isSigningOut && name !== "DELETE /auth/logout") throw sessionEnded();
  return await withSession((token) => exchange(name, request, { ...options, token }));
}

let payToken: string | null = null;

/** The token of calls without a session: that of an expired company pays and does nothing else. */
export function setPayToken(token: string | null): void {
  payToken = token;
}

/** Runs `send` with the session's token by the rules of `call`; `send` runs a second time after a renewal. */
export async function withSession<T>(send: (token: string | null) => Promise<T>): Promise<T> {
  const session = currentSession();
  if (!session) return await send(payToken);
  try {
    return await send(session.token);
  } catch (error) {
    if (!isTokenExpired(error)) throw endedBy(error, session.id);
  }
  await renewToken(session.token);
  const renewed = currentSession();
  // Another user may have signed in meanwhile, and must not make this call.
  if (renewed?.id !== session.id) throw sessionEnded();
  try {
    return await send(renewed.token);
  } catch (error) {
    throw endedBy(error, session.id);
  }
}

const sessionEnded = () => new ApiError({ status: 401, code: "ERR_SESSION_EXPIRED" });

function isTokenExpired(error: unknown): boolean {
  return error instanceof ApiError && error.status === 403 && error.code === "ERR_TOKEN_EXPIRED";
}

/** Ends the session on its 401, unless it was already replaced by another. Returns the error. */
function endedBy(error: unknown, sessionId: string): unknown {
  const isRefused = error instanceof ApiError && error.status === 401;
  if (isRefused && currentSession()?.id === sessionId) endSession("expired");
  return error;
}

let running: Promise<void> | null = null;
let isSigningOut = false;

/** Ends the session on the server. Meanwhile no other call is made or renewed: it would have a dead token. */
export async function endOnServer(): Promise<void> {
  isSigningOut = true;
  try {
    await call("DELETE /auth/logout", {});
  } finally {
    isSigningOut = false;
  }
}

/**
 * Ensures that the current token is newer than `staleToken`: uses another tab's, joins a running renewal, or asks the
 * server with the refresh cookie. A refused renewal ends the session. Throws `ApiError`.
 */
export async function renewToken(staleToken: string | null): Promise<void> {
  adoptStoredSession();
  const session = currentSession();
  if (!session || isSigningOut) throw sessionEnded();
  if (session.token !== staleToken) return;
  running ??= askServer(session.id).finally(() => {
    running = null;
  });
  await running;
}

async function askServer(sessionId: string): Promise<void> {
  try {
    const reply = await exchange("POST /auth/refresh_token", { body: {} }, { token: null });
    // After a sign-out or a new sign-in meanwhile, the reply belongs to an ended session.
    if (currentSession()?.id !== sessionId) return;
    renewSession(reply.token, reply.user);
  } catch (error) {
    throw endedBy(error, sessionId);
  }
}

/** Seconds until the access token expires; 0 when it cannot be read. */
export function tokenSecondsLeft(token: string, nowMs: number): number {
  try {
    const payload = token.split(".")[1] ?? "";
    const claims: unknown = JSON.parse(atob(payload.replaceAll("-", "+").replaceAll("_", "/")));
    if (typeof claims !== "object" || claims === null) return 0;
    if (!("exp" in claims) || typeof claims.exp !== "number") return 0;
    return Math.max(0, claims.exp - nowMs / 1000);
  } catch {
    return 0; // like an expired token: the server decides after a renewal
  }
}
