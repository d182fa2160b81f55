import type { WhaticketProblem, WhaticketProblemCode, WhaticketRowKind } from "@balcao/contract";
import type { ValuesOf } from "./sentences.ts";
import { sentenceOf } from "./sentences.ts";
import type { SourceProblem } from "./source.ts";
import { textOf } from "./values.ts";

/** The results of a kind of rows of a company. */
export type KindCount = {
  /** Rows in the source. */
  read: number;
  /** Rows that are new here. */
  added: number;
  /** Rows that became one with another row. */
  merged: number;
  /** Rows that came with an earlier run. */
  known: number;
  /** Rows that could not be brought. */
  left: number;
};

export type CompanyReport = {
  sourceId: string;
  name: string;
  newId: number | null;
  newName: string;
  state: "imported" | "known" | "dry";
  counts: Record<string, KindCount>;
  problems: WhaticketProblem[];
};

export type ImportReport = {
  source: string;
  isDryRun: boolean;
  startedAt: string;
  seconds: number;
  /** The rate of the step in which messages are written. */
  messagesPerSecond: number | null;
  companies: CompanyReport[];
  /** Problems that belong to no company. */
  problems: WhaticketProblem[];
  unread: SourceProblem[];
};

const EXAMPLES = 20;
const VALUE_CHARS = 300;

/** The codes whose sentences name no values. */
type PlainCode = {
  [Code in WhaticketProblemCode]: ValuesOf<Code> extends [] ? Code : never;
}[WhaticketProblemCode];

/** Collects counts and problems of one company, or of the whole. */
export type Tally = {
  counts: Record<string, KindCount>;
  problems: WhaticketProblem[];
  count(kind: WhaticketRowKind, by: Partial<KindCount>): void;
  /** Something was repaired, left out or merged; `row` is the id there, with what helps to find it. */
  problem<Code extends WhaticketProblemCode>(
    kind: WhaticketRowKind,
    code: Code,
    row: string | null | undefined,
    ...values: ValuesOf<Code>
  ): void;
  /** The same for several rows at once, without their ids. */
  problemOfMany(kind: WhaticketRowKind, code: PlainCode, count: number): void;
};

export function createTally(): Tally {
  const counts: Record<string, KindCount> = {};
  const found = new Map<string, WhaticketProblem>();
  const problems: WhaticketProblem[] = [];
  const problemOf = (
    kind: WhaticketRowKind,
    code: WhaticketProblemCode,
    values: WhaticketProblem["values"],
  ): WhaticketProblem => {
    const name = JSON.stringify([kind, code, values]);
    let problem = found.get(name);
    if (!problem) {
      problem = { kind, code, ...(values && { values }), count: 0, rows: [] };
      found.set(name, problem);
      problems.push(problem);
    }
    return problem;
  };
  return {
    counts,
    problems,
    count(kind, by) {
      const total = (counts[kind] ??= { read: 0, added: 0, merged: 0, known: 0, left: 0 });
      for (const [key, value] of Object.entries(by) as [keyof KindCount, number][])
        total[key] += value;
    },
    problem(kind, code, row, ...[values]: [WhaticketProblem["values"]?]) {
      const problem = problemOf(kind, code, values && stored(values));
      problem.count += 1;
      if (typeof row === "string" && problem.rows.length < EXAMPLES) problem.rows.push(textOf(row));
    },
    problemOfMany(kind, code, count) {
      problemOf(kind, code, undefined).count += count;
    },
  };
}

/** Values of the source as JSON in the database takes them. */
function stored(values: object): WhaticketProblem["values"] {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, textOf(String(value), VALUE_CHARS)]),
  );
}

/** The report for people at a terminal. */
export function describeReport(report: ImportReport): string {
  const lines: string[] = [];
  const title = report.isDryRun ? "Dry run: nothing was written." : "Import";
  lines.push(title, "");
  for (const company of report.companies) {
    const where = company.newId === null ? "" : ` -> ${company.newId} "${company.newName}"`;
    lines.push(`Company ${company.sourceId} "${company.name}"${where}: ${states[company.state]}`);
    lines.push(...countLines(company.counts), ...problemLines(company.problems), "");
  }
  if (report.problems.length > 0)
    lines.push("The whole database:", ...problemLines(report.problems), "");
  if (report.unread.length > 0) {
    lines.push("Not read:");
    for (const { table, columns, rows } of report.unread) {
      lines.push(`  ${table}${columns ? ` (${columns.join(", ")})` : ""}: ${rows} rows`);
    }
    lines.push("");
  }
  const speed =
    report.messagesPerSecond === null ? "" : `, ${report.messagesPerSecond} messages a second`;
  lines.push(`${report.seconds} s${speed}.`);
  return lines.join("\n");
}

const states = {
  imported: "imported",
  known: "was imported before; nothing to do",
  dry: "would be imported",
} as const;

function countLines(counts: Record<string, KindCount>): string[] {
  return Object.entries(counts).map(([kind, { read, added, merged, known, left }]) => {
    const parts = [`${read} read`, `${added} new`];
    if (merged > 0) parts.push(`${merged} merged`);
    if (known > 0) parts.push(`${known} known`);
    if (left > 0) parts.push(`${left} left out`);
    return `  ${kind.padEnd(20)} ${parts.join(", ")}`;
  });
}

function problemLines(problems: readonly WhaticketProblem[]): string[] {
  return problems.map((problem) => {
    const { kind, count, rows } = problem;
    const shown = rows.slice(0, 5).join(", ");
    return `  ! ${kind}: ${sentenceOf(problem)} (${count}${shown === "" ? "" : `: ${shown}`})`;
  });
}
