import type { ConnectionId, SimulatorMessageKind } from "@balcao/contract";
import { acks } from "@balcao/contract";
import type { Tx } from "../../platform/db/database.ts";
import type { LineRef } from "./line.ts";
import type { MessageDetails, NetworkChange, StoredMember } from "./stored.ts";

/** What a customer sent or changed, on its way to the connection. */
export type Undelivered = {
  seq: number;
  id: string;
  /** The customer's phone, or the group. */
  phone: string;
  /** Of the customer or the group. */
  name: string;
  members: StoredMember[] | null;
  kind: SimulatorMessageKind;
  body: string;
  details: MessageDetails | null;
  change: NetworkChange | null;
  author: string | null;
  quotedId: string | null;
  isForwarded: boolean;
  isViewOnce: boolean;
  at: Date;
  /** The message that is quoted or changed: whose it is. Null where there is none. */
  targetFromCustomer: boolean | null;
  targetAuthor: string | null;
  /** Until the network's delay is over. */
  dueInMs: number;
};

const readUndelivered = {
  name: "simulator-undelivered",
  text: `select m.seq, m.id, m.phone, customer.name, customer.members, m.kind, m.body, m.details, m.change, m.author,
                m.quoted_id as "quotedId", m.is_forwarded as "isForwarded", m.is_view_once as "isViewOnce",
                m.created_at as at, target.from_customer as "targetFromCustomer", target.author as "targetAuthor",
                greatest(0, coalesce((line.network ->> 'delayMs')::int, 0)
                            - extract(epoch from clock_timestamp() - m.created_at) * 1000)::int as "dueInMs"
           from simulator_messages m
           join simulator_customers customer
             on customer.company_id = m.company_id and customer.connection_id = m.connection_id
            and customer.phone = m.phone
           left join simulator_lines line on line.connection_id = m.connection_id
           left join simulator_messages target
             on target.company_id = m.company_id and target.connection_id = m.connection_id
            and target.id = coalesce(m.quoted_id, m.change ->> 'targetId') and target.change is null
          where m.company_id = $1 and m.connection_id = $2 and m.from_customer and not m.delivered
          order by m.seq limit $3`,
};
const setDelivered = {
  name: "simulator-delivered",
  text: `update simulator_messages set delivered = true, ack = greatest(ack, ${acks.server})
          where company_id = $1 and connection_id = $2 and seq = any ($3::bigint[])`,
};

/** The oldest of what the connection has not taken. */
export async function readUndeliveredMessages(
  tx: Tx,
  line: LineRef,
  limit: number,
): Promise<Undelivered[]> {
  return tx.query<Undelivered>(readUndelivered, [line.companyId, line.connectionId, limit]);
}

/** The connection's receipt. */
export async function markDelivered(tx: Tx, line: LineRef, seqs: readonly number[]): Promise<void> {
  await tx.query(setDelivered, [line.companyId, line.connectionId, seqs]);
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

const refuseCall = {
  name: "simulator-refuse-call",
  text: `update simulator_messages set details = jsonb_set(details, '{call,isRefused}', 'true')
          where company_id = $1 and connection_id = $2 and id = $3 and kind = 'call'
      returning phone`,
};

/** Answers whose chat it is in, null when there is no such call. */
export async function markCallRefused(tx: Tx, line: LineRef, id: string): Promise<string | null> {
  const [row] = await tx.query<{ phone: string }>(refuseCall, [
    line.companyId,
    line.connectionId,
    id,
  ]);
  return row?.phone ?? null;
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
