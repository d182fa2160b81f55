import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CompanyExport, CompanyId, ConnectionId, UserId } from "@balcao/contract";
import { addDays } from "date-fns/addDays";
import type { SQL } from "drizzle-orm";
import { sql } from "drizzle-orm";
import pg from "pg";
import { beforeAll, expect, test } from "vitest";
import { channelTables } from "../../app.ts";
import { linkLine } from "../../channels/simulator/line.ts";
import { sweepExportsAcrossCompanies } from "../../features/companies/exports.ts";
import type { ArchiveEntry } from "../../platform/archive/archive.ts";
import { readArchive } from "../../platform/archive/archive.ts";
import type { Database } from "../../platform/db/database.ts";
import { openMediaFolder } from "../../platform/media/media-store.ts";
import { createSeal } from "../../platform/secrets/seal.ts";
import { systemSources } from "../../platform/sources.ts";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import { atEndOfFile } from "../../testing/end-of-file.ts";
import { PASSWORD } from "../../testing/given.ts";
import { createRows } from "../../testing/guarantees/rows.ts";
import type { Side } from "../../testing/guarantees/sides.ts";
import { createSide } from "../../testing/guarantees/sides.ts";
import { writeCompanyArchive } from "./export.ts";
import type { ImportWish } from "./import.ts";
import { importCompany } from "./import.ts";
import type { TravellingTable } from "./rows.ts";
import { travellingTables } from "./rows.ts";
import { leftBehind, tableRules } from "./tables.ts";

/** The installation that the company leaves, whose ids are far above those of the other one, and that to which it moves. */
const here = await testApp({ environment: { ROLES: "http" } });
const there = await testApp({ scheduleLookMs: 50 });

const FIRST_OLD_ID = 700_000_000;
/** An id of `here`, in any text; not digits within a UUID or a hash. */
const oldId = /(?<![\w.-])(7\d{8}|17000\d{5})(?![\w-])/g;

const reader = ({ db }: { db: Database }) => ({
  run: <Row>(statement: SQL): Promise<Row[]> =>
    db.acrossCompanies((tx) => tx.query<Row>(statement)),
});
const { run } = reader(here.database);
const { run: runThere } = reader(there.database);

let side: Side;
let mark: string;
let tables: TravellingTable[];
let archive: Buffer;

beforeAll(async () => {
  const client = new pg.Client({ connectionString: here.database.ownerUrl });
  await client.connect();
  atEndOfFile(() => client.end());
  tables = await travellingTables(client, channelTables);
  await run(sql`
    select setval(schemaname || '.' || sequencename, case when sequencename = 'queue_option_drafts_id_seq'
      then 1700000000 else ${FIRST_OLD_ID} + 1000000 * row_number() over (order by sequencename) end)
    from pg_sequences where schemaname = 'public' and sequencename <> 'companies_id_seq'`);
  side = await createSide(here);
  const rows = await createRows(here, side, "admin");
  ({ mark } = rows);
  await fillTheRest(side, rows);
  archive = await exported(side.company.id);
});

