import { createHash } from "node:crypto";
import { subMinutes } from "date-fns/subMinutes";
import type { TokenCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { Clock } from "../../platform/sources.ts";

type RepeatDeps = { db: Database; clock: Clock };

/** A request that a program may repeat. Without a key each request counts for itself. */
export type Repeatable = {
  key: string | null;
  /** The call, and everything that the request says. */
  call: string;
  said: unknown;
};

/** Stores the reply in the transaction that does the work, so that both are there or none. */
export type KeepReply<Reply> = (tx: Tx, reply: Reply) => Promise<void>;

/** A request that has not ended by then died with its process. */
const RUNS_MINUTES = 10;

/**
 * Does the work of a request once for each key of a token: a repeated request gets the first one's reply. Throws
 * ERR_IDEMPOTENCY_KEY_REUSED for another request with the key, and ERR_IDEMPOTENCY_RUNNING while the first one runs. A refused
 * request keeps nothing and may be repeated. `read` parses what an earlier version may have stored.
 */
export async function once<Reply>(
  { db, clock }: RepeatDeps,
  ctx: TokenCtx,
  { key, call, said }: Repeatable,
  read: (stored: unknown) => Reply,
  work: (keep: KeepReply<Reply>) => Promise<Reply>,
): Promise<Reply> {
  if (key === null) return work(async () => undefined);
  const caller = callerOf(ctx);
  const request = createHash("sha256")
    .update(JSON.stringify([call, said]))
    .digest("hex");
  const now = clock.now();
  const claimed = [ctx.companyId, caller, key, request, now, subMinutes(now, RUNS_MINUTES)];
  const stored = await db.transaction(ctx, async (tx) => {
    const [own] = await tx.query(claimStatement, claimed);
    if (own) return null;
    const [row] = await tx.query<StoredRow>(readStatement, [ctx.companyId, caller, key]);
    return row ?? { request, status: null, reply: null };
  });
  if (stored !== null) {
    if (stored.request !== request) throw new DomainError("ERR_IDEMPOTENCY_KEY_REUSED");
    if (stored.status === null) throw new DomainError("ERR_IDEMPOTENCY_RUNNING");
    return read(stored.reply);
  }

  const own = [ctx.companyId, caller, key, now];
  try {
    return await work(async (tx, reply) => {
      const kept = await tx.query(keepStatement, [...own, JSON.stringify(reply)]);
      // Another request has taken the key over, because this one took too long: it must not do the work as well.
      if (kept.length === 0) throw new DomainError("ERR_IDEMPOTENCY_RUNNING");
    });
  } catch (error) {
    await db.transaction(ctx, (tx) => tx.query(forgetStatement, own));
    throw error;
  }
}

const callerOf = ({ token: { id, connectionId } }: TokenCtx): string =>
  id === null ? `connection ${connectionId}` : `token ${id}`;

type StoredRow = { request: string; status: number | null; reply: unknown };

const claimStatement = {
  name: "api.claim-repeat",
  text: `
insert into api_repeats as r (company_id, caller, key, request, created_at)
values ($1, $2, $3, $4, $5)
on conflict (company_id, caller, key) do update set request = excluded.request, created_at = excluded.created_at
  where r.status is null and r.created_at < $6
returning 1 as own`,
};

const readStatement = {
  name: "api.read-repeat",
  text: `select request, status::int as status, reply from api_repeats where company_id = $1 and caller = $2 and key = $3`,
};

const keepStatement = {
  name: "api.keep-repeat",
  text: `
update api_repeats set status = 200, reply = $5::jsonb
where company_id = $1 and caller = $2 and key = $3 and created_at = $4 and status is null
returning 1 as kept`,
};

const forgetStatement = {
  name: "api.forget-repeat",
  text: `
delete from api_repeats
where company_id = $1 and caller = $2 and key = $3 and created_at = $4 and status is null`,
};
