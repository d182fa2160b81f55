import { createHash, randomBytes } from "node:crypto";
import type {
  ApiScope,
  ApiToken,
  ApiTokenId,
  CompanyId,
  ConnectionId,
  NewApiToken,
  PlanFlags,
  ResultOf,
  UserId,
} from "@balcao/contract";
import { apiScopes, apiTokenPrefixes, limits, permissionsOfProfile } from "@balcao/contract";
import { count, eq } from "drizzle-orm";
import type {
  Authenticator,
  Ctx,
  ReadToken,
  TokenReaders,
  UserCtx,
} from "../../platform/context.ts";
import { DomainError, requireHeld, systemCtx } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import { hasId, requireRow, toIso, toIsoOrNull } from "../../platform/db/records.ts";
import { apiTokens } from "../../platform/db/schema/index.ts";
import type { Clock } from "../../platform/sources.ts";
import { planFlagColumns, subscriptionState } from "../auth/index.ts";
import type { CallLog } from "./calls.ts";

export type TokensDeps = { db: Database; clock: Clock; calls: Pick<CallLog, "flush"> };

/** Characters of a token after its beginning: 32 random bytes in base 62. */
const SECRET_LENGTH = 43;
const SHOWN_LENGTH = 4;
const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** A token, which its 256 random bits make impossible to guess; so a plain hash is enough to keep. */
function newToken(prefix: string): string {
  let rest = BigInt(`0x${randomBytes(32).toString("hex")}`);
  let text = "";
  while (text.length < SECRET_LENGTH) {
    text = `${DIGITS[Number(rest % 62n)] ?? ""}${text}`;
    rest /= 62n;
  }
  return prefix + text;
}

/** What is kept of a token. */
export const hashOfToken = (token: string): string =>
  createHash("sha256").update(token).digest("hex");

/** The tokens of the company, and the connections that have one. */
export async function listTokens(
  { db, calls }: TokensDeps,
  ctx: UserCtx,
): Promise<ResultOf<"GET /api-tokens">> {
  await calls.flush();
  return db.transaction(ctx, async (tx) => {
    const rows = await tx.query<TokenRow>(listStatement, [ctx.companyId]);
    const connections = await tx.query<ConnectionRow>(connectionsStatement, [ctx.companyId]);
    return {
      tokens: rows.map(toApiToken),
      connections: connections.map((row) => ({ ...row, lastUsedAt: toIsoOrNull(row.lastUsedAt) })),
    };
  });
}

/** A new token of the company, or a personal one of the caller. Only this reply has the token itself. */
export async function createToken(
  { db, clock }: TokensDeps,
  ctx: UserCtx,
  { name, kind, scopes }: NewApiToken,
): Promise<ResultOf<"POST /api-tokens">> {
  // Such a token acts as the company itself, whatever the caller may see.
  if (kind === "company") requireHeld(ctx, permissionsOfProfile("admin"));
  const token = newToken(apiTokenPrefixes[kind]);
  return db.transaction(ctx, async (tx) => {
    // One at a time, so that the limit holds.
    await tx.query(lockStatement, [ctx.companyId]);
    const [all] = await tx.orm
      .select({ count: count() })
      .from(apiTokens)
      .where(eq(apiTokens.companyId, ctx.companyId));
    const max = limits.apiTokensMax;
    if ((all?.count ?? 0) >= max) throw new DomainError("ERR_API_TOKEN_LIMIT", { max });
    const { userId } = ctx.actor;
    const rows = await tx.orm
      .insert(apiTokens)
      .values({
        ...{ companyId: ctx.companyId, name, scopes, createdBy: userId, createdAt: clock.now() },
        userId: kind === "user" ? userId : null,
        hash: hashOfToken(token),
        end: token.slice(-SHOWN_LENGTH),
      })
      .returning({ id: apiTokens.id });
    return { ...(await findToken(ctx, tx, requireRow(rows).id)), token };
  });
}

/** The token is worth nothing from now on. */
export async function revokeToken({ db }: TokensDeps, ctx: UserCtx, id: ApiTokenId): Promise<void> {
  await db.transaction(ctx, async (tx) => {
    const rows = await tx.orm
      .delete(apiTokens)
      .where(hasId(ctx, apiTokens, id))
      .returning();
    requireRow(rows, "ERR_NO_API_TOKEN_FOUND");
  });
}

async function findToken(ctx: Ctx, tx: Tx, id: ApiTokenId): Promise<ApiToken> {
  const rows = await tx.query<TokenRow>(listStatement, [ctx.companyId]);
  return toApiToken(
    requireRow(
      rows.filter((row) => row.id === id),
      "ERR_NO_API_TOKEN_FOUND",
    ),
  );
}

function toApiToken(row: TokenRow): ApiToken {
  const { id, name, end, userId, userName, createdBy, createdByName } = row;
  return {
    ...{ id, name, end, scopes: knownScopes(row.scopes) },
    kind: userId === null ? "company" : "user",
    user: userId === null ? null : { id: userId, name: userName ?? "" },
    lastUsedAt: toIsoOrNull(row.lastUsedAt),
    lastUsedFrom: row.lastUsedFrom,
    createdBy: createdBy === null ? null : { id: createdBy, name: createdByName ?? "" },
    createdAt: toIso(row.createdAt),
  };
}

