import { defineConfig } from "vitest/config";

const here = (path: string): string => new URL(path, import.meta.url).pathname;

// The contract is read from its source in tests; without both condition lists a build would quietly be needed.
const conditions = ["source", "module", "browser", "development|production"];
const serverConditions = ["source", "node", "module", "development|production"];
// As Node resolves: with "module" it would take builds for bundlers, whose imports have no file extensions.
const nodeConditions = ["source", "node", "development|production"];

// Compares a library before and after we patch it, and the patch lasts as long as the process.
const needOwnProcess = ["src/channels/whatsapp-web/library-repairs.test.ts"];

// Left out by `npm run check`: they start or kill several processes, whole installations, databases or the scripted
// WhatsApp service, or go through all calls of the product.
const slow = [
  "src/testing/guarantees/**",
  "src/platform/db/embedded/**",
  "src/testing/new-feature.test.ts",
  "src/channels/whatsapp-web/{suite,traffic,provider,crash,two-way}.test.ts",
  "src/channels/whatsapp-web/testing/**",
  "src/channels/runtime/{inbound,outbound,starts,lease,processes}.test.ts",
  "src/channels/cloud-api/crash.test.ts",
  "src/features/messages/through-the-channel.test.ts",
  "src/features/schedules/once.test.ts",
  "src/platform/db/installation.test.ts",
  "src/launcher.test.ts",
];
// Child processes that start from TypeScript sources compile the same files again and again; Node keeps the result here.
process.env["NODE_COMPILE_CACHE"] ??= here(".cache/compiled");

// They prove what changes seldom, and take long.
const onlySoak =
  process.env["BALCAO_SOAK"] === "1" ? [] : ["src/testing/guarantees/crash/rolling.test.ts"];

const isQuick = process.env["BALCAO_QUICK"] === "1";

// Files share a process and its modules (`isolate: false`), because loading these again for each file costs as much as
// the tests. docs/how-to-add-a-feature.md says what a test file may therefore not leave behind.
export default defineConfig({
  test: {
    // Tests wait for databases, processes and timers a third of the time; the default would be one worker on two cores.
    maxWorkers: 4,
    projects: [
      {
        resolve: { conditions: serverConditions },
        ssr: { resolve: { conditions: serverConditions } },
        test: {
          name: "contract",
          root: "packages/contract",
          include: ["src/**/*.test.ts"],
          isolate: false,
        },
      },
      {
        resolve: { conditions: serverConditions },
        ssr: { resolve: { conditions: serverConditions } },
        test: {
          name: "client",
          root: "packages/client",
          include: ["src/**/*.test.ts"],
          isolate: false,
        },
      },
      {
        resolve: { conditions: nodeConditions },
        ssr: { resolve: { conditions: nodeConditions, externalConditions: ["source", "node"] } },
        test: {
          name: "server",
          root: "packages/server",
          include: ["src/**/*.test.ts"],
          exclude: [...needOwnProcess, ...onlySoak, ...(isQuick ? slow : [])],
          globalSetup: [here("packages/server/src/testing/global-setup.ts")],
          setupFiles: [here("packages/server/src/testing/setup.ts")],
          isolate: false,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // The setup file gives `vi.waitFor` the same.
          expect: { poll: { timeout: 40_000 } },
        },
      },
      {
        resolve: { conditions: nodeConditions },
        ssr: { resolve: { conditions: nodeConditions, externalConditions: ["source", "node"] } },
        test: { name: "own-process", root: "packages/server", include: needOwnProcess },
      },
      {
        resolve: { conditions },
        ssr: { resolve: { conditions: serverConditions } },
        test: {
          name: "web",
          root: "packages/web",
          include: ["src/**/*.test.{ts,tsx}"],
          environment: "happy-dom",
          isolate: false,
          setupFiles: [here("packages/web/src/testing/setup.ts")],
          testTimeout: 60_000,
        },
      },
    ],
  },
});
