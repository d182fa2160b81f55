import type { EndpointName, ReplyOf } from "@balcao/contract";
import { endpoints } from "@balcao/contract";
import type { Account, Installation } from "./installation.ts";

/** Calls that are repeated, unchanged, until they are answered with success: as phones and screens do. */
export type PatientClient = {
  call<K extends EndpointName>(name: K, path: string, body?: unknown): Promise<ReplyOf<K>>;
  /** Once, whatever comes of it; how long it took. */
  tryOnce(method: string, path: string, body?: unknown): Promise<Attempt>;
  /** Requests without an answer at this moment. */
  waiting(): number;
};

export type Attempt = { status: number; text: string; ms: number };

const ANSWER_LIMIT_MS = 15_000;
/** Seldom enough that dozens of waiting clients do not slow down the start that they wait for. */
const AGAIN_MS = 200;
/** Longer than anything is allowed to be away. */
const PATIENCE_MS = 240_000;

export async function signIn(
  installation: Pick<Installation, "url">,
  account: Account,
): Promise<PatientClient> {
  const anonymous = createClient(installation.url, null);
  const { token } = await anonymous.call("POST /auth/login", "/auth/login", account);
  return createClient(installation.url, token);
}

export function createClient(url: string, token: string | null): PatientClient {
  let waiting = 0;

  async function tryOnce(method: string, path: string, body?: unknown): Promise<Attempt> {
    waiting += 1;
    try {
      return await send(method, path, body);
    } finally {
      waiting -= 1;
    }
  }

  async function send(method: string, path: string, body: unknown): Promise<Attempt> {
    const begin = performance.now();
    const reply = await fetch(`${url}/api${path}`, {
      method,
      headers: {
        ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined || body instanceof FormData
          ? {}
          : { "content-type": "application/json" }),
      },
      ...(body === undefined
        ? {}
        : { body: body instanceof FormData ? body : JSON.stringify(body) }),
      signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
    });
    const text = await reply.text();
    return { status: reply.status, text, ms: performance.now() - begin };
  }

  return {
    tryOnce,
    waiting: () => waiting,
    async call<K extends EndpointName>(name: K, path: string, body?: unknown) {
      const method = name.split(" ")[0] ?? "";
      const deadline = performance.now() + PATIENCE_MS;
      for (;;) {
        // No reply, or a broken one: it is unknown whether the request was done.
        const reply = await tryOnce(method, path, body).catch(() => null);
        if (reply && reply.status < 300) {
          // Parsed by the contract's schema of exactly this call.
          return endpoints[name].reply.parse(JSON.parse(reply.text)) as ReplyOf<K>;
        }
        // 502 and 504 are a balancer's answers for a process that ended, or did not answer.
        if (reply && ![502, 503, 504].includes(reply.status)) {
          throw new Error(`${method} ${path} was answered ${reply.status} ${reply.text}`);
        }
        if (performance.now() > deadline) throw new Error(`${method} ${path} was never answered`);
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
      }
    },
  };
}
