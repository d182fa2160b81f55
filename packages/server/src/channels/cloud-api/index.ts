import type { ConnectionId } from "@balcao/contract";
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { z } from "zod";
import { DomainError } from "../../platform/context.ts";
import type { Database } from "../../platform/db/database.ts";
import type { Wake } from "../../platform/db/wake.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import type { Webhook } from "../../platform/http/webhooks.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Seal } from "../../platform/secrets/seal.ts";
import type { Sources } from "../../platform/sources.ts";
import type { ChannelAdapter, PersonIds, PersonStore } from "../port.ts";
import { sweepGoneConnections } from "../runtime/index.ts";
import type { CloudAccounts } from "./accounts.ts";
import { createAccounts, findByWebhookKeyAcrossCompanies, WEBHOOK_PATH } from "./accounts.ts";
import type { GraphSettings } from "./graph.ts";
import { createGraph } from "./graph.ts";
import type { CloudSettings } from "./provider.ts";
import { CloudProvider } from "./provider.ts";
import { readBusyAcrossCompanies, storeDelivery } from "./rows.ts";
import type { CloudTemplates } from "./templates.ts";
import { createTemplates } from "./templates.ts";

export type CloudApiSettings = GraphSettings &
  CloudSettings & {
    /** Polls for deliveries whose wake-up was missed. */
    lookEveryMs: number;
    templatesMs: number;
  };

const defaults: Omit<CloudApiSettings, "baseUrl" | "version" | "bsuidField"> = {
  callMs: 20_000,
  fileMs: 4 * 60_000,
  checkEveryMs: 5 * 60_000,
  silenceMs: 10 * 60_000,
  silenceLookMs: 30_000,
  lookEveryMs: 2_000,
  templatesMs: 60_000,
};

type CloudApiDeps = {
  db: Database;
  wake: Wake;
  seal: Seal;
  sources: Sources;
  log: Logger;
  /** The product's public address for Meta. */
  publicUrl: string | undefined;
  settings: Pick<CloudApiSettings, "baseUrl" | "version" | "bsuidField"> &
    Partial<CloudApiSettings>;
};

type CloudApi = {
  adapter: ChannelAdapter;
  /** The credentials of connections. */
  accounts: CloudAccounts;
  templates: CloudTemplates;
  registerRoutes(http: Pick<HttpServer, "serveWebhook">): void;
  /** Deletes the rows of deleted connections. */
  sweep(signal: AbortSignal): Promise<void>;
  people: PersonStore;
  close(): void;
};

/**
 * The official API as a chat channel: sessions for the runtime, the address that Meta calls, accounts and templates.
 */
export function createCloudApi(deps: CloudApiDeps): CloudApi {
  const { db, wake, seal, sources, log, publicUrl } = deps;
  const settings = { ...defaults, ...deps.settings };
  const graph = createGraph(settings);
  const open = new Map<ConnectionId, CloudProvider>();

  const unsubscribe = wake.on(DELIVERY_TOPIC, (topic) => {
    const connectionId = Number(topic.slice(DELIVERY_TOPIC.length)) as ConnectionId; // as deliveryTopic wrote it
    open.get(connectionId)?.lookSoon();
  });
  const timer = setInterval(() => void lookAtBusy(), settings.lookEveryMs);
  timer.unref();

  async function lookAtBusy(): Promise<void> {
    if (open.size === 0) return;
    try {
      const busy = await readBusyAcrossCompanies(db, [...open.keys()]);
      for (const connectionId of busy) open.get(connectionId)?.lookSoon();
    } catch (error) {
      log.warn({ err: error }, "deliveries were not looked for");
    }
  }

  const register = (provider: CloudProvider) => {
    open.set(provider.connectionId, provider);
    return () => {
      if (open.get(provider.connectionId) === provider) open.delete(provider.connectionId);
    };
  };

  return {
    adapter: {
      createProvider: (context) =>
        new CloudProvider(context, { db, seal, graph, settings, log, register }),
    },
    accounts: createAccounts({ db, seal, graph, sources, publicUrl, log }),
    templates: createTemplates({ db, seal, graph, log, keepMs: settings.templatesMs }),
    registerRoutes: (http) => http.serveWebhook(WEBHOOK_PATH, createWebhook({ db, wake, seal })),
    sweep: (signal) => sweepGoneConnections(db, { name: "cloud_message_ids", signal }),
    people: peopleOf(db),
    close: () => {
      unsubscribe();
      clearInterval(timer);
    },
  };
}

