import { existsSync } from "node:fs";

import { runQuietly } from "./run.mjs";
import { say } from "./script.mjs";

const needed = [
  { package: "chromium-headless-shell", file: "/usr/bin/chromium-headless-shell" },
  // Notifications, and what is installed, are not in the shell.
  { package: "chromium", file: "/usr/bin/chromium" },
  {
    package: "fonts-noto-color-emoji",
    file: "/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf",
  },
];

let ensuring;

/** Installs Debian's browser and its emoji when they are missing. Answers what is in the way, or undefined. */
export function ensureBrowser() {
  // Two steps that run side by side ask.
  return (ensuring ??= installBrowser());
}

async function installBrowser() {
  const missing = needed.filter(({ file }) => !existsSync(file)).map((entry) => entry.package);
  if (missing.length === 0) return undefined;
  const isRoot = process.getuid?.() === 0;
  const how = `As root: apt-get install ${missing.join(" ")}`;
  if (!existsSync("/usr/bin/apt-get")) {
    return `The browser tests need Debian's ${missing.join(" and ")}, and there is no apt-get here.`;
  }
  if (!isRoot && !(await maySudo())) {
    return `The browser tests need ${missing.join(" and ")}, and this user may not install them. ${how}`;
  }
  say(`Installing Debian's ${missing.join(" and ")}…`);
  // Lists that could not all be refreshed may still be good enough.
  await aptGet(isRoot, ["update"]);
  const { code, tail } = await aptGet(isRoot, [
    "install",
    "--yes",
    "--no-install-recommends",
    ...missing,
  ]);
  if (code === 0) return undefined;
  return `${tail}\n\nDebian's ${missing.join(" and ")} could not be installed. ${how}`;
}

async function maySudo() {
  if (!existsSync("/usr/bin/sudo")) return false;
  return (await runQuietly("sudo", "sudo", ["-n", "true"])).code === 0;
}

function aptGet(isRoot, args) {
  const command = ["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "--quiet", ...args];
  const [program, ...rest] = isRoot ? command : ["sudo", "-n", ...command];
  return runQuietly(`apt-${args[0]}`, program, rest);
}
