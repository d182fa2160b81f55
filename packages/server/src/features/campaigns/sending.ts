import type { CampaignId, CompanyId, ConnectionId } from "@balcao/contract";
import { gapBefore, isSendingTime, maySend } from "@balcao/contract";
import type { CampaignSettings, NextSend, SendingRules } from "@balcao/contract";
import { addMilliseconds } from "date-fns/addMilliseconds";
import { addSeconds } from "date-fns/addSeconds";
import type { NumberAnswer } from "../../channels/port.ts";
import { NoAnswer } from "../../channels/runtime/index.ts";
import type { Ctx } from "../../platform/context.ts";
import { DomainError, systemCtx } from "../../platform/context.ts";
import type { Database, Tx } from "../../platform/db/database.ts";
import { isUnavailable } from "../../platform/db/database.ts";
import { DueWorker } from "../../platform/jobs/due-worker.ts";
import type { Logger } from "../../platform/logging/logger.ts";
import type { Sources } from "../../platform/sources.ts";
import { formsOf } from "../contacts/index.ts";
import type { BeginDeps } from "./begin.ts";
import { adoptCampaign, beginCampaign, lockPlanned, stopPlanned } from "./begin.ts";
import type { TellDeps } from "./progress.ts";
import type { Candidate } from "./candidates.ts";
import { findCandidates, recordChecks, settleLeftOut } from "./candidates.ts";
import { tellCampaign } from "./campaign.ts";
import type { ContentDeps, Contents, Files } from "./content.ts";
import { createContents, filesOf, templateOf, wantedOf } from "./content.ts";
import type { HandOverDeps } from "./handing-over.ts";
import { failCandidate, handOver, holdCampaign } from "./handing-over.ts";
import type { Line, LineHold } from "./lines.ts";
import { CAMPAIGNS_TOPIC, CLOCK_SECONDS, isDue, lockLine, setLine } from "./lines.ts";
import type { OutcomesDeps } from "./outcomes.ts";
import { finishCampaigns, settleSending } from "./outcomes.ts";
import { limitOfLine, isOfficial, readRules, readSettings, today } from "./settings.ts";

export type SendingDeps = BeginDeps &
  ContentDeps &
  HandOverDeps &
  OutcomesDeps &
  TellDeps & {
    db: Database;
    sources: Sources;
    log: Logger;
    /** Asks the chat network of a connection about several numbers; rejects with NoAnswer. */
    checkNumbers(
      ctx: Ctx,
      connectionId: ConnectionId,
      numbers: readonly string[],
    ): Promise<NumberAnswer[]>;
  };

/** A line that is due, or a campaign that is to start or waits for a connection. */
type Due = { companyId: CompanyId } & (
  | { kind: "line"; id: ConnectionId }
  | { kind: "planned" | "unconnected"; id: CampaignId }
);

const AT_ONCE = 8;
const HELD = 100;
/** A line that something outside holds is looked at again: the connection comes back, the plan, an answer. */
const LOOK_AGAIN_SECONDS = 15;
/** The same where a time is known at which it goes on. */
const HELD_SECONDS = 10 * 60;
const BETWEEN_LOOKS_MS = 50;
/** Between two questions about numbers (behaviour 10.5). */
const CHECK_GAP_MS = 1_000;
const NO_ANSWER_SECONDS = 60;

/**
 * Sends campaigns (behaviour 5), in any number of processes: starts the planned ones when they are due, and takes one step at a time
 * with each line. A step is one transaction, which stores the person's step, the message and its outbound row: it is sent exactly
 * once, even if a process crashes at any moment. Only the rows say what is due, so a look claims nothing: who locks the line works.
 */
