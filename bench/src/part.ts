import type { PartName } from "./parts.ts";
import { parts } from "./parts.ts";
import { startPostgres } from "./postgres.ts";
import type { PartReport } from "./report.ts";

export type PartResult = { report: PartReport } | { error: string };

/** One part in a process of its own with its own database server, so that no part inherits another one's heap or disk. */
process.on("message", (name: PartName) => {
  void measure(name)
    .then((report): PartResult => ({ report }))
    .catch((error: unknown): PartResult => ({
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    }))
    .then((result) => process.send?.(result));
});

async function measure(name: PartName): Promise<PartReport> {
  const postgres = await startPostgres();
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopped ??= postgres.stop());
  const end = (): void => void stop().finally(() => process.exit(1));
  for (const event of ["SIGINT", "SIGTERM", "disconnect"]) process.on(event, end);
  try {
    return await parts[name](postgres);
  } finally {
    await stop();
  }
}
