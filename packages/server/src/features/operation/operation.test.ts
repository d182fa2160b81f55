import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { OperationNow } from "@balcao/contract";
import { parser } from "@prometheus-io/lezer-promql";
import { sql } from "drizzle-orm";
import { beforeAll, expect, test, vi } from "vitest";
import { createLogger } from "../../platform/logging/logger.ts";
import { createMetrics } from "../../platform/metrics/metrics.ts";
import { createIncidents, noteErrors } from "../../platform/observing/incidents.ts";
import { createProcessReport } from "../../platform/observing/process-report.ts";
import { nameOf } from "../../platform/observing/statements.ts";
import type { TestApp } from "../../testing/app.ts";
import { testApp } from "../../testing/app.ts";
import { atEndOfFile } from "../../testing/end-of-file.ts";
import type { GivenUser } from "../../testing/given.ts";
import { unique } from "../../testing/given.ts";
import type { OperationFigures } from "./judge.ts";
import { bounds, judge } from "./judge.ts";

const SECRET = "texto-secreto-do-cliente";
const SLOW_MS = 40;

type Span = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: { key: string; value: { stringValue?: string } }[];
  events: { name: string }[];
};

let app: TestApp;
let superUser: GivenUser;
/** The spans that a collector has received. */
const spans: Span[] = [];
let received = "";

beforeAll(async () => {
  const collector = createServer((request, response) => {
    let body = "";
    request.on("data", (part: Buffer) => (body += part.toString()));
    request.on("end", () => {
      received += body;
      type Sent = { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] };
      const sent = JSON.parse(body) as Sent;
      spans.push(
        ...sent.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((one) => one.spans)),
      );
      response.setHeader("content-type", "application/json").end("{}");
    });
  });
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
  atEndOfFile(() => new Promise<void>((resolve) => void collector.close(() => resolve())));
  const { port } = collector.address() as AddressInfo;
  app = await testApp({
    environment: {
      BALCAO_SLOW_STATEMENT_MS: String(SLOW_MS),
      OTEL_BSP_SCHEDULE_DELAY: "20",
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    },
  });
  superUser = await app.given.admin({ super: true });
});

async function readNow(): Promise<OperationNow> {
  const reply = await app.as(superUser).get<OperationNow>("/operation/now");
  expect(reply.status).toBe(200);
  return reply.body;
}

test("a super user reads what goes on in the installation; an admin does not", async () => {
  const company = await app.given.company();
  const admin = await app.given.admin({ company });
  expect((await app.as(admin).get("/operation/now")).status).toBe(403);
  await app.given.connection({ company });
  const leased = () => sql`select 1 from connection_leases where expires_at > now()`;
  await vi.waitFor(async () => {
    const rows = await app.app.db.acrossCompanies((tx) => tx.query(leased()));
    expect(rows).not.toEqual([]);
  });
  const now = await readNow();
  expect(now.processes).toMatchObject([
    { pid: process.pid, isAlive: true, roles: ["http", "jobs", "channels"] },
  ]);
  // The process is the owner of its leases.
  expect(now.processes[0]?.connections).toBeGreaterThan(0);
  expect(now.queues.map(({ queue }) => queue)).toContain("inbound");
  expect(now.jobs.map(({ name }) => name)).toContain("dashboard.sum-days");
  expect(now.database.connections).toBeGreaterThan(0);
  expect(now.problems.map(({ code }) => code)).toContain("backupNone");
});

test("work that is due is counted with the age of the oldest, bounded", async () => {
  const company = await app.given.company();
  await app.given.ticket({ company });
  await app.app.db.acrossCompanies((tx) =>
    tx.query(sql`
insert into mails (company_id, kind, name, address, subject, text, html, state, due_at)
select ${company.id}, 'test', '', 'ana@empresa.example', '', '', '', 'held', now() from generate_series(1, 3)`),
  );
  const mails = (await readNow()).queues.find(({ queue }) => queue === "mails");
  expect(mails).toEqual({ queue: "mails", waiting: 0, lagSeconds: null, failed: 3 });

  // The connection is not wanted, so no process handles it.
  const connectionId = await app.given.connection({ company, linked: false });
  await app.app.db.acrossCompanies(async (tx) => {
    await tx.query(sql`update connections set wanted = false where id = ${connectionId}`);
    await tx.query(sql`
insert into inbound_journal (company_id, connection_id, chat_key, event, created_at)
values (${company.id}, ${connectionId}, '', '', now() - interval '90 seconds')`);
  });
  const late = await readNow();
  const inbound = late.queues.find(({ queue }) => queue === "inbound");
  expect(inbound).toMatchObject({ waiting: 1, lagSeconds: expect.closeTo(90, -1) });
  expect(late.problems[0]).toMatchObject({ level: "bad", code: "inboundLag" });
  await app.app.db.acrossCompanies((tx) => tx.query(sql`delete from inbound_journal`));
});

