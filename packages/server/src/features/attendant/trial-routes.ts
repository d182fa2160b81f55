import type { Routes } from "../../platform/http/routes.ts";
import type { TrialDeps } from "./trial.ts";
import { createTrial } from "./trial.ts";

/** The one call of the attendant: trying what it would do. */
export function createTrialFeature(deps: TrialDeps) {
  const play = createTrial(deps);
  return {
    register(routes: Routes): void {
      routes.handle("POST /queue/:queueId/trial", ({ ctx, params, body }) =>
        play(ctx, params.queueId, body),
      );
    },
  };
}
