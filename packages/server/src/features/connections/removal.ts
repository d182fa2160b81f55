import type { ConnectionId } from "@balcao/contract";
import { connectionsChanged } from "../../channels/runtime/index.ts";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError, requirePermission } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { Wake } from "../../platform/db/wake.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import { lockPlanLimit } from "../companies/index.ts";
import { publishConnection, publishDeletion, publishEntries } from "./events.ts";
import { readConnections, requestState } from "./repository.ts";
import {
  deleteConnection,
  findHeir,
  findUnlinking,
  lockLease,
  makeDefault,
} from "./write-repository.ts";

export type RemovalDeps = {
  db: Database;
  wake: Wake;
  realtime: Realtime;
  /** What becomes of the tickets of a connection that is about to be deleted, in its transaction. */
  connectionDeleted: (ctx: Ctx, tx: Tx, id: ConnectionId) => Promise<void>;
};

/** Longest wait for the phone to be told, and for somebody who does it. */
const UNLINK_MS = 5_000;
const OWNER_MS = 1_500;
const LOOK_MS = 50;

/** Deleting a connection (behaviour 10.4). */
export function createRemoval(deps: RemovalDeps) {
  const { db, wake, realtime, connectionDeleted } = deps;

  /**
   * The link first, as "Disconnect" does, because with the row its keys are gone; whoever cannot be reached now still
   * finds the device in his phone's list.
   */
  async function unlink(ctx: UserCtx, id: ConnectionId): Promise<void> {
    await db.transaction(ctx, async (tx) => {
      const row = await requestState(ctx, tx, id, { wanted: false, unlink: true });
      if (!row) throw new DomainError("ERR_NO_WAPP_FOUND");
      await publishConnection(realtime, tx, row);
      connectionsChanged(wake, tx);
    });
    const beganMs = performance.now();
    for (;;) {
      const waiting = await db.transaction(ctx, (tx) => findUnlinking(ctx, tx, id));
      const patienceMs = waiting?.isOwned ? UNLINK_MS : OWNER_MS;
      if (!waiting || performance.now() - beganMs > patienceMs) return;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  return async (ctx: UserCtx, id: ConnectionId): Promise<void> => {
    requirePermission(ctx, "connections:manage");
    await unlink(ctx, id);
    await db.transaction(ctx, async (tx) => {
      await lockPlanLimit(ctx, tx, "connections");
      // Everybody who writes for a session holds its lease first and the rest afterwards.
      await lockLease(ctx, tx, id);
      const [connection] = await readConnections(ctx, tx, id);
      if (!connection) throw new DomainError("ERR_NO_WAPP_FOUND");
      await connectionDeleted(ctx, tx, id);
      await deleteConnection(ctx, tx, id);
      publishDeletion(realtime, ctx, tx, id);
      const heir = connection.isDefault ? await findHeir(ctx, tx, id) : null;
      if (heir !== null) {
        await makeDefault(ctx, tx, heir);
        await publishEntries(realtime, ctx, tx, [heir]);
      }
      connectionsChanged(wake, tx);
    });
  };
}
