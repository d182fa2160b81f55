import type { InstalledProcess, OperationNow, SecurityReport, WorkQueue } from "@balcao/contract";
import { WORK_COUNTED, workQueues } from "@balcao/contract";
import type { UserCtx } from "../../platform/context.ts";
import { requirePermission } from "../../platform/context.ts";
import type { Database, PreparedStatement, Tx } from "../../platform/db/database.ts";
import { toIso, toIsoOrNull } from "../../platform/db/records.ts";
import type { ProcessFigures } from "../../platform/db/schema/index.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { Metrics } from "../../platform/metrics/metrics.ts";
import type { Clock } from "../../platform/sources.ts";
import type { OperationFigures } from "./judge.ts";
import { judge } from "./judge.ts";
import { addOperationMetrics, addSecurityMetric } from "./metrics.ts";
import type { SecurityDeps } from "./security-facts.ts";
import { readSecurityFacts } from "./security-facts.ts";
import { judgeSecurity } from "./security-judge.ts";

export type OperationDeps = {
  db: Database;
  clock: Clock;
  version: string;
  metrics: Metrics;
  security: Omit<SecurityDeps, "db" | "clock">;
};

/** The present state of the whole installation, for super users (docs/observability.md). */
export function createOperationFeature(deps: OperationDeps) {
  const security = { db: deps.db, clock: deps.clock, ...deps.security };
  addOperationMetrics(deps.metrics, () => readFigures(deps));
  addSecurityMetric(deps.metrics, () => checkSecurity(security));
  return {
    register(routes: Routes): void {
      routes.handle("GET /operation/now", ({ ctx }) => readNow(deps, ctx));
      routes.handle("GET /operation/security", async ({ ctx }) => {
        requirePermission(ctx, "companies:manage-any");
        return checkSecurity(security);
      });
    },
  };
}

/** How safe the installation is set up, as far as this process and its database can tell (docs/security-check.md). */
export async function checkSecurity(deps: SecurityDeps): Promise<SecurityReport> {
  const facts = await readSecurityFacts(deps);
  return { at: toIso(facts.now), checks: judgeSecurity(facts) };
}

/** The present state of all companies' work, and what is wrong with it. A few bounded statements of one transaction read it. */
async function readNow(deps: OperationDeps, ctx: UserCtx): Promise<OperationNow> {
  requirePermission(ctx, "companies:manage-any");
  const figures = await readFigures(deps);
  return { ...figures, problems: judge(figures) };
}

async function readFigures({ db, clock, version }: OperationDeps): Promise<OperationFigures> {
  return db.acrossCompanies(async (tx) => {
    const [facts] = await tx.query<FactsRow>(factsStatement);
    if (!facts) throw new Error("the database answered nothing");
    return {
      at: toIso(facts.at),
      version,
      processes: await readProcesses(tx),
      queues: await readQueues(tx, clock.now()),
      connections: await readConnections(tx),
      jobs: await readJobs(tx),
      ...(await readIncidents(tx)),
      database: {
        bytes: facts.bytes,
        connections: facts.connections,
        connectionsLimit: facts.connectionsLimit,
        replicaLagSeconds: facts.replicaLagSeconds,
        deadRows:
          facts.deadTable === null
            ? null
            : { table: facts.deadTable, dead: facts.dead ?? 0, live: facts.live ?? 0 },
      },
      backup: await readBackup(tx),
    };
  });
}

type FactsRow = {
  at: Date;
  bytes: number;
  connections: number;
  connectionsLimit: number;
  replicaLagSeconds: number | null;
  deadTable: string | null;
  dead: number | null;
  live: number | null;
};

/** Figures that PostgreSQL shows to every role; a standby's lag only to those that may monitor. */
const factsStatement: PreparedStatement = {
  name: "operation.facts",
  text: `
select now() as at, pg_database_size(current_database()) as bytes,
  (select coalesce(sum(numbackends), 0)::int from pg_stat_database) as connections,
  current_setting('max_connections')::int as "connectionsLimit",
  (select extract(epoch from max(replay_lag))::float8 from pg_stat_replication) as "replicaLagSeconds",
  dead.relname::text as "deadTable", dead.n_dead_tup as dead, dead.n_live_tup as live
from (values (1)) as always
left join lateral (
  select relname, n_dead_tup, n_live_tup from pg_stat_user_tables
  where n_dead_tup > 1000 order by n_dead_tup desc limit 1
) dead on true`,
};

