import type { CampaignCounts, CampaignId, CampaignSettings } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { requireRow } from "../../platform/db/records.ts";
import type { campaigns } from "../../platform/db/schema/index.ts";
import { audience, hasWritten } from "./audience.ts";
import { formatOf, formatOfTemplate, writtenTexts } from "./texts.ts";

/**
 * Makes the recipients of a campaign that starts, or goes on: everybody of its list who is not left out and is not yet a recipient,
 * after those there are; the texts of those who wait are made again. Who waits and left the list, or has another number on it now,
 * becomes `removed`. Returns how many people are not done. The caller holds the campaign's row.
 */
export async function prepareRecipients(
  ctx: Ctx,
  tx: Tx,
  campaign: typeof campaigns.$inferSelect,
  { variables }: Pick<CampaignSettings, "variables">,
  now: Date,
): Promise<number> {
  const { companyId } = ctx;
  const { id, contactListId, template } = campaign;
  const messages =
    template === null
      ? writtenTexts(campaign.messages).map((text) => formatOf(text, variables))
      : [formatOfTemplate(template, variables)];
  const confirmations = campaign.confirmation
    ? writtenTexts(campaign.confirmations).map((text) => formatOf(text, variables))
    : [];
  const texts = [messages, confirmations, template !== null];
  await tx.query(refreshStatement, [companyId, id, contactListId, now, ...texts]);
  await tx.query(insertStatement, [companyId, contactListId, null, now, id, ...texts]);
  const rows = await tx.query<{ left: number }>(leftStatement, [companyId, id]);
  return requireRow(rows).left;
}

/** How many people of a campaign stand where, as its rows are now. */
export async function countRecipients(
  tx: Tx,
  { companyId }: Pick<Ctx, "companyId">,
  campaignId: CampaignId,
): Promise<CampaignCounts> {
  const values = [companyId, campaignId, lastingFailures];
  return requireRow(await tx.query<CampaignCounts>(countStatement, values));
}

/** Of a campaign that has not begun. */
export const noCounts: CampaignCounts = {
  ...{ people: 0, valid: 0, waiting: 0, asked: 0, sending: 0, sent: 0, delivered: 0, read: 0 },
  ...{ failed: 0, retryable: 0, invalid: 0, notConfirmed: 0, optedOut: 0, removed: 0 },
  ...{ requested: 0, confirmed: 0, answered: 0, left: 0 },
};

/** Codes of failures after which a message is not sent again: it would fail again, or may have arrived. */
export const lastingFailures: readonly string[] = [
  "ERR_MESSAGE_UNCONFIRMED",
  "ERR_WAPP_INVALID_CONTACT",
  "ERR_CONTACT_OPTED_OUT",
];

/** As it is written between the quotes of a JSON string. */
const escaped = (column: string): string => `substr(left(to_jsonb(${column})::text, -1), 2)`;

/** A text of the rotation for the person at a place; null without texts. JSON wants what stands in it escaped. */
const rendered = (texts: string, isJson: string, who: string): string => {
  const value = (column: string): string =>
    `case when ${isJson}::bool then ${escaped(`${who}.${column}`)} else ${who}.${column} end`;
  const text = `(${texts}::text[])[1 + ${who}.position % nullif(cardinality(${texts}::text[]), 0)]`;
  return `format(${text}, ${value("name")}, ${value("number")}, ${value("email")})`;
};

// By hand: these write tens of thousands of rows in one statement each.
const insertStatement = {
  name: "campaigns.insert-recipients",
  text: `
with ${audience},
first as materialized (
  select coalesce(max(position) + 1, 0) as position from campaign_recipients where company_id = $1 and campaign_id = $5
),
added as materialized (
  select a.*, first.position + (row_number() over (order by a.place))::int - 1 as position
  from audience a cross join first
  where a.left_out is null and not exists (
    select from campaign_recipients r
    where r.company_id = $1 and r.campaign_id = $5 and r.number_normal = a.number_normal)
    and not exists (
      select from campaign_recipients r
      where r.company_id = $1 and r.contact_id = a.contact_id and r.campaign_id = $5 and r.status <> 'removed')
)
insert into campaign_recipients (company_id, campaign_id, position, item_id, contact_id, name, number, email, message,
  confirmation_message, is_known, checked_at, changed_at)
select $1, $5, a.position, a.id, a.contact_id, a.name, a.number, a.email, coalesce(${rendered("$6", "$8", "a")}, ''),
  nullif(${rendered("$7", "false", "a")}, ''), ${hasWritten("a.contact_id")}, a.checked_at, $4
from added a order by a.position
on conflict (company_id, campaign_id, number_normal) do nothing`,
};

const refreshStatement = {
  name: "campaigns.refresh-recipients",
  text: `
update campaign_recipients r
set name = p.name, number = p.number, email = p.email, status = p.status, changed_at = p.changed_at,
  message = coalesce(${rendered("$5", "$7", "p")}, ''), confirmation_message = nullif(${rendered("$6", "false", "p")}, '')
from (
  select r.id, r.position, coalesce(i.name, r.name) as name, coalesce(i.number, r.number) as number, coalesce(i.email, r.email) as email,
    case when i.id is null then 'removed' else r.status end as status,
    case when i.id is null then $4::timestamptz else r.changed_at end as changed_at
  from campaign_recipients r
  left join contact_list_items i on i.company_id = $1 and i.id = r.item_id and i.contact_list_id = $3
    and i.number_normal = r.number_normal
  where r.company_id = $1 and r.campaign_id = $2 and r.status = 'waiting'
) p
where r.company_id = $1 and r.id = p.id`,
};

const leftStatement = {
  name: "campaigns.recipients-left",
  text: `
select count(*)::int as left from campaign_recipients
where company_id = $1 and campaign_id = $2 and status in ('waiting', 'asked', 'sending')`,
};

const countOf = (condition: string): string => `count(*) filter (where ${condition})::int`;

const countStatement = {
  name: "campaigns.count-recipients",
  text: `
select count(*)::int as people, ${countOf("status <> 'invalid'")} as valid, ${countOf("status = 'waiting'")} as waiting,
  ${countOf("status = 'asked'")} as asked, ${countOf("status = 'sending'")} as sending, ${countOf("status = 'sent'")} as sent,
  ${countOf("status in ('delivered', 'read')")} as delivered, ${countOf("status = 'read'")} as read,
  ${countOf("status = 'failed'")} as failed,
  ${countOf("status = 'failed' and coalesce(error_code, '') <> all ($3::text[])")} as retryable,
  ${countOf("status = 'invalid'")} as invalid, ${countOf("status = 'notConfirmed'")} as "notConfirmed",
  ${countOf("status = 'optedOut'")} as "optedOut", ${countOf("status = 'removed'")} as removed,
  count(requested_at)::int as requested, count(confirmed_at)::int as confirmed, count(answered_at)::int as answered,
  count(left_at)::int as left
from campaign_recipients where company_id = $1 and campaign_id = $2`,
};
