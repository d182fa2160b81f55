import { createECDH } from "node:crypto";
import { eq } from "drizzle-orm";
import type { RequestDetails } from "web-push";
import type { Database } from "../../platform/db/database.ts";
import { requireRow } from "../../platform/db/records.ts";
import { pushKeys, pushSubscriptions } from "../../platform/db/schema/index.ts";
import type { GuardedFetch } from "../../platform/http/guarded-fetch.ts";
import { RefusedAddress } from "../../platform/http/guarded-fetch.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Seal } from "../../platform/secrets/seal.ts";

type ServicesDeps = {
  db: Database;
  log: Logger;
  seal: Seal;
  fetch: GuardedFetch;
  /** Hosts of push services; `*.` at the beginning stands for any name below, `:port` (`:*` for any) allows plain HTTP. */
  hosts: readonly string[];
  /** The address that a push service asks when something is wrong: `https:` or `mailto:`. */
  contact: string;
};

/** A browser's subscription as it was given to us. */
export type Subscription = { endpoint: string; keys: { p256dh: string; auth: string } };

/** `taken`: the service has it; `gone`: the browser ended the subscription; `refused`: it will never be taken. */
export type PushOutcome =
  | { kind: "taken" | "gone" }
  | { kind: "later"; afterMs: number | null }
  | { kind: "refused"; why: string };

/** The longest body that every push service takes, before its encryption. */
const PAYLOAD_MAX_BYTES = 3_000;
const TRY_LIMIT_MS = 10_000;
/** A notification that could not be shown for so long is not shown any more. */
const TTL_SECONDS = 4 * 3_600;
const ANSWER_MAX_BYTES = 16_384;
const LONGEST_WAIT_MS = 3_600_000;
const KEYS_ROW = 1;
const KEYS_PURPOSE = "push keys";

/** Sends encrypted push messages (RFC 8291) with the installation's own key (RFC 8292) to the services of the browsers. */
export function createPushServices(deps: ServicesDeps) {
  let keys: ReturnType<typeof readKeys> | undefined;
  const known = (): ReturnType<typeof readKeys> =>
    (keys ??= readKeys(deps).catch((error: unknown) => {
      keys = undefined;
      throw error;
    }));

  return {
    /** The key with which browsers subscribe. It is made with the first question and stays. */
    publicKey: async (): Promise<string> => (await known()).publicKey,

    /** Whether the address is one of a push service that we send to: it is the browser's word. */
    isAllowed: (endpoint: string): boolean => isAllowedHost(deps.hosts, endpoint),

    /** Sends one message. `topic`: a newer one takes the place of an older one that has not been delivered. */
    async send(
      to: Subscription,
      payload: string,
      { topic, isUrgent }: { topic: string; isUrgent: boolean },
      stopping?: AbortSignal,
    ): Promise<PushOutcome> {
      if (Buffer.byteLength(payload) > PAYLOAD_MAX_BYTES) return { kind: "refused", why: "size" };
      if (!isAllowedHost(deps.hosts, to.endpoint)) return { kind: "refused", why: "host" };
      const { default: webPush } = await import("web-push");
      const vapidDetails = { subject: deps.contact, ...(await known()) };
      const urgency = isUrgent ? "high" : "normal";
      const wishes = { vapidDetails, TTL: TTL_SECONDS, urgency, topic } as const;
      let request: RequestDetails & { body: Buffer };
      try {
        request = webPush.generateRequestDetails(to, payload, {
          ...{ ...wishes, contentEncoding: "aes128gcm" },
        });
      } catch {
        // Keys that are no keys: the browser can never read anything.
        return { kind: "gone" };
      }
      const { headers, body } = request;
      const limit = AbortSignal.timeout(TRY_LIMIT_MS);
      try {
        const answer = await deps.fetch(to.endpoint, {
          ...{ method: "POST", maxBytes: ANSWER_MAX_BYTES },
          headers: sentHeaders(headers),
          body: new Uint8Array(body),
          signal: stopping ? AbortSignal.any([limit, stopping]) : limit,
        });
        await answer.body?.cancel();
        return outcomeOf(answer);
      } catch (error) {
        if (error instanceof RefusedAddress) return { kind: "refused", why: "address" };
        return { kind: "later", afterMs: null };
      }
    },
  };
}

export type PushServices = ReturnType<typeof createPushServices>;

/** `fetch` writes the length itself. */
function sentHeaders(headers: object): Headers {
  const sent = new Headers();
  for (const [name, value] of Object.entries(headers)) {
    if (name.toLowerCase() !== "content-length") sent.set(name, String(value));
  }
  return sent;
}

function outcomeOf({ status, headers }: Response): PushOutcome {
  if (status >= 200 && status < 300) return { kind: "taken" };
  if (status === 404 || status === 410) return { kind: "gone" };
  if (status !== 429 && status < 500) return { kind: "refused", why: `status ${status}` };
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  const afterMs = seconds > 0 ? Math.min(seconds * 1_000, LONGEST_WAIT_MS) : null;
  return { kind: "later", afterMs };
}

function isAllowedHost(hosts: readonly string[], endpoint: string): boolean {
  const url = URL.parse(endpoint);
  if (!url || !/^https?:$/.test(url.protocol)) return false;
  if (url.username !== "" || url.password !== "") return false;
  return hosts.some((allowed) => {
    // An address of the operator's own network, perhaps without encryption.
    if (allowed.endsWith(":*")) return url.hostname === allowed.slice(0, -2);
    if (allowed.includes(":")) return url.host === allowed;
    if (url.protocol !== "https:" || url.port !== "") return false;
    return allowed.startsWith("*.")
      ? url.hostname.endsWith(allowed.slice(1))
      : url.hostname === allowed;
  });
}

type Keys = { publicKey: string; privateKey: string };

/**
 * The stored pair; of several processes that make one at the same time, the first one's stays. A pair that was sealed with another
 * secret is replaced, and with it go the subscriptions, which are bound to it.
 */
async function readKeys({
  db,
  log,
  seal,
}: Pick<ServicesDeps, "db" | "log" | "seal">): Promise<Keys> {
  return db.acrossCompanies(async ({ orm }) => {
    const read = () => orm.select().from(pushKeys).for("update");
    const open = (sealed: Buffer): Buffer | null => {
      try {
        return seal.open(sealed, KEYS_PURPOSE);
      } catch {
        return null;
      }
    };
    let [row] = await read();
    if (row && open(row.privateKey) === null) {
      log.warn(
        {},
        "the keys of push messages cannot be opened: new ones are made, and browsers subscribe again",
      );
      await orm.delete(pushSubscriptions);
      await orm.delete(pushKeys).where(eq(pushKeys.id, KEYS_ROW));
      row = undefined;
    }
    if (!row) {
      const pair = createECDH("prime256v1");
      const publicKey = pair.generateKeys("base64url");
      const privateKey = seal.close(pair.getPrivateKey(), KEYS_PURPOSE);
      await orm
        .insert(pushKeys)
        .values({ id: KEYS_ROW, publicKey, privateKey })
        .onConflictDoNothing();
      row = requireRow(await read());
    }
    const own = open(row.privateKey);
    if (own === null) throw new Error("the keys of push messages cannot be opened");
    // A key may begin with zeros, which the library wants to see.
    const privateKey = Buffer.concat([Buffer.alloc(32 - own.length), own]).toString("base64url");
    return { publicKey: row.publicKey, privateKey };
  });
}
