import { v7 } from "uuid";
import { startWake } from "../../platform/db/wake.ts";
import type { Webhook } from "../../platform/http/webhooks.ts";
import { createSeal } from "../../platform/secrets/seal.ts";
import { systemSources } from "../../platform/sources.ts";
import { quietLog } from "../../testing/app.ts";
import { atEndOfFile } from "../../testing/end-of-file.ts";
import type { CustomerPhone, SeenMessage } from "../testing/channel-under-test.ts";
import { describeChannel } from "../testing/suite.ts";
import { saveAccount } from "./accounts.ts";
import { createCloudApi, signatureOf } from "./index.ts";
import { cloudCapabilities } from "./provider.ts";
import type { SentBody, StubMessage } from "./testing/graph-stub.ts";
import { startGraphStub } from "./testing/graph-stub.ts";
import { contactOf, delivery, messageFrom, statusOf } from "./testing/webhook-bodies.ts";

describeChannel("cloud-api", async (database) => {
  const stub = await startGraphStub();
  const seal = createSeal(database.secrets.seal);
  const wake = startWake({ url: database.ownerUrl, log: quietLog() });
  atEndOfFile(() => wake.close());
  const cloudApi = createCloudApi({
    db: database.db,
    wake,
    seal,
    sources: systemSources,
    log: quietLog(),
    publicUrl: undefined,
    settings: {
      baseUrl: stub.url,
      version: stub.version,
      bsuidField: "recipient",
      lookEveryMs: 50,
      callMs: 5_000,
    },
  });
  atEndOfFile(async () => cloudApi.close());
  let webhook: Webhook | undefined;
  cloudApi.registerRoutes({ serveWebhook: (_path, served) => void (webhook = served) });

  return {
    channel: "cloud-api",
    capabilities: cloudCapabilities,
    adapters: () => [["cloud-api", cloudApi.adapter]],
    networkOf(_process, line) {
      const account = stub.newAccount();
      const webhookKey = v7();

      async function deliver(value: Readonly<Record<string, unknown>>): Promise<void> {
        const body = Buffer.from(JSON.stringify(delivery(account, value)));
        const headers = { "x-hub-signature-256": signatureOf(account.appSecret, body) };
        await webhook?.receive(webhookKey, { body, headers });
      }

      const sentTo = (phone: string): StubMessage[] =>
        stub.sent(account).filter(({ body }) => body.to === phone);
      const wamidOf = (phone: string, id: string): string =>
        sentTo(phone).find(({ body }) => body.biz_opaque_callback_data === id)?.wamid ?? id;

      function seen(phone: string, { body }: StubMessage): SeenMessage {
        const quoted = body.context?.message_id ?? null;
        const ours = sentTo(phone).find(({ wamid }) => wamid === quoted);
        return {
          text: textOf(body),
          quotedId: ours?.body.biz_opaque_callback_data ?? quoted,
          file: fileOf(body),
          isEdited: false,
          isDeleted: false,
        };
      }

      function fileOf(body: SentBody): Buffer | null {
        const file = body[body.type];
        const id: unknown = typeof file === "object" && file ? Reflect.get(file, "id") : undefined;
        return stub.uploads.find((one) => one.id === id)?.content ?? null;
      }

      return {
        async prepare() {
          await database.db.transaction(line, (tx) =>
            saveAccount(tx, seal, line, { ...account, webhookKey }),
          );
        },
        async customer(phone): Promise<CustomerPhone> {
          const person = { phone, name: "Lia" };
          async function sends(
            content: Readonly<Record<string, unknown>> & { type: string },
            id?: string,
          ): Promise<string> {
            const message = messageFrom(person, content, id === undefined ? {} : { id });
            await deliver({ contacts: [contactOf(person)], messages: [message] });
            return message.id;
          }
          return {
            writes: (text, { id, quotedId } = {}) =>
              sends(
                {
                  type: "text",
                  text: { body: text },
                  ...(quotedId === undefined ? {} : { context: { id: wamidOf(phone, quotedId) } }),
                },
                id,
              ),
            sendsPicture(content, caption) {
              const id = stub.addFile({ mime: "image/png", name: "foto.png", content });
              return sends({ type: "image", image: { id, mime_type: "image/png", caption } });
            },
            async reacts(id, emoji) {
              const reaction = { message_id: wamidOf(phone, id), emoji: emoji ?? "" };
              await sends({ type: "reaction", reaction });
            },
            async reads() {
              for (const status of ["sent", "delivered", "read"]) {
                const statuses = sentTo(phone).map((message) => statusOf(message, status));
                await deliver({ statuses });
              }
            },
            async sees() {
              return sentTo(phone)
                .filter(({ body }) => body.type !== "reaction")
                .map((message) => seen(phone, message));
            },
            async reactionsTo(id) {
              return sentTo(phone).flatMap(({ body }) =>
                body.reaction?.message_id === id ? [body.reaction.emoji] : [],
              );
            },
          };
        },
        breaks: () => stub.goAway(),
        comesBack: () => stub.comeBack(),
        async refuses() {
          stub.faults.push({ code: 131_026 });
        },
      };
    },
  };
});

function textOf(body: SentBody): string {
  if (body.text) return body.text.body;
  const content = body[body.type];
  const caption: unknown =
    typeof content === "object" && content ? Reflect.get(content, "caption") : undefined;
  return typeof caption === "string" ? caption : "";
}
