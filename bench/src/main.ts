import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { measureApi } from "./api.ts";
import { measureAttendant } from "./attendant.ts";
import { measureBook } from "./book.ts";
import { measureCampaigns } from "./campaigns.ts";
import { measureCapacity } from "./capacity.ts";
import { measureDashboard } from "./dashboard.ts";
import { measureChat } from "./chat.ts";
import { measureCold, measureFiles } from "./first-screen.ts";
import { measureFlood } from "./flood.ts";
import { measureImport } from "./import.ts";
import { measureInbound } from "./inbound.ts";
import { measureKanban } from "./kanban.ts";
import { measureLinked } from "./linked.ts";
import { measureLive } from "./live.ts";
import { measureOpen } from "./open.ts";
import { measurePage } from "./page.ts";
import type { BenchPostgres } from "./postgres.ts";
import { startPostgres } from "./postgres.ts";
import type { PartReport } from "./report.ts";
import { describePart, isMet, writeJson } from "./report.ts";
import { measureProvider } from "./provider.ts";
import { measureReads } from "./reads.ts";
import { measureSearch } from "./search.ts";
import { measureStart } from "./start.ts";
import { measureUpload } from "./upload.ts";

const parts = {
  inbound: measureInbound,
  page: measurePage,
  search: measureSearch,
  reads: measureReads,
  book: measureBook,
  dashboard: measureDashboard,
  live: measureLive,
  chat: measureChat,
  open: measureOpen,
  files: measureFiles,
  cold: measureCold,
  upload: measureUpload,
  import: measureImport,
  campaigns: measureCampaigns,
  kanban: measureKanban,
  provider: measureProvider,
  start: measureStart,
  linked: measureLinked,
  attendant: measureAttendant,
  api: measureApi,
  flood: measureFlood,
  capacity: measureCapacity,
} satisfies Record<string, (postgres: BenchPostgres) => Promise<PartReport>>;
type PartName = keyof typeof parts;

const jsonFile = fileURLToPath(new URL("../../.cache/bench.json", import.meta.url));

/** Measures the chosen parts; exits with 1 when something broke, or with --strict when a goal was missed. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { only: { type: "string" }, strict: { type: "boolean", default: false } },
  });
  const chosen = choose(values.only);
  const reports: PartReport[] = [];
  const postgres = await startPostgres();
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.once(signal, () => void postgres.stop().finally(() => process.exit(1)));
  }
  try {
    for (const name of chosen) {
      console.log(`measuring ${name}…`);
      const report = await parts[name](postgres);
      reports.push(report);
      console.log(`\n${describePart(report)}\n`);
    }
  } finally {
    await postgres.stop();
  }
  await writeJson(jsonFile, reports);
  const goals = reports.flatMap((report) => report.goals);
  const missed = goals.filter((goal) => !isMet(goal)).length;
  console.log(
    `${goals.length - missed} of ${goals.length} goals met. All figures: ${join(".cache", "bench.json")}`,
  );
  if (values.strict && missed > 0) process.exitCode = 1;
}

function choose(only: string | undefined): PartName[] {
  const isPart = (name: string): name is PartName => Object.hasOwn(parts, name);
  if (only === undefined) return Object.keys(parts).filter(isPart);
  return only.split(",").map((name) => {
    if (!isPart(name))
      throw new Error(`there is no part "${name}"; parts: ${Object.keys(parts).join(", ")}`);
    return name;
  });
}

await main();
