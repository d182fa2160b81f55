import type {
  ConnectionId,
  SimulatorChat,
  SimulatorContent,
  SimulatorMember,
  SimulatorMessage,
  SimulatorMessageKind,
} from "@balcao/contract";
import { acks } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { DomainError } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { toIso, toIsoOrNull } from "../../platform/db/records.ts";
import type { Random } from "../../platform/sources.ts";
import type { LineRef } from "./line.ts";
import { isGroupNumber, newGroupNumber } from "./line.ts";

/** Area codes of some Brazilian cities. */
const areas = [11, 19, 21, 27, 31, 41, 47, 48, 51, 61, 62, 71, 81, 85, 91];

/** A mobile number: 55, area, 9 and eight digits. */
function randomPhone(random: Random): string {
  const area = areas[random.integer(0, areas.length)] ?? 11;
  return `55${area}9${random.integer(10_000_000, 100_000_000)}`;
}

/** A free phone number. */
export async function freePhone(tx: Tx, line: LineRef, random: Random): Promise<string> {
  for (;;) {
    const phone = randomPhone(random);
    // Those that end in 0000 are not on the network (line.ts).
    if (!phone.endsWith("0000") && !(await isKnownPhone(tx, line, phone))) return phone;
  }
}

/** A customer by phone number; a known one is renamed. */
export async function saveChat(
  tx: Tx,
  line: LineRef,
  customer: { phone: string; name: string },
): Promise<Chat> {
  const [chat] = await tx.query<Chat>(sql`
    insert into simulator_customers (company_id, connection_id, phone, name)
    values (${line.companyId}, ${line.connectionId}, ${customer.phone}, ${customer.name})
    on conflict (company_id, connection_id, phone) do update set name = excluded.name
    returning ${chatColumns}`);
  if (!chat) throw new Error("the customer was not stored");
  return chat;
}

export async function addGroup(
  tx: Tx,
  line: LineRef,
  { name, members, random }: { name: string; members: readonly StoredMember[]; random: Random },
): Promise<Chat> {
  const phone = newGroupNumber(random);
  const [chat] = await tx.query<Chat>(sql`
    insert into simulator_customers (company_id, connection_id, phone, name, members)
    values (${line.companyId}, ${line.connectionId}, ${phone}, ${name}, ${JSON.stringify(members)}::jsonb)
    returning ${chatColumns}`);
  if (!chat) throw new Error("the group was not stored");
  return chat;
}

type LockedChat = { phone: string; members: StoredMember[] | null };

/** Locks the chat first, so that the order of sequence numbers in it is the order of commits. */
export async function lockChat(tx: Tx, line: LineRef, phone: string): Promise<LockedChat> {
  const [chat] = isGroupNumber(phone)
    ? await tx.query<LockedChat>(sql`
        select phone, members from simulator_customers
         where ${ofLine(line)} and phone = ${phone} and members is not null for update`)
    : await tx.query<LockedChat>(sql`
        insert into simulator_customers (company_id, connection_id, phone, name)
        values (${line.companyId}, ${line.connectionId}, ${phone}, ${phone})
        on conflict (company_id, connection_id, phone) do update set typing = false
        returning phone, members`);
  if (!chat) throw new DomainError("ERR_INVALID_REQUEST");
  return chat;
}

/** The member of a group; null outside of groups. */
export function authorIn(
  { members }: Pick<LockedChat, "members">,
  author: string | undefined,
): string | null {
  if (!members) return null;
  const member = author === undefined ? members[0] : members.find(({ phone }) => phone === author);
  if (!member) throw new DomainError("ERR_INVALID_REQUEST");
  return member.phone;
}

/** The customer reads all messages of the company. */
export async function customerReads(tx: Tx, line: LineRef, phone: string): Promise<void> {
  // The chat is locked first, as by all changes of messages.
  await tx.query(
    sql`update simulator_customers set unread = 0 where ${ofLine(line)} and phone = ${phone}`,
  );
  await tx.query(sql`
    update simulator_messages set ack = ${acks.read}
     where ${ofLine(line)} and phone = ${phone} and not from_customer and ack < ${acks.read}`);
}

