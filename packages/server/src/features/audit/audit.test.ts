import type { AuditEntry, ReplyOf } from "@balcao/contract";
import { auditKinds, settingKeys } from "@balcao/contract";
import { sql } from "drizzle-orm";
import pg from "pg";
import { beforeAll, expect, test } from "vitest";
import type { Tx } from "../../platform/db/database.ts";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import type { GivenUser } from "../../testing/given.ts";
import { atEndOfFile } from "../../testing/end-of-file.ts";
import { expireEntriesAcrossCompanies, note, replaceInAudit } from "./index.ts";
import { auditWords } from "./words.ts";

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ environment: { ROLES: "http" } });
});

const owner = <Row>(statement: ReturnType<typeof sql>): Promise<Row[]> =>
  app.database.db.acrossCompanies((tx) => tx.query<Row>(statement));

async function entriesOf(user: GivenUser, query = ""): Promise<AuditEntry[]> {
  const reply = await app.as(user).get<ReplyOf<"GET /audit">>(`/audit${query}`);
  expect(reply.status).toBe(200);
  return reply.body.entries;
}

/** The content of an entry, without its time and place. */
const told = ({ actor, action, kind, label, before, after }: AuditEntry) => ({
  ...{ who: actor.name, action, kind, label, before, after },
});

async function office() {
  const { given } = app;
  const company = await given.company();
  return { company, admin: await given.admin({ company, name: "Ana" }) };
}

const ctxOf = (user: GivenUser) => ({
  ...{ companyId: user.companyId, requestId: "test" },
  actor: { kind: "system" as const, name: "test" },
});

test("a change is noted with its person, place, and the changed fields before and after, in no statement of its own", async () => {
  const { admin } = await office();
  const made = await app.as(admin).post<{ id: number }>("/tags", { name: "Troca" });
  app.statements.take();
  await app.as(admin).put(`/tags/${made.body.id}`, { name: "Trocas", color: "#A4CCCC", kanban: 0 });
  expect(app.statements.take().filter((text) => text.includes("audit"))).toEqual([]);
  await app.as(admin).delete(`/tags/${made.body.id}`);
  const entries = await entriesOf(admin);
  expect(entries.map(told)).toMatchObject([
    { who: "Ana", action: "removed", kind: "tag", label: "Trocas", before: { name: "Trocas" } },
    ...[
      { action: "changed", label: "Troca", before: { name: "Troca" }, after: { name: "Trocas" } },
    ],
    { action: "added", label: "Troca", before: null, after: { name: "Troca" } },
  ]);
  expect(entries[0]).toMatchObject({
    actor: { kind: "user", id: admin.id, isProvider: false, visitorName: null },
    ...{ address: expect.stringContaining("127.0.0.1"), requestId: expect.any(String) },
  });
});

test("no action costs more than one statement of the audit", async () => {
  const { company, admin } = await office();
  const agent = await app.given.agent({ company });
  const { id, contactId } = await app.given.ticket({ company, userId: agent.id, status: "open" });
  const privacy = `/privacy/contacts/${contactId}`;
  const consent = { kind: "given", way: "form", note: "" };
  // By triggers, and by a statement of the use case.
  const calls = [
    ...[["put", "/settings/userRating", { value: "enabled" }, 0] as const],
    ...[["put", `/users/${agent.id}`, { name: "Bia" }, 0] as const],
    ...[["post", `${privacy}/consents`, consent, 1] as const],
    ...[["put", `${privacy}/hold`, { reason: "Processo" }, 1] as const],
    ...[["post", "/privacy/find", { term: "Ana" }, 1] as const],
    ...[["get", `/messages/${id}?markRead=false`, undefined, 1] as const],
    ...[["get", "/audit/export?format=csv", undefined, 1] as const],
    ...[["delete", `/tickets/${id}`, undefined, 0] as const],
  ];
  const costs: unknown[] = [];
  for (const [method, path, body] of calls) {
    app.statements.take();
    const reply = await app.as(admin).request(method.toUpperCase(), path, body);
    const noted = app.statements
      .take()
      .filter((text) => /note_audit|insert into audit/i.test(text));
    costs.push([path, reply.status, noted.length]);
  }
  expect(costs).toEqual(calls.map(([, path, , cost]) => [path, 200, cost]));
  // The export notes itself; the search for a person, and each change, has its own entry.
  expect(await entriesOf(admin)).toHaveLength(calls.length);
});

