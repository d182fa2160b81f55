import { chmod, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { FirstStartReport } from "./features/provisioning/index.ts";
import { ConfigError } from "./platform/config/config.ts";
import { InstallationInUse } from "./platform/db/embedded/index.ts";
import { DatabaseIsNewer, RestoreUnfinished } from "./platform/db/installation.ts";

const roleNames = { super: "super user", admin: "admin", agent: "agent" } as const;

/** One line for each account, with its password. */
function describeAccounts(report: FirstStartReport): string[] {
  return report.accounts.map((account) => {
    const password = account.password ?? "(as given in BALCAO_ADMIN_PASSWORD)";
    const who = `${account.name}, ${roleNames[account.role]} of ${account.company}`;
    return `  ${account.email.padEnd(34)} ${password.padEnd(20)} ${who}`;
  });
}

export const FIRST_PASSWORDS_FILE = "first-passwords.txt";

/**
 * Reports the passwords of the new accounts, once: at the terminal, or, where output is collected, in a file that only
 * the owner of the data folder can read. If the file cannot be written they are shown: without them there is no
 * sign-in.
 */
export async function tellAccounts(
  report: FirstStartReport,
  { say, dataDir, inFile }: { say: (line: string) => void; dataDir: string; inFile: boolean },
): Promise<void> {
  const lines = describeAccounts(report);
  if (inFile) {
    const path = join(dataDir, FIRST_PASSWORDS_FILE);
    try {
      await writeSecret(path, `${lines.join("\n")}\n`);
      say(
        `\nAccounts made at this first start. Their passwords are in ${path}: sign in, delete it.\n`,
      );
      return;
    } catch (error) {
      say(
        `\n${path} cannot be written (${error instanceof Error ? error.message : String(error)}).`,
      );
    }
  }
  say("\nAccounts made at this first start. The passwords are shown only now:\n");
  for (const line of [...lines, ""]) say(line);
}

/** Under its name only when it is whole, and from the first byte on for nobody else. */
async function writeSecret(path: string, text: string): Promise<void> {
  const unfinished = `${path}.new`;
  await rm(unfinished, { force: true });
  await writeFile(unfinished, text, { mode: 0o600, flag: "wx", flush: true });
  await chmod(unfinished, 0o600);
  await rename(unfinished, path);
}

/** The terminal's output once the product serves. */
export function describeStart(address: string | null): string {
  if (address === null) return "Balcão is running (no web server in this process).";
  return `Balcão is running on ${address}`;
}

/** Codes of a file system that does not let us write. */
const CANNOT_WRITE: Readonly<Record<string, string>> = {
  EACCES: "may not be written by this user",
  EPERM: "may not be written by this user",
  EROFS: "is on a file system that is read-only",
  ENOSPC: "is on a disk that is full",
  ENOTDIR: "is not a folder",
};

/** The message for the reader when a person has to change something before another start makes sense, else null. */
export function problemForPeople(error: unknown): string | null {
  const ofPeople = [ConfigError, InstallationInUse, DatabaseIsNewer, RestoreUnfinished];
  if (ofPeople.some((kind) => error instanceof kind) && error instanceof Error)
    return error.message;
  if (!(error instanceof Error) || !("code" in error)) return null;
  if (error.code === "EADDRINUSE") {
    return "The port is already in use. Stop the other program, or choose another port with PORT=….";
  }
  const why = CANNOT_WRITE[String(error.code)];
  if (why === undefined || !("path" in error)) return null;
  return `The data folder cannot be used: ${String(error.path)} ${why}. Give this user the folder, or choose another one with BALCAO_DATA=….`;
}
