import { drizzle } from "drizzle-orm/node-postgres";
import { migrate } from "drizzle-orm/node-postgres/migrator";
import pg from "pg";
import { expect, inject, test } from "vitest";
import { createDatabase, testDatabase } from "../../testing/database.ts";
import { atEndOfFile } from "../../testing/end-of-file.ts";
import { migrationsUntil } from "../../testing/release-fixture.ts";
import { systemSources } from "../sources.ts";
import type { Installation } from "./installation.ts";
import { DatabaseIsNewer, prepareInstallation } from "./installation.ts";

const { random } = systemSources;

/** Runs statements one after the other on one session; answers the last one's rows. */
async function run(url: string, ...statements: string[]): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let rows: unknown[] = [];
    for (const statement of statements) ({ rows } = await client.query(statement));
    return rows;
  } finally {
    await client.end();
  }
}

const nameOf = (url: string): string => new URL(url).pathname.slice(1);
const userOf = (url: string): string => new URL(url).username;

function renamed(url: string, name: string): string {
  const other = new URL(url);
  other.pathname = `/${name}`;
  return other.toString();
}

/** The application's role reads exactly its company and the service role reads all; both with the given addresses. */
async function expectRolesWork({ appUrl, serviceUrl }: Installation): Promise<void> {
  const count = "select count(*)::int as n from companies";
  expect(await run(serviceUrl, count)).toEqual([{ n: 2 }]);
  expect(await run(appUrl, count)).toEqual([{ n: 0 }]);
  const [first] = await run(serviceUrl, "select min(id) as id from companies");
  const { id } = first as { id: number };
  const ofCompany = `select set_config('app.company_id', '${id}', false)`;
  expect(await run(appUrl, ofCompany, count)).toEqual([{ n: 1 }]);
  await run(
    appUrl,
    ofCompany,
    `insert into tags (company_id, name) values (${id}, 'Da própria') on conflict do nothing`,
  );
  expect(await run(appUrl, ofCompany, "select id from search_contacts('ana', '') as id")).toEqual(
    [],
  );
}

/** The search knows which part of all messages is a company's, though statistics are hidden from such an owner. */
async function expectSharesAreKnown(ownerUrl: string, serviceUrl: string): Promise<void> {
  await run(
    serviceUrl,
    "insert into contacts (company_id, name) select id, 'Ana' from companies",
    "insert into connections (company_id, name, channel) select id, 'Loja', 'simulator' from companies",
    `insert into tickets (company_id, uuid, contact_id, connection_id, status)
     select c.company_id, gen_random_uuid(), c.id, w.id, 'pending'
     from contacts c join connections w on w.company_id = c.company_id`,
    `insert into messages (company_id, id, ticket_id, connection_id, provider_id, body, from_me, read, ack)
     select t.company_id, gen_random_uuid(), t.id, t.connection_id, n || '-' || t.id, 'Oi', false, true, 0
     from tickets t, generate_series(1, case when t.id = (select min(id) from tickets) then 900 else 100 end) n`,
  );
  await run(ownerUrl, "analyze messages");
  const shares = await run(serviceUrl, "select company_id as id from tickets order by id");
  for (const [place, share] of [0.9, 0.1].entries()) {
    const { id } = shares[place] as { id: number };
    const rows = await run(
      ownerUrl,
      `select set_config('app.company_id', '${id}', false)`,
      `select search_share(${id})::float8 as share`,
    );
    expect((rows[0] as { share: number }).share).toBeCloseTo(share, 1);
  }
}

async function addCompanies(url: string): Promise<void> {
  await run(
    url,
    "insert into plans (name, users, connections, queues, value_cents) values ('p', 1, 1, 1, 0)",
    "insert into companies (name, email, plan_id) select c, '', id from plans, unnest(array['A', 'B']) as c",
  );
}

test("three processes that start together on an empty database agree on schema and secrets; one that is older than the database is refused", async () => {
  const ownerUrl = await createDatabase();
  const all = await Promise.all([1, 2, 3].map(() => prepareInstallation(ownerUrl, random)));
  expect(all[1]).toEqual(all[0]);
  expect(all[2]).toEqual(all[0]);

  // A later version adds a migration.
  await run(
    ownerUrl,
    "insert into drizzle.__drizzle_migrations (hash, created_at) values ('later', 9999999999999)",
  );
  const refusal = prepareInstallation(ownerUrl, random);
  await expect(refusal).rejects.toThrow(DatabaseIsNewer);
  await expect(refusal).rejects.toThrow("does not know: 1");
  await run(ownerUrl, "delete from drizzle.__drizzle_migrations where hash = 'later'");
  expect(await prepareInstallation(ownerUrl, random)).toEqual(all[0]);
});

