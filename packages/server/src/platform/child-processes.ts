import type { ChildProcess } from "node:child_process";
import { fork } from "node:child_process";
import { constants, setPriority } from "node:os";

// Files of strangers are parsed by a process of its own, which may be slow, large or broken by them (ADR 36).

/** The script of such a process, as TypeScript in development and built in the product. */
export function scriptBeside(moduleUrl: string, name: string): URL {
  return new URL(`${name}.${moduleUrl.endsWith(".ts") ? "ts" : "js"}`, moduleUrl);
}

/** Starts a process that reads; whoever starts it ends it. A file that needs more memory ends it as well. */
export function startReader(script: URL, { heapMb }: { heapMb: number }): ChildProcess {
  const child = fork(script, {
    execArgv: [`--max-old-space-size=${heapMb}`],
    serialization: "advanced",
    // What the parser prints about a file is nobody's business, and an out-of-memory report is long.
    stdio: ["ignore", "ignore", "ignore", "ipc"],
    env: { NODE_ENV: process.env["NODE_ENV"] ?? "production" },
  });
  child.on("error", () => undefined); // each question has a listener of its own
  return child;
}

/**
 * Lets another process wait for those who wait for an answer, as far as it may be changed. Threads keep the priority that their
 * process had when they began, so a new process is lowered at once.
 */
export function lowerPriority(
  pid: number | undefined,
  priority = constants.priority.PRIORITY_BELOW_NORMAL,
): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, priority);
  } catch {
    // It has ended, or is another user's.
  }
}

type Patience = {
  signal: AbortSignal | undefined;
  timeLimitMs: number;
  /** The error of a process that ends without an answer, or takes too long. */
  tooMuch: () => Error;
};

/** The next answer of a process; the script's only messages are `Answer`. Rejects with the signal's reason when it aborts. */
export async function askReader<Answer>(
  child: ChildProcess,
  wish: object,
  { signal, timeLimitMs, tooMuch }: Patience,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const take = (answer: unknown): void => resolve(answer as Answer); // by the script
  const giveUp = (): void => reject(tooMuch());
  const stop = (): void => reject(signal?.reason);
  const timer = setTimeout(giveUp, timeLimitMs);
  signal?.addEventListener("abort", stop);
  child.on("message", take).on("exit", giveUp).on("error", reject);
  try {
    if (child.exitCode !== null || child.signalCode !== null) giveUp();
    else child.send(wish, (error) => error && giveUp());
    return await promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
    child.off("message", take).off("exit", giveUp).off("error", reject);
  }
}
