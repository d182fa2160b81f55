import type { OperationNow, OperationProblem, WorkQueue } from "@balcao/contract";
import { problemCodes } from "@balcao/contract";
import { differenceInMilliseconds } from "date-fns/differenceInMilliseconds";
import type { ProcessRole } from "../../platform/config/config.ts";

/** The figures without the judgement. */
export type OperationFigures = Omit<OperationNow, "problems">;

/** Beyond these a figure is a problem (docs/observability.md has the same numbers for the alerts). */
export const bounds = {
  inboundLagSeconds: 60,
  outboundLagSeconds: 120,
  workLagSeconds: 180,
  /** Lost connections are a problem of the installation from both of these on; fewer are their companies'. */
  connectionsLost: 5,
  connectionsLostShare: 0.2,
  jobLateSeconds: 600,
  errorsPerHour: 10,
  databaseConnectionsShare: 0.8,
  transactionSeconds: 60,
  diskFreeShare: 0.1,
  diskFreeBytes: 2_000_000_000,
  eventLoopP99Ms: 250,
  backupHours: 26,
} as const;

const roles: readonly ProcessRole[] = ["http", "jobs", "channels"];
/** Their rows may wait for something else: another import of the company, a service that is told to be broken. */
const patient: ReadonlySet<WorkQueue> = new Set(["imports", "transcripts"]);

/** Everything that is wrong, the worst first. Nothing: all is in order. */
export function judge(now: OperationFigures): OperationProblem[] {
  const found = [
    ...ofProcesses(now),
    ...ofQueues(now),
    ...ofConnections(now),
    ...ofJobs(now),
    ...ofDatabase(now),
    ...ofBackup(now),
  ];
  const place = ({ level, code }: OperationProblem): number =>
    (level === "bad" ? 0 : problemCodes.length) + problemCodes.indexOf(code);
  return found.sort((one, other) => place(one) - place(other));
}

function problem(
  level: OperationProblem["level"],
  code: OperationProblem["code"],
  value: number,
  subject = "",
): OperationProblem {
  return { level, code, value: Math.round(value), subject };
}

function ofProcesses({ at, processes }: OperationFigures): OperationProblem[] {
  const found: OperationProblem[] = [];
  const alive = processes.filter(({ isAlive }) => isAlive);
  for (const { host, pid, seenAt, isAlive } of processes) {
    const silent = secondsBetween(seenAt, at);
    if (!isAlive) found.push(problem("warn", "processSilent", silent, `${host} ${pid}`));
  }
  for (const role of roles) {
    if (!alive.some((one) => one.roles.includes(role)))
      found.push(problem("bad", "roleMissing", 0, role));
  }
  for (const one of alive) {
    const { host, pid, eventLoopP99Ms, poolWaiting, transactionSeconds } = one;
    const subject = `${host} ${pid}`;
    if (eventLoopP99Ms > bounds.eventLoopP99Ms)
      found.push(problem("bad", "eventLoop", eventLoopP99Ms, subject));
    if (poolWaiting > 0) found.push(problem("warn", "poolWaits", poolWaiting, subject));
    if (transactionSeconds > bounds.transactionSeconds)
      found.push(problem("warn", "longTransaction", transactionSeconds, subject));
  }
  // Processes of one machine share its disk.
  const hosts = new Map(alive.map((one) => [one.host, one]));
  for (const { host, diskFreeBytes, diskBytes } of hosts.values()) {
    if (diskFreeBytes === null || diskBytes === null) continue;
    const isSmall =
      diskFreeBytes < bounds.diskFreeBytes || diskFreeBytes < bounds.diskFreeShare * diskBytes;
    const level = diskFreeBytes < bounds.diskFreeBytes ? "bad" : "warn";
    if (isSmall) found.push(problem(level, "diskFull", diskFreeBytes, host));
  }
  return found;
}

function ofQueues({ queues }: OperationFigures): OperationProblem[] {
  return queues.flatMap(({ queue, lagSeconds, failed }) => {
    const lag = lagSeconds ?? 0;
    if (queue === "inbound") {
      return [
        ...(lag > bounds.inboundLagSeconds ? [problem("bad", "inboundLag", lag)] : []),
        ...(failed > 0 ? [problem("warn", "inboundFailed", failed)] : []),
      ];
    }
    if (queue === "outbound")
      return lag > bounds.outboundLagSeconds ? [problem("bad", "outboundLag", lag)] : [];
    const isLate = !patient.has(queue) && lag > bounds.workLagSeconds;
    return isLate ? [problem("warn", "workLag", lag, queue)] : [];
  });
}

function ofConnections({ connections }: OperationFigures): OperationProblem[] {
  const { lost, wanted, unowned } = connections;
  const isMany = lost >= bounds.connectionsLost && lost >= bounds.connectionsLostShare * wanted;
  return [
    ...(unowned > 0 ? [problem("bad", "leasesUnowned", unowned)] : []),
    ...(isMany ? [problem("bad", "connectionsLost", lost)] : []),
  ];
}

function ofJobs({ at, jobs, incidents, queues }: OperationFigures): OperationProblem[] {
  const errors = incidents.reduce((sum, { count }) => sum + count, 0);
  const held = queues.find(({ queue }) => queue === "mails")?.failed ?? 0;
  return [
    ...jobs.flatMap(({ name, failures, isRunning, dueAt }) => {
      if (failures > 0) return [problem("warn", "jobFails", failures, name)];
      const late = secondsBetween(dueAt, at);
      return !isRunning && late > bounds.jobLateSeconds
        ? [problem("bad", "jobLate", late, name)]
        : [];
    }),
    ...(errors >= bounds.errorsPerHour ? [problem("warn", "errors", errors)] : []),
    ...(held > 0 ? [problem("warn", "mailsHeld", held)] : []),
  ];
}

function ofDatabase({ database }: OperationFigures): OperationProblem[] {
  const { connections, connectionsLimit } = database;
  return connections > bounds.databaseConnectionsShare * connectionsLimit
    ? [problem("bad", "databaseConnections", connections)]
    : [];
}

function ofBackup({ at, backup }: OperationFigures): OperationProblem[] {
  if (backup === null) return [problem("warn", "backupNone", 0)];
  const { lastGoodAt, hasFailed } = backup;
  const hours = lastGoodAt === null ? null : secondsBetween(lastGoodAt, at) / 3_600;
  return [
    ...(hasFailed ? [problem("warn", "backupFailed", 0)] : []),
    ...(hours === null ? [problem("warn", "backupNone", 0)] : []),
    ...(hours !== null && hours > bounds.backupHours ? [problem("warn", "backupOld", hours)] : []),
  ];
}

/** Zero when the first moment is the later one. */
function secondsBetween(from: string, to: string): number {
  return Math.max(0, differenceInMilliseconds(to, from) / 1_000);
}
