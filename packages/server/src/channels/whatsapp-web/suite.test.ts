import type { proto } from "baileys";
import { createSeal } from "../../platform/secrets/seal.ts";
import { systemSources } from "../../platform/sources.ts";
import { quietLog } from "../../testing/app.ts";
import { atEndOfFile } from "../../testing/end-of-file.ts";
import { trustCertificate } from "../../testing/tls-certificate.ts";
import type { CustomerPhone, SeenMessage } from "../testing/channel-under-test.ts";
import { describeChannel } from "../testing/suite.ts";
import { linkWhatsApp } from "../testing/whatsapp.ts";
import { createWhatsAppWeb } from "./index.ts";
import { whatsAppWebCapabilities } from "./provider.ts";
import { fileOf, textOf } from "./testing/contents.ts";
import type { Received } from "./testing/inbox.ts";
import { startPeer } from "./testing/peer.ts";

let phones = 0;

describeChannel("whatsapp-web", async (database) => {
  const peer = await startPeer();
  atEndOfFile(() => peer.close());
  trustCertificate(peer.certificatePem);
  const seal = createSeal(database.secrets.seal);

  return {
    channel: "whatsapp-web",
    capabilities: whatsAppWebCapabilities,
    settings: { openingMs: 20_000, sendMs: 10_000 },
    adapters: (db) => {
      const { adapter } = createWhatsAppWeb({
        db,
        seal,
        sources: systemSources,
        log: quietLog(),
        settings: {
          socketUrl: peer.url,
          rootKey: peer.rootKeyHex,
          mediaHost: peer.mediaHost,
          endMs: 500,
        },
      });
      return [["whatsapp-web", adapter]];
    },
    networkOf(_process, line) {
      phones += 1;
      const account = peer.account(`55118${String(phones).padStart(8, "0")}`);
      return {
        prepare: async () => undefined,
        link: () => linkWhatsApp(database, { account, line }),
        async customer(phone): Promise<CustomerPhone> {
          const contact = account.contact(phone);
          const own = new Map<string, proto.IMessage>();

          async function seen(message: Received): Promise<SeenMessage> {
            const changes = contact
              .received()
              .map((one) => one.message.protocolMessage)
              .filter((change) => change?.key?.id === message.id);
            const edited = changes.findLast((change) => change?.editedMessage)?.editedMessage;
            const file = fileOf(message.message);
            return {
              text: textOf(edited ?? message.message) ?? "",
              quotedId: quotedIdOf(message.message),
              file: file ? Buffer.from(await peer.media.open(file, "image")) : null,
              isEdited: edited !== undefined,
              isDeleted: changes.some((change) => !change?.editedMessage),
            };
          }

          return {
            async writes(text, { id, quotedId } = {}) {
              const quoted = quotedId === undefined ? undefined : quotedFrom(quotedId);
              const sent = await contact.sends(text, {
                ...(id === undefined ? {} : { id }),
                ...(quoted ? { quoted } : {}),
              });
              own.set(sent, { conversation: text });
              return sent;
            },
            sendsPicture: (bytes, caption) =>
              contact.sends({ kind: "image", bytes, mimetype: "image/png", caption }),
            async reacts(id, emoji) {
              await contact.reacts(id, emoji);
            },
            async edits(id, text) {
              await contact.edits(id, text);
            },
            async deletes(id) {
              await contact.revokes(id);
            },
            async reads() {
              for (const { id } of contact.received()) contact.reads(id);
            },
            async sees() {
              const messages = contact
                .received()
                .filter(({ message }) => !message.protocolMessage && !message.reactionMessage);
              return Promise.all(messages.map(seen));
            },
            async reactionsTo(id) {
              return contact.received().flatMap(({ message }) => {
                const reaction = message.reactionMessage;
                return reaction?.key?.id === id ? [reaction.text ?? ""] : [];
              });
            },
          };

          function quotedFrom(id: string) {
            const mine = own.get(id);
            if (mine) return { id, fromMe: true, message: mine };
            const theirs = contact.received().find((one) => one.id === id);
            return { id, fromMe: false, message: theirs?.message ?? {} };
          }
        },
        async breaks() {
          peer.goesAway();
        },
        async comesBack() {
          peer.comesBack();
        },
        async refuses() {
          account.setAnswer({ error: "463" });
        },
      };
    },
  };
});

function quotedIdOf(message: proto.IMessage): string | null {
  return message.extendedTextMessage?.contextInfo?.stanzaId ?? null;
}
