import type { GuardedFetch } from "../../platform/http/guarded-fetch.ts";
import type { Routes } from "../../platform/http/routes.ts";
import type { AnsweringDeps } from "./answering.ts";
import { createPromptAsker } from "./answering.ts";
import { createPrompt, listPrompts, removePrompt, showPrompt, updatePrompt } from "./prompts.ts";
import type { ProviderSettings } from "./provider.ts";
import { createProvider, defaultProviderSettings } from "./provider.ts";
import { checkAccount, tryPrompt } from "./trial.ts";

export { holdHelper } from "./helper-choice.ts";
export type { ProviderSettings } from "./provider.ts";
export { sweepUsageAcrossCompanies } from "./usage.ts";

export type PromptsFeatureDeps = Omit<AnsweringDeps, "provider"> & {
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
    },
    asker: createPromptAsker(deps),
  };
}