test("what is rolled back leaves no entry, and what is refused neither", async () => {
  const { company, admin } = await office();
  const agent = await app.given.agent({ company });
  expect((await app.as(agent).put("/settings/userRating", { value: "enabled" })).status).toBe(403);
  const scope = { ...ctxOf(admin), actor: { kind: "user", userId: admin.id, name: "Ana" } };
  const work = app.database.db.transaction(scope as never, async (tx) => {
    await tx.query(sql`insert into tags (company_id, name) values (${company.id}, 'Nunca')`);
    throw new Error("stopped");
  });
  await expect(work).rejects.toThrow("stopped");
  expect(await entriesOf(admin)).toEqual([]);
});

test("settings are noted by their key; secrets only as changed, whatever the setting", async () => {
  const { company, admin } = await office();
  await app.as(admin).put("/settings/userRating", { value: "enabled" });
  await app.as(admin).put("/settings/tokenixc", { value: "segredo-ixc" });
  expect((await entriesOf(admin)).map(told)).toMatchObject([
    { kind: "setting", label: "tokenixc", before: null, after: { value: "•" } },
    { kind: "setting", label: "userRating", action: "changed", after: { value: "enabled" } },
  ]);
  const keys = Object.entries(settingKeys);
  const scope = { ...ctxOf(admin), actor: { kind: "user", userId: admin.id, name: "Ana" } };
  await app.database.db.transaction(scope as never, async (tx) => {
    for (const [key] of keys)
      await tx.query(sql`insert into settings (company_id, key, value) values (${company.id}, ${key}, 'nao-mostre')
        on conflict (company_id, key) do update set value = excluded.value`);
  });
  const newest = await owner<{ key: string; value: string }>(sql`
    select distinct on (object_label) object_label as key, after ->> 'value' as value from audit_entries
     where company_id = ${company.id} order by object_label, id desc`);
  expect(newest.filter(({ value }) => value === "•").map(({ key }) => key)).toEqual(
    keys.flatMap(([key, rule]) => ("secret" in rule ? [key] : [])).toSorted(),
  );
  expect(newest).toHaveLength(keys.length);
  const rows = await owner<{ text: string }>(
    sql`select before::text || after::text as text from audit_entries where company_id = ${company.id}`,
  );
  expect(JSON.stringify(rows)).not.toMatch(/segredo/);
});

/** Columns of audited tables that are noted nowhere: no change of a person, or known by another column. */
const UNNOTED =
  /^(id|company_id|created_at|updated_at|deleted_at|deleted_by|created_by|user_id|draft_greeting|successor_id|lane_place|file_key|image_key|key|end|.*_end|.*_count|counts|fault|fault_at|previous_.*|failing_since)$/;
const UNNOTED_OF: Record<string, RegExp> = {
  users:
    /^(token_version|refresh_.*|refreshed_at|online|last_seen_at|availability.*|pause_reason|password_set_at)$/,
  companies: /^(trial_expiration|stopped_for)$/,
  connections:
    /^(status|qrcode|pairing_.*|close_reason|connected_at|disconnected_at|alarmed_at|loss_mailed_at|retries|start_generation|unlink_channel|provider)$/,
  api_tokens: /^(last_used_.*)$/,
  prompts: /_tokens$/,
  campaigns:
    /^(run|sent_in_run|started_at|completed_at|cancelled_.*|hold_.*|last_sent_at|told_at)$/,
  contact_lists: /^(filter|check_due_at|is_check_stopped|connection_id)$/,
  contact_imports: /^(?!file_name|contact_list_id|state)/,
  knowledge_items: /^(file_bytes)$/,
  announcements: /^(provider_id|published_at)$/,
  company_archives: /^(?!kind)/,
  brand_images: /^(brand_id|content_type|content)$/,
  support_visits: /^(visitor_.*|started_at)$/,
};