export async function customerTypes(
  tx: Tx,
  line: LineRef,
  { phone, on }: { phone: string; on: boolean },
): Promise<void> {
  await tx.query(
    sql`update simulator_customers set typing = ${on} where ${ofLine(line)} and phone = ${phone}`,
  );
}

/** Delivers messages that waited while the customers' phones were unreachable. */
export async function deliverWaiting(tx: Tx, line: LineRef): Promise<void> {
  await tx.query(sql`
    update simulator_messages set ack = ${acks.delivered}
     where ${ofLine(line)} and not from_customer and ack < ${acks.delivered}`);
}

export function toChatDto({ members, ...chat }: Chat): SimulatorChat {
  return {
    ...chat,
    lastMessageAt: toIsoOrNull(chat.lastMessageAt),
    isGroup: members !== null,
    members: members ?? [],
  };
}

export function toMessageDto(connectionId: ConnectionId, message: PhoneMessage): SimulatorMessage {
  const { details } = message;
  const url = `/simulator/connections/${connectionId}/messages/${encodeURIComponent(message.id)}/file`;
  return {
    id: message.id,
    fromCustomer: message.fromCustomer,
    kind: message.kind,
    body: message.body,
    at: toIso(message.at),
    ack: message.ack,
    author: authorOf(message),
    file: details?.file
      ? {
          url,
          name: details.file.name,
          mime: details.file.mime,
          bytes: details.file.bytes,
          durationMs: details.file.durationMs ?? null,
        }
      : null,
    content: details?.content ?? null,
    call: details?.call ?? null,
    quoted: quotedOf(message),
    reactions: Object.entries(message.reactions).map(([by, emoji]) => ({
      emoji,
      fromCompany: by === COMPANY,
      phone: by === COMPANY ? null : by,
    })),
    isEdited: message.isEdited,
    isDeleted: message.isDeleted,
    isForwarded: message.isForwarded,
    isViewOnce: message.isViewOnce,
  };
}

function authorOf({ author, members }: PhoneMessage): SimulatorMember | null {
  if (author === null) return null;
  return members?.find(({ phone }) => phone === author) ?? { phone: author, name: author };
}

function quotedOf(message: PhoneMessage): SimulatorMessage["quoted"] {
  const { quotedId: id, quotedBody, quotedFromCustomer, details } = message;
  if (id === null) return null;
  if (quotedBody !== null)
    return { id, body: quotedBody, fromCustomer: quotedFromCustomer ?? false };
  const quote = details?.quote;
  return quote ? { id, body: quote.text, fromCustomer: !quote.fromMe } : null;
}

/** A file on the network; `key` is its key in the simulator's own media folder. */
export type StoredFile = {
  key: string;
  name: string;
  mime: string;
  bytes: number;
  durationMs?: number;
};

/** The content of a message beyond its text, as the network's table stores it. */
export type MessageDetails = {
  file?: StoredFile;
  content?: SimulatorContent;
  call?: { isVideo: boolean; isRefused: boolean };
  /** The text of the company's quote, for a phone that does not have the quoted message. */
  quote?: { text: string; fromMe: boolean };
};

/** A change of a message. `emoji` null removes the reaction. */
export type NetworkChange =
  | { kind: "edit"; targetId: string; text: string }
  | { kind: "revoke"; targetId: string }
  | { kind: "reaction"; targetId: string; emoji: string | null };

export type StoredMember = SimulatorMember;

/** The company's key among a message's reactions. */
export const COMPANY = "company";

/** A conversation on the network: of one customer, or of a group. */
type Chat = {
  phone: string;
  name: string;
  lastMessage: string;
  lastMessageAt: Date | null;
  unread: number;
  /** The members of a group; null for a customer. */
  members: StoredMember[] | null;
};

