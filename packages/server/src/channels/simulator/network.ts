import { acks } from "@balcao/contract";
import type { ConnectionId, SimulatorNetwork } from "@balcao/contract";
import type { Tx } from "../../platform/db/database.ts";
import type { LineRef } from "./line.ts";

/** Nothing is reported about a message in this state: the network took it and keeps silent. */
const NEVER_REPORTED = 5;

/** A customer's message on its way to the connection. */
export type UndeliveredMessage = {
  seq: number;
  id: string;
  phone: string;
  name: string;
  body: string;
  at: Date;
  /** Until the network's delay is over. */
  dueInMs: number;
};

const readUndelivered = {
  name: "simulator-undelivered",
  text: `select m.seq, m.id, m.phone, customer.name, m.body, m.created_at as at,
                greatest(0, coalesce((line.network ->> 'delayMs')::int, 0)
                            - extract(epoch from clock_timestamp() - m.created_at) * 1000)::int as "dueInMs"
           from simulator_messages m
           join simulator_customers customer
             on customer.company_id = m.company_id and customer.connection_id = m.connection_id
            and customer.phone = m.phone
           left join simulator_lines line on line.connection_id = m.connection_id
          where m.company_id = $1 and m.connection_id = $2 and m.from_customer and not m.delivered
          order by m.seq limit $3`,
};
const setDelivered = {
  name: "simulator-delivered",
  text: `update simulator_messages set delivered = true, ack = greatest(ack, ${acks.server})
          where company_id = $1 and connection_id = $2 and seq = any ($3::bigint[])`,
};

/** The oldest messages of customers that the connection has not taken. */
export async function readUndeliveredMessages(
  tx: Tx,
  line: LineRef,
  limit: number,
): Promise<UndeliveredMessage[]> {
  return tx.query<UndeliveredMessage>(readUndelivered, [line.companyId, line.connectionId, limit]);
}

/** The connection's receipt. */
export async function markDelivered(tx: Tx, line: LineRef, seqs: readonly number[]): Promise<void> {
  await tx.query(setDelivered, [line.companyId, line.connectionId, seqs]);
}

export type OutgoingMessage = { id: string; phone: string; body: string };

const lockCustomer = {
  name: "simulator-customer-lock",
  text: `insert into simulator_customers (company_id, connection_id, phone, name)
         values ($1, $2, $3, $3)
         on conflict (company_id, connection_id, phone) do update set typing = simulator_customers.typing`,
};
const takeMessage = {
  name: "simulator-take",
  text: `insert into simulator_messages
           (company_id, connection_id, phone, id, from_customer, body, ack, reported_ack, delivered)
         values ($1, $2, $3, $4, false, $5, $6, $7, true)
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
          where company_id = $1 and connection_id = $2 and id = $3 and not from_customer
            and reported_ack = ${NEVER_REPORTED}`,
};

/**
 * The network takes a message of the company and shows it on the customer's phone, whose number need not be known
 * before. The same id again is the same message: nothing is shown, but a silent network may speak about it now.
 */
export async function takeOutgoing(
  tx: Tx,
  line: LineRef,
  message: OutgoingMessage,
  network: SimulatorNetwork,
): Promise<void> {
  const { companyId, connectionId } = line;
  const isSilent = network.sendMode === "silent";
  await tx.query(lockCustomer, [companyId, connectionId, message.phone]);
  const taken = await tx.query(takeMessage, [
    companyId,
    connectionId,
    message.phone,
    message.id,
    message.body,
    firstAck(network),
    isSilent ? NEVER_REPORTED : 0,
  ]);
  if (taken.length > 0) {
    const values = [companyId, connectionId, message.phone, message.body, network.autoRead];
    await tx.query(showMessage, values);
  } else if (!isSilent) {
    await tx.query(speakAgain, [companyId, connectionId, message.id]);
  }
}

function firstAck(network: SimulatorNetwork): number {
  if (network.autoRead) return acks.read;
  return network.autoDeliver ? acks.delivered : acks.server;
}

/** Acknowledgements that the connection was not told yet. */
export type UnreportedAck = {
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

export async function readUnreportedAcks(
  tx: Tx,
  line: LineRef,
  limit: number,
): Promise<UnreportedAck[]> {
  return tx.query<UnreportedAck>(readUnreported, [line.companyId, line.connectionId, limit]);
}

export async function markReported(
  tx: Tx,
  line: LineRef,
  told: readonly UnreportedAck[],
): Promise<void> {
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

/** Agents read the customers' messages up to these: blue checks on the phones. */
export async function markReadByCompany(
  tx: Tx,
  line: LineRef,
  marks: readonly { phone: string; id: string }[],
): Promise<void> {
  const values = [marks.map(({ phone }) => phone), marks.map(({ id }) => id)];
  await tx.query(readByCompany, [line.companyId, line.connectionId, ...values]);
}

const countWork = {
  name: "simulator-work",
  text: `select exists (select 1 from simulator_messages
                         where company_id = $1 and connection_id = $2 and from_customer and not delivered)
             or exists (select 1 from simulator_messages
                         where company_id = $1 and connection_id = $2 and not from_customer and reported_ack < ack)
                as "hasWork"`,
};

/** Whether anything is on its way to the connection. */
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

/** Of these lines, those where something waits or changed lately. */
export async function readBusyLinesAcrossCompanies(
  tx: Tx,
  open: readonly ConnectionId[],
): Promise<ConnectionId[]> {
  const rows = await tx.query<{ id: ConnectionId }>(findWork, [open]);
  return rows.map(({ id }) => id);
}
