import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Company, CompanyId, Plan } from "@balcao/contract";
import type { SQL } from "drizzle-orm";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import type { TestAppOptions } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenCompany, GivenUser } from "../../testing/given.ts";
import { createRows } from "../../testing/guarantees/rows.ts";
import { createSide } from "../../testing/guarantees/sides.ts";

/** A product with its provider. */
async function start(options: TestAppOptions) {
  const product = await testApp(options);
  const { given, as, database } = product;
  const provider = await given.admin({ company: await given.company(), super: true });
  const api = as(provider);
  return {
    ...{ product, given, as, provider, api },
    run: <Row>(statement: SQL): Promise<Row[]> =>
      database.db.acrossCompanies((tx) => tx.query<Row>(statement)),
    remove: (id: number) => api.delete<{ code: string }>(`/companies/${id}`),
  };
}

// The first one has rows that a running product could not read.
const still = await start({ environment: { ROLES: "http" } });
const running = await start({});
type Run = typeof running.run;

/** Every table with rows of companies, and how many rows it has of one. */
async function countRows(run: Run, companyId: CompanyId): Promise<Record<string, number>> {
  const tables = await run<{ name: string }>(sql`
    select c.table_name as name from information_schema.columns c
    join information_schema.tables t on t.table_schema = c.table_schema and t.table_name = c.table_name
    where c.table_schema = 'public' and c.column_name = 'company_id' and t.table_type = 'BASE TABLE'`);
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const [row] = await run<{ count: number }>(
      sql`select count(*)::int as count from ${sql.identifier(name)} where company_id = ${companyId}`,
    );
    counts[name] = row?.count ?? 0;
  }
  return counts;
}

const anyValue: Record<string, SQL> = {
  ...{
    bool: sql`false`,
    int2: sql`1`,
    int4: sql`(1000000000 + random() * 1000000000)::int`,
    int8: sql`1`,
    text: sql`'any ' || gen_random_uuid()`,
  },
  ...{ jsonb: sql`'{}'`, timestamptz: sql`now()`, date: sql`current_date`, bytea: sql`''` },
  ...{ uuid: sql`gen_random_uuid()`, _int4: sql`'{}'` },
};

/** A row of a company with any values: what it refers to need not exist. */
async function insertRow(table: string, companyId: CompanyId): Promise<void> {
  await still.product.database.db.acrossCompanies(async (tx) => {
    const columns = await tx.query<{ name: string; type: string }>(sql`
      select column_name as name, udt_name as type from information_schema.columns
      where table_schema = 'public' and table_name = ${table} and column_name <> 'company_id'
        and is_nullable = 'NO' and column_default is null and is_identity = 'NO' and is_generated = 'NEVER'`);
    const values = columns.map(
      ({ name, type }) =>
        anyValue[type] ?? expect.unreachable(`no value for ${table}.${name}: ${type}`),
    );
    const names = ["company_id", ...columns.map(({ name }) => name)];
    await tx.query(sql`set local session_replication_role = replica`);
    await tx.query(sql`
      insert into ${sql.identifier(table)} (${sql.join(
        names.map((name) => sql.identifier(name)),
        sql`, `,
      )}) values (${sql.join([sql`${companyId}`, ...values], sql`, `)})`);
  });
}

/** A company with rows in every table, and with files. */
async function fullCompany() {
  const { product, run } = still;
  const side = await createSide(product);
  const { id } = side.company;
  await createRows(product, side, "admin");
  await run(sql`update users set super = false where company_id = ${id}`);
  // Whether the values make sense does not matter to a deletion.
  await run(sql`
    do $$ declare rule record; begin
      for rule in select conrelid::regclass as of, conname from pg_constraint
                   where contype = 'c' and connamespace = 'public'::regnamespace and conrelid <> 0 loop
        execute format('alter table %s drop constraint %I', rule.of, rule.conname);
      end loop;
    end $$`);
  const counts = await countRows(run, id);
  for (const [table, count] of Object.entries(counts)) if (count === 0) await insertRow(table, id);
  const folders = ["media", "simulator"].map((name) => join(product.dataDir, name, `company${id}`));
  for (const folder of folders) {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "a.txt"), "texto");
  }
  return { ...side, id, folders };
}

