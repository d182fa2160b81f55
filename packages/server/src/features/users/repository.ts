import type { CompanyId, UserId } from "@balcao/contract";
import { sql } from "drizzle-orm";
import type { Tx } from "../../platform/db/database.ts";

/** Writes a sign of life unless one is younger than `staleSince`; answers whether the user was offline before. */
export async function markOnline(
  tx: Tx,
  companyId: CompanyId,
  userId: UserId,
  { now, staleSince }: { now: Date; staleSince: Date },
): Promise<boolean> {
  const [row] = await tx.query<{ wasOnline: boolean }>(sql`
    update users u set online = true, last_seen_at = ${now}
    from (select id, online from users where company_id = ${companyId} and id = ${userId} and deleted_at is null for update) old
    where u.company_id = ${companyId} and u.id = old.id
      and (not old.online or u.last_seen_at is null or u.last_seen_at < ${staleSince})
    returning old.online as "wasOnline"`);
  return row !== undefined && !row.wasOnline;
}

/** Answers whether the user was online before. */
export async function markOffline(tx: Tx, companyId: CompanyId, userId: UserId): Promise<boolean> {
  const rows = await tx.query(sql`
    update users set online = false where company_id = ${companyId} and id = ${userId} and online returning id`);
  return rows.length > 0;
}

/** Users of all companies who were online without a sign of life since `silentSince`. */
export async function markSilentOfflineAcrossCompanies(
  tx: Tx,
  silentSince: Date,
): Promise<{ companyId: CompanyId; userId: UserId }[]> {
  return tx.query<{ companyId: CompanyId; userId: UserId }>(sql`
    update users set online = false
    where online and (last_seen_at is null or last_seen_at < ${silentSince})
    returning company_id as "companyId", id as "userId"`);
}
