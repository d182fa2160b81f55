import { sql } from "drizzle-orm";
import { sweepCallsAcrossCompanies } from "./features/api/index.ts";
import { sweepQuestionsAcrossCompanies } from "./channels/runtime/index.ts";
import { expireEntriesAcrossCompanies } from "./features/audit/index.ts";
import { mailLossesAcrossCompanies } from "./features/connections/index.ts";
import {
  countFilesAcrossCompanies,
  countMessagesAcrossCompanies,
} from "./features/companies/index.ts";
import { sweepImportsAcrossCompanies } from "./features/contact-imports/index.ts";
import { sumDaysAcrossCompanies } from "./features/dashboard/index.ts";
import type { MailsFeature } from "./features/mails/index.ts";
import { sweepUsageAcrossCompanies } from "./features/prompts/index.ts";
import { sweepUndosAcrossCompanies } from "./features/tickets/index.ts";
import type { Database } from "./platform/db/database.ts";
import { sweepHiddenAcrossCompanies } from "./platform/db/records.ts";
import type { PeriodicJob, PeriodicJobs, PeriodicJobsDeps } from "./platform/jobs/periodic-jobs.ts";
import {
  createPeriodicJobs,
  dailyAt,
  everyMinutes,
  hourlyAt,
} from "./platform/jobs/periodic-jobs.ts";
import type { Clock } from "./platform/sources.ts";

type Sweep = { sweep: PeriodicJob["run"] };

export type AppJobsDeps = PeriodicJobsDeps & {
  users: { markSilentUsersOffline(): Promise<void> };
  auth: { sweepLoginAttempts(): Promise<void>; sweepPasswordResets(): Promise<void> };
  mails: Pick<MailsFeature, "sweep" | "addAll">;
  publicUrl: string | null;
  media: { sweepOrphans: PeriodicJob["run"] };
  companyExports: Sweep;
  privacy: Sweep & { keepRetention: PeriodicJob["run"] };
  whatsAppWeb: { sweep(): Promise<void> };
  cloudApi: Sweep;
  simulator: Sweep;
  ratings: { endOverdue: PeriodicJob["run"] };
  ticketTimers: { closeInactive: PeriodicJob["run"]; transferWaiting: PeriodicJob["run"] };
  answerTargets: { check: PeriodicJob["run"] };
  deliveries: Sweep;
  push: { sweep(): Promise<void> };
  backups: { jobs: readonly PeriodicJob[] };
  whaticketRuns: { jobs: readonly PeriodicJob[] };
  billing: { reconcileAll(): Promise<void>; remind(): Promise<void> };
  clock: Clock;
};

const HOUR_MS = 3_600_000;

