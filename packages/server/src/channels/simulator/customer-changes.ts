import { acks } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { DomainError } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { Target } from "./changes-of-messages.ts";
import { applyChange, lockTarget } from "./changes-of-messages.ts";
import type { LineRef } from "./line.ts";
import type { PhoneMessage } from "./phone-rows.ts";
import { readMessage } from "./phone-rows.ts";
import { authorIn, lockChat } from "./phones.ts";
import type { NetworkChange } from "./stored.ts";

type Request = { change: NetworkChange; id: string; author?: string | undefined };

/**
 * A customer edits or deletes a message of his, or reacts to any: shown on the phones at once, kept by the network until
 * the connection takes it. `id` is the change's own. ERR_NO_MESSAGE_FOUND when he cannot change it.
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
