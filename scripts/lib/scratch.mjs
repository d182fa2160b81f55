import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
} from "node:fs";
import { freemem } from "node:os";
import { join } from "node:path";

const MEMORY_DISK = "/dev/shm";
/** Hundreds of small databases, of which some exist at the same time. */
const NEEDED_BYTES = 6_000_000_000;

let folder;

/**
 * The environment of tests, whose temporary files are kept in memory where there is plenty of it: a database of a
 * thousand files is copied there in a twentieth of the time. Deleted when the process ends.
 */
export function scratchEnvironment() {
  if (folder === undefined && hasRoom()) {
    folder = mkdtempSync(join(MEMORY_DISK, `balcao-${process.pid}-`));
    // As /tmp: the database of a root user is another user's.
    chmodSync(folder, 0o1777);
    process.on("exit", () => remove(folder));
  }
  return folder === undefined ? {} : { TMPDIR: folder };
}

const remove = (path) => rmSync(path, { recursive: true, force: true, maxRetries: 5 });

/** Deletes what runs that were killed have left. */
function sweep() {
  for (const name of readdirSync(MEMORY_DISK)) {
    const [, pid] = /^balcao-(\d+)-/.exec(name) ?? [];
    if (pid !== undefined && !existsSync(`/proc/${pid}`)) remove(join(MEMORY_DISK, name));
  }
}

function hasRoom() {
  try {
    const mount = readFileSync("/proc/mounts", "utf8")
      .split("\n")
      .map((line) => line.split(" "))
      .find(([, path]) => path === MEMORY_DISK);
    if (mount?.[2] !== "tmpfs" || mount[3].split(",").includes("noexec")) return false;
    sweep();
    const { bavail, bsize } = statfsSync(MEMORY_DISK);
    return bavail * bsize > NEEDED_BYTES && freemem() > NEEDED_BYTES;
  } catch {
    // Not Linux: the system's own folder.
    return false;
  }
}
