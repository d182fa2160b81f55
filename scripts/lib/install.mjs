import { existsSync } from "node:fs";
import { basename, join } from "node:path";

import { bin, root } from "./paths.mjs";
import { runQuietly } from "./run.mjs";
import { Problem, say } from "./script.mjs";
import { hashOf, isFresh, writeStamp } from "./stamp.mjs";

const stampFile = join(root, "node_modules", ".balcao-installed");

/** Installs the packages of the lockfile when they are missing or others. */
export async function ensureInstalled() {
  const hash = hashOf(["package-lock.json"]);
  const isMissing = !existsSync(bin);
  if (!isMissing && isFresh(stampFile, hash)) return;
  say(isMissing ? "Installing packages (once; about a minute)…" : "Updating packages…");
  // All kinds are named because NODE_ENV=production, or a user's .npmrc, would leave some out.
  const args = [
    "--include=dev",
    "--include=optional",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
  ];
  const { code, tail } = await npm(isMissing ? "ci" : "install", args);
  if (code !== 0) {
    throw new Problem(
      `${tail}\n\nThe packages could not be installed (npm ended with ${code}; the lines above are its last, ` +
        "all of them are in .cache/npm.log). Check the network and the npm registry, then try again.",
    );
  }
  if (!existsSync(join(bin, "node"))) {
    throw new Problem(
      "The pinned Node 24 (npm package `node`) was not installed. It needs its install script: " +
        "see that npm's settings do not say ignore-scripts, remove node_modules and try again.",
    );
  }
  writeStamp(stampFile, hashOf(["package-lock.json"]));
}

function npm(command, args) {
  const program = process.env.npm_execpath;
  // The npm that runs us, when it is one: another on the PATH may be older.
  if (program !== undefined && basename(program) === "npm-cli.js") {
    return runQuietly("npm", process.execPath, [program, command, ...args]);
  }
  return runQuietly("npm", "npm", [command, ...args]);
}
