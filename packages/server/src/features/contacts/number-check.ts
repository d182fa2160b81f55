import type { ConnectionId, UserId } from "@balcao/contract";
import type { NumberAnswer } from "../../channels/port.ts";
import { NoAnswer } from "../../channels/runtime/index.ts";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";

export type NumberCheckDeps = {
  db: Database;
  /** Asks the chat network of a connection; rejects with NoAnswer. */
  checkNumber(ctx: Ctx, connectionId: ConnectionId, digits: string): Promise<NumberAnswer>;
  /** The connection that asks; throws ERR_NO_DEF_WAPP_FOUND. */
  pickConnection(ctx: Ctx, tx: Tx, userId: UserId): Promise<ConnectionId>;
};

/**
 * The number as the chat network writes it: the first of its forms that is known there. Waits for the network, so outside
 * of transactions. Throws ERR_NO_DEF_WAPP_FOUND, ERR_WAPP_CHECK_CONTACT and ERR_WAPP_INVALID_CONTACT.
 */
export function createNumberCheck({ db, checkNumber, pickConnection }: NumberCheckDeps) {
  return async (ctx: UserCtx, forms: readonly string[]): Promise<string> => {
    const connectionId = await db.transaction(ctx, (tx) =>
      pickConnection(ctx, tx, ctx.actor.userId),
    );
    for (const form of forms) {
      const answer = await ask(ctx, connectionId, form);
      if (answer.exists) return answer.number;
    }
    throw new DomainError("ERR_WAPP_INVALID_CONTACT");
  };

  async function ask(ctx: Ctx, connectionId: ConnectionId, digits: string): Promise<NumberAnswer> {
    try {
      return await checkNumber(ctx, connectionId, digits);
    } catch (error) {
      if (error instanceof NoAnswer) throw new DomainError("ERR_WAPP_CHECK_CONTACT");
      throw error;
    }
  }
}

export type NumberCheck = ReturnType<typeof createNumberCheck>;
