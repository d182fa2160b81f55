import type { CampaignId } from "@balcao/contract";
import { and, eq, isNull } from "drizzle-orm";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { hasId, requireRow } from "../../platform/db/records.ts";
import { campaigns, connections } from "../../platform/db/schema/index.ts";
import type { Wake } from "../../platform/db/wake.ts";
import type { CampaignRow } from "./campaign.ts";
import { startLine } from "./lines.ts";
import { requireReady } from "./readiness.ts";
import { countRecipients, prepareRecipients } from "./recipients.ts";
import { readSettings } from "./settings.ts";

export type BeginDeps = { wake: Wake };

/**
 * A run of a campaign begins, whose row is locked: its people are prepared. Without people it is over at once. Its line is the
 * caller's matter. Throws as `requireReady`.
 */
export async function beginRun(
  ctx: Ctx,
  tx: Tx,
  campaign: CampaignRow,
  now: Date,
): Promise<CampaignRow> {
  await requireReady(ctx, tx, campaign);
  const left = await prepareRecipients(ctx, tx, campaign, await readSettings(ctx, tx), now);
  const isOver = left === 0;
  const begun = await tx.orm
    .update(campaigns)
    .set({
      status: isOver ? "FINALIZADA" : "EM_ANDAMENTO",
      connectionId: campaign.connectionId ?? (await defaultConnection(ctx, tx)),
      ...{ run: campaign.run + 1, sentInRun: 0 },
      startedAt: campaign.startedAt ?? now,
      completedAt: isOver ? now : null,
      ...{ cancelledAt: null, cancelledBy: null, holdReason: null, holdSince: null },
      ...{ counts: await countRecipients(tx, ctx, campaign.id), toldAt: now, updatedAt: now },
    })
    .where(hasId(ctx, campaigns, campaign.id))
    .returning();
  return requireRow(begun);
}

/** Starts a planned campaign, whose row is locked, and has its line looked at. Throws as `beginRun`. */
export async function beginCampaign(
  deps: BeginDeps,
  ctx: Ctx,
  tx: Tx,
  campaign: CampaignRow,
  now: Date,
): Promise<void> {
  const { status, connectionId } = await beginRun(ctx, tx, campaign, now);
  if (connectionId !== null && status === "EM_ANDAMENTO") {
    await startLine(deps, ctx, tx, connectionId, now);
  }
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

/** The company's connection where a campaign names none (behaviour 10.4). */
export async function defaultConnection(
  { companyId }: Ctx,
  tx: Tx,
): Promise<CampaignRow["connectionId"]> {
  const { id, isDefault, deletedAt } = connections;
  const isOfCompany = eq(connections.companyId, companyId);
  const [row] = await tx.orm
    .select({ id })
    .from(connections)
    .where(and(isOfCompany, eq(isDefault, true), isNull(deletedAt)));
  return row?.id ?? null;
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
