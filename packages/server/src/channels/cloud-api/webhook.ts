import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { ConnectionId } from "@balcao/contract";
import { z } from "zod";
import { DomainError } from "../../platform/context.ts";
import type { Database } from "../../platform/db/database.ts";
import type { Wake } from "../../platform/db/wake.ts";
import type { Webhook } from "../../platform/http/webhooks.ts";
import type { Seal } from "../../platform/secrets/seal.ts";
import { findByWebhookKeyAcrossCompanies } from "./account-rows.ts";
import { storeDelivery } from "./rows.ts";

export type WebhookDeps = { db: Database; wake: Wake; seal: Seal };

/** Prefix of the wake-ups from whoever took a delivery to the connection's owner. */
export const DELIVERY_TOPIC = "cloud-delivery:";

const webhookKey = z.guid();
const SIGNATURE = "x-hub-signature-256";
const signatureHeader = z.string().regex(/^sha256=[0-9a-f]{64}$/);
const challenge = z.looseObject({
  "hub.mode": z.literal("subscribe"),
  "hub.verify_token": z.string(),
  "hub.challenge": z.string().max(1_000),
});

/**
 * What Meta calls (channels.md 4). A body is believed for its signature alone, over its bytes as they came, and stored
 * before the answer: what comes after that no crash can lose.
 */
export function createWebhook({ db, wake, seal }: WebhookDeps): Webhook {
  async function lineOf(key: string) {
    const line = await findByWebhookKeyAcrossCompanies(db, seal, key);
    if (!line) throw new DomainError("ERR_ROUTE_NOT_FOUND");
    return line;
  }

  return {
    screen({ method, key, headers }) {
      if (!webhookKey.safeParse(key).success) throw new DomainError("ERR_ROUTE_NOT_FOUND");
      if (method === "POST" && !signatureHeader.safeParse(headers[SIGNATURE]).success) {
        throw new DomainError("ERR_WEBHOOK_SIGNATURE");
      }
    },

    async verify(key, query) {
      const { account } = await lineOf(key);
      const asked = challenge.safeParse(query);
      if (!asked.success || !isSame(asked.data["hub.verify_token"], account.verifyToken)) {
        throw new DomainError("ERR_WEBHOOK_SIGNATURE");
      }
      return asked.data["hub.challenge"];
    },

    async receive(key, { body, headers }) {
      const { account, companyId, connectionId } = await lineOf(key);
      const signature = signatureHeader.parse(headers[SIGNATURE]);
      if (!isSame(signature, signatureOf(account.appSecret, body))) {
        throw new DomainError("ERR_WEBHOOK_SIGNATURE");
      }
      await db.transaction({ companyId }, async (tx) => {
        await storeDelivery(tx, { companyId, connectionId }, storable(body));
        wake.notify(tx, deliveryTopic(connectionId));
      });
    },
  };
}

export function signatureOf(appSecret: string, body: Uint8Array): string {
  return `sha256=${createHmac("sha256", appSecret).update(body).digest("hex")}`;
}

function deliveryTopic(connectionId: ConnectionId): string {
  return `${DELIVERY_TOPIC}${connectionId}`;
}

/** In a time that does not depend on how much of it is right. */
function isSame(given: string, wanted: string): boolean {
  const digest = (value: string) => createHash("sha256").update(value).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}

/** PostgreSQL's texts hold no NUL; in JSON there is none. */
function storable(body: Buffer): string {
  return body.toString("utf8").replaceAll("\u0000", "\uFFFD");
}
