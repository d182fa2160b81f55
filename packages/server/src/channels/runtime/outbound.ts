import type { ConnectionId, MessageId } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { Wake } from "../../platform/db/wake.ts";
import type { Address, OutboundBody } from "../port.ts";
import { chatKeyOf } from "./durable-events.ts";
import { outboundTopic } from "./topics.ts";

export type OutboundMessage = {
  connectionId: ConnectionId;
  messageId: MessageId;
  /** Chosen beforehand, unique in the connection; every attempt is the same message on the network. */
  providerId: string;
  to: Address;
  body: OutboundBody;
};

/** The newest message of a chat that people have read. */
export type ReadMark = { connectionId: ConnectionId; to: Address; providerId: string };

/** What features hand to the channels, in their own transaction; the connection's owner is woken at its commit. */
export type Outbox = {
  /**
   * Puts a message in the connection's queue; the message's row must exist. The order in a chat is the order of these
   * calls, so make them after the lock that puts the chat's senders in a line (the ticket's row).
   */
  enqueueOutbound(tx: Tx, ctx: Ctx, message: OutboundMessage): Promise<void>;
  /** Puts a failed or unconfirmed message back, as the same message. False: it is in no such state. */
  requeueFailed(tx: Tx, ctx: Ctx, messageId: MessageId): Promise<boolean>;
  /** Has the customer told that his messages up to this one were read. */
  enqueueReadReceipt(tx: Tx, ctx: Ctx, mark: ReadMark): Promise<void>;
};

const insertOutbound = {
  name: "outbound-enqueue",
  text: `insert into outbound
           (company_id, connection_id, message_id, chat_key, to_kind, to_value, provider_id, body)
         values ($1, $2, $3, $4, $5, $6, $7, $8)`,
};
const requeueOutbound = {
  name: "outbound-requeue",
  text: `update outbound set state = 'queued', attempt = 0, due_at = now(), error_code = null
          where company_id = $1 and message_id = $2 and state in ('failed', 'unconfirmed')
      returning connection_id as "connectionId"`,
};
const upsertReceipt = {
  name: "read-receipt-upsert",
  text: `insert into read_receipts
           (company_id, connection_id, chat_key, to_kind, to_value, provider_id)
         values ($1, $2, $3, $4, $5, $6)
         on conflict (company_id, connection_id, chat_key) do update
            set to_kind = excluded.to_kind, to_value = excluded.to_value,
                provider_id = excluded.provider_id, created_at = now()`,
};

export function createOutbox(wake: Wake): Outbox {
  return {
    async enqueueOutbound(tx, ctx, message) {
      await tx.query(insertOutbound, [
        ctx.companyId,
        message.connectionId,
        message.messageId,
        chatKeyOf(message.to),
        message.to.kind,
        message.to.value,
        message.providerId,
        JSON.stringify(message.body),
      ]);
      wake.notify(tx, outboundTopic(message.connectionId));
    },

    async requeueFailed(tx, ctx, messageId) {
      const [row] = await tx.query<{ connectionId: ConnectionId }>(requeueOutbound, [
        ctx.companyId,
        messageId,
      ]);
      if (!row) return false;
      wake.notify(tx, outboundTopic(row.connectionId));
      return true;
    },

    async enqueueReadReceipt(tx, ctx, mark) {
      await tx.query(upsertReceipt, [
        ctx.companyId,
        mark.connectionId,
        chatKeyOf(mark.to),
        mark.to.kind,
        mark.to.value,
        mark.providerId,
      ]);
      wake.notify(tx, outboundTopic(mark.connectionId));
    },
  };
}
