import type { UserId } from "@balcao/contract";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError, requirePermission } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { Realtime, RealtimeRights } from "../../platform/realtime/hub.ts";
import { lockPlanLimit } from "../companies/index.ts";
import { requireAccount } from "./editing.ts";
import { publishDeletion } from "./events.ts";
import { requireNoLess } from "./user.ts";
import { deleteUser, hasOtherAdmin, lockUser } from "./write-repository.ts";

/** The tickets of a user who goes; the ticket feature knows what becomes of them. */
export type TicketsOfUser = {
  countOpen(ctx: Ctx, tx: Tx, id: UserId): Promise<number>;
  /** His open tickets wait again, in the transaction that deletes him. */
  giveBack(ctx: Ctx, tx: Tx, id: UserId): Promise<void>;
};

export type RemovalDeps = {
  db: Database;
  realtime: Realtime & RealtimeRights;
  tickets: TicketsOfUser;
};

/** Deleting a user (behaviour 8.7): history keeps the name. */
export function createRemoval({ db, realtime, tickets }: RemovalDeps) {
  async function use(ctx: UserCtx, id: UserId): Promise<{ openTickets: number }> {
    requirePermission(ctx, "users:manage");
    return db.transaction(ctx, async (tx) => {
      await requireAccount(ctx, tx, id);
      return { openTickets: await tickets.countOpen(ctx, tx, id) };
    });
  }

  async function remove(ctx: UserCtx, id: UserId): Promise<void> {
    requirePermission(ctx, "users:manage");
    if (ctx.actor.userId === id) throw new DomainError("ERR_USER_IS_SELF");
    await db.transaction(ctx, async (tx) => {
      await lockPlanLimit(ctx, tx, "users");
      const account = await requireAccount(ctx, tx, id);
      requireNoLess(ctx, account);
      if (account.profile === "admin" && !(await hasOtherAdmin(ctx, tx, id))) {
        throw new DomainError("ERR_USER_LAST_ADMIN");
      }
      await tickets.giveBack(ctx, tx, id);
      // Whoever gives him a ticket holds the ticket first and the user afterwards: once he is locked, nobody does any more.
      await lockUser(ctx, tx, id);
      await tickets.giveBack(ctx, tx, id);
      await deleteUser(ctx, tx, id);
      tx.onCommit(() => {
        publishDeletion(realtime, ctx, id);
        realtime.disconnectUser(ctx.companyId, id);
      });
    });
  }

  return { use, remove };
}
