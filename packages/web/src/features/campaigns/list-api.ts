import type { Campaign, CampaignId, CampaignLine, CampaignStatus } from "@balcao/contract";
import type { InfiniteData } from "@tanstack/react-query";
import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { createSessionStore } from "../../api/session-store.ts";
import type { Page } from "../../api/use-pages.ts";
import { batchPerFrame, onCompanyEvent } from "../../realtime/live.ts";
import { liveList, livePages } from "../../realtime/live-list.ts";
import { useStore } from "../../store/index.ts";

export type CampaignQuery = Readonly<{ words: string; status: CampaignStatus | null }>;
type StatusCounts = Readonly<Record<CampaignStatus, number>>;

const key = ["campaigns", "page"] as const;
const statusCounts = createSessionStore<StatusCounts | null>(null);
/** The status of each campaign that was read or heard of: of others than those on screen too. */
const statuses = createSessionStore<ReadonlyMap<CampaignId, CampaignStatus>>(new Map());

/** Campaigns by what is searched, in the order of the server. */
export const campaignPages = livePages<Campaign, CampaignQuery>({
  key,
  identify: ({ id }) => id,
  async read({ words, status }, pageNumber, signal) {
    const query = { searchParam: words, pageNumber, ...(status === null ? {} : { status }) };
    const reply = await call("GET /campaigns", { query }, { signal });
    const { records: rows, statusCounts: counts, ...rest } = reply;
    statusCounts.set(counts);
    note(rows);
    return { rows, ...rest };
  },
});

/** How many campaigns there are of each status, whatever is searched; null while unknown. */
export const useStatusCounts = (): StatusCounts | null => useStore(statusCounts);

function note(rows: readonly Campaign[]): void {
  statuses.set(
    new Map([...statuses.get(), ...rows.map(({ id, status }) => [id, status] as const)]),
  );
}

// A campaign that runs changes each second: its row changes in its place, and nothing is read.
onCompanyEvent("campaign", (event) => {
  if (event.action === "delete") {
    readAllAgain();
    return;
  }
  const { record } = event;
  const before = statuses.get().get(record.id);
  note([record]);
  // The reply that is under way may be older than the event.
  const isReading = queryClient.isFetching({ queryKey: key }) > 0;
  if (before === undefined || isReading) {
    readAllAgain();
    return;
  }
  batchPerFrame(() => showChanged(record));
  if (before === record.status) {
    readLinesSoon();
    return;
  }
  const counts = statusCounts.get();
  if (counts !== null) {
    statusCounts.set({
      ...counts,
      [before]: counts[before] - 1,
      [record.status]: counts[record.status] + 1,
    });
  }
  lines.readAgain();
});

function showChanged(record: Campaign): void {
  queryClient.setQueriesData<InfiniteData<Page<Campaign>>>({ queryKey: key }, (data) => {
    if (!data?.pages.some(({ rows }) => rows.some(({ id }) => id === record.id))) return data;
    const pages = data.pages.map((page) => ({
      ...page,
      rows: page.rows.map((row) => (row.id === record.id ? record : row)),
    }));
    return { ...data, pages };
  });
}

/** The connections as campaigns use them, most used first. */
const lines = liveList<CampaignLine, number>({
  key: ["campaign-lines"],
  read: (signal) => call("GET /campaign-lines", {}, { signal }),
  identify: ({ connection }) => connection.id,
}).follow("whatsappSession", ({ session }) => ({
  id: session.id,
  change: (line) => ({ ...line, connection: { ...line.connection, status: session.status } }),
}));
lines.follow("campaignLine", ({ record }) => ({ row: record }));
// Since when a connection is down, and what that holds up, is no part of its event.
onCompanyEvent("whatsappSession", () => readLinesSoon());
onCompanyEvent("whatsapp", () => readLinesSoon());

const LINES_EVERY_MS = 5_000;
let linesTimer: ReturnType<typeof setTimeout> | null = null;

/** Campaigns count on each second; their connections are read again much more rarely. */
function readLinesSoon(): void {
  linesTimer ??= setTimeout(() => {
    linesTimer = null;
    lines.readAgain();
  }, LINES_EVERY_MS);
}

/** Hours and days pass without an event. */
const LINES_STALE_MS = 60_000;

export const useCampaignLines = () => useQuery({ ...lines.query, refetchInterval: LINES_STALE_MS });

/** Says since when a number is in use, or sets its limit by day. */
export async function saveLine(
  connectionId: CampaignLine["connection"]["id"],
  body: { inUseSince?: string; fixedLimit?: number | null },
): Promise<void> {
  const row = await call("PUT /campaign-lines/:connectionId", { params: { connectionId }, body });
  lines.apply({ row });
}

export async function cancelCampaign(campaignId: CampaignId): Promise<void> {
  await call("POST /campaigns/:campaignId/cancel", { params: { campaignId } });
  readAllAgain();
}

export async function restartCampaign(campaignId: CampaignId): Promise<void> {
  await call("POST /campaigns/:campaignId/restart", { params: { campaignId } });
  readAllAgain();
}

export async function deleteCampaign(campaignId: CampaignId): Promise<void> {
  await call("DELETE /campaigns/:campaignId", { params: { campaignId } });
  readAllAgain();
}

function readAllAgain(): void {
  campaignPages.readAgain();
  lines.readAgain();
}
