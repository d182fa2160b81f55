import { acks } from "@balcao/contract";
import { sql } from "drizzle-orm";
import type { Tx } from "../../platform/db/database.ts";
import type { Random } from "../../platform/sources.ts";
import type { LineRef } from "./line.ts";

export type Chat = {
  phone: string;
  name: string;
  lastMessage: string;
  lastMessageAt: Date | null;
  unread: number;
};

export type PhoneMessage = {
  id: string;
  phone: string;
  fromCustomer: boolean;
  body: string;
  at: Date;
  ack: number;
};

const CHATS = 200;
const MESSAGES = 100;
/** Area codes of some Brazilian cities. */
const areas = [11, 19, 21, 27, 31, 41, 47, 48, 51, 61, 62, 71, 81, 85, 91];

/** A mobile number: 55, area, 9 and eight digits. */
export function randomPhone(random: Random): string {
  const area = areas[random.integer(0, areas.length)] ?? 11;
  return `55${area}9${random.integer(10_000_000, 100_000_000)}`;
}

const chatColumns = sql`phone, name, last_message as "lastMessage", last_message_at as "lastMessageAt", unread`;
const messageColumns = sql`id, phone, from_customer as "fromCustomer", body, created_at as at, ack`;

function ofLine(line: LineRef) {
  return sql`company_id = ${line.companyId} and connection_id = ${line.connectionId}`;
}

/** Customers whose name or phone contains the text, latest first. */
export async function readChats(tx: Tx, line: LineRef, search: string): Promise<Chat[]> {
  return tx.query<Chat>(sql`
    select ${chatColumns} from simulator_customers
     where ${ofLine(line)}
       and (strpos(f_norm(name), f_norm(${search})) > 0 or strpos(phone, ${search}) > 0)
     order by last_message_at desc nulls last, created_at desc, phone limit ${CHATS}`);
}

/** A customer by his phone, renamed when known. */
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

export async function isKnownPhone(tx: Tx, line: LineRef, phone: string): Promise<boolean> {
  const rows = await tx.query(
    sql`select 1 from simulator_customers where ${ofLine(line)} and phone = ${phone}`,
  );
  return rows.length > 0;
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
      : sql`and seq < (select seq from simulator_messages
                        where ${ofLine(line)} and phone = ${phone} and id = ${beforeId})`;
  const rows = await tx.query<PhoneMessage>(sql`
    select ${messageColumns} from simulator_messages
     where ${ofLine(line)} and phone = ${phone} ${older}
     order by seq desc limit ${MESSAGES}`);
  return rows.reverse();
}

/**
 * A customer writes: kept by the network until the connection takes it. A phone that is not known yet is a new customer.
 * An id that exists is the message that has it (which may be another phone's: the caller looks).
 */
export async function customerWrites(
  tx: Tx,
  line: LineRef,
  message: { phone: string; id: string; body: string },
): Promise<PhoneMessage> {
  const { phone, id, body } = message;
  // Locks the customer first, so that the order of sequence numbers in a chat is the order of commits.
  await tx.query(sql`
    insert into simulator_customers (company_id, connection_id, phone, name)
    values (${line.companyId}, ${line.connectionId}, ${phone}, ${phone})
    on conflict (company_id, connection_id, phone) do update set typing = false`);
  const [stored] = await tx.query<PhoneMessage>(sql`
    insert into simulator_messages (company_id, connection_id, phone, id, from_customer, body, ack)
    values (${line.companyId}, ${line.connectionId}, ${phone}, ${id}, true, ${body}, ${acks.written})
    on conflict (company_id, connection_id, id) do nothing
    returning ${messageColumns}`);
  if (stored) {
    await tx.query(sql`
      update simulator_customers set last_message = ${body}, last_message_at = now()
       where ${ofLine(line)} and phone = ${phone}`);
    return stored;
  }
  const [known] = await tx.query<PhoneMessage>(
    sql`select ${messageColumns} from simulator_messages where ${ofLine(line)} and id = ${id}`,
  );
  if (!known) throw new Error("the customer's message was not stored");
  return known;
}

/** The customer reads everything the company sent. */
export async function customerReads(tx: Tx, line: LineRef, phone: string): Promise<void> {
  await tx.query(sql`
    update simulator_messages set ack = ${acks.read}
     where ${ofLine(line)} and phone = ${phone} and not from_customer and ack < ${acks.read}`);
  await tx.query(
    sql`update simulator_customers set unread = 0 where ${ofLine(line)} and phone = ${phone}`,
  );
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

/** Customers' phones are reachable again: what waited for them is delivered. */
export async function deliverWaiting(tx: Tx, line: LineRef): Promise<void> {
  await tx.query(sql`
    update simulator_messages set ack = ${acks.delivered}
     where ${ofLine(line)} and not from_customer and ack < ${acks.delivered}`);
}
