import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { DatabaseIsNewer } from "./platform/db/installation.ts";
import { FIRST_PASSWORDS_FILE, problemForPeople, tellAccounts } from "./start-message.ts";

const accounts = [
  { company: "Aurora", name: "Ana", role: "admin", email: "ana@aurora.local", password: "Kmtpx-1" },
] as const;
const line = `  ${"ana@aurora.local".padEnd(34)} ${"Kmtpx-1".padEnd(20)} Ana, admin of Aurora`;

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "balcao-start-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function said(dataDir: string, inFile: boolean): Promise<string> {
  const lines: string[] = [];
  await tellAccounts({ accounts }, { say: (text) => lines.push(text), dataDir, inFile });
  return lines.join("\n");
}

test("the first passwords are printed once", async () => {
  const dataDir = await newFolder();
  expect(await said(dataDir, false)).toContain(`\n${line}\n`);
  await expect(stat(join(dataDir, FIRST_PASSWORDS_FILE))).rejects.toThrow("ENOENT");
});

test("on request they are in a file for its owner only, and not in the output", async () => {
  const dataDir = await newFolder();
  const path = join(dataDir, FIRST_PASSWORDS_FILE);
  // Left by somebody with an open hand.
  await writeFile(path, "old", { mode: 0o666 });
  const output = await said(dataDir, true);
  expect(output).toContain(path);
  expect(output).not.toContain("Kmtpx-1");
  expect(await readFile(path, "utf8")).toBe(`${line}\n`);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test("when the file cannot be written they are printed: else nobody would have them", async () => {
  const dataDir = join(await newFolder(), "missing");
  const output = await said(dataDir, true);
  expect(output).toContain("cannot be written");
  expect(output).toContain(line);
});

test("a data folder that cannot be written is told in a sentence, without a stack", async () => {
  const file = join(await newFolder(), "a-file");
  await writeFile(file, "");
  const path = join(file, "data");
  const refusal = await mkdir(path).then(
    () => null,
    (error: unknown) => problemForPeople(error),
  );
  expect(refusal).toBe(
    `The data folder cannot be used: ${path} is not a folder. Give this user the folder, or choose another one with BALCAO_DATA=….`,
  );
  for (const code of ["EACCES", "EROFS", "EPERM", "ENOSPC"]) {
    const error = Object.assign(new Error(code), { code, path: "/srv/data" });
    expect(problemForPeople(error)).toMatch(/^The data folder cannot be used: \/srv\/data /);
  }
  expect(problemForPeople(Object.assign(new Error("defect"), { code: "EACCES" }))).toBeNull();
});

test("a database of a later version is told in a sentence, without a stack", () => {
  expect(problemForPeople(new DatabaseIsNewer("It is newer."))).toBe("It is newer.");
});
