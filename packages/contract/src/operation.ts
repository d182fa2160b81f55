import { z } from "zod";
import { defineEndpoints } from "./endpoint.ts";
import { isoDate } from "./primitives.ts";

/** The queues of work of the whole installation, in the order of the page. */
export const workQueues = [
  ...(["inbound", "outbound", "media", "attendant", "schedules", "campaigns"] as const),
  ...(["deliveries", "mails", "imports", "transcripts"] as const),
] as const;
export type WorkQueue = (typeof workQueues)[number];

/** More are counted as this many. */
export const WORK_COUNTED = 10_000;

const workQueue = z.object({
  queue: z.enum(workQueues),
  /** The number of rows that are due, at most `WORK_COUNTED`. */
  waiting: z.number(),
  /** How long the oldest of them waits. */
  lagSeconds: z.number().nullable(),
  /** The number of rows that were given up and are kept for people to look at. */
  failed: z.number(),
});

const installedProcess = z.object({
  id: z.string(),
  host: z.string(),
  pid: z.number(),
  version: z.string(),
  roles: z.array(z.string()),
  startedAt: isoDate,
  seenAt: isoDate,
  /** False: it has not reported for half a minute, so it crashed, stands still, or does not reach the database. */
  isAlive: z.boolean(),
  /** Connections of chat networks that it owns. */
  connections: z.number(),
  eventLoopP99Ms: z.number(),
  eventLoopMaxMs: z.number(),
  memoryBytes: z.number(),
  diskFreeBytes: z.number().nullable(),
  diskBytes: z.number().nullable(),
  poolOpen: z.number(),
  poolUsed: z.number(),
  poolWaiting: z.number(),
  transactionSeconds: z.number(),
});
export type InstalledProcess = z.output<typeof installedProcess>;

const periodicJob = z.object({
  name: z.string(),
  dueAt: isoDate,
  isRunning: z.boolean(),
  startedAt: isoDate.nullable(),
  endedAt: isoDate.nullable(),
  /** The duration of the last run that ended. */
  tookSeconds: z.number().nullable(),
  /** Failed runs in a row, and the kind of the last one's error. */
  failures: z.number(),
  fault: z.string().nullable(),
});

/** An error of the last hour by its place in the program; nothing of what a customer wrote, and no values. */
const incident = z.object({
  kind: z.enum(["call", "job", "work", "log"]),
  place: z.string(),
  code: z.string(),
  count: z.number(),
  lastAt: isoDate,
  requestId: z.string().nullable(),
});

const slowStatement = z.object({
  name: z.string(),
  count: z.number(),
  averageMs: z.number(),
  longestMs: z.number(),
  lastAt: isoDate,
});

/** The problems with the figures that their sentences name. The worst come first. */
export const problemCodes = [
  ...(["processSilent", "roleMissing", "inboundLag", "outboundLag", "workLag"] as const),
  ...(["leasesUnowned", "connectionsLost", "jobFails", "jobLate", "errors"] as const),
  ...(["databaseConnections", "longTransaction", "poolWaits", "diskFull", "eventLoop"] as const),
  ...(["backupOld", "backupFailed", "backupNone", "inboundFailed", "mailsHeld"] as const),
] as const;
export type ProblemCode = (typeof problemCodes)[number];

const problem = z.object({
  code: z.enum(problemCodes),
  /** `bad`: customers notice it, or soon will. */
  level: z.enum(["bad", "warn"]),
  /** A process, a role, a queue or a job. */
  subject: z.string(),
  /** Seconds, milliseconds, bytes, hours or a number of things, as the code says. */
  value: z.number(),
});
export type OperationProblem = z.output<typeof problem>;

const operationNow = z.object({
  at: isoDate,
  version: z.string(),
  problems: z.array(problem),
  processes: z.array(installedProcess),
  queues: z.array(workQueue),
  connections: z.object({
    /** Those that people want to run, of companies that are active. */
    wanted: z.number(),
    connected: z.number(),
    connecting: z.number(),
    /** Wait for a person: a code to scan, or a new link. */
    toLink: z.number(),
    lost: z.number(),
    /** Wanted ones whose lease no process holds. */
    unowned: z.number(),
  }),
  jobs: z.array(periodicJob),
  incidents: z.array(incident),
  slowStatements: z.array(slowStatement),
  database: z.object({
    bytes: z.number(),
    connections: z.number(),
    connectionsLimit: z.number(),
    /** Seconds that a standby server is behind; null without one, or where the product may not see it. */
    replicaLagSeconds: z.number().nullable(),
    /** The table with the most rows that wait for the autovacuum. */
    deadRows: z.object({ table: z.string(), dead: z.number(), live: z.number() }).nullable(),
  }),
  /** The last finished backup and the last one at all; null: there was none. */
  backup: z
    .object({
      lastGoodAt: isoDate.nullable(),
      bytes: z.number().nullable(),
      /** The last one failed. */
      hasFailed: z.boolean(),
    })
    .nullable(),
});
export type OperationNow = z.output<typeof operationNow>;

export const operationEndpoints = defineEndpoints({
  "GET /operation/now": {
    summary:
      "What is going on in the whole installation: processes, queues, leases, jobs, errors; super users only",
    auth: "bearer",
    permission: "companies:manage-any",
    reply: operationNow,
    errors: [],
  },
});
