import type {
  ChannelKind,
  CompanyId,
  ConnectionId,
  ConnectionStatus,
  QueueId,
} from "@balcao/contract";
import type { SQL } from "drizzle-orm";
import { sql } from "drizzle-orm";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";

type ConnectionQueue = {
  id: QueueId;
  name: string;
  color: string;
  greetingMessage: string;
};

export type ConnectionRow = {
  id: ConnectionId;
  companyId: CompanyId;
  name: string;
  status: ConnectionStatus;
  channel: ChannelKind;
  qrcode: string;
  pairingCode: string;
  closeReason: string | null;
  connectedAt: Date | null;
  disconnectedAt: Date | null;
  alarmedAt: Date | null;
  isDefault: boolean;
  retries: number;
  number: string | null;
  greetingMessage: string;
  complationMessage: string;
  outOfHoursMessage: string;
  ratingMessage: string;
  farewellMessage: string;
  expiresInactiveMessage: string;
  expiresTicketMinutes: number;
  timeUseBotQueuesMinutes: number;
  maxUseBotQueues: number;
  timeToTransferMinutes: number | null;
  transferQueueId: QueueId | null;
  provider: string;
  token: string | null;
  createdAt: Date;
  updatedAt: Date;
};

export type ConnectionWithQueues = ConnectionRow & { queues: ConnectionQueue[] };

const columnsText = `
  c.id, c.company_id as "companyId", c.name, c.status, c.channel, c.qrcode, c.pairing_code as "pairingCode",
  c.close_reason as "closeReason", c.connected_at as "connectedAt", c.disconnected_at as "disconnectedAt",
  c.alarmed_at as "alarmedAt",
  c.is_default as "isDefault", c.retries, c.number, c.greeting_message as "greetingMessage",
  c.complation_message as "complationMessage", c.out_of_hours_message as "outOfHoursMessage",
  c.rating_message as "ratingMessage", c.farewell_message as "farewellMessage",
  c.expires_inactive_message as "expiresInactiveMessage", c.expires_ticket_minutes as "expiresTicketMinutes",
  c.time_use_bot_queues_minutes as "timeUseBotQueuesMinutes", c.max_use_bot_queues as "maxUseBotQueues",
  c.time_to_transfer_minutes as "timeToTransferMinutes", c.transfer_queue_id as "transferQueueId",
  c.provider, c.token, c.created_at as "createdAt", c.updated_at as "updatedAt"`;
const columns = sql.raw(columnsText);

/** The company's connections by id; with an id only that one. */
export async function readConnections(
  ctx: Pick<Ctx, "companyId">,
  tx: Tx,
  only?: ConnectionId,
): Promise<ConnectionWithQueues[]> {
  const values = [ctx.companyId];
  if (only === undefined) return tx.query<ConnectionWithQueues>(listStatement, values);
  return tx.query<ConnectionWithQueues>(oneStatement, [...values, only]);
}

/** The connection without its queues. */
export async function findConnection(
  ctx: Pick<Ctx, "companyId">,
  tx: Tx,
  id: ConnectionId,
): Promise<ConnectionRow | undefined> {
  const [row] = await tx.query<ConnectionRow>(sql`
    select ${columns} from connections c where c.company_id = ${ctx.companyId} and c.id = ${id} and c.deleted_at is null`);
  return row;
}

/** What a connection looked like before a change. */
export type Before = {
  oldStatus: ConnectionStatus;
  oldNumber: string | null;
  oldQrcode: string;
  oldPairingCode: string;
};

export type Change = {
  status?: ConnectionStatus;
  qrcode?: string;
  pairingCode?: string;
  closeReason?: string | null;
  number?: string;
  retries?: number;
  /** People ended it, so it is not lost. */
  isEndedByPeople?: boolean;
};

