import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { RuleRow } from "../../../../scripts/lib/rule-numbers.mjs";
import { numberRules, readSections, ruleDocuments } from "../../../../scripts/lib/rule-numbers.mjs";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const DECIDED_OTHERWISE = "Decided otherwise";

const said = ({ number, rule }: RuleRow, problem: string): string =>
  `${number} ${rule}: ${problem}`;

/** The sources of tests, each read once; null where there is none. */
const sources = new Map<string, string | null>();
function sourceOf(path: string): string | null {
  const known = sources.get(path);
  if (known !== undefined) return known;
  const isTest = /^(packages|e2e)\/.+\.(test|spec)\.tsx?$/.test(path);
  const source = isTest ? readOrNull(path) : null;
  sources.set(path, source);
  return source;
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(root + path, "utf8");
  } catch {
    return null;
  }
}

/** Whether these words stand in the source as one text: the title of a test or a group, or a row of a table of tests. */
function holds(source: string, words: string): boolean {
  const escaped = words.replaceAll("\\", "\\\\");
  return (
    source.includes(`"${escaped.replaceAll('"', '\\"')}"`) ||
    source.includes(`'${escaped}'`) ||
    source.includes(`\`${escaped}\``)
  );
}

/** The error in one `path › title` (or `path › group › title`); null when that test exists. */
function problemOf(proof: string): string | null {
  const [, reference] = /^`(.+)`$/.exec(proof) ?? [];
  if (reference === undefined) return `“${proof}” is no test between backticks`;
  const [path = "", ...words] = reference.split(" › ");
  if (words.length === 0) return `“${reference}” names no test`;
  const source = sourceOf(path);
  if (source === null) return `there is no test file ${path}`;
  const missing = words.find((title) => !holds(source, title));
  return missing === undefined ? null : `${path} has no test “${missing}”`;
}

describe.each(ruleDocuments)("docs/%s", (name) => {
  const text = readFileSync(`${root}docs/${name}`, "utf8");
  const sections = readSections(text);
  const proved = sections
    .filter(({ title }) => title !== DECIDED_OTHERWISE)
    .flatMap(({ rows }) => rows);

  test("the sections follow each other by letter, and every row has the number that its place gives it", () => {
    const letters = sections.map(({ letter }) => letter).join("");
    expect("ABCDEFGHIJKLMNOPQRSTUVWXYZ".slice(0, letters.length)).toBe(letters);
    expect(sections.filter(({ rows }) => rows.length === 0)).toEqual([]);
    expect(text, "run: node scripts/number-rules.mjs").toBe(numberRules(text));
  });

  test("every rule has its test: file and title are there", () => {
    expect(proved.length).toBeGreaterThan(5);
    const problems = proved.flatMap((row) =>
      row.proof.split("<br>").flatMap((proof) => {
        const problem = problemOf(proof.trim());
        return problem === null ? [] : [said(row, problem)];
      }),
    );
    expect(problems).toEqual([]);
  });

  test("every rule that is decided otherwise has a reason", () => {
    const decided = sections.filter(({ title }) => title === DECIDED_OTHERWISE);
    expect(decided).toHaveLength(1);
    const silent = decided.flatMap(({ rows }) => rows.filter(({ proof }) => proof.length < 20));
    expect(silent.map((row) => said(row, "no reason"))).toEqual([]);
  });

  test("no rule stands twice", () => {
    const seen = new Set<string>();
    const twice = sections
      .flatMap(({ rows }) => rows)
      .filter(({ rule }) => {
        const isKnown = seen.has(rule.toLowerCase());
        seen.add(rule.toLowerCase());
        return isKnown;
      });
    expect(twice.map((row) => said(row, "stands above as well"))).toEqual([]);
  });
});

test("a number that is not its row's, a row more and a bar in a cell are seen", () => {
  const table = ["## B. Group", "", "| # | Rule | Proved by |", "|---|---|---|"];
  const rows = [String.raw`| B7 | one \| two | x |`, "|  | three | y |"];
  const document = [...table, ...rows, "", "## Left to other areas", "| Z1 | no | rule |"].join(
    "\n",
  );
  expect(readSections(document)).toMatchObject([
    { letter: "B", title: "Group", rows: [{ number: "B7", rule: "one | two" }, { number: "" }] },
  ]);
  const numbers = readSections(numberRules(document))[0]?.rows.map(({ number }) => number);
  expect(numbers).toEqual(["B1", "B2"]);
  expect(numberRules(document)).toContain("| Z1 | no | rule |");
});
