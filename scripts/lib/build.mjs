import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";

import { cache, root } from "./paths.mjs";
import { run, runQuietly } from "./run.mjs";
import { Problem, say } from "./script.mjs";
import { hashOf, isFresh, writeStamp } from "./stamp.mjs";

const stampFile = join(cache, "built");
const sources = ["packages", "package.json", "package-lock.json", "tsconfig.base.json"];
const products = ["packages/server/dist/main.js", "packages/web/dist/app/index.html"];

/** Builds the product when it is missing or older than its sources; says nothing when there is nothing to do. */
export async function ensureBuilt() {
  if (isBuilt()) return;
  say("Building Balcão (after a change of its sources; some seconds)…");
  const { code, tail } = await build((args) => runQuietly("build", "npm", args));
  if (code !== 0) throw new Problem(`${tail}\n\nThe build failed (all lines: .cache/build.log).`);
}

/** The same with the output shown. Answers the exit code. */
export async function buildAloud() {
  if (isBuilt()) {
    say("The build is up to date.");
    return 0;
  }
  const { code } = await build(async (args) => ({ code: await run("npm", args) }));
  return code;
}

function isBuilt() {
  return (
    isFresh(stampFile, hashOf(sources)) && products.every((path) => existsSync(join(root, path)))
  );
}

async function build(runNpm) {
  const hash = hashOf(sources);
  rmSync(stampFile, { force: true });
  // tsc believes its own notes more than the disk, and leaves what was made from deleted sources.
  for (const name of ["contract", "server", "client"]) {
    rmSync(join(root, "packages", name, "dist"), { recursive: true, force: true });
    rmSync(join(root, "packages", name, "tsconfig.tsbuildinfo"), { force: true });
  }
  const result = await runNpm(["run", "--silent", "build"]);
  if (result.code === 0) writeStamp(stampFile, hash);
  return result;
}
