import type { SimulatorMessageKind } from "@balcao/contract";
import { acks } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { DomainError } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { LineRef } from "./line.ts";
import type { NetworkChange, PhoneMessage } from "./phones.ts";
import { authorIn, lockChat, ofLine, readMessage } from "./phones.ts";

/** The columns of a changed message that the rules need. */
export type Target = {
  id: string;
  phone: string;
  fromCustomer: boolean;
  kind: SimulatorMessageKind;
  author: string | null;
  isDeleted: boolean;
  /** On the database's clock. */
  ageMs: number;
};

/** The message and its chat are locked: the order of a chat's rows is the order of commits. */
export async function lockTarget(tx: Tx, line: LineRef, id: string): Promise<Target | null> {
  await tx.query(sql`
    select 1 from simulator_customers
     where ${ofLine(line)}
       and phone = (select phone from simulator_messages where ${ofLine(line)} and id = ${id})
       for update`);
  const [target] = await tx.query<Target>(sql`
    select id, phone, from_customer as "fromCustomer", kind, author, is_deleted as "isDeleted",
           (extract(epoch from clock_timestamp() - created_at) * 1000)::bigint as "ageMs"
      from simulator_messages
     where ${ofLine(line)} and id = ${id} and change is null
       for update`);
  return target ?? null;
}

/** Shows the change on the phones. `by` is a phone, or the company. */
export async function applyChange(
  tx: Tx,
  line: LineRef,
  { change, by }: { change: NetworkChange; by: string },
): Promise<void> {
  switch (change.kind) {
    case "edit":
      await tx.query(sql`
        update simulator_messages set body = ${change.text}, is_edited = true
         where ${ofLine(line)} and id = ${change.targetId}`);
      break;
    case "revoke":
      await tx.query(sql`
        update simulator_messages set is_deleted = true where ${ofLine(line)} and id = ${change.targetId}`);
      break;
    case "reaction":
      await tx.query(sql`
        update simulator_messages
           set reactions = case when ${change.emoji}::text is null then reactions - ${by}::text
                                else reactions || jsonb_build_object(${by}::text, ${change.emoji}::text) end
         where ${ofLine(line)} and id = ${change.targetId}`);
      return;
  }
  await refreshLastMessage(tx, line, change.targetId);
}

const DELETED = "🚫";

async function refreshLastMessage(tx: Tx, line: LineRef, changedId: string): Promise<void> {
  await tx.query(sql`
    update simulator_customers chat
       set last_message = case when last.is_deleted then ${DELETED}
                               else coalesce(nullif(last.body, ''), last.details -> 'file' ->> 'name', '') end
      from (select m.* from simulator_messages m
             where ${ofLine(line)} and change is null
               and phone = (select phone from simulator_messages where ${ofLine(line)} and id = ${changedId})
             order by seq desc limit 1) as last
     where chat.company_id = ${line.companyId} and chat.connection_id = ${line.connectionId}
       and chat.phone = last.phone and last.id = ${changedId}`);
}

type Request = { change: NetworkChange; id: string; author?: string | undefined };

/**
 * A customer edits or deletes an own message, or reacts to any: shown on the phones at once, kept by the network until
 * the connection has received it. `id` is the change's own. Throws ERR_NO_MESSAGE_FOUND when the customer may not
 * change it.
 */
export async function customerChanges(
  tx: Tx,
  line: LineRef,
  { change, id, author }: Request,
): Promise<PhoneMessage> {
  const target = await lockTarget(tx, line, change.targetId);
  if (!target || !mayChange(change, target)) throw new DomainError("ERR_NO_MESSAGE_FOUND");
  const chat = await lockChat(tx, line, target.phone);
  const by = change.kind === "reaction" ? authorIn(chat, author) : target.author;
  await tx.query(sql`
    insert into simulator_messages
      (company_id, connection_id, phone, id, from_customer, body, ack, change, author)
    values (${line.companyId}, ${line.connectionId}, ${target.phone}, ${id}, true, '', ${acks.written},
            ${JSON.stringify(change)}::jsonb, ${by})`);
  await applyChange(tx, line, { change, by: by ?? target.phone });
  const message = await readMessage(tx, line, target.id);
  if (!message) throw new Error("the changed message was not read");
  return message;
}

function mayChange(change: NetworkChange, target: Target): boolean {
  if (target.isDeleted || target.kind === "call") return false;
  return change.kind === "reaction" || target.fromCustomer;
}
