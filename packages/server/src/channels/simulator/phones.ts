import type { SimulatorMessageKind } from "@balcao/contract";
import { acks } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { DomainError } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { Random } from "../../platform/sources.ts";
import { isGroupNumber, newGroupNumber } from "./account.ts";
import type { LineRef } from "./line.ts";
import type { Chat, PhoneMessage } from "./phone-rows.ts";
import { chatColumns, isKnownPhone, ofLine, readMessage } from "./phone-rows.ts";
import { lineOf } from "./shown-text.ts";
import type { MessageDetails, StoredMember } from "./stored.ts";

/** Area codes of some Brazilian cities. */
const areas = [11, 19, 21, 27, 31, 41, 47, 48, 51, 61, 62, 71, 81, 85, 91];

/** A mobile number: 55, area, 9 and eight digits. */
function randomPhone(random: Random): string {
  const area = areas[random.integer(0, areas.length)] ?? 11;
  return `55${area}9${random.integer(10_000_000, 100_000_000)}`;
}

/** A phone that nobody has yet. */
export async function freePhone(tx: Tx, line: LineRef, random: Random): Promise<string> {
  for (;;) {
    const phone = randomPhone(random);
    // Those that end in 0000 are not on the network (account.ts).
    if (!phone.endsWith("0000") && !(await isKnownPhone(tx, line, phone))) return phone;
  }
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

/** What a customer sends. */
export type Writing = {
  phone: string;
  id: string;
  kind: SimulatorMessageKind;
  body: string;
  details: MessageDetails | null;
  quotedId?: string | undefined;
  /** Who of a group; its first member unless given. */
  author?: string | undefined;
  isForwarded?: boolean | undefined;
  isViewOnce?: boolean | undefined;
};

/**
 * A customer writes: kept by the network until the connection takes it. A phone that is not known yet is a new customer.
 * An id that exists is the message that has it; ERR_INVALID_REQUEST when that is another chat's.
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
 * The chat is locked, with its new line, before the message takes its number. One statement: whoever is new locks the
 * connection's row by his foreign key, together with everybody else who writes for the first time, until the commit.
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

/** Who of a group is meant; null outside of groups. */
export function authorIn(
  { members }: Pick<LockedChat, "members">,
  author: string | undefined,
): string | null {
  if (!members) return null;
  const member = author === undefined ? members[0] : members.find(({ phone }) => phone === author);
  if (!member) throw new DomainError("ERR_INVALID_REQUEST");
  return member.phone;
}

async function requireQuoted(tx: Tx, line: LineRef, { phone, quotedId }: Writing): Promise<void> {
  const rows = await tx.query(sql`
    select 1 from simulator_messages
     where ${ofLine(line)} and phone = ${phone} and id = ${quotedId} and change is null`);
  if (rows.length === 0) throw new DomainError("ERR_NO_MESSAGE_FOUND");
}

function toJson(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value);
}

/** The customer reads everything the company sent. */
export async function customerReads(tx: Tx, line: LineRef, phone: string): Promise<void> {
  // The chat first, as everybody who changes messages locks it.
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

/** Customers' phones are reachable again: what waited for them is delivered. */
export async function deliverWaiting(tx: Tx, line: LineRef): Promise<void> {
  await tx.query(sql`
    update simulator_messages set ack = ${acks.delivered}
     where ${ofLine(line)} and not from_customer and ack < ${acks.delivered}`);
}
