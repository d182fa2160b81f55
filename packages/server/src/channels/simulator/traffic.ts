import type { ConnectionId, SimulatorMessageKind } from "@balcao/contract";
import { acks } from "@balcao/contract";
import type { Database, Tx } from "../../platform/db/database.ts";
import type {
  AckEvent,
  Address,
  DurableEvent,
  InboundContent,
  MessageRef,
  Peer,
  ProviderContext,
} from "../port.ts";
import type { LineRef } from "./line.ts";
import { addressOf } from "./line.ts";
import type { MessageDetails, NetworkChange, StoredFile, StoredMember } from "./phones.ts";
import { COMPANY } from "./phones.ts";

export type TrafficDeps = {
  db: Database;
  context: ProviderContext;
  /** Called after a change of a customer's chat. */
  onChange: (phone: string) => void;
  /** Whether the session is open. */
  isOpen: () => boolean;
};

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

function contentOf(row: Undelivered): InboundContent {
  const { kind, body, details } = row;
  const content = details?.content;
  if (details?.file && isMediaKind(kind)) {
    return {
      kind: "media",
      file: fileOf(row.id, kind, details.file),
      ...(body === "" ? {} : { caption: body }),
      ...(row.isViewOnce ? { isViewOnce: true } : {}),
    };
  }
  switch (content?.kind) {
    case undefined:
      return { kind: "text", text: body };
    case "ad": {
      const { title, body: text, sourceUrl } = content;
      return { kind: "text", text: body, ad: { title, body: text, sourceUrl } };
    }
    case "location":
      return withoutUndefined(content);
    case "contacts":
      return {
        kind: "contacts",
        contacts: content.contacts.map((contact) => ({ ...contact, vcard: vcardOf(contact) })),
      };
    case "poll":
      return {
        kind: "poll",
        type: "pollCreationMessage",
        question: content.question,
        options: content.options,
        severalAllowed: content.severalAllowed ?? false,
      };
    case "choice":
      return { kind: "choice", type: content.type, id: content.chosen };
    case "poll-vote":
    case "view-once":
    case "other":
      return content;
  }
}

type MediaKindOf = Extract<InboundContent, { kind: "media" }>["file"]["media"];

function isMediaKind(kind: Undelivered["kind"]): kind is MediaKindOf {
  return ["image", "video", "audio", "voice", "document", "sticker"].includes(kind);
}

/** Like the real network: only documents have names. The locator is the message's id. */
function fileOf(id: string, media: MediaKindOf, { name, mime, bytes, durationMs }: StoredFile) {
  return {
    media,
    mime,
    bytes,
    locator: id,
    ...(media === "document" ? { fileName: name } : {}),
    ...(durationMs === undefined ? {} : { durationMs }),
  };
}

type Location = Extract<InboundContent, { kind: "location" }>;

function withoutUndefined({
  name,
  address,
  isLive,
  thumbnail,
  ...place
}: { [K in keyof Location]: Location[K] | undefined } & Pick<
  Location,
  "kind" | "latitude" | "longitude"
>): Location {
  return {
    ...place,
    ...(name === undefined ? {} : { name }),
    ...(address === undefined ? {} : { address }),
    ...(isLive === undefined ? {} : { isLive }),
    ...(thumbnail === undefined ? {} : { thumbnail }),
  };
}

function vcardOf({ name, phones }: { name: string; phones: readonly string[] }): string {
  const numbers = phones.map((phone) => {
    const digits = phone.replaceAll(/\D/g, "");
    return `TEL;type=CELL;type=VOICE;waid=${digits}:+${digits}`;
  });
  const lines = ["BEGIN:VCARD", "VERSION:3.0", `N:;${name};;;`, `FN:${name}`, ...numbers];
  return [...lines, "END:VCARD"].join("\n");
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

const readByCompany = {
  name: "simulator-read-by-company",
  text: `update simulator_messages m set ack = ${acks.read}
           from unnest($3::text[], $4::text[]) as told (phone, id)
           join simulator_messages mark
             on mark.company_id = $1 and mark.connection_id = $2 and mark.id = told.id and mark.phone = told.phone
          where m.company_id = $1 and m.connection_id = $2 and m.phone = told.phone and m.seq <= mark.seq
            and m.from_customer and m.delivered and m.ack < ${acks.read}`,
};

/** Marks the customers' messages up to these as read by agents: blue checks on the phones. */
export async function markReadByCompany(
  tx: Tx,
  line: LineRef,
  marks: readonly { phone: string; id: string }[],
): Promise<void> {
  const values = [marks.map(({ phone }) => phone), marks.map(({ id }) => id)];
  await tx.query(readByCompany, [line.companyId, line.connectionId, ...values]);
}

const refuseCall = {
  name: "simulator-refuse-call",
  text: `update simulator_messages set details = jsonb_set(details, '{call,isRefused}', 'true')
          where company_id = $1 and connection_id = $2 and id = $3 and kind = 'call'
      returning phone`,
};

/** Refuses a call and returns its chat; null when the call does not exist. */
export async function markCallRefused(tx: Tx, line: LineRef, id: string): Promise<string | null> {
  const [row] = await tx.query<{ phone: string }>(refuseCall, [
    line.companyId,
    line.connectionId,
    id,
  ]);
  return row?.phone ?? null;
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
