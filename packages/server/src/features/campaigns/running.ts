import type { CampaignId } from "@balcao/contract";
import type { UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { hasId, lockRecord } from "../../platform/db/records.ts";
import { campaigns } from "../../platform/db/schema/index.ts";
import { beginRun, defaultConnection } from "./begin.ts";
import type { CampaignRow } from "./campaign.ts";
import { NO_CAMPAIGN, tellCampaign } from "./campaign.ts";
import type { EditingDeps } from "./editing.ts";
import { requireReady } from "./readiness.ts";
import { countRecipients } from "./recipients.ts";

/** Plans the campaign for now; the sender starts it at once. One that runs stays as it is. */
export async function startCampaign(
  deps: EditingDeps,
  ctx: UserCtx,
  id: CampaignId,
): Promise<void> {
  await deps.db.transaction(ctx, async (tx) => {
    const campaign = await lockRecord(ctx, tx, campaigns, id, NO_CAMPAIGN);
    if (campaign.status === "EM_ANDAMENTO") return;
    if (campaign.status !== "INATIVA" && campaign.status !== "PROGRAMADA") {
      throw new DomainError("ERR_CAMPAIGN_STATE");
    }
    await requireReady(ctx, tx, campaign);
    const now = deps.clock.now();
    await save(ctx, tx, id, { status: "PROGRAMADA", scheduledAt: now, updatedAt: now });
    const connectionId = campaign.connectionId ?? (await defaultConnection(ctx, tx));
    if (connectionId !== null) {
      await deps.domainEvents.publish(tx, ctx, "campaign.released", { connectionId });
    }
    await deps.domainEvents.publish(tx, ctx, "campaign.planned", { campaignId: id });
    await tellCampaign(deps, ctx, tx, id);
  });
}

/** Stops a running campaign: what has not left yet is pulled back (`campaign.cancelled`). */
export async function cancelCampaign(
  deps: EditingDeps,
  ctx: UserCtx,
  id: CampaignId,
): Promise<void> {
  await deps.db.transaction(ctx, async (tx) => {
    const { status } = await lockRecord(ctx, tx, campaigns, id, NO_CAMPAIGN);
    if (status === "CANCELADA") return;
    if (status !== "EM_ANDAMENTO") throw new DomainError("ERR_CAMPAIGN_STATE");
    const now = deps.clock.now();
    const stopped = { cancelledAt: now, cancelledBy: ctx.actor.userId, updatedAt: now };
    await save(ctx, tx, id, { ...stopped, status: "CANCELADA", holdReason: null, holdSince: null });
    await deps.domainEvents.publish(tx, ctx, "campaign.cancelled", { campaignId: id });
    await save(ctx, tx, id, { counts: await countRecipients(tx, ctx, id), toldAt: now });
    await tellCampaign(deps, ctx, tx, id);
  });
}

/** Goes on with a cancelled campaign, from now: who is new on its list is added, and who waits gets the texts of now. */
export async function restartCampaign(
  deps: EditingDeps,
  ctx: UserCtx,
  id: CampaignId,
): Promise<void> {
  await deps.db.transaction(ctx, async (tx) => {
    const campaign = await lockRecord(ctx, tx, campaigns, id, NO_CAMPAIGN);
    if (campaign.status === "EM_ANDAMENTO") return;
    if (campaign.status !== "CANCELADA") throw new DomainError("ERR_CAMPAIGN_STATE");
    const { status } = await beginRun(ctx, tx, campaign, deps.clock.now());
    if (status === "EM_ANDAMENTO") {
      await deps.domainEvents.publish(tx, ctx, "campaign.restarted", { campaignId: id });
    }
    await tellCampaign(deps, ctx, tx, id);
  });
}

async function save(
  ctx: UserCtx,
  tx: Tx,
  id: CampaignId,
  values: Partial<CampaignRow>,
): Promise<void> {
  await tx.orm
    .update(campaigns)
    .set(values)
    .where(hasId(ctx, campaigns, id));
}