export function createSender(deps: SendingDeps, lookEveryMs: number) {
  const { db, wake, log, sources } = deps;
  const steps = createSteps(deps);
  const look = async (limit: number): Promise<{ due: Due[]; nextInMs: number | null }> => {
    const now = sources.clock.now();
    const rows = await db.readAcrossCompanies<Due & { inMs: number | null }>(dueStatement, [
      now,
      limit,
      addSeconds(now, -LOOK_AGAIN_SECONDS),
    ]);
    const due = rows.filter(({ id }) => id !== null);
    return { due, nextInMs: rows[0]?.inMs ?? null };
  };
  const worker = new DueWorker<Due>({
    name: CAMPAIGNS_TOPIC,
    log,
    lookEveryMs,
    betweenLooksMs: BETWEEN_LOOKS_MS,
    wokenBy: { wake, topic: CAMPAIGNS_TOPIC, inMs: 0 },
    look: (limit, held) => look(limit + held),
    work: {
      atOnce: AT_ONCE,
      batch: HELD,
      idOf: ({ kind, id }) => `${kind} ${id}`,
      companyOf: ({ companyId }) => companyId,
      run: async (due) => ((await steps.take(due)) ? "again" : undefined),
    },
  });
  return {
    start: () => worker.start(),
    stop: () => worker.stop(),
    /** Takes every step that is due now, one after the other, whether this process sends or not; returns their number. */
    async runDue(): Promise<number> {
      let taken = 0;
      for (;;) {
        const { due } = await look(HELD);
        let done = 0;
        for (const one of due) if (await steps.take(one)) done += 1;
        if (done === 0) return taken;
        taken += done;
      }
    },
  };
}

/** What a step needs from outside before it can go on. */
type Needs = { check: readonly Candidate[] } | { prepare: { candidate: Candidate; wanted: Files } };
type Step = "absent" | "done" | Needs;

function createSteps(deps: SendingDeps) {
  const { db, sources, log } = deps;
  const contents = createContents(deps);

  /** False: there was nothing to do, or another process does it. */
  async function take(due: Due): Promise<boolean> {
    const ctx = systemCtx(due.companyId, "campaigns", sources.ids.uuid());
    if (due.kind === "line") return takeLine(ctx, due.id);
    const now = sources.clock.now();
    if (due.kind === "unconnected") {
      return db.transaction(ctx, (tx) => adoptCampaign(deps, ctx, tx, due.id, now));
    }
    try {
      return await db.transaction(ctx, async (tx) => {
        const planned = await lockPlanned(ctx, tx, due.id, now);
        if (!planned) return false;
        await beginCampaign(deps, ctx, tx, planned, now);
        await tellCampaign(deps, ctx, tx, due.id);
        return true;
      });
    } catch (error) {
      if (isUnavailable(error)) throw error;
      log.error({ err: error, campaignId: due.id }, "a planned campaign cannot start");
      await db.transaction(ctx, async (tx) => {
        if (!(await lockPlanned(ctx, tx, due.id, now))) return;
        await stopPlanned(ctx, tx, due.id, now);
        await tellCampaign(deps, ctx, tx, due.id);
      });
      return true;
    }
  }

  async function takeLine(ctx: Ctx, connectionId: ConnectionId): Promise<boolean> {
    let tried: Candidate | null = null;
    for (;;) {
      try {
        const step: Step = await db.transaction(ctx, (tx) =>
          stepOf(deps, contents, ctx, tx, connectionId, (candidate) => (tried = candidate)),
        );
        if (step === "absent") return false;
        if (step === "done") return true;
        if ("check" in step) {
          await check(ctx, connectionId, step.check);
          return true;
        }
        tried = step.prepare.candidate;
        const { candidate, wanted } = step.prepare;
        await contents.prepare(ctx, connectionId, { wanted, template: templateOf(candidate) });
      } catch (error) {
        contents.forget();
        if (isUnavailable(error) || tried === null) throw error;
        await recordTrouble(ctx, connectionId, tried, error);
        return true;
      }
    }
  }

  /** Looks the numbers up, outside of any transaction; those that the network does not know are done. */
  async function check(ctx: Ctx, connectionId: ConnectionId, people: readonly Candidate[]) {
    const forms = people.map(({ number }) => formsOf(number));
    let answers: NumberAnswer[];
    try {
      answers = await deps.checkNumbers(ctx, connectionId, [...new Set(forms.flat())]);
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      return lookLater(ctx, connectionId, NO_ANSWER_SECONDS * 1_000);
    }
    const known = new Set(answers.flatMap(({ asked, exists }) => (exists ? [asked] : [])));
    await db.transaction(ctx, async (tx) => {
      const checked = people.map(({ id, itemId }, place) => {
        const isValid = forms[place]?.some((form) => known.has(form)) ?? false;
        return { id, itemId, isValid };
      });
      const now = sources.clock.now();
      await recordChecks(ctx, tx, checked, now);
    });
    await lookLater(ctx, connectionId, CHECK_GAP_MS);
  }

  async function lookLater(ctx: Ctx, connectionId: ConnectionId, ms: number): Promise<void> {
    await db.transaction(ctx, async (tx) => {
      const now = sources.clock.now();
      const line = await lockLine(ctx, tx, connectionId, now);
      if (!line || line.sendingId !== null) return;
      await setLine(ctx, tx, connectionId, { dueAt: addMilliseconds(now, ms), now });
    });
  }

  async function recordTrouble(
    ctx: Ctx,
    connectionId: ConnectionId,
    candidate: Candidate,
    error: unknown,
  ): Promise<void> {
    const code = error instanceof DomainError ? error.code : null;
    if (code !== null && passing.has(code))
      return lookLater(ctx, connectionId, NO_ANSWER_SECONDS * 1_000);
    const now = sources.clock.now();
    const { campaignId } = candidate;
    if (code === null) {
      log.error(
        { err: error, campaignId, recipientId: candidate.id },
        "a person of a campaign was not reached",
      );
    }
    await db.transaction(ctx, async (tx) => {
      if (code !== "ERR_WAPP_TEMPLATE") return failCandidate(ctx, tx, candidate, code, now);
      await holdCampaign(ctx, tx, campaignId, "template", now);
      await tellCampaign(deps, ctx, tx, campaignId);
    });
  }

  return { take };
}