/** Rows for what the product's tests leave empty, and ids in texts. */
async function fillTheRest(
  { company: { id }, queueId }: Side,
  rows: Awaited<ReturnType<typeof createRows>>,
): Promise<void> {
  const { userId, colleagueId, ticketId, contactId, tagId, connectionId, noteId, promptId } = rows;
  const [attendance] = await run<{ id: number }>(
    sql`select id from attendances where company_id = ${id} and ticket_id = ${ticketId} limit 1`,
  );
  const filter = {
    queueIds: [queueId],
    tagIds: [tagId],
    userIds: [userId],
    connectionIds: [connectionId],
  };
  const statements = [
    sql`insert into contact_events (company_id, contact_id, change, user_id, at) values (${id}, ${contactId}, '{"kind":"optOutEnded"}', ${userId}, now())`,
    sql`update users u set role_id = ${rows.roleId} where u.id = ${rows.colleagueId}`,
    sql`insert into contact_tags (company_id, contact_id, tag_id) values (${id}, ${contactId}, ${tagId}) on conflict do nothing`,
    sql`insert into privacy_settings (company_id, media_days, text_pt) values (${id}, 365, 'Aviso')`,
    sql`insert into legal_holds (company_id, contact_id, reason, user_id) values (${id}, ${contactId}, 'Processo', ${userId})`,
    sql`insert into privacy_notices (company_id, contact_id) values (${id}, ${contactId})`,
    sql`insert into push_choices (company_id, user_id, choices) values (${id}, ${userId}, '{}')`,
    sql`insert into company_usage (company_id, month, messages, counted_at) values (${id}, '2026-10-01', 7, now())`,
    sql`insert into drafts (company_id, user_id, ticket_id, body) values (${id}, ${userId}, ${ticketId}, 'a\\b	c
d') on conflict do nothing`,
    sql`insert into mention_notices (company_id, note_id, user_id) values (${id}, ${noteId}, ${colleagueId})`,
    sql`insert into ticket_pins (company_id, user_id, ticket_id) values (${id}, ${userId}, ${ticketId})`,
    sql`insert into lane_moves (company_id, ticket_id, tag_id, user_id, moved_at) values (${id}, ${ticketId}, ${tagId}, ${userId}, now())`,
    sql`insert into distinct_contacts (company_id, contact_id, other_id)
        values (${id}, least(${rows.freeContactId}::int, ${contactId}::int), greatest(${rows.freeContactId}::int, ${contactId}::int))`,
    sql`insert into connection_queues (company_id, connection_id, queue_id) values (${id}, ${connectionId}, ${queueId}) on conflict do nothing`,
    sql`insert into cloud_message_ids (company_id, connection_id, provider_id, wamid) values (${id}, ${connectionId}, 'a', 'b')`,
    sql`insert into known_numbers (company_id, key, number, checked_at) values (${id}, '5511', '5511', now())`,
    sql`insert into phone_book_entries (company_id, connection_id, number_normal, number, name, updated_at) values (${id}, ${connectionId}, '5511', '5511', 'Ana', now())`,
    sql`insert into prompt_days (company_id, prompt_id, day) values (${id}, ${promptId}, '2026-10-01')`,
    sql`insert into prompt_tickets (company_id, prompt_id, ticket_id, day) values (${id}, ${promptId}, ${ticketId}, '2026-10-01')`,
    sql`insert into ai_service_days (company_id, day) values (${id}, '2026-10-01')`,
    // An option that is published, with one below it that is not.
    sql`insert into queue_option_drafts (id, company_id, queue_id, parent_id, number, title, message) overriding system value
        select id, company_id, queue_id, null, 8, title, message from queue_options where company_id = ${id} and parent_id is null limit 1`,
    sql`insert into queue_option_drafts (company_id, queue_id, parent_id, number, title, message)
        select company_id, queue_id, id, 1, title, message from queue_option_drafts where company_id = ${id} limit 1`,
    sql`insert into campaign_settings (company_id, key, value) values (${id}, 'messageInterval', '20')`,
    sql`insert into payers (company_id, data) values (${id}, '{"name":"Loja"}')`,
    sql`insert into attendant_turns (company_id, ticket_id, attendance_id, due_at, handled_seq)
        select ${id}, ${ticketId}, ${attendance?.id ?? null}, now(), max(seq) from messages where company_id = ${id}
        on conflict (company_id, ticket_id) do update set attendance_id = excluded.attendance_id, handled_seq = excluded.handled_seq`,
    sql`insert into target_misses (company_id, ticket_id, queue_id, user_id, kind, minutes, started_at)
        values (${id}, ${ticketId}, ${queueId}, ${userId}, 'first', 5, now())`,
    sql`insert into ratings (company_id, attendance_id, ticket_id, user_id, rate) values (${id}, ${attendance?.id ?? 0}, ${ticketId}, ${userId}, 3)`,
    sql`with put_off as (insert into ticket_snoozes (company_id, attendance_id, user_id) values (${id}, ${attendance?.id ?? 0}, ${userId}) returning id)
        update tickets set snooze_id = put_off.id from put_off where company_id = ${id} and tickets.id = ${ticketId}`,
    sql`update ticket_views set filter = filter || ${JSON.stringify(filter)}::jsonb where company_id = ${id}`,
    sql`update contact_lists set filter = ${JSON.stringify({ tags: [tagId], whatsappIds: [connectionId] })} where company_id = ${id}`,
    sql`update ticket_notes set mentions = ${JSON.stringify([
      { kind: "user", id: colleagueId, name: "Ana" },
      { kind: "queue", id: queueId, name: "Fila" },
    ])} where company_id = ${id}`,
    sql`update chat_messages set mentions = ${JSON.stringify([{ id: colleagueId, name: "Ana" }])} where company_id = ${id}`,
    sql`insert into message_reactions (company_id, message_id, author, contact_id, emoji)
        select company_id, id, 'contact:' || ${contactId}, ${contactId}, '👍' from messages
        where company_id = ${id} and ticket_id = ${ticketId} limit 1 on conflict do nothing`,
    sql`update messages m set quoted_message_id = o.id from messages o
        where m.company_id = ${id} and o.company_id = ${id} and m.id = ${rows.messageId} and o.id = ${rows.sentMessageId}`,
    sql`update connections set expires_ticket_minutes = 30 where company_id = ${id}`,
    sql`insert into files (company_id, key, mime, is_whole) values (${id}, ${FILE}, 'text/plain', true)`,
    sql`update queues set file_key = ${FILE}, file_name = 'a.txt' where company_id = ${id} and id = ${queueId}`,
  ];
  for (const statement of statements) await run(statement);
  const folder = join(here.dataDir, "media", `company${id}`);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, FILE), mark);
}

