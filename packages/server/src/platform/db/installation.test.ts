import pg from "pg";
import { expect, test } from "vitest";
import { createDatabase, testDatabase } from "../../testing/database.ts";
import { systemSources } from "../sources.ts";
import { prepareInstallation } from "./installation.ts";

test("three processes that start together on an empty database agree on schema and secrets", async () => {
  const ownerUrl = await createDatabase();
  const all = await Promise.all(
    [1, 2, 3].map(() => prepareInstallation(ownerUrl, systemSources.random)),
  );
  expect(all[1]).toEqual(all[0]);
  expect(all[2]).toEqual(all[0]);
});

test("the application's role can neither bypass row-level security nor read the installation's secrets", async () => {
  const { appUrl } = await testDatabase();
  const client = new pg.Client({ connectionString: appUrl });
  await client.connect();
  const role = await client.query(
    "select rolsuper, rolbypassrls, rolcreaterole, rolcreatedb from pg_roles where rolname = current_user",
  );
  expect(role.rows).toEqual([
    { rolsuper: false, rolbypassrls: false, rolcreaterole: false, rolcreatedb: false },
  ]);
  await expect(client.query("select * from installation")).rejects.toThrow(/permission denied/);
  await expect(client.query("create table mine (id int)")).rejects.toThrow(/permission denied/);
  await client.end();
});