/** Names everything that the product does by the clock. */
export function createAppJobs(deps: AppJobsDeps): PeriodicJobs {
  const { db, users, auth, mails, media, ratings, ticketTimers, answerTargets, billing } = deps;
  const { whatsAppWeb, cloudApi, simulator, deliveries } = deps;
  const jobs: PeriodicJob[] = [
    {
      name: "users.mark-silent-offline",
      period: everyMinutes(1),
      run: () => users.markSilentUsersOffline(),
    },
    {
      name: "auth.sweep-login-attempts",
      period: hourlyAt(7),
      run: () => auth.sweepLoginAttempts(),
    },
    {
      name: "auth.sweep-password-resets",
      period: hourlyAt(11),
      run: () => auth.sweepPasswordResets(),
    },
    { name: "mails.sweep", period: hourlyAt(17), run: () => mails.sweep() },
    {
      name: "connections.mail-losses",
      period: everyMinutes(1),
      run: () => mailLossesAcrossCompanies(deps),
    },
    { name: "channels.sweep-finished", period: dailyAt(3, 23), run: () => sweepFinishedSends(db) },
    {
      name: "undo.sweep",
      period: hourlyAt(13),
      run: () =>
        db.acrossCompanies(async (tx) => {
          await sweepUndosAcrossCompanies(tx);
          await sweepHiddenAcrossCompanies(tx);
        }),
    },
    {
      name: "channels.sweep-questions",
      period: hourlyAt(41),
      run: () => db.acrossCompanies(sweepQuestionsAcrossCompanies),
    },
    {
      name: "audit.expire",
      period: dailyAt(3, 47),
      limitMs: HOUR_MS,
      run: (signal) => expireEntriesAcrossCompanies(db, signal),
    },
    { name: "push.sweep", period: hourlyAt(37), run: () => deps.push.sweep() },
    { name: "prompts.sweep", period: hourlyAt(31), run: () => sweepUsageAcrossCompanies(db) },
    { name: "api.sweep", period: hourlyAt(53), run: () => sweepCallsAcrossCompanies(db) },
    {
      name: "contact-imports.sweep",
      period: hourlyAt(29),
      run: (signal) => sweepImportsAcrossCompanies(db, signal),
    },
    {
      name: "media.sweep-orphans",
      period: hourlyAt(47),
      limitMs: HOUR_MS,
      run: (signal) => media.sweepOrphans(signal),
    },
    {
      name: "whatsapp-web.sweep-sent",
      period: dailyAt(4, 11),
      run: () => whatsAppWeb.sweep(),
    },
    {
      name: "cloud-api.sweep-deleted",
      period: dailyAt(4, 23),
      run: (signal) => cloudApi.sweep(signal),
    },
    {
      name: "simulator.sweep-deleted",
      period: dailyAt(4, 31),
      run: (signal) => simulator.sweep(signal),
    },
    {
      name: "ratings.end-overdue",
      period: everyMinutes(10),
      run: (signal) => ratings.endOverdue(signal),
    },
    {
      name: "ticket-timers.close-inactive",
      period: everyMinutes(1),
      run: (signal) => ticketTimers.closeInactive(signal),
    },
    {
      name: "ticket-timers.transfer-waiting",
      period: everyMinutes(1),
      run: (signal) => ticketTimers.transferWaiting(signal),
    },
    {
      name: "ticket-timers.check-targets",
      period: everyMinutes(1),
      run: (signal) => answerTargets.check(signal),
    },
    {
      name: "deliveries.sweep",
      period: hourlyAt(37),
      limitMs: HOUR_MS,
      run: (signal) => deliveries.sweep(signal),
    },
    {
      name: "billing.reconcile",
      period: hourlyAt(1),
      run: () => billing.reconcileAll(),
    },
    // In the morning of Brazil.
    { name: "billing.remind", period: dailyAt(12, 5), run: () => billing.remind() },
    {
      name: "companies.count-messages",
      period: hourlyAt(19),
      run: (signal) => countMessagesAcrossCompanies(deps, signal),
    },
    {
      name: "companies.sweep-exports",
      period: hourlyAt(43),
      limitMs: HOUR_MS,
      run: (signal) => deps.companyExports.sweep(signal),
    },
    {
      name: "privacy.sweep-exports",
      period: hourlyAt(49),
      limitMs: HOUR_MS,
      run: (signal) => deps.privacy.sweep(signal),
    },
    // In the night of Brazil.
    {
      name: "privacy.keep-retention",
      period: dailyAt(5, 40),
      limitMs: HOUR_MS,
      run: (signal) => deps.privacy.keepRetention(signal),
    },
    // After the messages: a company's first count makes the row that this one changes.
    {
      name: "companies.count-files",
      period: { everyMinutes: 6 * 60, atMinute: 21 },
      run: () => countFilesAcrossCompanies(deps),
    },
    {
      name: "dashboard.sum-days",
      period: everyMinutes(5),
      limitMs: HOUR_MS,
      run: (signal) => sumDaysAcrossCompanies(deps, signal),
    },
  ];
  return createPeriodicJobs(deps, [...jobs, ...deps.backups.jobs, ...deps.whaticketRuns.jobs]);
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
