import type { ChannelKind, ConnectionChange, ConnectionId, QueueId } from "@balcao/contract";
import { and, eq, sql } from "drizzle-orm";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { connections } from "../../platform/db/schema/index.ts";

type Scope = Pick<Ctx, "companyId">;

/** What people set of a connection itself; who is default, queues and credentials have their own rules. */
export type Settings = Omit<ConnectionChange, "isDefault" | "queueIds" | "cloudApi">;

/** Queues of the company among those asked for. */
export async function findQueues(
  { companyId }: Scope,
  tx: Tx,
  ids: readonly QueueId[],
): Promise<QueueId[]> {
  if (ids.length === 0) return [];
  const rows = await tx.query<{ id: QueueId }>(queuesStatement, [companyId, ids]);
  return rows.map(({ id }) => id);
}

/** A row with its name; the session starts when the transaction has committed. */
export async function insertConnection(
  { companyId }: Scope,
  tx: Tx,
  { name, channel }: { name: string; channel: ChannelKind },
): Promise<ConnectionId> {
  const [row] = await tx.orm
    .insert(connections)
    .values({ companyId, name, channel, status: "OPENING", wanted: true, startGeneration: 1 })
    .returning({ id: connections.id });
  if (!row) throw new Error("the connection was not inserted");
  return row.id;
}

/** Writes what is given. */
export async function saveSettings(
  { companyId }: Scope,
  tx: Tx,
  id: ConnectionId,
  settings: Settings,
): Promise<void> {
  const { expiresTicket, timeUseBotQueues, timeToTransfer, token, ...same } = settings;
  await tx.orm
    .update(connections)
    .set({
      ...same,
      expiresTicketMinutes: expiresTicket,
      timeUseBotQueuesMinutes: timeUseBotQueues,
      timeToTransferMinutes: timeToTransfer,
      // An empty one never matches a caller; it is none.
      token: token === "" ? null : token,
      updatedAt: sql`now()`,
    })
    .where(and(eq(connections.companyId, companyId), eq(connections.id, id)));
}

/** The link of the channel it had is removed before the new one starts; of several moves the first one counts. */
export async function leaveChannel(
  { companyId }: Scope,
  tx: Tx,
  id: ConnectionId,
  channel: string,
): Promise<void> {
  await tx.query(leaveChannelStatement, [companyId, id, channel]);
}

export async function setQueues(
  { companyId }: Scope,
  tx: Tx,
  id: ConnectionId,
  queueIds: readonly QueueId[],
): Promise<void> {
  await tx.query(setQueuesStatement, [companyId, id, queueIds]);
}

/** Makes it the company's default; answers the former one. */
export async function makeDefault(
  { companyId }: Scope,
  tx: Tx,
  id: ConnectionId,
): Promise<ConnectionId | null> {
  const [former] = await tx.query<{ id: ConnectionId }>(clearDefaultStatement, [companyId, id]);
  await tx.query(setDefaultStatement, [companyId, id]);
  return former?.id ?? null;
}

/** The oldest of the others. */
export async function findHeir(
  { companyId }: Scope,
  tx: Tx,
  id: ConnectionId,
): Promise<ConnectionId | null> {
  const [heir] = await tx.query<{ id: ConnectionId }>(heirStatement, [companyId, id]);
  return heir?.id ?? null;
}

/** Whether the unlinking that was asked for is still to be done, and whether somebody is about to. */
export async function findUnlinking(
  { companyId }: Scope,
  tx: Tx,
  id: ConnectionId,
): Promise<{ isOwned: boolean } | undefined> {
  const [row] = await tx.query<{ isOwned: boolean }>(unlinkingStatement, [companyId, id]);
  return row;
}

/** Waits for what its session still writes, and lets it write nothing more. */
export async function lockLease({ companyId }: Scope, tx: Tx, id: ConnectionId): Promise<void> {
  await tx.query(lockLeaseStatement, [companyId, id]);
}

/**
 * Marks the connection as deleted: history shows the name, and nothing else finds the row. What only a connection that
 * runs has goes with it: lease, keys and credentials, what waits to be sent. What sweeps itself, as sent messages that a
 * phone may ask for again, is left to its job.
 */
export async function deleteConnection(
  { companyId }: Scope,
  tx: Tx,
  id: ConnectionId,
): Promise<void> {
  for (const statement of deleteStatements) await tx.query(statement, [companyId, id]);
}

const queuesStatement = {
  name: "connections.queues",
  text: `
select id from queues where company_id = $1 and id = any ($2::int[]) and deleted_at is null`,
};

const leaveChannelStatement = {
  name: "connections.leave-channel",
  text: `
update connections set unlink_channel = coalesce(unlink_channel, $3) where company_id = $1 and id = $2`,
};

const setQueuesStatement = {
  name: "connections.set-queues",
  text: `
with gone as (
  delete from connection_queues
  where company_id = $1 and connection_id = $2 and queue_id <> all ($3::int[])
)
insert into connection_queues (company_id, connection_id, queue_id)
select $1, $2, queue_id from unnest($3::int[]) as queue_id
on conflict do nothing`,
};

const clearDefaultStatement = {
  name: "connections.clear-default",
  text: `
update connections set is_default = false, updated_at = now()
where company_id = $1 and is_default and id <> $2 returning id`,
};

const setDefaultStatement = {
  name: "connections.set-default",
  text: "update connections set is_default = true, updated_at = now() where company_id = $1 and id = $2",
};

const heirStatement = {
  name: "connections.heir",
  text: "select id from connections where company_id = $1 and id <> $2 and deleted_at is null order by id limit 1",
};

const unlinkingStatement = {
  name: "connections.unlinking",
  text: `
select coalesce(l.expires_at > now(), false) as "isOwned"
from connections w left join connection_leases l on l.connection_id = w.id
where w.company_id = $1 and w.id = $2 and w.unlink_requested`,
};

const lockLeaseStatement = {
  name: "connections.lock-lease",
  text: "select 1 from connection_leases where company_id = $1 and connection_id = $2 for update",
};

const deleteStatements = [
  {
    name: "connections.delete",
    text: `
update connections set deleted_at = now(), wanted = false, unlink_requested = false, unlink_channel = null,
  is_default = false, token = null, qrcode = '', pairing_code = '', pairing_phone = null, transfer_queue_id = null,
  status = 'DISCONNECTED', alarmed_at = null, connected_at = null, updated_at = now()
where company_id = $1 and id = $2`,
  },
  {
    name: "connections.leave-users",
    text: "update users set connection_id = null where company_id = $1 and connection_id = $2",
  },
  {
    name: "connections.delete-waiting",
    text: `
delete from outbound
where company_id = $1 and connection_id = $2 and state in ('queued', 'sending', 'sent')`,
  },
  ...[
    "connection_leases",
    "connection_queues",
    "inbound_journal",
    "early_events",
    "channel_questions",
    "read_receipts",
    "media_downloads",
    "whatsapp_credentials",
    "whatsapp_keys",
    "whatsapp_plaintexts",
    "cloud_accounts",
    "cloud_deliveries",
    "cloud_uploads",
  ].map((table) => ({
    name: `connections.delete-${table}`,
    text: `delete from ${table} where company_id = $1 and connection_id = $2`,
  })),
];
