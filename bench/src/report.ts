import { mkdir, writeFile } from "node:fs/promises";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";

/** A figure that is to stay below (or above) a limit. */
export type Goal = { figure: string; value: number; unit: string; limit: number; want: "≤" | "≥" };

/** Rows of text under headings, shown aligned. */
export type Table = { headings: string[]; rows: string[][] };

/** The result of one part of the benchmark. */
export type PartReport = {
  name: string;
  title: string;
  tables: Table[];
  goals: Goal[];
  /** How to read the figures. */
  notes: string[];
};

export function isMet({ value, limit, want }: Goal): boolean {
  return want === "≤" ? value <= limit : value >= limit;
}

/** Three digits are as much as such a measurement says. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (Math.abs(value) >= 100) return value.toFixed(0);
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(0)} %`;
}

export function describePart(part: PartReport): string {
  const blocks = [
    `── ${part.name}: ${part.title}`,
    ...part.tables.map(describeTable),
    part.goals.map(describeGoal).join("\n"),
    part.notes.map((note) => `  ${note}`).join("\n"),
  ];
  return blocks.filter((block) => block !== "").join("\n\n");
}

function describeGoal(goal: Goal): string {
  const { figure: name, value, unit, limit, want } = goal;
  const found = describeValue(value, unit);
  return `  ${isMet(goal) ? "met   " : "MISSED"}  ${name}: ${found} (goal ${want} ${limit}${unit === "" ? "" : ` ${unit}`})`;
}

export function describeValue(value: number, unit: string): string {
  return unit === "" ? figure(value) : `${figure(value)} ${unit}`;
}

function describeTable({ headings, rows }: Table): string {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: string[]): string =>
    `  ${cells
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("   ")}`;
  return [line(headings), ...rows.map(line)].join("\n");
}

/** Writes everything for programs to read. */
export async function writeJson(file: string, parts: readonly PartReport[]): Promise<void> {
  await mkdir(join(file, ".."), { recursive: true });
  const machine = { cores: cpus().length, model: cpus()[0]?.model, memoryMb: totalmem() / 2 ** 20 };
  const report = {
    at: new Date().toISOString(),
    node: process.version,
    machine,
    parts: parts.map((part) => ({
      ...part,
      goals: part.goals.map((goal) => ({ ...goal, met: isMet(goal) })),
    })),
  };
  await writeFile(file, `${JSON.stringify(report, null, 2)}\n`);
}
