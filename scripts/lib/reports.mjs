import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

import { root } from "./paths.mjs";

/**
 * The counts of a vitest run out of its JSON report. A file that did not even load has no tests of its own and counts
 * as one failure, and so does a run that failed for no test's fault.
 */
export function countVitest(reportFile, exitCode) {
  const report = read(reportFile);
  if (report === undefined) return noReport(exitCode);
  const unloaded = report.testResults.filter(
    (file) => file.status === "failed" && file.assertionResults.length === 0,
  ).length;
  const skipped = report.numPendingTests + report.numTodoTests;
  const files = report.testResults.map(({ name, startTime, endTime }) => ({
    name: relative(root, name),
    durationMs: endTime - startTime,
  }));
  return {
    ...counts(report.numPassedTests, report.numFailedTests + unloaded, skipped, exitCode),
    files,
  };
}

/** The counts of a Playwright run out of its JSON report; a test that passed at the second try is not a failure. */
export function countPlaywright(reportFile, exitCode) {
  const report = read(reportFile);
  if (report === undefined) return noReport(exitCode);
  const { expected, unexpected, flaky, skipped } = report.stats;
  const files = report.suites.map((suite) => ({
    name: join("e2e/journeys", suite.file),
    durationMs: resultsOf(suite).reduce((sum, { duration }) => sum + duration, 0),
  }));
  return { ...counts(expected + flaky, unexpected, skipped, exitCode), files };
}

/** The results of all tests of a suite and of those inside it. */
function resultsOf({ specs, suites = [] }) {
  const own = specs.flatMap(({ tests }) => tests.flatMap(({ results }) => results));
  return [...own, ...suites.flatMap(resultsOf)];
}

function counts(passed, failed, skipped, exitCode) {
  const isUnexplained = exitCode !== 0 && failed === 0;
  const notes = [
    skipped > 0 ? `${skipped} skipped` : "",
    isUnexplained ? `exit code ${exitCode}` : "",
  ].filter((note) => note !== "");
  return { passed, failed: isUnexplained ? 1 : failed, note: notes.join(", ") };
}

function noReport(exitCode) {
  return { passed: 0, failed: 1, note: `no report, exit code ${exitCode}` };
}

function read(file) {
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
}
