import { randomBytes } from "node:crypto";
import pg from "pg";

/** Runs one statement on a server, in a session of its own. */
export async function onServer(serverUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/**
 * Makes a database on the server, empty or as a copy of `template`, which nobody may be connected to. Copying files is
 * quicker than the default way through the log, because a template is small and the server need not be durable.
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

/** Drops a database and the role that its migrations made, if they made one. */
export async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  await onServer(serverUrl, `drop database if exists ${name} with (force)`);
  await onServer(serverUrl, `drop role if exists ${name}_app`);
}

/** The same server, role and password, with another database. */
export function onDatabase(url: string, name: string): string {
  const parsed = new URL(url);
  parsed.pathname = `/${name}`;
  return parsed.toString();
}