/** Changes what channels report of a connection; null when there is no such connection in the company. */
export async function changeConnection(
  ctx: Pick<Ctx, "companyId">,
  tx: Tx,
  id: ConnectionId,
  change: Change,
  /** More assignments. */
  also: SQL = sql``,
): Promise<(ConnectionRow & Before) | null> {
  const [row] = await tx.query<ConnectionRow & Before>(sql`
    update connections c set updated_at = now()
           ${setIfGiven(sql`status`, change.status)}
           ${setIfGiven(sql`qrcode`, change.qrcode)}
           ${setIfGiven(sql`pairing_code`, change.pairingCode)}
           ${setIfGiven(sql`close_reason`, change.closeReason)}
           ${setIfGiven(sql`number`, change.number)}
           ${setIfGiven(sql`retries`, change.retries)}
           ${momentsAfter(change)}
           ${also}
      from (select status, number, qrcode, pairing_code from connections
             where company_id = ${ctx.companyId} and id = ${id} and deleted_at is null for no key update) as before
     where c.company_id = ${ctx.companyId} and c.id = ${id}
    returning ${columns}, before.status as "oldStatus", before.number as "oldNumber",
              before.qrcode as "oldQrcode", before.pairing_code as "oldPairingCode"`);
  return row ?? null;
}

function setIfGiven(column: SQL, value: string | number | null | undefined): SQL {
  return value === undefined ? sql`` : sql`, ${column} = ${value}`;
}

/** Since when it is connected, or since when it is not: the first moment of several tries in a row. */
function momentsAfter({ status, isEndedByPeople }: Change): SQL {
  if (status === undefined) return sql``;
  const wasConnected = sql`before.status = 'CONNECTED'`;
  if (status === "CONNECTED") {
    return sql`, connected_at = case when ${wasConnected} then coalesce(c.connected_at, now()) else now() end,
                 disconnected_at = null, alarmed_at = null`;
  }
  const disconnectedAt = sql`case when ${wasConnected} then now() else c.disconnected_at end`;
  if (isEndedByPeople) {
    return sql`, connected_at = null, alarmed_at = null, disconnected_at = ${disconnectedAt}`;
  }
  return sql`, connected_at = case when ${wasConnected} then coalesce(c.connected_at, now()) else c.connected_at end,
               disconnected_at = ${disconnectedAt}`;
}

/** What people want: read by the process that owns the connection. */
export type Request = {
  wanted: boolean;
  unlink: boolean;
  /** Digits of the phone that is to be linked by a typed code. */
  pairingPhone?: string | undefined;
};

/**
 * Notes what people want, with a new generation, and what they see at once; null when there is no such connection. An
 * unlink that was asked for before stays asked for.
 */
export async function requestState(
  ctx: Pick<Ctx, "companyId">,
  tx: Tx,
  id: ConnectionId,
  request: Request,
): Promise<(ConnectionRow & Before) | null> {
  const codes = { qrcode: "", pairingCode: "" };
  const shown: Change = request.wanted
    ? { status: "OPENING", ...codes, closeReason: null, retries: 0 }
    : { status: "DISCONNECTED", ...codes, closeReason: "stopped" };
  return changeConnection(
    ctx,
    tx,
    id,
    { ...shown, isEndedByPeople: request.unlink || !request.wanted },
    sql`, wanted = ${request.wanted}, start_generation = start_generation + 1,
        pairing_phone = ${request.pairingPhone ?? null}
        ${request.unlink ? sql`, unlink_requested = true` : sql``}`,
  );
}

/** Connections of the company that people want to run. */
export async function wantedIds(ctx: Pick<Ctx, "companyId">, tx: Tx): Promise<ConnectionId[]> {
  const rows = await tx.query<{ id: ConnectionId }>(sql`
    select id from connections where company_id = ${ctx.companyId} and wanted and deleted_at is null order by id`);
  return rows.map(({ id }) => id);
}

/**
 * Kept prepared: planning it takes three times as long as running it, and every page of the web begins with it. Without
 * a connection's id all queues are joined at once.
 */
const connectionsText = (one: string): string => `
select ${columnsText}, coalesce(linked.queues, '[]') as queues
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
