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
import type { Before, ConnectionRow } from "./repository.ts";
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
    if (!connection) return;
    // Tokens are not in events, for nobody (wire-contract 7.4).
    const listed = { action: "update", whatsapp: toConnectionDto(connection, noSecrets) } as const;
    const withCode = toConnectionDto(connection, { token: false, qrcode: true });
    realtime.publish(companyId, "whatsapp", { action: "update", whatsapp: withCode }, admins);
    realtime.publish(companyId, "whatsapp", listed, everybody, admins);
  });
}
