import type { ErrorCode, RolePermission } from "@balcao/contract";
import { limits, permissionsOfProfile, profiles } from "@balcao/contract";
import { subSeconds } from "date-fns/subSeconds";
import type { SQL } from "drizzle-orm";
import { and, eq, getTableColumns, gt, inArray, isNull, lt, sql } from "drizzle-orm";
import type { PgColumn, PgTable } from "drizzle-orm/pg-core";
import type { Ctx, UserCtx } from "../context.ts";
import { DomainError } from "../context.ts";
import type { Tx } from "./database.ts";
import { tablesOf } from "./references.ts";
import * as schema from "./schema/index.ts";

type Scope = Pick<Ctx, "companyId">;

/** A table whose rows belong to a company and have an id. */
type RecordTable = PgTable & { id: PgColumn; companyId: PgColumn; deletedAt?: PgColumn };

/** Condition: the company's row with this id, unless it was deleted. Another company's id finds nothing. */
export function hasId(ctx: Scope, table: RecordTable, id: number): SQL {
  return isLiving(ctx, table, eq(table.id, id));
}

function isLiving({ companyId }: Scope, table: RecordTable, which: SQL): SQL {
  const isThere = table.deletedAt ? sql` and ${isNull(table.deletedAt)}` : sql.empty();
  return sql`(${eq(table.companyId, companyId)} and ${which}${isThere})`;
}

/** Condition: the column contains the text, without regard to case and accents; no condition for an empty text. */
export function contains(column: PgColumn, text: string): SQL | undefined {
  return text === "" ? undefined : sql`position(f_norm(${text}) in f_norm(${column})) > 0`;
}

/** The first of the rows. Without one it throws the code; without a code too, there must be one. */
export function requireRow<Row>(rows: readonly Row[], code?: ErrorCode): Row {
  const [row] = rows;
  if (row !== undefined) return row;
  throw code ? new DomainError(code) : new Error("the statement returned no row");
}

/** The time zone of the company (IANA name). */
export async function timeZoneOf({ companyId }: Scope, { orm }: Tx): Promise<string> {
  const rows = await orm
    .select({ timeZone: schema.companies.timeZone })
    .from(schema.companies)
    .where(eq(schema.companies.id, companyId));
  return requireRow(rows).timeZone;
}

type ReadRecord = <T extends RecordTable>(
  ctx: Scope,
  tx: Tx,
  table: T,
  id: number,
  code: ErrorCode,
) => Promise<T["$inferSelect"]>;

/** Reads the company's row with this id; throws the code when there is none. */
export const findRecord: ReadRecord = async (ctx, tx, table, id, code) =>
  requireRow(await withId(ctx, tx, table, id), code);

/** The same for a change: nobody else changes or deletes the row until the transaction ends. */
export const lockRecord: ReadRecord = async (ctx, tx, table, id, code) =>
  requireRow(await withId(ctx, tx, table, id).for("no key update"), code);

function withId(ctx: Scope, { orm }: Tx, table: RecordTable, id: number) {
  return orm
    .select()
    .from(table)
    .where(hasId(ctx, table, id));
}

/** A table whose rows also say who deleted them: that user can undo it for some seconds, then a sweep removes the row. */
type UndoTable = RecordTable & { deletedAt: PgColumn; deletedBy: PgColumn };

/** Hides the company's row: it counts as deleted, and what refers to it stays until the caller can undo it no longer. */
export async function hideRecord(
  ctx: UserCtx,
  tx: Tx,
  table: UndoTable,
  id: number,
  now: Date,
): Promise<void> {
  await tx.orm
    .update(table)
    .set({ deletedAt: now, deletedBy: ctx.actor.userId })
    .where(hasId(ctx, table, id));
}

/** Undoes the caller's own `hideRecord` and returns the row; throws ERR_UNDO_OVER when the time for that is over. */
export async function restoreRecord<T extends UndoTable>(
  ctx: UserCtx,
  tx: Tx,
  table: T,
  id: number,
  now: Date,
): Promise<T["$inferSelect"]> {
  const from: UndoTable = table;
  const isOverAt = subSeconds(now, limits.undoSecondsMax);
  const hidden = and(
    ...[eq(from.companyId, ctx.companyId), eq(from.id, id)],
    ...[eq(from.deletedBy, ctx.actor.userId), gt(from.deletedAt, isOverAt)],
  );
  const shown = { deletedAt: null, deletedBy: null };
  const rows = await tx.orm.update(from).set(shown).where(hidden).returning();
  return requireRow(rows, "ERR_UNDO_OVER");
}

/** Removes the hidden rows of all tables and companies whose deletion can no longer be undone. */
export async function sweepHiddenAcrossCompanies({ orm }: Tx): Promise<void> {
  for (const table of tablesOf(schema)) {
    const { deletedAt, deletedBy } = getTableColumns(table);
    if (!deletedAt || !deletedBy) continue;
    await orm.delete(table).where(lt(deletedAt, sql`now() - interval '1 minute'`));
  }
}

/** As a column of a list: how many rows it has on all its pages. */
export const listTotal = sql<number>`count(*) over ()`;

/** One page of a list that has the column `total`: `listTotal`. */
export async function readPage<Row extends { total: number }>(
  pageNumber: number,
  size: number,
  read: (limit: number, offset: number) => PromiseLike<Row[]>,
): Promise<{ rows: Row[]; count: number; hasMore: boolean }> {
  const offset = (pageNumber - 1) * size;
  const rows = await read(size, offset);
  // A page beyond the end has no rows with the total, so the first row is read.
  const [first] = rows.length > 0 || offset === 0 ? rows : await read(1, 0);
  const count = first?.total ?? 0;
  return { rows, count, hasMore: count > offset + rows.length && rows.length > 0 };
}