test("each column of an audited table is noted, masked or named here, and each kind has its words", async () => {
  const rows = await owner<{ table: string; args: string; columns: string[] }>(sql`
    select c.relname as table, encode(t.tgargs, 'escape') as args,
      array(select attname::text from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped) as columns
    from pg_trigger t join pg_class c on c.oid = t.tgrelid where t.tgname = 'audit'`);
  expect(rows.length).toBeGreaterThan(25);
  const missing = rows.flatMap(({ table, args, columns }) => {
    const [kind = "", , noted = "", masked = ""] = args.split("\\000");
    expect(auditKinds).toContain(kind);
    if (/^(invoices|payments|contacts|campaign_lines)$/.test(table)) return [];
    const known = new Set([...noted.split(","), ...masked.split(",")]);
    return columns
      .filter((name) => !known.has(name) && !UNNOTED.test(name) && !UNNOTED_OF[table]?.test(name))
      .map((name) => `${table}.${name}`);
  });
  expect(missing).toEqual([]);
  const secret = rows.flatMap(({ table, args }) =>
    (args.split("\\000")[2] ?? "")
      .split(",")
      .filter((name) =>
        /password|secret|hash|^token$|api_key|voice_key|json_content|^pix$/.test(name),
      )
      .map((name) => `${table}.${name}`),
  );
  expect(secret).toEqual([]);
  for (const { kinds } of Object.values(auditWords)) {
    expect(Object.keys(kinds).sort()).toEqual([...auditKinds].sort());
  }
});

test("neither role of the product changes, removes or adds entries, and none clears the table", async () => {
  const { company, admin } = await office();
  await app.as(admin).put("/settings/userRating", { value: "enabled" });
  for (const url of [app.database.appUrl, app.database.serviceUrl]) {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    atEndOfFile(() => client.end());
    await client.query(`select set_config('app.company_id', '${company.id}', false)`);
    for (const statement of [
      "update audit_entries set object_label = 'x'",
      "delete from audit_entries",
      "truncate audit_entries",
      "insert into audit_entries (company_id, actor_kind, actor_name, action, object_kind, object_id, object_label) values (1, 'user', '', 'added', 'tag', '', '')",
      "alter table audit_entries disable trigger all",
      "drop trigger audit on tags",
      "create or replace function audit_row() returns trigger language sql as 'select null'",
      `select drop_audit(${company.id}, 10)`,
      ...(url === app.database.appUrl ? ["select expire_audit(10)"] : []),
    ]) {
      await expect(client.query(statement), statement).rejects.toThrow(
        /permission denied|must be owner|only the audit of a suspended|entries expire by the job/,
      );
    }
  }
  // The second wall: rights that somebody has granted by mistake.
  const role = new URL(app.database.appUrl).username;
  await owner(sql.raw(`grant update, delete on audit_entries to "${role}"`));
  const scope = { companyId: company.id };
  for (const change of [sql`delete from audit_entries`, sql`update audit_entries set action = 'x'`])
    await expect(app.database.db.transaction(scope, (tx) => tx.query(change))).rejects.toThrow(
      "entries of the audit are never changed",
    );
  await owner(sql.raw(`revoke update, delete on audit_entries from "${role}"`));
  expect(await entriesOf(admin)).toHaveLength(1);
});

test("a company reads its own entries alone, and only those who may; none is written for another company", async () => {
  const [mine, other] = [await office(), await office()];
  await app.as(mine.admin).put("/settings/userRating", { value: "enabled" });
  expect(await entriesOf(other.admin)).toEqual([]);
  const agent = await app.given.agent({ company: mine.company });
  expect((await app.as(agent).get("/audit")).status).toBe(403);
  const forged = app.database.db.transaction({ companyId: other.company.id }, (tx) =>
    note(tx, ctxOf(mine.admin), { action: "added", kind: "tag", id: 1, label: "" }),
  );
  await expect(forged).rejects.toThrow("the audit of another company");
});

