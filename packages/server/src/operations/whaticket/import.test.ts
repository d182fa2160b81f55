import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { whaticketReport } from "@balcao/contract";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import { createMediaFeature } from "../../features/media/index.ts";
import { createLogger } from "../../platform/logging/logger.ts";
import { createFfmpeg } from "../../platform/media/ffmpeg.ts";
import { openMediaFolder } from "../../platform/media/media-store.ts";
import { createSeal } from "../../platform/secrets/seal.ts";
import { systemSources } from "../../platform/sources.ts";
import type { TestApp } from "../../testing/app.ts";
import type { GivenUser } from "../../testing/given.ts";
import { testApp } from "../../testing/app.ts";
import { createDatabase } from "../../testing/database.ts";
import { atEndOfFile } from "../../testing/end-of-file.ts";
import { picture } from "../../testing/media-samples.ts";
import { describeReport, importWhaticket } from "./index.ts";
import type { ImportReport, ImportWishes } from "./index.ts";
import {
  addHostileRows,
  fillSource,
  makeMedia,
  OLD_PASSWORD,
  onSource,
} from "./testing/source-database.ts";

let app: TestApp;
let from: string;
let media: string;
let first: ImportReport;
let dry: ImportReport;

/** Ends an import at its n-th line of progress, as a crash between two transactions would. */
async function run(wishes: Partial<ImportWishes> = {}, endAt = Infinity): Promise<ImportReport> {
  const { database, dataDir } = app;
  const store = await openMediaFolder(join(dataDir, "media"));
  const log = createLogger({ level: "silent", pretty: false });
  const base = { db: database.db, clock: systemSources.clock, ids: systemSources.ids, log };
  const secret = database.secrets.accessToken;
  const files = createMediaFeature({
    ...base,
    store,
    ffmpeg: createFfmpeg(undefined),
    secret,
    publicUrl: undefined,
  });
  let lines = 0;
  const onProgress = () => {
    lines += 1;
    if (lines === endAt) throw new Error("ended here");
  };
  const seal = createSeal(database.secrets.seal);
  return importWhaticket(
    {
      ownerUrl: database.ownerUrl,
      db: database.db,
      seal,
      files,
      sources: systemSources,
      onProgress,
    },
    { from, media, isDryRun: false, companies: null, namePrefix: "", ...wishes },
  );
}

const query = <Row>(statement: ReturnType<typeof sql>): Promise<Row[]> =>
  app.database.db.acrossCompanies((tx) => tx.query<Row>(statement));

const company = (report: ImportReport, sourceId: string) => {
  const found = report.companies.find((one) => one.sourceId === sourceId);
  if (!found) throw new Error(`company ${sourceId} is not in the report`);
  return found;
};

beforeAll(async () => {
  // Its own jobs would make invoices.
  app = await testApp({ environment: { ROLES: "http" } });
  from = await createDatabase();
  await fillSource(from, { companies: 2, contacts: 120, messages: 400 });
  await addHostileRows(from);
  media = await mkdtemp(join(tmpdir(), "whaticket-"));
  atEndOfFile(() => rm(media, { recursive: true, force: true }));
  const png = await picture("png");
  await makeMedia(join(media, "public"), png, { companies: 2, files: 3 });
  media = join(media, "public");
  await mkdir(join(media, "company90"), { recursive: true });
  await mkdir(join(media, "..", "segredo"));
  await writeFile(join(media, "..", "segredo", "senha.txt"), "segredo");
  await symlink(join(media, "..", "segredo", "senha.txt"), join(media, "company90", "senha.txt"));
  await writeFile(join(media, "company90", "1700000000001_foto.png"), png);
  await writeFile(join(media, "1700000000000.mp3"), Buffer.from("not a sound"));
  dry = await run({ isDryRun: true });
  for (const endAt of [2, 4, 6]) await expect(run({}, endAt)).rejects.toThrow("ended here");
  first = await run();
});

/** A session of an account of the source. */
async function signIn(email: string, password = OLD_PASSWORD) {
  const reply = await app.anonymous.post<{
    token: string;
    user: GivenUser & { queues: { id: number }[] };
  }>("/auth/login", {
    email,
    password,
  });
  return { status: reply.status, user: { ...reply.body.user, token: reply.body.token } };
}

test("a dry run counts the same and writes nothing", () => {
  expect(dry.companies.map(({ state, newId }) => `${state} ${newId}`)).toEqual([
    "dry null",
    "dry null",
    "dry null",
  ]);
  for (const sourceId of ["1", "2", "90"]) {
    const [before, after] = [company(dry, sourceId), company(first, sourceId)];
    for (const kind of ["contact", "ticket", "attendance", "user", "campaign"]) {
      const { read = 0, merged } = after.counts[kind] ?? {};
      expect([kind, before.counts[kind]?.read, before.counts[kind]?.merged]).toEqual([
        kind,
        read,
        merged,
      ]);
    }
  }
});

