import type { SourceProblem } from "./source.ts";

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

export type Problem = {
  kind: string;
  /** In plain English, the same for all rows that it happened to. */
  what: string;
  count: number;
  /** Ids of the first rows, with what helps to find them. */
  rows: string[];
};

export type CompanyReport = {
  sourceId: string;
  name: string;
  newId: number | null;
  newName: string;
  state: "imported" | "known" | "dry";
  counts: Record<string, KindCount>;
  problems: Problem[];
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
  problems: Problem[];
  unread: SourceProblem[];
};

const EXAMPLES = 20;

/** Collects counts and problems of one company, or of the whole. */
export type Tally = {
  counts: Record<string, KindCount>;
  problems: Problem[];
  count(kind: string, by: Partial<KindCount>): void;
  /** Something was repaired, left out or merged; `row` is the id there. */
  problem(kind: string, what: string, row?: string | null): void;
};

export function createTally(): Tally {
  const counts: Record<string, KindCount> = {};
  const found = new Map<string, Problem>();
  const problems: Problem[] = [];
  return {
    counts,
    problems,
    count(kind, by) {
      const total = (counts[kind] ??= { read: 0, added: 0, merged: 0, known: 0, left: 0 });
      for (const [key, value] of Object.entries(by) as [keyof KindCount, number][])
        total[key] += value;
    },
    problem(kind, what, row = null) {
      const name = `${kind} ${what}`;
      let problem = found.get(name);
      if (!problem) {
        problem = { kind, what, count: 0, rows: [] };
        found.set(name, problem);
        problems.push(problem);
      }
      problem.count += 1;
      if (row !== null && problem.rows.length < EXAMPLES) problem.rows.push(row);
    },
  };
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

function problemLines(problems: readonly Problem[]): string[] {
  return problems.map(({ kind, what, count, rows }) => {
    const shown = rows.slice(0, 5).join(", ");
    return `  ! ${kind}: ${what} (${count}${shown === "" ? "" : `: ${shown}`})`;
  });
}
