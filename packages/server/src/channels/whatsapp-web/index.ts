import type { Database } from "../../platform/db/database.ts";
import type { ChannelAdapter, PersonIds, PersonStore } from "../port.ts";
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
  people: PersonStore;
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
    people: peopleOf(deps.db),
  };
}

/**
 * Keys of the encryption are called by the person's number or private id, alone or with device and group. The library agrees on
 * new ones when the person writes again.
 */
const ofPerson = `from whatsapp_keys k where company_id = $1
  and string_to_array(translate(id, '@.:_-', '     '), ' ') && $2::text[]`;
const countKeys = {
  name: "whatsapp-count-person",
  text: `select count(*)::int as count ${ofPerson}`,
};
const forgetKeys = { name: "whatsapp-forget-person", text: `delete ${ofPerson}` };
const forgetSent = {
  name: "whatsapp-forget-sent",
  text: `delete from whatsapp_sent s using unnest($2::int[], $3::text[]) as gone (connection_id, message_id)
          where s.company_id = $1 and s.connection_id = gone.connection_id and s.message_id = gone.message_id`,
};

function peopleOf(db: Database): PersonStore {
  const idsOf = ({ numbers, privateIds }: PersonIds) => [
    ...numbers,
    ...privateIds.map((id) => id.replace(/@.*$/, "")),
  ];
  return {
    async count(companyId, person) {
      const rows = await db.transaction({ companyId }, (tx) =>
        tx.query<{ count: number }>(countKeys, [companyId, idsOf(person)]),
      );
      return rows[0]?.count ?? 0;
    },
    async forget(companyId, person) {
      await db.transaction({ companyId }, (tx) => tx.query(forgetKeys, [companyId, idsOf(person)]));
    },
    async forgetMessages(tx, companyId, messages) {
      await tx.query(forgetSent, [
        companyId,
        messages.map(({ connectionId }) => connectionId),
        messages.map(({ providerId }) => providerId),
      ]);
    },
  };
}
