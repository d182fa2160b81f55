import type { CampaignId, CompanyId } from "@balcao/contract";
import { addSeconds } from "date-fns/addSeconds";
import { subDays } from "date-fns/subDays";
import { subHours } from "date-fns/subHours";
import type { Ctx } from "../../platform/context.ts";
import { systemCtx } from "../../platform/context.ts";
import type { Database } from "../../platform/db/database.ts";
import { DueWorker } from "../../platform/jobs/due-worker.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Realtime } from "../../platform/realtime/hub.ts";
import type { Clock, IdSource } from "../../platform/sources.ts";
import type { CampaignDeps } from "./campaign.ts";
import { tellCampaign } from "./campaign.ts";
import { finishCampaigns } from "./outcomes.ts";
import { countRecipients } from "./recipients.ts";

/** What it takes to tell how a campaign is. */
export type TellDeps = CampaignDeps & { clock: Clock; realtime: Realtime };
export type ProgressDeps = TellDeps & { db: Database; ids: IdSource; log: Logger };

type Due = { companyId: CompanyId; id: CampaignId };

const AT_ONCE = 4;
const HELD = 100;
const TELL_SECONDS = 1;
/** A change has the time at which its transaction began to work, and may be seen only after a telling: one more look follows. */
const SETTLED_SECONDS = 5;
/** Messages of a campaign that is over are followed so long. */
const FOLLOWED_DAYS = 3;
/** Behaviour 5.6: a question without answer is done after this. */
const CONFIRMATION_HOURS = 72;
const EXPIRED_AT_ONCE = 500;

/**
 * Tells how campaigns get on: once a second and campaign over all processes while something changes, and once more after the last
 * change. What is told is read from the rows, so a crash loses nothing.
 */
export function createProgress(deps: ProgressDeps, lookEveryMs: number): DueWorker<Due> {
  const { db, clock, ids, log } = deps;
  return new DueWorker<Due>({
    name: "campaign-progress",
    log,
    lookEveryMs,
    look: async (limit) => {
      const now = clock.now();
      const values = [now, addSeconds(now, -TELL_SECONDS), subDays(now, FOLLOWED_DAYS), limit];
      return { due: await db.readAcrossCompanies<Due>(changedStatement, values) };
    },
    work: {
      atOnce: AT_ONCE,
      batch: HELD,
      idOf: ({ id }) => id,
      companyOf: ({ companyId }) => companyId,
      run: ({ companyId, id }) =>
        tellProgress(deps, systemCtx(companyId, "campaigns", ids.uuid()), id),
    },
  });
}

/** Counts and tells a campaign, unless another process has told it in this second. */
async function tellProgress(deps: ProgressDeps, ctx: Ctx, id: CampaignId): Promise<void> {
  const now = deps.clock.now();
  await deps.db.transaction(ctx, async (tx) => {
    const claim = [ctx.companyId, id, now, addSeconds(now, -TELL_SECONDS)];
    if ((await tx.query(claimStatement, claim)).length === 0) return;
    const counts = await countRecipients(tx, ctx, id);
    await tx.query(countsStatement, [ctx.companyId, id, JSON.stringify(counts)]);
    await tellCampaign(deps, ctx, tx, id);
  });
}

/** Ends questions without answer, and with them campaigns that waited for nothing else, of all companies. */
export function createExpiry(
  { db, clock, ids, log, ...deps }: ProgressDeps,
  lookEveryMs: number,
): DueWorker<CompanyId> {
  return new DueWorker<CompanyId>({
    name: "campaign-confirmations",
    log,
    lookEveryMs,
    look: async () => {
      const since = subHours(clock.now(), CONFIRMATION_HOURS);
      const rows = await db.readAcrossCompanies<{ companyId: CompanyId }>(silentStatement, [since]);
      return { due: rows.map(({ companyId }) => companyId) };
    },
    work: {
      atOnce: 1,
      batch: HELD,
      idOf: (companyId) => companyId,
      run: async (companyId) => {
        const ctx = systemCtx(companyId, "campaigns", ids.uuid());
        const now = clock.now();
        await db.transaction(ctx, async (tx) => {
          const values = [companyId, subHours(now, CONFIRMATION_HOURS), now, EXPIRED_AT_ONCE];
          const rows = await tx.query<{ campaignId: CampaignId }>(expireStatement, values);
          const campaignIds = [...new Set(rows.map(({ campaignId }) => campaignId))];
          const ended = await finishCampaigns(ctx, tx, { connectionId: null, campaignIds }, now);
          for (const id of ended) await tellCampaign({ ...deps, clock }, ctx, tx, id);
        });
        return "again";
      },
    },
  });
}

const isChangedAfter = (time: string): string => `exists (
    select from campaign_recipients r
    where r.company_id = c.company_id and r.campaign_id = c.id and r.changed_at > ${time})`;

const SETTLING = `interval '${SETTLED_SECONDS} seconds'`;

const isChanged = `(
    ${isChangedAfter("coalesce(c.told_at, '-infinity'::timestamptz)")}
    or c.told_at <= $1::timestamptz - ${SETTLING} and ${isChangedAfter(`c.told_at - ${SETTLING}`)})`;

/** A time of telling in the future was written before the clock was set back. */
const mayTell = (now: string, before: string): string =>
  `(c.told_at is null or c.told_at <= ${before}::timestamptz or c.told_at > ${now}::timestamptz + interval '1 second')`;

const changedStatement = {
  name: "campaigns.changed",
  text: `
select c.company_id as "companyId", c.id from campaigns c
where c.status = 'EM_ANDAMENTO' and c.deleted_at is null and ${mayTell("$1", "$2")} and ${isChanged}
union all
(select c.company_id, c.id from campaigns c
where c.status in ('CANCELADA', 'FINALIZADA') and c.deleted_at is null and c.updated_at > $3 and ${mayTell("$1", "$2")} and ${isChanged}
order by c.updated_at desc)
limit $4`,
};

const claimStatement = {
  name: "campaigns.claim-telling",
  text: `
update campaigns c set told_at = $3
where c.company_id = $1 and c.id = $2 and c.deleted_at is null and ${mayTell("$3", "$4")}
returning c.id`,
};

const countsStatement = {
  name: "campaigns.save-counts",
  text: "update campaigns set counts = $3::jsonb where company_id = $1 and id = $2",
};

const silentStatement = {
  name: "campaigns.silent-companies",
  text: `
select distinct company_id as "companyId" from campaign_recipients where status = 'asked' and requested_at < $1`,
};

const expireStatement = {
  name: "campaigns.expire-confirmations",
  text: `
update campaign_recipients r set status = 'notConfirmed', changed_at = $3
where r.company_id = $1 and r.id in (
  select id from campaign_recipients
  where company_id = $1 and status = 'asked' and requested_at < $2 order by requested_at limit $4
  for no key update skip locked)
returning r.campaign_id as "campaignId"`,
};
