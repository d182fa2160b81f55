import type { ConnectionId, MessageId } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { Wake } from "../../platform/db/wake.ts";
import type { Address, CallEvent, MediaRef, OutboundBody, OutboundChange, Quote } from "../port.ts";
import { chatKeyOf } from "./durable-events.ts";
import { storeCallRefusal } from "./question-rows.ts";
import { mediaTopic, outboundTopic } from "./topics.ts";

export type OutboundMessage = {
  connectionId: ConnectionId;
  messageId: MessageId;
  /** Chosen beforehand, unique in the connection; every attempt is the same message on the network. */
  providerId: string;
  to: Address;
  body: OutboundBody;
  quote?: Quote;
  /** Not before; what follows in the chat waits for it. At once unless given. */
  dueAt?: Date;
};

/** A change of a message that was handed over before. */
export type OutboundMessageChange = {
  connectionId: ConnectionId;
  /** The message that changes. */
  messageId: MessageId;
  /** The change's own id on the wire. */
  providerId: string;
  to: Address;
  change: OutboundChange;
  /** JSON that comes back with the outcome, for taking the change back when the network refuses it. */
  before: string;
};

/** The newest message of a chat that people have read. */
export type ReadMark = { connectionId: ConnectionId; to: Address; providerId: string };

export type MediaDownload = { connectionId: ConnectionId; messageId: MessageId; file: MediaRef };

/** What features hand to the channels, in their own transaction; the connection's owner is woken at its commit. */
export type Outbox = {
  /**
   * Puts a message in the connection's queue; the message's row must exist. The order in a chat is the order of these
   * calls, so make them after the lock that puts the chat's senders in a line (the ticket's row).
   */
  enqueueOutbound(tx: Tx, ctx: Ctx, message: OutboundMessage): Promise<void>;
  /** Puts an edit, deletion or reaction in the queue, behind everything that the chat has in it. */
  enqueueChange(tx: Tx, ctx: Ctx, change: OutboundMessageChange): Promise<void>;
  /**
   * Takes a message out of the queue. True: it has not left and will not; false: a send of it has begun. Until the
   * transaction ends, nobody else can begin one.
   */
  cancelQueued(tx: Tx, ctx: Ctx, messageId: MessageId): Promise<boolean>;
  /** Puts a failed or unconfirmed message back, as the same message. False: it is in no such state. */
  requeueFailed(tx: Tx, ctx: Ctx, messageId: MessageId): Promise<boolean>;
  /** The network has a message, as something other than its acknowledgement tells: its sending is over. */
  confirmSent(
    tx: Tx,
    ctx: Ctx,
    message: { connectionId: ConnectionId; providerId: string },
  ): Promise<void>;
  /** Has the customer told that his messages up to this one were read. */
  enqueueReadReceipt(tx: Tx, ctx: Ctx, mark: ReadMark): Promise<void>;
  /** Has the file of a message fetched; the message's row must exist. The second time is harmless. */
  enqueueMediaDownload(tx: Tx, ctx: Ctx, download: MediaDownload): Promise<void>;
  /** Has a call refused, if it still rings when the connection's owner hears of it. */
  refuseCall(tx: Tx, ctx: Ctx, connectionId: ConnectionId, call: CallEvent): Promise<void>;
};

const insertOutbound = {
  name: "outbound-enqueue",
  text: `insert into outbound
           (company_id, connection_id, message_id, chat_key, to_kind, to_value, provider_id, command, body, quote,
            before, due_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, coalesce($12, now()))`,
};
const deleteQueued = {
  name: "outbound-cancel",
  text: `delete from outbound
          where company_id = $1 and message_id = $2 and command = 'message' and state = 'queued'
            and attempted_at is null
      returning connection_id as "connectionId"`,
};
const requeueOutbound = {
  name: "outbound-requeue",
  text: `update outbound set state = 'queued', attempt = 0, due_at = now(), error_code = null
          where company_id = $1 and message_id = $2 and command = 'message'
            and state in ('failed', 'unconfirmed')
      returning connection_id as "connectionId"`,
};
const endSent = {
  name: "outbound-confirm",
  text: `update outbound set state = 'done', error_code = null
          where company_id = $1 and connection_id = $2 and provider_id = $3 and command = 'message' and state <> 'done'`,
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
const insertDownload = {
  name: "media-download-enqueue",
  text: `insert into media_downloads (company_id, connection_id, message_id, source) values ($1, $2, $3, $4)
         on conflict (company_id, message_id) do nothing`,
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
        "message",
        JSON.stringify(message.body),
        message.quote ? JSON.stringify(message.quote) : null,
        null,
        message.dueAt ?? null,
      ]);
      wake.notify(tx, outboundTopic(message.connectionId));
    },

    async enqueueChange(tx, ctx, change) {
      await tx.query(insertOutbound, [
        ctx.companyId,
        change.connectionId,
        change.messageId,
        chatKeyOf(change.to),
        change.to.kind,
        change.to.value,
        change.providerId,
        change.change.kind,
        JSON.stringify(change.change),
        null,
        change.before,
        null,
      ]);
      wake.notify(tx, outboundTopic(change.connectionId));
    },

    async cancelQueued(tx, ctx, messageId) {
      const [row] = await tx.query<{ connectionId: ConnectionId }>(deleteQueued, [
        ctx.companyId,
        messageId,
      ]);
      if (!row) return false;
      // What waits behind it may go now.
      wake.notify(tx, outboundTopic(row.connectionId));
      return true;
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

    async confirmSent(tx, ctx, { connectionId, providerId }) {
      await tx.query(endSent, [ctx.companyId, connectionId, providerId]);
      // What waits behind it may go now.
      wake.notify(tx, outboundTopic(connectionId));
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

    async enqueueMediaDownload(tx, ctx, { connectionId, messageId, file }) {
      const values = [ctx.companyId, connectionId, messageId, JSON.stringify(file)];
      await tx.query(insertDownload, values);
      wake.notify(tx, mediaTopic(connectionId));
    },

    refuseCall: (tx, ctx, connectionId, call) =>
      storeCallRefusal({ tx, wake }, { companyId: ctx.companyId, connectionId }, call),
  };
}
