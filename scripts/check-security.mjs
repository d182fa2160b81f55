// `npm run check:security`: how safe the installation is set up (docs/security-check.md).
import { ensureBuilt } from "./lib/build.mjs";
import { ensureInstalled } from "./lib/install.mjs";
import { run } from "./lib/run.mjs";
import { runScript } from "./lib/script.mjs";

await runScript(async () => {
  await ensureInstalled();
  await ensureBuilt();
  const command = "packages/server/dist/operations/security/command.js";
  return run("node", [command, ...process.argv.slice(2)]);
});