test("a deleted company leaves no row and no file; another one keeps all of its own", async () => {
  const { product, run, remove, as } = still;
  const [gone, kept] = [await fullCompany(), await fullCompany()];
  const before = await countRows(run, kept.id);
  expect(Object.values(before).every((count) => count > 0)).toBe(true);
  const socket = await product.live(gone.people.user);
  const reply = await remove(gone.id);
  expect([reply.status, reply.body]).toEqual([200, undefined]);

  const left = Object.entries(await countRows(run, gone.id)).filter(([, count]) => count > 0);
  expect(left).toEqual([]);
  expect(await run(sql`select from companies where id = ${gone.id}`)).toEqual([]);
  for (const folder of gone.folders) await expect(readdir(folder)).rejects.toThrow("ENOENT");
  expect(await as(gone.people.admin).get("/tags/list")).toMatchObject({ status: 401 });
  await expect.poll(() => socket.socket.connected).toBe(false);

  expect(await countRows(run, kept.id)).toEqual(before);
  for (const folder of kept.folders) expect(await readdir(folder)).toContain("a.txt");
  expect(await as(kept.people.admin).get("/tags/list")).toMatchObject({ status: 200 });
});

test("the name and the e-mail of a deleted company can be used again", async () => {
  const { api, remove } = running;
  const plan = (
    await api.post<Plan>("/plans", { name: "Equipe", users: 3, connections: 2, queues: 2 })
  ).body;
  const wish = {
    ...{ name: "Padaria Bom Dia", email: "dona@padaria.example", planId: plan.id },
    ...{ phone: null, password: "Kmtpx-qwert-47" },
  };
  const { body } = await api.post<Company>("/companies", wish);
  expect((await api.post("/companies", wish)).status).toBe(400);
  expect((await remove(body.id)).status).toBe(200);
  expect((await api.post("/companies", wish)).status).toBe(200);
});

test("the provider's own company and one that is not there are refused", async () => {
  const { given, as, provider, remove } = running;
  expect(await remove(provider.companyId)).toMatchObject({
    status: 400,
    body: { code: "ERR_COMPANY_IS_PROVIDER" },
  });
  expect(await remove(2_000_000_000)).toMatchObject({
    status: 404,
    body: { code: "ERR_NO_COMPANY_FOUND" },
  });
  const company = await given.company();
  const admin = await given.admin({ company });
  expect(await as(admin).delete(`/companies/${company.id}`)).toMatchObject({ status: 403 });
});

test("a company is deleted while its phones receive; other companies go on", async () => {
  const { product, given, as, run, remove } = running;
  const received = async ({ id }: GivenCompany): Promise<number> =>
    (await run(sql`select from messages where company_id = ${id} and not from_me`)).length;
  const [gone, kept] = [await given.company(), await given.company()];
  const lines = await Promise.all(
    [gone, gone, gone].map((company) => given.connection({ company })),
  );
  const other = await given.connection({ company: kept });
  const admin = await given.admin({ company: gone });
  const say = (of: GivenUser, line: number, n: number) =>
    as(of).post(`/simulator/connections/${line}/chats/${5_548_999_990_000 + n}/messages`, {
      body: `Mensagem ${n}`,
    });
  for (const line of lines) await say(admin, line, 0);
  await product.idle();
  expect(await received(gone)).toBe(3);
  // Straight into the network, as phones that know nothing of the company's state.
  const deletion = new AbortController();
  const arriving = (async () => {
    for (let n = 1; !deletion.signal.aborted; n += 1) {
      for (const line of lines) {
        await say(admin, line, n);
        await run(sql`
          insert into simulator_messages (company_id, connection_id, phone, id, from_customer, body, ack)
          select company_id, connection_id, phone, ${`SIM-${line}-${n}`}, true, 'Oi', 1
          from simulator_customers where connection_id = ${line} limit 1`).catch(() => undefined);
        await run(sql`select pg_notify('balcao_wake', 'connections')`);
      }
    }
  })();
  expect((await remove(gone.id)).status).toBe(200);
  deletion.abort();
  await arriving;
  await say(await given.admin({ company: kept }), other, 0);
  await product.idle();
  expect(await received(kept)).toBe(1);
  expect(new Set(Object.values(await countRows(run, gone.id)))).toEqual(new Set([0]));
});

test("a deletion that was cut off leaves the company suspended; it can be deleted again", async () => {
  const { given, as, run, remove } = running;
  const company = await given.company();
  const admin = await given.admin({ company });
  await as(admin).post("/tags", { name: "VIP", color: "#a4cccc", kanban: 0 });
  await run(sql`
    create function cut_off() returns trigger language plpgsql as $$ begin raise exception 'cut off'; end $$`);
  await run(
    sql`create trigger cut_off before delete on tags for each row execute function cut_off()`,
  );
  expect((await remove(company.id)).status).toBe(500);
  expect(await run(sql`select status from companies where id = ${company.id}`)).toEqual([
    { status: false },
  ]);
  await run(sql`drop trigger cut_off on tags`);
  expect((await remove(company.id)).status).toBe(200);
  expect(await run(sql`select from companies where id = ${company.id}`)).toEqual([]);
});
