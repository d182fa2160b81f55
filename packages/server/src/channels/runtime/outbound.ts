import type { ConnectionId, MessageId } from "@balcao/contract";
import { z } from "zod";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { AddressKind } from "../../platform/db/schema/contacts.ts";
import type { OutboundPriority } from "../../platform/db/schema/messages.ts";
import { outboundPriorities } from "../../platform/db/schema/messages.ts";
import type { Wake } from "../../platform/db/wake.ts";
import type {
  Address,
  CallEvent,
  MediaRef,
  OutboundBody,
  OutboundChange,
  Quote,
  SendCommand,
} from "../port.ts";
import { address, chatKeyOf, messageRef, parseStored } from "./journal.ts";
import { storeCallRefusal } from "./questions.ts";

export type OutboundMessage = {
  connectionId: ConnectionId;
  messageId: MessageId;
  /** Chosen beforehand, unique per connection; every attempt sends the same message id. */
  providerId: string;
  to: Address;
  body: OutboundBody;
  quote?: Quote;
  /** Earliest time; later messages of the chat wait for it. Default: now. */
  dueAt?: Date;
  /** Default: `agent`. Overtakes less urgent messages of other chats, never one of its own chat. */
  priority?: OutboundPriority;
};

/** A change of a message that was enqueued before. */
type OutboundMessageChange = {
  connectionId: ConnectionId;
  messageId: MessageId;
  /** The change's own id on the network. */
  providerId: string;
  to: Address;
  change: OutboundChange;
  /** JSON that the outcome returns, to restore the message when the network refuses the change. */
  before: string;
};

/** The newest message of a chat that a user has read. */
type ReadMark = { connectionId: ConnectionId; to: Address; providerId: string };

type MediaDownload = { connectionId: ConnectionId; messageId: MessageId; file: MediaRef };

/** The features' side of the queues, called in their own transactions; the commit wakes the connection's owner. */
export type Outbox = {
  /**
   * Puts a message in the connection's queue; the message's row must exist. A chat's messages are sent in the order of
   * these calls, so lock the ticket first.
   */
  enqueueOutbound(tx: Tx, ctx: Ctx, message: OutboundMessage): Promise<void>;
  /** Puts an edit, deletion or reaction in the queue, after everything queued for the chat. */
  enqueueChange(tx: Tx, ctx: Ctx, change: OutboundMessageChange): Promise<void>;
  /**
   * Removes a message from the queue. True: it was not sent and will not be; false: an attempt has started. No attempt
   * can start until the transaction ends.
   */
  cancelQueued(tx: Tx, ctx: Ctx, messageId: MessageId): Promise<boolean>;
  /** Queues a failed or unconfirmed message again, with its id. False: it is in another state. */
  requeueFailed(tx: Tx, ctx: Ctx, messageId: MessageId): Promise<boolean>;
  /** Ends the sending of a message that the network has, known from something other than its ack. */
  confirmSent(
    tx: Tx,
    ctx: Ctx,
    message: { connectionId: ConnectionId; providerId: string },
  ): Promise<void>;
  /** Sends the customer a read receipt for the messages up to this one. */
  enqueueReadReceipt(tx: Tx, ctx: Ctx, mark: ReadMark): Promise<void>;
  /** Queues the download of a message's file; the message's row must exist. A repeated call changes nothing. */
  enqueueMediaDownload(tx: Tx, ctx: Ctx, download: MediaDownload): Promise<void>;
  /** Asks the connection's owner to refuse a call, if it still rings then. */
  refuseCall(tx: Tx, ctx: Ctx, connectionId: ConnectionId, call: CallEvent): Promise<void>;
};