test("a run that was ended three times is finished, and every row is accounted for", async () => {
  const [there] = await onSource(from, (ask) =>
    ask(`select (select count(*) from "Messages")::int as messages, (select count(*) from "Contacts")::int as contacts,
      (select count(*) from "Tickets")::int as tickets`),
  );
  const sum = (kind: string, of: "read" | "added" | "known" | "merged" | "left") =>
    first.companies.reduce((total, { counts }) => total + (counts[kind]?.[of] ?? 0), 0);
  for (const [kind, count] of [
    ["message", there?.["messages"]],
    ["contact", there?.["contacts"]],
    ["ticket", there?.["tickets"]],
  ] as const) {
    const parts = (["added", "known", "merged", "left"] as const).reduce(
      (total, of) => total + sum(kind, of),
      0,
    );
    expect([kind, sum(kind, "read"), parts]).toEqual([kind, count, count]);
  }
  const rows = await query<{ messages: number; contacts: number }>(sql`
    select (select count(*) from messages)::int as messages, (select count(*) from contacts)::int as contacts`);
  const kept = (kind: string) => sum(kind, "added") + sum(kind, "known");
  expect(rows).toEqual([{ messages: kept("message"), contacts: kept("contact") }]);
});

test("what was repaired or left out has a code, and a sentence at the terminal", () => {
  // The process that began the import drops a report that the contract does not know.
  const companies = dry.companies.map((one) => ({ id: one.sourceId, ...one }));
  const told = whaticketReport.parse({ ...dry, companies });
  expect(told.companies.find(({ id }) => id === "90")?.problems).toEqual(
    expect.arrayContaining([
      {
        ...{ kind: "ticket", code: "statusUnknown", count: 1, rows: ["94"] },
        values: { status: "inventado" },
      },
      {
        ...{ kind: "connection", code: "referenceMissing", count: 1, rows: ["902"] },
        values: { column: "transferQueueId" },
      },
      { kind: "ticket tag", code: "tagPairUnusable", count: 3, rows: [] },
      { kind: "campaign", code: "runningCampaignCancelled", count: 1, rows: ["90"] },
    ]),
  );
  const text = describeReport(dry);
  expect(text).toContain('  ! ticket: the status "inventado" is unknown; it waits (1: 94)');
  expect(text).toContain("  ! ticket tag: doubled, or without ticket or tag; left out (3)");
  expect(text).not.toContain("{{");
});

test("a second run changes nothing and says so", async () => {
  const state = () =>
    query(sql`
    select (select count(*) from messages) as messages, (select count(*) from import_ids) as ids, (select count(*) from files) as files,
      (select max(updated_at) from tickets) as changed, (select sum(id) from contacts) as contacts`);
  const before = await state();
  const again = await run();
  expect(again.companies.map(({ state: outcome }) => outcome)).toEqual(["known", "known", "known"]);
  expect(again.companies.flatMap(({ counts }) => Object.keys(counts))).toEqual([]);
  expect(await state()).toEqual(before);
});

test("an old password signs in and is renewed; a wrong one is refused", async () => {
  const email = "pessoa2@empresa1.example";
  const hash = () =>
    query<{ hash: string }>(sql`select password_hash as hash from users where email = ${email}`);
  expect((await hash())[0]?.hash).toMatch(/^\$2a\$08\$/);
  expect((await signIn(email, "outra-senha")).status).toBe(401);
  expect((await hash())[0]?.hash).toMatch(/^\$2a\$08\$/);
  expect((await signIn(email)).status).toBe(200);
  expect((await hash())[0]?.hash).toMatch(/^\$argon2id\$/);
  expect((await signIn(email)).status).toBe(200);
  const [broken] = await query<{ email: string; super: boolean; profile: string }>(sql`
    select email, super, profile from users where company_id = ${company(first, "90").newId} order by id limit 1`);
  expect(broken).toEqual({ email: "pessoa1+90@empresa1.example", super: false, profile: "user" });
});