const FILE = "0198d3a4-0000-7000-8000-000000000001.txt";

async function exported(companyId: CompanyId): Promise<Buffer> {
  const store = await openMediaFolder(join(here.dataDir, "media"));
  const deps = { appUrl: here.database.appUrl, channelTables, store, version: "1.0.0" };
  const chunks: Uint8Array[] = [];
  for await (const chunk of writeCompanyArchive(deps, companyId)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

const open = (bytes: Uint8Array): AsyncIterable<ArchiveEntry> =>
  readArchive(
    (async function* () {
      yield bytes;
    })(),
    null,
  );

async function imported(wish: ImportWish = {}, source = () => open(archive)): Promise<CompanyId> {
  const { ownerUrl, secrets } = there.database;
  const store = await openMediaFolder(join(there.dataDir, "media"));
  const { random, ids } = systemSources;
  const deps = { ownerUrl, channelTables, store, seal: createSeal(secrets.seal), random, ids };
  await addPlan();
  return (await importCompany(deps, source, wish)).companyId;
}

/** The company's plan has the same name there. */
async function addPlan(): Promise<void> {
  const [plan] = await run<{ name: string }>(sql`
    select p.name from plans p join companies c on c.plan_id = p.id where c.id = ${side.company.id}`);
  await runThere(sql`
    insert into plans (name, users, connections, queues, value_cents) values (${plan?.name}, 500, 500, 500, 0)
    on conflict do nothing`);
}

/** All rows of a company in a table, without ids and without what an import changes. */
async function contentOf(
  read: typeof run,
  { name, companyColumn, arriving, columns }: TravellingTable,
  id: CompanyId,
): Promise<unknown> {
  const changed = new Set(
    arriving
      .filter((column) => /^(int|uuid|jsonb|bytea)/.test(column.type) || !columns.includes(column))
      .map((column) => column.name)
      .concat(CHANGED[name] ?? []),
  );
  const kept = arriving.map((column) => column.name).filter((column) => !changed.has(column));
  const where = tableRules[name]?.where ?? "true";
  return read(sql`
    select md5(string_agg(line, chr(10) order by line)) as sum, count(*)::int as count
    from (select row(${sql.raw(kept.map((one) => `"${one}"`).join(", ") || "1")})::text as line
            from ${sql.identifier(name)}
           where ${sql.identifier(companyColumn)} = ${id} and (${sql.raw(where)})) lines`);
}

const CHANGED: Record<string, string[]> = {
  companies: ["name"],
  connections: ["wanted"],
  attendant_turns: ["due_at", "waiting_since"],
  message_reactions: ["author"],
  chats: ["direct_pair"],
  messages: ["failed_code", "undo_until"],
  message_media: ["state"],
  campaigns: ["status", "cancelled_at"],
  campaign_recipients: ["status", "error_code"],
  schedules: ["status", "error_code", "due_at"],
};

test("each table of companies is exported or named with a reason; each column with an id gets a new one", async () => {
  const found = await run<{ name: string }>(sql`
    select table_name as name from information_schema.columns
    where table_schema = 'public' and column_name = 'company_id'`);
  const names = new Set(tables.map(({ name }) => name));
  expect(
    found.map(({ name }) => name).filter((name) => !names.has(name) && !(name in leftBehind)),
  ).toEqual([]);
  expect(Object.keys(leftBehind).filter((name) => names.has(name))).toEqual([]);
  const unmapped = tables.flatMap(({ name, companyColumn, columns }) =>
    columns
      .filter(({ name: column, type, isIdentity, target }) => {
        const looksLikeId = /(^|_)(id|ids|by|seq)$/.test(column) && /^_?int/.test(type);
        const isMapped =
          isIdentity || target !== null || tableRules[name]?.ids?.[column] !== undefined;
        return looksLikeId && column !== companyColumn && !isMapped;
      })
      .map((column) => `${name}.${column.name}`),
  );
  expect(unmapped).toEqual([]);
  expect(
    tables.flatMap(({ name, columns }) =>
      columns.filter(({ type }) => type === "bytea").map((one) => `${name}.${one.name}`),
    ),
  ).toEqual([]);
});

test("an imported company has the same content under new ids, and nothing of it starts by itself", async () => {
  const id = await imported();
  const faults = new Set<string>();
  for (const table of tables) {
    expect([table.name, await contentOf(runThere, table, id)]).toEqual([
      table.name,
      await contentOf(run, table, side.company.id),
    ]);
    const rows = await runThere<{ text: string }>(sql`
      select to_jsonb(its)::text as text from ${sql.identifier(table.name)} its
      where ${sql.identifier(table.companyColumn)} = ${id}`);
    if (rows.length === 0) faults.add(`${table.name} has no row`);
    for (const { text } of rows) {
      for (const [found] of text.matchAll(oldId))
        faults.add(`${table.name}: ${found} in ${text.slice(0, 300)}`);
    }
  }
  expect([...faults]).toEqual([]);
  expect(await readdir(join(there.dataDir, "media", `company${id}`))).toContain(FILE);
  expect(
    await runThere(sql`
      select (select count(*)::int from users where company_id = ${id} and super) as supers,
             (select count(*)::int from connections where company_id = ${id} and (wanted or status <> 'DISCONNECTED' or token <> '')) as running,
             (select count(*)::int from campaigns where company_id = ${id} and status in ('EM_ANDAMENTO', 'PROGRAMADA')) as campaigns,
             (select count(*)::int from outbound where company_id = ${id}) as outbound,
             (select count(*)::int from webhooks where company_id = ${id} and stopped_at is null) as webhooks,
             (select count(*)::int from integrations where company_id = ${id} and stopped_at is null) as integrations,
             (select count(*)::int from attendant_turns where company_id = ${id} and due_at is not null) as turns`),
  ).toEqual([
    { supers: 0, running: 0, campaigns: 0, outbound: 0, webhooks: 0, integrations: 0, turns: 0 },
  ]);
  const [order] = await runThere<{ isKept: boolean }>(sql`
    select bool_and(place = seq_place) as "isKept" from (
      select row_number() over (order by created_at, id) as place, row_number() over (order by seq) as seq_place
      from messages where company_id = ${id} and created_at in (
        select created_at from messages where company_id = ${id} group by 1 having count(*) = 1)) its`);
  expect(order).toEqual({ isKept: true });
});

test("a company that moved answers there: its people sign in, and a customer's message opens a ticket", async () => {
  const id = await imported({ name: "Outra loja", emailSuffix: "+2" });
  const [admin] = await run<{ email: string }>(
    sql`select email from users where id = ${side.people.admin.id}`,
  );
  const email = (admin?.email ?? "").replace("@", "+2@");
  const session = await there.anonymous.post<{ token: string; user: { companyId: number } }>(
    "/auth/login",
    { email, password: PASSWORD },
  );
  expect([session.status, session.body.user.companyId]).toEqual([200, id]);

  const [line] = await runThere<{ id: ConnectionId }>(sql`
    select id from connections where company_id = ${id} and channel = 'simulator' and deleted_at is null order by id limit 1`);
  const connectionId = line?.id ?? expect.unreachable();
  await there.database.db.acrossCompanies(async (tx) => {
    await linkLine(tx, { companyId: id, connectionId });
    await tx.query(sql`update connections set wanted = true where id = ${connectionId}`);
    await tx.query(sql`select pg_notify('balcao_wake', 'connections')`);
  });
  const reply = await fetch(
    `${there.url}/api/simulator/connections/${connectionId}/chats/5511988887777/messages`,
    {
      method: "POST",
      headers: {
        authorization: `Bearer ${session.body.token}`,
        "content-type": "application/json",
      },
      body: JSON.stringify({ body: "Cheguei na casa nova" }),
    },
  );
  expect(reply.status).toBe(200);
  const arrived = () =>
    runThere(sql`
      select t.status, t.unread_messages as unread from messages m join tickets t on t.id = m.ticket_id
      where m.company_id = ${id} and m.body = 'Cheguei na casa nova'
        and m.seq = (select max(seq) from messages where company_id = ${id} and not from_me)`);
  await expect.poll(arrived).toEqual([{ status: "pending", unread: 1 }]);
});

test("a name, an e-mail or a plan that does not fit is refused, and nothing stays", async () => {
  const id = await imported({ name: "Primeira", emailSuffix: "+3" });
  const before = await runThere(sql`select id from companies order by id`);
  await expect(imported({ name: "Primeira", emailSuffix: "+4" })).rejects.toThrow("--name");
  await expect(imported({ name: "Segunda", emailSuffix: "+3" })).rejects.toThrow(
    /already belong to users here: .*\+3@/,
  );
  await expect(imported({ name: "Segunda", emailSuffix: "+4", plan: "?" })).rejects.toThrow(
    "--plan",
  );
  const other = async function* (): AsyncGenerator<ArchiveEntry> {
    for await (const entry of open(archive)) {
      if (entry.type === "header") entry.header.migration = "0001_other";
      yield entry;
    }
  };
  await expect(imported({ name: "Segunda" }, other)).rejects.toThrow("0001_other");
  expect(await runThere(sql`select id from companies order by id`)).toEqual(before);
  expect(before).toContainEqual({ id });
});

test("an import that fails half way leaves nothing; what a killed one left is removed by the next", async () => {
  const before = await runThere(sql`select id from companies order by id`);
  let reads = 0;
  const failing = async function* (): AsyncGenerator<ArchiveEntry> {
    reads += 1;
    for await (const entry of open(archive)) {
      if (reads > 1 && entry.type === "file") throw new Error("the disk is away");
      yield entry;
    }
  };
  const wish = { name: "Terceira", emailSuffix: "+5" };
  await expect(imported(wish, failing)).rejects.toThrow("the disk is away");
  expect(await runThere(sql`select id from companies order by id`)).toEqual(before);

  const [killed] = await runThere<{ id: CompanyId }>(sql`
    insert into companies (name, email, plan_id, status) select 'Terceira', '', min(id), false from plans returning id`);
  await runThere(sql`
    insert into company_archives (id, company_id, kind, state, requester_name)
    values (gen_random_uuid(), ${killed?.id}, 'import', 'running', '')`);
  const folder = join(there.dataDir, "media", `company${killed?.id}`);
  await mkdir(folder, { recursive: true });
  await imported(wish);
  expect(await runThere(sql`select from companies where id = ${killed?.id}`)).toEqual([]);
  await expect(readdir(folder)).rejects.toThrow("ENOENT");
});

/** The archive of an export, once it is written. */
async function exportedThere(product: TestApp, companyId: CompanyId) {
  const admin = await product.given.admin({ company: await product.given.company(), super: true });
  const api = product.as(admin);
  const asked = await api.post<CompanyExport>(`/companies/${companyId}/exports`);
  expect(asked.status).toBe(200);
  const list = async () =>
    (await api.get<{ exports: CompanyExport[] }>(`/companies/${companyId}/exports`)).body.exports;
  await expect.poll(async () => (await list())[0]?.state).toBe("done");
  return { admin, api, list, address: `/companies/${companyId}/exports/${asked.body.id}/file` };
}

test("a super user exports a company on the page: only that user downloads it, for a day", async () => {
  const company = await there.given.company();
  const agent = await there.given.admin({ company });
  const { admin, list, address } = await exportedThere(there, company.id);
  expect(await list()).toMatchObject([
    { state: "done", progress: 100, isMine: true, requesterName: expect.any(String) },
  ]);
  const download = (token: string) =>
    fetch(`${there.url}/api${address}`, { headers: { authorization: `Bearer ${token}` } });
  const reply = await download(admin.token);
  const bytes = Buffer.from(await reply.arrayBuffer());
  const kinds = new Set<string>();
  for await (const { type } of open(bytes)) kinds.add(type);
  expect([...kinds]).toEqual(["header", "rows", "manifest"]);

  const another = await there.given.admin({ company: await there.given.company(), super: true });
  expect((await download(another.token)).status).toBe(404);
  expect((await download(agent.token)).status).toBe(403);
  expect((await fetch(`${there.url}/api${address}`)).status).toBe(401);
  const folder = join(there.dataDir, "company-archives", `company${company.id}`);
  expect(await readdir(folder)).toHaveLength(1);
  const { db } = there.database;
  const archives = await openMediaFolder(join(there.dataDir, "company-archives"));
  await sweepExportsAcrossCompanies({ db, clock: there.clock, archives });
  expect((await list())[0]?.state).toBe("done");
  const clock = { now: () => addDays(there.clock.now(), 1) };
  await sweepExportsAcrossCompanies({ db, clock, archives });
  expect([await readdir(folder), (await download(admin.token)).status]).toEqual([[], 404]);
  expect(await list()).toMatchObject([{ state: "expired", isMine: true, expiresAt: null }]);
  await exportedThere(there, company.id);
  expect(await readdir(folder)).toHaveLength(1);
  expect((await there.as(another).delete(`/companies/${company.id}`)).status).toBe(200);
  await expect(readdir(folder)).rejects.toThrow("ENOENT");
});

test("nothing of a deleted company is found: no name, address or text of it in any table, and no file", async () => {
  const { id } = side.company;
  const [{ name } = expect.unreachable()] = await run<{ name: string }>(
    sql`select name from companies where id = ${id}`,
  );
  const emails = await run<{ email: string }>(
    sql`select email from users where company_id = ${id}`,
  );
  const ids: readonly UserId[] = Object.values(side.people).map((one) => one.id);
  await run(sql`update users set super = false where id = any (${sql.param(ids)})`);
  // Rows of the provider that the test's own makers have named after the company.
  await run(sql`delete from brands`);
  await run(sql`delete from helps`);
  await run(sql`update plans set name = id::text`);
  await run(sql`update companies set name = id::text where id <> ${id}`);
  // Their renaming is in the audit, with names that begin like the company's.
  await run(sql`delete from audit_entries where company_id <> ${id}`);
  const needles = [mark, name, ...emails.map(({ email }) => email)];
  expect(await found(needles)).not.toEqual([]);
  const provider = await here.given.admin({ company: await here.given.company(), super: true });
  expect((await here.as(provider).delete(`/companies/${id}`)).status).toBe(200);
  expect(await found(needles)).toEqual([]);
  for (const store of ["media", "simulator", "company-archives"]) {
    expect(await readdir(join(here.dataDir, store))).not.toContain(`company${id}`);
  }
});

/** The tables that have one of the texts in any column. */
async function found(needles: readonly string[]): Promise<string[]> {
  const all = await run<{ name: string }>(sql`
    select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'`);
  const names: string[] = [];
  for (const { name } of all) {
    const rows = await run(sql`
      select from ${sql.identifier(name)} its
      where exists (select from unnest(${sql.param(needles)}::text[]) needle where strpos(its::text, needle) > 0) limit 1`);
    if (rows.length > 0) names.push(name);
  }
  return names;
}
