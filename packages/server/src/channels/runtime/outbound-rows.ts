import type { MessageId } from "@balcao/contract";
import type { Tx } from "../../platform/db/database.ts";
import type {
  AddressKind,
  OutboundCommand,
  OutboundState,
} from "../../platform/db/schema/tickets.ts";
import { LeaseLost } from "../port.ts";
import type { Lease } from "./fence.ts";
import { heldLease, isLocked, leaseValues, lockedTickets } from "./fence.ts";

/** What a row is about, as the product is told. */
export type Sending = { messageId: MessageId; command: OutboundCommand; before: string | null };

export type OutboundRow = Sending & {
  id: number;
  chatKey: string;
  toKind: AddressKind;
  toValue: string;
  providerId: string;
  body: string;
  quote: string | null;
  dueInMs: number;
};

const readQueued = {
  name: "outbound-read",
  text: `select id, message_id as "messageId", chat_key as "chatKey", to_kind as "toKind", to_value as "toValue",
                provider_id as "providerId", command, body, quote, before,
                greatest(0, extract(epoch from due_at - now()) * 1000)::int as "dueInMs"
           from outbound
          where company_id = $1 and connection_id = $2 and state = 'queued'
          order by id limit $3`,
};
const claimRow = {
  name: "outbound-claim",
  text: `with ${heldLease}, claimed as (
           update outbound set state = 'sending', attempt = attempt + 1, fence = $4, attempted_at = now()
            where company_id = $1 and id = $5 and state = 'queued' and exists (select 1 from held)
           returning attempt
         )
         select (select count(*) from held) as held, (select attempt from claimed) as attempt`,
};
const recordOutcome = {
  name: "outbound-record",
  text: `with ${heldLease}, ${lockedTickets("o.id = $5")}, recorded as (
           update outbound
              set state = $6, error_code = $7, due_at = now() + $8::int * interval '1 ms',
                  attempt = attempt - $9::int
            where company_id = $1 and id = $5 and state = 'sending' and fence = $4
              and exists (select 1 from held) and ${isLocked}
           returning 1
         )
         select (select count(*) from held) as held, (select count(*) from recorded) as recorded`,
};
const recoverRows = {
  name: "outbound-recover",
  text: `with ${heldLease}, ${lockedTickets("o.connection_id = $2 and o.state = 'sending'")}, judged as (
           select id, state as was,
                  attempt <= $5::int and attempted_at > now() - $6::int * interval '1 ms' as "isSafe",
                  attempted_at <= now() - $6::int * interval '1 ms' as "isOld"
             from outbound
            where company_id = $1 and connection_id = $2 and state in ('sending', 'sent')
              and exists (select 1 from held) and ${isLocked}
         )
         update outbound o
            set state = case when "isSafe" then 'queued' else 'unconfirmed' end, due_at = now()
           from judged
          where o.company_id = $1 and o.id = judged.id and o.state = was and ("isSafe" or was = 'sending' or "isOld")
         returning o.message_id as "messageId", o.command, o.before, o.state, was`,
};
const hurryQueued = {
  name: "outbound-hurry",
  text: `with ${heldLease}
         update outbound set due_at = now()
          where company_id = $1 and connection_id = $2 and state = 'queued' and due_at > now()
            and error_code = 'not-connected' and exists (select 1 from held)`,
};

/** Waiting rows of the connection, oldest first. */
export async function readQueuedRows(tx: Tx, lease: Lease, limit: number): Promise<OutboundRow[]> {
  return tx.query<OutboundRow>(readQueued, [lease.companyId, lease.connectionId, limit]);
}

/** `queued → sending`. Answers the number of the attempt, null when the row is not queued any more. */
export async function claimOutbound(tx: Tx, lease: Lease, id: number): Promise<number | null> {
  const [answer] = await tx.query<{ held: number; attempt: number | null }>(claimRow, [
    ...leaseValues(lease),
    id,
  ]);
  if (answer?.held !== 1) throw new LeaseLost();
  return answer.attempt;
}

export type Outcome = {
  state: OutboundState;
  errorCode: string | null;
  dueInMs: number;
  /** False takes the attempt back. */
  isCounted: boolean;
};

/** Records what became of our claim. False: a report of the network was quicker and has ended the row. */
export async function recordOutbound(
  tx: Tx,
  lease: Lease,
  id: number,
  outcome: Outcome,
): Promise<boolean> {
  const [answer] = await tx.query<{ held: number; recorded: number }>(recordOutcome, [
    ...leaseValues(lease),
    id,
    outcome.state,
    outcome.errorCode,
    outcome.dueInMs,
    outcome.isCounted ? 0 : 1,
  ]);
  if (answer?.held !== 1) throw new LeaseLost();
  return answer.recorded === 1;
}

/**
 * At a new session: sends without a known end go back to the queue, with their ids, where that is safe; else they are
 * unconfirmed. Rows that only waited for a connection are due. Answers what became unconfirmed in the middle of a send
 * (what was already on the network's way merely never got its ack).
 */
export async function recoverOutbound(
  tx: Tx,
  lease: Lease,
  safe: { resends: number; withinMs: number },
): Promise<Sending[]> {
  const rows = await tx.query<Sending & { state: OutboundState; was: OutboundState }>(recoverRows, [
    ...leaseValues(lease),
    safe.resends,
    safe.withinMs,
  ]);
  await tx.query(hurryQueued, leaseValues(lease));
  return rows
    .filter(({ state, was }) => state === "unconfirmed" && was === "sending")
    .map(({ messageId, command, before }) => ({ messageId, command, before }));
}
