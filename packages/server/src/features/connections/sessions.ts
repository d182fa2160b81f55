import type { ConnectionId } from "@balcao/contract";
import type { SQL } from "drizzle-orm";
import { and, eq, isNull, sql } from "drizzle-orm";
import type { StateEvent } from "../../channels/port.ts";
import { connectionsChanged } from "../../channels/runtime/index.ts";
import type { Ctx } from "../../platform/context.ts";
import { requirePermission } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import { requireRow } from "../../platform/db/records.ts";
import { connections } from "../../platform/db/schema/index.ts";
import type { Wake } from "../../platform/db/wake.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import type { ChangedRow, ConnectionRow } from "./connection.ts";
import { connectionColumns, publishConnection } from "./connection.ts";

export type SessionsDeps = { db: Database; wake: Wake; realtime: Realtime };

type Scope = Pick<Ctx, "companyId">;

/** Users' requests to a session, which the process that owns the connection reads. */
type SessionRequest = {
  wanted: boolean;
  unlink: boolean;
  /** Digits of the phone that is to be linked by a typed code. */
  pairingPhone?: string | undefined;
};

/** Starts with the stored link ("Try again"). */
export function startConnection(deps: SessionsDeps, ctx: Ctx, id: ConnectionId): Promise<void> {
  return requestOne(deps, ctx, id, { wanted: true, unlink: false });
}

/** Drops the stored link, then starts ("New QR"); with a phone's digits by a code to type there. */
export function startUnlinked(
  deps: SessionsDeps,
  ctx: Ctx,
  id: ConnectionId,
  pairingPhone?: string,
): Promise<void> {
  return requestOne(deps, ctx, id, { wanted: true, unlink: true, pairingPhone });
}

/** Unlinks and stops; succeeds in every state. */
export function disconnect(deps: SessionsDeps, ctx: Ctx, id: ConnectionId): Promise<void> {
  return requestOne(deps, ctx, id, { wanted: false, unlink: true });
}

/** Restarts the company's connections that users want to run; the others stay as they are. */
export async function restartConnections(deps: SessionsDeps, ctx: Ctx): Promise<void> {
  requirePermission(ctx, "connections:manage");
  const { id, companyId, wanted, deletedAt } = connections;
  await deps.db.transaction(ctx, async (tx) => {
    const rows = await tx.orm
      .select({ id })
      .from(connections)
      .where(and(eq(companyId, ctx.companyId), wanted, isNull(deletedAt)))
      .orderBy(id);
    for (const row of rows) {
      await requestSession(deps, ctx, tx, row.id, { wanted: true, unlink: false });
    }
  });
}

async function requestOne(
  deps: SessionsDeps,
  ctx: Ctx,
  id: ConnectionId,
  request: SessionRequest,
): Promise<void> {
  requirePermission(ctx, "connections:manage");
  await deps.db.transaction(ctx, (tx) => requestSession(deps, ctx, tx, id, request));
}

/**
 * Stores what users want, with a new generation, and publishes what follows from it at once. An unlink that was requested
 * before stays requested. Throws ERR_NO_WAPP_FOUND.
 */
export async function requestSession(
  { wake, realtime }: Omit<SessionsDeps, "db">,
  ctx: Scope,
  tx: Tx,
  id: ConnectionId,
  { wanted, unlink, pairingPhone }: SessionRequest,
): Promise<void> {
  const codes = { qrcode: "", pairingCode: "" };
  const shown: Change = wanted
    ? { status: "OPENING", ...codes, closeReason: null, retries: 0 }
    : { status: "DISCONNECTED", ...codes, closeReason: "stopped" };
  const row = await changeConnection(
    ctx,
    tx,
    id,
    { ...shown, isEndedByPeople: unlink || !wanted },
    sql`, wanted = ${wanted}, start_generation = start_generation + 1,
        pairing_phone = ${pairingPhone ?? null}
        ${unlink ? sql`, unlink_requested = true` : sql``}`,
  );
  await publishConnection(realtime, tx, requireRow(row, "ERR_NO_WAPP_FOUND"));
  connectionsChanged(wake, tx);
}

/** A connection's state or code, as channels report it. */
export type ConnectionReport =
  | StateEvent
  | { type: "qr"; text: string | null }
  | { type: "pairing-code"; text: string | null };

/** Stores and publishes what a channel reports, in the channel's transaction. */
export async function reportConnection(
  { realtime }: Pick<SessionsDeps, "realtime">,
  ctx: Scope,
  tx: Tx,
  id: ConnectionId,
  report: ConnectionReport,
  retries: number,
): Promise<void> {
  const [row] = await changeConnection(ctx, tx, id, { ...changeOf(report), retries });
  // Deleted meanwhile: nobody is left to tell.
  if (row) await publishConnection(realtime, tx, row);
}

type Change = Partial<
  Pick<ConnectionRow, "status" | "qrcode" | "pairingCode" | "closeReason" | "number" | "retries">
> & {
  /** Users ended it, so it is not lost. */
  isEndedByPeople?: boolean;
};

/** The change by a report: a code exists only in its own status. */
function changeOf(report: ConnectionReport): Change {
  if (report.type === "qr") {
    return report.text === null
      ? { qrcode: "" }
      : { status: "qrcode", qrcode: report.text, closeReason: null };
  }
  if (report.type === "pairing-code") {
    return report.text === null
      ? { pairingCode: "" }
      : { status: "qrcode", pairingCode: report.text, closeReason: null };
  }
  const change = {
    status: report.status,
    closeReason: report.reason ?? null,
    isEndedByPeople: report.reason === "stopped",
    ...(report.number === undefined ? {} : { number: report.number }),
  };
  return report.status === "qrcode" ? change : { ...change, qrcode: "", pairingCode: "" };
}

/** By hand: one round trip that locks, changes and returns the values before. No row when the company has no such connection. */
function changeConnection(
  { companyId }: Scope,
  tx: Tx,
  id: ConnectionId,
  change: Change,
  /** More assignments. */
  also: SQL = sql``,
): Promise<ChangedRow[]> {
  return tx.query<ChangedRow>(sql`
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
             where company_id = ${companyId} and id = ${id} and deleted_at is null for no key update) as before
     where c.company_id = ${companyId} and c.id = ${id}
    returning ${sql.raw(connectionColumns)}, before.status as "oldStatus", before.number as "oldNumber",
              before.qrcode as "oldQrcode", before.pairing_code as "oldPairingCode"`);
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
                 disconnected_at = null, alarmed_at = null, loss_mailed_at = null`;
  }
  const disconnectedAt = sql`case when ${wasConnected} then now() else c.disconnected_at end`;
  if (isEndedByPeople) {
    return sql`, connected_at = null, alarmed_at = null, loss_mailed_at = null, disconnected_at = ${disconnectedAt}`;
  }
  return sql`, connected_at = case when ${wasConnected} then coalesce(c.connected_at, now()) else c.connected_at end,
               disconnected_at = ${disconnectedAt}`;
}