test("entries are found by person, kind, action, thing, day and words, page by page", async () => {
  const { company, admin } = await office();
  const bia = await app.given.admin({ company, name: "Bia" });
  for (let n = 0; n < 52; n += 1) await app.as(admin).post("/tags", { name: `Marca ${n}` });
  await app.as(bia).put("/settings/userRating", { value: "enabled" });
  const first = await app.as(admin).get<ReplyOf<"GET /audit">>("/audit?kind=tag");
  expect([first.body.entries.length, first.body.hasMore]).toEqual([50, true]);
  const last = first.body.entries.at(-1)?.id;
  expect(await entriesOf(admin, `?kind=tag&before=${last}`)).toHaveLength(2);
  expect(await entriesOf(admin, `?userId=${bia.id}`)).toHaveLength(1);
  expect(await entriesOf(admin, "?action=removed")).toEqual([]);
  expect(await entriesOf(admin, "?searchParam=MARCA 51")).toHaveLength(1);
  expect(await entriesOf(admin, "?searchParam=%25_")).toEqual([]);
  const found = await entriesOf(admin, "?searchParam=marca&kind=tag&action=added");
  expect([found.length, found[0]?.label]).toEqual([50, "Marca 51"]);
  const rest = `?searchParam=marca&userId=${admin.id}&dateFrom=2020-01-01&before=${found.at(-1)?.id}`;
  expect((await entriesOf(admin, rest)).map(({ label }) => label)).toEqual(["Marca 1", "Marca 0"]);
  expect(await entriesOf(admin, "?searchParam=marca&dateTo=2020-01-01")).toEqual([]);
  expect(await entriesOf((await office()).admin, "?searchParam=marca")).toEqual([]);
  expect(await entriesOf(admin, "?kind=setting&objectId=userRating")).toHaveLength(1);
  expect(await entriesOf(admin, "?dateTo=2020-01-01")).toEqual([]);
  const reversed = await app.as(admin).get("/audit?dateFrom=2026-02-02&dateTo=2026-01-01");
  expect(reversed).toMatchObject({ status: 400, body: { code: "ERR_PERIOD_REVERSED" } });
});

test("the spreadsheet has the entries in the reader's language, and is noted itself", async () => {
  const { admin } = await office();
  await app.as(admin).post("/tags", { name: "Troca" });
  const reply = await fetch(`${app.url}/api/audit/export?format=csv&language=pt&kind=tag`, {
    headers: { authorization: `Bearer ${admin.token}` },
  });
  const lines = (await reply.text()).trim().split("\r\n");
  expect(lines).toHaveLength(2);
  expect(lines[1]).toMatch(/;Ana;;criou;etiqueta;Troca;/);
  const [exported] = await entriesOf(admin);
  expect(exported).toMatchObject({
    ...{ action: "exported", kind: "file", objectId: "GET /audit/export", label: "auditoria.csv" },
    after: { kind: "tag" },
  });
});

test("who reads a conversation of somebody else is noted once an hour; one's own costs no statement", async () => {
  const { company, admin } = await office();
  const agent = await app.given.agent({ company });
  const ticket = await app.given.ticket({ company, userId: agent.id, status: "open" });
  const open = async (user: GivenUser): Promise<number> => {
    app.statements.take();
    expect((await app.as(user).get(`/messages/${ticket.id}?markRead=false`)).status).toBe(200);
    return app.statements.take().filter((text) => text.includes("note_audit")).length;
  };
  expect(await open(agent)).toBe(0);
  expect([await open(admin), await open(admin)]).toEqual([1, 0]);
  const entries = await entriesOf(admin);
  expect(entries).toHaveLength(1);
  expect(entries[0]).toMatchObject({ action: "opened", kind: "ticket", objectId: `${ticket.id}` });
  // Another process does not know that it was noted.
  const second = await testApp({ environment: { ROLES: "http" }, database: app.database });
  await second.as(admin).get(`/messages/${ticket.id}?markRead=false`);
  expect(await entriesOf(admin)).toHaveLength(1);
});

