// `npm run media:move`: copies the files of all companies into the object storage, or back (docs/many-machines.md).
import { ensureBuilt } from "./lib/build.mjs";
import { ensureInstalled } from "./lib/install.mjs";
import { run } from "./lib/run.mjs";
import { runScript } from "./lib/script.mjs";

await runScript(async () => {
  await ensureInstalled();
  await ensureBuilt();
  return run("node", [
    "packages/server/dist/operations/media/command.js",
    ...process.argv.slice(2),
  ]);
});
