import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

import { cache, root, toolEnvironment } from "./paths.mjs";
import { say } from "./script.mjs";

/** Runs a command in the repository, its output shown. Answers the exit code. */
export async function run(command, args, options = {}) {
  const child = spawn(command, args, {
    cwd: options.cwd ?? root,
    env: toolEnvironment(options.env),
    stdio: ["ignore", "inherit", "inherit"],
  });
  return exitCodeOf(child);
}

/** Runs a command beside others: its output is shown at once when it has ended. Answers the exit code. */
export async function runToLog(name, command, args, options = {}) {
  const { code, output } = await runLogged(name, command, args, options);
  say(`\n── ${name} ──\n${output}`);
  return code;
}

/** Runs a command with its output in a log file of the cache. Answers the exit code and the end of the output. */
export async function runQuietly(name, command, args, options = {}) {
  const { code, output } = await runLogged(name, command, args, options);
  return { code, tail: output.split("\n").slice(-30).join("\n") };
}

async function runLogged(name, command, args, options = {}) {
  mkdirSync(cache, { recursive: true });
  const file = join(cache, `${name}.log`);
  const log = openSync(file, "w");
  const child = spawn(command, args, {
    cwd: root,
    env: toolEnvironment(options.env),
    stdio: ["ignore", log, log],
  });
  const code = await exitCodeOf(child);
  closeSync(log);
  return { code, output: readFileSync(file, "utf8").trimEnd() };
}

/**
 * Runs commands that are to be stopped by Ctrl-C until the first one ends; then the others are stopped too. Answers the
 * exit code of the first.
 */
export async function runUntilStopped(commands) {
  const children = commands.map(launch);
  const stop = (signal) => {
    for (const child of children) child.kill(signal);
  };
  const stopping = onStopSignal(stop);
  const ends = children.map(exitCodeOf);
  const code = await Promise.race(ends);
  const wasAsked = stopping.aborted;
  if (!wasAsked) stop("SIGTERM");
  await Promise.all(ends);
  return exitCodeAfter(code, { wasAsked });
}

/** Exit codes of packages/server/src/run.ts. */
const START_FAILED = 1;
const NEEDS_PEOPLE = 78;
const COMMAND_NOT_FOUND = 127;
/** Waits before another start; the last one repeats. The first leaves time to serve again within two seconds. */
const RESTART_WAITS_MS = [100, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000];
/** A process that ran this long starts the row of waits anew. */
const STEADY_MS = 60_000;

/**
 * Runs the product until Ctrl-C and starts it again when it crashes. It is not started again when a person has to change
 * something first, or when its very first start fails. Answers the exit code.
 */
export async function keepRunning(command) {
  let child;
  const stopping = onStopSignal((signal) => child.kill(signal));
  for (let crashes = 0, starts = 1; ; starts += 1) {
    const startedAt = performance.now();
    child = launch(command);
    const code = await exitCodeOf(child);
    if (stopping.aborted) return exitCodeAfter(code, { wasAsked: true });
    const isFinal = [0, NEEDS_PEOPLE, COMMAND_NOT_FOUND].includes(code);
    if (isFinal || (starts === 1 && code === START_FAILED)) return code;
    crashes = performance.now() - startedAt >= STEADY_MS ? 1 : crashes + 1;
    const waitMs = RESTART_WAITS_MS[Math.min(crashes, RESTART_WAITS_MS.length) - 1];
    say(`Balcão ended unexpectedly (exit code ${code}). It starts again in ${waitMs / 1_000} s.`);
    try {
      await setTimeout(waitMs, undefined, { signal: stopping });
    } catch {
      return 0; // Ctrl-C during the wait
    }
  }
}

/**
 * Each child is a session of its own, so that a Ctrl-C in the terminal, which goes to the whole process group (and comes
 * a second time through npm), reaches it exactly once: from here.
 */
function launch({ command, args, cwd, env }) {
  return spawn(command, args, {
    cwd: cwd ?? root,
    env: toolEnvironment(env),
    stdio: ["ignore", "inherit", "inherit"],
    detached: true,
  });
}

/** Passes the first request to stop on to the children. Answers a signal that is aborted from then on. */
function onStopSignal(stop) {
  const stopping = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => {
      if (stopping.signal.aborted) return say("Stopping…");
      stopping.abort();
      stop(signal === "SIGINT" ? "SIGINT" : "SIGTERM");
    });
  }
  return stopping.signal;
}

function exitCodeAfter(code, { wasAsked }) {
  return wasAsked && (code === 130 || code === 143) ? 0 : code;
}

async function exitCodeOf(child) {
  try {
    const [code, signal] = await once(child, "exit");
    return code ?? 128 + (constants.signals[signal] ?? 0);
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    return 127;
  }
}
