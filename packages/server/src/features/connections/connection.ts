import type { Connection, ConnectionSession } from "@balcao/contract";
import { toIso, toIsoOrNull } from "../../platform/db/row-dates.ts";
import type { CloudAccount } from "./channel-accounts.ts";
import type { Before, ConnectionRow, ConnectionWithQueues } from "./repository.ts";

/** Which of a connection's secrets a reader gets: the external API's token and the code to scan. */
export type Secrets = { token: boolean; qrcode: boolean };

export const allSecrets: Secrets = { token: true, qrcode: true };
export const noSecrets: Secrets = { token: false, qrcode: false };

export function toConnectionDto(
  row: ConnectionWithQueues,
  secrets: Secrets,
  cloudApi: CloudAccount | null = null,
): Connection {
  return {
    id: row.id,
    companyId: row.companyId,
    name: row.name,
    status: row.status,
    channel: row.channel,
    qrcode: secrets.qrcode ? row.qrcode : "",
    pairingCode: secrets.qrcode ? row.pairingCode : "",
    isDefault: row.isDefault,
    retries: row.retries,
    number: row.number,
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
    promptId: null,
    integrationId: null,
    provider: row.provider,
    token: secrets.token ? row.token : null,
    queues: row.queues,
    closeReason: row.closeReason,
    ...momentsOf(row),
    cloudApi,
    createdAt: toIso(row.createdAt),
    updatedAt: toIso(row.updatedAt),
  };
}

/** The session as everybody may see it: without the code. */
export function toSessionDto(row: ConnectionRow): ConnectionSession {
  return {
    id: row.id,
    name: row.name,
    status: row.status,
    retries: row.retries,
    number: row.number,
    isDefault: row.isDefault,
    closeReason: row.closeReason,
    ...momentsOf(row),
    companyId: row.companyId,
    updatedAt: toIso(row.updatedAt),
  };
}

function momentsOf(row: ConnectionRow) {
  return {
    // Kept while it is away, so that a loss can be told from a connection that has never been.
    connectedAt: row.status === "CONNECTED" ? toIsoOrNull(row.connectedAt) : null,
    disconnectedAt: toIsoOrNull(row.disconnectedAt),
    alarmedAt: toIsoOrNull(row.alarmedAt),
  };
}

/**
 * The session for admins. An empty code closes whatever code dialog is open, of any connection (wire-contract 7.4), so
 * it is in the event only when a code of this connection went away.
 */
export function toAdminSessionDto(row: ConnectionRow & Before): ConnectionSession {
  const session = toSessionDto(row);
  const hasQrcode = row.qrcode !== "" || row.oldQrcode !== "";
  const hasPairingCode = row.pairingCode !== "" || row.oldPairingCode !== "";
  return {
    ...session,
    ...(hasQrcode ? { qrcode: row.qrcode } : {}),
    ...(hasPairingCode ? { pairingCode: row.pairingCode } : {}),
  };
}

/** Whether the list of connections, not only the session, looks different now. */
export function isListChanged(row: ConnectionRow & Before): boolean {
  return row.status !== row.oldStatus || row.number !== row.oldNumber;
}

/** A customer who may choose between queues must be greeted with the choice (wire-contract 5.5). */
export function isGreetingMissing(connection: {
  queueCount: number;
  greetingMessage: string;
}): boolean {
  return connection.queueCount > 1 && connection.greetingMessage.trim() === "";
}
