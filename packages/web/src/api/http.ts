import type { EndpointName, ReplyOf } from "@balcao/contract";
import { ApiError } from "./api-error.ts";

/** A call that takes longer is given up (architecture D10: every outside call has a time limit). */
const CALL_TIMEOUT_MS = 20_000;

const BASE = "/api";

type WireValue = string | number | boolean | null | undefined;

/** What any call may carry; `client.ts` narrows it per endpoint. */
export type WireRequest = {
  params?: Readonly<Record<string, WireValue>>;
  query?: Readonly<Record<string, WireValue>>;
  body?: unknown;
};

/** Fills the path's `:parameters`, adds the query; empty and absent query values are left out. */
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
 * One HTTP exchange, without session rules. Resolves to the reply (undefined when empty). Throws `ApiError`; when
 * `signal` is aborted by the caller, the abort itself is thrown.
 */
export async function exchange<K extends EndpointName>(
  name: K,
  request: WireRequest,
  options: { token: string | null; signal?: AbortSignal | undefined; keepalive?: boolean },
): Promise<ReplyOf<K>> {
  const space = name.indexOf(" ");
  const headers = new Headers({ accept: "application/json" });
  if (options.token !== null) headers.set("authorization", `Bearer ${options.token}`);
  if (request.body !== undefined) headers.set("content-type", "application/json");

  const timeLimit = AbortSignal.timeout(CALL_TIMEOUT_MS);
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
    // The server builds its replies by the contract's schemas; parsing them again would put all of zod into the page.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return parseJson(text) as ReplyOf<K>;
  } catch (cause) {
    if (cause instanceof ApiError) throw cause;
    if (options.signal?.aborted) throw cause;
    const code = timeLimit.aborted ? "ERR_TIMEOUT" : "ERR_NETWORK";
    throw new ApiError({ status: 0, code, cause });
  }
}

/** A reply that is not a success, as the error that callers get. */
export function failureOf(status: number, text: string): ApiError {
  const body = parseJson(text);
  if (typeof body !== "object" || body === null) {
    // A proxy in between answered, not the product.
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
    return undefined; // not JSON: the caller decides by the status
  }
}
