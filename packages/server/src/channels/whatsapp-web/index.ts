import type { ChannelAdapter } from "../port.ts";
import type { SessionsDeps } from "./provider.ts";
import type { WhatsAppWebSettings } from "./socket.ts";

export type { WhatsAppWebSettings } from "./socket.ts";

export type WhatsAppWebDeps = Omit<SessionsDeps, "settings"> & {
  settings?: Partial<WhatsAppWebSettings>;
};

export type WhatsAppWeb = {
  adapter: ChannelAdapter;
  /** Deletes old sent and decrypted messages. */
  sweep(): Promise<void>;
};

const sweepSent = {
  name: "whatsapp-sent-sweep",
  text: `delete from whatsapp_sent where created_at < now() - interval '2 days'`,
};
/** Only connections that were never started again have decrypted messages of this age. */
const sweepPlaintexts = {
  name: "whatsapp-plaintexts-sweep",
  text: `delete from whatsapp_plaintexts where created_at < now() - interval '30 days'`,
};

/**
 * Connections linked to a phone by a scanned or typed code. Baileys is large: it is loaded with the first such
 * connection of a process, so nothing here may import it.
 */
export function createWhatsAppWeb(deps: WhatsAppWebDeps): WhatsAppWeb {
  let create: ChannelAdapter["createProvider"] | null = null;
  return {
    adapter: {
      async prepare() {
        const { createSessions } = await import("./provider.ts");
        create ??= createSessions(deps);
      },
      createProvider(context) {
        if (!create) throw new Error("the adapter was not prepared");
        return create(context);
      },
    },
    sweep: () =>
      deps.db.acrossCompanies(async (tx) => {
        await tx.query(sweepSent);
        await tx.query(sweepPlaintexts);
      }),
  };
}
