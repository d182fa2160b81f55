// `npm run bench`: the built product against its floors. Arguments go to the benchmark.
import { ensureBuilt } from "./lib/build.mjs";
import { ensureInstalled } from "./lib/install.mjs";
import { run } from "./lib/run.mjs";
import { runScript } from "./lib/script.mjs";

await runScript(async () => {
  await ensureInstalled();
  await ensureBuilt();
  const loader = ["--import", "tsx", "--conditions=source"];
  return run("node", [...loader, "bench/src/main.ts", ...process.argv.slice(2)]);
});
