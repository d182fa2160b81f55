import { measureApi } from "./api.ts";
import { measureAttendant } from "./attendant.ts";
import { measureBook } from "./book.ts";
import { measureCampaigns } from "./campaigns.ts";
import { measureCapacity } from "./capacity.ts";
import { measureChat } from "./chat.ts";
import { measureDashboard } from "./dashboard.ts";
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
import { measureProvider } from "./provider.ts";
import { measureReads } from "./reads.ts";
import type { PartReport } from "./report.ts";
import { measureSearch } from "./search.ts";
import { measureStart } from "./start.ts";
import { measureUpload } from "./upload.ts";

export const parts = {
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
export type PartName = keyof typeof parts;

export function isPart(name: string): name is PartName {
  return Object.hasOwn(parts, name);
}
