import type { ChannelKind } from "@balcao/contract";
import type { Database } from "../../platform/db/database.ts";
import type { Wake } from "../../platform/db/wake.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Sources } from "../../platform/sources.ts";
import type { ChannelAdapter } from "../port.ts";
import type { ChannelHandlers } from "./handlers.ts";
import type { ChannelMetrics, ConnectionFigures } from "./metrics.ts";
import { noMetrics } from "./metrics.ts";
import type { ChannelSettings } from "./settings.ts";
import { defaultSettings } from "./settings.ts";
import { Supervisor } from "./supervisor.ts";

export { decodeEvent, encodeEvent } from "./durable-events.ts";
export { freeAllLeases } from "./free-leases.ts";
export type { ChannelHandlers, ConnectionRef, DeliveryOutcome, PictureWish } from "./handlers.ts";
export type { ChannelMetrics, ConnectionFigures } from "./metrics.ts";
export type { Outbox } from "./outbound.ts";
export { createOutbox } from "./outbound.ts";
export { NoAnswer, createDirectory } from "./directory.ts";
export { sweepQuestionsAcrossCompanies } from "./question-rows.ts";
export type { ChannelSettings } from "./settings.ts";
export { connectionsChanged, retryConnection } from "./topics.ts";
export { tellTyping } from "./typing.ts";

export type ChannelRuntime = {
  /** Resolves when nothing is queued, due or in flight for the connections owned here. For tests. */
  idle(): Promise<void>;
  /** Of the connections that this process owns now. */
  figures(): ConnectionFigures[];
  /** Closes the sessions (their links stay) after what is under way, and gives the connections free. */
  stop(): Promise<void>;
};

export type ChannelDeps = {
  db: Database;
  wake: Wake;
  adapters: ReadonlyMap<ChannelKind, ChannelAdapter>;
  handlers: ChannelHandlers;
  sources: Sources;
  log: Logger;
  metrics?: ChannelMetrics;
  settings?: Partial<ChannelSettings>;
};

const IDLE_POLL_MS = 5;

/** Runs the sessions of the connections that this process owns, and takes those that nobody owns. */
export function startChannels(deps: ChannelDeps): ChannelRuntime {
  const { db, wake, adapters, handlers, sources, log } = deps;
  const supervisor = new Supervisor({
    db,
    wake,
    adapters,
    handlers,
    owner: sources.ids.uuid(),
    random: sources.random,
    settings: { ...defaultSettings, ...deps.settings },
    metrics: deps.metrics ?? noMetrics,
    log,
  });
  return {
    idle: async () => {
      // Twice: what ends between two questions may have begun something that was already asked for.
      for (let quiet = 0; quiet < 2;) {
        quiet = (await supervisor.isIdle()) ? quiet + 1 : 0;
        if (quiet < 2) await new Promise((resolve) => setTimeout(resolve, IDLE_POLL_MS));
      }
    },
    figures: () => supervisor.figures(),
    stop: () => supervisor.stop(),
  };
}
