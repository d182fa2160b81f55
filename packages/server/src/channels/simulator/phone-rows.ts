import type { SimulatorMessageKind } from "@balcao/contract";
import { sql } from "drizzle-orm";
import type { Tx } from "../../platform/db/database.ts";
import type { LineRef } from "./line.ts";
import type { MessageDetails, StoredMember } from "./stored.ts";

/** A conversation on the network: of one customer, or of a group. */
export type Chat = {
  phone: string;
  name: string;
  lastMessage: string;
  lastMessageAt: Date | null;
  unread: number;
  /** Of a group; null for a customer. */
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
  /** Null where the network does not have the quoted message. */
  quotedBody: string | null;
  quotedFromCustomer: boolean | null;
  members: StoredMember[] | null;
};

const CHATS = 200;
const MESSAGES = 100;

export const chatColumns = sql`phone, name, last_message as "lastMessage", last_message_at as "lastMessageAt", unread,
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

/** Of a group; null for everything else. */
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
