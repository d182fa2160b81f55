import type { ConnectionId } from "@balcao/contract";
import type { Database } from "../../platform/db/database.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Seal } from "../../platform/secrets/seal.ts";
import type { Sources } from "../../platform/sources.ts";
import type { ChannelAdapter } from "../port.ts";
import { repairCurve } from "./curve-repair.ts";
import { bypassLibsignalQueue } from "./libsignal-queue.ts";
import { sweepPlaintextsAcrossCompanies } from "./plaintext-rows.ts";
import { WhatsAppWebProvider } from "./provider.ts";
import { repairSignalQueue } from "./queue-repair.ts";
import { quietLibsignal } from "./quiet-libsignal.ts";
import { sweepSentAcrossCompanies } from "./sent-messages.ts";
import { repairSessionTries } from "./session-repair.ts";
import type { WhatsAppWebSettings } from "./settings.ts";
import { defaultWhatsAppWebSettings } from "./settings.ts";
import type { SessionCaches } from "./ttl-cache.ts";
import { newSessionCaches } from "./ttl-cache.ts";

export type { WhatsAppWebSettings } from "./settings.ts";

export type WhatsAppWebDeps = {
  db: Database;
  /** Encrypts credentials, keys and messages. */
  seal: Seal;
  sources: Sources;
  log: Logger;
  settings?: Partial<WhatsAppWebSettings>;
};

export type WhatsAppWeb = {
  adapter: ChannelAdapter;
  /** Forgets sent messages, and decrypted ones, that nobody asks for any more. */
  sweep(): Promise<void>;
};

/**
 * Connections linked to a phone by a scanned or typed code. Throws when the check of the service's signatures does not
 * work: nothing may be trusted then.
 */
export function createWhatsAppWeb(deps: WhatsAppWebDeps): WhatsAppWeb {
  const settings = { ...defaultWhatsAppWebSettings, ...deps.settings };
  quietLibsignal();
  bypassLibsignalQueue();
  repairSignalQueue();
  repairSessionTries();
  repairCurve(settings.rootKey === null ? undefined : Buffer.from(settings.rootKey, "hex"));
  const caches = new Map<ConnectionId, SessionCaches>();
  const cachesOf = (connectionId: ConnectionId): SessionCaches => {
    const known = caches.get(connectionId) ?? newSessionCaches();
    caches.set(connectionId, known);
    return known;
  };
  return {
    adapter: {
      createProvider: (context) =>
        new WhatsAppWebProvider(context, {
          ...deps,
          settings,
          caches: cachesOf(context.connectionId),
        }),
    },
    sweep: () =>
      deps.db.acrossCompanies(async (tx) => {
        await sweepSentAcrossCompanies(tx);
        await sweepPlaintextsAcrossCompanies(tx);
      }),
  };
}