test("agents find imported messages, and the list has the newest first with its unread messages", async () => {
  const { user } = await signIn("pessoa1@empresa1.example");
  const queues = user.queues.map(({ id }) => id);
  const found = await app
    .as(user)
    .get<{ tickets: { id: number }[] }>("/tickets?searchParam=pedido%207919%20com");
  expect([found.status, found.body.tickets.length]).toEqual([200, 1]);
  expect(
    await query(sql`select reloptions from pg_class where relname = 'messages_search'`),
  ).toEqual([{ reloptions: ["gin_pending_list_limit=512"] }]);
  const list = await app
    .as(user)
    .get<{ tickets: { unreadMessages: number; lastMessage: string; updatedAt: string }[] }>(
      `/tickets?status=pending&showAll=true&queueIds=${JSON.stringify(queues)}&pageNumber=1`,
    );
  const { tickets } = list.body;
  expect(tickets.length).toBeGreaterThan(0);
  expect(tickets.map(({ updatedAt }) => updatedAt)).toEqual(
    tickets
      .map(({ updatedAt }) => updatedAt)
      .sort()
      .reverse(),
  );
  expect(tickets[0]).toMatchObject({
    lastMessage: expect.stringMatching(/^Mensagem \d+|foto/) as string,
  });
  expect(tickets.some(({ unreadMessages }) => unreadMessages > 0)).toBe(true);
});

test("rows of one person become one contact; groups and private addresses are told apart", async () => {
  const rows = await query(sql`
    select c.name, c.number, c.email, c.is_group as "isGroup", array_agg(a.kind || ' ' || a.key order by a.kind) filter (where a.kind is not null) as addresses
    from contacts c left join contact_addresses a on a.company_id = c.company_id and a.contact_id = c.id
    where c.company_id = ${company(first, "90").newId} group by c.id order by c.name limit 6`);
  expect(rows).toEqual(
    expect.arrayContaining([
      {
        name: "Com nove",
        number: "551187654321",
        email: "ana@correio.example",
        isGroup: false,
        addresses: ["pn 5511987654321"],
      },
      {
        name: "Privado",
        number: null,
        email: "",
        isGroup: false,
        addresses: ["lid 123456789012345"],
      },
      {
        name: "Grupo",
        number: "120363041234567890",
        email: "",
        isGroup: true,
        addresses: ["group 120363041234567890"],
      },
    ]),
  );
  expect(company(first, "1").counts["contact"]?.merged).toBeGreaterThan(0);
});

test("several tickets of a contact are attendances of one, with their ratings", async () => {
  const rows = await query(sql`
    select t.status, t.unread_messages as unread, a.created_at as at, a.finished_at is not null as "isOver", a.rate, a.is_first as "isFirst", a.answered_at is not null as "isAnswered"
    from tickets t join contacts c on c.id = t.contact_id join attendances a on a.ticket_id = t.id
    where t.company_id = ${company(first, "90").newId} and c.name = 'Com nove' order by a.id`);
  expect(rows).toEqual([
    {
      status: "open",
      unread: 4,
      at: new Date("2024-01-02"),
      isOver: true,
      rate: 2,
      isFirst: true,
      isAnswered: true,
    },
    {
      status: "open",
      unread: 4,
      at: new Date("2024-02-02"),
      isOver: true,
      rate: null,
      isFirst: false,
      isAnswered: false,
    },
    {
      status: "open",
      unread: 4,
      at: new Date("2024-02-02T12:00:00Z"),
      isOver: false,
      rate: null,
      isFirst: false,
      isAnswered: false,
    },
  ]);
});

test("messages keep what they are, and hostile values are repaired", async () => {
  const rows = await query<Record<string, unknown> & { id: string }>(sql`
    select m.provider_id as id, m.body, m.media_type as type, m.details ->> 'kind' as kind, m.ack, m.is_automatic as automatic, m.is_deleted as deleted,
      m.is_edited as edited, q.provider_id as quoted, f.state, f.kind as file, (select string_agg(emoji, '') from message_reactions r where r.message_id = m.id) as emoji
    from messages m left join messages q on q.company_id = m.company_id and q.id = m.quoted_message_id
    left join message_media f on f.company_id = m.company_id and f.message_id = m.id
    where m.company_id = ${company(first, "90").newId} order by m.created_at`);
  const byId = new Map(rows.map((row) => [row.id, row]));
  expect([...byId.keys()].sort()).toEqual([
    "H1",
    "H10",
    "H14",
    "H15",
    "H2",
    "H3",
    "H4",
    "H6",
    "H7",
    "H8",
    "H9",
  ]);
  expect(byId.get("H1")).toMatchObject({
    body: "Preciso da segunda via",
    type: "conversation",
    ack: 5,
  });
  expect(byId.get("H2")).toMatchObject({
    body: "Bem-vindo!",
    automatic: true,
    quoted: "H1",
    ack: 1,
  });
  expect(byId.get("H3")).toMatchObject({
    edited: true,
    quoted: null,
    emoji: "👍",
    type: "conversation",
  });
  expect(byId.get("H4")).toMatchObject({ deleted: true });
  expect(byId.get("H6")).toMatchObject({ kind: "location" });
  expect(byId.get("H7")).toMatchObject({ kind: "contacts" });
  expect(byId.get("H8")).toMatchObject({ state: "ready", body: "Áudio" });
  expect(byId.get("H9")).toMatchObject({ state: "unavailable", body: "senha.txt" });
  expect(byId.get("H10")).toMatchObject({ state: "ready", file: "image", body: "Segue a foto" });
  expect(byId.get("H14")).toMatchObject({ body: "tab\t barra \\ linha\n fim", quoted: "H1" });
});

