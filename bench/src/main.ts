import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Earlier } from "./beside.ts";
import { compareMissed, describeMissed, openEarlier } from "./beside.ts";
import { startChild } from "./child.ts";
import type { PartResult } from "./part.ts";
import type { PartName } from "./parts.ts";
import { isPart, parts } from "./parts.ts";
import type { PartReport } from "./report.ts";
import { describePart, isMet, writeJson } from "./report.ts";

const jsonFile = fileURLToPath(new URL("../../.cache/bench.json", import.meta.url));

/**
 * Measures the chosen parts; exits with 1 when something broke, or with --strict when a goal was missed. With --beside the
 * commit measures what was missed, and --strict counts only the goals that it meets.
 */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: "string" },
      beside: { type: "string" },
      strict: { type: "boolean", default: false },
    },
  });
  const chosen = choose(values.only);
  const earlier = values.beside === undefined ? null : await openEarlier(values.beside);
  const reports: PartReport[] = [];
  let lost = 0;
  for (const name of chosen) {
    console.log(`measuring ${name}…`);
    try {
      const report = await measure(name);
      reports.push(report);
      console.log(`\n${describePart(report)}\n`);
      if (earlier !== null) lost += await countLost(report, name, earlier);
    } catch (error) {
      // The other parts are measured all the same.
      console.error(error);
      process.exitCode = 1;
    }
  }
  await writeJson(jsonFile, reports);
  const goals = reports.flatMap((report) => report.goals);
  const missed = goals.filter((goal) => !isMet(goal)).length;
  const beside =
    earlier === null ? "" : ` ${lost} of the missed ones were lost since ${earlier.name}.`;
  console.log(
    `${goals.length - missed} of ${goals.length} goals met.${beside} All figures: ${join(".cache", "bench.json")}`,
  );
  if (values.strict && (earlier === null ? missed : lost) > 0) process.exitCode = 1;
}

async function measure(name: PartName): Promise<PartReport> {
  const child = startChild("./part.ts");
  try {
    const result = await child.ask<PartResult>(name);
    if ("error" in result) throw new Error(`${name}: ${result.error}`);
    return result.report;
  } finally {
    child.stop();
  }
}

async function countLost(report: PartReport, name: PartName, earlier: Earlier): Promise<number> {
  const missed = await compareMissed(
    report.goals,
    () => earlier.measure(name),
    async () => (await measure(name)).goals,
  );
  for (const goal of missed) console.log(describeMissed(goal, earlier.name));
  if (missed.length > 0) console.log("");
  return missed.filter(({ isLost }) => isLost).length;
}

function choose(only: string | undefined): PartName[] {
  const names = Object.keys(parts).filter(isPart);
  if (only === undefined) return names;
  return only.split(",").map((name) => {
    if (!isPart(name)) throw new Error(`there is no part "${name}"; parts: ${names.join(", ")}`);
    return name;
  });
}

await main();
