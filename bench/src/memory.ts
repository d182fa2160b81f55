import { readdir, readFile, writeFile } from "node:fs/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Memory of a process in MB, shared pages included; NaN where the system does not tell (only Linux does). */
export async function rssMbOf(pid: number): Promise<number> {
  return kilobytes(await contentOf(`/proc/${pid}/status`), "VmRSS") / 1_024;
}

/** The most memory that a process ever had, or had since `forgetPeak`, in MB; NaN where the system does not tell. */
export async function peakMbOf(pid: number): Promise<number> {
  return kilobytes(await contentOf(`/proc/${pid}/status`), "VmHWM") / 1_024;
}

/** From now on the peak is counted anew. */
export async function forgetPeak(pid: number): Promise<void> {
  await writeFile(`/proc/${pid}/clear_refs`, "5");
}

/**
 * Collects this process's garbage, so that its memory is what is in use. Left to itself V8 collects old garbage when a heap as large
 * as that of a bench with its sources has grown by 70 to 100 MB, or not at all meanwhile.
 */
export function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
}

/** Memory of a process in MB, of shared pages only its part, so that processes can be added up. */
export async function pssMbOf(pid: number): Promise<number> {
  return kilobytes(await contentOf(`/proc/${pid}/smaps_rollup`), "Pss") / 1_024;
}

/** The process's children, their children, and so on. */
export async function descendantsOf(pid: number): Promise<number[]> {
  const parents = new Map<number, number>();
  const entries = await readdir("/proc").catch(() => []);
  for (const entry of entries.filter((name) => /^\d+$/.test(name))) {
    // "pid (name) state parent …"; the name may hold anything, so the fields are counted from its end.
    const fields =
      (await contentOf(`/proc/${entry}/stat`)).split(")").at(-1)?.trim().split(" ") ?? [];
    parents.set(Number(entry), Number(fields[1]));
  }
  const isBelow = (child: number): boolean => {
    const parent = parents.get(child);
    return parent === pid || (parent !== undefined && parent > 1 && isBelow(parent));
  };
  return [...parents.keys()].filter(isBelow);
}

function kilobytes(content: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, "m").exec(content)?.[1] ?? Number.NaN);
}

/** Empty for a process that is gone and on systems without such files. */
async function contentOf(file: string): Promise<string> {
  return readFile(file, "utf8").catch(() => "");
}