/** A message as the phones show it. */
export type PhoneMessage = {
  id: string;
  phone: string;
  fromCustomer: boolean;
  kind: SimulatorMessageKind;
  body: string;
  at: Date;
  ack: number;
  details: MessageDetails | null;
  author: string | null;
  reactions: Record<string, string>;
  isEdited: boolean;
  isDeleted: boolean;
  isForwarded: boolean;
  isViewOnce: boolean;
  quotedId: string | null;
  /** Null when the network does not have the quoted message. */
  quotedBody: string | null;
  quotedFromCustomer: boolean | null;
  members: StoredMember[] | null;
};

const CHATS = 200;
const MESSAGES = 100;

const chatColumns = sql`phone, name, last_message as "lastMessage", last_message_at as "lastMessageAt", unread,
  members`;

export function ofLine(line: LineRef) {
  return sql`company_id = ${line.companyId} and connection_id = ${line.connectionId}`;
}

const messageColumns = sql`
  m.id, m.phone, m.from_customer as "fromCustomer", m.kind, m.body, m.created_at as at, m.ack, m.details, m.author,
  m.reactions, m.is_edited as "isEdited", m.is_deleted as "isDeleted", m.is_forwarded as "isForwarded",
  m.is_view_once as "isViewOnce", m.quoted_id as "quotedId", quoted.body as "quotedBody",
  quoted.from_customer as "quotedFromCustomer", chat.members`;

function messagesOf(line: LineRef) {
  return sql`
    (select * from simulator_messages where ${ofLine(line)} and change is null) m
    join simulator_customers chat
      on chat.company_id = m.company_id and chat.connection_id = m.connection_id and chat.phone = m.phone
    left join simulator_messages quoted
      on quoted.company_id = m.company_id and quoted.connection_id = m.connection_id and quoted.id = m.quoted_id
     and quoted.change is null`;
}

/** Customers and groups whose name or phone contains the text, latest first. */
export async function readChats(tx: Tx, line: LineRef, search: string): Promise<Chat[]> {
  return tx.query<Chat>(sql`
    select ${chatColumns} from simulator_customers
     where ${ofLine(line)}
       and (strpos(f_norm(name), f_norm(${search})) > 0 or strpos(phone, ${search}) > 0)
     order by last_message_at desc nulls last, created_at desc, phone limit ${CHATS}`);
}

export async function isKnownPhone(tx: Tx, line: LineRef, phone: string): Promise<boolean> {
  const rows = await tx.query(
    sql`select 1 from simulator_customers where ${ofLine(line)} and phone = ${phone}`,
  );
  return rows.length > 0;
}

/** The members of a group; null for any other conversation. */
export async function readMembers(
  tx: Tx,
  line: LineRef,
  phone: string,
): Promise<StoredMember[] | null> {
  const [chat] = await tx.query<{ members: StoredMember[] | null }>(
    sql`select members from simulator_customers where ${ofLine(line)} and phone = ${phone}`,
  );
  return chat?.members ?? null;
}

/** The last messages of a conversation, or those before one of them, ascending. */
export async function readConversation(
  tx: Tx,
  line: LineRef,
  { phone, beforeId }: { phone: string; beforeId?: string | undefined },
): Promise<PhoneMessage[]> {
  const older =
    beforeId === undefined
      ? sql``
      : sql`and m.seq < (select seq from simulator_messages
                          where ${ofLine(line)} and phone = ${phone} and id = ${beforeId})`;
  const rows = await tx.query<PhoneMessage>(sql`
    select ${messageColumns} from ${messagesOf(line)}
     where m.phone = ${phone} ${older}
     order by m.seq desc limit ${MESSAGES}`);
  return rows.reverse();
}

export async function readMessage(tx: Tx, line: LineRef, id: string): Promise<PhoneMessage | null> {
  const [row] = await tx.query<PhoneMessage>(sql`
    select ${messageColumns} from ${messagesOf(line)} where m.id = ${id}`);
  return row ?? null;
}
