import { execFile } from "node:child_process";
import { chmod, cp, lstat, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, expect, test } from "vitest";

import { findPostgresPackage, installBinaries, type PostgresPackage } from "./binaries.ts";
import { cleanUp, makeDirectory } from "./testing/launched.ts";

afterAll(cleanUp);

/** The package as npm unpacks it when no install script ran: without links, programs not executable. */
async function packageWithoutInstallScript(): Promise<PostgresPackage> {
  const source = await findPostgresPackage();
  const directory = join(await makeDirectory(0o755), "package");
  await cp(source.directory, directory, { recursive: true, verbatimSymlinks: true });
  const links = await readdir(join(directory, "native"), { recursive: true, withFileTypes: true });
  for (const link of links.filter((entry) => entry.isSymbolicLink())) {
    await rm(join(link.parentPath, link.name));
  }
  for (const program of ["initdb", "pg_ctl", "postgres"]) {
    await chmod(join(directory, "native", "bin", program), 0o600);
  }
  return { ...source, directory };
}

test("a package whose install script did not run gets its links and its execute bits", async () => {
  const source = await packageWithoutInstallScript();
  const target = await installBinaries(source, await makeDirectory(0o755));

  expect((await lstat(join(target, "lib", "libpq.so.5"))).isSymbolicLink()).toBe(true);
  const { stdout } = await promisify(execFile)(join(target, "bin", "postgres"), ["--version"]);
  expect(stdout).toContain(`(PostgreSQL) ${source.major}`);
});

test("the copy is readable for every account under a umask that hides new files", async () => {
  const parent = await makeDirectory(0o755);
  const script = `
    process.umask(0o077);
    const { installBinaries, findPostgresPackage } = await import(process.argv[1]);
    console.log(await installBinaries(await findPostgresPackage(), process.argv[2]));`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    "--input-type=module",
    "--eval",
    script,
    new URL("binaries.ts", import.meta.url).href,
    join(parent, "new"),
  ]);
  const target = stdout.trim();
  for (const entry of await readdir(target, { recursive: true, withFileTypes: true })) {
    if (entry.isSymbolicLink()) continue;
    const { mode } = await stat(join(entry.parentPath, entry.name));
    expect(mode & (entry.isDirectory() ? 0o005 : 0o004), entry.name).toBeGreaterThan(0);
  }
  expect((await stat(join(parent, "new"))).mode & 0o777).toBe(0o755);
});

test("concurrent copies leave one complete copy", async () => {
  const source = await findPostgresPackage();
  const parent = await makeDirectory(0o755);
  const targets = await Promise.all([1, 2, 3].map(() => installBinaries(source, parent)));
  expect(new Set(targets).size).toBe(1);
  expect(await readdir(parent)).toHaveLength(1);
});

test("a copy that fails leaves nothing", async () => {
  const source = await packageWithoutInstallScript();
  await writeFile(join(source.directory, "native", "pg-symlinks.json"), "broken");
  const parent = await makeDirectory(0o755);
  await expect(installBinaries(source, parent)).rejects.toThrow(SyntaxError);
  expect(await readdir(parent)).toEqual([]);
});

test("the package brings the extensions that our migrations create", async () => {
  const { directory } = await findPostgresPackage();
  const extensions = await readdir(join(directory, "native", "share", "postgresql", "extension"));
  expect(extensions).toEqual(expect.arrayContaining(["unaccent.control", "pg_trgm.control"]));
  const rules = join(directory, "native", "share", "postgresql", "tsearch_data", "unaccent.rules");
  expect(await readFile(rules, "utf8")).toContain("ã");
});