/** Deliveries that could not be read. The others are gone within seconds. */
const ofPerson = `from cloud_deliveries where company_id = $1 and failed_at is not null and body like any ($2::text[])`;
const countDeliveries = {
  name: "cloud-count-person",
  text: `select count(*)::int as count ${ofPerson}`,
};
const forgetDeliveries = {
  name: "cloud-forget-person",
  text: `delete ${ofPerson} and created_at < $3`,
};
const forgetIds = {
  name: "cloud-forget-messages",
  text: `delete from cloud_message_ids i using unnest($2::int[], $3::text[]) as gone (connection_id, provider_id)
          where i.company_id = $1 and i.connection_id = gone.connection_id and i.provider_id = gone.provider_id`,
};

function peopleOf(db: Database): PersonStore {
  const patternsOf = ({ numbers, privateIds }: PersonIds) =>
    [...numbers, ...privateIds].map((id) => `%${id}%`);
  return {
    async count(companyId, person) {
      const rows = await db.transaction({ companyId }, (tx) =>
        tx.query<{ count: number }>(countDeliveries, [companyId, patternsOf(person)]),
      );
      return rows[0]?.count ?? 0;
    },
    async forget(companyId, person, before) {
      await db.transaction({ companyId }, (tx) =>
        tx.query(forgetDeliveries, [companyId, patternsOf(person), before]),
      );
    },
    async forgetMessages(tx, companyId, messages) {
      await tx.query(forgetIds, [
        companyId,
        messages.map(({ connectionId }) => connectionId),
        messages.map(({ providerId }) => providerId),
      ]);
    },
  };
}

type WebhookDeps = { db: Database; wake: Wake; seal: Seal };

/** Prefix of the wake-ups from the receiver of a delivery to the connection's owner. */
const DELIVERY_TOPIC = "cloud-delivery:";

const webhookKey = z.guid();
const SIGNATURE = "x-hub-signature-256";
const signatureHeader = z.string().regex(/^sha256=[0-9a-f]{64}$/);
const challenge = z.looseObject({
  "hub.mode": z.literal("subscribe"),
  "hub.verify_token": z.string(),
  "hub.challenge": z.string().max(1_000),
});

/**
 * Meta's calls (channels.md 4). A body is trusted only by its signature over the raw bytes, and stored before the
 * reply, so that a crash loses nothing.
 */
function createWebhook({ db, wake, seal }: WebhookDeps): Webhook {
  async function lineOf(key: string) {
    const line = await findByWebhookKeyAcrossCompanies(db, seal, key);
    if (!line) throw new DomainError("ERR_ROUTE_NOT_FOUND");
    return line;
  }

  return {
    screen({ method, key, headers }) {
      if (!webhookKey.safeParse(key).success) throw new DomainError("ERR_ROUTE_NOT_FOUND");
      if (method === "POST" && !signatureHeader.safeParse(headers[SIGNATURE]).success) {
        throw new DomainError("ERR_WEBHOOK_SIGNATURE");
      }
    },

    async verify(key, query) {
      const { account } = await lineOf(key);
      const asked = challenge.safeParse(query);
      if (!asked.success || !isSame(asked.data["hub.verify_token"], account.verifyToken)) {
        throw new DomainError("ERR_WEBHOOK_SIGNATURE");
      }
      return asked.data["hub.challenge"];
    },

    async receive(key, { body, headers }) {
      const { account, companyId, connectionId } = await lineOf(key);
      const signature = signatureHeader.parse(headers[SIGNATURE]);
      if (!isSame(signature, signatureOf(account.appSecret, body))) {
        throw new DomainError("ERR_WEBHOOK_SIGNATURE");
      }
      await db.transaction({ companyId }, async (tx) => {
        await storeDelivery(tx, { companyId, connectionId }, storable(body));
        wake.notify(tx, deliveryTopic(connectionId));
      });
    },
  };
}

export function signatureOf(appSecret: string, body: Uint8Array): string {
  return `sha256=${createHmac("sha256", appSecret).update(body).digest("hex")}`;
}

function deliveryTopic(connectionId: ConnectionId): string {
  return `${DELIVERY_TOPIC}${connectionId}`;
}

/** Compares in constant time. */
function isSame(given: string, wanted: string): boolean {
  const digest = (value: string) => createHash("sha256").update(value).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}

/** PostgreSQL cannot store NUL, and valid JSON contains none. */
function storable(body: Buffer): string {
  return body.toString("utf8").replaceAll("\u0000", "\uFFFD");
}
