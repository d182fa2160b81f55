import { randomBytes } from "node:crypto";
import { access, open } from "node:fs/promises";

export async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** The name of an unfinished sibling; `isDraft` recognises what an interrupted start left. */
export function draftOf(path: string): string {
  return `${path}.new-${randomBytes(6).toString("hex")}`;
}

export function isDraft(name: string): boolean {
  return /^postgres.*\.new-[0-9a-f]{12}$/.test(name);
}

/** Forces a file, or the names in a directory, to the disk. */
export async function sync(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
