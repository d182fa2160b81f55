import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { stripVTControlCharacters } from "node:util";

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
  const failures = report.testResults.flatMap(failuresOfFile);
  return {
    ...counts(report.numPassedTests, report.numFailedTests + unloaded, skipped, exitCode),
    files,
    failures,
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
  const failures = [
    ...report.errors.map((error) => failure("the run", error.message)),
    ...report.suites.flatMap(specsOf).flatMap(failuresOfSpec),
  ];
  return { ...counts(expected + flaky, unexpected, skipped, exitCode), files, failures };
}

/** The results of all tests of a suite and of those inside it. */
function resultsOf(suite) {
  return specsOf(suite).flatMap(({ tests }) => tests.flatMap(({ results }) => results));
}

function specsOf({ specs, suites = [] }) {
  return [...specs, ...suites.flatMap(specsOf)];
}

function failuresOfFile({ name, message, status, assertionResults }) {
  const file = relative(root, name);
  if (status === "failed" && assertionResults.length === 0) return [failure(file, message)];
  return assertionResults
    .filter((test) => test.status === "failed")
    .map((test) => failure(`${file} › ${test.fullName}`, test.failureMessages[0]));
}

/** With what the journey saw at its end (e2e/support/witness.ts). */
function failuresOfSpec({ file, title, tests }) {
  return tests
    .filter(({ status }) => status === "unexpected")
    .map(({ results, annotations }) => {
      const { test, lines } = failure(`${file} › ${title}`, results.at(-1)?.error?.message);
      const seen = annotations.map(({ type, description }) => `${type}: ${description}`);
      return { test, lines: [...lines, ...seen] };
    });
}

/** How many lines of an error the end of the run repeats: what was expected, what was seen, where. */
const errorLines = 12;

function failure(test, message = "no message") {
  const lines = stripVTControlCharacters(message).split("\n");
  const telling = lines.filter((line) => line.trim() !== "" && !line.includes("node_modules"));
  return { test, lines: telling.slice(0, errorLines) };
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
