import type { NewWebhook, Webhook, WebhookDelivery, WebhookId } from "@balcao/contract";
import { call } from "../../api/client.ts";
import { livePages } from "../../realtime/live-list.ts";
import { onCompanyEvent } from "../../realtime/live.ts";
import { createDeliveryLog, readLogAgain } from "../integrations/index.ts";

/** The webhooks of the company by name, on one page. */
export const webhookPages = livePages<Webhook>({
  key: ["webhooks"],
  identify: ({ id }) => id,
  async read(_words, _page, signal) {
    const { webhooks: rows } = await call("GET /webhooks", {}, { signal });
    return { rows, count: rows.length, hasMore: false };
  },
});

// A delivery may be the first one that fails, or the first one again that does not.
onCompanyEvent("integrationDelivery", () => webhookPages.readAgain());

/** Saves a new (`id` null) or known webhook. */
export async function saveWebhook(id: number | null, body: NewWebhook): Promise<Webhook> {
  const saved =
    id === null
      ? await call("POST /webhooks", { body })
      : await call("PUT /webhooks/:webhookId", { params: { webhookId: id }, body });
  webhookPages.readAgain();
  return saved;
}

export async function deleteWebhook(webhookId: WebhookId): Promise<void> {
  await call("DELETE /webhooks/:webhookId", { params: { webhookId } });
  webhookPages.readAgain();
  readLogAgain(webhookLog);
}

/** Sends one harmless event to the receiver. */
export const testWebhook = (webhookId: WebhookId) =>
  call("POST /webhooks/:webhookId/test", { params: { webhookId } });

/** Delivers again to a stopped receiver. */
export async function resumeWebhook(webhookId: WebhookId): Promise<void> {
  await call("POST /webhooks/:webhookId/resume", { params: { webhookId } });
  webhookPages.readAgain();
  readLogAgain(webhookLog);
}

function received<Row extends Pick<WebhookDelivery, "webhookId" | "webhookName">>({
  webhookId: receiverId,
  webhookName: receiverName,
  ...row
}: Row) {
  return { ...row, receiverId, receiverName };
}

type SecretCall = `${"GET" | "POST"} /webhooks/:webhookId/secret`;

const secretBy = (name: SecretCall) => (webhookId: number) => call(name, { params: { webhookId } });

/** What went to webhooks. It is not found by ticket. */
export const webhookLog = createDeliveryLog({
  receiver: "webhook",
  secretPermission: "api:manage",
  async readPage({ receiverId, onlyFailed }, before, signal) {
    const query = {
      ...(receiverId === null ? {} : { webhookId: receiverId }),
      ...(onlyFailed ? { state: "failed" as const } : {}),
      ...(before === null ? {} : { before }),
    };
    const { deliveries, hasMore } = await call("GET /webhook-deliveries", { query }, { signal });
    return { deliveries: deliveries.map(received), hasMore, failed: null };
  },
  async readOne(deliveryId, signal) {
    const params = { deliveryId };
    return received(await call("GET /webhook-deliveries/:deliveryId", { params }, { signal }));
  },
  sendAgain: (deliveryIds) => call("POST /webhook-deliveries/again", { body: { deliveryIds } }),
  readSecret: secretBy("GET /webhooks/:webhookId/secret"),
  renewSecret: secretBy("POST /webhooks/:webhookId/secret"),
});
