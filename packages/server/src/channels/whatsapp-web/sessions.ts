import type { ConnectionId } from "@balcao/contract";
import type { Database } from "../../platform/db/database.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Seal } from "../../platform/secrets/seal.ts";
import type { Sources } from "../../platform/sources.ts";
import type { ChannelAdapter } from "../port.ts";
import { repairCurve } from "./curve-repair.ts";
import { WhatsAppWebProvider } from "./provider.ts";
import { repairSignalQueue } from "./queue-repair.ts";
import { quietLibsignal } from "./quiet-libsignal.ts";
import { repairSessionTries } from "./session-repair.ts";
import type { WhatsAppWebSettings } from "./settings.ts";
import type { SessionCaches } from "./ttl-cache.ts";
import { newSessionCaches } from "./ttl-cache.ts";

export type SessionsDeps = {
  db: Database;
  /** Encrypts credentials, keys and messages. */
  seal: Seal;
  sources: Sources;
  log: Logger;
  settings: WhatsAppWebSettings;
};

export type Sessions = Pick<ChannelAdapter, "createProvider">;

/**
 * Makes sessions with the client library, which is repaired first. Throws when the check of the service's signatures
 * does not work: nothing may be trusted then.
 */
export function createSessions(deps: SessionsDeps): Sessions {
  const { rootKey } = deps.settings;
  quietLibsignal();
  repairSignalQueue();
  repairSessionTries();
  repairCurve(rootKey === null ? undefined : Buffer.from(rootKey, "hex"));
  const caches = new Map<ConnectionId, SessionCaches>();
  const cachesOf = (connectionId: ConnectionId): SessionCaches => {
    const known = caches.get(connectionId) ?? newSessionCaches();
    caches.set(connectionId, known);
    return known;
  };
  return {
    createProvider: (context) =>
      new WhatsAppWebProvider(context, { ...deps, caches: cachesOf(context.connectionId) }),
  };
}
