import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

import { root } from "./paths.mjs";

const skipped = new Set(["node_modules", "dist", "coverage", "test-results", "playwright-report"]);

/** One hash over the names and contents of files and folders of the repository; what is missing counts as missing. */
export function hashOf(paths) {
  const hash = createHash("sha256").update(`${process.platform}-${process.arch}`);
  for (const file of paths.flatMap((path) => filesIn(join(root, path))).sort()) {
    hash.update(`\0${relative(root, file)}\0`).update(readFileSync(file));
  }
  return hash.digest("hex");
}

/** The sources of the last build: a hash kept in a file. */
export function isFresh(stampFile, hash) {
  return existsSync(stampFile) && readFileSync(stampFile, "utf8") === hash;
}

export function writeStamp(stampFile, hash) {
  mkdirSync(dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, hash);
}

function filesIn(path) {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return [];
  if (!found.isDirectory()) return [path];
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => !skipped.has(entry.name) && !isNoSource(entry.name))
    .flatMap((entry) => filesIn(join(path, entry.name)));
}

function isNoSource(name) {
  return name.startsWith(".") || /\.tsbuildinfo$|\.test\.tsx?$/.test(name);
}
