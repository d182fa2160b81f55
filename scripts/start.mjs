// `npm start`: the product on http://localhost:8080, whatever has to be installed and built before.
import { join } from "node:path";

import { ensureBuilt } from "./lib/build.mjs";
import { ensureInstalled } from "./lib/install.mjs";
import { bin } from "./lib/paths.mjs";
import { keepRunning } from "./lib/run.mjs";
import { runScript } from "./lib/script.mjs";

await runScript(async () => {
  await ensureInstalled();
  await ensureBuilt();
  return keepRunning({
    command: join(bin, "node"),
    // Loading leaves 150 MB of garbage that V8 keeps for ever in large young spaces, and it lets the old space grow far beyond
    // what lives before it collects it (docs/performance.md).
    args: [
      "--max-semi-space-size=4",
      "--heap-growing-percent=20",
      "packages/server/dist/main.js",
      ...process.argv.slice(2),
    ],
    env: { NODE_ENV: "production" },
  });
});
