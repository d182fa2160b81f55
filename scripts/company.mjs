// `npm run company`: exports one company, imports it into another installation (docs/one-company.md).
import { ensureBuilt } from "./lib/build.mjs";
import { ensureInstalled } from "./lib/install.mjs";
import { run } from "./lib/run.mjs";
import { runScript } from "./lib/script.mjs";

await runScript(async () => {
  await ensureInstalled();
  await ensureBuilt();
  return run("node", [
    "packages/server/dist/operations/company/command.js",
    ...process.argv.slice(2),
  ]);
});
