import type { ContactImport, ContactImportId, ErrorCode, ImportState } from "@balcao/contract";
import { and, eq, getTableColumns, isNull, sql } from "drizzle-orm";
import type { Ctx } from "../../platform/context.ts";
import { DomainError, requirePermission } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import type { Wake } from "../../platform/db/wake.ts";
import { hasId, requireRow, toIso, toIsoOrNull } from "../../platform/db/records.ts";
import { contactImports, users } from "../../platform/db/schema/index.ts";
import type { DomainEvents } from "../../platform/events.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { AddressedRealtime, Realtime } from "../../platform/realtime/hub.ts";
import { rooms } from "../../platform/realtime/hub.ts";
import type { Clock, IdSource } from "../../platform/sources.ts";
import type { MediaFiles } from "../media/index.ts";

export type ContactImportsDeps = {
  db: Database;
  wake: Wake;
  clock: Clock;
  ids: IdSource;
  log: Logger;
  realtime: Realtime & AddressedRealtime;
  domainEvents: DomainEvents;
  media: Pick<MediaFiles, "storeCustomerFile" | "withLocalFile" | "removeUnused" | "signedPath">;
  /** Rows that one transaction imports. */
  batchRows?: number;
};

/** The country of numbers without a country code, until somebody chooses another. */
export const COUNTRY = "BR";

/** Wakes the workers of imports. */
export const TOPIC = "contact-imports";

type StoredRow = typeof contactImports.$inferSelect;

/** An import with the name of who began it; null for a former user. */
export type ImportRecord = StoredRow & { userName: string | null };

const NO_IMPORT = "ERR_NO_IMPORT_FOUND";

export const importColumns = { ...getTableColumns(contactImports), userName: users.name };

export const ofUser = and(
  eq(users.companyId, contactImports.companyId),
  eq(users.id, contactImports.userId),
  isNull(users.deletedAt),
);

function selectImport(ctx: Ctx, tx: Tx, id: ContactImportId) {
  return tx.orm
    .select(importColumns)
    .from(contactImports)
    .leftJoin(users, ofUser)
    .where(hasId(ctx, contactImports, id));
}

/** Throws ERR_NO_IMPORT_FOUND, and ERR_NO_PERMISSION for an import into a list without the right to manage lists. */
export async function findImport(ctx: Ctx, tx: Tx, id: ContactImportId): Promise<ImportRecord> {
  return admitted(ctx, requireRow(await selectImport(ctx, tx, id), NO_IMPORT));
}

/** The same, for a change: the batch that runs now ends first, and no other begins. */
export async function lockImport(ctx: Ctx, tx: Tx, id: ContactImportId): Promise<ImportRecord> {
  const rows = await selectImport(ctx, tx, id).for("no key update", { of: contactImports });
  return admitted(ctx, requireRow(rows, NO_IMPORT));
}

/** The same for a worker; null when it is gone or, unless the worker waits, when another one has it. */
export async function seizeImport(
  ctx: Ctx,
  tx: Tx,
  id: ContactImportId,
  { waits }: { waits: boolean } = { waits: false },
): Promise<ImportRecord | null> {
  const of = waits ? { of: contactImports } : { of: contactImports, skipLocked: true as const };
  const [row] = await selectImport(ctx, tx, id).for("no key update", of);
  return row ?? null;
}

function admitted(ctx: Ctx, row: ImportRecord): ImportRecord {
  if (row.isAtOnce) throw new DomainError(NO_IMPORT);
  if (row.contactListId !== null) requirePermission(ctx, "contact-lists:manage");
  return row;
}

/** Throws ERR_IMPORT_STATE. */
export function requireState(row: ImportRecord, ...states: ImportState[]): void {
  if (!states.includes(row.state)) throw new DomainError("ERR_IMPORT_STATE");
}

/** Changes a locked import; answers it as it is then. */
export async function changeImport(
  { clock }: Pick<ContactImportsDeps, "clock">,
  ctx: Ctx,
  tx: Tx,
  row: ImportRecord,
  change: Partial<StoredRow>,
): Promise<ImportRecord> {
  const updatedAt = clock.now();
  await tx.orm
    .update(contactImports)
    .set({ ...change, updatedAt })
    .where(hasId(ctx, contactImports, row.id));
  return { ...row, ...change, updatedAt };
}

