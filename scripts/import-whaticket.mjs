// `npm run import:whaticket`: brings companies of a Whaticket database into this installation (docs/moving-from-whaticket.md).
import { ensureBuilt } from "./lib/build.mjs";
import { ensureInstalled } from "./lib/install.mjs";
import { run } from "./lib/run.mjs";
import { runScript } from "./lib/script.mjs";

await runScript(async () => {
  await ensureInstalled();
  await ensureBuilt();
  return run("node", [
    "packages/server/dist/operations/whaticket/command.js",
    ...process.argv.slice(2),
  ]);
});
