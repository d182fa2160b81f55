import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SQL } from "drizzle-orm";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import type { FileReference } from "../../platform/db/references.ts";
import { fileReferences } from "../../platform/db/references.ts";
import { systemSources } from "../../platform/sources.ts";
import { storage } from "./testing/storage.ts";

const HOUR_MS = 3_600_000;
const { media, given, database, clock, folder, stored } = await storage();

const store = async (companyId: Parameters<typeof media.openFile>[0]) => {
  const content = (async function* () {
    yield Buffer.from("texto");
  })();
  const file = await media.storeFile(companyId, { name: "a.txt", content }, { accept: "any" });
  return file.key;
};

/** A row with the file in the column, and any value where there must be one: what it refers to besides need not exist. */
async function insertRow(reference: FileReference & Kept): Promise<void> {
  const { table, companyColumn, column, companyId, key } = reference;
  await database.db.acrossCompanies(async (tx) => {
    const others = await tx.query<{ name: string; type: string }>(sql`
      select column_name as name, udt_name as type from information_schema.columns
      where table_schema = 'public' and table_name = ${table} and column_name not in (${companyColumn}, ${column})
        and is_nullable = 'NO' and column_default is null and is_identity = 'NO' and is_generated = 'NEVER'`);
    const values = others.map(
      ({ name, type }) =>
        anyValue[type] ?? expect.unreachable(`no value for ${table}.${name}: ${type}`),
    );
    const names = [companyColumn, column, ...others.map(({ name }) => name)];
    await tx.query(sql`set local session_replication_role = replica`);
    await tx.query(sql`
      insert into ${sql.identifier(table)} (${sql.join(
        names.map((name) => sql.identifier(name)),
        sql`, `,
      )}) values (${sql.join([sql`${companyId}`, sql`${key}`, ...values], sql`, `)})`);
  });
}

type Kept = { companyId: number; key: string };
const anyValue: Record<string, SQL> = {
  bool: sql`false`,
  int2: sql`1`,
  int4: sql`1`,
  jsonb: sql`'{}'`,
  text: sql`'any'`,
  timestamptz: sql`now()`,
  uuid: sql`gen_random_uuid()`,
};

test("a file without references is deleted after an hour; a referenced one stays", async () => {
  const { id } = await given.company();
  const kept: string[] = [];
  for (const reference of fileReferences) {
    const key = await store(id);
    kept.push(key);
    await insertRow({ ...reference, companyId: id, key });
  }
  const orphan = await store(id);

  clock.advance(HOUR_MS - 60_000);
  await media.sweepOrphans();
  expect((await stored()).rows).toHaveLength(fileReferences.length + 1);

  clock.advance(61_000);
  const young = await store(id);
  await media.sweepOrphans();
  const { files, rows } = await stored();
  expect(new Set(rows)).toEqual(new Set([...kept, young]));
  expect(files).toEqual(rows);
  expect(rows).not.toContain(orphan);
});

test("an interrupted upload is deleted after an hour, with its row", async () => {
  const { id } = await given.company();
  const key = `${systemSources.ids.uuid()}.mp4`;
  await database.db.acrossCompanies((tx) =>
    tx.query(sql`
      insert into files (company_id, key, mime, created_at) values (${id}, ${key}, 'video/mp4', ${clock.now()})`),
  );
  const rest = join(folder, "incoming", key);
  await writeFile(rest, "half");
  await utimes(rest, clock.now(), clock.now());
  await media.sweepOrphans();
  expect((await stored()).rows).toContain(key);
  clock.advance(HOUR_MS + 1_000);
  await media.sweepOrphans();
  const { files, rows } = await stored();
  expect([files.includes(key), rows.includes(key)]).toEqual([false, false]);
});

test("the folder of a company that is gone goes too, others stay", async () => {
  const { id } = await given.company();
  const key = await store(id);
  await mkdir(join(folder, "company999999"));
  await writeFile(join(folder, "company999999", key), "x");
  await media.sweepOrphans();
  const folders = await readdir(folder);
  expect([folders.includes("company999999"), folders.includes(`company${id}`)]).toEqual([
    false,
    true,
  ]);
});

test("the file of a message that was deleted for everyone goes once the network cannot refuse that any more", async () => {
  const { id } = await given.company();
  const ticket = await given.ticket({ company: { id, name: "" } });
  const revoked = async (state: "queued" | "sent" | "unconfirmed", hours: number) => {
    const [file, thumbnail] = [await store(id), await store(id)];
    const messageId = await given.message(ticket, { fromMe: true });
    await database.db.acrossCompanies(async (tx) => {
      await tx.query(sql`update messages set is_deleted = true where id = ${messageId}`);
      await tx.query(sql`
        insert into message_media (company_id, message_id, kind, state, file_key, thumbnail_key, name, mime)
        values (${id}, ${messageId}, 'document', 'ready', ${file}, ${thumbnail}, 'a', 'text/plain')`);
      await tx.query(sql`
        insert into outbound (company_id, connection_id, message_id, chat_key, to_kind, to_value, provider_id,
          command, body, state, attempted_at)
        select company_id, connection_id, id, 'chat', 'pn', '1', provider_id, 'revoke', '{}', ${state},
          now() - ${hours} * interval '1 hour'
        from messages where id = ${messageId}`);
    });
    return { messageId, keys: [file, thumbnail].map(String) };
  };
  const waiting = await revoked("queued", 2);
  const young = await revoked("sent", 0);
  const written = await revoked("sent", 2);
  const lost = await revoked("unconfirmed", 2);
  clock.advance(HOUR_MS + 1_000);
  await media.sweepOrphans();
  const { files, rows } = await stored();
  const left = (keys: string[]) => keys.map((key) => [files.includes(key), rows.includes(key)]);
  for (const { keys } of [waiting, young]) expect(left(keys).flat()).not.toContain(false);
  for (const { keys } of [written, lost]) expect(left(keys).flat()).not.toContain(true);
  const shown = await database.db.acrossCompanies((tx) =>
    tx.query(
      sql`select state, file_key from message_media where message_id = ${written.messageId}`,
    ),
  );
  expect(shown).toEqual([{ state: "unavailable", file_key: null }]);
});

test("removing keeps referenced files", async () => {
  const { id } = await given.company();
  const [used, unused] = [await store(id), await store(id)];
  await database.db.acrossCompanies((tx) =>
    tx.query(
      sql`insert into quick_messages (company_id, shortcode, file_key) values (${id}, 'a', ${used})`,
    ),
  );
  await media.removeUnused(id, [used, unused, "never.txt"]);
  expect(await media.openFile(id, unused)).toBeNull();
  expect(await media.openFile(id, used)).not.toBeNull();
});
