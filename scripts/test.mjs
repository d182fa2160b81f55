// `npm test`: everything that CI runs. `-- --only=types,unit` runs some of the steps.
import { rmSync } from "node:fs";
import { join } from "node:path";

import { ensureBrowser } from "./lib/browser.mjs";
import { buildAloud } from "./lib/build.mjs";
import { ensureInstalled } from "./lib/install.mjs";
import { cache } from "./lib/paths.mjs";
import { countPlaywright, countVitest } from "./lib/reports.mjs";
import { run, runToLog } from "./lib/run.mjs";
import { scratchEnvironment } from "./lib/scratch.mjs";
import { Problem, runScript, say } from "./lib/script.mjs";
import { countAsOne, runSteps, staticStepsOfTest } from "./lib/steps.mjs";

/** What is measured of pages are counts and sizes, so it may run beside the journeys, whose processes leave some CPU idle. */
const stages = [
  staticStepsOfTest,
  [[{ name: "unit", run: unitTests }]],
  [[{ name: "build", run: () => countAsOne(buildAloud()) }]],
  [
    [{ name: "browser", isAloud: true, run: browserTests }],
    [{ name: "budgets", run: pageBudgets }],
  ],
];

async function unitTests() {
  const report = freshReport("vitest.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const code = await run("vitest", ["run", ...reporters], { env: scratchEnvironment() });
  return countVitest(report, code);
}

/** The cost of each page in a cold browser: files, bytes, requests (bench/src/first-screen.ts). */
async function pageBudgets({ isAlone }) {
  const problem = await ensureBrowser();
  if (problem !== undefined) {
    say(problem);
    return { passed: 0, failed: 1, note: "no browser" };
  }
  const loader = ["--import", "tsx", "--conditions=source"];
  const args = [...loader, "bench/src/main.ts", "--only=files", "--strict"];
  return countAsOne(isAlone ? run("node", args) : runToLog("budgets", "node", args));
}

async function browserTests() {
  const problem = await ensureBrowser();
  if (problem !== undefined) {
    say(problem);
    return { passed: 0, failed: 1, note: "no browser" };
  }
  if ((await buildAloud()) !== 0) return { passed: 0, failed: 1, note: "not run: no build" };
  const report = freshReport("playwright.json");
  const args = ["test", "-c", "e2e/playwright.config.ts", "--reporter=list,json"];
  const code = await run("playwright", args, {
    env: { ...scratchEnvironment(), PLAYWRIGHT_JSON_OUTPUT_FILE: report },
  });
  const counts = countPlaywright(report, code);
  if (counts.failed === 0) return counts;
  const again = (await traceFailedJourneys()) === 0 ? "passed" : "failed";
  return { ...counts, note: `${counts.note} again, with a trace: ${again}`.trim() };
}

/**
 * Runs the failed journeys again, with a trace each. They stay failed whatever this run says: recording every journey
 * would cost all of them a fifth of the CPU.
 */
async function traceFailedJourneys() {
  say("\n── the failed journeys again, traced (their result does not count) ──");
  const args = ["test", "-c", "e2e/playwright.config.ts", "--last-failed", "--no-deps"];
  const code = await run("playwright", [...args, "--global-timeout=600000"], {
    env: { ...scratchEnvironment(), BALCAO_E2E_TRACE: "on" },
  });
  say("Traces: e2e/test-results/*/trace.zip (npx playwright show-trace FILE)");
  return code;
}

/** The path of a report, without one of an earlier run at it. */
function freshReport(name) {
  const file = join(cache, name);
  rmSync(file, { force: true });
  return file;
}

/** The stages with the steps that the command line names, or with all. */
function chosenStages() {
  const option = process.argv.find((argument) => argument.startsWith("--only="));
  if (option === undefined) return stages;
  const names = option.slice("--only=".length).split(",");
  const all = stages.flat(2);
  const unknown = names.filter((name) => !all.some((step) => step.name === name));
  const chosen = (row) => row.filter((step) => names.includes(step.name));
  if (unknown.length === 0) return stages.map((stage) => stage.map(chosen));
  const known = all.map((step) => step.name).join(", ");
  throw new Problem(`There is no step ${unknown.join(", ")}. The steps are ${known}.`);
}

await runScript(async () => {
  const chosen = chosenStages();
  await ensureInstalled();
  return runSteps(chosen);
});