const ROWS_READ_AT_ONCE = 1_000;

/**
 * A list that is sent as a whole, in pages: each is read after the last row of the page before, in a transaction of its own, so
 * that a list of any length takes the memory of a page. `toWire` makes a row what is sent.
 */
export async function* readWhole<Row, Wire>(
  read: (limit: number, last: Row | undefined) => PromiseLike<Row[]>,
  toWire: (row: Row) => Wire,
): AsyncGenerator<Wire[]> {
  let last: Row | undefined;
  do {
    const rows = await read(ROWS_READ_AT_ONCE, last);
    yield rows.map(toWire);
    last = rows.length < ROWS_READ_AT_ONCE ? undefined : rows.at(-1);
  } while (last !== undefined);
}

/**
 * Checks ids that a request refers to: returns the rows with these ids, in their order; throws the code when the
 * company lacks one of them or has deleted it. The rows cannot be deleted until the transaction ends.
 */
export async function holdReferences<T extends RecordTable>(
  ctx: Scope,
  tx: Tx,
  table: T,
  ids: readonly number[],
  code: ErrorCode,
): Promise<T["$inferSelect"][]> {
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return [];
  const from: RecordTable = table;
  const rows = await tx.orm
    .select()
    .from(from)
    .where(isLiving(ctx, from, inArray(from.id, wanted)))
    .orderBy(from.id)
    .for("key share");
  if (rows.length < wanted.length) throw new DomainError(code);
  return rows;
}

/** For `catch`: throws the code of the unique key that a statement violated, and every other error as it is. */
export function refuseDuplicates(codes: Record<string, ErrorCode>): (error: unknown) => never {
  return (error) => {
    const code = codes[violatedKey(error) ?? ""];
    throw code ? new DomainError(code) : error;
  };
}

function violatedKey(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if ("code" in error && error.code === "23505" && "constraint" in error) {
    return String(error.constraint);
  }
  return violatedKey(error.cause);
}

/** The columns of a table for hand-written SQL, named as its properties: the rows are `$inferSelect`. */
export function columnsOf(table: PgTable, alias: string): string {
  const columns = Object.entries(getTableColumns(table));
  return columns.map(([key, { name }]) => `${alias}.${name} as "${key}"`).join(", ");
}

/** The dates of a row on the wire. */
export function wireDates(row: { createdAt: Date; updatedAt: Date }) {
  return { createdAt: toIso(row.createdAt), updatedAt: toIso(row.updatedAt) };
}

const { listCountMax } = limits;

/**
 * An SQL expression that counts the rows of all lists, each given as `from … where …`, up to `max`: nobody reads a larger
 * count than `listCountMax`, and it would cost more than the page (ADR 18).
 */
export function cappedCount(lists: readonly string[], max = listCountMax + 1): string {
  const counts = lists.map((list) => `(select count(*)::int from (select ${list} limit ${max}) n)`);
  return `least(${counts.join(" + ")}, ${max})`;
}

/**
 * The count and `hasMore` of a page. Beyond `listCountMax` the count is a lower bound that exceeds the rows read while there
 * are more: clients that compare the two continue to the end.
 */
export function pageTotals(
  counted: number,
  page: { offset: number; rows: number; hasMore: boolean },
): { count: number; hasMore: boolean } {
  const { offset, rows, hasMore } = page;
  if (counted <= listCountMax) return { count: counted, hasMore };
  // A page beyond the end says nothing about the rows before it.
  const read = rows === 0 ? 0 : offset + rows + (hasMore ? 1 : 0);
  return { count: Math.max(listCountMax, read), hasMore };
}

/**
 * SQL condition: the row `user` of users holds the permission by profile and role, whatever the plan is. `isAllowed` is the
 * same for the caller.
 */
export function holds(user: string, permission: RolePermission): string {
  const holding = profiles.filter((one) => permissionsOfProfile(one).includes(permission));
  const byProfile = `${user}.profile in ('${holding.join("', '")}')`;
  return `case when ${user}.role_id is null then ${byProfile} else exists (
    select from roles r where r.company_id = ${user}.company_id and r.id = ${user}.role_id
      and ('${permission}' = any (r.granted) or (${byProfile} and '${permission}' <> all (r.withheld)))) end`;
}

/** A timestamp on the wire: ISO 8601 UTC with milliseconds. */
export function toIso(moment: Date): string {
  return moment.toISOString();
}

/** The same in SQL, for a timestamp inside JSON. */
export const isoText = (moment: string): string =>
  `to_char(${moment} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Like `toIso`, null for null. */
export function toIsoOrNull(moment: Date | null): string | null {
  return moment === null ? null : moment.toISOString();
}

/**
 * Statement text that gives a row exactly these queues, in one round trip: `$1` company, `$2` the row's id, `$3` the
 * queues' ids.
 */
export const setQueuesText = (table: string, owner: string): string => `
with gone as (
  delete from ${table}
  where company_id = $1 and ${owner} = $2 and queue_id <> all ($3::int[])
)
insert into ${table} (company_id, ${owner}, queue_id)
select $1, $2, queue_id from unnest($3::int[]) as queue_id
on conflict do nothing`;