type ProcessRow = Omit<InstalledProcess, keyof ProcessFigures | "startedAt" | "seenAt"> & {
  startedAt: Date;
  seenAt: Date;
  figures: ProcessFigures;
};

async function readProcesses(tx: Tx): Promise<InstalledProcess[]> {
  const rows = await tx.query<ProcessRow>(processesStatement);
  return rows.map(({ figures, ...row }) => ({
    ...figures,
    ...row,
    startedAt: toIso(row.startedAt),
    seenAt: toIso(row.seenAt),
  }));
}

const processesStatement: PreparedStatement = {
  name: "operation.processes",
  text: `
select p.id, p.host, p.pid, p.version, p.roles, p.started_at as "startedAt", p.seen_at as "seenAt",
  p.seen_at > now() - interval '30 seconds' as "isAlive", p.figures,
  (select count(*)::int from connection_leases l where l.owner = p.id and l.expires_at > now()) as connections
from processes p
order by p.seen_at > now() - interval '30 seconds' desc, p.host, p.started_at limit 100`,
};

type QueueRow = { queue: WorkQueue; waiting: number; lagSeconds: number | null; failed: number };

async function readQueues(tx: Tx, now: Date): Promise<QueueRow[]> {
  const rows = await tx.query<QueueRow>(queuesStatement, [now]);
  const byName = new Map(rows.map((row) => [row.queue, row]));
  return workQueues.map(
    (queue) => byName.get(queue) ?? { queue, waiting: 0, lagSeconds: null, failed: 0 },
  );
}

/** Counts what is due by the partial indexes that find it; work of the product's clock is due by $1, of the channels by the database's. */
const queueSelect = (queue: WorkQueue, rows: string, at: string, failed = "0"): string => `
select '${queue}' as queue, count(*)::int as waiting,
  case when count(*) > 0
    then greatest(0, extract(epoch from ${at === "channels" ? "now()" : "$1::timestamptz"} - min(at))) end::float8 as "lagSeconds",
  ${failed} as failed
from (${rows} limit ${WORK_COUNTED}) due`;

/** Messages of a connection that is not connected wait for its company, not for the installation. */
const onConnected = (alias: string): string =>
  `exists (select from connections c where c.id = ${alias}.connection_id and c.status = 'CONNECTED')`;

const lastDay = (rows: string): string =>
  `(select count(*)::int from (select from ${rows} limit ${WORK_COUNTED}) f)`;

const queuesStatement: PreparedStatement = {
  name: "operation.queues",
  text: [
    queueSelect(
      "inbound",
      "select created_at as at from inbound_journal where failed_at is null",
      "channels",
      lastDay("inbound_journal where failed_at > now() - interval '1 day'"),
    ),
    queueSelect(
      "outbound",
      `select o.due_at as at from outbound o where o.state = 'queued' and o.due_at <= now() and ${onConnected("o")}`,
      "channels",
    ),
    queueSelect(
      "media",
      `select m.due_at as at from media_downloads m where m.due_at <= now() and ${onConnected("m")}`,
      "channels",
    ),
    queueSelect(
      "attendant",
      "select due_at as at from attendant_turns where due_at <= $1",
      "clock",
    ),
    queueSelect(
      "schedules",
      "select due_at as at from schedules where status = 'PENDENTE' and due_at <= $1",
      "clock",
    ),
    queueSelect(
      "campaigns",
      `select n.due_at as at from campaign_lines n where n.due_at <= $1 and ${onConnected("n")}`,
      "clock",
    ),
    queueSelect(
      "deliveries",
      "select due_at as at from deliveries where state = 'waiting' and due_at <= $1",
      "clock",
      lastDay(
        "deliveries where state = 'failed' and created_at > $1::timestamptz - interval '1 day'",
      ),
    ),
    queueSelect(
      "mails",
      "select due_at as at from mails where state = 'waiting' and due_at <= $1",
      "clock",
      lastDay(
        "mails where state in ('held', 'failed') and created_at > $1::timestamptz - interval '1 day'",
      ),
    ),
    queueSelect("imports", "select due_at as at from contact_imports where due_at <= $1", "clock"),
    queueSelect(
      "transcripts",
      "select due_at as at from transcript_jobs where due_at <= $1",
      "clock",
    ),
  ].join("\nunion all"),
};

async function readConnections(tx: Tx): Promise<OperationNow["connections"]> {
  const [row] = await tx.query<OperationNow["connections"]>(connectionsStatement);
  return row ?? { wanted: 0, connected: 0, connecting: 0, toLink: 0, lost: 0, unowned: 0 };
}

