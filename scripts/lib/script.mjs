/** A problem that the reader can do something about: shown without a stack. */
export class Problem extends Error {}

export function say(line) {
  process.stdout.write(`${line}\n`);
}

/** Runs a script's main function; it answers the exit code. */
export async function runScript(main) {
  try {
    requireNode();
    process.exitCode = await main();
  } catch (error) {
    process.stderr.write(`\n${error instanceof Problem ? error.message : error.stack}\n`);
    process.exitCode = 1;
  }
}

function requireNode() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  throw new Problem(
    `Balcão needs Node 20.19 or newer to install itself; this is ${process.version}. ` +
      "Install a newer one from https://nodejs.org and try again.",
  );
}
