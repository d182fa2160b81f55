import type { SimulatorMessageKind, SimulatorNetwork } from "@balcao/contract";
import { acks, limits } from "@balcao/contract";
import type { Tx } from "../../platform/db/database.ts";
import type { ProviderFailure } from "../port.ts";
import { isGroupNumber, readAccount } from "./account.ts";
import type { Target } from "./changes-of-messages.ts";
import { applyChange, lockTarget } from "./changes-of-messages.ts";
import type { LineRef } from "./line.ts";
import { isKnownPhone } from "./phone-rows.ts";
import { lineOf } from "./shown-text.ts";
import type { MessageDetails, NetworkChange } from "./stored.ts";
import { COMPANY } from "./stored.ts";

/** Nothing is reported about a message in this state: the network took it and keeps silent. */
const NEVER_REPORTED = 5;

export type OutgoingMessage = {
  id: string;
  phone: string;
  kind: SimulatorMessageKind;
  body: string;
  details: MessageDetails | null;
  quotedId: string | null;
};

const lockCustomer = {
  name: "simulator-customer-lock",
  text: `insert into simulator_customers (company_id, connection_id, phone, name)
         values ($1, $2, $3, $3)
         on conflict (company_id, connection_id, phone) do update set typing = simulator_customers.typing`,
};
const takeMessage = {
  name: "simulator-take",
  text: `insert into simulator_messages
           (company_id, connection_id, phone, id, from_customer, body, ack, reported_ack, delivered, kind, details,
            quoted_id)
         values ($1, $2, $3, $4, false, $5, $6, $7, true, $8, $9::jsonb, $10)
         on conflict (company_id, connection_id, id) do nothing
         returning 1`,
};
const showMessage = {
  name: "simulator-show",
  text: `update simulator_customers
            set last_message = $4, last_message_at = now(), unread = case when $5 then 0 else unread + 1 end
          where company_id = $1 and connection_id = $2 and phone = $3`,
};
const speakAgain = {
  name: "simulator-speak-again",
  text: `update simulator_messages set reported_ack = 0
          where company_id = $1 and connection_id = $2 and id = $3 and not from_customer`,
};
const findId = {
  name: "simulator-known-id",
  text: `select 1 from simulator_messages where company_id = $1 and connection_id = $2 and id = $3`,
};
// Of its acknowledgements nothing is told, and none is missing.
const takeChange = {
  name: "simulator-take-change",
  text: `insert into simulator_messages
           (company_id, connection_id, phone, id, from_customer, body, ack, reported_ack, delivered, change)
         values ($1, $2, $3, $4, false, '', ${acks.played}, ${acks.played}, true, $5::jsonb)`,
};

/** Whether the network has taken something under this id. */
export async function isKnownId(tx: Tx, line: LineRef, id: string): Promise<boolean> {
  const rows = await tx.query(findId, [line.companyId, line.connectionId, id]);
  return rows.length > 0;
}

export type Taken =
  | { phone: string; isNew: boolean; failure?: undefined }
  | { failure: ProviderFailure };

/**
 * The network takes a message of the company and shows it on the customer's phone, whose number need not be known
 * before; groups must exist. The same id again is the same message: nothing is shown, but a silent network may speak
 * about it now.
 */
export async function takeOutgoing(
  tx: Tx,
  line: LineRef,
  message: OutgoingMessage,
  network: SimulatorNetwork,
): Promise<Taken> {
  const { companyId, connectionId } = line;
  if (isGroupNumber(message.phone) && !(await isKnownPhone(tx, line, message.phone))) {
    return { failure: { kind: "recipient-unknown" } };
  }
  const phone = await readAccount(tx, line, message.phone);
  await tx.query(lockCustomer, [companyId, connectionId, phone]);
  const taken = await tx.query(takeMessage, [
    companyId,
    connectionId,
    phone,
    message.id,
    message.body,
    firstAck(network),
    reportedAck(network),
    message.kind,
    message.details && JSON.stringify(message.details),
    message.quotedId,
  ]);
  const isNew = taken.length > 0;
  if (isNew) {
    const values = [companyId, connectionId, phone, lineOf(message), network.autoRead];
    await tx.query(showMessage, values);
  } else if (reportedAck(network) === 0) {
    await tx.query(speakAgain, [companyId, connectionId, message.id]);
  }
  return { phone, isNew };
}

function firstAck(network: SimulatorNetwork): number {
  if (network.autoRead) return acks.read;
  return network.autoDeliver ? acks.delivered : acks.server;
}

/** Up to which acknowledgement the company is told nothing of a message. */
function reportedAck(network: SimulatorNetwork): number {
  if (network.sendMode === "silent") return NEVER_REPORTED;
  return network.sendMode === "unconfirmed" ? firstAck(network) : 0;
}

/** The network takes a change of the company and shows it. The same id again is the same change: nothing happens. */
export async function takeOutgoingChange(
  tx: Tx,
  line: LineRef,
  { id, change }: { id: string; change: NetworkChange },
): Promise<Taken> {
  const target = await lockTarget(tx, line, change.targetId);
  const code = refusalOf(change, target);
  // The chat is locked, so another attempt with this id is over, or has not begun.
  if (target && (await isKnownId(tx, line, id))) return { phone: target.phone, isNew: false };
  if (!target || code !== null) {
    return { failure: { kind: "bad-request", code: code ?? UNKNOWN_TARGET } };
  }
  const values = [line.companyId, line.connectionId, target.phone, id, JSON.stringify(change)];
  await tx.query(takeChange, values);
  await applyChange(tx, line, { change, by: COMPANY });
  return { phone: target.phone, isNew: true };
}

const UNKNOWN_TARGET = "simulator-unknown-message";

/** Why the network does not take a change, null when it does. */
function refusalOf(change: NetworkChange, target: Target | null): string | null {
  if (!target) return UNKNOWN_TARGET;
  if (target.isDeleted) return "simulator-deleted-message";
  if (change.kind === "reaction") return null;
  if (target.fromCustomer) return "simulator-foreign-message";
  if (change.kind === "edit" && target.ageMs > limits.editWithinMs)
    return "simulator-edit-too-late";
  return null;
}
