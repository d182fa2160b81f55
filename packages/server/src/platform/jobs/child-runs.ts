import { fork } from "node:child_process";

// A periodic job with heavy work runs a command in a process of its own; a row of the database tells how far that is.

const SILENCE_MS = 2 * 60_000;
const ERROR_CHARS = 2_000;

/** Whether a run gave no sign for so long that it has ended with its process. */
export const isSilent = (seenAt: Date, now: Date): boolean =>
  now.getTime() - seenAt.getTime() > SILENCE_MS;

/** Runs the command until its end, and returns its code and the end of what it wrote to its standard error; throws the signal's reason. */
export async function runChild(
  command: URL,
  args: readonly string[],
  signal: AbortSignal,
  onMessage: (message: unknown) => void = () => undefined,
): Promise<{ code: number | null; said: string }> {
  const child = fork(command, args, { stdio: ["ignore", "ignore", "pipe", "ipc"] });
  const stop = (): void => void child.kill("SIGTERM");
  signal.addEventListener("abort", stop);
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    said = (said + text).slice(-ERROR_CHARS);
  });
  child.on("message", onMessage);
  try {
    if (signal.aborted) stop();
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    });
    signal.throwIfAborted();
    return { code, said: said.trim() };
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** In the command: ends it when the process that runs it has crashed. The result lets go of that process, so that the command can end. */
export function followParent(): () => void {
  const end = (): void => void process.kill(process.pid, "SIGTERM");
  if (process.connected) process.once("disconnect", end);
  return () => {
    process.off("disconnect", end);
    if (process.connected) process.disconnect?.();
  };
}
