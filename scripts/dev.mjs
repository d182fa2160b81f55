// `npm run dev`: server and web page from their sources, each restarted or updated at every change.
import { join } from "node:path";

import { ensureInstalled } from "./lib/install.mjs";
import { root } from "./lib/paths.mjs";
import { runUntilStopped } from "./lib/run.mjs";
import { runScript } from "./lib/script.mjs";

await runScript(async () => {
  await ensureInstalled();
  const env = { NODE_ENV: "development" };
  return runUntilStopped([
    {
      command: "tsx",
      args: ["watch", "--clear-screen=false", "--conditions=source", "packages/server/src/main.ts"],
      env,
    },
    { command: "vite", args: ["--clearScreen=false"], cwd: join(root, "packages/web"), env },
  ]);
});
