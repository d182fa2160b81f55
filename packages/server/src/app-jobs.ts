import { sql } from "drizzle-orm";
import { z } from "zod";
import { sweepQuestionsAcrossCompanies } from "./channels/runtime/index.ts";
import type { Database } from "./platform/db/database.ts";
import type { JobDefinition, Jobs } from "./platform/jobs/jobs.ts";
import { createJobs } from "./platform/jobs/jobs.ts";
import type { Logger } from "./platform/logging/logger.ts";

const nothing = z.object({});

type PeriodicJob = Omit<JobDefinition, "payload"> & { cron: string };

export type AppJobsDeps = {
  serviceUrl: string;
  db: Database;
  log: Logger;
  users: { markSilentUsersOffline(): Promise<void> };
  auth: { sweepLoginAttempts(): Promise<void> };
  media: { sweepOrphans(): Promise<void> };
  whatsAppWeb: { sweep(): Promise<void> };
  ratings: { endOverdue(): Promise<void> };
  ticketTimers: { closeInactive(): Promise<void>; transferWaiting(): Promise<void> };
};

/** Names every background job of the product and who does it. */
export function registerJobs(deps: AppJobsDeps): Jobs {
  const { serviceUrl, db, log, users, auth, media, whatsAppWeb, ratings, ticketTimers } = deps;
  const work: [PeriodicJob, () => Promise<void>][] = [
    [
      { name: "users.mark-silent-offline", cron: "* * * * *" },
      () => users.markSilentUsersOffline(),
    ],
    [{ name: "auth.sweep-login-attempts", cron: "7 * * * *" }, () => auth.sweepLoginAttempts()],
    [{ name: "channels.sweep-finished", cron: "23 3 * * *" }, () => sweepFinishedSends(db)],
    [
      { name: "channels.sweep-questions", cron: "41 * * * *" },
      () => db.acrossCompanies(sweepQuestionsAcrossCompanies),
    ],
    [
      { name: "media.sweep-orphans", cron: "47 * * * *", expireSeconds: 3_600 },
      () => media.sweepOrphans(),
    ],
    [{ name: "whatsapp-web.sweep-sent", cron: "11 4 * * *" }, () => whatsAppWeb.sweep()],
    [{ name: "ratings.end-overdue", cron: "*/10 * * * *" }, () => ratings.endOverdue()],
    // The next minute's look is the second attempt.
    [
      { name: "ticket-timers.close-inactive", cron: "* * * * *", retryLimit: 0 },
      () => ticketTimers.closeInactive(),
    ],
    [
      { name: "ticket-timers.transfer-waiting", cron: "* * * * *", retryLimit: 0 },
      () => ticketTimers.transferWaiting(),
    ],
  ];
  const handlers = work.map(([job, run]) => ({ definition: { ...job, payload: nothing }, run }));
  const definitions = handlers.map(({ definition }) => definition);
  const jobs = createJobs({ serviceUrl, log, definitions });
  for (const { definition, run } of handlers) jobs.handle(definition, run);
  return jobs;
}

/** Sends and changes that are over are kept for a week, events that nobody could handle for a month. */
async function sweepFinishedSends(db: Database): Promise<void> {
  await db.acrossCompanies(async (tx) => {
    await tx.query(
      sql`delete from outbound
           where (state = 'done' or (command <> 'message' and state in ('failed', 'unconfirmed')))
             and coalesce(attempted_at, due_at) < now() - interval '7 days'`,
    );
    await tx.query(sql`delete from early_events where created_at < now() - interval '1 day'`);
    await tx.query(sql`delete from inbound_journal where failed_at < now() - interval '30 days'`);
  });
}
