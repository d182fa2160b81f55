// `npm run backup` and `npm run restore`: the whole installation into an archive and back (docs/backup.md).
import { ensureBuilt } from "./lib/build.mjs";
import { ensureInstalled } from "./lib/install.mjs";
import { run } from "./lib/run.mjs";
import { runScript } from "./lib/script.mjs";

await runScript(async () => {
  await ensureInstalled();
  await ensureBuilt();
  const command = "packages/server/dist/operations/backup/command.js";
  return run("node", [command, ...process.argv.slice(2)]);
});