/**
 * Begins the import of the company that waits longest, unless one runs. Called whenever one begins to wait or ceases to
 * run. `row`: the caller's own, returned as it is afterwards.
 */
export async function beginNext(
  deps: Pick<ContactImportsDeps, "clock" | "realtime" | "wake">,
  ctx: Ctx,
  tx: Tx,
  row: ImportRecord,
): Promise<ImportRecord> {
  await tx.query(lockTurnsStatement, [ctx.companyId]);
  const values = [ctx.companyId, deps.clock.now()];
  const [begun] = await tx.query<{ id: ContactImportId }>(beginStatement, values);
  if (!begun) return row;
  deps.wake.notify(tx, TOPIC);
  const [other] = await selectImport(ctx, tx, begun.id);
  if (begun.id === row.id) return { ...row, state: "running" };
  if (other) tellImport(deps, tx, "update", other);
  return row;
}

const lockTurnsStatement = {
  name: "contact-imports.lock-turns",
  text: `
select pg_advisory_xact_lock(hashtextextended('contact imports ' || company_id, 4163))
from (values ($1::int)) as its(company_id)`,
};

const beginStatement = {
  name: "contact-imports.begin-next",
  text: `
update contact_imports i set state = 'running', due_at = $2
where i.company_id = $1 and i.id = (
    select w.id from contact_imports w
    where w.company_id = $1 and w.state = 'waiting' order by w.started_at, w.id limit 1)
  and not exists (
    select from contact_imports r where r.company_id = $1 and r.state = 'running' and not r.is_at_once)
returning i.id`,
};

/** An import as lists and events have it. */
export function toImport(row: ImportRecord): ContactImport {
  const { id, companyId, contactListId, fileName, fileBytes, state, errorCode, errorData } = row;
  const { rows, added, filled, kept, refused } = row;
  return {
    ...{ id, companyId, contactListId, fileName, fileBytes, state, errorCode, errorData },
    ...{ rows, done: added + filled + kept + refused, added, filled, kept, refused },
    user: { id: row.userName === null ? null : row.userId, name: row.userName ?? "" },
    createdAt: toIso(row.createdAt),
    startedAt: toIsoOrNull(row.startedAt),
    finishedAt: toIsoOrNull(row.finishedAt),
  };
}

/** Publishes an import on commit; one into a list to those who manage lists. */
export function tellImport(
  { realtime }: Pick<ContactImportsDeps, "realtime">,
  tx: Tx,
  action: "create" | "update",
  row: ImportRecord,
): void {
  if (row.isAtOnce) return;
  tx.onCommit(() =>
    realtime.publish(
      row.companyId,
      "contactImport",
      { action, record: toImport(row) },
      roomsOf(row),
    ),
  );
}

export const roomsOf = ({ companyId, contactListId }: ImportRecord) => [
  contactListId === null ? rooms.main(companyId) : rooms.holders(companyId, "contact-lists:manage"),
];

/** The stored reason of an unreadable file, or of an import that ended by itself, as an error. */
export const faultOf = (row: ImportRecord): DomainError =>
  new DomainError((row.errorCode ?? "ERR_INTERNAL") as ErrorCode, row.errorData ?? undefined); // as it was stored

/** Removes imports that nobody needs any more, with their rows: finished ones after 30 days, others that nobody goes on with after 3. */
export async function sweepImportsAcrossCompanies(
  db: Database,
  signal: AbortSignal,
): Promise<void> {
  for (let count = 1; count > 0;) {
    signal.throwIfAborted();
    count = await db.acrossCompanies(async (tx) => {
      const rows = await tx.query(sql`
        delete from contact_imports where id in (
          select id from contact_imports
          where updated_at < now() - interval '3 days' and due_at is null
            and (state in ('draft', 'unreadable') or is_at_once or updated_at < now() - interval '30 days')
          limit 2)
        returning id`);
      return rows.length;
    });
  }
}
