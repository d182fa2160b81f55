import type { CompanyId } from "@balcao/contract";
import { sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { Ctx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import { requireRow } from "../../platform/db/records.ts";
import type { CompanyTable, ForeignKeys } from "../../platform/db/references.ts";
import { companyTables, foreignKeysStatement } from "../../platform/db/references.ts";
import { auditEntries } from "../../platform/db/schema/index.ts";
import type { MediaStore } from "../../platform/media/media-store.ts";

export type DeletingDeps = {
  db: Database;
  /** Connections of a company start or stop with the transaction. */
  connectionsChanged(tx: Tx): void;
  /** The tables of the channels. */
  channelTables: readonly PgTable[];
  /** The folders with files of companies. */
  stores: readonly Pick<MediaStore, "removeCompany">[];
};

/** The longest waits: for a process that stops the connections, and for the phones to be told. */
const OWNER_MS = 1_500;
const UNLINK_MS = 8_000;
const LOOK_MS = 50;
/** Rows that one transaction deletes: far below the time limit of a statement. */
const PORTION = 2_000;

/**
 * Deletes a company (behaviour 9.1). It is suspended first and its connections are unlinked; then its rows go in portions, and
 * the last transaction removes what was written meanwhile. Cut off in between, it stays suspended and can be deleted again.
 */
export async function deleteCompanyAcrossCompanies(
  deps: DeletingDeps,
  by: Ctx,
  id: CompanyId,
): Promise<void> {
  const { db, stores } = deps;
  const foreignKeys = await db.readAcrossCompanies<ForeignKeys>(foreignKeysStatement, []);
  const tables = companyTables(foreignKeys, deps.channelTables);
  await db.acrossCompanies((tx) => suspend(deps, tx, id), by);
  await waitForConnections(db, id);
  for (const table of tables) {
    const work = async (tx: Tx): Promise<number> => {
      await useIndexes(tx);
      return deletePortion(tx, table, id);
    };
    while ((await db.acrossCompanies(work)) === PORTION);
  }
  for (const store of stores) await store.removeCompany({ companyId: id });
  await db.acrossCompanies(async (tx) => {
    await useIndexes(tx);
    // New rows wait for this lock, and then find no company.
    await tx.query(sql`select from companies where id = ${id} for update`);
    // Let in again meanwhile: its sockets end now.
    await tx.query(sql`update companies set status = false where id = ${id} and status`);
    // Triggers note some deletions in tables that were emptied before.
    let isEmpty = false;
    while (!isEmpty) {
      isEmpty = true;
      for (const table of tables) {
        if ((await deletePortion(tx, table, id)) > 0) isEmpty = false;
      }
    }
    await tx.query(sql`delete from companies where id = ${id}`);
  }, by);
  // For a file that was being written when the company went; one that comes even later is swept.
  for (const store of stores) await store.removeCompany({ companyId: id });
}

/** With the commit its users are signed out (by a trigger), and its connections stop and are unlinked from their phones. */
async function suspend({ connectionsChanged }: DeletingDeps, tx: Tx, id: CompanyId): Promise<void> {
  const found = await tx.query<{ isProvider: boolean }>(
    sql`
      select exists (select from users where company_id = ${id} and super and deleted_at is null) as "isProvider"
      from companies where id = ${id} for no key update`,
  );
  if (requireRow(found, "ERR_NO_COMPANY_FOUND").isProvider) {
    throw new DomainError("ERR_COMPANY_IS_PROVIDER");
  }
  await tx.query(sql`
    update companies set status = false, unpaid = false, updated_at = now() where id = ${id}`);
  await tx.query(sql`
    update connections set wanted = false, unlink_requested = true, start_generation = start_generation + 1, updated_at = now()
    where company_id = ${id} and deleted_at is null`);
  connectionsChanged(tx);
}

/** A phone that cannot be reached now still lists the device. */
async function waitForConnections(db: Database, id: CompanyId): Promise<void> {
  const beganMs = performance.now();
  for (;;) {
    const [waiting] = await db.readAcrossCompanies<{ isOwned: boolean }>(runningStatement, [id]);
    const patienceMs = waiting?.isOwned ? UNLINK_MS : OWNER_MS;
    if (!waiting || performance.now() - beganMs > patienceMs) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** Connections that a process has, or that are still to be unlinked; those with an owner first. */
const runningStatement = {
  name: "companies.running-connections",
  text: `
select coalesce(l.expires_at > now(), false) as "isOwned"
from connections w left join connection_leases l on l.connection_id = w.id
where w.company_id = $1 and w.deleted_at is null and (w.unlink_requested or l.expires_at > now())
order by 1 desc limit 1`,
};

/** Deletes one portion of a company's rows of a table; returns how many those were. */
async function deletePortion(
  tx: Tx,
  { table, companyColumn }: CompanyTable,
  id: CompanyId,
): Promise<number> {
  // Its roles cannot delete from this table.
  if (table === auditEntries) {
    const dropped = sql`select drop_audit(${id}, ${PORTION}) as count`;
    const [{ count } = { count: 0 }] = await tx.query<{ count: number }>(dropped);
    return count;
  }
  const portion = sql`select ctid from ${table} where ${companyColumn} = ${id} limit ${PORTION}`;
  const { rowCount } = await tx.orm.delete(table).where(sql`ctid = any (array(${portion}))`);
  return rowCount ?? 0;
}

/** Deleted rows stay in a table for a while: only an index skips them. */
async function useIndexes(tx: Tx): Promise<void> {
  await tx.query(sql`select set_config('enable_seqscan', 'off', true)`);
}
