import ipaddr from "ipaddr.js";
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { Agent, buildConnector, request } from "undici";

/** A request to an address that a company has chosen. A GET may have a text as its body, unlike with `fetch`. */
export type GuardedFetch = (
  input: string | URL | Request,
  init?: RequestInit & { maxBytes?: number },
) => Promise<Response>;

/** The address is not one of the public internet, or not one that is asked. Nothing was sent. */
export class RefusedAddress extends Error {
  override readonly name = "RefusedAddress";
}

/** The answer is longer than allowed. Thrown while its body is read. */
export class AnswerTooLarge extends Error {
  override readonly name = "AnswerTooLarge";
}

export type GuardSettings = {
  /** `host:port` pairs of the operator that are reached though they are not public; `host:*` for all ports of a host. */
  allowedHosts: readonly string[];
};

/** Services of machines, never of the web. */
const FORBIDDEN_PORTS = new Set([22, 25, 465, 587, 5432, 6379]);
const CONNECT_LIMIT_MS = 5_000;
/** Where the caller sets no signal of its own. */
const WHOLE_LIMIT_MS = 60_000;
const MAX_BYTES = 10_000_000;

/**
 * Makes a `fetch` for addresses that a company has chosen. It reaches public addresses only, whatever a name resolves to at
 * the moment of the connection, follows no redirects, has a time limit, and counts the bytes of answers after their
 * decompression. Rejects with `RefusedAddress`, the reason of an aborted signal, or the error of the network.
 */
export function createGuardedFetch({ allowedHosts }: GuardSettings): GuardedFetch {
  const allowed = new Set(allowedHosts.map((host) => host.toLowerCase()));
  const connect = buildConnector({ timeout: CONNECT_LIMIT_MS });

  /** The address to connect with. All addresses of a name must be public: which one is used is chance. */
  async function resolve(hostname: string, port: number): Promise<string> {
    const host = hostname.replace(/^\[|\]$/g, "").toLowerCase();
    const isAllowed = allowed.has(`${host}:${port}`) || allowed.has(`${host}:*`);
    if (!isAllowed && FORBIDDEN_PORTS.has(port)) throw new RefusedAddress(`port ${port}`);
    const found = isIP(host)
      ? [host]
      : (await lookup(host, { all: true })).map((one) => one.address);
    const [first] = found;
    if (first === undefined || (!isAllowed && !found.every(isPublic)))
      throw new RefusedAddress(host);
    return first;
  }

  const dispatcher = new Agent({
    // Called for names and for literal addresses alike, unlike a `lookup`.
    connect: (options, callback) => {
      const port = Number(options.port) || (options.protocol === "https:" ? 443 : 80);
      resolve(options.hostname, port).then(
        (address) => {
          const servername = options.servername ?? (isIP(options.hostname) ? "" : options.hostname);
          connect({ ...options, hostname: address, servername }, callback);
        },
        (error: unknown) =>
          callback(error instanceof Error ? error : new Error(String(error)), null),
      );
    },
  });

  return async (input, { maxBytes = MAX_BYTES, ...init } = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (!/^https?:$/.test(url.protocol)) throw new RefusedAddress(url.protocol);
    if (url.username !== "" || url.password !== "") throw new RefusedAddress("credentials");
    const signal = init.signal ?? AbortSignal.timeout(WHOLE_LIMIT_MS);
    // The types of the global fetch name another copy of the dispatcher's type.
    const own: object = { signal, redirect: "manual", dispatcher };
    const options: RequestInit = { ...init, ...own };
    try {
      const { method = "GET", headers, body } = init;
      const answer =
        method === "GET" && typeof body === "string"
          ? await getWithBody(url, { headers, body, signal, maxBytes, dispatcher })
          : await fetch(input, options);
      return limited(answer, maxBytes);
    } catch (error) {
      // What happened is the cause of fetch's own error.
      const cause = error instanceof TypeError ? error.cause : undefined;
      if (!(cause instanceof Error)) throw error;
      throw cause.message === "bad port" ? new RefusedAddress(`port ${url.port}`) : cause;
    }
  };
}

type GetWithBody = { headers: RequestInit["headers"]; body: string; signal: AbortSignal };

/**
 * Some systems want the query of a GET as its body, which `fetch` refuses. The answer is not decompressed, and is read at
 * once: a too large one rejects the call itself.
 */
async function getWithBody(
  url: URL,
  { headers, maxBytes, ...how }: GetWithBody & { dispatcher: Agent; maxBytes: number },
): Promise<Response> {
  const sent = new Headers(headers);
  sent.set("accept-encoding", "identity");
  const answer = await request(url, {
    ...{ ...how, method: "GET", headers: Object.fromEntries(sent) },
  });
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of answer.body) {
    bytes += part.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    parts.push(part);
  }
  const { statusCode: status } = answer;
  return new Response(bytes === 0 ? null : Buffer.concat(parts), { status });
}

/** Whether a text is an address that `GuardedFetch` takes, wherever it leads. */
export function isWebAddress(text: string): boolean {
  const url = URL.parse(text);
  if (!url) return false;
  return /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
}

/** Private, local, reserved and mapped addresses are not. */
function isPublic(address: string): boolean {
  return ipaddr.process(address).range() === "unicast";
}

const tooLarge = (maxBytes: number) => new AnswerTooLarge(`more than ${maxBytes} bytes`);

function limited(response: Response, maxBytes: number): Response {
  if (!response.body) return response;
  let bytes = 0;
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        if (bytes > maxBytes) controller.error(tooLarge(maxBytes));
        else controller.enqueue(chunk);
      },
    }),
  );
  const { status, statusText, headers } = response;
  return new Response(counted, { status, statusText, headers });
}
