import type { CompanyId } from "@balcao/contract";
import { sql } from "drizzle-orm";
import type { Database } from "../../platform/db/database.ts";

/** Per table: how many rows, and a checksum over all their columns. */
export type Digest = Record<string, string>;

/** Counting refused sign-ins is what this table is for. */
const CHANGED_BY_REFUSALS = "login_attempts";

/** Everything that all companies store. */
export async function digestAll(db: Database): Promise<Digest> {
  const tables = await tablesOf(db, sql`true`);
  return digest(db, tables, () => "true");
}

/** Everything that one company stores. */
export async function digestCompany(db: Database, companyId: CompanyId): Promise<Digest> {
  const tables = await tablesOf(
    db,
    sql`exists (select 1 from information_schema.columns c
                 where c.table_schema = 'public' and c.table_name = t.table_name
                   and c.column_name = 'company_id') or t.table_name = 'companies'`,
  );
  return digest(db, tables, (table) => {
    const column = table === "companies" ? "id" : "company_id";
    return `${column} = ${Number(companyId)}`;
  });
}

async function tablesOf(db: Database, condition: ReturnType<typeof sql>): Promise<string[]> {
  const rows = await db.acrossCompanies((tx) =>
    tx.query<{ name: string }>(sql`
      select t.table_name as name from information_schema.tables t
       where t.table_schema = 'public' and t.table_type = 'BASE TABLE'
         and t.table_name <> ${CHANGED_BY_REFUSALS} and (${condition})
       order by 1`),
  );
  return rows.map(({ name }) => name);
}

async function digest(
  db: Database,
  tables: readonly string[],
  condition: (table: string) => string,
): Promise<Digest> {
  if (tables.length === 0) throw new Error("there is no table to look at");
  const parts = tables.map(
    (table) =>
      `select '${table}' as name, count(*) || ' rows, ' ||
              coalesce(md5(string_agg(md5(row::text), '' order by md5(row::text))), '') as digest
         from "${table}" as row where ${condition(table)}`,
  );
  const rows = await db.acrossCompanies((tx) =>
    tx.query<{ name: string; digest: string }>(sql.raw(parts.join(" union all "))),
  );
  return Object.fromEntries(rows.map(({ name, digest: value }) => [name, value]));
}
