// `npm run check`: the fast loop. Every step runs, whatever the one before said. `-- some words` runs the test files
// whose path holds one of them, these slow ones included.
import { ensureInstalled } from "./lib/install.mjs";
import { run } from "./lib/run.mjs";
import { scratchEnvironment } from "./lib/scratch.mjs";
import { runScript } from "./lib/script.mjs";
import { countAsOne, runSteps, staticSteps } from "./lib/steps.mjs";

const words = process.argv.slice(2);
// vitest.config.ts says which files are slow.
const env = { ...scratchEnvironment(), ...(words.length === 0 ? { BALCAO_QUICK: "1" } : {}) };

await runScript(async () => {
  await ensureInstalled();
  const unit = { name: "unit", run: () => countAsOne(run("vitest", ["run", ...words], { env })) };
  return runSteps([staticSteps, [[unit]]]);
});
