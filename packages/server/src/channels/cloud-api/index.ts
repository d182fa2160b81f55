import type { ConnectionId } from "@balcao/contract";
import type { Database } from "../../platform/db/database.ts";
import type { Wake } from "../../platform/db/wake.ts";
import type { HttpServer } from "../../platform/http/server.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Seal } from "../../platform/secrets/seal.ts";
import type { Sources } from "../../platform/sources.ts";
import type { ChannelAdapter } from "../port.ts";
import type { CloudAccounts } from "./accounts.ts";
import { createAccounts, WEBHOOK_PATH } from "./accounts.ts";
import type { GraphSettings } from "./graph.ts";
import { createGraph } from "./graph.ts";
import type { CloudSettings } from "./provider.ts";
import { CloudProvider } from "./provider.ts";
import { readBusyAcrossCompanies } from "./rows.ts";
import type { CloudTemplates } from "./templates.ts";
import { createTemplates } from "./templates.ts";
import { createWebhook, DELIVERY_TOPIC } from "./webhook.ts";

export type CloudApiSettings = GraphSettings &
  CloudSettings & {
    /** Wake-ups make deliveries quick; this finds what they missed. */
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

export type CloudApiDeps = {
  db: Database;
  wake: Wake;
  seal: Seal;
  sources: Sources;
  log: Logger;
  /** Where Meta reaches the product. */
  publicUrl: string | undefined;
  settings: Pick<CloudApiSettings, "baseUrl" | "version" | "bsuidField"> &
    Partial<CloudApiSettings>;
};

export type CloudApi = {
  adapter: ChannelAdapter;
  /** The credentials of connections. */
  accounts: CloudAccounts;
  templates: CloudTemplates;
  registerRoutes(http: Pick<HttpServer, "serveWebhook">): void;
  close(): void;
};

/** The official API as a chat channel: sessions for the runtime, the address that Meta calls, accounts and templates. */
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
    close: () => {
      unsubscribe();
      clearInterval(timer);
    },
  };
}
