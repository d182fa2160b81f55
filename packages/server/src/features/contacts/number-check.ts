import type { ConnectionId, UserId } from "@balcao/contract";
import { subDays } from "date-fns/subDays";
import type { NumberAnswer } from "../../channels/port.ts";
import { NoAnswer } from "../../channels/runtime/index.ts";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { Clock } from "../../platform/sources.ts";
import { addressKey } from "./address.ts";

export type NumberCheckDeps = {
  db: Database;
  clock: Clock;
  /** Asks the chat network of a connection; rejects with NoAnswer. */
  checkNumber(ctx: Ctx, connectionId: ConnectionId, digits: string): Promise<NumberAnswer>;
  /** The connection that asks; throws ERR_NO_DEF_WAPP_FOUND. */
  pickConnection(ctx: Ctx, tx: Tx, userId: UserId): Promise<ConnectionId>;
};

/** So long a number that was there counts as there (behaviour 10.5). That one is missing is asked anew each time. */
const KEPT_DAYS = 30;

/**
 * The number as the chat network writes it: the first of its forms that is known there. Waits for the network, so outside
 * of transactions. Throws ERR_NO_DEF_WAPP_FOUND, ERR_WAPP_CHECK_CONTACT and ERR_WAPP_INVALID_CONTACT.
 */
export function createNumberCheck({ db, clock, checkNumber, pickConnection }: NumberCheckDeps) {
  return async (ctx: UserCtx, forms: readonly string[]): Promise<string> => {
    const key = addressKey({ kind: "pn", value: forms[0] ?? "" });
    const since = subDays(clock.now(), KEPT_DAYS);
    const known = await db.transaction(ctx, (tx) => findKnown(ctx, tx, key, since));
    if (known !== null) return known;

    const connectionId = await db.transaction(ctx, (tx) =>
      pickConnection(ctx, tx, ctx.actor.userId),
    );
    for (const form of forms) {
      const { exists, number } = await ask(ctx, connectionId, form);
      if (!exists) continue;
      await db.transaction(ctx, (tx) => keep(ctx, tx, { key, number, now: clock.now() }));
      return number;
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

async function findKnown(ctx: Ctx, tx: Tx, key: string, since: Date): Promise<string | null> {
  const [row] = await tx.query<{ number: string }>(findStatement, [ctx.companyId, key, since]);
  return row?.number ?? null;
}

async function keep(
  ctx: Ctx,
  tx: Tx,
  { key, number, now }: { key: string; number: string; now: Date },
): Promise<void> {
  await tx.query(keepStatement, [ctx.companyId, key, number, now]);
}

const findStatement = {
  name: "contacts.known-number",
  text: "select number from known_numbers where company_id = $1 and key = $2 and checked_at > $3",
};

const keepStatement = {
  name: "contacts.keep-number",
  text: `
insert into known_numbers (company_id, key, number, checked_at) values ($1, $2, $3, $4)
on conflict (company_id, key) do update set number = excluded.number, checked_at = excluded.checked_at`,
};