test("errors are counted by place and code, without texts, and a report that fails is repeated", async () => {
  const incidents = createIncidents(() => new Date());
  const log = noteErrors(createLogger({ level: "silent", pretty: false }), incidents);
  const error = Object.assign(new Error(SECRET), { code: "23505" });
  for (const requestId of ["request-1", "request-2", "request-3"])
    log
      .child({ subsystem: "http" })
      .error({ err: error, method: "GET", route: "/api/x", requestId });
  log.child({ subsystem: "jobs" }).error({ err: error, job: "mails.sweep" }, "failed");
  log.warn({ err: error }, "no incident");
  const taken = incidents.take();
  expect(taken).toMatchObject([
    { kind: "call", place: "GET /api/x", code: "23505", count: 3, requestId: "request-3" },
    { kind: "job", place: "mails.sweep", count: 1 },
  ]);
  expect(JSON.stringify(taken)).not.toContain(SECRET);
  incidents.restore(taken);

  const report = createProcessReport({
    ...{ db: app.app.db, log, incidents, metrics: createMetrics() },
    process: { id: crypto.randomUUID(), version: "1", roles: new Set(), dataDir: app.dataDir },
    oldestTransactionSeconds: () => 0,
  });
  await report.write();
  // Another process counts on.
  log.error({ err: error, job: "mails.sweep" }, "failed");
  await report.write();
  expect((await readNow()).incidents).toMatchObject([
    { place: "GET /api/x", count: 3, requestId: "request-3" },
    { place: "mails.sweep", count: 2 },
  ]);
});

test("different incidents are bounded", () => {
  const incidents = createIncidents(() => new Date());
  for (let place = 0; place < 500; place += 1)
    incidents.note({ kind: "log", place: String(place), code: "Error", requestId: null });
  const taken = incidents.take();
  expect(taken.length).toBeLessThanOrEqual(201);
  expect(taken.reduce((sum, { count }) => sum + count, 0)).toBe(500);
});

test.each([
  [{ name: "tickets.list", text: "select 1" }, "tickets.list"],
  ["begin; select set_config('app.company_id', '7', true)", "begin"],
  ['select "id" from "tickets" where name = $1', "select tickets"],
  ["with held as (select 1) update outbound set state = 'x'", "with outbound"],
  ["insert into mails (id) values ('segredo')", "insert mails"],
] as const)("the statement %j is called %j", (statement, name) => {
  expect(nameOf(statement, typeof statement === "string" ? statement : statement.text)).toBe(name);
});

test("a slow statement is counted by its name", async () => {
  await app.app.db.acrossCompanies((tx) =>
    tx.query({ name: "test.slow", text: `select pg_sleep(${SLOW_MS / 1_000 + 0.02})` }),
  );
  const text = await metricsText();
  expect(text).toMatch(/balcao_database_slow_statements_total\{statement="test\.slow"\} 1/);
});

async function metricsText(): Promise<string> {
  return (await fetch(`${app.url}/metrics`)).text();
}

