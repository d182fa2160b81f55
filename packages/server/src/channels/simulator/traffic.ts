import type { ConnectionId, SimulatorMessageKind } from "@balcao/contract";
import { acks } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { DomainError } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type {
  AckEvent,
  Address,
  DurableEvent,
  MessageRef,
  Peer,
  ProviderContext,
} from "../port.ts";
import { contentOf, lineOf } from "./content.ts";
import type { LineRef } from "./line.ts";
import { addressOf, isGroupNumber } from "./line.ts";
import type { MessageDetails, NetworkChange, PhoneMessage, StoredMember } from "./phones.ts";
import { authorIn, COMPANY, lockChat, ofLine, readMessage } from "./phones.ts";

export type TrafficDeps = {
  db: Database;
  context: ProviderContext;
  /** Called after a change of a customer's chat. */
  onChange: (phone: string) => void;
  /** Whether the session is open. */
  isOpen: () => boolean;
};

/** A customer's message. */
export type Writing = {
  phone: string;
  id: string;
  kind: SimulatorMessageKind;
  body: string;
  details: MessageDetails | null;
  quotedId?: string | undefined;
  /** The member of a group; default: its first one. */
  author?: string | undefined;
  isForwarded?: boolean | undefined;
  isViewOnce?: boolean | undefined;
};

/**
 * A customer writes a message, which the network keeps until the connection has received it. An unknown phone is a new
 * customer. A repeated id is the existing message; throws ERR_INVALID_REQUEST when that belongs to another chat.
 */
export async function customerWrites(
  tx: Tx,
  line: LineRef,
  writing: Writing,
): Promise<{ message: PhoneMessage; isNew: boolean }> {
  const { phone, id } = writing;
  if (writing.quotedId !== undefined) await requireQuoted(tx, line, writing);
  const isGroup = isGroupNumber(phone);
  const author = isGroup ? authorIn(await lockChat(tx, line, phone), writing.author) : null;
  const stored = await tx.query(isGroup ? groupWrites : personWrites, [
    line.companyId,
    line.connectionId,
    phone,
    id,
    lineOf(writing),
    writing.body,
    writing.kind,
    toJson(writing.details),
    writing.quotedId ?? null,
    author,
    writing.isForwarded ?? false,
    writing.isViewOnce ?? false,
  ]);
  const message = await readMessage(tx, line, id);
  if (message?.phone !== phone) throw new DomainError("ERR_INVALID_REQUEST");
  return { message, isNew: stored.length > 0 };
}

/**
 * The chat is locked, with its new line, before the message takes its number. One statement: a new
 * customer's foreign key locks the connection's row, as do all other new customers' keys, until the commit.
 */
const writes = (chat: string): string => `
with chat as (${chat}
  returning phone)
insert into simulator_messages
  (company_id, connection_id, phone, id, from_customer, body, ack, kind, details, quoted_id, author, is_forwarded,
   is_view_once)
select $1, $2, chat.phone, $4, true, $6, ${acks.written}, $7, $8::jsonb, $9, $10, $11, $12 from chat
on conflict (company_id, connection_id, id) do nothing
returning 1`;

/** True for a new message; a repeated id leaves the chat unchanged. */
const isNewId = `not exists (
  select from simulator_messages where company_id = $1 and connection_id = $2 and id = $4)`;

const personWrites = {
  name: "simulator-person-writes",
  text: writes(`
  insert into simulator_customers as c (company_id, connection_id, phone, name, last_message, last_message_at)
  values ($1, $2, $3, $3, $5, now())
  on conflict (company_id, connection_id, phone) do update set typing = false,
    last_message = case when ${isNewId} then excluded.last_message else c.last_message end,
    last_message_at = case when ${isNewId} then excluded.last_message_at else c.last_message_at end`),
};

const groupWrites = {
  name: "simulator-group-writes",
  text: writes(`
  update simulator_customers c set
    last_message = case when ${isNewId} then $5 else c.last_message end,
    last_message_at = case when ${isNewId} then now() else c.last_message_at end
  where company_id = $1 and connection_id = $2 and phone = $3`),
};

async function requireQuoted(tx: Tx, line: LineRef, { phone, quotedId }: Writing): Promise<void> {
  const rows = await tx.query(sql`
    select 1 from simulator_messages
     where ${ofLine(line)} and phone = ${phone} and id = ${quotedId} and change is null`);
  if (rows.length === 0) throw new DomainError("ERR_NO_MESSAGE_FOUND");
}

function toJson(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value);
}

const BATCH = 200;

/**
 * Delivers customers' messages and changes to the connection, in order; each gets its receipt only after the sink has
 * stored it. Returns the wait until the next one is due, null when none is waiting.
 */
