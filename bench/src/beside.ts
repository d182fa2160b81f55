import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { PartName } from "./parts.ts";
import type { Goal, PartReport } from "./report.ts";
import { describeValue, isMet } from "./report.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const git = async (...args: string[]): Promise<string> =>
  (await promisify(execFile)("git", args, { cwd: root })).stdout.trim();

/** An earlier state of the product with the benchmark that it had then, in a folder of its own. */
export type Earlier = {
  /** The first letters of its commit. */
  name: string;
  /** Runs its own benchmark of the part and answers the goals; null if the benchmark fails or has no such part. */
  measure(part: PartName): Promise<Goal[] | null>;
};

/**
 * Clones the commit into the cache, where its own script installs and builds it at the first part. Throws where the
 * repository has no such commit.
 */
export async function openEarlier(commit: string): Promise<Earlier> {
  const full = await git("rev-parse", "--verify", `${commit}^{commit}`);
  const name = full.slice(0, 8);
  const folder = join(root, ".cache", "beside", name);
  if (!existsSync(join(folder, "scripts", "bench.mjs"))) {
    await rm(folder, { recursive: true, force: true });
    await git("clone", "--quiet", "--shared", "--no-checkout", root, folder);
    await git("-C", folder, "checkout", "--quiet", full);
  }
  return {
    name,
    async measure(part) {
      const args = [join(folder, "scripts", "bench.mjs"), `--only=${part}`];
      const child = spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", 2, 2] });
      const [code] = await once(child, "exit");
      if (code !== 0) return null; // it has shown why
      const report = JSON.parse(await readFile(join(folder, ".cache", "bench.json"), "utf8")) as {
        parts: PartReport[];
      }; // written by the benchmark itself
      return report.parts.flatMap(({ goals }) => goals);
    },
  };
}

export type Missed = { goal: Goal; there: number | null; again: number | null; isLost: boolean };

/**
 * Measures the earlier state if goals are missed now. If it meets one of them, the present state is measured `again`,
 * because other work on the machine may have slowed down one of the two. A goal is lost if the present state misses it
 * twice and the earlier one meets it.
 */
export async function compareMissed(
  goals: readonly Goal[],
  readEarlier: () => Promise<readonly Goal[] | null>,
  again: () => Promise<readonly Goal[]>,
): Promise<Missed[]> {
  const missed = goals.filter((goal) => !isMet(goal));
  if (missed.length === 0) return [];
  const earlier = await readEarlier();
  const compared = missed.map((goal) => ({ goal, there: valueOf(earlier ?? [], goal) }));
  const isMetThere = ({ goal, there }: { goal: Goal; there: number | null }): boolean =>
    there !== null && isMet({ ...goal, value: there });
  const second = compared.some(isMetThere) ? await again() : [];
  return compared.map((entry) => {
    const value = valueOf(second, entry.goal);
    const isLost = isMetThere(entry) && (value === null || !isMet({ ...entry.goal, value }));
    return { ...entry, again: value, isLost };
  });
}

export function describeMissed({ goal, there, again, isLost }: Missed, name: string): string {
  const found = there === null ? "not measured" : describeValue(there, goal.unit);
  const repeated = again === null ? "" : `, again here: ${describeValue(again, goal.unit)}`;
  return `  ${isLost ? "LOST  " : "missed"}  ${goal.figure}: ${describeValue(goal.value, goal.unit)}, ${name}: ${found}${repeated}`;
}

function valueOf(goals: readonly Goal[], { figure }: Goal): number | null {
  return goals.find((goal) => goal.figure === figure)?.value ?? null;
}
