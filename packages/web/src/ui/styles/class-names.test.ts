import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

const src = join(import.meta.dirname, "../..");
/** The sheets with global class names. */
const globalSheets = ["ui/styles/global.css", "ui/styles/shared.css"];
const globalName = /(?<![\w-])(bc-[\w-]+)/g;

const filesLike = (pattern: string): [file: string, text: string][] =>
  globSync(pattern, { cwd: src }).map((file) => [file, readFileSync(join(src, file), "utf8")]);

const rules = new Map(
  filesLike("**/*.css").map(([file, css]) => {
    const selectors = css.replaceAll(/\/\*[\s\S]*?\*\//g, "").replaceAll(/:[^;{}]*;/g, "");
    return [file, new Set(namesIn(selectors, /\.([A-Za-z_][\w-]*)/g))];
  }),
);

/** The classes that screens use, and the sheets whose names are put together while the product runs. */
const used: { file: string; sheet: string; name: string }[] = [];
const dynamicSheets = new Set<string>();
for (const [file, text] of filesLike("**/*.tsx")) {
  if (file.includes(".test.")) continue;
  for (const [, variable = "", path = ""] of text.matchAll(
    /import (\w+) from "(\.[^"]+\.module\.css)"/g,
  )) {
    const sheet = join(dirname(file), path);
    const names = namesIn(text, new RegExp(`\\b${variable}\\["([^"]+)"\\]`, "g"));
    used.push(...names.map((name) => ({ file, sheet, name })));
    if (new RegExp(`\\b${variable}\\[[^"]`).test(text)) dynamicSheets.add(sheet);
  }
  useGlobally(file, text);
}
for (const [file, css] of filesLike("**/*.module.css")) {
  for (const names of namesIn(css, /composes: ([^;]*) from global;/g)) useGlobally(file, names);
}

function useGlobally(file: string, text: string): void {
  for (const name of namesIn(text, globalName)) {
    const sheet = globalSheets.find((one) => rules.get(one)?.has(name)) ?? "no sheet";
    used.push({ file, sheet, name });
  }
}

function namesIn(text: string, pattern: RegExp): string[] {
  return Array.from(text.matchAll(pattern), ([, name = ""]) => name);
}

test("every class that a screen uses has a rule", () => {
  expect(used.length).toBeGreaterThan(300);
  const missing = used.filter(({ sheet, name }) => rules.get(sheet)?.has(name) !== true);
  expect(missing).toEqual([]);
});

test("every rule of a sheet is used by a screen", () => {
  const isUsed = new Set(used.map(({ sheet, name }) => `${sheet} ${name}`));
  const unused = [...rules]
    .filter(([sheet]) => sheet.endsWith(".module.css") || globalSheets.includes(sheet))
    .filter(([sheet]) => !dynamicSheets.has(sheet))
    .flatMap(([sheet, names]) => Array.from(names, (name) => `${sheet} ${name}`))
    .filter((rule) => !isUsed.has(rule));
  expect(unused).toEqual([]);
});
