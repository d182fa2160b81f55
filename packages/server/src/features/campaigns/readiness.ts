import type { Ctx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import type { CampaignRow } from "./campaign.ts";
import { isOfficial, readSettings } from "./settings.ts";
import { templateTexts, unknownVariables, writtenTexts } from "./texts.ts";

type Sent = Pick<
  CampaignRow,
  | "contactListId"
  | "connectionId"
  | "messages"
  | "confirmation"
  | "confirmations"
  | "template"
  | "textInWindow"
>;

/**
 * Throws what keeps a campaign from being sent: ERR_CAMPAIGN_NO_LIST, ERR_CAMPAIGN_NO_TEXT, ERR_CAMPAIGN_VARIABLE, and
 * ERR_CAMPAIGN_TEMPLATE, because the official API sends templates and other channels do not.
 */
export async function requireReady(ctx: Ctx, tx: Tx, campaign: Sent): Promise<void> {
  const { template, confirmation, confirmations, contactListId, connectionId } = campaign;
  const values = [ctx.companyId, contactListId, connectionId];
  const [found] = await tx.query<Facts>(factsStatement, values);
  if (!found?.hasList) throw new DomainError("ERR_CAMPAIGN_NO_LIST");
  await requireTexts(ctx, tx, campaign);
  const { channel } = found;
  if (channel !== null && isOfficial({ channel }) !== (template !== null)) {
    throw new DomainError("ERR_CAMPAIGN_TEMPLATE");
  }
  if (confirmation && writtenTexts(confirmations).length === 0) {
    throw new DomainError("ERR_CAMPAIGN_NO_TEXT");
  }
}

/** The same of the texts alone. */
export async function requireTexts(
  ctx: Ctx,
  tx: Tx,
  { messages, confirmation, confirmations, template, textInWindow }: Sent,
): Promise<void> {
  const written = writtenTexts(messages);
  const needsText = template === null || textInWindow;
  if (needsText && written.length === 0) throw new DomainError("ERR_CAMPAIGN_NO_TEXT");
  const { variables } = await readSettings(ctx, tx);
  const asked = confirmation ? writtenTexts(confirmations) : [];
  const texts = [...(needsText ? written : []), ...asked, ...templateTexts(template)];
  const names = unknownVariables(texts, variables);
  if (names.length > 0) throw new DomainError("ERR_CAMPAIGN_VARIABLE", { names });
}

type Facts = { hasList: boolean; channel: string | null };

const factsStatement = {
  name: "campaigns.readiness",
  text: `
select exists (select from contact_lists where company_id = $1 and id = $2::int) as "hasList", (
  select channel from connections
  where company_id = $1 and deleted_at is null and (id = $3::int or $3::int is null and is_default)) as channel`,
};
