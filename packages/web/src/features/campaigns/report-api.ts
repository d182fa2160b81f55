import type {
  Campaign,
  CampaignRecipient,
  CampaignReport,
  RecipientStatus,
  SheetFormat,
} from "@balcao/contract";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { call } from "../../api/client.ts";
import { saveFile } from "../../api/download.ts";
import { queryClient } from "../../api/query-client.ts";
import type { Pages } from "../../api/use-pages.ts";
import { usePages } from "../../api/use-pages.ts";
import { currentLanguage } from "../../i18n/index.ts";
import { useCompanyEvent } from "../../realtime/index.ts";
import { readAgain } from "../../realtime/live.ts";

/** The table and the bars are read again at most once in this time (ui-2.md, Campaign report). */
const PAUSE_MS = 1_000;
/** After the end, the last acknowledgements come within this time (spec 9). */
const LAST_READ_MS = 5_000;

const reportKey = (id: number) => ["campaigns", "report", id];
const peopleKey = (id: number) => ["campaigns", "recipients", id];

/** The numbers of a campaign, live: those of the event at once, the others a moment later. */
export function useReport(id: number) {
  const query = useQuery({
    queryKey: reportKey(id),
    queryFn: ({ signal }): Promise<CampaignReport> =>
      call("GET /campaigns/:campaignId/report", { params: { campaignId: id } }, { signal }),
    staleTime: 0,
  });
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const readAtMs = useRef(0);
  const status = useRef<Campaign["status"] | undefined>(undefined);
  const lastRead = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => {
    status.current = query.data?.campaign.status;
  });
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      clearTimeout(lastRead.current);
    },
    [],
  );

  useCompanyEvent("campaign", (event) => {
    if (event.record.id !== id) return;
    if (event.action === "delete") {
      void query.refetch();
      return;
    }
    const { record } = event;
    const hasEnded = status.current === "EM_ANDAMENTO" && record.status !== "EM_ANDAMENTO";
    queryClient.setQueryData<CampaignReport>(
      reportKey(id),
      (known) => known && { ...known, campaign: record },
    );
    clearTimeout(timer.current);
    timer.current = setTimeout(
      () => {
        readAtMs.current = performance.now();
        readReportAgain(id);
      },
      Math.max(0, readAtMs.current + PAUSE_MS - performance.now()),
    );
    if (hasEnded) {
      clearTimeout(lastRead.current);
      lastRead.current = setTimeout(() => readReportAgain(id), LAST_READ_MS);
    }
  });
  return query;
}

/** Reads everything about a campaign again. */
function readReportAgain(id: number): void {
  void readAgain({ queryKey: reportKey(id) });
  void readAgain({ queryKey: peopleKey(id) });
}

export type RecipientFilter = Readonly<{ words: string; status: RecipientStatus | null }>;

export function useRecipients(
  campaignId: number,
  { words, status }: RecipientFilter,
): Pages<CampaignRecipient> {
  return usePages(
    [...peopleKey(campaignId), words, status],
    async (pageNumber, signal) => {
      const query = { searchParam: words, pageNumber, ...(status === null ? {} : { status }) };
      const { records: rows, ...rest } = await call(
        "GET /campaigns/:campaignId/recipients",
        { params: { campaignId }, query },
        { signal },
      );
      return { rows, ...rest };
    },
    ({ id }) => id,
    { staleTime: 0 },
  );
}

/** Saves the people that are shown as a spreadsheet. */
export async function saveRecipientsFile(
  campaignId: number,
  { words: searchParam, status }: RecipientFilter,
  format: SheetFormat,
): Promise<void> {
  await saveFile("POST /campaigns/:campaignId/export", {
    params: { campaignId },
    body: {
      ...{ format, language: currentLanguage(), searchParam },
      ...(status === null ? {} : { status }),
    },
  });
}

/** Stops a running campaign. One that somebody else has stopped stays as it is. */
export async function stopCampaign(campaignId: number): Promise<void> {
  await call("POST /campaigns/:campaignId/cancel", { params: { campaignId } });
  readReportAgain(campaignId);
}

export async function continueCampaign(campaignId: number): Promise<void> {
  await call("POST /campaigns/:campaignId/restart", { params: { campaignId } });
  readReportAgain(campaignId);
}

/** The address of a conversation by its number. */
export async function conversationOf(ticketId: number): Promise<string> {
  const { uuid } = await call("GET /tickets/:ticketId", { params: { ticketId } });
  return `/tickets/${uuid}`;
}
