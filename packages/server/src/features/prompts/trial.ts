import type { InputOf, PromptId, ResultOf } from "@balcao/contract";
import type { Ctx, UserCtx } from "../../platform/context.ts";
import { DomainError } from "../../platform/context.ts";
import type { AnsweringDeps } from "./answering.ts";
import { codeOf } from "./answering.ts";
import { linesOf, meaningOf } from "./conversation.ts";
import type { PromptForm } from "./prompts.ts";
import { filledForm, openForm, requireReachable, requireTriable } from "./prompts.ts";
import { ProviderFault } from "./provider.ts";
import type { FoundPrompt } from "./usage.ts";
import { countAnswer, findPrompt, isUsedUp, noteFault } from "./usage.ts";

type TrialDeps = Omit<AnsweringDeps, "ids" | "media">;

/** Nobody waits for longer than the provider is given. */
const never = (): AbortSignal => new AbortController().signal;

/** Asks the provider whether it takes a key. If it is the stored one, a lasting fault of the prompt ends with that. */
export async function checkAccount(
  deps: TrialDeps,
  ctx: UserCtx,
  { promptId, ...given }: InputOf<"POST /prompt/check">["body"],
): Promise<ResultOf<"POST /prompt/check">> {
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
  const lines = linesOf(form, "", said);
  const beganAt = deps.clock.now().getTime();
  const { provider } = deps;
  const wish = { account: form, lines, ...form };
  const reply = await orCode(provider.answer(wish, never(), provider.timeLimit()));
  const tookMs = deps.clock.now().getTime() - beganAt;
  const { read, written } = reply.tokens;
  if (found) await countAnswer(deps, ctx, found, reply.tokens, "trial");
  const { text, handOver } = meaningOf(reply, form);
  return {
    ...{ text, handOver: handOver !== null, reason: handOver?.reason || null },
    ...{ tokens: read + written, cost: costOf(form, reply.tokens), tookMs },
  };
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

async function orCode<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    throw error instanceof ProviderFault ? new DomainError(codeOf[error.fault]) : error;
  }
}
