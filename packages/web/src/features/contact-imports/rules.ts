import type {
  ContactImport,
  ImportProblem,
  ImportRule,
  ImportSettings,
  ImportTarget,
  ImportTrial,
} from "@balcao/contract";

// Typed here, because their values come with all schemas of the contract.
export const importTargets = [
  ...(["name", "number", "email", "tag", "accepts", "extra", "none"] as const),
] satisfies readonly ImportTarget[];
export const importRules = ["keep", "fill", "replace"] as const satisfies readonly ImportRule[];
const importProblems = [
  ...(["noNumber", "noAreaCode", "lostDigits", "notANumber", "repeated", "badEmail"] as const),
] satisfies readonly ImportProblem[];

/** The problem that an address names. */
export const problemIn = (params: URLSearchParams): ImportProblem | null =>
  importProblems.find((known) => known === params.get("problem")) ?? null;

type Columns = ImportSettings["columns"];

/** The columns (by index) whose target another one has, too. Several columns may be additional information or left out. */
export function columnsUsedTwice(columns: Columns): ReadonlySet<number> {
  return new Set(
    columns.flatMap(({ target }, index) => {
      if (target === "extra" || target === "none") return [];
      return columns.some((other, at) => at !== index && other.target === target) ? [index] : [];
    }),
  );
}

/** Whether the mapping can be imported: no target twice, and a column of numbers. */
export function isComplete(columns: Columns): boolean {
  return columns.some(({ target }) => target === "number") && columnsUsedTwice(columns).size === 0;
}

/** "A" for the first column, "AA" for the 27th, as spreadsheet programs name them. */
export function letterOf(column: number): string {
  const last = String.fromCodePoint("A".codePointAt(0)! + (column % 26));
  return column < 26 ? last : letterOf(Math.floor(column / 26) - 1) + last;
}

type Destination = Pick<ContactImport, "contactListId">;

/** How many contacts the import would write: known ones that are kept stay as they are, but they are put on a list. */
export function countToImport(
  { added, known }: Pick<ImportTrial, "added" | "known">,
  rule: ImportRule,
  { contactListId }: Destination,
): number {
  return rule === "keep" && contactListId === null ? added : added + known;
}

export type Sample = { atMs: number; done: number };

/** The time over which the speed must have been even, and over which it is measured. */
const STEADY_MS = 3_000;
const MEASURED_MS = 10_000;
/** How far the speed of the latter half may differ from the whole. */
const UNEVEN_PART = 0.4;

/** The seconds that an import still takes; null until its speed has been even for 3 s. `samples` are in order. */
export function secondsLeft(samples: readonly Sample[], rows: number): number | null {
  const last = samples.at(-1);
  const recent = samples.filter(
    ({ atMs }) => last !== undefined && atMs >= last.atMs - MEASURED_MS,
  );
  const [first] = recent;
  if (first === undefined || last === undefined || last.atMs - first.atMs < STEADY_MS) return null;
  const middleMs = (first.atMs + last.atMs) / 2;
  const middle = recent.findLast(({ atMs }) => atMs <= middleMs) ?? first;
  const speed = speedOf(first, last);
  if (speed <= 0 || Math.abs(speedOf(middle, last) - speed) > speed * UNEVEN_PART) return null;
  return (rows - last.done) / speed / 1000;
}

const speedOf = (from: Sample, to: Sample): number => (to.done - from.done) / (to.atMs - from.atMs);

/** "41 s", "3 min", "1 h 5 min": rounded up, and to five seconds where it is `isRough`. */
export function durationText(seconds: number, { isRough = false } = {}): string {
  if (seconds < 60) {
    const step = isRough && seconds > 10 ? 5 : 1;
    return `${Math.max(1, Math.ceil(seconds / step) * step)} s`;
  }
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Where the imported people stand. */
export function bookAddress(contactListId: number | null): string {
  return contactListId === null ? "/contacts" : `/contact-lists/${contactListId}/contacts`;
}
