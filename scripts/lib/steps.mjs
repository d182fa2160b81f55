import { run, runToLog } from "./run.mjs";
import { say } from "./script.mjs";

const command = ({ name, command: tool, args, env = {} }) => ({
  name,
  run: ({ isAlone }) =>
    countAsOne(isAlone ? run(tool, args, { env }) : runToLog(name, tool, args, { env })),
});

/**
 * Much the longest of the checks that only read, and it uses one core: each further checker makes the contract's types
 * again, which takes two cores twice as long.
 */
const typesStep = command({ name: "types", command: "tsc", args: ["-b", "--checkers", "1"] });

/** The others; each is one command of the root package.json. */
const readingSteps = [
  // On one core, like the other row: as fast for two thirds of the CPU time.
  { name: "lint", command: "oxlint", args: ["--type-aware"], env: { GOMAXPROCS: "1" } },
  { name: "format", command: "oxfmt", args: ["--check"] },
  {
    name: "boundaries",
    command: "depcruise",
    args: ["packages", "--config", ".dependency-cruiser.cjs"],
  },
].map(command);

const unusedStep = command({ name: "unused", command: "knip", args: [] });

/** Rows of steps that run side by side; see `runSteps`. */
export const staticSteps = [[typesStep], readingSteps];
/** The same with those of `npm test`. */
export const staticStepsOfTest = [[typesStep], [...readingSteps, unusedStep]];

/** A command that passes or fails as a whole. */
export async function countAsOne(running) {
  const code = await running;
  return code === 0
    ? { passed: 1, failed: 0 }
    : { passed: 0, failed: 1, note: `exit code ${code}` };
}

/**
 * Runs stages of steps one after the other, all of them also after a failure, and prints one line for each step at the end.
 * Answers the exit code. A stage is rows of steps: one row does not wait for another. The first row's output is shown at once
 * where it says so (`isAloud`) or is alone, that of a step in any other row when it has ended.
 */
export async function runSteps(stages) {
  const results = [];
  const start = performance.now();
  async function runRow(row, { isAlone }) {
    for (const { name, run: runStep, isAloud = isAlone } of row) {
      if (isAloud) say(`\n── ${name} ──`);
      const begin = performance.now();
      const counts = await runStep({ isAlone });
      results.push({ name, durationMs: performance.now() - begin, ...counts });
    }
  }
  for (const stage of stages) {
    const rows = stage.filter((row) => row.length > 0);
    await Promise.all(rows.map((row) => runRow(row, { isAlone: rows.length === 1 })));
  }
  const files = results.flatMap((result) => result.files ?? []);
  if (files.length > 0) {
    say("\n── the ten slowest test files ──");
    files.sort((one, other) => other.durationMs - one.durationMs);
    for (const { name, durationMs } of files.slice(0, 10)) say(`${seconds(durationMs)}  ${name}`);
  }
  say("\n── summary ──");
  for (const result of results) say(describe(result));
  const passed = results.reduce((sum, result) => sum + result.passed, 0);
  const failed = results.reduce((sum, result) => sum + result.failed, 0);
  say(`total ${seconds(performance.now() - start)}`);
  sayFailures(results.flatMap((result) => result.failures ?? []));
  say(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

/** Once more at the end, where a log that was cut to its last lines still has them. */
function sayFailures(failures) {
  for (const { test, lines } of failures.slice(0, 5)) {
    say(`\nFAIL  ${test}`);
    for (const line of lines) say(`      ${line.slice(0, 300)}`);
  }
  if (failures.length > 5) say(`\nand ${failures.length - 5} more, above`);
}

function describe({ name, durationMs, passed, failed, note }) {
  const verdict = failed === 0 ? "ok  " : "FAIL";
  const counts = passed + failed > 1 ? `  ${passed} passed, ${failed} failed` : "";
  return `${verdict}  ${name.padEnd(12)}${seconds(durationMs)}${counts}${note ? `  (${note})` : ""}`;
}

function seconds(durationMs) {
  return `${(durationMs / 1000).toFixed(1)} s`.padStart(9);
}
