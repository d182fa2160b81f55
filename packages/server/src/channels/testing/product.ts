import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import type { MessageId } from "@balcao/contract";
import { sql } from "drizzle-orm";
import type { ConnectionsFeature } from "../../features/connections/index.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type {
  DurableEvent,
  InboundMessage,
  OutboundBody,
  OutboundChange,
  TransientEvent,
} from "../port.ts";
import type { ChannelHandlers, PictureRequest } from "../runtime/index.ts";

/** A product in miniature, which handles the channels' reports in its own tables. */
export const productTables = `
  select pg_advisory_xact_lock(1);
  create table if not exists test_received (
    n bigserial, company_id int, connection_id int, chat text, id text, body text, unique (connection_id, id));
  create table if not exists test_acks (n bigserial, connection_id int, id text, level int);
  create table if not exists test_sent (
    n bigserial, message_id uuid, result text, kind text, command text, before text);
  create table if not exists test_events (n bigserial, connection_id int, event jsonb);
  create table if not exists test_files (n bigserial, message_id uuid, content text);
  grant all on test_received, test_acks, test_sent, test_events, test_files to public;
  grant all on all sequences in schema public to public`;

export type ProductOptions = {
  /** Called before an event is recorded, in its transaction; throwing makes the handling fail. */
  beforeReceive?: (event: DurableEvent, tx: Tx) => Promise<void> | void;
  /** In the place of reading the file and noting it. */
  storeMedia?: ChannelHandlers["storeMedia"];
  /** The company's own files by their keys. */
  ownFiles?: ReadonlyMap<string, Uint8Array>;
  /** Contacts whose pictures are requested, each once. */
  pictureRequests?: PictureRequest[];
  /** The results of these requests. */
  pictures?: { contactId: number; content: string | null }[];
};

/** The text that a message carries, its caption, or its kind where it has none. */
export function textOf(event: DurableEvent | OutboundBody | OutboundChange): string {
  if ("kind" in event) return event.kind === "text" ? event.text : event.kind;
  if (event.type !== "message") return event.type;
  const { content } = event;
  if (content.kind === "text") return content.text;
  return content.kind === "media" ? (content.caption ?? content.kind) : content.kind;
}

/** The handlers of a product that notes what it is told. */
export function createProduct(
  db: Database,
  tell: ConnectionsFeature["tell"],
  presences: TransientEvent[],
  { beforeReceive, storeMedia, ownFiles, pictureRequests = [], pictures = [] }: ProductOptions,
): ChannelHandlers {
  return {
    async receive(tx, { companyId, connectionId }, event) {
      await beforeReceive?.(event, tx);
      if (event.type === "message") {
        await tx.query(sql`
          insert into test_received (company_id, connection_id, chat, id, body)
          values (${companyId}, ${connectionId}, ${event.ref.chat.value}, ${event.ref.id}, ${textOf(event)})
          on conflict do nothing`);
      }
      if (event.type === "ack") {
        await tx.query(sql`
          insert into test_acks (connection_id, id, level)
          values (${connectionId}, ${event.providerId}, ${event.level})`);
      } else if (event.type !== "message" || !isPlain(event)) {
        await tx.query(sql`
          insert into test_events (connection_id, event)
          values (${connectionId}, ${JSON.stringify(event)}::jsonb)`);
      }
    },
    async sent(tx, _connection, outcome) {
      const kind = outcome.result === "failed" ? outcome.failure.kind : null;
      await tx.query(sql`
        insert into test_sent (message_id, result, kind, command, before)
        values (${outcome.messageId}, ${outcome.result}, ${kind}, ${outcome.command}, ${outcome.before})`);
    },
    async tell(tx, connection, event, retries) {
      if (event.type === "presence") presences.push(event);
      else await tell(tx, connection, event, retries);
    },
    async openFile(_companyId, key) {
      const file = ownFiles?.get(key);
      return file ? { content: Readable.from([file]), bytes: file.byteLength } : null;
    },
    async storeMedia(connection, messageId, file, content) {
      if (storeMedia) return storeMedia(connection, messageId, file, content);
      const bytes = await buffer(content);
      await db.transaction(connection, (tx) => noteFile(tx, messageId, bytes.toString()));
    },
    mediaUnavailable: (tx, _connection, messageId) => noteFile(tx, messageId, "unavailable"),
    claimPictures: async (_tx, _connection, count) => pictureRequests.splice(0, count),
    storePicture: async (_companyId, contactId, picture) => {
      pictures.push({ contactId, content: picture && Buffer.from(picture).toString() });
    },
  };
}

/** Text and nothing else, of which tests send thousands. */
function isPlain({ content, quoted, isForwarded }: InboundMessage): boolean {
  return content.kind === "text" && !content.ad && !quoted && !isForwarded;
}

async function noteFile(tx: Tx, messageId: MessageId, content: string): Promise<void> {
  await tx.query(
    sql`insert into test_files (message_id, content) values (${messageId}, ${content})`,
  );
}
