import type { AnswersDeps } from "./answers.ts";
import { receiveAnswer } from "./answers.ts";
import { CAMPAIGNS_TOPIC, releaseLine, startLineOf, wakeLines } from "./lines.ts";
import { applyOutcome, pullBack } from "./outcomes.ts";
import type { ProgressDeps } from "./progress.ts";
import { createExpiry, createProgress } from "./progress.ts";
import type { SendingDeps } from "./sending.ts";
import { createSender } from "./sending.ts";

export type CampaignWorkDeps = SendingDeps & AnswersDeps & ProgressDeps & { lookEveryMs?: number };

const LOOK_EVERY_MS = 5_000;
const PROGRESS_EVERY_MS = 1_000;
/** Looks for work between two looks for questions without answer: a minute. */
const LOOKS_PER_EXPIRY = 12;

/** The part of campaigns that runs by itself: it sends, and follows what becomes of what was sent. */
export function createCampaignWork(deps: CampaignWorkDeps) {
  const { domainEvents, lookEveryMs = LOOK_EVERY_MS } = deps;
  domainEvents.on("message.delivery", (ctx, tx, outcome) => applyOutcome(deps, ctx, tx, outcome));
  domainEvents.on("message.stored", (ctx, tx, stored) => receiveAnswer(deps, ctx, tx, stored));
  domainEvents.on("campaign.cancelled", (ctx, tx, of) => pullBack(deps, ctx, tx, of));
  domainEvents.on("connection.removing", (ctx, tx, of) => pullBack(deps, ctx, tx, of));
  domainEvents.on("campaign.planned", async (_ctx, tx) => deps.wake.notify(tx, CAMPAIGNS_TOPIC));
  domainEvents.on("campaign.restarted", (ctx, tx, { campaignId }) =>
    startLineOf(deps, ctx, tx, campaignId, deps.clock.now()),
  );
  domainEvents.on("campaign.settingsChanged", (ctx, tx, { connectionId }) =>
    wakeLines(deps, ctx, tx, { connectionId, at: deps.clock.now() }),
  );
  domainEvents.on("campaign.released", (ctx, tx, { connectionId }) =>
    releaseLine(deps, ctx, tx, connectionId, deps.clock.now()),
  );
  const sender = createSender(deps, lookEveryMs);
  const others = [
    createProgress(deps, Math.min(PROGRESS_EVERY_MS, lookEveryMs)),
    createExpiry(deps, lookEveryMs * LOOKS_PER_EXPIRY),
  ];
  return {
    start(): void {
      sender.start();
      for (const worker of others) worker.start();
    },
    async stop(): Promise<void> {
      await sender.stop();
      for (const worker of others) await worker.stop();
    },
    runDue: sender.runDue,
  };
}
