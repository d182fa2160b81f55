import type { SimulatorMessageKind } from "@balcao/contract";
import { sql } from "drizzle-orm";
import type { Tx } from "../../platform/db/database.ts";
import type { LineRef } from "./line.ts";
import { ofLine } from "./phone-rows.ts";
import type { NetworkChange } from "./stored.ts";

/** A message that is to change, as far as the rules look at it. */
export type Target = {
  id: string;
  phone: string;
  fromCustomer: boolean;
  kind: SimulatorMessageKind;
  author: string | null;
  isDeleted: boolean;
  /** By the database's clock. */
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