/** Scopes of a later version are none. */
const knownScopes = (scopes: readonly string[]): ApiScope[] =>
  apiScopes.filter((scope) => scopes.includes(scope));

type ReaderDeps = {
  db: Database;
  clock: Clock;
  authenticator: Pick<Authenticator, "reload">;
};

/** The company of a token, and whether it may work. */
type HolderRow = PlanFlags & {
  companyId: CompanyId;
  companyStatus: boolean;
  unpaid: boolean;
  dueDate: Date | null;
};
type TokenHolderRow = HolderRow & {
  id: ApiTokenId;
  userId: UserId | null;
  name: string;
  scopes: string[];
};
type ConnectionHolderRow = HolderRow & { connectionId: ConnectionId; name: string };

/**
 * The readers of both kinds of tokens. They ask the database each time, so that a revoked token, a demoted owner and a
 * suspended company count from the next call on.
 */
export function createTokenReaders({ db, clock, authenticator }: ReaderDeps) {
  function requireWorking({ companyStatus, unpaid, dueDate }: HolderRow): void {
    const company = { super: false, companyStatus, unpaid, dueDate };
    if (subscriptionState(company, clock.now()) === "active") return;
    throw new DomainError("ERR_NO_PERMISSION");
  }

  const connectionToken: ReadToken = async (given, requestId) => {
    const [row] = await db.readAcrossCompanies<ConnectionHolderRow>(byConnectionToken, [given]);
    if (!row) return null;
    requireWorking(row);
    const { companyId, connectionId, name } = row;
    const ctx = systemCtx(companyId, "api", requestId);
    const token = { id: null, connectionId, name, scopes: null };
    return { ctx: { ...ctx, token }, plan: row };
  };

  const apiToken: ReadToken = async (token, requestId) => {
    const isOurs = Object.values(apiTokenPrefixes).some((prefix) => token.startsWith(prefix));
    if (!isOurs) return null;
    const values = [hashOfToken(token)];
    const [row] = await db.readAcrossCompanies<TokenHolderRow>(byTokenHash, values);
    if (!row) return null;
    requireWorking(row);
    const { companyId, userId, id, name } = row;
    const ctx =
      userId === null
        ? systemCtx(companyId, "api", requestId)
        : await authenticator.reload(companyId, userId, requestId);
    if (ctx === null) return null;
    const scopes = knownScopes(row.scopes);
    return { ctx: { ...ctx, token: { id, connectionId: null, name, scopes } }, plan: row };
  };

  return { connectionToken, apiToken } satisfies TokenReaders;
}

type TokenRow = {
  id: ApiTokenId;
  name: string;
  end: string;
  scopes: string[];
  userId: UserId | null;
  userName: string | null;
  lastUsedAt: Date | null;
  lastUsedFrom: string | null;
  createdBy: UserId | null;
  createdByName: string | null;
  createdAt: Date;
};
type ConnectionRow = {
  connectionId: ConnectionId;
  name: string;
  end: string;
  lastUsedAt: Date | null;
};

const listStatement = {
  name: "api.tokens",
  text: `
select t.id, t.name, t."end", t.scopes, t.user_id as "userId", u.name as "userName", t.last_used_at as "lastUsedAt",
  t.last_used_from as "lastUsedFrom", t.created_by as "createdBy", m.name as "createdByName", t.created_at as "createdAt"
from api_tokens t
left join users u on u.company_id = t.company_id and u.id = t.user_id
left join users m on m.company_id = t.company_id and m.id = t.created_by
where t.company_id = $1
order by t.id desc`,
};

const connectionsStatement = {
  name: "api.connection-tokens",
  text: `
select w.id as "connectionId", w.name, right(w.token, ${SHOWN_LENGTH}) as "end",
  (select c.created_at from api_calls c where c.company_id = w.company_id and c.connection_id = w.id
    order by c.id desc nulls last limit 1) as "lastUsedAt"
from connections w
where w.company_id = $1 and w.token <> '' and w.deleted_at is null
order by w.name, w.id`,
};

const lockStatement = {
  name: "api.lock-tokens",
  text: `
select pg_advisory_xact_lock(hashtextextended('api tokens ' || o.company_id, 6203)) from (select $1::int as company_id) o`,
};

const holderColumns = `c.id as "companyId", c.status as "companyStatus", c.unpaid, c.due_date as "dueDate", ${planFlagColumns}`;

const byConnectionToken = {
  name: "api.by-connection-token",
  text: `
select w.id as "connectionId", w.name, ${holderColumns}
from connections w
join companies c on c.id = w.company_id
join plans p on p.id = c.plan_id
where w.token = $1 and w.token <> '' and w.deleted_at is null`,
};

const byTokenHash = {
  name: "api.by-token-hash",
  text: `
select t.id, t.user_id as "userId", t.name, t.scopes, ${holderColumns}
from api_tokens t
join companies c on c.id = t.company_id
join plans p on p.id = c.plan_id
where t.hash = $1`,
};