test("the roles can neither bypass row-level security, nor change the schema, nor read the installation's secrets", async () => {
  const { appUrl, serviceUrl } = await testDatabase();
  for (const url of [appUrl, serviceUrl]) {
    const role = await run(
      url,
      "select rolsuper, rolbypassrls, rolcreaterole, rolcreatedb from pg_roles where rolname = current_user",
    );
    expect(role).toEqual([
      { rolsuper: false, rolbypassrls: false, rolcreaterole: false, rolcreatedb: false },
    ]);
    const refused = ["select * from installation", "create table mine (id int)"];
    for (const statement of refused)
      await expect(run(url, statement)).rejects.toThrow(/permission denied/);
    const ofOwner = [
      "alter table tickets add column mine int",
      "drop table tickets",
      "select isolate_tenants('plans')",
      "create or replace function f_norm(text) returns text language sql as 'select $1'",
    ];
    for (const statement of ofOwner)
      await expect(run(url, statement)).rejects.toThrow(/must be owner|permission denied/);
  }
  const change = "update periodic_jobs set due_at = now() where name = 'none'";
  await expect(run(appUrl, change)).rejects.toThrow(/permission denied/);
  await run(serviceUrl, change);
});

test("a database that is renamed, copied or restored without its roles starts with the roles it names", async () => {
  const ownerUrl = await createDatabase();
  const made = await prepareInstallation(ownerUrl, random);
  await addCompanies(ownerUrl);
  const server = inject("postgresUrl");
  const [first, copy] = [nameOf(ownerUrl), `${nameOf(ownerUrl)}_copy`];
  atEndOfFile(async () => {
    await run(server, `drop database if exists ${copy} with (force)`);
  });

  await run(server, `create database ${copy} template ${first}`);
  const moved = `${first}_moved`;
  await run(server, `alter database ${first} rename to ${moved}`);
  const renewed = await prepareInstallation(renamed(ownerUrl, moved), random);
  expect(renewed.appUrl).toBe(renamed(made.appUrl, moved));
  await expectRolesWork(renewed);
  await run(server, `alter database ${moved} rename to ${first}`);

  const copied = await prepareInstallation(renamed(ownerUrl, copy), random);
  expect(copied.serviceUrl).toBe(renamed(made.serviceUrl, copy));
  await expectRolesWork(copied);

  // As a dump arrives at a server that has none of its roles: their policies and grants are missing.
  const roles = `${userOf(made.appUrl)}, ${userOf(made.serviceUrl)}`;
  await run(renamed(ownerUrl, copy), `drop owned by ${roles}`);
  await run(ownerUrl, `drop owned by ${roles}`, `drop role ${roles}`);
  const both = await Promise.all(
    [first, copy, first, copy].map((name) => prepareInstallation(renamed(ownerUrl, name), random)),
  );
  for (const restored of both) await expectRolesWork(restored);
  expect(both[3]?.appUrl).toBe(copied.appUrl);
});

test("an owner who is no superuser installs and starts again, and changes rows of all companies", async () => {
  const server = inject("postgresUrl");
  const superUrl = await createDatabase();
  const owner = `${nameOf(superUrl)}_owner`;
  await run(server, `create role ${owner} login createrole password 'owner'`);
  await run(server, `alter database ${nameOf(superUrl)} owner to ${owner}`);
  atEndOfFile(async () => {
    await run(superUrl, `drop owned by ${owner} cascade`);
    await run(server, `alter database ${nameOf(superUrl)} owner to current_user`);
    await run(server, `drop role ${owner}`);
  });
  const url = new URL(superUrl);
  url.username = owner;
  url.password = "owner";
  const ownerUrl = url.toString();
  const made = await prepareInstallation(ownerUrl, random);
  await addCompanies(made.serviceUrl);
  await expectRolesWork(made);
  expect(await prepareInstallation(ownerUrl, random)).toEqual(made);
  await expectSharesAreKnown(ownerUrl, made.serviceUrl);
  await run(ownerUrl, "update companies set phone = '1'");
  const changed = await run(ownerUrl, "select count(*)::int as n from companies where phone = '1'");
  expect(changed).toEqual([{ n: 2 }]);
});

test("an installation from before roles had names of their own goes on with new ones, and the former role is gone", async () => {
  const ownerUrl = await createDatabase();
  const folder = await migrationsUntil(21);
  const client = new pg.Client({ connectionString: ownerUrl });
  await client.connect();
  await migrate(drizzle(client), { migrationsFolder: folder });
  await client.end();
  const former = `${nameOf(ownerUrl)}_app`;
  await addCompanies(ownerUrl);
  await run(ownerUrl, "insert into installation (key, value) values ('seal-secret', 'kept')");
  // The job queue of those days, as far as the migrations meet it.
  await run(
    ownerUrl,
    "create schema pgboss",
    "create table pgboss.queue (name text primary key)",
    "create table pgboss.job (id uuid, name text references pgboss.queue) partition by list (name)",
    "create table pgboss.job_common partition of pgboss.job default",
    "create function pgboss.job_now() returns timestamptz language sql as 'select now()'",
    `grant usage on schema pgboss to ${former}`,
    `grant select, insert on all tables in schema pgboss to ${former}`,
  );

  const made = await prepareInstallation(ownerUrl, random);
  expect(made.secrets.seal).toBe("kept");
  await expectRolesWork(made);
  expect(await run(ownerUrl, `select 1 from pg_roles where rolname = '${former}'`)).toEqual([]);
  const left = `select to_regnamespace('pgboss') as queue, to_regproc('enqueue_job') as hand_over`;
  expect(await run(ownerUrl, left)).toEqual([{ queue: null, hand_over: null }]);
});