test("a request's trace has its statements, a message's goes from the journal to its event; no texts are sent", async () => {
  const company = await app.given.company();
  const admin = await app.given.admin({ company });
  const connectionId = await app.given.connection({ company });
  const line = `/simulator/connections/${connectionId}`;
  const phone = `55119${70_000_000 + unique()}`;
  await vi.waitFor(async () => {
    const { body } = await app.as(admin).get<{ status: string }>(`/whatsapp/${connectionId}`);
    expect(body.status).toBe("CONNECTED");
  });
  await app.as(admin).post(`${line}/chats`, { name: "Ana Lima", phone });
  await app.as(admin).post(`${line}/chats/${phone}/messages`, { body: SECRET });
  await app.idle();
  await readNow();

  const childrenOf = ({ spanId }: Span) => spans.filter((one) => one.parentSpanId === spanId);
  await vi.waitFor(() => {
    // Others were refused.
    const request = spans.find(
      (one) =>
        one.name === "GET /api/operation/now" &&
        childrenOf(one).some(({ name }) => name === "operation.facts"),
    );
    const handled = spans.find(({ name }) => name === "inbound message");
    if (!request || !handled) throw new Error("the spans have not come yet");
    const names = childrenOf(request).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["rights", "begin", "operation.jobs"]));
    const stored = spans.find(({ spanId }) => spanId === handled.parentSpanId);
    expect(stored?.name).toBe("inbound store");
    expect(childrenOf(handled).map(({ name }) => name)).toContain("inbound-claim");
    expect(handled.events.map(({ name }) => name)).toContain("event appMessage");
  });
  expect(received).toContain('"balcao"');
  for (const secret of [SECRET, phone, superUser.token]) expect(received).not.toContain(secret);
});

const fine: OperationFigures = {
  at: "2026-11-27T12:00:00.000Z",
  version: "1",
  processes: [
    {
      ...{ id: "1", host: "a", pid: 1, version: "1", roles: ["http", "jobs", "channels"] },
      ...{ startedAt: "2026-11-27T11:00:00.000Z", seenAt: "2026-11-27T12:00:00.000Z" },
      ...{ isAlive: true, connections: 1, eventLoopP99Ms: 5, eventLoopMaxMs: 9, memoryBytes: 1 },
      ...{ diskFreeBytes: 5e10, diskBytes: 1e11, poolOpen: 4, poolUsed: 1, poolWaiting: 0 },
      transactionSeconds: 0,
    },
  ],
  queues: [{ queue: "inbound", waiting: 0, lagSeconds: null, failed: 0 }],
  connections: { wanted: 10, connected: 10, connecting: 0, toLink: 0, lost: 0, unowned: 0 },
  jobs: [],
  incidents: [],
  slowStatements: [],
  database: {
    ...{
      bytes: 1,
      connections: 10,
      connectionsLimit: 100,
      replicaLagSeconds: null,
      deadRows: null,
    },
  },
  backup: { lastGoodAt: "2026-11-27T03:30:00.000Z", bytes: 1, hasFailed: false },
};
const [healthy = expect.unreachable()] = fine.processes;
const job = {
  ...{ name: "j", dueAt: "2026-11-27T12:30:00.000Z", isRunning: false, startedAt: null },
  ...{ endedAt: null, tookSeconds: null, failures: 0, fault: null },
};
const lag = (queue: "inbound" | "outbound" | "mails" | "imports", lagSeconds: number) => ({
  queues: [{ queue, waiting: 1, lagSeconds, failed: 0 }],
});

test.each<[string, Partial<OperationFigures>, string[]]>([
  ["nothing", {}, []],
  ["a crash", { processes: [healthy, { ...healthy, id: "2", isAlive: false }] }, ["processSilent"]],
  ["no jobs", { processes: [{ ...healthy, roles: ["http", "channels"] }] }, ["roleMissing"]],
  ["a busy loop", { processes: [{ ...healthy, eventLoopP99Ms: 300 }] }, ["eventLoop"]],
  ["a full disk", { processes: [{ ...healthy, diskFreeBytes: 1e9 }] }, ["diskFull"]],
  ["a full pool", { processes: [{ ...healthy, poolWaiting: 3 }] }, ["poolWaits"]],
  ["a long lock", { processes: [{ ...healthy, transactionSeconds: 61 }] }, ["longTransaction"]],
  ["received messages", lag("inbound", bounds.inboundLagSeconds + 1), ["inboundLag"]],
  ["messages to send", lag("outbound", bounds.outboundLagSeconds + 1), ["outboundLag"]],
  ["mails", lag("mails", bounds.workLagSeconds + 1), ["workLag"]],
  ["an import behind another", lag("imports", 9_999), []],
  ["few lost", { connections: { ...fine.connections, lost: 4 } }, []],
  ["many lost", { connections: { ...fine.connections, lost: 5 } }, ["connectionsLost"]],
  ["no owner", { connections: { ...fine.connections, unowned: 1 } }, ["leasesUnowned"]],
  ["a job that fails", { jobs: [{ ...job, failures: 2 }] }, ["jobFails"]],
  ["a late job", { jobs: [{ ...job, dueAt: "2026-11-27T11:00:00.000Z" }] }, ["jobLate"]],
  ["database", { database: { ...fine.database, connections: 81 } }, ["databaseConnections"]],
  [
    "an old backup that failed again",
    { backup: { lastGoodAt: "2026-11-26T03:30:00.000Z", bytes: 1, hasFailed: true } },
    ["backupOld", "backupFailed"],
  ],
  ["no backup", { backup: null }, ["backupNone"]],
])("of %s the page says what is wrong", (_name, change, codes) => {
  expect(judge({ ...fine, ...change }).map(({ code }) => code)).toEqual(codes);
});

