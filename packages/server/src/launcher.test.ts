import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";

const run = fileURLToPath(new URL("../../../scripts/lib/run.mjs", import.meta.url));

/** `npm start` with a program in the product's place, whose starts end one after the other with these exit codes. */
async function launch(ends: readonly (number | "SIGKILL" | "runs")[]) {
  const directory = await mkdtemp(join(tmpdir(), "balcao-launcher-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const [program, starts] = [join(directory, "program.mjs"), join(directory, "starts")];
  await writeFile(starts, "");
  await writeFile(
    program,
    `import { appendFileSync, readFileSync } from "node:fs";
     const end = ${JSON.stringify(ends)}[readFileSync(${JSON.stringify(starts)}).length];
     if (end === "runs") { setInterval(() => {}, 60_000); process.on("SIGINT", () => process.exit(0)); }
     appendFileSync(${JSON.stringify(starts)}, "x");
     if (end === "SIGKILL") process.kill(process.pid, end);
     else if (end !== "runs") process.exit(end);`,
  );
  const command = { command: process.execPath, args: [program] };
  const launcher = `import { keepRunning } from ${JSON.stringify(run)};
    process.exitCode = await keepRunning(${JSON.stringify(command)});`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", launcher]);
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const exited = once(child, "exit").then(([code]) => code as number | null);
  return {
    exited,
    output: () => output,
    starts: async () => (await readFile(starts)).length,
    stop: () => child.kill("SIGINT"),
  };
}

test("a product that crashes is started again, later each time, until Ctrl-C ends all with 0", async () => {
  const launched = await launch([70, "SIGKILL", "runs"]);
  await vi.waitFor(async () => expect(await launched.starts()).toBe(3));
  launched.stop();
  expect(await launched.exited).toBe(0);
  expect(launched.output()).toMatch(/exit code 70.* 0.1 s\.\n.*exit code 137.* 1 s\./);
});

test("Ctrl-C during the wait before another start ends at once with 0", async () => {
  const launched = await launch([70, 70, 70]);
  await vi.waitFor(() => expect(launched.output()).toContain("in 2 s"));
  launched.stop();
  expect(await launched.exited).toBe(0);
  expect(await launched.starts()).toBe(3);
});

test.each([
  ["was stopped", 0],
  ["needs a person to change something", 78],
  ["fails at its very first start", 1],
])("a product that %s is not started again", async (_, code) => {
  const launched = await launch([code]);
  expect(await launched.exited).toBe(code);
  expect(await launched.starts()).toBe(1);
});
