import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CompanyId, MessageId } from "@balcao/contract";
import { weekdays } from "@balcao/contract";
import type { SQL } from "drizzle-orm";
import { sql } from "drizzle-orm";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { createOutbox } from "../../channels/runtime/outbound.ts";
import { seedSimulator } from "../../channels/simulator/index.ts";
import { systemCtx } from "../../platform/context.ts";
import { startWake } from "../../platform/db/wake.ts";
import { createLogger } from "../../platform/logging/logger.ts";
import { createFfmpeg } from "../../platform/media/ffmpeg.ts";
import { openMediaFolder } from "../../platform/media/media-store.ts";
import { systemSources } from "../../platform/sources.ts";
import { quietLog } from "../../testing/app.ts";
import type { TestDatabase } from "../../testing/database.ts";
import { testDatabase } from "../../testing/database.ts";
import { atEndOfFile } from "../../testing/end-of-file.ts";
import { createMediaFeature } from "../media/index.ts";
import type { ChannelHistory } from "./index.ts";
import { createProvisioning } from "./index.ts";

const now = new Date("2026-11-18T14:30:00.000Z");

let database: TestDatabase;
let seeded: ChannelHistory | undefined;
let statementCount = 0;

beforeAll(async () => {
  database = await testDatabase();
  database.statements.take();
  await createProvisioning({
    db: database.db,
    sources: { ...systemSources, clock: { now: () => now } },
    hashPassword: (password) => Promise.resolve(`hash of ${password}`),
    seedChannel: (tx, history) => {
      seeded = history;
      return seedSimulator(tx, history);
    },
    files: await fileStore(),
    log: quietLog(),
  }).firstStart({ demo: true });
  statementCount = database.statements.take().length;
});

/** The company's files in a folder of the test's own. */
async function fileStore() {
  const folder = await mkdtemp(join(tmpdir(), "balcao-demo-"));
  atEndOfFile(() => rm(folder, { recursive: true, force: true }));
  return createMediaFeature({
    db: database.db,
    clock: systemSources.clock,
    ids: systemSources.ids,
    store: await openMediaFolder(folder),
    ffmpeg: createFfmpeg(undefined),
    log: quietLog(),
    secret: database.secrets.accessToken,
    publicUrl: undefined,
  });
}

function select<Row>(statement: SQL): Promise<Row[]> {
  return database.db.acrossCompanies((tx) => tx.query<Row>(statement));
}

test("open and pending tickets have exactly one open attendance, closed ones none but a finished one", async () => {
  const rows = await select<{
    status: string;
    tickets: number;
    open: number;
    finished: boolean;
  }>(sql`
    select status, count(*) as tickets, max(open_count) as open, bool_and(finished_count > 0) as finished
    from (select t.status,
            (select count(*) from attendances a where a.ticket_id = t.id and a.finished_at is null) as open_count,
            (select count(*) from attendances a where a.ticket_id = t.id and a.finished_at is not null) as finished_count
          from tickets t) each
    group by status order by status`);
  expect(rows).toEqual([
    { status: "closed", tickets: 10, open: 0, finished: true },
    { status: "open", tickets: 9, open: 1, finished: false },
    { status: "pending", tickets: 7, open: 1, finished: false },
  ]);
  const without = await select(sql`
    select t.id from tickets t where t.status <> 'closed' and not exists (
      select 1 from attendances a where a.ticket_id = t.id and a.finished_at is null)`);
  expect(without).toEqual([]);
});

test("the ticket's newest attendance is the one it names, with the ticket's agent, queue and times in order", async () => {
  const faults = await select(sql`
    select t.id, t.status from tickets t
    left join attendances a on a.id = t.last_attendance_id and a.company_id = t.company_id
    where a.id is null
      or a.id <> (select max(id) from attendances n where n.ticket_id = t.id)
      or a.ticket_id <> t.id
      or (t.status = 'open' and (a.user_id, a.queue_id) is distinct from (t.user_id, t.queue_id))
      or (t.status = 'open' and (t.user_id is null or t.queue_id is null or a.started_at is null))
      or (t.status = 'pending' and (t.user_id is not null or a.user_id is not null or a.started_at is not null))
      or (t.status = 'pending' and a.queue_id is distinct from t.queue_id)
      or (t.status = 'closed' and (t.user_id is not null or t.queue_id is not null or a.user_id is null
          or a.queue_id is null or a.closed_by is distinct from a.user_id))
      or a.queued_at is null or a.started_at <= a.queued_at or a.finished_at <= a.started_at
      or greatest(a.queued_at, a.started_at, a.finished_at) > ${now}`);
  expect(faults).toEqual([]);
});

