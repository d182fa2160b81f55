// `npm run check`: the fast loop. Every step runs, whatever the one before said.
import { ensureInstalled } from "./lib/install.mjs";
import { run } from "./lib/run.mjs";
import { runScript } from "./lib/script.mjs";
import { countAsOne, runSteps, staticSteps } from "./lib/steps.mjs";

await runScript(async () => {
  await ensureInstalled();
  return runSteps([
    ...staticSteps,
    { name: "unit", run: () => countAsOne(run("vitest", ["run", ...process.argv.slice(2)])) },
  ]);
});