const insertOutbound = {
  name: "outbound-enqueue",
  text: `with raised as (
           update outbound set priority = $13
            where company_id = $1 and connection_id = $2 and chat_key = $4
              and state in ('queued', 'sending', 'sent') and priority > 0 and priority > $13
         )
         insert into outbound
           (company_id, connection_id, message_id, chat_key, to_kind, to_value, provider_id, command, body, quote,
            before, due_at, priority)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, coalesce($12, now()), $13)`,
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
  text: `update outbound set state = 'queued', attempt = 0, due_at = now(), error_code = null, priority = 0
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
        outboundPriorities[message.priority ?? "agent"],
      ]);
      wakeOutbound(wake, tx, message.connectionId);
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
        outboundPriorities.agent,
      ]);
      wakeOutbound(wake, tx, change.connectionId);
    },

    async cancelQueued(tx, ctx, messageId) {
      const [row] = await tx.query<{ connectionId: ConnectionId }>(deleteQueued, [
        ctx.companyId,
        messageId,
      ]);
      if (!row) return false;
      // The chat's next message may be sent now.
      wakeOutbound(wake, tx, row.connectionId);
      return true;
    },

    async requeueFailed(tx, ctx, messageId) {
      const [row] = await tx.query<{ connectionId: ConnectionId }>(requeueOutbound, [
        ctx.companyId,
        messageId,
      ]);
      if (!row) return false;
      wakeOutbound(wake, tx, row.connectionId);
      return true;
    },

    async confirmSent(tx, ctx, { connectionId, providerId }) {
      await tx.query(endSent, [ctx.companyId, connectionId, providerId]);
      // The chat's next message may be sent now.
      wakeOutbound(wake, tx, connectionId);
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
      wake.notify(tx, `${RECEIPTS_TOPIC}${mark.connectionId}`);
    },

    async enqueueMediaDownload(tx, ctx, { connectionId, messageId, file }) {
      const values = [ctx.companyId, connectionId, messageId, JSON.stringify(file)];
      await tx.query(insertDownload, values);
      wake.notify(tx, `${MEDIA_TOPIC}${connectionId}`);
    },

    refuseCall: (tx, ctx, connectionId, call) =>
      storeCallRefusal({ tx, wake }, { companyId: ctx.companyId, connectionId }, call),
  };
}

const body: z.ZodType<OutboundBody | OutboundChange> = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("text"),
    text: z.string(),
    isForwarded: z.literal(true).exactOptional(),
  }),
  z.object({
    kind: z.literal("media"),
    media: z.enum(["image", "video", "audio", "voice", "document", "sticker"]),
    file: z.object({
      key: z.string(),
      mime: z.string(),
      name: z.string(),
      bytes: z.number(),
      durationMs: z.number().exactOptional(),
      waveform: z.array(z.number()).exactOptional(),
      width: z.number().exactOptional(),
      height: z.number().exactOptional(),
      thumbnailKey: z.string().exactOptional(),
    }),
    caption: z.string().exactOptional(),
    isForwarded: z.literal(true).exactOptional(),
  }),
  z.object({
    kind: z.literal("template"),
    name: z.string(),
    language: z.string(),
    components: z.array(z.unknown()),
    text: z.string(),
  }),
  z.object({ kind: z.literal("edit"), target: messageRef, text: z.string() }),
  z.object({ kind: z.literal("revoke"), target: messageRef }),
  z.object({ kind: z.literal("reaction"), target: messageRef, emoji: z.string().nullable() }),
]);
const quote: z.ZodType<Quote> = messageRef.extend({ text: z.string() });

/** A row as `insertOutbound` has stored it. */
export type StoredCommand = {
  toKind: AddressKind;
  toValue: string;
  providerId: string;
  body: string;
  quote: string | null;
};

/** Parses an outbound row into the provider's command. Throws if another version wrote its JSON. */
export function commandOf(row: StoredCommand): SendCommand {
  return {
    providerId: row.providerId,
    to: { kind: row.toKind, value: row.toValue },
    body: body.parse(parseStored(row.body)),
    ...(row.quote === null ? {} : { quote: quote.parse(parseStored(row.quote)) }),
  };
}

/** Prefixes and topics of the runtime's wake-ups; those of questions are in questions.ts. */
export const CONNECTIONS_TOPIC = "connections";
export const RETRY_TOPIC = "connection-retry:";
export const OUTBOUND_TOPIC = "outbound:";
export const RECEIPTS_TOPIC = "read-receipts:";
export const MEDIA_TOPIC = "media-download:";
/** Carries its content, because typing is not stored. */
export const TYPING_TOPIC = "channel-typing:";

/** Wakes the supervisors after a change of a connection: start, stop, unlink, a new or deleted one. */
export function connectionsChanged(wake: Wake, tx: Tx): void {
  wake.notify(tx, CONNECTIONS_TOPIC);
}

/** Makes the owner of a connection that waits to reconnect try now, because the network can be reached. */
export function retryConnection(wake: Wake, tx: Tx, connectionId: ConnectionId): void {
  wake.notify(tx, `${RETRY_TOPIC}${connectionId}`);
}

function wakeOutbound(wake: Wake, tx: Tx, connectionId: ConnectionId): void {
  wake.notify(tx, `${OUTBOUND_TOPIC}${connectionId}`);
}

export type Typing = { connectionId: ConnectionId; chat: Address; isTyping: boolean };

const typingMessage = z.object({ chat: address, isTyping: z.boolean() });

/** Tells the connection's owner, in any process, that a user types to a chat or has stopped. This stores no row. */
export function tellTyping(wake: Wake, { connectionId, chat, isTyping }: Typing): void {
  wake.send(`${TYPING_TOPIC}${connectionId}:${JSON.stringify({ chat, isTyping })}`);
}

/** Parses a topic of `tellTyping`; null for another topic. */
export function typingOf(topic: string): Typing | null {
  const [, id, text] = /^(\d+):(.*)$/s.exec(topic.slice(TYPING_TOPIC.length)) ?? [];
  if (id === undefined || text === undefined) return null;
  const { chat, isTyping } = typingMessage.parse(parseStored(text));
  return { connectionId: Number(id) as ConnectionId, chat, isTyping };
}
