import type { ConnectionId, QueueId, UserId } from "@balcao/contract";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { AddressOf, QueueRow } from "./queue.ts";
import { toQueueDto } from "./queue.ts";

export type QueueEventDeps = {
  realtime: Realtime;
  addressOf: AddressOf;
  /** Tells how a user is now and moves his sockets to the rooms of his queues. */
  announceUser: (ctx: Ctx, userId: UserId) => Promise<void>;
  /** Tells, once the transaction has committed, how connections look now. */
  connectionsLookDifferent: (ctx: Ctx, tx: Tx, ids: readonly ConnectionId[]) => Promise<void>;
};

/** What the company hears of its queues (wire-contract 7.4). */
export function createQueueEvents(deps: QueueEventDeps) {
  const { realtime, addressOf, announceUser, connectionsLookDifferent } = deps;
  return {
    /** A new queue too is an update. */
    updated(tx: Tx, row: QueueRow): void {
      const queue = toQueueDto(row, addressOf);
      tx.onCommit(() =>
        realtime.publish(row.companyId, "queue", { action: "update", queue }, [
          rooms.main(row.companyId),
        ]),
      );
    },

    deleted(ctx: Ctx, tx: Tx, queueId: QueueId): void {
      const { companyId } = ctx;
      tx.onCommit(() =>
        realtime.publish(companyId, "queue", { action: "delete", queueId }, [
          rooms.main(companyId),
        ]),
      );
    },

    connectionsLookDifferent,

    /** After the commit: these users have other queues, or their queue another name. */
    async announceUsers(ctx: UserCtx, userIds: readonly UserId[]): Promise<void> {
      for (const userId of userIds) {
        await announceUser(ctx, userId).catch((error: unknown) => {
          const isGone = error instanceof DomainError && error.code === "ERR_NO_USER_FOUND";
          if (!isGone) throw error;
        });
      }
    },
  };
}

export type QueueEvents = ReturnType<typeof createQueueEvents>;
