import type { ConnectionId } from "@balcao/contract";
import { and, eq, isNull, ne, sql } from "drizzle-orm";
import { connectionsChanged } from "../../channels/runtime/index.ts";
import type { UserCtx } from "../../platform/context.ts";
import { requirePermission } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { hasId } from "../../platform/db/records.ts";
import { removeReferring } from "../../platform/db/references.ts";
import { connectionLeases, connections } from "../../platform/db/schema/index.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import { lockPlanLimit } from "../companies/index.ts";
import { findConnection, publishEntries } from "./connection.ts";
import type { ConnectionsDeps } from "./editing.ts";
import { makeDefault } from "./editing.ts";
import { requestSession } from "./sessions.ts";

declare module "../../platform/events.ts" {
  interface EventPayloads {
    /** A connection is about to be deleted. */
    "connection.removing": { connectionId: ConnectionId };
  }
}

/** The longest waits: for a process that unlinks, and for the phone to be told. */
const OWNER_MS = 1_500;
const UNLINK_MS = 5_000;
const LOOK_MS = 50;

/** Deletes a connection (behaviour 10.4). */
export async function removeConnection(
  deps: ConnectionsDeps,
  ctx: UserCtx,
  id: ConnectionId,
): Promise<void> {
  const { db, wake, realtime, domainEvents } = deps;
  requirePermission(ctx, "connections:manage");
  await unlink(deps, ctx, id);
  await db.transaction(ctx, async (tx) => {
    await lockPlanLimit(ctx, tx, "connections");
    // Every write of a session locks its lease first: this waits for the last one and lets no further one begin.
    await tx.orm
      .select({ id: connectionLeases.connectionId })
      .from(connectionLeases)
      .where(
        and(eq(connectionLeases.companyId, ctx.companyId), eq(connectionLeases.connectionId, id)),
      )
      .for("update");
    const connection = await findConnection(ctx, tx, id);
    await domainEvents.publish(tx, ctx, "connection.removing", { connectionId: id });
    await markDeleted(deps, ctx, tx, id);
    tx.onCommit(() => {
      const payload = { action: "delete", whatsappId: id } as const;
      realtime.publish(ctx.companyId, "whatsapp", payload, [rooms.main(ctx.companyId)]);
    });
    if (connection.isDefault) await chooseDefault(deps, ctx, tx, id);
    connectionsChanged(wake, tx);
  });
}

/**
 * The link is removed first, as by "Disconnect", because the keys go with the row. A phone that cannot be reached now
 * still lists the device.
 */
async function unlink(deps: ConnectionsDeps, ctx: UserCtx, id: ConnectionId): Promise<void> {
  const { db } = deps;
  const request = { wanted: false, unlink: true };
  await db.transaction(ctx, (tx) => requestSession(deps, ctx, tx, id, request));
  const beganMs = performance.now();
  for (;;) {
    const [waiting] = await db.read<{ isOwned: boolean }>(ctx, unlinkingStatement, [
      ctx.companyId,
      id,
    ]);
    const patienceMs = waiting?.isOwned ? UNLINK_MS : OWNER_MS;
    if (!waiting || performance.now() - beganMs > patienceMs) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** History shows the name of a deleted connection; nothing else finds the row. */
async function markDeleted(
  { channelTables }: ConnectionsDeps,
  ctx: UserCtx,
  tx: Tx,
  id: ConnectionId,
): Promise<void> {
  await tx.orm
    .update(connections)
    .set({
      ...{ deletedAt: sql`now()`, updatedAt: sql`now()` },
      ...{ wanted: false, unlinkRequested: false, unlinkChannel: null, isDefault: false },
      ...{ token: null, qrcode: "", pairingCode: "", pairingPhone: null, transferQueueId: null },
      ...{ status: "DISCONNECTED", alarmedAt: null, lossMailedAt: null, connectedAt: null },
    })
    .where(hasId(ctx, connections, id));
  await removeReferring(ctx, tx, "connections", id);
  await removeReferring(ctx, tx, "connections", id, channelTables);
}

/** The oldest of the other connections becomes the default. */
async function chooseDefault(
  { realtime }: ConnectionsDeps,
  ctx: UserCtx,
  tx: Tx,
  deleted: ConnectionId,
): Promise<void> {
  const { id, companyId, deletedAt } = connections;
  const [oldest] = await tx.orm
    .select({ id })
    .from(connections)
    .where(and(eq(companyId, ctx.companyId), ne(id, deleted), isNull(deletedAt)))
    .orderBy(id)
    .limit(1);
  if (!oldest) return;
  await makeDefault(ctx, tx, oldest.id);
  await publishEntries(realtime, ctx, tx, [oldest.id]);
}

/** Whether a requested unlinking is still to be done, and whether a process is about to. */
const unlinkingStatement = {
  name: "connections.unlinking",
  text: `
select coalesce(l.expires_at > now(), false) as "isOwned"
from connections w left join connection_leases l on l.connection_id = w.id
where w.company_id = $1 and w.id = $2 and w.unlink_requested`,
};
