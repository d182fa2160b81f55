import type { CompanyId, ReplyOf } from "@balcao/contract";
import type { SQL } from "drizzle-orm";
import { sql } from "drizzle-orm";
import { v7 } from "uuid";
import { beforeAll, expect, test } from "vitest";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenTicket } from "../../testing/given.ts";
import { countFilesAcrossCompanies, countMessagesAcrossCompanies } from "./index.ts";

let app: TestApp;
let ticket: GivenTicket;
let companyId: CompanyId;
beforeAll(async () => {
  app = await testApp({ environment: { ROLES: "http" } });
  ticket = await app.given.ticket({ company: await app.given.company() });
  ({ companyId } = ticket);
  await run(sql`update companies set created_at = '2026-02-01'`);
});

const run = <Row>(statement: SQL): Promise<Row[]> =>
  app.database.db.acrossCompanies((tx) => tx.query<Row>(statement));

let number = 0;
/** A message with its time, and when it was stored if that was later. */
async function store(createdAt: string, { storedAt = createdAt, hasFile = false } = {}) {
  number += 1;
  const id = v7({ msecs: Date.parse(storedAt) });
  await run(sql`
    insert into messages (company_id, id, ticket_id, provider_id, body, from_me, read, ack, media_type, created_at)
    values (${companyId}, ${id}, ${ticket.id}, ${`U-${number}`}, '', true, true, 3, 'conversation', ${createdAt})`);
  if (!hasFile) return;
  await run(sql`
    insert into message_media (company_id, message_id, kind, state, name, mime)
    values (${companyId}, ${id}, 'image', 'failed', 'foto.jpg', 'image/jpeg')`);
}

const at = (moment: string) => ({
  db: app.database.db,
  clock: { now: () => new Date(moment) },
});
const count = (moment: string) => countMessagesAcrossCompanies(at(moment));
const usage = async () => {
  const rows = await run<{ month: string; messages: number; media: number; bytes: number }>(sql`
    select month, messages, media, file_bytes::int as bytes from company_usage where company_id = ${companyId} order by month`);
  return rows.map(({ month, messages, media, bytes }) => [month, messages, media, bytes]);
};

test("messages are counted once in the month of the company's calendar, late ones too", async () => {
  // In São Paulo it is still February.
  await store("2026-03-01T02:59:59.999Z");
  await store("2026-03-01T03:00:00.000Z");
  await store("2026-03-10T11:00:00.000Z", { hasFile: true });
  // Its transaction may still run.
  await store("2026-03-10T11:58:00.000Z");
  await count("2026-03-10T12:00:00.000Z");
  expect(await usage()).toEqual([["2026-03-01", 2, 1, 0]]);
  await Promise.all([count("2026-03-10T12:00:00.000Z"), count("2026-03-10T12:01:00.000Z")]);
  expect(await usage()).toEqual([["2026-03-01", 2, 1, 0]]);

  await store("2026-03-02T10:00:00.000Z", { storedAt: "2026-03-10T12:30:00.000Z" });
  await store("2025-01-05T10:00:00.000Z", { storedAt: "2026-03-10T12:30:00.000Z" });
  await Promise.all([count("2026-03-10T13:00:00.000Z"), count("2026-03-10T13:00:00.000Z")]);
  expect(await usage()).toEqual([["2026-03-01", 4, 1, 0]]);

  await store("2026-04-01T02:30:00.000Z");
  await store("2026-04-01T03:30:00.000Z", { hasFile: true });
  await count("2026-04-01T04:00:00.000Z");
  // A process whose clock is behind counts nothing again.
  await count("2026-04-01T03:40:00.000Z");
  await count("2026-04-01T05:00:00.000Z");
  expect(await usage()).toEqual([
    ["2026-03-01", 5, 1, 0],
    ["2026-04-01", 1, 1, 0],
  ]);
});

test("the bytes of all files are summed, and stay when the next month begins", async () => {
  const add = (key: string, bytes: number) =>
    run(sql`insert into files (company_id, key, mime, bytes, is_whole)
            values (${companyId}, ${key}, 'image/jpeg', ${bytes}, true)`);
  await add("a.jpg", 1_000);
  await add("b.jpg", 24);
  const months = await usage();
  await count("2026-05-02T05:00:00.000Z");
  await countFilesAcrossCompanies(at("2026-05-02T05:02:00.000Z"));
  expect(await usage()).toEqual([...months, ["2026-05-01", 0, 0, 1_024]]);
  await run(sql`delete from files where company_id = ${companyId} and key = 'a.jpg'`);
  await countFilesAcrossCompanies(at("2026-05-02T11:02:00.000Z"));
  await countFilesAcrossCompanies(at("2026-05-02T11:02:00.000Z"));
  await count("2026-06-02T05:00:00.000Z");
  expect((await usage()).slice(-2)).toEqual([
    ["2026-05-01", 0, 0, 24],
    ["2026-06-01", 0, 0, 24],
  ]);
});

test("the list tells the usage of this month and orders by it", async () => {
  const provider = await app.given.admin({ company: await app.given.company(), super: true });
  const [busy, quiet, unknown] = await Promise.all([1, 2, 3].map(() => app.given.company()));
  if (!busy || !quiet || !unknown) throw new Error("three companies were given");
  const month = (shift: string) =>
    sql.raw(
      `to_char((now() at time zone 'America/Sao_Paulo') - interval '${shift}', 'YYYY-MM-01')`,
    );
  await run(sql`
    insert into company_usage (company_id, month, messages, media, file_bytes, counted_at) values
      (${busy.id}, ${month("0")}, 9871, 1204, 7800000000, now()),
      (${busy.id}, ${month("1 month")}, 20000, 4000, 9, now()),
      (${quiet.id}, ${month("1 month")}, 31560, 9, 22400000000, now())`);
  const list = async (order: string) => {
    const path = `/companies?order=${order}&descending=true`;
    return (await app.as(provider).get<ReplyOf<"GET /companies">>(path)).body.companies;
  };
  const byMessages = await list("messages");
  const of = (id: number) => byMessages.find((company) => company.id === id)?.usage;
  const countedAt = expect.stringMatching(/Z$/);
  expect(of(busy.id)).toEqual({ messages: 9871, media: 1204, fileBytes: 7.8e9, countedAt });
  expect(of(quiet.id)).toEqual({ messages: 0, media: 0, fileBytes: 22.4e9, countedAt });
  expect(of(unknown.id)).toEqual({ messages: 0, media: 0, fileBytes: 0, countedAt: null });
  expect(byMessages[0]?.id).toBe(busy.id);
  expect((await list("fileBytes"))[0]?.id).toBe(quiet.id);
});
