import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const web = fileURLToPath(new URL("../../packages/web", import.meta.url));
const sourcesOfPages = ["src/app/pages.ts", "src/app/routes.tsx"];

/** The files that a page loads before it shows, by the build. */
export type PageFiles = {
  /** As its file is called, which is its address. */
  name: string;
  scripts: number;
  styles: number;
  kilobytes: number;
};

/**
 * The files of every page that has an address, without a browser: what `index.html` brings for all, what it fetches ahead for
 * this one, and the texts that the page asks for. The longest of the languages counts.
 */
export async function filesOfPages(builtPage: string): Promise<readonly PageFiles[]> {
  const html = await readFile(join(builtPage, "index.html"), "utf8");
  const files = JSON.parse(/const files = (\{.*\});?$/m.exec(html)?.[1] ?? "{}") as Record<
    string,
    readonly string[]
  >;
  const first = [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)].map(
    ([, file = ""]) => file,
  );
  const ofAll = [...html.matchAll(/<link rel="stylesheet"(?![^>]*disabled)/g)].length;
  const texts = await textsByPage();
  const names = await readdir(join(builtPage, "assets"));
  const sizeOf = async (file: string): Promise<number> =>
    (await stat(join(builtPage, `${file}.gz`))).size;
  const filesOfTexts = (language: string, parts: readonly string[]): string[] =>
    parts.map((part) => {
      const file = names.find(
        (one) => one.startsWith(`texts-${language}-${part}-`) && one.endsWith(".js"),
      );
      if (file === undefined) throw new Error(`the built page has no texts ${language}/${part}`);
      return `assets/${file}`;
    });
  return Promise.all(
    [...texts].map(async ([name, part]) => {
      const own = files[name];
      if (!own) throw new Error(`the built page names no files of ${name}`);
      const parts = await partsOf(part);
      const code = [...new Set([...first, ...own])];
      const sizes = await Promise.all(code.map(sizeOf));
      const byLanguage = await Promise.all(
        ["pt", "en", "es"].map(async (language) =>
          sum(await Promise.all(filesOfTexts(language, parts).map(sizeOf))),
        ),
      );
      return {
        name,
        scripts: code.length + parts.length,
        styles: ofAll + (html.includes(`data-part="${part}"`) ? 1 : 0),
        kilobytes: (sum(sizes) + Math.max(...byLanguage)) / 1000,
      };
    }),
  );
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/** The part of the texts that each page takes (`page(…, "rare")`). */
async function textsByPage(): Promise<ReadonlyMap<string, string>> {
  const sources = await Promise.all(
    sourcesOfPages.map((file) => readFile(join(web, file), "utf8")),
  );
  const call =
    /\b(page|firstPage)\(\s*async \(\) =>\s*\(await import\("[^"]*\/([a-z-]+)-page\.tsx"\)\)\.\w+,?\s*(?:"(\w+)",?\s*)?\)/g;
  const found = [...sources.join("\n").matchAll(call)];
  const expected = sources.join("\n").match(/-page\.tsx"/g)?.length;
  if (found.length === 0 || found.length !== expected)
    throw new Error(`${found.length} of ${expected} pages are written as expected`);
  return new Map(
    found.map(([, kind, name = "", part]) => [name, part ?? (kind === "page" ? "later" : "first")]),
  );
}

/** The part with those that it needs (`src/i18n/index.ts`). */
async function partsOf(part: string): Promise<readonly string[]> {
  const source = await readFile(join(web, "src/i18n/index.ts"), "utf8");
  const list = new RegExp(String.raw`^  ${part}: \[(.*)\],$`, "m").exec(source)?.[1];
  if (list === undefined) throw new Error(`there is no part ${part} of the texts`);
  return [...[...list.matchAll(/\w+/g)].map(String), part];
}
