import { and, eq, getTableColumns, getTableName, is } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { getTableConfig, PgTable } from "drizzle-orm/pg-core";
import type { Ctx } from "../context.ts";
import type { PreparedStatement, Tx } from "./database.ts";
import type { OnMerge, OnRemove, Reference } from "./schema/columns.ts";
import { referenceOf } from "./schema/columns.ts";
import { companies, files } from "./schema/companies.ts";
import * as schema from "./schema/index.ts";

// Deletions and merges read from the schema which rows refer to a row, and what becomes of them (`schema/columns.ts`).

type Removable = Extract<Reference, { onRemove: OnRemove }>["to"];
type Mergeable = Extract<Reference, { onMerge: OnMerge }>["to"];

/** The tables that a module exports. */
export const tablesOf = (module: object): PgTable[] =>
  Object.values(module).filter((value): value is PgTable => is(value, PgTable));

const platformTables = tablesOf(schema);

type Referring = { table: PgTable; key: string; column: PgColumn; reference: Reference };

/** Every column that refers to a user, queue, connection, contact or ticket. */
export function referringColumns(tables: readonly PgTable[] = platformTables): Referring[] {
  return tables.flatMap((table) =>
    Object.entries(getTableColumns(table)).flatMap(([key, column]) => {
      const reference = referenceOf(column);
      return reference ? [{ table, key, column, reference }] : [];
    }),
  );
}

/** Deletes or clears what refers to a row that is about to be marked as deleted; one statement a column. */
export async function removeReferring(
  { companyId }: Pick<Ctx, "companyId">,
  { orm }: Tx,
  to: Removable,
  id: number,
  tables: readonly PgTable[] = platformTables,
): Promise<void> {
  for (const { table, key, column, reference } of referringColumns(tables)) {
    if (reference.to !== to) continue;
    const { onRemove } = reference;
    const rows = and(eq(companyColumn(table), companyId), eq(column, id));
    if (onRemove === "delete") await orm.delete(table).where(rows);
    if (onRemove === "clear")
      await orm
        .update(table)
        .set({ [key]: null })
        .where(rows);
    if (typeof onRemove === "object")
      await orm.delete(table).where(and(rows, onRemove.deleteWhere));
  }
}

function companyColumn(table: PgTable): PgColumn {
  const { companyId } = getTableColumns(table);
  if (!companyId) throw new Error(`${getTableName(table)} belongs to no company`);
  return companyId;
}

/** Rows that one statement moves: far below the time limit of a statement. */
export const ROWS_AT_ONCE = 5_000;

/**
 * The statements that move what refers to one row to another, in one company. Values: company, row that goes, row that stays.
 * A portion is to be repeated until it returns fewer than `ROWS_AT_ONCE` rows.
 */
export type MoveStatements = { together: PreparedStatement; portions: PreparedStatement[] };

export function moveStatements(
  to: Mergeable,
  tables: readonly PgTable[] = platformTables,
): MoveStatements {
  const updates: string[] = [];
  const portions: PreparedStatement[] = [];
  for (const { table, column, reference } of referringColumns(tables)) {
    if (reference.to !== to) continue;
    const { onMerge } = reference;
    const name = getTableName(table);
    if (onMerge === "move") updates.push(moving(name, column.name));
    if (typeof onMerge === "object") updates.push(moving(name, column.name, onMerge));
    if (onMerge === "move in portions") {
      portions.push({
        name: `references.move-${name}-of-${to}`,
        text: movingPortion(name, column.name),
      });
    }
  }
  const steps = updates.map((update, at) => `moved_${at} as (${update}\n)`);
  const together = { name: `references.move-of-${to}`, text: `with ${steps.join(", ")}\nselect` };
  return { together, portions };
}

function moving(
  table: string,
  column: string,
  { unlessSame = [], also }: Partial<Extract<OnMerge, object>> = {},
): string {
  const sets = [`${column} = $3`, ...(also ? [also("$3")] : [])].join(", ");
  const same = unlessSame.map((other) => ` and o.${other} = r.${other}`).join("");
  const isNew = `
  and not exists (select from ${table} o where o.company_id = $1 and o.${column} = $3${same})`;
  return `
  update ${table} r set ${sets}
  where r.company_id = $1 and r.${column} = $2${unlessSame.length > 0 ? isNew : ""}`;
}

const movingPortion = (table: string, column: string): string => `
update ${table} set ${column} = $3 where company_id = $1 and id in (
  select id from ${table} where company_id = $1 and ${column} = $2 limit ${ROWS_AT_ONCE})
returning 1`;

export type CompanyTable = { table: PgTable; companyColumn: PgColumn };

/** For `companyTables`: each table with those that its foreign keys name. Some keys are in migrations only. */
export const foreignKeysStatement: PreparedStatement = {
  name: "references.foreign-keys",
  text: `
select conrelid::regclass::text as table, array_agg(distinct confrelid::regclass::text) as targets
from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace group by 1`,
};
export type ForeignKeys = { table: string; targets: string[] };

/**
 * The tables whose rows belong to a company, each before those that it refers to, with the column of the company. Leases come
 * first: without its lease a session writes nothing more.
 */
export function companyTables(
  foreignKeys: readonly ForeignKeys[],
  also: readonly PgTable[] = [],
): CompanyTable[] {
  const first: PgTable = schema.connectionLeases;
  const all = [first, ...platformTables.filter((table) => table !== first), ...also];
  const targets = new Map(foreignKeys.map((keys) => [keys.table, keys.targets]));
  const ordered = new Set<PgTable>();
  const add = (table: PgTable): void => {
    if (ordered.has(table)) return;
    const name = getTableName(table);
    for (const other of all) {
      if (other !== table && targets.get(getTableName(other))?.includes(name)) add(other);
    }
    ordered.add(table);
  };
  for (const table of all) add(table);
  return [...ordered].flatMap((table) => {
    const { columns, foreignKeys: keys } = getTableConfig(table);
    const ofCompany = keys.find((key) => key.reference().foreignTable === companies);
    const companyColumn =
      columns.find((column) => column.name === "company_id") ?? ofCompany?.reference().columns[0];
    return companyColumn ? [{ table, companyColumn }] : [];
  });
}

/**
 * A column that may hold the key of a stored file, the one beside it with the file's name, where there is one, and the one with
 * the company whose file it is.
 */
export type FileReference = {
  table: string;
  companyColumn: string;
  column: string;
  nameColumn: string | null;
};

/**
 * Every column that refers to a stored file: those with a foreign key to `files`. A file in one of them is not swept.
 * The name of the file in `x_key` is in `x_name`.
 */
export const fileReferences: readonly FileReference[] = platformTables.flatMap((table) => {
  const { name, columns, foreignKeys } = getTableConfig(table);
  const names = new Set(columns.map((column) => column.name));
  return foreignKeys
    .map((key) => key.reference())
    .filter(({ foreignTable }) => foreignTable === files)
    .map((reference) => {
      const [companyColumn = "", column = ""] = reference.columns.map(({ name: part }) => part);
      const nameColumn = column.replace(/_key$/, "_name");
      return {
        ...{ table: name, companyColumn, column },
        nameColumn: names.has(nameColumn) ? nameColumn : null,
      };
    });
});
