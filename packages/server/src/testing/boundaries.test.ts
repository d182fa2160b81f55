import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { expect, onTestFinished, test } from "vitest";

const root = fileURLToPath(new URL("../../../../", import.meta.url));

type Cruise = {
  modules: { source: string; dependencies: { resolved: string }[] }[];
  summary: { violations: { rule: { name: string }; from: string; to: string }[] };
};

/** Runs the checker with our rules over `packages` in a directory. */
async function cruise(directory: string): Promise<Cruise> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [
      join(root, "node_modules/.bin/depcruise"),
      "packages",
      "--config",
      join(root, ".dependency-cruiser.cjs"),
      "--output-type",
      "json",
    ],
    { cwd: directory, maxBuffer: 64_000_000 },
  );
  const result: Cruise = JSON.parse(stdout);
  return result;
}

function violationsOf({ summary }: Cruise): string[] {
  return summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} → ${to}`).sort();
}

// It reads the whole product, in a process of its own.
test(
  "the checker reads our files, JSX too, and finds every import in an allowed direction",
  { timeout: 120_000 },
  async () => {
    const result = await cruise(root);
    const readWithImports = result.modules.filter((module) => module.dependencies.length > 0);
    const count = (pattern: RegExp): number =>
      readWithImports.filter(({ source }) => pattern.test(source)).length;
    expect(count(/^packages\/contract\/src\//)).toBeGreaterThan(5);
    expect(count(/^packages\/server\/src\/platform\//)).toBeGreaterThan(5);
    expect(count(/^packages\/server\/src\/features\//)).toBeGreaterThan(5);
    expect(count(/^packages\/server\/src\/channels\//)).toBeGreaterThan(2);
    expect(count(/^packages\/web\/src\/.*\.ts$/)).toBeGreaterThan(5);
    expect(count(/^packages\/web\/src\/.*\.tsx$/)).toBeGreaterThan(5);
    // The contract is followed to its source; were it not, no rule about it could be broken.
    const toContract = readWithImports.filter(({ source, dependencies }) => {
      const isOutside = /^packages\/(server|web)\//.test(source);
      return (
        isOutside && dependencies.some((to) => to.resolved === "packages/contract/src/index.ts")
      );
    });
    expect(toContract.length).toBeGreaterThan(5);
    expect(violationsOf(result)).toEqual([]);
  },
);

/** A small product: each file with what it imports. All other imports are allowed. */
const product: Record<string, string[]> = {
  "contract/src/index.ts": ["./tickets.ts", "node:fs"],
  "contract/src/tickets.ts": [],
  "contract/src/tickets.test.ts": ["node:fs"],

  "client/src/index.ts": ["./calls.ts", "../../contract/src/tickets.ts"],
  "client/src/calls.ts": [],
  "client/src/generate.ts": ["../../contract/src/tickets.ts"],

  "server/src/main.ts": ["./app.ts", "./features/tickets/routes.ts"],
  "server/src/app.ts": ["./features/tickets/index.ts", "./channels/simulator/adapter.ts"],
  "server/src/start-message.ts": ["./channels/simulator/adapter.ts"],
  "server/src/platform/clock.ts": [
    "../../../contract/src/tickets.ts",
    "../features/tickets/index.ts",
  ],
  "server/src/platform/clock.test.ts": ["../testing/setup.ts", "../app.ts"],
  "server/src/platform/db.ts": ["./clock.ts", "../channels/port.ts", "../testing/setup.ts"],
  "server/src/testing/setup.ts": ["../app.ts", "../features/tickets/repository.ts"],
  "server/src/channels/port.ts": ["../platform/clock.ts", "./simulator/adapter.ts"],
  "server/src/channels/runtime/pump.ts": ["../port.ts", "../../features/tickets/index.ts"],
  "server/src/channels/simulator/adapter.ts": ["../port.ts", "../runtime/pump.ts", "./state.ts"],
  "server/src/channels/simulator/state.ts": [
    "../../features/tickets/index.ts",
    "../cloud-api/call.ts",
  ],
  "server/src/channels/cloud-api/call.ts": ["../../platform/clock.ts"],
  "server/src/features/tickets/index.ts": ["./repository.ts"],
  "server/src/features/tickets/repository.ts": [
    "../../platform/clock.ts",
    "../../channels/port.ts",
  ],
  "server/src/features/tickets/routes.ts": ["../messages/index.ts", "../messages/message.ts"],
  "server/src/features/tickets/routes.test.ts": ["../messages/message.ts"],
  "server/src/features/messages/index.ts": ["./message.ts"],
  "server/src/features/messages/message.ts": ["../../start-message.ts"],
  "server/src/features/messages/send.ts": ["../../channels/cloud-api/call.ts", "./gone.ts"],

  "web/src/main.tsx": ["./app/routes.tsx"],
  "web/src/app/routes.tsx": ["../features/tickets/page.tsx", "../../../server/src/app.ts"],
  "web/src/ui/button.tsx": ["../../../contract/src/index.ts", "../features/tickets/index.ts"],
  "web/src/api/client.ts": ["../app/routes.tsx"],
  "web/src/features/tickets/index.ts": ["./page.tsx"],
  "web/src/features/tickets/page.tsx": ["../messages/list.tsx", "../../realtime/live.ts"],
  "web/src/features/messages/list.tsx": ["../../app/theme.ts"],
  "web/src/app/theme.ts": [],
  "web/src/realtime/live.ts": ["./journal.ts"],
  "web/src/realtime/journal.ts": ["./live.ts"],
};

const expected = [
  "client-stands-alone: client/src/index.ts → contract/src/tickets.ts",
  "contract-knows-only-zod: contract/src/index.ts → fs",
  "only-the-app-knows-adapters: server/src/start-message.ts → server/src/channels/simulator/adapter.ts",
  "only-the-app-knows-adapters: server/src/features/messages/send.ts → server/src/channels/cloud-api/call.ts",
  "platform-knows-no-product: server/src/platform/clock.ts → server/src/features/tickets/index.ts",
  "platform-knows-no-product: server/src/platform/db.ts → server/src/channels/port.ts",
  "platform-knows-no-product: server/src/platform/db.ts → server/src/testing/setup.ts",
  "product-needs-no-test-code: server/src/platform/db.ts → server/src/testing/setup.ts",
  "port-knows-no-feature-and-no-adapter: server/src/channels/port.ts → server/src/channels/simulator/adapter.ts",
  "port-knows-no-feature-and-no-adapter: server/src/channels/runtime/pump.ts → server/src/features/tickets/index.ts",
  "adapter-knows-only-the-port: server/src/channels/simulator/state.ts → server/src/features/tickets/index.ts",
  "adapter-knows-only-the-port: server/src/channels/simulator/state.ts → server/src/channels/cloud-api/call.ts",
  "feature-through-its-index: server/src/features/tickets/routes.ts → server/src/features/messages/message.ts",
  "feature-knows-no-app: server/src/features/messages/message.ts → server/src/start-message.ts",
  "nothing-unresolved: server/src/features/messages/send.ts → ./gone.ts",
  "web-and-server-meet-in-the-contract: web/src/app/routes.tsx → server/src/app.ts",
  "web-foundation-knows-no-feature: web/src/ui/button.tsx → web/src/features/tickets/index.ts",
  "web-foundation-knows-no-feature: web/src/api/client.ts → web/src/app/routes.tsx",
  "feature-through-its-index: web/src/features/tickets/page.tsx → web/src/features/messages/list.tsx",
  "feature-knows-no-app: web/src/features/messages/list.tsx → web/src/app/theme.ts",
];

/** Writes the files; every second import is one of a type only, which counts just the same. */
async function write(directory: string): Promise<void> {
  for (const [path, imports] of Object.entries(product)) {
    const file = join(directory, "packages", path);
    const lines = imports.map((target, index) =>
      index % 2 === 0 ? `import "${target}";` : `import type { X } from "${target}";`,
    );
    const jsx = path.endsWith(".tsx") ? ["export const page = <p title={'x'}>text</p>;"] : [];
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, [...lines, ...jsx, "export {};", ""].join("\n"));
  }
}

test("each forbidden direction is reported, and nothing that stands beside it", async () => {
  const directory = await mkdtemp(join(tmpdir(), "balcao-boundaries-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  await write(directory);
  const found = violationsOf(await cruise(directory)).map((line) =>
    line.replaceAll("packages/", ""),
  );
  const isCircle = (line: string): boolean => line.startsWith("no-circles: ");
  expect(found.filter((line) => !isCircle(line))).toEqual([...expected].sort());
  // Imports upwards close circles too, and of a circle only one edge may be named.
  const circles = found.filter((line) => isCircle(line) && line.includes("web/src/realtime/"));
  expect(circles.length).toBeGreaterThan(0);
});
