import type { UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { References } from "./repository.ts";
import { findReferences } from "./repository.ts";

/** What a body refers to must belong to the company; another company's id is not found. The caller belongs to it. */
export async function requireReferences(ctx: UserCtx, tx: Tx, wanted: References): Promise<void> {
  const { queueId, connectionId } = wanted;
  const userId = wanted.userId === ctx.actor.userId ? null : wanted.userId;
  if (userId === null && queueId === null && connectionId === null) return;
  const found = await findReferences(ctx, tx, { userId, queueId, connectionId });
  if (userId !== null && !found.user) throw new DomainError("ERR_NO_USER_FOUND");
  if (queueId !== null && !found.queue) throw new DomainError("ERR_QUEUE_NOT_FOUND");
  if (connectionId !== null && !found.connection) throw new DomainError("ERR_NO_WAPP_FOUND");
}
