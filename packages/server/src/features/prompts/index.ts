import type { Ctx } from "../../platform/context.ts";
import type { GuardedFetch } from "../../platform/http/guarded-fetch.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { AiAnswer, AiQuestion } from "./ai-service.ts";
import { askAiService, offerOf, saveAiService, showAiService } from "./ai-service.ts";
import type { AnsweringDeps } from "./answering.ts";
import { createPromptAsker } from "./answering.ts";
import { createPrompt, listPrompts, removePrompt, showPrompt, updatePrompt } from "./prompts.ts";
import type { ProviderSettings } from "./provider.ts";
import { createProvider, defaultProviderSettings } from "./provider.ts";
import type { TranscriptsDeps } from "./transcripts.ts";
import { createTranscripts, transcribeMessage } from "./transcripts.ts";
import { checkAccount, tryPrompt } from "./trial.ts";

export type { AiAnswer, AiQuestion } from "./ai-service.ts";
export {
  contentOf,
  firstName,
  MESSAGE_MAX,
  newestFitting,
  withKnownLinks,
} from "./conversation.ts";
export { holdHelper } from "./helper-choice.ts";
export type { ChatLine, ProviderSettings } from "./provider.ts";
export { sealPromptKey } from "./prompts.ts";
export { sweepUsageAcrossCompanies } from "./usage.ts";

export type PromptsFeatureDeps = Omit<AnsweringDeps & TranscriptsDeps, "provider"> & {
  fetch: GuardedFetch;
  settings?: Partial<ProviderSettings> | undefined;
};

/** AI agents ("prompts", wire-contract 5.21, behaviour 7.1 to 7.5). */
export function createPromptsFeature(given: PromptsFeatureDeps) {
  const settings = { ...defaultProviderSettings, ...given.settings };
  const deps = { ...given, provider: createProvider({ ...given, settings }) };
  return {
    register(routes: Routes): void {
      routes.handle("GET /prompt", ({ ctx, query }) => listPrompts(deps, ctx, query));
      routes.handle("GET /prompt/:promptId", ({ ctx, params }) =>
        showPrompt(deps, ctx, params.promptId),
      );
      routes.handle("POST /prompt", ({ ctx, body }) => createPrompt(deps, ctx, body));
      routes.handle("PUT /prompt/:promptId", ({ ctx, params, body }) =>
        updatePrompt(deps, ctx, params.promptId, body),
      );
      routes.handle("DELETE /prompt/:promptId", async ({ ctx, params }) => {
        await removePrompt(deps, ctx, params.promptId);
        return { message: "Prompt deleted" };
      });
      routes.handle("POST /prompt/check", ({ ctx, body }) => checkAccount(deps, ctx, body));
      routes.handle("POST /prompt/try", ({ ctx, body }) => tryPrompt(deps, ctx, body));
      routes.handle("GET /aiService", ({ ctx }) => showAiService(deps, ctx));
      routes.handle("PUT /aiService", ({ ctx, body }) => saveAiService(deps, ctx, body));
      routes.handle("GET /aiService/offer", ({ ctx }) => offerOf(deps, ctx));
      routes.handle("POST /messages/:messageId/transcript", ({ ctx, params }) =>
        transcribeMessage(deps, ctx, params.messageId),
      );
    },
    asker: createPromptAsker(deps),
    /** Writes customers' voice notes down, in processes that work on jobs. */
    transcripts: createTranscripts(deps),
    /** One answer of the company's AI service to its own people (`askAiService`). */
    askAi: (ctx: Ctx, question: AiQuestion, signal: AbortSignal): Promise<AiAnswer> =>
      askAiService(deps, ctx, question, signal),
  };
}
