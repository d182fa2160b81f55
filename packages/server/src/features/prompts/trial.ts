import type { FoundKnowledge, InputOf, KnowledgeId, PromptId, ResultOf } from "@balcao/contract";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import { checkAiService } from "./ai-service.ts";
import type { AnsweringDeps } from "./answering.ts";
import { linesOf, meaningOf, questionOf } from "./conversation.ts";
import type { PromptForm } from "./prompts.ts";
import { filledForm, openForm, requireReachable, requireTriable } from "./prompts.ts";
import type { FoundPrompt } from "./usage.ts";
import { countAnswer, findPrompt, isUsedUp, never, noteFault, orCode } from "./usage.ts";

type TrialDeps = Omit<AnsweringDeps, "ids" | "media">;

/** Asks the provider whether it takes a key. If it is the stored one, a lasting fault of the prompt ends with that. */
export async function checkAccount(
  deps: TrialDeps,
  ctx: UserCtx,
  { promptId, ofAiService, ...given }: InputOf<"POST /prompt/check">["body"],
): Promise<ResultOf<"POST /prompt/check">> {
  if (ofAiService) return { models: await checkAiService(deps, ctx, given) };
  const { found, form: before } = await findStored(deps, ctx, promptId);
  const form = filledForm(given, before);
  requireReachable(form);
  const models = await orCode(deps.provider.models(form, never()));
  const isStored = (["apiKey", "baseUrl", "model"] as const).every((f) => form[f] === before?.[f]);
  if (found && isStored) await noteFault(deps, ctx, found, null);
  return { models };
}

/** What a form would answer, under the same limits as for a customer; nothing is sent. */
export async function tryPrompt(
  deps: TrialDeps,
  ctx: UserCtx,
  { promptId, prompt, conversation }: InputOf<"POST /prompt/try">["body"],
): Promise<ResultOf<"POST /prompt/try">> {
  const { found, form: before } = await findStored(deps, ctx, promptId);
  const form = filledForm(prompt, before);
  requireTriable(form);
  if (found && isUsedUp(form.dayTokens, found.usedOfDay)) {
    throw new DomainError("ERR_PROMPT_BUDGET_USED");
  }
  const history = conversation.slice(-(form.maxMessages ?? conversation.length));
  const said = history.map(({ from, text }) => ({
    ...{ fromMe: from === "prompt", body: text, sound: null },
  }));
  const asked = said.slice(said.findLastIndex(({ fromMe }) => fromMe) + 1);
  const known = form.useKnowledge ? await deps.findKnowledge(ctx, questionOf(asked)) : [];
  const lines = linesOf(form, "", said, known);
  const beganAt = deps.clock.now().getTime();
  const { provider } = deps;
  const wish = { account: form, lines, ...form };
  const reply = await orCode(provider.answer(wish, never(), provider.timeLimit()));
  const tookMs = deps.clock.now().getTime() - beganAt;
  const { read, written } = reply.tokens;
  if (found) await countAnswer(deps, ctx, found, reply.tokens, "trial");
  const { text, handOver } = meaningOf(reply, form, known);
  return {
    ...{ text, handOver: handOver !== null, reason: handOver?.reason || null },
    ...{ tokens: read + written, cost: costOf(form, reply.tokens), tookMs },
    sources: sourcesOf(known),
  };
}

/** Each item once, best first. */
function sourcesOf(known: readonly FoundKnowledge[]): { id: KnowledgeId; title: string }[] {
  const titles = new Map(known.map(({ itemId, title }) => [itemId, title]));
  return [...titles].map(([id, title]) => ({ id, title }));
}

async function findStored(
  deps: TrialDeps,
  ctx: Ctx,
  id: PromptId | undefined,
): Promise<{ found: FoundPrompt; form: PromptForm } | { found: null; form?: undefined }> {
  if (id === undefined) return { found: null };
  const found = await deps.db.transaction(ctx, (tx) => findPrompt(deps, ctx, tx, id, null));
  if (!found) throw new DomainError("ERR_NO_PROMPT_FOUND");
  return { found, form: openForm(deps.seal, found) };
}

/** R$; null where a price is missing. */
function costOf(
  { priceIn, priceOut }: PromptForm,
  { read, written }: { read: number; written: number },
): number | null {
  if (priceIn === null || priceOut === null) return null;
  return (read * priceIn + written * priceOut) / 1_000_000;
}
