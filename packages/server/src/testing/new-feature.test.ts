import { execFile } from "node:child_process";
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const inTree = (path: string): string => join(root, path);
const execute = promisify(execFile);

/** A copy of what the script reads and changes; libraries are those of the tree. */
async function copyOfTree(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), "balcao-feature-"));
  onTestFinished(() => rm(copy, { recursive: true }));
  for (const path of [
    "packages/contract/src",
    "packages/server/src",
    "packages/server/migrations",
    "packages/server/drizzle.config.ts",
    "packages/web/src",
    ".oxfmtrc.json",
    "tsconfig.base.json",
  ]) {
    await cp(inTree(path), join(copy, path), { recursive: true });
  }
  await symlink(inTree("node_modules"), join(copy, "node_modules"));
  return copy;
}

const create = (copy: string, ...names: string[]) =>
  execute(process.execPath, [inTree("scripts/new-feature.mjs"), ...names, `--into=${copy}`]);

/** The errors of the compiler over the new feature and what it imports; the formatter has parsed the other files. */
async function typeErrors(copy: string, files: string[]): Promise<string> {
  const project = join(copy, "tsconfig.json");
  const contract = "./packages/contract/src";
  const compilerOptions = {
    ...{ composite: false, declaration: false, sourceMap: false, noEmit: true },
    ...{ module: "esnext", moduleResolution: "bundler", jsx: "react-jsx" },
    ...{ lib: ["es2024", "dom", "dom.iterable"], types: ["node", "vite/client"] },
    paths: {
      "@balcao/contract": [`${contract}/index.ts`],
      "@balcao/contract/*": [`${contract}/*.ts`],
    },
  };
  await writeFile(
    project,
    JSON.stringify({ extends: "./tsconfig.base.json", compilerOptions, files }),
  );
  // Further checkers make the contract's types again, each.
  const tsc = [inTree("node_modules/.bin/tsc"), "--checkers", "1", "-p", project];
  return execute(process.execPath, tsc).then(
    () => "",
    (error: { stdout: string }) => error.stdout,
  );
}

// The compiler, the formatter and the generator of migrations run in turn, which takes minutes on a busy machine.
test("the script makes a feature that compiles and keeps to the size of a list of records", async () => {
  const copy = await copyOfTree();
  await create(copy, "price-lists", "--pt=Tabelas", "--en=Price lists", "--es=Tarifas");
  const contract = ["packages/contract/src/price-lists.ts"];
  const server = ["packages/server/src/features/price-lists/index.ts"];
  const web = ["api.ts", "price-list-dialog.tsx", "price-lists-page.tsx"].map(
    (file) => `packages/web/src/features/price-lists/${file}`,
  );
  expect(await typeErrors(copy, [...contract, ...server, ...web])).toBe("");

  const linesOf = async (files: string[]): Promise<number> => {
    const texts = await Promise.all(files.map((file) => readFile(join(copy, file), "utf8")));
    return texts.reduce((sum, text) => sum + text.split("\n").length - 1, 0);
  };
  expect(await linesOf(contract)).toBeLessThanOrEqual(100);
  expect(await linesOf(server)).toBeLessThanOrEqual(230);
  expect(await linesOf(web)).toBeLessThanOrEqual(160);

  const migrations = join(copy, "packages/server/migrations");
  const migration = (await readdir(migrations)).find((file) => file.includes("price_lists"));
  expect(await readFile(join(migrations, migration ?? "none"), "utf8")).toMatch(
    /CREATE TABLE "price_lists"[^]*SELECT isolate_tenants\('price_lists'\);/,
  );

  await expect(create(copy, "price-lists")).rejects.toThrow("is already there");
  await expect(create(copy, "Price")).rejects.toThrow("npm run new:feature");
}, 240_000);
