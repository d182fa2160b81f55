// `npm run soak`: what tries many times in `npm test`, in full size and with a new seed. `BALCAO_SEED=123 npm run soak`
// repeats one; `-- fuzz crash` runs only the files whose path holds one of these words.
import { ensureBrowser } from "./lib/browser.mjs";
import { buildAloud } from "./lib/build.mjs";
import { ensureInstalled } from "./lib/install.mjs";
import { run } from "./lib/run.mjs";
import { scratchEnvironment } from "./lib/scratch.mjs";
import { Problem, runScript, say } from "./lib/script.mjs";
import { countAsOne, runSteps } from "./lib/steps.mjs";

const files = {
  unit: [
    "guarantees/fuzz/fuzz",
    "guarantees/tenants",
    "guarantees/attendant-silence",
    "guarantees/assignment",
    "guarantees/people-at-once",
    "guarantees/paused-process",
    "guarantees/crash/crash",
    "guarantees/crash/whatsapp-web",
    "guarantees/crash/attendant",
    "guarantees/crash/campaigns",
    "guarantees/crash/schedules",
    "guarantees/crash/database-away",
    "guarantees/crash/rolling",
    "guarantees/crash/many-machines",
    "features/campaigns/pacing",
    "features/kanban/kanban",
    "features/dashboard/same-figures",
    "features/billing/any-history",
    "features/roles/roles",
    "features/privacy/erasing",
    "channels/runtime/inbound",
    "channels/runtime/outbound",
  ],
  // Those that look with axe do so in four windows instead of two.
  browser: [
    ...["convergence", "long-lists", "accessibility", "connections", "users", "settings"],
    ...["chatbot", "official-api"],
  ],
};
const words = process.argv.slice(2);
const chosen = (names) =>
  words.length === 0 ? names : names.filter((name) => words.some((word) => name.includes(word)));

const seed = process.env.BALCAO_SEED ?? String(Date.now() % 1_000_000_000);
const env = { ...scratchEnvironment(), BALCAO_SOAK: "1", BALCAO_SEED: seed };

const unit = chosen(files.unit);
const browser = chosen(files.browser);

async function browserSoak() {
  const problem = await ensureBrowser();
  if (problem !== undefined) throw new Problem(problem);
  if ((await buildAloud()) !== 0) return { passed: 0, failed: 1, note: "not run: no build" };
  const args = ["test", "-c", "e2e/playwright.config.ts", "--no-deps"];
  return countAsOne(run("playwright", [...args, ...browser], { env }));
}

await runScript(async () => {
  if (unit.length + browser.length === 0) {
    throw new Problem(`Nothing to run. There are: ${Object.values(files).flat().join(", ")}.`);
  }
  await ensureInstalled();
  say(`seed ${seed} (BALCAO_SEED=${seed} repeats it)`);
  const unitSoak = () => countAsOne(run("vitest", ["run", ...unit], { env }));
  return runSteps([
    [unit.length === 0 ? [] : [{ name: "unit", run: unitSoak }]],
    [browser.length === 0 ? [] : [{ name: "browser", run: browserSoak }]],
  ]);
});
