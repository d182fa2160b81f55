import type { ConnectionId, UserId } from "@balcao/contract";
import { subDays } from "date-fns/subDays";
import { and, eq, gt } from "drizzle-orm";
import type { NumberAnswer } from "../../channels/port.ts";
import { NoAnswer } from "../../channels/runtime/index.ts";
import type { Ctx } from "../../platform/context.ts";
import { actingUser, DomainError } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import { knownNumbers } from "../../platform/db/schema/index.ts";
import type { Clock } from "../../platform/sources.ts";
import { addressKey } from "./address.ts";

export type NumberCheckDeps = {
  db: Database;
  clock: Clock;
  /** Asks the chat network of a connection; rejects with NoAnswer. */
  checkNumber(ctx: Ctx, connectionId: ConnectionId, digits: string): Promise<NumberAnswer>;
  /** The connection that asks; throws ERR_NO_DEF_WAPP_FOUND. */
  pickConnection(ctx: Ctx, tx: Tx, userId: UserId | null): Promise<ConnectionId>;
};

/** A number that the network knew counts as known for this time (behaviour 10.5); an unknown one is asked each time. */
export const KNOWN_NUMBER_DAYS = 30;

/**
 * The number as the chat network writes it: the first of its forms that is known there. Waits for the network, so outside
 * of transactions. Throws ERR_NO_DEF_WAPP_FOUND, ERR_WAPP_CHECK_CONTACT and ERR_WAPP_INVALID_CONTACT.
 */
export async function checkedNumber(
  deps: NumberCheckDeps,
  ctx: Ctx,
  forms: readonly string[],
): Promise<string> {
  const { db, clock, pickConnection } = deps;
  const { companyId } = ctx;
  const key = addressKey({ kind: "pn", value: forms[0] ?? "" });
  const { number, checkedAt } = knownNumbers;
  const isKey = and(eq(knownNumbers.companyId, companyId), eq(knownNumbers.key, key));
  const since = subDays(clock.now(), KNOWN_NUMBER_DAYS);
  const [known] = await db.transaction(ctx, (tx) =>
    tx.orm
      .select({ number })
      .from(knownNumbers)
      .where(and(isKey, gt(checkedAt, since))),
  );
  if (known) return known.number;

  const connectionId = await db.transaction(ctx, (tx) => pickConnection(ctx, tx, actingUser(ctx)));
  for (const form of forms) {
    const answer = await ask(deps, ctx, connectionId, form);
    if (!answer.exists) continue;
    const found = { number: answer.number, checkedAt: clock.now() };
    await db.transaction(ctx, (tx) =>
      tx.orm
        .insert(knownNumbers)
        .values({ companyId, key, ...found })
        .onConflictDoUpdate({ target: [knownNumbers.companyId, knownNumbers.key], set: found }),
    );
    return answer.number;
  }
  throw new DomainError("ERR_WAPP_INVALID_CONTACT");
}

async function ask(
  { checkNumber }: NumberCheckDeps,
  ctx: Ctx,
  connectionId: ConnectionId,
  digits: string,
): Promise<NumberAnswer> {
  try {
    return await checkNumber(ctx, connectionId, digits);
  } catch (error) {
    if (error instanceof NoAnswer) throw new DomainError("ERR_WAPP_CHECK_CONTACT");
    throw error;
  }
}