const shipped = new URL("../../../../../deploy/observability/", import.meta.url);

test("alerts and dashboard name metrics that the product has, in valid PromQL", async () => {
  const alerts = await readFile(new URL("alerts.yaml", shipped), "utf8");
  const dashboard = await readFile(new URL("dashboard.json", shipped), "utf8");
  const ofAlerts = [...alerts.matchAll(/^\s+expr: (?:'([^']+)'|(".*"))$/gm)].map(
    ([, plain, quoted]) => plain ?? String(JSON.parse(quoted ?? '""')),
  );
  type Panel = { targets: { expr: string }[] };
  const { panels } = JSON.parse(dashboard) as { panels: Panel[] };
  const ofPanels = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  expect(ofAlerts).toHaveLength([...alerts.matchAll(/- alert:/g)].length);

  const text = await metricsText();
  const types = new Map(
    [...text.matchAll(/^# TYPE (\S+) (\w+)$/gm)].map(([, name = "", type = ""]) => [name, type]),
  );
  const isKnown = (metric: string): boolean => {
    const base = metric.replace(/_(bucket|sum|count)$/, "");
    return metric === "up" || types.has(metric) || types.get(base) === "histogram";
  };
  const unknown = [...ofAlerts, ...ofPanels].flatMap((expression) =>
    factsOf(expression).metrics.filter((metric) => !isKnown(metric)),
  );
  expect([...new Set(unknown)]).toEqual([]);
  // A label stands in the samples, where there are samples.
  const labels = new Set([...text.matchAll(/[{,](\w+)="/g)].map(([, name = ""]) => name));
  for (const always of ["job", "instance", "operation", "reason", "result"]) labels.add(always);
  const wrong = [...ofAlerts, ...ofPanels].flatMap((expression) =>
    factsOf(expression).labels.filter((label) => !labels.has(label)),
  );
  expect([...new Set(wrong)]).toEqual([]);
  // Each leads to a section of the manual.
  const manual = await readFile(new URL("../../docs/observability.md", shipped), "utf8");
  const sections = new Set(
    [...manual.matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) =>
      title
        .toLowerCase()
        .replaceAll(/[^\w -]/g, "")
        .replaceAll(" ", "-"),
    ),
  );
  const runbooks = [...alerts.matchAll(/runbook: \S+#(\S+)$/gm)].map(([, name = ""]) => name);
  expect(runbooks.filter((name) => !sections.has(name))).toEqual([]);
});

/** The metrics and labels of a PromQL expression; throws where it is none. */
function factsOf(expression: string): { metrics: string[]; labels: string[] } {
  const found = { metrics: new Set<string>(), labels: new Set<string>() };
  parser.parse(expression).iterate({
    enter({ name, from, to, type }) {
      if (type.isError) throw new Error(`no PromQL at ${from}: ${expression}`);
      if (name === "Identifier" && /^[a-z]/.test(expression.slice(from, to)))
        found.metrics.add(expression.slice(from, to));
      if (name === "LabelName") found.labels.add(expression.slice(from, to));
    },
  });
  return { metrics: [...found.metrics], labels: [...found.labels] };
}
