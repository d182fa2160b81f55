import type { CompanyId, UserId } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { DomainError } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { StoredSession } from "./refresh-rule.ts";

type Owner = { companyId: CompanyId; userId: UserId };

/** A new session of the account: every earlier token is void from here on. Answers its token version. */
export async function startSession(
  tx: Tx,
  { companyId, userId }: Owner,
  now: Date,
): Promise<number> {
  const [row] = await tx.query<{ tokenVersion: number }>(sql`
    update users set token_version = token_version + 1, refresh_generation = 0, refreshed_at = ${now}
    where company_id = ${companyId} and id = ${userId} and deleted_at is null
    returning token_version as "tokenVersion"`);
  if (!row) throw new DomainError("ERR_NO_USER_FOUND");
  return row.tokenVersion;
}

/** Ends the session of this token version; answers whether it was still running. */
export async function endSession(
  tx: Tx,
  { companyId, userId }: Owner,
  tokenVersion: number,
): Promise<boolean> {
  const rows = await tx.query(sql`
    update users set token_version = token_version + 1
    where company_id = ${companyId} and id = ${userId} and token_version = ${tokenVersion}
    returning id`);
  return rows.length > 0;
}

/** The session as stored; locked, so that refreshes side by side are judged one after the other. */
export async function lockSession(
  tx: Tx,
  { companyId, userId }: Owner,
): Promise<StoredSession | undefined> {
  const [row] = await tx.query<StoredSession>(sql`
    select token_version as "tokenVersion", refresh_generation as "refreshGeneration", refreshed_at as "refreshedAt"
    from users where company_id = ${companyId} and id = ${userId} and deleted_at is null for update`);
  return row;
}

export async function rotateSession(
  tx: Tx,
  { companyId, userId }: Owner,
  now: Date,
): Promise<void> {
  await tx.query(sql`
    update users set refresh_generation = refresh_generation + 1, refreshed_at = ${now}
    where company_id = ${companyId} and id = ${userId}`);
}