/** A connection that was wanted a moment ago is about to be taken. */
const connectionsStatement: PreparedStatement = {
  name: "operation.connections",
  text: `
select count(*)::int as wanted,
  count(*) filter (where w.status = 'CONNECTED')::int as connected,
  count(*) filter (where w.status = 'OPENING')::int as connecting,
  count(*) filter (where w.status in ('qrcode', 'PAIRING'))::int as "toLink",
  count(*) filter (where w.status in ('TIMEOUT', 'DISCONNECTED'))::int as lost,
  count(*) filter (where w.updated_at < now() - interval '20 seconds'
    and (l.expires_at is null or l.expires_at < now() - interval '20 seconds'))::int as unowned
from connections w
join companies c on c.id = w.company_id and c.status
left join connection_leases l on l.connection_id = w.id
where w.wanted and w.deleted_at is null`,
};

type JobRow = {
  name: string;
  dueAt: Date;
  isRunning: boolean;
  startedAt: Date | null;
  endedAt: Date | null;
  tookSeconds: number | null;
  failures: number;
  fault: string | null;
};

async function readJobs(tx: Tx): Promise<OperationNow["jobs"]> {
  const rows = await tx.query<JobRow>(jobsStatement);
  return rows.map((row) => ({
    ...row,
    dueAt: toIso(row.dueAt),
    startedAt: toIsoOrNull(row.startedAt),
    endedAt: toIsoOrNull(row.endedAt),
  }));
}

const jobsStatement: PreparedStatement = {
  name: "operation.jobs",
  text: `
select name, due_at as "dueAt", coalesce(held_until > now(), false) as "isRunning", started_at as "startedAt",
  ended_at as "endedAt", extract(epoch from ended_at - started_at)::float8 as "tookSeconds", failures, fault
from periodic_jobs
order by failures > 0 desc, due_at, name limit 200`,
};

type IncidentRow = {
  kind: "call" | "job" | "work" | "log" | "statement";
  place: string;
  code: string;
  count: number;
  averageMs: number;
  longestMs: number;
  lastAt: Date;
  requestId: string | null;
};

async function readIncidents(tx: Tx): Promise<Pick<OperationNow, "incidents" | "slowStatements">> {
  const rows = await tx.query<IncidentRow>(incidentsStatement);
  return {
    incidents: rows.flatMap(({ kind, place, code, count, lastAt, requestId }) =>
      kind === "statement" ? [] : [{ kind, place, code, count, lastAt: toIso(lastAt), requestId }],
    ),
    slowStatements: rows.flatMap(({ kind, place: name, count, averageMs, longestMs, lastAt }) =>
      kind === "statement" ? [{ name, count, averageMs, longestMs, lastAt: toIso(lastAt) }] : [],
    ),
  };
}

/** The fifty most frequent errors of the last hour, and the twenty statements that took the most time. */
const incidentsStatement: PreparedStatement = {
  name: "operation.incidents",
  text: `
with last_hour as materialized (
  select kind, place, code, sum(count)::int as count, sum(total_ms) as total_ms, max(longest_ms) as longest_ms,
    max(last_at) as last_at, (array_agg(request_id order by last_at desc) filter (where request_id is not null))[1] as request_id
  from incidents where bucket_at > now() - interval '1 hour' group by kind, place, code
), shown as (
  (select * from last_hour where kind <> 'statement' order by count desc, last_at desc limit 50)
  union all
  (select * from last_hour where kind = 'statement' order by total_ms desc limit 20)
)
select kind, place, code, count, (total_ms / count)::float8 as "averageMs", longest_ms as "longestMs",
  last_at as "lastAt", request_id as "requestId"
from shown order by kind = 'statement', case when kind = 'statement' then total_ms else count end desc, last_at desc`,
};

async function readBackup(tx: Tx): Promise<OperationNow["backup"]> {
  type Row = { lastGoodAt: Date | null; bytes: number | null; hasFailed: boolean };
  const [row] = await tx.query<Row>(backupStatement);
  return row ? { ...row, lastGoodAt: toIsoOrNull(row.lastGoodAt) } : null;
}

/** No row while no backup was ever begun. */
const backupStatement: PreparedStatement = {
  name: "operation.backup",
  text: `
select good.ended_at as "lastGoodAt", good.bytes, newest.error is not null as "hasFailed"
from (select error from backups order by started_at desc, id desc limit 1) newest
left join lateral (
  select ended_at, bytes from backups
  where name is not null and error is null
  order by started_at desc, id desc limit 1
) good on true`,
};
