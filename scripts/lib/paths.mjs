import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The repository. Node 20.19 has no import.meta.dirname under every loader, so the long way. */
export const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

export const bin = join(root, "node_modules", ".bin");

/** The scripts' own files: stamps, logs, reports. Ignored by git. */
export const cache = join(root, ".cache");

/** An environment in which `node` and every tool are the pinned ones, and a log file gets no colours. */
export function toolEnvironment(extra = {}) {
  const isForPeople = process.stdout.isTTY || process.env.FORCE_COLOR !== undefined;
  return {
    ...process.env,
    PATH: `${bin}${delimiter}${process.env.PATH ?? ""}`,
    ...(isForPeople ? {} : { NO_COLOR: "1" }),
    ...extra,
  };
}