export async function deliver(
  { db, context, onChange, isOpen }: TrafficDeps,
  connectedAt: Date,
): Promise<number | null> {
  while (isOpen()) {
    const waiting = await db.transaction(context, (tx) =>
      readUndeliveredMessages(tx, context, BATCH),
    );
    // Stops at the first one that is not due, to keep the order of a chat.
    const firstLater = waiting.findIndex(({ dueInMs }) => dueInMs > 0);
    const due = firstLater === -1 ? waiting : waiting.slice(0, firstLater);
    if (due.length > 0) {
      await context.sink.store(due.map((message) => toEvent(message, connectedAt)));
      const seqs = due.map(({ seq }) => seq);
      await db.transaction(context, (tx) => markDelivered(tx, context, seqs));
      for (const phone of new Set(due.map(({ phone }) => phone))) onChange(phone);
    }
    const next = waiting[due.length];
    if (next) return next.dueInMs;
    if (waiting.length < BATCH) return null;
  }
  return null;
}

/** Reports the acks of the company's messages, level by level. */
export async function report({ db, context, isOpen }: TrafficDeps): Promise<void> {
  while (isOpen()) {
    const unreported = await db.transaction(context, (tx) =>
      readUnreportedAcks(tx, context, BATCH),
    );
    if (unreported.length === 0) return;
    await context.sink.store(unreported.flatMap(toAcks));
    await db.transaction(context, (tx) => markReported(tx, context, unreported));
    if (unreported.length < BATCH) return;
  }
}

function toAcks({ id, phone, ack, reported }: UnreportedAck): AckEvent[] {
  const levels = [acks.server, acks.delivered, acks.read] as const;
  return levels
    .filter((level) => level > reported && level <= ack)
    .map((level) => ({ type: "ack", providerId: id, chat: addressOf(phone), level }));
}

/** The event for a customer's message or change. */
function toEvent(row: Undelivered, connectedAt: Date): DurableEvent {
  const chat = addressOf(row.phone);
  const { at } = row;
  if (row.change) return changeEvent(row, row.change, targetRef(row, row.change.targetId));
  const from = peerOf(row);
  if (row.details?.call) {
    return { type: "call", id: row.id, chat, from, isVideo: row.details.call.isVideo, at };
  }
  return {
    type: "message",
    ref: { chat, id: row.id, fromMe: false, ...authorOf(row.author) },
    from,
    ...(row.members ? { chatName: row.name } : {}),
    at,
    origin: at < connectedAt ? "offline" : "live",
    content: contentOf(row),
    ...(row.quotedId === null ? {} : { quoted: targetRef(row, row.quotedId) }),
    ...(row.isForwarded ? { isForwarded: true } : {}),
  };
}

function changeEvent(
  row: Undelivered,
  change: NonNullable<Undelivered["change"]>,
  target: MessageRef,
): DurableEvent {
  const { at } = row;
  switch (change.kind) {
    case "edit":
      return { type: "edit", target, text: change.text, at };
    case "revoke":
      return { type: "revoke", target, at };
    case "reaction":
      return {
        type: "reaction",
        target,
        from: peerOf(row),
        fromMe: false,
        emoji: change.emoji,
        at,
      };
  }
}

function targetRef(row: Undelivered, id: string): MessageRef {
  const fromMe = row.targetFromCustomer === false;
  return { chat: addressOf(row.phone), id, fromMe, ...authorOf(row.targetAuthor) };
}

function authorOf(phone: string | null): { author?: Address } {
  return phone === null || phone === COMPANY ? {} : { author: { kind: "pn", value: phone } };
}

function peerOf({ phone, name, author, members }: Undelivered): Peer {
  if (author === null) return { addresses: [{ kind: "pn", value: phone }], displayName: name };
  const member = members?.find((one) => one.phone === author);
  return {
    addresses: [{ kind: "pn", value: author }],
    ...(member ? { displayName: member.name } : {}),
  };
}

/** A customer's message or change, on its way to the connection. */
type Undelivered = {
  seq: number;
  id: string;
  /** The customer's phone, or the group. */
  phone: string;
  /** The customer's or the group's name. */
  name: string;
  members: StoredMember[] | null;
  kind: SimulatorMessageKind;
  body: string;
  details: MessageDetails | null;
  change: NetworkChange | null;
  author: string | null;
  quotedId: string | null;
  isForwarded: boolean;
  isViewOnce: boolean;
  at: Date;
  /** Whether a customer wrote the quoted or changed message. Null when there is none. */
  targetFromCustomer: boolean | null;
  targetAuthor: string | null;
  /** Time until the end of the network's delay. */
  dueInMs: number;
};

