import type { IntegrationId, PromptId } from "@balcao/contract";
import type { Ctx } from "../../platform/context.ts";
import type { Tx } from "../../platform/db/database.ts";
import { holdReferences } from "../../platform/db/records.ts";
import { integrations, prompts } from "../../platform/db/schema/index.ts";

/** Who answers customers first, in the body of a connection or queue. What is left out stays. */
export type HelperChoice = {
  promptId?: PromptId | null | undefined;
  integrationId?: IntegrationId | null | undefined;
};

/**
 * The columns of a choice: a connection or queue has one helper at most, so a new one takes the place of the other kind; of
 * both the prompt counts. Throws ERR_NO_PROMPT_FOUND and ERR_NO_DIALOG_FOUND; keeps the chosen one until the commit.
 */
export async function holdHelper(
  ctx: Pick<Ctx, "companyId">,
  tx: Tx,
  { promptId, integrationId }: HelperChoice,
): Promise<HelperChoice> {
  const given = (id: number | null | undefined): number[] => (id == null ? [] : [id]);
  await holdReferences(ctx, tx, prompts, given(promptId), "ERR_NO_PROMPT_FOUND");
  await holdReferences(ctx, tx, integrations, given(integrationId), "ERR_NO_DIALOG_FOUND");
  if (promptId != null) return { promptId, integrationId: null };
  if (integrationId != null) return { promptId: null, integrationId };
  return { promptId, integrationId };
}
