import type { CompanyId, ConnectionId, ConnectionStatus, SimulatorNetwork } from "@balcao/contract";
import { simulatorNetwork } from "@balcao/contract";
import { sql } from "drizzle-orm";
import type { Tx } from "../../platform/db/database.ts";

/** A simulated connection: the company's phone number on the network. */
export type LineRef = { companyId: CompanyId; connectionId: ConnectionId };

export type Line = {
  linked: boolean;
  network: SimulatorNetwork;
  /** The database's clock at this moment. */
  readAt: Date;
};

export type LineConnection = {
  connectionId: ConnectionId;
  name: string;
  status: ConnectionStatus;
  qrcode: string;
  linked: boolean | null;
  network: unknown;
};

const defaultNetwork: SimulatorNetwork = {
  online: true,
  delayMs: 0,
  sendMode: "deliver",
  autoDeliver: true,
  autoRead: false,
  mediaMode: "deliver",
};

/** Some of the network's settings. */
export type NetworkChange = { [K in keyof SimulatorNetwork]?: SimulatorNetwork[K] | undefined };

/** The settings with a change. */
export function withChange(network: SimulatorNetwork, change: NetworkChange): SimulatorNetwork {
  return {
    online: change.online ?? network.online,
    delayMs: change.delayMs ?? network.delayMs,
    sendMode: change.sendMode ?? network.sendMode,
    autoDeliver: change.autoDeliver ?? network.autoDeliver,
    autoRead: change.autoRead ?? network.autoRead,
    mediaMode: change.mediaMode ?? network.mediaMode,
  };
}

/** The settings as they are stored: what differs from the defaults, or nothing. */
export function networkOf(stored: unknown): SimulatorNetwork {
  return withChange(defaultNetwork, simulatorNetwork.partial().parse(stored ?? {}));
}

/** The number that a line has on the network: always the same, another one for each connection. */
export function lineNumber(connectionId: ConnectionId): string {
  return `55119${String(40_000_000 + connectionId).slice(-8)}`;
}

const readLineStatement = {
  name: "simulator-line",
  text: `select coalesce(line.linked, false) as linked, line.network, now() as "readAt"
           from (values ($1::int, $2::int)) as wanted (company_id, connection_id)
           left join simulator_lines line using (company_id, connection_id)`,
};

/** The line as it is; one that nobody has touched is unlinked and on a good network. */
export async function readLine(tx: Tx, line: LineRef): Promise<Line> {
  const [row] = await tx.query<{ linked: boolean; network: unknown; readAt: Date }>(
    readLineStatement,
    [line.companyId, line.connectionId],
  );
  if (!row) throw new Error("the line was not read");
  return { ...row, network: networkOf(row.network) };
}

/** Shows a code that may be scanned, or none. False: the line is linked already. */
export async function showPairingCode(tx: Tx, line: LineRef, code: string | null) {
  const rows = await tx.query(sql`
    insert into simulator_lines (company_id, connection_id, pairing_code)
    values (${line.companyId}, ${line.connectionId}, ${code})
    on conflict (connection_id) do update set pairing_code = excluded.pairing_code, updated_at = now()
      where simulator_lines.company_id = ${line.companyId} and not simulator_lines.linked
    returning 1`);
  return rows.length > 0;
}

/** The company's phone scans a code. False: it is not the one that is shown. */
export async function scanPairingCode(tx: Tx, line: LineRef, code: string): Promise<boolean> {
  const rows = await tx.query(sql`
    update simulator_lines set linked = true, pairing_code = null, updated_at = now()
     where company_id = ${line.companyId} and connection_id = ${line.connectionId}
       and not linked and pairing_code = ${code}
    returning 1`);
  return rows.length > 0;
}

/** Links the line without a scan: demo data and tests. */
export async function linkLine(tx: Tx, line: LineRef): Promise<void> {
  await tx.query(sql`
    insert into simulator_lines (company_id, connection_id, linked)
    values (${line.companyId}, ${line.connectionId}, true)
    on conflict (connection_id) do update set linked = true, pairing_code = null, updated_at = now()
      where simulator_lines.company_id = ${line.companyId}`);
}

/** Removes the link, from either side. False: there was none. */
export async function unlinkLine(tx: Tx, line: LineRef): Promise<boolean> {
  const rows = await tx.query<{ wasLinked: boolean }>(sql`
    update simulator_lines line set linked = false, pairing_code = null, updated_at = now()
      from (select linked from simulator_lines
             where company_id = ${line.companyId} and connection_id = ${line.connectionId}
               for update) as before
     where line.company_id = ${line.companyId} and line.connection_id = ${line.connectionId}
    returning before.linked as "wasLinked"`);
  return rows[0]?.wasLinked ?? false;
}

export async function changeNetwork(tx: Tx, line: LineRef, change: NetworkChange): Promise<void> {
  await tx.query(sql`
    insert into simulator_lines (company_id, connection_id, network)
    values (${line.companyId}, ${line.connectionId}, ${JSON.stringify(change)}::jsonb)
    on conflict (connection_id) do update
       set network = simulator_lines.network || excluded.network, updated_at = now()
      where simulator_lines.company_id = ${line.companyId}`);
}

/** The company's simulated connections; with an id only that one. */
export async function readLineConnections(
  tx: Tx,
  companyId: CompanyId,
  only?: ConnectionId,
): Promise<LineConnection[]> {
  return tx.query<LineConnection>(connectionsStatement, [companyId, only ?? null]);
}

const connectionsStatement = {
  name: "simulator-connections",
  text: `select c.id as "connectionId", c.name, c.status, c.qrcode, line.linked, line.network
           from connections c
           left join simulator_lines line on line.company_id = c.company_id and line.connection_id = c.id
          where c.company_id = $1 and c.channel = 'simulator' and c.deleted_at is null and ($2::int is null or c.id = $2)
          order by c.id`,
};
