import type { CompanyId, ConnectionId } from "@balcao/contract";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { Wake } from "../../platform/db/wake.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { MediaStore } from "../../platform/media/media-store.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import type { Sources } from "../../platform/sources.ts";
import type { ChannelAdapter } from "../port.ts";
import { Changes } from "./changes.ts";
import { readBusyLinesAcrossCompanies } from "./network.ts";
import type { SimulatorSettings } from "./provider.ts";
import { SimulatorProvider, defaultSimulatorSettings } from "./provider.ts";
import { createNetworkFiles } from "./files.ts";
import { createLines } from "./lines.ts";
import { registerMessageRoutes } from "./message-routes.ts";
import { registerSimulatorRoutes } from "./routes.ts";
import { LINE_TOPIC, parseLineTopic } from "./topics.ts";

export type { SimulatorSettings } from "./provider.ts";

export type SimulatorDeps = {
  db: Database;
  wake: Wake;
  realtime: Realtime;
  /** Files on the network, apart from the product's own. */
  files: MediaStore;
  sources: Sources;
  log: Logger;
  /** Starts a waiting connection's next try now. */
  retryConnection: (tx: Tx, connectionId: ConnectionId) => void;
  settings?: Partial<SimulatorSettings>;
};

export type Simulator = {
  adapter: ChannelAdapter;
  registerRoutes(routes: Routes): void;
  close(): void;
};

/** Wake-ups make the network quick; this finds what they missed. */
const LOOK_EVERY_MS = 2_000;

/** The chat network in miniature: an adapter for the channel runtime, and the calls of the customers' phones. */
export function createSimulator(deps: SimulatorDeps): Simulator {
  const { db, wake, realtime, sources, log } = deps;
  const files = createNetworkFiles(deps.files, sources.ids);
  const changes = new Changes(realtime);
  const open = new Map<ConnectionId, SimulatorProvider>();
  const settings = { ...defaultSimulatorSettings, ...deps.settings };

  const unsubscribe = wake.on(LINE_TOPIC, (topic) => {
    const { connectionId, typing } = parseLineTopic(topic);
    const provider = open.get(connectionId);
    if (typing) provider?.typing(typing);
    else provider?.lookSoon();
  });
  const timer = setInterval(() => void lookAtBusyLines(), LOOK_EVERY_MS);
  timer.unref();

  async function lookAtBusyLines(): Promise<void> {
    if (open.size === 0) return;
    try {
      const busy = await db.acrossCompanies((tx) =>
        readBusyLinesAcrossCompanies(tx, [...open.keys()]),
      );
      for (const connectionId of busy) open.get(connectionId)?.lookSoon();
    } catch (error) {
      log.warn({ err: error }, "the simulated lines were not read");
    }
  }

  const register = (provider: SimulatorProvider) => {
    open.set(provider.connectionId, provider);
    return () => {
      if (open.get(provider.connectionId) === provider) open.delete(provider.connectionId);
    };
  };
  const noticeOf = (companyId: CompanyId, connectionId: ConnectionId) => (phone: string | null) =>
    changes.notice(companyId, connectionId, phone);

  return {
    adapter: {
      createProvider: (context) =>
        new SimulatorProvider(context, {
          db,
          files,
          random: sources.random,
          settings,
          log,
          onChange: noticeOf(context.companyId, context.connectionId),
          register,
        }),
    },
    registerRoutes: (routes) => {
      const { random } = sources;
      const lines = createLines({ db, wake, changes, random });
      registerSimulatorRoutes(routes, { db, lines, retryConnection: deps.retryConnection });
      registerMessageRoutes(routes, { lines, files });
    },
    close: () => {
      unsubscribe();
      clearInterval(timer);
      changes.close();
    },
  };
}
