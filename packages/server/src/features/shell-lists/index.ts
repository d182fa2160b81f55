import type { Routes } from "../../platform/http/routes.ts";

const noTotals = { count: 0, hasMore: false };

/** Empty lists of planned features, which every client reads (contract, shell-lists). */
export function createShellListsFeature() {
  return {
    register(routes: Routes): void {
      routes.handle("GET /prompt", async () => ({ prompts: [], ...noTotals }));
      routes.handle("GET /queueIntegration", async () => ({ queueIntegrations: [], ...noTotals }));
    },
  };
}
