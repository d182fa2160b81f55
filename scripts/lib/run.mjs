import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";

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

/** Runs a command with its output in a log file of the cache. Answers the exit code and the end of the output. */
export async function runQuietly(name, command, args, options = {}) {
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
  return { code, tail: readFileSync(file, "utf8").trimEnd().split("\n").slice(-30).join("\n") };
}

/**
 * Runs commands that are to be stopped by Ctrl-C until the first one ends; then the others are stopped too. Each is a
 * session of its own, so that a Ctrl-C in the terminal, which goes to the whole process group (and comes a second time
 * through npm), reaches them exactly once: from here. Answers the exit code of the first.
 */
export async function runUntilStopped(commands) {
  const children = commands.map(({ command, args, cwd, env }) =>
    spawn(command, args, {
      cwd: cwd ?? root,
      env: toolEnvironment(env),
      stdio: ["ignore", "inherit", "inherit"],
      detached: true,
    }),
  );
  let isStopping = false;
  const stop = (signal) => {
    if (isStopping) return;
    isStopping = true;
    for (const child of children) child.kill(signal);
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => {
      if (isStopping) return say("Stopping…");
      stop(signal === "SIGINT" ? "SIGINT" : "SIGTERM");
    });
  }
  const ends = children.map(exitCodeOf);
  const code = await Promise.race(ends);
  const wasAsked = isStopping;
  stop("SIGTERM");
  await Promise.all(ends);
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