test("a ticket's last message is its newest one, and its unread count the inbound messages nobody read", async () => {
  const faults = await select(sql`
    select t.id from tickets t
    left join lateral (select * from messages m where m.ticket_id = t.id
                       order by created_at desc, seq desc limit 1) m on true
    where (t.last_message, t.last_message_id, t.last_message_at, t.last_message_from_me, t.last_message_ack,
           t.last_message_failed, t.last_message_queue_id)
      is distinct from (case when m.is_deleted then '🚫 _Mensagem Apagada_' else m.body end, m.id, m.created_at,
                        m.from_me, m.ack, m.failed_code is not null, m.queue_id)
      or t.updated_at < m.created_at or t.updated_at > ${now}
      or t.unread_messages <> (select count(*) from messages u
                               where u.ticket_id = t.id and not u.from_me and not u.read)
      or (t.status = 'closed' and t.unread_messages > 0)
      or (t.status = 'pending' and t.unread_messages = 0)`);
  expect(faults).toEqual([]);
  const [open] = await select<{ some: number }>(
    sql`select count(*) as some from tickets where status = 'open' and unread_messages > 0`,
  );
  expect(open?.some).toBeGreaterThanOrEqual(3);
});

test("no unread message stands before an agent's reply", async () => {
  const faults = await select(sql`
    select u.id from messages u join messages a on a.ticket_id = u.ticket_id and a.from_me
    where not u.from_me and not u.read and a.created_at > u.created_at`);
  expect(faults).toEqual([]);
});

test("the messages of a ticket follow each other strictly in time, number and storage", async () => {
  const faults = await select(sql`
    select * from (
      select id, created_at, lag(created_at) over before as previous, seq, lag(seq) over storage as stored
      from messages window before as (partition by ticket_id order by seq),
                           storage as (partition by ticket_id order by created_at)) each
    where previous >= created_at or stored >= seq`);
  expect(faults).toEqual([]);
  const [range] = await select<{ fewest: number; most: number }>(sql`
    select min(n) as fewest, max(n) as most from (
      select count(m.id) as n from tickets t left join messages m on m.ticket_id = t.id group by t.id) each`);
  expect(range?.fewest).toBeGreaterThanOrEqual(6);
  expect(range?.most).toBeLessThanOrEqual(20);
});

test("every ticket's contact has the address of its number, and writes for itself only", async () => {
  const faults = await select(sql`
    select t.id from tickets t join contacts c on c.id = t.contact_id
    where not exists (select 1 from contact_addresses a
                      where a.contact_id = c.id and a.kind = 'pn' and a.value = c.number)`);
  expect(faults).toEqual([]);
  const strangers = await select(sql`
    select m.id from messages m join tickets t on t.id = m.ticket_id
    where m.contact_id is distinct from case when m.from_me then null else t.contact_id end`);
  expect(strangers).toEqual([]);
});

test("agents' words carry their signature and their author, and every level of acknowledgement occurs", async () => {
  const unsigned = await select(sql`
    select m.id from messages m left join users u on u.id = m.user_id
    where m.from_me and (u.name is null or not starts_with(m.body, '*' || u.name || E':*\n'))`);
  expect(unsigned).toEqual([]);
  const levels = await select<{ ack: number }>(
    sql`select distinct ack from messages where from_me order by ack`,
  );
  expect(levels.map(({ ack }) => ack)).toEqual([0, 2, 3, 4]);
  const failed = await select(
    sql`select ack, failed_code as code from messages where failed_code is not null`,
  );
  expect(failed).toEqual([{ ack: 0, code: "ERR_SENDING_WAPP_MSG" }]);
});

test("agents answer in their own queues, and pending tickets wait with and without a queue up to two days", async () => {
  const strangers = await select(sql`
    select a.id from attendances a where a.user_id is not null and not exists (
      select 1 from user_queues q where q.user_id = a.user_id and q.queue_id = a.queue_id)`);
  expect(strangers).toEqual([]);
  const [pending] = await select<{ no: number; some: number; newest: number; oldest: number }>(sql`
    select count(*) filter (where queue_id is null) as no, count(queue_id) as some,
           extract(epoch from ${now} - max(updated_at))::int / 60 as newest,
           extract(epoch from ${now} - min(updated_at))::int / 3600 as oldest
    from tickets where status = 'pending'`);
  expect(pending?.no).toBeGreaterThanOrEqual(2);
  expect(pending?.some).toBeGreaterThanOrEqual(2);
  expect(pending?.newest).toBe(4);
  expect(pending?.oldest).toBeGreaterThanOrEqual(36);
});

test("the connection is the connected default with all queues and a greeting, and tags are in use", async () => {
  const connections = await select(sql`
    select name, status, channel, is_default, wanted, number ~ '^55119\\d{8}$' as numbered,
           greeting_message <> '' as greets,
           (select count(*) from connection_queues q where q.connection_id = c.id) as queues
    from connections c`);
  expect(connections).toEqual([
    {
      name: "Loja Paulista",
      status: "CONNECTED",
      channel: "simulator",
      is_default: true,
      wanted: true,
      numbered: true,
      greets: true,
      queues: 3,
    },
  ]);
  const unused = await select(
    sql`select name from tags g where not exists (select 1 from ticket_tags t where t.tag_id = g.id)`,
  );
  expect(unused).toEqual([]);
});

