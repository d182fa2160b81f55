import { defineConfig } from "vitest/config";

const here = (path: string): string => new URL(path, import.meta.url).pathname;

// The contract is read from its source in tests; without both condition lists a build would quietly be needed.
const conditions = ["source", "module", "browser", "development|production"];
const serverConditions = ["source", "node", "module", "development|production"];

export default defineConfig({
  test: {
    projects: [
      {
        resolve: { conditions: serverConditions },
        ssr: { resolve: { conditions: serverConditions } },
        test: { name: "contract", root: "packages/contract", include: ["src/**/*.test.ts"] },
      },
      {
        resolve: { conditions: serverConditions },
        ssr: { resolve: { conditions: serverConditions, externalConditions: ["source", "node"] } },
        test: {
          name: "server",
          root: "packages/server",
          include: ["src/**/*.test.ts"],
          globalSetup: [here("packages/server/src/testing/global-setup.ts")],
          setupFiles: [here("packages/server/src/testing/setup.ts")],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      {
        resolve: { conditions },
        ssr: { resolve: { conditions: serverConditions } },
        test: {
          name: "web",
          root: "packages/web",
          include: ["src/**/*.test.{ts,tsx}"],
          environment: "happy-dom",
          setupFiles: [here("packages/web/src/testing/setup.ts")],
          testTimeout: 30_000,
        },
      },
    ],
  },
});
