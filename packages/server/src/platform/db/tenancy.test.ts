import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import type { CompanyId } from "@balcao/contract";
import type { TestDatabase } from "../../testing/database.ts";
import { testDatabase } from "../../testing/database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});

/** Every fault of a table that holds companies' rows, read from the catalogue. */
async function tenancyFaults(): Promise<string[]> {
  const rows = await database.db.acrossCompanies((tx) =>
    tx.query<{ fault: string }>(sql`
      with application as (
        select r.oid from pg_roles r join installation i on i.value = r.rolname where i.key = 'app-role'
      ), service as (
        select r.oid from pg_roles r join installation i on i.value = r.rolname where i.key = 'service-role'
      ), tenant as (
        select c.oid, c.relname, c.relrowsecurity, c.relforcerowsecurity, a.attnotnull,
               a.attnum, c.relname = 'companies' as is_root
        from pg_class c
        join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
        join pg_attribute a on a.attrelid = c.oid
          and a.attname = case when c.relname = 'companies' then 'id' else 'company_id' end
        where c.relkind = 'r'
      )
      select relname || ': row-level security is not enabled' as fault from tenant where not relrowsecurity
      union all
      select relname || ': row-level security is not forced' from tenant where not relforcerowsecurity
      union all
      select relname || ': company_id may be null' from tenant where not attnotnull
      union all
      select relname || ': the application role has no bare tenant policy' from tenant
      where not exists (
        select 1 from pg_policy p
        where (select oid from application) = any (p.polroles) and p.polrelid = tenant.oid and p.polcmd = '*'
          and pg_get_expr(p.polqual, p.polrelid) ~
            '^\\((company_id|id) = \\(NULLIF\\(current_setting\\(''app.company_id''::text, true\\), ''''::text\\)\\)::integer\\)$'
          and pg_get_expr(p.polwithcheck, p.polrelid) = pg_get_expr(p.polqual, p.polrelid))
      union all
      select relname || ': another policy opens it to the application role' from tenant
      where (select count(*) from pg_policy p where p.polrelid = tenant.oid
             and (p.polroles = '{0}' or (select oid from application) = any (p.polroles))) <> 1
      union all
      select relname || ': the service role has no policy' from tenant
      where not exists (select 1 from pg_policy p where p.polrelid = tenant.oid and p.polcmd = '*'
             and (select oid from service) = any (p.polroles) and pg_get_expr(p.polqual, p.polrelid) = 'true')
      union all
      select source.relname || ': foreign key ' || k.conname || ' does not carry the company'
      from pg_constraint k
      join tenant source on source.oid = k.conrelid
      join tenant target on target.oid = k.confrelid
      where k.contype = 'f' and not source.is_root
        and not (source.attnum = any (k.conkey) and target.attnum = any (k.confkey))
      order by 1`),
  );
  return rows.map((row) => row.fault);
}

test("every table with a company has forced row-level security, a bare policy and composite foreign keys", async () => {
  expect(await tenancyFaults()).toEqual([]);
});

test("the catalogue check notices a table without isolation and a foreign key without the company", async () => {
  await database.db.acrossCompanies(async (tx) => {
    await tx.query(
      sql`create table stray (id int primary key, company_id int, ticket_id int references tickets (id))`,
    );
  });
  try {
    expect(await tenancyFaults()).toEqual([
      "stray: another policy opens it to the application role",
      "stray: company_id may be null",
      "stray: foreign key stray_ticket_id_fkey does not carry the company",
      "stray: row-level security is not enabled",
      "stray: row-level security is not forced",
      "stray: the application role has no bare tenant policy",
      "stray: the service role has no policy",
    ]);
  } finally {
    await database.db.acrossCompanies((tx) => tx.query(sql`drop table stray`));
  }
});

test("one company neither reads nor writes another's rows, whatever the statement says", async () => {
  const { db } = database;
  const [first, second] = await db.acrossCompanies(async (tx) => {
    const [plan] = await tx.query<{ id: number }>(
      sql`insert into plans (name, users, connections, queues, value_cents) values ('p', 1, 1, 1, 0) returning id`,
    );
    const rows = await tx.query<{ id: CompanyId }>(
      sql`insert into companies (name, email, plan_id) values ('A', '', ${plan?.id}), ('B', '', ${plan?.id}) returning id`,
    );
    return rows.map((row) => row.id);
  });
  if (first === undefined || second === undefined) throw new Error("no companies");
  await db.transaction({ companyId: second }, (tx) =>
    tx.query(sql`insert into tags (company_id, name) values (${second}, 'Troca')`),
  );

  const seen = await db.transaction({ companyId: first }, (tx) =>
    tx.query(sql`select * from tags`),
  );
  expect(seen).toEqual([]);
  const control = await db.transaction({ companyId: second }, (tx) =>
    tx.query<{ name: string }>(sql`select name from tags`),
  );
  expect(control).toEqual([{ name: "Troca" }]);
  await expect(
    db.transaction({ companyId: first }, (tx) =>
      tx.query(sql`insert into tags (company_id, name) values (${second}, 'Intrusa')`),
    ),
  ).rejects.toThrow(/row-level security/);
  const companies = await db.transaction({ companyId: first }, (tx) =>
    tx.query<{ id: number }>(sql`select id from companies`),
  );
  expect(companies).toEqual([{ id: first }]);
});

test("every foreign key has an index, so that deleting what it refers to reads no whole table", async () => {
  const unindexed = await database.db.acrossCompanies((tx) =>
    tx.query<{ name: string }>(sql`
      select k.conrelid::regclass || ': ' || k.conname as name
      from pg_constraint k
      where k.contype = 'f' and k.connamespace = 'public'::regnamespace
        and not exists (
          select from pg_index i
          where i.indrelid = k.conrelid
            and (i.indpred is null or pg_get_expr(i.indpred, i.indrelid) ~ '^\\([a-z_]+ IS NOT NULL\\)$')
            -- All its columns come first, or the one beside the company.
            and ((i.indkey::int2[])[0:cardinality(k.conkey) - 1] @> k.conkey
                 or (cardinality(k.conkey) = 2 and i.indkey[0] = any (k.conkey) and i.indkey[0] <> (
                   select attnum from pg_attribute where attrelid = k.conrelid and attname = 'company_id'))))
      order by 1`),
  );
  expect(unindexed.map(({ name }) => name)).toEqual([]);
});
