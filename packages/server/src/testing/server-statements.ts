import { randomBytes } from "node:crypto";
import pg from "pg";

/** Runs one statement on a server, in a session of its own. */
export async function onServer<Row extends object>(
  serverUrl: string,
  statement: string,
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    const { rows } = await client.query<Row>(statement);
    return rows;
  } finally {
    await client.end();
  }
}

/**
 * Creates a database on the server, empty or as a copy of `template`, which must have no connections. Copying files is
 * faster than the default through the write-ahead log, because templates are small and durability is not needed.
 */
export async function makeDatabase(
  serverUrl: string,
  { purpose, template }: { purpose: string; template?: string },
): Promise<string> {
  const name = `balcao_${purpose}_${randomBytes(5).toString("hex")}`;
  const source = template === undefined ? "" : ` template ${template} strategy file_copy`;
  await onServer(serverUrl, `create database ${name}${source}`);
  return name;
}

/** Drops a database. Roles belong to the server: those of a copy are its template's. */
export async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  await onServer(serverUrl, `drop database if exists ${name} with (force)`);
}

/**
 * Drops a database and the roles of its first start, if there are any. Roles that are still used, by a copy that a failed
 * test file left behind, stay, so that the tear-down goes on.
 */
export async function dropInstallation(serverUrl: string, name: string): Promise<void> {
  const url = onDatabase(serverUrl, name);
  const tables = await onServer(url, "select 1 where to_regclass('installation') is not null");
  const roles =
    tables.length === 0
      ? []
      : await onServer<{ value: string }>(
          url,
          "select value from installation where key in ('app-role', 'service-role')",
        );
  await dropDatabase(serverUrl, name);
  for (const { value } of roles) {
    await onServer(
      serverUrl,
      `do $$ begin
         drop role if exists ${value};
       exception when dependent_objects_still_exist then null;
       end $$`,
    );
  }
}

/** The same server, role and password, with another database. */
export function onDatabase(url: string, name: string): string {
  const parsed = new URL(url);
  parsed.pathname = `/${name}`;
  return parsed.toString();
}
