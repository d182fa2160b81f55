import type { ConnectionId } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import {
  isListChanged,
  noSecrets,
  toAdminSessionDto,
  toConnectionDto,
  toSessionDto,
} from "./connection.ts";
import type { Before, ConnectionRow, ConnectionWithQueues } from "./repository.ts";
import { readConnections } from "./repository.ts";

/** Tells the company's sockets after the commit what a connection looks like now; codes reach admins only. */
export async function publishConnection(
  realtime: Realtime,
  tx: Tx,
  row: ConnectionRow & Before,
): Promise<void> {
  const { companyId, id } = row;
  const admins = [rooms.admins(companyId)];
  const everybody = [rooms.main(companyId)];
  const [connection] = isListChanged(row) ? await readConnections({ companyId }, tx, id) : [];

  tx.onCommit(() => {
    const forAdmins = { action: "update", session: toAdminSessionDto(row) } as const;
    const forOthers = { action: "update", session: toSessionDto(row) } as const;
    realtime.publish(companyId, "whatsappSession", forAdmins, admins);
    realtime.publish(companyId, "whatsappSession", forOthers, everybody, admins);
    if (connection) publishEntry(realtime, connection);
  });
}

/** Tells what connections are in the list now, with their queues; a new one too is an update (wire-contract 7.4). */
export async function publishEntries(
  realtime: Realtime,
  { companyId }: Pick<Ctx, "companyId">,
  tx: Tx,
  ids: readonly ConnectionId[],
): Promise<void> {
  for (const id of ids) {
    const [connection] = await readConnections({ companyId }, tx, id);
    if (connection) tx.onCommit(() => publishEntry(realtime, connection));
  }
}

/** Tells that a connection is no more. */
export function publishDeletion(
  realtime: Realtime,
  { companyId }: Pick<Ctx, "companyId">,
  tx: Tx,
  whatsappId: ConnectionId,
): void {
  tx.onCommit(() =>
    realtime.publish(companyId, "whatsapp", { action: "delete", whatsappId }, [
      rooms.main(companyId),
    ]),
  );
}

/** Tokens and credentials are not in events, for nobody (wire-contract 7.4). */
function publishEntry(realtime: Realtime, connection: ConnectionWithQueues): void {
  const { companyId } = connection;
  const admins = [rooms.admins(companyId)];
  const listed = { action: "update", whatsapp: toConnectionDto(connection, noSecrets) } as const;
  const withCode = toConnectionDto(connection, { token: false, qrcode: true });
  realtime.publish(companyId, "whatsapp", { action: "update", whatsapp: withCode }, admins);
  realtime.publish(companyId, "whatsapp", listed, [rooms.main(companyId)], admins);
}