test("the boutique has opening hours, its queues greet, and support has a menu of two levels", async () => {
  const hours = await select(sql`
    select jsonb_path_query_array(schedules, '$[*].startTime') as opens,
           jsonb_path_query_array(schedules, '$[*].weekdayEn') as days
    from companies where name = 'Boutique Aurora'`);
  expect(hours).toEqual([
    { days: weekdays, opens: weekdays.map((day) => (day === "sunday" ? "00:00" : "09:00")) },
  ]);
  const silent = await select(sql`
    select name from queues
    where greeting_message = '' or out_of_hours_message = '' or jsonb_array_length(schedules) <> 7`);
  expect(silent).toEqual([]);
  const menus = await select(sql`
    select q.name, count(*) filter (where o.parent_id is null) as root,
           count(o.parent_id) as below, bool_and(o.message <> '') as answers
    from queue_options o join queues q on q.id = o.queue_id group by q.name`);
  expect(menus).toEqual([{ name: "Suporte", root: 3, below: 6, answers: true }]);
});

test("quick replies are there for everybody, and one for an agent alone", async () => {
  const rows = await select(sql`
    select q.shortcode, q.geral, u.name as owner from quick_messages q
    left join users u on u.id = q.user_id order by q.shortcode`);
  expect(rows).toEqual([
    { shortcode: "almoco", geral: false, owner: "Marina Prado" },
    { shortcode: "bemvinda", geral: true, owner: null },
    { shortcode: "pix", geral: true, owner: null },
    { shortcode: "prazo", geral: true, owner: null },
    { shortcode: "troca", geral: true, owner: null },
  ]);
});

test("the chat network gets every message that left or arrived, under the same id, with its acknowledgement", async () => {
  const stored = await select<{ id: string; phone: string; ack: number; at: Date }>(sql`
    select m.provider_id as id, c.number as phone, m.created_at as at,
           case when m.from_me then m.ack when m.read then 4 else 2 end as ack
    from messages m join tickets t on t.id = m.ticket_id join contacts c on c.id = t.contact_id
    where m.failed_code is null`);
  const known = (seeded?.customers ?? []).flatMap(({ phone, messages }) =>
    messages.map(({ id, ack, at }) => ({ id, phone, ack, at })),
  );
  const byId = (a: { id: string }, b: { id: string }) => a.id.localeCompare(b.id);
  expect(known.toSorted(byId)).toEqual(stored.toSorted(byId));
  expect(known.length).toBeGreaterThan(200);
});

test("it shows files that are really there, replies, reactions, and edited and deleted messages", async () => {
  const files = await select<{
    kind: string;
    state: string;
    width: number | null;
    whole: boolean;
  }>(sql`
    select m.kind, m.state, m.width, f.is_whole as whole from message_media m
    left join files f on f.company_id = m.company_id and f.key = m.file_key order by m.kind`);
  expect(files).toEqual([
    { kind: "document", state: "ready", width: null, whole: true },
    { kind: "image", state: "ready", width: 900, whole: true },
    ...[1, 2].map(() => ({ kind: "image", state: "ready", width: 1000, whole: true })),
  ]);
  const [shown] = await select(sql`
    select (select count(*)::int from messages m join messages q on q.id = m.quoted_message_id
             and q.ticket_id = m.ticket_id and q.seq < m.seq) as replies,
      (select count(*)::int from messages where is_edited) as edited,
      (select count(*)::int from messages where is_deleted) as deleted,
      (select array_agg(distinct split_part(author, ':', 1)) from message_reactions) as reactors`);
  expect(shown).toEqual({ replies: 1, edited: 1, deleted: 1, reactors: ["company", "contact"] });
});

test("the message that the network refused can be sent again as the same message", async () => {
  const wake = startWake({
    url: database.ownerUrl,
    log: createLogger({ level: "warn", pretty: false }),
  });
  onTestFinished(() => wake.close());
  const outbox = createOutbox(wake);
  const [failed] = await select<{ companyId: CompanyId; id: MessageId; providerId: string }>(sql`
    select company_id as "companyId", id, provider_id as "providerId"
    from messages where failed_code is not null`);
  if (!failed) throw new Error("no failed message");
  const rolledBack = new Error("the other tests keep the failure");
  const again = database.db.transaction(failed, async (tx) => {
    const ctx = systemCtx(failed.companyId, "test", "");
    expect(await outbox.requeueFailed(tx, ctx, failed.id)).toBe(true);
    const queued = await tx.query(
      sql`select state, provider_id as id, to_value as phone, body::json ->> 'text' as text from outbound`,
    );
    expect(queued).toEqual([
      {
        state: "queued",
        id: failed.providerId,
        phone: "5511904562210",
        text: expect.stringMatching(/^\*Marina Prado:\*\nConsigo sim!/),
      },
    ]);
    throw rolledBack;
  });
  await expect(again).rejects.toBe(rolledBack);
});

test("the whole first start is a few statements, however many messages the demo has", () => {
  expect(statementCount).toBeLessThanOrEqual(60);
});
