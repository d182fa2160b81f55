import { sql } from "drizzle-orm";
import { z } from "zod";
import { sweepQuestionsAcrossCompanies } from "./channels/runtime/index.ts";
import type { Database } from "./platform/db/database.ts";
import type { JobDefinition, Jobs } from "./platform/jobs/jobs.ts";
import { createJobs } from "./platform/jobs/jobs.ts";
import type { Logger } from "./platform/logging/logger.ts";

const nothing = z.object({});

const silentUsers: JobDefinition = {
  name: "users.mark-silent-offline",
  payload: nothing,
  cron: "* * * * *",
};
const loginAttempts: JobDefinition = {
  name: "auth.sweep-login-attempts",
  payload: nothing,
  cron: "7 * * * *",
};
const finishedSends: JobDefinition = {
  name: "channels.sweep-finished",
  payload: nothing,
  cron: "23 3 * * *",
};

const channelQuestions: JobDefinition = {
  name: "channels.sweep-questions",
  payload: nothing,
  cron: "41 * * * *",
};

const orphanFiles: JobDefinition = {
  name: "media.sweep-orphans",
  payload: nothing,
  cron: "47 3 * * *",
  expireSeconds: 3_600,
};

const sentMessages: JobDefinition = {
  name: "whatsapp-web.sweep-sent",
  payload: nothing,
  cron: "11 4 * * *",
};

const overdueRatings: JobDefinition = {
  name: "ratings.end-overdue",
  payload: nothing,
  cron: "*/10 * * * *",
};

const inactiveTickets: JobDefinition = {
  name: "ticket-timers.close-inactive",
  payload: nothing,
  cron: "* * * * *",
  retryLimit: 0,
};

const waitingTickets: JobDefinition = {
  name: "ticket-timers.transfer-waiting",
  payload: nothing,
  cron: "* * * * *",
  retryLimit: 0,
};

export type AppJobsDeps = {
  ownerUrl: string;
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
  const { ownerUrl, db, log, users, auth, media, whatsAppWeb } = deps;
  const { ratings, ticketTimers } = deps;
  const jobs = createJobs({
    ownerUrl,
    db,
    log,
    definitions: [
      silentUsers,
      loginAttempts,
      finishedSends,
      channelQuestions,
      orphanFiles,
      sentMessages,
      overdueRatings,
      inactiveTickets,
      waitingTickets,
    ],
  });
  jobs.handle(silentUsers, () => users.markSilentUsersOffline());
  jobs.handle(loginAttempts, () => auth.sweepLoginAttempts());
  jobs.handle(finishedSends, () => sweepFinishedSends(db));
  jobs.handle(channelQuestions, () => db.acrossCompanies(sweepQuestionsAcrossCompanies));
  jobs.handle(orphanFiles, () => media.sweepOrphans());
  jobs.handle(sentMessages, () => whatsAppWeb.sweep());
  jobs.handle(overdueRatings, () => ratings.endOverdue());
  jobs.handle(inactiveTickets, () => ticketTimers.closeInactive());
  jobs.handle(waitingTickets, () => ticketTimers.transferWaiting());
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
    await tx.query(sql`delete from inbound_journal where failed_at < now() - interval '30 days'`);
  });
}