const readUndelivered = {
  name: "simulator-undelivered",
  text: `select m.seq, m.id, m.phone, customer.name, customer.members, m.kind, m.body, m.details, m.change, m.author,
                m.quoted_id as "quotedId", m.is_forwarded as "isForwarded", m.is_view_once as "isViewOnce",
                m.created_at as at, target.from_customer as "targetFromCustomer", target.author as "targetAuthor",
                greatest(0, coalesce((line.network ->> 'delayMs')::int, 0)
                            - extract(epoch from clock_timestamp() - m.created_at) * 1000)::int as "dueInMs"
           from simulator_messages m
           join simulator_customers customer
             on customer.company_id = m.company_id and customer.connection_id = m.connection_id
            and customer.phone = m.phone
           left join simulator_lines line on line.connection_id = m.connection_id
           left join simulator_messages target
             on target.company_id = m.company_id and target.connection_id = m.connection_id
            and target.id = coalesce(m.quoted_id, m.change ->> 'targetId') and target.change is null
          where m.company_id = $1 and m.connection_id = $2 and m.from_customer and not m.delivered
          order by m.seq limit $3`,
};
const setDelivered = {
  name: "simulator-delivered",
  text: `update simulator_messages set delivered = true, ack = greatest(ack, ${acks.server})
          where company_id = $1 and connection_id = $2 and seq = any ($3::bigint[])`,
};

/** The oldest messages and changes that the connection has not received. */
async function readUndeliveredMessages(
  tx: Tx,
  line: LineRef,
  limit: number,
): Promise<Undelivered[]> {
  return tx.query<Undelivered>(readUndelivered, [line.companyId, line.connectionId, limit]);
}

/** The connection's receipt. */
async function markDelivered(tx: Tx, line: LineRef, seqs: readonly number[]): Promise<void> {
  await tx.query(setDelivered, [line.companyId, line.connectionId, seqs]);
}

/** Acks that are not reported to the connection yet. */
type UnreportedAck = {
  seq: number;
  id: string;
  phone: string;
  ack: number;
  reported: number;
};

const readUnreported = {
  name: "simulator-unreported",
  text: `select seq, id, phone, ack, reported_ack as reported from simulator_messages
          where company_id = $1 and connection_id = $2 and not from_customer and reported_ack < ack
          order by seq limit $3`,
};
const setReported = {
  name: "simulator-reported",
  text: `update simulator_messages m set reported_ack = greatest(m.reported_ack, told.ack)
           from unnest($3::bigint[], $4::int[]) as told (seq, ack)
          where m.company_id = $1 and m.connection_id = $2 and m.seq = told.seq`,
};

async function readUnreportedAcks(tx: Tx, line: LineRef, limit: number): Promise<UnreportedAck[]> {
  return tx.query<UnreportedAck>(readUnreported, [line.companyId, line.connectionId, limit]);
}

async function markReported(tx: Tx, line: LineRef, told: readonly UnreportedAck[]): Promise<void> {
  const values = [told.map(({ seq }) => seq), told.map(({ ack }) => ack)];
  await tx.query(setReported, [line.companyId, line.connectionId, ...values]);
}

const countWork = {
  name: "simulator-work",
  text: `select exists (select 1 from simulator_messages
                         where company_id = $1 and connection_id = $2 and from_customer and not delivered)
             or exists (select 1 from simulator_messages
                         where company_id = $1 and connection_id = $2 and not from_customer and reported_ack < ack)
                as "hasWork"`,
};

/** Whether messages, changes or acks are on their way to the connection. */
export async function hasTraffic(tx: Tx, line: LineRef): Promise<boolean> {
  const [row] = await tx.query<{ hasWork: boolean }>(countWork, [
    line.companyId,
    line.connectionId,
  ]);
  return row?.hasWork ?? false;
}

const findWork = {
  name: "simulator-work-across-companies",
  text: `select open.id
           from unnest($1::int[]) as open (id)
          where exists (select 1 from simulator_messages m
                         where m.connection_id = open.id and m.from_customer and not m.delivered)
             or exists (select 1 from simulator_messages m
                         where m.connection_id = open.id and not m.from_customer and m.reported_ack < m.ack)
             or exists (select 1 from simulator_lines line
                         where line.connection_id = open.id and line.updated_at > now() - interval '10 s')`,
};

/** The given lines that have waiting traffic or changed lately. */
export async function readBusyLinesAcrossCompanies(
  tx: Tx,
  open: readonly ConnectionId[],
): Promise<ConnectionId[]> {
  const rows = await tx.query<{ id: ConnectionId }>(findWork, [open]);
  return rows.map(({ id }) => id);
}
