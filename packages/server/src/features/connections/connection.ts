import type {
  CloudApiCredentials,
  Connection,
  ConnectionId,
  ConnectionSession,
  QueueId,
  ShownConnection,
} from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { columnsOf, requireRow, toIso, toIsoOrNull, wireDates } from "../../platform/db/records.ts";
import { connections } from "../../platform/db/schema/index.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";

type Scope = Pick<Ctx, "companyId">;

/** The readable part of an account on the official API. */
export type CloudAccount = NonNullable<Connection["cloudApi"]>;

/** Where the credentials of connections are kept that are not linked with a phone; given by the composition root. */
export type ChannelAccounts = {
  /**
   * Checks credentials with the service, outside of transactions; a secret that is left out is the one that the
   * connection has. Throws ERR_WAPP_CREDENTIALS.
   */
  checkCredentials(
    ctx: Ctx,
    connectionId: ConnectionId | null,
    credentials: CloudApiCredentials,
  ): Promise<void>;
  /** A secret that is left out stays as it is; throws ERR_WAPP_CREDENTIALS when there is none to stay. */
  saveCloudAccount(
    tx: Tx,
    ctx: Ctx,
    connectionId: ConnectionId,
    credentials: CloudApiCredentials,
  ): Promise<void>;
  readCloudAccount(tx: Tx, ctx: Ctx, connectionId: ConnectionId): Promise<CloudAccount | null>;
  /** The accounts of all connections of the company. */
  readCloudAccounts(tx: Tx, ctx: Ctx): Promise<ReadonlyMap<ConnectionId, CloudAccount>>;
};

export type ConnectionRow = typeof connections.$inferSelect;
export type ConnectionWithQueues = ConnectionRow & {
  queues: { id: QueueId; name: string; color: string; greetingMessage: string }[];
};

export const connectionColumns = columnsOf(connections, "c");

/** The company's connections by id; with an id only that one. */
export function readConnections(
  { companyId }: Scope,
  tx: Tx,
  only?: ConnectionId,
): Promise<ConnectionWithQueues[]> {
  return only === undefined
    ? tx.query<ConnectionWithQueues>(listStatement, [companyId])
    : tx.query<ConnectionWithQueues>(oneStatement, [companyId, only]);
}

export async function findConnection(
  ctx: Scope,
  tx: Tx,
  id: ConnectionId,
): Promise<ConnectionWithQueues> {
  return requireRow(await readConnections(ctx, tx, id), "ERR_NO_WAPP_FOUND");
}

/** The connection's queues in their order, each with its menu. */
export async function readShownQueues(
  { companyId }: Scope,
  tx: Tx,
  id: ConnectionId,
): Promise<ShownConnection["queues"]> {
  return tx.query<ShownConnection["queues"][number]>(shownQueuesStatement, [companyId, id]);
}

/** Which of a connection's secrets a reader gets: the external API's token and the code to scan. */
export type Secrets = { token: boolean; qrcode: boolean };

export const noSecrets: Secrets = { token: false, qrcode: false };

export function toConnection(
  row: ConnectionWithQueues,
  secrets: Secrets,
  cloudApi: CloudAccount | null = null,
): Connection {
  return {
    ...{ ...toSession(row), channel: row.channel, provider: row.provider },
    qrcode: secrets.qrcode ? row.qrcode : "",
    pairingCode: secrets.qrcode ? row.pairingCode : "",
    battery: null,
    plugged: null,
    greetingMessage: row.greetingMessage,
    complationMessage: row.complationMessage,
    outOfHoursMessage: row.outOfHoursMessage,
    ratingMessage: row.ratingMessage,
    farewellMessage: row.farewellMessage,
    expiresInactiveMessage: row.expiresInactiveMessage,
    expiresTicket: row.expiresTicketMinutes,
    timeUseBotQueues: row.timeUseBotQueuesMinutes,
    maxUseBotQueues: row.maxUseBotQueues,
    timeToTransfer: row.timeToTransferMinutes,
    transferQueueId: row.transferQueueId,
    promptId: row.promptId,
    integrationId: row.integrationId,
    token: secrets.token ? row.token : null,
    queues: row.queues,
    cloudApi,
    ...wireDates(row),
  };
}

/** The session as every user may see it: without the code. */
export function toSession(row: ConnectionRow): ConnectionSession {
  const { id, companyId, name, status, retries, number, isDefault, closeReason } = row;
  return {
    ...{ id, companyId, name, status, retries, number, isDefault, closeReason },
    // The row keeps it, so that a loss can be told from a connection that has never been.
    connectedAt: status === "CONNECTED" ? toIsoOrNull(row.connectedAt) : null,
    disconnectedAt: toIsoOrNull(row.disconnectedAt),
    alarmedAt: toIsoOrNull(row.alarmedAt),
    updatedAt: toIso(row.updatedAt),
  };
}