/** What may be otherwise a minute later. */
const passing: ReadonlySet<string> = new Set([
  "ERR_WAPP_TEMPLATES_UNAVAILABLE",
  "ERR_WAPP_NOT_INITIALIZED",
  "ERR_CREATING_TICKET",
]);

/** One step of a line; it changes nothing where it needs something from outside first. */
async function stepOf(
  deps: SendingDeps,
  contents: Contents,
  ctx: Ctx,
  tx: Tx,
  connectionId: ConnectionId,
  onTry: (candidate: Candidate) => void,
): Promise<Step> {
  const now = deps.sources.clock.now();
  const line = await lockLine(ctx, tx, connectionId, now);
  if (!line) return "absent";
  const lookAgain = addSeconds(now, LOOK_AGAIN_SECONDS);
  let running: readonly Pick<Candidate, "campaignId">[] = [];
  const rest = async (dueAt: Date | null, hold: LineHold | null = null): Promise<Step> => {
    await setLine(ctx, tx, connectionId, { dueAt, now, hold });
    // Nobody of them has moved on, so nothing else tells of it.
    const isNews = (hold?.reason ?? null) !== line.holdReason;
    const held = new Set(isNews ? running.map(({ campaignId }) => campaignId) : []);
    for (const id of held) await tellCampaign(deps, ctx, tx, id);
    return "done";
  };
  if (line.sendingId !== null) {
    const isSettled = await settleSending(deps, ctx, tx, line.sendingId);
    return isSettled ? "done" : rest(lookAgain);
  }
  const settings = await readSettings(ctx, tx);
  const rules = await readRules(ctx, tx, settings);
  const limited = limitsOf(line, settings, rules, now);
  const found = await findCandidates(ctx, tx, connectionId, { ...limited, now });
  const ended = found.some(({ id, hasWaiting }) => id === null && !hasWaiting)
    ? await finishCampaigns(ctx, tx, { connectionId, campaignIds: null }, now)
    : [];
  for (const id of ended) await tellCampaign(deps, ctx, tx, id);
  running = found.filter(({ campaignId }) => !ended.includes(campaignId));
  // It outlasts the campaigns in which it was found.
  if (line.holdReason === "restricted") return rest(null, { reason: "restricted", until: null });
  if (running.length === 0) return rest(null);
  if (!line.hasPlan || line.status !== "CONNECTED") return rest(lookAgain);

  const time = isSendingTime(now, rules);
  if (!time.isOpen) return rest(soonerOf(time.until, now), holdBy(time));
  const people = found.filter((one): one is Candidate => one.id !== null);
  const leftOut = people.filter((one) => one.leftOut !== null);
  if (leftOut.length > 0) {
    await settleLeftOut(ctx, tx, leftOut, now);
    return "done";
  }
  const [candidate] = people;
  if (!candidate) {
    const isLimited = found.some(({ hasWaiting }) => hasWaiting);
    // The others have been asked for their confirmation.
    if (!isLimited) return rest(lookAgain);
    const kind = limited.isNewFree ? "known" : "new";
    const then = maySend(now, rules, { ...limited, kind });
    return then.isOpen ? rest(lookAgain) : rest(soonerOf(then.until, now), holdBy(then));
  }

  const from = earliest(line, candidate, rules, now);
  if (from > now) return rest(from);
  if (candidate.isUnchecked && !isOfficial(line)) {
    const sameCampaign = people.filter(({ campaignId }) => campaignId === candidate.campaignId);
    return { check: sameCampaign.filter(({ isUnchecked }) => isUnchecked) };
  }
  onTry(candidate);
  const files = await filesOf(ctx, tx, candidate);
  const wanted = wantedOf(files);
  if (!contents.isPrepared(ctx, connectionId, { wanted, template: templateOf(candidate) })) {
    return { prepare: { candidate, wanted } };
  }
  const isHandedOver = await handOver(deps, ctx, tx, {
    ...{ candidate, connectionId, contents, files, settings, now },
    day: today(rules, now),
    dueAt: lookAgain,
  });
  return isHandedOver ? "done" : rest(now);
}

