import type { EndpointName, ReplyOf, RequestOf } from "@balcao/contract";
import { endpoints } from "@balcao/contract";

/** Calls of the contract in the name of one session. A refused one throws. */
export type Api = <K extends EndpointName>(
  name: K,
  ...request: object extends RequestOf<K> ? [RequestOf<K>?] : [RequestOf<K>]
) => Promise<ReplyOf<K>>;

type WireValue = string | number | boolean | undefined;
type WireRequest = {
  params?: Record<string, WireValue>;
  query?: Record<string, WireValue>;
  body?: unknown;
};

export function apiOf(url: string, token: string | null): Api {
  return async (name, ...rest) => {
    const request: WireRequest = rest[0] ?? {};
    const [method = "", path = ""] = name.split(" ");
    const filled = path.replaceAll(/:(\w+)/g, (_, key: string) => String(request.params?.[key]));
    const target = new URL(`/api${filled}`, url);
    for (const [key, value] of Object.entries(request.query ?? {})) {
      if (value !== undefined) target.searchParams.set(key, String(value));
    }
    const response = await fetch(target, {
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(request.body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${name} answered ${response.status}: ${text}`);
    // The schema that parses is the one of this name, which the compiler cannot follow.
    const reply: unknown = text === "" ? undefined : JSON.parse(text);
    return endpoints[name].reply.parse(reply) as ReplyOf<typeof name>;
  };
}
