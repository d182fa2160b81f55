import { defineConfig } from "vitest/config";

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
          globalSetup: ["src/testing/global-setup.ts"],
          setupFiles: ["src/testing/setup.ts"],
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
          setupFiles: ["src/testing/setup.ts"],
        },
      },
    ],
  },
});