test("a visit of the provider is noted in both companies, and what is done in it names the visitor", async () => {
  const { company, admin } = await office();
  const provider = await app.given.company();
  const carla = await app.given.admin({ company: provider, name: "Carla", super: true });
  const visit = await app
    .as(carla)
    .post<{ token: string }>(`/companies/${company.id}/support`, { reason: "Ver a fila" });
  expect(visit.status).toBe(200);
  const visitor = { ...admin, token: visit.body.token };
  await app.as(visitor).put("/settings/userRating", { value: "enabled" });
  await app.as(visitor).delete("/support");
  const entries = await entriesOf(admin);
  expect(entries.map(told)).toMatchObject([
    { who: "Carla", action: "changed", kind: "visit" },
    { who: "Ana", kind: "setting" },
    { who: "Carla", action: "added", kind: "visit", after: { reason: "Ver a fila" } },
  ]);
  expect(entries[1]?.actor).toMatchObject({ visitorName: "Carla" });
  expect(entries[2]).toMatchObject({ actor: { isProvider: true }, address: null, device: null });
  expect(entries[1]).toMatchObject({ address: null, device: null });
  const abroad = await entriesOf(carla);
  expect(abroad.map(({ action, kind }) => `${action} ${kind}`)).toEqual([
    "changed visit",
    "added visit",
  ]);
  // A change of the company by the provider stands in both, too.
  await app.as(carla).put(`/companies/${company.id}`, { email: "nova@empresa.example" });
  expect((await entriesOf(admin))[0]).toMatchObject({ kind: "company", actor: { name: "Carla" } });
  expect((await entriesOf(carla))[0]).toMatchObject({ kind: "company" });
});

test("entries go when the company's days are over, never before 90 days, and with the company", async () => {
  const { company, admin } = await office();
  const aged = (days: number) =>
    owner(sql`
    insert into audit_entries (company_id, at, actor_kind, actor_name, action, object_kind, object_id, object_label)
    values (${company.id}, now() - make_interval(days => ${days}), 'user', 'Ana', 'added', 'tag', ${`${days}`}, '')`);
  for (const days of [80, 100, 400]) await aged(days);
  const expire = () => expireEntriesAcrossCompanies(app.database.db, new AbortController().signal);
  const ages = async () =>
    (await entriesOf(admin, "?kind=tag")).map(({ objectId }) => Number(objectId));
  await expire();
  expect(await ages()).toEqual([80, 100]);
  await owner(
    sql`insert into settings (company_id, key, value) values (${company.id}, 'auditDays', '1')
    on conflict (company_id, key) do update set value = '1'`,
  );
  await expire();
  expect(await ages()).toEqual([80]);
  const carla = await app.given.admin({ company: await app.given.company(), super: true });
  expect((await app.as(carla).delete(`/companies/${company.id}`)).status).toBe(200);
  const left = await owner(sql`select from audit_entries where company_id = ${company.id}`);
  expect(left).toEqual([]);
  // Its own people read nothing any more; the provider reads that it was done, to which number.
  expect((await entriesOf(carla)).map(told)).toMatchObject([
    { action: "removed", kind: "company", label: "", before: null },
    { action: "changed", kind: "company", label: "", before: null, after: null },
  ]);
});

test("an erased person's names and numbers are replaced in labels and values, and that is noted", async () => {
  const { company, admin } = await office();
  const ctx = ctxOf(admin);
  const { db } = app.database;
  await db.transaction(ctx, async (tx) => {
    const both = { action: "changed", kind: "contact" } as const;
    await note(tx, ctx, {
      ...{ ...both, id: 7, label: 'João "Jô" (Silva)' },
      ...{ before: { number: "5548999887766", n: 7 }, after: { text: 'de JOÃO "JÔ" (SILVA).' } },
    });
    await note(tx, ctx, { ...both, id: 8, label: "Ana", before: { number: "1" } });
    await note(tx, ctx, { ...both, id: 9, label: "Ana", before: { number: "2" } });
  });
  const texts = ['João "Jô" (Silva)', "5548999887766", "Al"];
  const replace = (tx: Tx) => replaceInAudit(tx, ctx, texts, "[apagado]", [8]);
  // Not by the application's role, unless a person of the company is being erased.
  await expect(db.transaction(ctx, replace)).rejects.toThrow("by an erasure alone");
  const replaced = await db.acrossCompanies(replace);
  expect(replaced).toBe(2);
  expect((await entriesOf(admin)).map(told)).toMatchObject([
    { action: "replaced", kind: "audit", after: { entries: 2 } },
    { label: "Ana", before: { number: "2" } },
    { label: "[apagado]", before: { number: "[apagado]" } },
    { label: "[apagado]", before: { number: "[apagado]", n: 7 }, after: { text: "de [apagado]." } },
  ]);
  const words = await owner<{ words: string }>(
    sql`select words from audit_entries where company_id = ${company.id}`,
  );
  expect(JSON.stringify(words)).not.toMatch(/joao|554899/);
});
