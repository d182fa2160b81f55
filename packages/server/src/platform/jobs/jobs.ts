import type pg from "pg";
import { PgBoss } from "pg-boss";
import type { z } from "zod";
import type { Tx } from "../db/database.ts";
import type { Logger } from "../logging/logger.ts";

/** A kind of background work: its name, the shape of its payload (ids, not objects), and how it is repeated. */
export type JobDefinition<P extends object = object> = {
  name: string;
  payload: z.ZodType<P>;
  /** Cron text; the job then runs by itself with `{}` as payload, once for the whole installation. */
  cron?: string;
  /** Further attempts after a failure, with growing delay. */
  retryLimit?: number;
  expireSeconds?: number;
};

export type JobHandler<P extends object> = (payload: P) => Promise<void>;

/**
 * Background jobs in the database. A job may run twice or late: its handler loads, checks that the state still wants
 * it, acts, records.
 */
export type Jobs = {
  /** Names the one handler of a job; a second one, or a definition without handler at `start`, throws. */
  handle<P extends object>(definition: JobDefinition<P>, handler: JobHandler<P>): void;
  /** Hands a job over in the transaction: it exists if and only if the use case is committed. */
  send<P extends object>(tx: Tx, definition: JobDefinition<P>, payload: P): Promise<void>;
  /** Starts the queues; with `work` this process also runs jobs. */
  start(options: { work: boolean }): Promise<void>;
  stop(): Promise<void>;
};

export type JobsOptions = {
  serviceUrl: string;
  log: Logger;
  definitions: readonly JobDefinition[];
};

/** Creates or upgrades the job tables; needs the owner. The caller sees to it that one process does so at a time. */
export async function installJobTables(client: pg.Client): Promise<void> {
  const boss = new PgBoss({
    db: { executeSql: (text, values) => client.query(text, values) },
    supervise: false,
    schedule: false,
  });
  boss.on("error", () => undefined);
  await boss.start();
  await boss.stop({ graceful: false });
}

export function createJobs({ serviceUrl, log, definitions }: JobsOptions): Jobs {
  const boss = new PgBoss({
    connectionString: serviceUrl,
    max: 4,
    application_name: "balcao-jobs",
    useListenNotify: true,
    // Both need the owner: `installJobTables` has migrated, and autovacuum keeps the small indexes in shape.
    migrate: false,
    reindex: false,
  });
  boss.on("error", (error) => log.error({ err: error }, "job queue error"));
  const handlers = new Map<string, (payload: unknown) => Promise<void>>();

  return {
    handle(definition, handler) {
      if (!definitions.some((known) => known.name === definition.name)) {
        throw new Error(`job ${definition.name} is not among the definitions`);
      }
      if (handlers.has(definition.name)) throw new Error(`job ${definition.name} has two handlers`);
      handlers.set(definition.name, async (payload) => handler(definition.payload.parse(payload)));
    },

    async send(tx, definition, payload) {
      await tx.query(enqueueJob, [
        definition.name,
        JSON.stringify(definition.payload.parse(payload)),
      ]);
    },

    async start({ work }) {
      const missing = definitions.filter(({ name }) => !handlers.has(name));
      if (missing.length > 0) {
        throw new Error(`jobs without handler: ${missing.map(({ name }) => name).join(", ")}`);
      }
      await boss.start();
      for (const definition of definitions) await prepareQueue(boss, definition);
      if (!work) return;
      for (const definition of definitions) await workOn(boss, definition, handlers, log);
    },

    stop: () => boss.stop({ graceful: true, timeout: 10_000 }),
  };
}

/** A function of the owner's, because neither role of a transaction needs to write the job tables for this. */
const enqueueJob = { name: "job-enqueue", text: "select enqueue_job($1, $2::jsonb)" };

async function prepareQueue(boss: PgBoss, definition: JobDefinition): Promise<void> {
  await boss.createQueue(definition.name, {
    retryLimit: definition.retryLimit ?? 3,
    retryBackoff: true,
    expireInSeconds: definition.expireSeconds ?? 120,
    heartbeatSeconds: 10,
    deleteAfterSeconds: 24 * 3600,
    notify: true,
  });
  if (definition.cron) await boss.schedule(definition.name, definition.cron, {});
}

async function workOn(
  boss: PgBoss,
  definition: JobDefinition,
  handlers: ReadonlyMap<string, (payload: unknown) => Promise<void>>,
  log: Logger,
): Promise<void> {
  const handler = handlers.get(definition.name);
  if (!handler) return;
  const options = {
    includeMetadata: true,
    pollingIntervalSeconds: 0.5,
    // A notification that comes while the worker is busy is not repeated: then this is how long a job waits.
    notifyPollingIntervalSeconds: 2,
  } as const;
  await boss.work(definition.name, options, async ([job]) => {
    if (!job) return;
    try {
      await handler(job.data);
    } catch (error) {
      // Earlier attempts may fail for passing reasons; the last one is worth a line.
      if (job.retryCount >= job.retryLimit) {
        log.error({ err: error, job: definition.name, jobId: job.id }, "job failed");
      }
      throw error;
    }
  });
}
