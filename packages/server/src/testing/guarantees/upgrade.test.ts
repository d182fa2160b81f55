import { access } from "node:fs/promises";
import { endpoints } from "@balcao/contract";
import pg from "pg";
import { expect, inject, test, vi } from "vitest";
import { prepareInstallation } from "../../platform/db/installation.ts";
import { systemSources } from "../../platform/sources.ts";
import { createApi, testApp } from "../app.ts";
import { createDatabase, testDatabase } from "../database.ts";
import { atEndOfFile } from "../end-of-file.ts";
import { PASSWORD } from "../given.ts";
import type { ReleaseFixture } from "../release-fixture.ts";
import {
  hashesOfMigrations,
  loadFixture,
  migrationsUntil,
  readColumns,
  readFixtures,
  writeFixture,
} from "../release-fixture.ts";
import { dropDatabase, makeDatabase, onDatabase } from "../server-statements.ts";
import { createRows } from "./rows.ts";
import { createSide } from "./sides.ts";

const { random } = systemSources;

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  atEndOfFile(() => client.end());
  return client;
}

/** Number of rows, and a digest of the values, of each column of each table. */
async function digest(
  client: pg.Client,
  columnsOf: ReadonlyMap<string, readonly string[]>,
): Promise<Record<string, Record<string, string>>> {
  const found: Record<string, Record<string, string>> = {};
  for (const [name, columns] of columnsOf) {
    const digests = columns.map((column) => {
      const value = `md5(t.${pg.escapeIdentifier(column)}::text)`;
      return `count(*) || ' ' || md5(string_agg(${value}, '' order by ${value})) as ${pg.escapeIdentifier(column)}`;
    });
    const { rows } = await client.query<Record<string, string>>(
      `select ${digests.join()} from ${name} as t`,
    );
    if (rows[0]) found[name] = rows[0];
  }
  return found;
}

/** Without rows, and migrated as far as the release at hand: releases come in order. */
let empty: string | undefined;

/** A database as the release made it, with the release's rows. */
async function fill(fixture: ReleaseFixture) {
  empty ??= await createDatabase();
  await prepareInstallation(empty, random, await migrationsUntil(fixture.migrations.length));
  const server = inject("postgresUrl");
  const template = new URL(empty).pathname.slice(1);
  const name = await makeDatabase(server, { purpose: "release", template });
  atEndOfFile(() => dropDatabase(server, name));
  const ownerUrl = onDatabase(server, name);
  const client = await connect(ownerUrl);
  await loadFixture(client, fixture);
  return { ownerUrl, client };
}

/** Brings the data of a release to this version, as its first start does. */
async function upgrade(fixture: ReleaseFixture) {
  const { ownerUrl, client } = await fill(fixture);
  const columns = new Map(fixture.tables.map(({ name, columns }) => [name, columns]));
  const before = await digest(client, columns);
  const installation = await prepareInstallation(ownerUrl, random);
  const now = await readColumns(client);
  const kept = [...columns].flatMap(([name, before]) => {
    const left = before.filter((column) => now.get(name)?.includes(column));
    return left.length === 0 ? [] : [[name, left] as const];
  });
  const after = await digest(client, new Map(kept));
  return { ownerUrl, client, installation, before, after };
}

/** Tables of companies that lack a policy or a right of one of the two roles. */
const unprotected = `
  select c.relname as name from pg_class c
   where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
     and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'company_id' and a.attnotnull)
     and not (c.relrowsecurity and c.relforcerowsecurity
       and (select count(*) from pg_policy p where p.polrelid = c.oid) = 3
       and has_table_privilege($1, c.oid, 'select, insert, update, delete')
       and has_table_privilege($2, c.oid, 'select, insert, update, delete'))`;

const written = process.env["BALCAO_WRITE_RELEASE"];
if (written !== undefined) {
  test(`the data of release ${written} is kept`, async () => {
    const product = await testApp({ environment: { BALCAO_DEMO: "on" } });
    await product.app.firstStart();
    const side = await createSide(product);
    await createRows(product, side, "admin");
    await product.close();
    const account = { email: side.people.admin.email, password: PASSWORD };
    const client = await connect(product.database.ownerUrl);
    await access(await writeFixture(client, { release: written, account }));
  });
} else {
  const fixtures = await readFixtures();

  test("migrations of a release are never changed afterwards", () => {
    const hashes = hashesOfMigrations();
    expect(fixtures.length).toBeGreaterThan(0);
    for (const { migrations } of fixtures) {
      expect(hashes.slice(0, migrations.length)).toEqual(migrations);
    }
  });

  test.each(fixtures)(
    "data of release $release keeps its rows and rights, is answered from and written to",
    async (fixture) => {
      const { ownerUrl, client, installation, before, after } = await upgrade(fixture);
      for (const [table, columns] of Object.entries(after)) {
        expect(before[table], table).toMatchObject(columns);
      }
      const roles = [installation.appUrl, installation.serviceUrl].map(
        (url) => new URL(url).username,
      );
      expect((await client.query(unprotected, roles)).rows).toEqual([]);

      // What was paid when the fixture was made has ended since.
      await client.query("update companies set due_date = '2099-12-31'");
      const database = await testDatabase({ ownerUrl, installation });
      const { url } = await testApp({ database, environment: { ROLES: "http,channels" } });
      const signedIn = await createApi(url, null).post("/auth/login", fixture.account);
      const { token } = endpoints["POST /auth/login"].reply.parse(signedIn.body);
      const api = createApi(url, token);
      const lists = await Promise.all(
        ["pending", "open"].map((status) => api.get(`/tickets?status=${status}&showAll=true`)),
      );
      const tickets = lists.flatMap(
        ({ body }) => endpoints["GET /tickets"].reply.parse(body).tickets,
      );
      const ticket = tickets.find(({ status }) => status === "open") ?? tickets[0];
      if (!ticket) throw new Error("the release has no ticket");
      await api.put(`/tickets/${ticket.id}`, { status: "open" });
      const body = `Depois de ${fixture.release}`;
      expect((await api.post(`/messages/${ticket.id}`, { body })).status).toBe(200);
      await vi.waitFor(async () => {
        const arrived = "select 1 from simulator_messages where body = $1 and not from_customer";
        expect((await client.query(arrived, [body])).rowCount).toBe(1);
      });
    },
  );
}