function holdBy({ reason, until }: Exclude<NextSend, { isOpen: true }>): LineHold {
  return { reason, until };
}

/** What holds is looked at again before its end: the company's calendar, clock and limits may change meanwhile. */
function soonerOf(until: Date | null, now: Date): Date {
  const again = addSeconds(now, HELD_SECONDS);
  return until !== null && until < again ? until : again;
}

/** The limits of the day, what was sent on it, and who can still be written to. */
function limitsOf(line: Line, settings: CampaignSettings, rules: SendingRules, now: Date) {
  const day = today(rules, now);
  const isToday = line.day === day;
  const sent = { new: isToday ? line.newSent : 0, known: isToday ? line.knownSent : 0 };
  const limit = limitOfLine(line, settings, day);
  return {
    ...{ limit, sent },
    isNewFree: limit.new === null || sent.new < limit.new,
    isKnownFree: limit.known === null || sent.known < limit.known,
  };
}

/** The gap of the campaign counts from the last outcome on the line, whatever woke it. A clock that was set back does not add to it. */
function earliest(line: Line, { sentInRun }: Candidate, rules: SendingRules, now: Date): Date {
  if (line.endedAt === null) return now;
  const isOfAnotherClock = line.endedAt > addSeconds(now, CLOCK_SECONDS);
  const endedAt = isOfAnotherClock ? now : line.endedAt;
  return addMilliseconds(endedAt, gapBefore(sentInRun, rules, line.chance));
}

// By hand, for all companies: one statement for a look. The plan of a company is read at each start and each step.
const dueStatement = {
  name: "campaigns.due",
  text: `
with due as (
  (select 'line' as kind, n.company_id, n.connection_id as id, n.due_at as at
  from campaign_lines n where ${isDue("n", "$1")} order by n.due_at limit $2)
  union all
  (select 'planned', c.company_id, c.id, c.scheduled_at
  from campaigns c
  join companies o on o.id = c.company_id
  join plans p on p.id = o.plan_id and p.use_campaigns
  where c.status = 'PROGRAMADA' and c.deleted_at is null and c.scheduled_at <= $1
  order by c.scheduled_at limit $2)
  union all
  (select 'unconnected', c.company_id, c.id, c.updated_at
  from campaigns c
  where c.status = 'EM_ANDAMENTO' and c.deleted_at is null and c.connection_id is null and c.updated_at <= $3
    and exists (
      select from connections w where w.company_id = c.company_id and w.deleted_at is null and w.is_default)
  limit $2)
), next as (
  select least(
    (select min(due_at) from campaign_lines where due_at > $1),
    (select min(scheduled_at) from campaigns where status = 'PROGRAMADA' and deleted_at is null and scheduled_at > $1)) as at
)
select due.kind, due.company_id as "companyId", due.id,
  greatest(0, extract(epoch from next.at - $1::timestamptz) * 1000)::float8 as "inMs"
from next left join (select * from due order by at limit $2) due on true`,
};
