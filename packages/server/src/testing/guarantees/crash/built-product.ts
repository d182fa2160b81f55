import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import pg from "pg";
import { inject } from "vitest";

const run = promisify(execFile);
const root = fileURLToPath(new URL("../../../../../../", import.meta.url));
const main = join(root, "packages/server/dist/main.js");
/** Any number that no other lock on the run's server has. */
const BUILD_LOCK = 7_301;

let building: Promise<string> | undefined;

/**
 * The path of the product's built main.js, up to date with the sources. A start from it takes half the CPU of a start from
 * the sources. Each worker asks once; only tests that start processes ask, so that a quick run of other tests builds nothing.
 */
export function builtMain(): Promise<string> {
  return (building ??= build());
}

async function build(): Promise<string> {
  const lock = new pg.Client({ connectionString: inject("postgresUrl") });
  await lock.connect();
  try {
    // One worker builds at a time; the next one finds everything up to date.
    await lock.query("select pg_advisory_lock($1)", [BUILD_LOCK]);
    await compile();
  } finally {
    await lock.end();
  }
  return main;
}

/** Without type check, which takes minutes of CPU on many files and has a step of its own in `npm test`. */
async function compile(): Promise<void> {
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  // Its notes lie outside `dist`: it would not see that somebody has removed the folder.
  const force = existsSync(main) ? [] : ["--force"];
  const projects = ["packages/contract", "packages/server"];
  const options = ["-b", "--noCheck", ...force, ...projects];
  await run(process.execPath, [compiler, ...options], { cwd: root }).catch((error: unknown) => {
    const lines = error instanceof Error && "stdout" in error ? String(error.stdout) : "";
    throw new Error(`tsc ${options.join(" ")} failed, so the product cannot start:\n${lines}`, {
      cause: error,
    });
  });
}
