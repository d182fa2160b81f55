import type { CampaignId } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { hasId, requireRow } from "../../platform/db/records.ts";
import { campaigns } from "../../platform/db/schema/index.ts";
import type { Wake } from "../../platform/db/wake.ts";
import type { CampaignRow } from "./campaign.ts";
import { startLine } from "./lines.ts";
import { requireReady } from "./readiness.ts";
import { prepareRecipients } from "./recipients.ts";
import { defaultConnection } from "./running.ts";
import { readSettings } from "./settings.ts";

export type BeginDeps = { wake: Wake };

/**
 * Starts a planned campaign, whose row is locked: prepares its people and has its line looked at. Without people it is over at once.
 * Throws as `requireReady`.
 */
export async function beginCampaign(
  deps: BeginDeps,
  ctx: Ctx,
  tx: Tx,
  campaign: CampaignRow,
  now: Date,
): Promise<CampaignRow> {
  await requireReady(ctx, tx, campaign);
  const left = await prepareRecipients(ctx, tx, campaign, await readSettings(ctx, tx), now);
  const connectionId = campaign.connectionId ?? (await defaultConnection(ctx, tx));
  const isOver = left === 0;
  const [begun] = await tx.orm
    .update(campaigns)
    .set({
      status: isOver ? "FINALIZADA" : "EM_ANDAMENTO",
      connectionId,
      run: campaign.run + 1,
      sentInRun: 0,
      startedAt: campaign.startedAt ?? now,
      completedAt: isOver ? now : null,
      holdReason: null,
      holdSince: null,
      updatedAt: now,
    })
    .where(hasId(ctx, campaigns, campaign.id))
    .returning();
  if (connectionId !== null && !isOver) await startLine(deps, ctx, tx, connectionId, now);
  return requireRow(begun ? [begun] : []);
}

/** Gives a running campaign without connection the company's, as soon as there is one. */
export async function adoptCampaign(
  deps: BeginDeps,
  ctx: Ctx,
  tx: Tx,
  id: CampaignId,
  now: Date,
): Promise<boolean> {
  const connectionId = await defaultConnection(ctx, tx);
  if (connectionId === null) return false;
  const rows = await tx.query(adoptStatement, [ctx.companyId, id, connectionId, now]);
  if (rows.length > 0) await startLine(deps, ctx, tx, connectionId, now);
  return rows.length > 0;
}

/** The campaign if it is still planned and its time has come, locked; undefined while another process starts it. */
export async function lockPlanned(
  ctx: Ctx,
  tx: Tx,
  id: CampaignId,
  now: Date,
): Promise<CampaignRow | undefined> {
  const [row] = await tx.orm
    .select()
    .from(campaigns)
    .where(hasId(ctx, campaigns, id))
    .for("no key update", { skipLocked: true });
  const isDue = row?.status === "PROGRAMADA" && row.scheduledAt !== null && row.scheduledAt <= now;
  return isDue ? row : undefined;
}

/** A planned campaign that cannot start at its time, as its list is gone, stops where a person can change it and go on. */
export async function stopPlanned(ctx: Ctx, tx: Tx, id: CampaignId, now: Date): Promise<void> {
  await tx.orm
    .update(campaigns)
    .set({ status: "CANCELADA", cancelledAt: now, cancelledBy: null, updatedAt: now })
    .where(hasId(ctx, campaigns, id));
}

const adoptStatement = {
  name: "campaigns.adopt",
  text: `
update campaigns set connection_id = $3, updated_at = $4
where company_id = $1 and id = $2 and connection_id is null and status = 'EM_ANDAMENTO' and deleted_at is null
returning id`,
};