/** A connection after a change, with what it was before. */
export type ChangedRow = ConnectionRow & {
  oldStatus: ConnectionRow["status"];
  oldNumber: string | null;
  oldQrcode: string;
  oldPairingCode: string;
};

/**
 * The session for admins. An empty code closes whatever code dialog is open, of any connection (wire-contract 7.4), so
 * it is in the event only when a code of this connection went away.
 */
function toManagerSession(row: ChangedRow): ConnectionSession {
  const hasQrcode = row.qrcode !== "" || row.oldQrcode !== "";
  const hasPairingCode = row.pairingCode !== "" || row.oldPairingCode !== "";
  return {
    ...toSession(row),
    ...(hasQrcode ? { qrcode: row.qrcode } : {}),
    ...(hasPairingCode ? { pairingCode: row.pairingCode } : {}),
  };
}

/** Publishes a changed session on commit; codes reach only those who manage connections. */
export async function publishConnection(
  realtime: Realtime,
  tx: Tx,
  row: ChangedRow,
): Promise<void> {
  const { companyId, id } = row;
  const managers = [rooms.holders(companyId, "connections:manage")];
  const everybody = [rooms.main(companyId)];
  const isListChanged = row.status !== row.oldStatus || row.number !== row.oldNumber;
  const [connection] = isListChanged ? await readConnections({ companyId }, tx, id) : [];

  tx.onCommit(() => {
    const forManagers = { action: "update", session: toManagerSession(row) } as const;
    const forOthers = { action: "update", session: toSession(row) } as const;
    realtime.publish(companyId, "whatsappSession", forManagers, managers);
    realtime.publish(companyId, "whatsappSession", forOthers, everybody, managers);
    if (connection) publishEntry(realtime, connection);
  });
}

/** Publishes connections as they are in the list, on commit; a new one too is an update (wire-contract 7.4). */
export async function publishEntries(
  realtime: Realtime,
  ctx: Scope,
  tx: Tx,
  ids: readonly ConnectionId[],
): Promise<void> {
  for (const id of ids) {
    const [connection] = await readConnections(ctx, tx, id);
    if (connection) tx.onCommit(() => publishEntry(realtime, connection));
  }
}

/** Tokens and credentials are in no event (wire-contract 7.4). */
function publishEntry(realtime: Realtime, connection: ConnectionWithQueues): void {
  const { companyId } = connection;
  const managers = [rooms.holders(companyId, "connections:manage")];
  const listed = { action: "update", whatsapp: toConnection(connection, noSecrets) } as const;
  const withCode = toConnection(connection, { token: false, qrcode: true });
  realtime.publish(companyId, "whatsapp", { action: "update", whatsapp: withCode }, managers);
  realtime.publish(companyId, "whatsapp", listed, [rooms.main(companyId)], managers);
}

/**
 * By hand and prepared: planning it takes three times as long as running it, and every page of the web begins with it.
 * Without a connection's id all queues are joined at once.
 */
const connectionsText = (one: string): string => `
select ${connectionColumns}, coalesce(linked.queues, '[]') as queues
from connections c
left join (
  select link.connection_id, jsonb_agg(
      jsonb_build_object('id', q.id, 'name', q.name, 'color', q.color, 'greetingMessage', q.greeting_message)
      order by q.order_queue nulls last, q.id) as queues
  from connection_queues link
  join queues q on q.company_id = $1 and q.id = link.queue_id
  where link.company_id = $1${one.replace("c.id", "link.connection_id")}
  group by link.connection_id
) linked on linked.connection_id = c.id
where c.company_id = $1 and c.deleted_at is null${one}
order by c.id`;

const listStatement = { name: "connections.list", text: connectionsText("") };
const oneStatement = { name: "connections.one", text: connectionsText(" and c.id = $2") };

// By hand: one round trip.
const shownQueuesStatement = {
  name: "connections.shown-queues",
  text: `
select q.id, q.name, q.color, q.greeting_message as "greetingMessage", q.integration_id as "integrationId",
  q.prompt_id as "promptId", q.file_key as "mediaPath", q.file_name as "mediaName",
  coalesce((
    select json_agg(json_build_object('id', o.id, 'queueId', o.queue_id, 'parentId', o.parent_id, 'title', o.title,
      'message', o.message, 'option', o.number::text, 'mediaPath', o.file_key, 'mediaName', o.file_name) order by o.number, o.id)
    from queue_options o where o.company_id = $1 and o.queue_id = q.id), '[]') as options
from connection_queues link
join queues q on q.company_id = $1 and q.id = link.queue_id
where link.company_id = $1 and link.connection_id = $2
order by q.order_queue nulls last, q.id`,
};
