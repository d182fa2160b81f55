import type { ChannelAdapter } from "../port.ts";
import type { Sessions, SessionsDeps } from "./sessions.ts";
import { sweepPlaintextsAcrossCompanies } from "./plaintext-rows.ts";
import { sweepSentAcrossCompanies } from "./sent-rows.ts";
import type { WhatsAppWebSettings } from "./settings.ts";
import { defaultWhatsAppWebSettings } from "./settings.ts";

export type { WhatsAppWebSettings } from "./settings.ts";

export type WhatsAppWebDeps = Omit<SessionsDeps, "settings"> & {
  settings?: Partial<WhatsAppWebSettings>;
};

export type WhatsAppWeb = {
  adapter: ChannelAdapter;
  /** Forgets sent messages, and decrypted ones, that nobody asks for any more. */
  sweep(): Promise<void>;
};

/**
 * Connections linked to a phone by a scanned or typed code. The client library is large: it is loaded with the first
 * such connection of a process, and a process without any does without it.
 */
export function createWhatsAppWeb(deps: WhatsAppWebDeps): WhatsAppWeb {
  const settings = { ...defaultWhatsAppWebSettings, ...deps.settings };
  let sessions: Sessions | null = null;
  return {
    adapter: {
      async prepare() {
        const { createSessions } = await import("./sessions.ts");
        sessions ??= createSessions({ ...deps, settings });
      },
      createProvider(context) {
        if (!sessions) throw new Error("the adapter was not prepared");
        return sessions.createProvider(context);
      },
    },
    sweep: () =>
      deps.db.acrossCompanies(async (tx) => {
        await sweepSentAcrossCompanies(tx);
        await sweepPlaintextsAcrossCompanies(tx);
      }),
  };
}
