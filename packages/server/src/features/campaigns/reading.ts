import type { CampaignId, CampaignStatus, InputOf, ReplyOf } from "@balcao/contract";
import { campaignStatuses, limits, pageSizes } from "@balcao/contract";
import { and, count, eq, isNull } from "drizzle-orm";
import type { UserCtx } from "../../platform/context.ts";
import type { Database } from "../../platform/db/database.ts";
import { readPage, toIsoOrNull } from "../../platform/db/records.ts";
import { campaigns } from "../../platform/db/schema/index.ts";
import type { CampaignDeps, SeenCampaign } from "./campaign.ts";
import { findSeen, readFrame, seenCampaigns, toCampaign } from "./campaign.ts";
import { countRecipients } from "./recipients.ts";

export type ReadingDeps = CampaignDeps & { db: Database };

export async function listCampaigns(
  deps: ReadingDeps,
  ctx: UserCtx,
  { searchParam, pageNumber, status }: InputOf<"GET /campaigns">["query"],
): Promise<ReplyOf<"GET /campaigns">> {
  const { companyId } = ctx;
  return deps.db.transaction(ctx, async (tx) => {
    const { rows, ...totals } = await readPage(pageNumber, pageSizes.campaigns, (limit, offset) => {
      const values = [companyId, searchParam, status ?? null, limit, offset];
      return tx.query<SeenCampaign & { total: number }>(listStatement, values);
    });
    const frame = await readFrame(deps, ctx, tx);
    const counted = await tx.orm
      .select({ status: campaigns.status, total: count() })
      .from(campaigns)
      .where(and(eq(campaigns.companyId, companyId), isNull(campaigns.deletedAt)))
      .groupBy(campaigns.status);
    const totalOf = (one: CampaignStatus): number =>
      counted.find((row) => row.status === one)?.total ?? 0;
    const [inactive, planned, running, cancelled, ended] = campaignStatuses.map(totalOf);
    return {
      records: rows.map((row) => toCampaign(row, frame)),
      ...totals,
      statusCounts: {
        ...{ INATIVA: inactive ?? 0, PROGRAMADA: planned ?? 0, EM_ANDAMENTO: running ?? 0 },
        ...{ CANCELADA: cancelled ?? 0, FINALIZADA: ended ?? 0 },
      },
    };
  });
}

/** With its recipients and the people of its list, as clients of the family read a report (wire-contract 5.15). */
export async function showCampaign(
  deps: ReadingDeps,
  ctx: UserCtx,
  id: CampaignId,
): Promise<ReplyOf<"GET /campaigns/:campaignId">> {
  return deps.db.transaction(ctx, async (tx) => {
    const row = await findSeen(ctx, tx, id);
    const shown = toCampaign(row, await readFrame(deps, ctx, tx));
    const { companyId } = ctx;
    const shipped = await tx.query<Shipped>(shippingStatement, [
      companyId,
      id,
      limits.campaignRowsMax,
    ]);
    const values = [companyId, row.contactListId, limits.campaignRowsMax];
    type Member = { id: Shipped["itemId"]; isWhatsappValid: boolean };
    const contacts = await tx.query<Member>(membersStatement, values);
    const counts = row.startedAt === null ? shown.counts : await countRecipients(tx, ctx, id);
    const { contactList } = shown;
    return {
      ...shown,
      counts,
      contactList: contactList === null ? null : { ...contactList, contacts },
      shipping: shipped.map(({ itemId, name, number, ...one }) => ({
        ...{ id: one.id, campaignId: id, contactId: itemId, number },
        ...{ message: one.message, confirmationMessage: one.confirmationMessage },
        confirmation: one.confirmedAt === null ? null : true,
        confirmationRequestedAt: toIsoOrNull(one.requestedAt),
        confirmedAt: toIsoOrNull(one.confirmedAt),
        deliveredAt: toIsoOrNull(one.deliveredAt),
        jobId: null,
        contact: { id: itemId, name, number },
      })),
    };
  });
}

type Wire = ReplyOf<"GET /campaigns/:campaignId">["shipping"][number];
type Shipped = {
  id: Wire["id"];
  itemId: Wire["contact"]["id"];
  name: string;
  number: string;
  message: string;
  confirmationMessage: string | null;
  requestedAt: Date | null;
  confirmedAt: Date | null;
  deliveredAt: Date | null;
};

const order = (c: string): string => `
  case ${c}.status when 'EM_ANDAMENTO' then 0 when 'PROGRAMADA' then 1 when 'INATIVA' then 2 else 3 end,
  case when ${c}.status = 'PROGRAMADA' then ${c}.scheduled_at end,
  case when ${c}.status in ('CANCELADA', 'FINALIZADA') then coalesce(${c}.started_at, ${c}.created_at) else ${c}.created_at end desc,
  ${c}.id desc`;

const listStatement = {
  name: "campaigns.list",
  text: `
with page as materialized (
  select c.*, (count(*) over ())::int as total from campaigns c
  where c.company_id = $1 and c.deleted_at is null and ($2 = '' or position(f_norm($2) in f_norm(c.name)) > 0)
    and ($3::text is null or c.status = $3::text)
  order by ${order("c")} limit $4 offset $5
)
${seenCampaigns("page", ", c.total")}
order by ${order("c")}`,
};

// Whoever was taken off the list has no person there any more: the recipient's own id stands for it.
const shippingStatement = {
  name: "campaigns.shipping",
  text: `
select id, coalesce(item_id, id) as "itemId", name, number, message, confirmation_message as "confirmationMessage",
  requested_at as "requestedAt", confirmed_at as "confirmedAt", delivered_at as "deliveredAt"
from campaign_recipients where company_id = $1 and campaign_id = $2
order by position limit $3`,
};

const membersStatement = {
  name: "campaigns.members",
  text: `
select id, coalesce(is_valid, false) as "isWhatsappValid" from contact_list_items
where company_id = $1 and contact_list_id = $2::int
order by name_normal, id limit $3`,
};
