import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
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

test("what nothing refers to goes after a day; what something refers to stays", async () => {
  const { id } = await given.company();
  const [orphan, ofMessage, thumbnail, ofAnswer, ofSchedule, ofQueue, ofOption] = await Promise.all(
    Array.from({ length: 7 }, () => store(id)),
  );
  const queueId = await given.queue({ company: { id, name: "" } });
  const ticket = await given.ticket({ company: { id, name: "" } });
  const messageId = await given.message(ticket);
  await database.db.acrossCompanies(async (tx) => {
    await tx.query(sql`
      insert into message_media (company_id, message_id, kind, state, file_key, thumbnail_key, name, mime)
      values (${id}, ${messageId}, 'document', 'ready', ${ofMessage}, ${thumbnail}, 'a', 'text/plain')`);
    await tx.query(sql`
      insert into quick_messages (company_id, shortcode, file_key) values (${id}, 'a', ${ofAnswer})`);
    await tx.query(sql`
      insert into schedules (company_id, contact_id, body, send_at, due_at, file_key)
      values (${id}, ${ticket.contactId}, 'corpo', now(), now(), ${ofSchedule})`);
    await tx.query(sql`update queues set file_key = ${ofQueue} where id = ${queueId}`);
    await tx.query(sql`
      insert into queue_options (company_id, queue_id, number, title, file_key)
      values (${id}, ${queueId}, 1, 'a', ${ofOption})`);
  });
  const kept = [ofMessage, thumbnail, ofAnswer, ofSchedule, ofQueue, ofOption].map(String);

  clock.advance(HOUR_MS - 60_000);
  await media.sweepOrphans();
  expect((await stored()).rows).toHaveLength(7);

  clock.advance(61_000);
  const young = await store(id);
  await media.sweepOrphans();
  const { files, rows } = await stored();
  expect(new Set(rows)).toEqual(new Set([...kept, young]));
  expect(files).toEqual(rows);
  expect(rows).not.toContain(orphan);
});

test("what was interrupted goes after an hour, row and rest", async () => {
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

test("removing keeps what something refers to", async () => {
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