test("nothing starts by itself, and keys are sealed", async () => {
  const rows = await query(sql`
    select (select count(*) from outbound)::int as outbound, (select count(*) from connections where wanted or status <> 'DISCONNECTED' or expires_ticket_minutes > 0)::int as running,
      (select count(*) from campaigns where status in ('PROGRAMADA', 'EM_ANDAMENTO'))::int as campaigns, (select count(*) from campaign_recipients where status in ('waiting', 'asked', 'sending', 'sent'))::int as recipients,
      (select count(*) from schedules where status in ('PENDENTE', 'AGENDADA'))::int as schedules, (select count(*) from integrations where stopped_at is null)::int as integrations,
      (select count(*) from invoices where reminded_at is null)::int as invoices, (select count(*) from users where super)::int as supers,
      (select count(*) from prompts where position('muito-secreta'::bytea in api_key) > 0)::int as prompts,
      (select count(*) from settings where value like '%chave-secreta%')::int as settings`);
  expect(rows).toEqual([
    {
      ...{
        outbound: 0,
        running: 0,
        campaigns: 0,
        recipients: 0,
        schedules: 0,
        integrations: 0,
        invoices: 0,
      },
      ...{ supers: 0, prompts: 0, settings: 0 },
    },
  ]);
});

test("money, due dates and states of companies are those of the source", async () => {
  const newId = company(first, "90").newId;
  expect(
    await query(
      sql`select value_cents as cents, due_date as due, status from invoices where company_id = ${newId} order by id`,
    ),
  ).toEqual([
    { cents: 9_990, due: new Date("2024-01-10"), status: "cancelled" },
    { cents: 9_990, due: new Date("2024-02-10"), status: "open" },
    { cents: 0, due: new Date("2024-01-01"), status: "paid" },
  ]);
  expect(
    await query(
      sql`select name, status, suspension_reason as reason from companies where id = any(${sql.param(first.companies.map((one) => one.newId))}::int[]) order by id`,
    ),
  ).toEqual([
    { name: "Empresa 1", status: true, reason: "" },
    { name: "Empresa 2", status: true, reason: "" },
    { name: "Empresa 1 (2)", status: false, reason: "" },
  ]);
});

test("a database without companies and with older tables is one company", async () => {
  const older = await createDatabase();
  await onSource(older, (ask) =>
    ask(`
      create table "Users" (id serial primary key, name varchar, email varchar, "passwordHash" varchar, profile varchar, "createdAt" timestamp default '2021-01-01');
      create table "Contacts" (id serial primary key, name varchar, number varchar unique, "createdAt" timestamp default '2021-01-01');
      create table "Tickets" (id serial primary key, status varchar, "contactId" int, "userId" int, "createdAt" timestamp default '2021-01-01', "updatedAt" timestamp default '2021-01-02');
      create table "Messages" (id varchar primary key, body text, "fromMe" boolean, "ticketId" int, "createdAt" timestamp default '2021-01-01 10:00');
      insert into "Users" (name, email, profile) values ('Ana', 'ana@antiga.example', 'admin');
      insert into "Contacts" (name, number) values ('Bia', '5511912340000');
      insert into "Tickets" (status, "contactId", "userId") values ('open', 1, 1);
      insert into "Messages" (id, body, "fromMe", "ticketId") values ('A', 'Oi', false, 1);`),
  );
  const report = await run({ from: older, media: null, namePrefix: "Antiga " });
  const { newId, newName, counts } = company(report, "1");
  expect([newName, counts["message"]?.added, counts["ticket"]?.added]).toEqual([
    "Antiga Whaticket",
    1,
    1,
  ]);
  const tickets = await query(
    sql`select status, last_message as text, last_attendance_id is not null as "hasAttendance" from tickets where company_id = ${newId}`,
  );
  expect(tickets).toEqual([{ status: "open", text: "Oi", hasAttendance: true }]);
  await expect(run({ from: app.database.ownerUrl })).rejects.toThrow(/no Whaticket database/);
});
